"""Stored judgement -> the steps of its score: the scorer that made it, run again over the stored verdict."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from adjudge.checks.registry import run_check
from adjudge.documents.rows import verdict_parts
from adjudge.errors import InputError
from adjudge.judges.identity import scorer_version
from adjudge.procedures.pair import OTHER, order_winner
from adjudge.prompts.fill import Bindings, fill_inputs
from adjudge.records import (
    IN_CODE,
    WINNER_SCORES,
    Case,
    CheckScore,
    Failed,
    Forced,
    Json,
    Judge,
    Judged,
    Judgement,
    NamedScore,
    Pair,
    Score,
    Scored,
    Verdict,
    Winner,
    is_jury,
)
from adjudge.scoring import Invalid, Scoring, base_scorer
from adjudge.scoring.steps import CheckStep, ItemStep, OrderStep, PairStep, Step
from adjudge.scoring.terms import is_quoted
from adjudge.scoring.text import fold
from adjudge.text import as_text
from adjudge.verdicts import Planted, read_verdict
from adjudge.versions import SCORER_VERSIONS

Source = Literal[
    "computed", "rule", "failed", "no_score", "no_judge", "no_case", "other_version", "not_computable"
]
"""Where the score comes from, or why its steps cannot be shown.

`rule`: given with no model asked; `no_score`: the judge has none; `no_judge`, `no_case`: not stored any more; `other_version`: made by a version of the scorer
that this adjudge does not have; `not_computable`: the scorer refuses the stored verdict.
"""
Decider = Literal["model", "rule", "code"]
"""Who decided what a verdict's parts say: the model; a rule over the probability it gives; code, the model not asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """How a judgement came to its score, or why it has none."""

    judgement: Judgement
    judge: Judge | None
    source: Source
    steps: tuple[Step, ...] = ()
    computed: float | None = None
    """The score that the steps lead to; it differs from the stored one only where the scorer's version is not known."""
    scorer: str = ""
    """`correctness v3`, for `other_version`."""
    reference: int | None = None
    """Of several references, which one the checklist was made from, from 1; 0: not known; None: there are not several."""
    references: int = 1
    repeats: tuple[Judgement, ...] = ()
    """All of this case by this judge and model, where there are several."""

    @property
    def agrees(self) -> bool | None:
        """Whether the scorer gives what is stored; None where it gives nothing."""
        return None if self.computed is None else self.computed == self.judgement.score

    @property
    def decider(self) -> Decider:
        """The embedded judge's model gives a probability, and rules do the rest."""
        if self.judgement.model == IN_CODE:
            return "code"
        if not self.judgement.model.startswith("embedded@"):
            return "model"
        return "code" if "compared_in_code" in self.judgement.notes else "rule"

    @property
    def measured(self) -> float | None:
        """The exact score, where a model that computes its verdict measured it."""
        found = [call.completion.measured for call in self.judgement.calls if call.completion.measured]
        return self.judgement.exact if found and found[-1].exact is not None else None


def explain_score(
    judgement: Judgement,
    judge: Judge | None,
    fields: Mapping[str, Json] | None = None,
    *,
    judgements: Iterable[Judgement] = (),
) -> Explanation:
    """The way to the score, or to none.

    Args:
        judgement: as stored, with the texts of its calls where they are to be had.
        judge: the one that made it, under the hash it had then; None where its file is not there any more.
        fields: the case as its scorer saw it, see `case_fields`; None where the case is not there.
        judgements: all of the case in this run, for what its repeats came to.

    """
    names = (judgement.judge, judgement.judge_hash, judgement.model)
    repeats = tuple(each for each in judgements if (each.judge, each.judge_hash, each.model) == names)
    return replace(_explain(judgement, judge, fields), repeats=repeats)


def _explain(judgement: Judgement, judge: Judge | None, fields: Mapping[str, Json] | None) -> Explanation:
    outcome = judgement.outcome
    source: Source = "computed"
    scorer = ""
    if is_jury(judgement.model) and not isinstance(outcome, Failed):
        return Explanation(judgement=judgement, judge=judge, source="computed", computed=judgement.score)
    if isinstance(outcome, Failed):
        source = "failed"
    elif isinstance(outcome, Forced) or (not judgement.calls and "empty_response" in judgement.notes):
        source = "rule"
    elif isinstance(outcome, Judged):
        source = "no_score"
    elif judge is None or judge.score is None:
        source = "no_judge"
    elif isinstance(judge.score, CheckScore) and fields is None:
        source = "no_case"
    elif isinstance(judge.score, NamedScore):
        name = judge.score.name
        version = scorer_version(judge)
        if name not in SCORER_VERSIONS or version not in {None, SCORER_VERSIONS[name]}:
            source, scorer = "other_version", f"{name} v{version}" if version else name
        elif fields is None:
            source = "no_case"
    if source != "computed":
        computed = judgement.score if source == "rule" else None
        return Explanation(judgement=judgement, judge=judge, source=source, scorer=scorer, computed=computed)
    assert judge is not None
    assert isinstance(outcome, Scored | Forced)
    return _run_scorer(judgement, outcome, judge, fields or {})


def _run_scorer(
    judgement: Judgement, outcome: Scored | Forced, judge: Judge, fields: Mapping[str, Json]
) -> Explanation:
    parts = verdict_parts(outcome)
    if judge.pair is not None:
        return _run_twice(judgement, judge, judge.pair, parts)
    if isinstance(judge.score, CheckScore):
        found = _check_again(judge.score, fields)
    else:
        scorer = base_scorer(judge)
        items = scorer.items_in(parts) or _items_listed(judgement, judge)
        found = scorer.explain(Verdict(parts=parts), fields, items)
    if isinstance(found, Invalid):
        return Explanation(judgement=judgement, judge=judge, source="not_computable")
    place, total = _reference_used(found.steps, fields)
    return Explanation(
        judgement=judgement,
        judge=judge,
        source="computed",
        steps=found.steps,
        computed=found.score.value,
        reference=place,
        references=total,
    )


def _check_again(rule: CheckScore, fields: Mapping[str, Json]) -> Scoring | Invalid:
    """From the case alone: the stored verdict is not read."""
    found = run_check(rule, fields)
    if isinstance(found, Failed):
        return Invalid(why=found.message)
    value = float(found.score)
    step = CheckStep(rule.name, rule.parameters, found.reason, found.details, found.score)
    return Scoring(Score(value=value, exact=value), (step,))


def _run_twice(judgement: Judgement, judge: Judge, pair: Pair, parts: Mapping[str, Json]) -> Explanation:
    """The scorer over the verdict of each order, then what both say together."""
    found = []
    for order in ("verdict", "verdict_swapped"):
        given = parts.get(order)
        scoring = base_scorer(judge).explain(
            Verdict(parts=given if isinstance(given, dict) else {}), {}, None
        )
        if isinstance(scoring, Invalid):
            return Explanation(judgement=judgement, judge=judge, source="not_computable")
        found.append(scoring)
    a_first = order_winner(found[0].score.exact, pair)
    b_first = OTHER[order_winner(found[1].score.exact, pair)]
    winner: Winner = a_first if a_first == b_first else "tie"
    steps = (
        OrderStep("a"),
        *found[0].steps,
        OrderStep("b"),
        *found[1].steps,
        PairStep(a_first, b_first, winner),
    )
    return Explanation(
        judgement=judgement, judge=judge, source="computed", steps=steps, computed=WINNER_SCORES[winner]
    )


def _items_listed(judgement: Judgement, judge: Judge) -> Mapping[str, Json] | None:
    """The list a first call made, read again from its reply: expressions may count it."""
    if judge.items is None:
        return None
    for call in judgement.calls:
        if call.request.step.startswith("items") and call.completion.text:
            read = read_verdict(
                call.completion.text, judge.items.contract, whole=call.completion.structured, case_texts=()
            )
            verdict = read.verdict if isinstance(read, Planted) else read
            if isinstance(verdict, Verdict):  # else it was asked for again
                return verdict.parts
    return None


def _reference_used(steps: tuple[Step, ...], fields: Mapping[str, Json]) -> tuple[int | None, int]:
    """Each reference has a checklist of its own, and the best-covered one counts: the one that has all the quotes."""
    reference = fields.get("reference")
    listed = reference if isinstance(reference, list) else []
    texts = [fold(as_text(each)) for each in listed if each is not None and as_text(each).strip()]
    quotes = [step.quote for step in steps if isinstance(step, ItemStep)]
    if len(texts) < 2 or not quotes:
        return None, len(texts)
    places = (at for at, text in enumerate(texts, 1) if all(is_quoted(quote, text) for quote in quotes))
    return next(places, 0), len(texts)


def columns_of(plan: Mapping[str, Json]) -> dict[str, str]:
    """The `--columns` of a run of this plan."""
    maps = plan.get("maps")
    return {name: str(each) for name, each in maps.items()} if isinstance(maps, dict) else {}


def case_fields(judge: Judge, case: Case, plan: Mapping[str, Json]) -> Mapping[str, Json]:
    """A case as the judge's scorer saw it in a run of this plan: by field, whatever the columns are called."""
    sets = plan.get("sets")
    bindings = Bindings(
        maps=columns_of(plan),
        sets={name: str(each) for name, each in sets.items()} if isinstance(sets, dict) else {},
        current_date=str(plan.get("current_date") or ""),
    )
    try:
        return fill_inputs(judge.inputs, case, bindings).fields
    except InputError:  # contested columns: the row was never judged
        return case.fields
