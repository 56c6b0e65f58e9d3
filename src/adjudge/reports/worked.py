"""Why a judgement has its score: worked out step by step from what is stored, by the scorers' own rules."""

from collections.abc import Iterator, Mapping

from adjudge.analysis.outcomes import FAILURES
from adjudge.documents.rows import verdict_parts
from adjudge.errors import InputError
from adjudge.prompts.fill import Bindings, fill_inputs
from adjudge.records import (
    Case,
    ExpressionScore,
    Failed,
    FieldScore,
    Forced,
    Json,
    Judge,
    Judgement,
    NamedScore,
    PointsScore,
    Scored,
    Verdict,
)
from adjudge.reports.worked_coverage import coverage_steps, rationale_steps
from adjudge.reports.worked_numbers import correctness_steps
from adjudge.reports.worked_rules import expression_steps, field_steps, pass_step, points_steps
from adjudge.reports.worked_steps import Decider, Step, Worked, number_text
from adjudge.scoring import normalize
from adjudge.scoring.scale import plain
from adjudge.scoring.text import as_text
from adjudge.verdicts import Planted, Unread, read_verdict

__all__ = ["Step", "Worked", "case_fields", "work_out"]

RESULTS = frozenset({"rounding", "rule", "field", "points", "values"})
"""Kinds of steps whose number is the score by that rule."""


def work_out(judgement: Judgement, judge: Judge | None, fields: Mapping[str, Json] | None = None) -> Worked:
    """The way to the score, or to none.

    Args:
        judgement: as stored, with the texts of its calls where they are to be had.
        judge: the one that made it; None where its file is not there any more.
        fields: the case as its scorer saw it, see `case_fields`; None where the case is not there.

    """
    outcome = judgement.outcome
    if isinstance(outcome, Failed):
        return Worked(steps=tuple(failure_steps(judgement, outcome)))
    steps = list(
        given_steps(judgement, outcome, judge)
        if _by_rule(judgement, outcome)
        else score_steps(judgement, outcome, judge, fields)
    )
    stored = outcome.score.value
    found = next((step.number for step in reversed(steps) if step.kind in RESULTS), None)
    agrees = None if found is None else found == stored
    steps.append(
        Step(
            kind="stored",
            label="stored score",
            value=number_text(stored),
            explanation="Today's rules give another score. The stored one was made by an earlier version of them, and "
            "stands; run the case again to have it scored anew.",
            number=stored,
        )
        if agrees is False
        else Step(kind="score", label="score", value=number_text(stored), number=stored)
    )
    return Worked(steps=tuple(steps), after=tuple(after_steps(judgement, outcome, judge)), agrees=agrees)


def case_fields(judge: Judge, case: Case, plan: Mapping[str, Json]) -> Mapping[str, Json]:
    """A case as the judge's scorer saw it in a run of this plan: by field, whatever the columns are called."""
    maps, sets = plan.get("maps"), plan.get("sets")
    bindings = Bindings(
        maps={name: str(each) for name, each in maps.items()} if isinstance(maps, dict) else {},
        sets={name: str(each) for name, each in sets.items()} if isinstance(sets, dict) else {},
        current_date=str(plan.get("current_date") or ""),
    )
    try:
        return fill_inputs(judge.inputs, case, bindings).fields
    except InputError:  # contested columns: the row was never judged
        return case.fields


def _by_rule(judgement: Judgement, outcome: Scored | Forced) -> bool:
    """Whether nobody was asked."""
    return isinstance(outcome, Forced) or (not judgement.calls and "empty_response" in judgement.notes)


# ---- judged ----


def score_steps(
    judgement: Judgement, outcome: Scored | Forced, judge: Judge | None, fields: Mapping[str, Json] | None
) -> Iterator[Step]:
    parts = verdict_parts(outcome)
    rule = None if judge is None else judge.score
    match rule:
        case FieldScore():
            yield from field_steps(rule, parts, decided_by(judgement))
        case PointsScore():
            yield from points_steps(rule, parts)
        case ExpressionScore():
            yield from expression_steps(rule, {**items_of(judgement, judge), **parts})
        case NamedScore(name="coverage"):
            references = [] if fields is None else _references(fields)
            yield from coverage_steps(parts, judgement.notes, references, decided_by(judgement))
        case NamedScore(name="coverage_rationale"):
            yield from rationale_steps(parts)
        case NamedScore(name="correctness"):
            yield from correctness_steps(parts, fields, decided_by(judgement))
        case _:
            yield Step(
                kind="rule",
                label="rule",
                value="not known",
                explanation="The judge's file is not in this store any more, so how the score came about cannot be told.",
            )
    yield from measured_steps(judgement)


def decided_by(judgement: Judgement) -> Decider:
    """Who decided what the verdict's flags say: the embedded judge's model gives a probability, and rules do the rest."""
    if not judgement.model.startswith("embedded@"):
        return "model"
    return "code" if "compared_in_code" in judgement.notes else "rule"


def measured_steps(judgement: Judgement) -> Iterator[Step]:
    """What a model that computes its verdict measured, where that is the exact score."""
    exact, value = judgement.exact, judgement.score
    measured = next(
        (call.completion.measured for call in reversed(judgement.calls) if call.completion.measured), None
    )
    if measured is None or measured.exact is None or exact is None or value is None:
        return
    yield Step(
        kind="measured",
        label="measured",
        value=number_text(exact),
        explanation="The model measures its rating before rounding it to the scale; this is the exact score, which means "
        "are taken over.",
        number=exact,
    )


def _references(fields: Mapping[str, Json]) -> list[str]:
    reference = fields.get("reference")
    listed = reference if isinstance(reference, list) else [reference]
    return [as_text(each) for each in listed if each is not None and as_text(each).strip()]


def items_of(judgement: Judgement, judge: Judge | None) -> dict[str, Json]:
    """The list a first call made, read again from its reply: expressions may count it."""
    if judge is None or judge.items is None:
        return {}
    for call in judgement.calls:
        if call.request.step.startswith("items") and call.completion.text:
            read = read_verdict(
                call.completion.text, judge.items.contract, whole=call.completion.structured, case_texts=()
            )
            if isinstance(read, Planted):
                read = read.verdict
            if isinstance(read, Verdict):
                return {"items": dict(read.parts)}
            assert isinstance(read, Unread)  # and was asked for again
    return {}


# ---- by rule, with no call ----


def given_steps(judgement: Judgement, outcome: Scored | Forced, judge: Judge | None) -> Iterator[Step]:
    reason = outcome.reason if isinstance(outcome, Forced) else judgement.reason or ""
    empty = "empty_response" in judgement.notes
    yield Step(
        kind="what",
        label="what happened",
        value="scored by rule",
        explanation=f"{reason} No model was asked.",
    )
    value = outcome.score.value
    yield Step(
        kind="rule",
        label="rule",
        value=number_text(value),
        explanation=_rule_for_blank(judge, value) if empty else _rule_for_missing(value),
        number=value,
    )


def advice_step(judgement: Judgement) -> Step:
    empty = "empty_response" in judgement.notes
    return Step(
        kind="next",
        label="what to do next",
        value="Find out why the system gave no answer." if empty else "Fill in what is missing.",
        explanation="`when_empty:` in the judge file says what a blank response is worth."
        if empty
        else "Or name its column with `--columns input=column`; then run the same command again. The report gives the mean "
        "with and without such rows.",
    )


def _rule_for_blank(judge: Judge | None, value: float) -> str:
    if judge is not None and judge.when_empty == "lowest":
        worst = "highest" if judge.better == "lower" else "lowest"
        return f"A blank response is an answer, and gets the worst score of the scale, its {worst}: {number_text(value)}."
    return f"The judge file gives a blank response the score {number_text(value)}."


def _rule_for_missing(value: float) -> str:
    return f"The judge file forces the score {number_text(value)} when a required input is absent (`when_missing:`)."


# ---- not judged ----


def failure_steps(judgement: Judgement, failed: Failed) -> Iterator[Step]:
    advice = FAILURES[failed.kind]
    yield Step(
        kind="what",
        label="what happened",
        value=failed.kind,
        explanation=f"{advice.means[0].upper()}{advice.means[1:]}. It is counted as not judged, and is no 0.",
        details=(("message", failed.message),)
        + ((("kind", failed.error_kind),) if failed.error_kind else ())
        + ((("attempts", str(judgement.attempts)),) if judgement.attempts else ())
        + (
            (("cost", "unknown: the answer was lost on its way and may be billed"),)
            if failed.maybe_billed
            else ()
        ),
    )
    yield Step(
        kind="next",
        label="what to do next",
        value=f"{advice.do[0].upper()}{advice.do[1:]}.",
        explanation=_retry(failed.kind),
    )


def _retry(kind: str) -> str:
    if kind in {"unreadable", "truncated", "refused"}:
        return f"`--retry {kind}` asks such cases again; else the stored reply is used again."
    return ""


# ---- where it stands ----


def after_steps(judgement: Judgement, outcome: Scored | Forced, judge: Judge | None) -> Iterator[Step]:
    score = outcome.score
    if _by_rule(judgement, outcome):
        yield advice_step(judgement)
    if judge is not None and judge.scale is not None:
        yield _normalized(judgement, judge, score.exact)
    if judge is not None:
        values = {**verdict_parts(outcome), "score": score.value, "exact": score.exact}
        yield pass_step(judge, values, judgement.passed)
    if judgement.probability is not None:
        yield Step(
            kind="probability",
            label="probability",
            value=f"{judgement.probability:.3f}",
            explanation="Set by rule for numbers compared in code, unless the model is surer; not how likely it is right."
            if decided_by(judgement) == "code"
            else "How likely the model itself holds this verdict to be; not how likely it is right.",
            number=judgement.probability,
        )


def _normalized(judgement: Judgement, judge: Judge, exact: float) -> Step:
    scale = judge.scale
    assert scale is not None
    low, high = plain(scale.low), plain(scale.high)
    share = normalize(scale, judge.better, exact)
    shown = plain(exact)
    filled = f"({shown} − {low}) ÷ ({high} − {low})"
    turned = f"1 − {filled}, because lower is better" if judge.better == "lower" else filled
    return Step(
        kind="normalized",
        label=f"on the scale {low} to {high}",
        value="none: the scale has no width" if share is None else f"{share:.4g}",
        explanation="" if share is None else f"{turned}: the share of the scale that it reaches.",
        number=judgement.normalized if share is None else share,
    )
