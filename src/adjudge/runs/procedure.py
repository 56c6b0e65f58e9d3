"""How one case is judged: a generator that yields requests, receives completions and returns a ruling.

It does no I/O, so the executor decides how requests travel, and a test can hold the other end.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from adjudge.prompts.columns import describe_columns
from adjudge.prompts.fill import Bindings, Filled, boundary_notes, values_for
from adjudge.prompts.fit import DoesNotFitError, fit_prompt
from adjudge.prompts.render import render_prompt
from adjudge.records import (
    NOTHING,
    Case,
    Completion,
    Contract,
    Failed,
    Forced,
    Items,
    Json,
    Judge,
    Outcome,
    Request,
    Score,
    Scored,
    Verdict,
)
from adjudge.runs.ask import ASSUMED_LIMIT, Answer, ask
from adjudge.scoring import Invalid, Scorer, base_scorer, lowest, normalize, passes, scorer_for
from adjudge.text import as_text
from adjudge.verdicts import explanation, value_probability


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """How requests are made, the same for every case of a run."""

    bindings: Bindings
    temperature: float | None = 0.0
    """None: the provider's default."""
    context_tokens: int | None = None
    """How many tokens the model takes; None: not known, and the provider is left to say."""
    parameters: Mapping[str, Json] = field(default_factory=lambda: NOTHING)
    max_output_tokens: int | None = None
    """Sent where the judge sets none."""


class Ruling(NamedTuple):
    outcome: Outcome
    reason: str | None = None
    normalized: float | None = None
    passed: bool | None = None
    probability: float | None = None
    notes: tuple[str, ...] = ()


Procedure = Generator[Request, Completion, Ruling]


def judge_case(judge: Judge, case: Case, filled: Filled, asking: Asking, *, repeat: int = 0) -> Procedure:
    """Judge one case, its inputs filled; the judge must have a contract and a score rule."""
    assert judge.contract is not None
    if filled.missing:
        return _missing(judge, filled, case)
    if _is_blank_response(filled) and _has_rule_for_blank(judge):
        return _empty(judge)
    context = _Context(judge=judge, case=case, asking=asking, repeat=repeat, scorer=scorer_for(judge))
    try:
        if judge.items is None:
            ruling = yield from _judge_once(context, judge.contract, filled, items=None)
        else:
            ruling = yield from _judge_by_items(context, judge.contract, judge.items, filled)
    except DoesNotFitError as error:
        ruling = Ruling(outcome=Failed(kind="too_long", message=str(error)))
    return ruling._replace(notes=_distinct(ruling.notes, tuple(context.notes))) if context.notes else ruling


@dataclass(frozen=True, kw_only=True, slots=True)
class _Context:
    judge: Judge
    case: Case
    asking: Asking
    repeat: int
    scorer: Scorer
    notes: list[str] = field(default_factory=list)
    """What was done to make prompts fit."""

    def request(
        self,
        body: str,
        values: Mapping[str, Json],
        contract: Contract,
        *,
        fields: Mapping[str, Json],
        step: str,
        shared: bool = False,
    ) -> Request:
        judge = self.judge
        limit = judge.max_output_tokens or self.asking.max_output_tokens
        render = partial(
            render_prompt, body, judge.dialect, format_message=None if shared else judge.format_message
        )
        fitted = fit_prompt(
            render,
            values,
            context_tokens=self.asking.context_tokens,
            reply_tokens=limit or ASSUMED_LIMIT,
            cut=judge.truncate,
        )
        if fitted.note is not None:
            self.notes.append(fitted.note)
        return Request(
            prompt=fitted.prompt,
            schema=contract.schema if contract.sends_schema else None,
            case_id=self.case.case_id,
            judge=judge.name,
            step=step,
            repeat=0 if shared else self.repeat,
            shared=shared,
            temperature=judge.temperature if judge.temperature is not None else self.asking.temperature,
            max_output_tokens=limit,
            parameters=self.asking.parameters,
            fields=fields,
        )


def _judge_by_items(context: _Context, contract: Contract, items: Items, filled: Filled) -> Procedure:
    """Make the checklist, then match against it. With several references, the best-covered one counts."""
    reference = filled.fields.get("reference")
    names = [item.name for item in context.judge.inputs if item.source == "reference"]
    references = (
        [text for text in reference if not _is_blank(text)] if isinstance(reference, list) else [reference]
    )
    rulings: list[Ruling] = []
    for position, text in enumerate(references, start=1):
        suffix = f"_{position}" if len(references) > 1 else ""
        one = filled
        if reference is not None:
            one = filled._replace(
                values={**filled.values, **dict.fromkeys(names, text)},
                fields={**filled.fields, "reference": text},
            )
        seen = values_for(items.inputs, one.values)
        answer = yield from ask(
            context.request(
                items.body,
                seen,
                items.contract,
                fields={item.source: seen[item.name] for item in items.inputs if item.name in seen},
                step=f"items{suffix}",
                shared=True,
            ),
            items.contract,
            case_texts=[as_text(value) for value in seen.values()],
            check=partial(_check_items, context.scorer, one.fields),
        )
        if isinstance(answer, Failed):
            return Ruling(outcome=answer, notes=filled.notes)
        ruling = yield from _judge_once(context, contract, one, items=answer.value, suffix=suffix)
        ruling = ruling._replace(notes=_distinct(ruling.notes, answer.notes, answer.verdict.notes))
        if isinstance(ruling.outcome, Failed):
            # a reference that could not be matched might have been the best-covered one
            return ruling
        rulings.append(ruling)
    return max(rulings, key=_exact)


def _check_items(
    scorer: Scorer, fields: Mapping[str, Json], verdict: Verdict
) -> Mapping[str, Json] | Invalid:
    return scorer.check_items(verdict.parts, fields)


def _judge_once(
    context: _Context,
    contract: Contract,
    filled: Filled,
    *,
    items: Mapping[str, Json] | None,
    suffix: str = "",
) -> Procedure:
    judge, scorer = context.judge, context.scorer
    values, fields = filled.values, filled.fields
    if items is not None:
        asked = scorer.items_to_ask(items, fields)
        values, fields = {**values, "items": asked}, {**fields, "items": asked}
    notes = _distinct(filled.notes, boundary_notes(judge.body, judge.dialect, filled.values))
    answer: Answer[Score] | Failed = yield from ask(
        context.request(judge.body, values, contract, fields=fields, step=f"verdict{suffix}"),
        contract,
        case_texts=[as_text(value) for value in values.values()],
        check=lambda verdict: scorer.score(verdict, filled.fields, items),
    )
    if isinstance(answer, Failed):
        return Ruling(outcome=answer, notes=notes)
    score, measured = answer.value, answer.completion.measured
    if measured is not None and measured.exact is not None:
        score = replace(score, exact=measured.exact)
    verdict = answer.verdict if score.parts is None else replace(answer.verdict, parts=score.parts)
    return Ruling(
        outcome=Scored(verdict=verdict, score=score),
        reason=reason_in(verdict.parts, contract.needs) or _unstructured_reason(answer.completion, contract),
        normalized=normalize(judge.scale, judge.better, score.exact),
        passed=passes(judge, verdict.parts, score),
        probability=value_probability(answer.completion.logprobs, contract, answer.verdict)
        if measured is None
        else measured.probability,
        notes=_distinct(notes, answer.notes, verdict.notes, score.notes),
    )


def _missing(judge: Judge, filled: Filled, case: Case) -> Ruling:
    names = "; ".join(missing.message for missing in filled.missing)
    if judge.when_missing is None:
        message = f"{names}; {describe_columns(case, [missing.name for missing in filled.missing])}"
        return Ruling(
            outcome=Failed(kind="missing_input", message=message, error_kind=filled.missing[0].name)
        )
    return _forced(judge, judge.when_missing, f"Not asked: {names}.", ())


def _empty(judge: Judge) -> Ruling:
    notes = ("empty_response",)
    reason = "The response is empty."
    if judge.when_empty == "missing":
        return Ruling(
            outcome=Failed(kind="missing_input", message="`response` is blank", error_kind="response"),
            notes=notes,
        )
    if isinstance(judge.when_empty, int | float):
        return _forced(judge, judge.when_empty, reason, notes)
    assert judge.scale is not None
    return _given(judge, lowest(judge.scale, judge.better), reason, notes, forced=False)


def _forced(judge: Judge, value: float, reason: str, notes: tuple[str, ...]) -> Ruling:
    return _given(judge, value, reason, notes, forced=True)


def _given(judge: Judge, value: float, reason: str, notes: tuple[str, ...], *, forced: bool) -> Ruling:
    """A score that the rules give and no model was asked for."""
    parts = base_scorer(judge).parts_unasked(value)
    score = Score(value=value, exact=value)
    verdict = Verdict(parts=parts)
    return Ruling(
        outcome=Forced(score=score, reason=reason, verdict=verdict)
        if forced
        else Scored(score=score, verdict=verdict),
        reason=reason,
        normalized=normalize(judge.scale, judge.better, score.exact),
        passed=_passes_unasked(judge, parts, score),
        notes=notes,
    )


def _passes_unasked(judge: Judge, parts: Mapping[str, Json], score: Score) -> bool | None:
    """A pass rule over fields that nobody was asked for cannot be computed; the worst score does not pass."""
    passed = passes(judge, parts, score)
    if passed is None and judge.passes is not None and judge.scale is not None:
        return False if score.value == lowest(judge.scale, judge.better) else None
    return passed


REASON_FIELDS = (
    "reason",
    "score_reason",
    "reasoning",
    "explanation",
    "rationale",
    "justification",
    "evaluation",
    "feedback",
    "analysis",
    "detailed_analysis",
    "why",
)


def reason_in(parts: Mapping[str, Json], needs: Sequence[str] = ()) -> str | None:
    """The part of a verdict that says why, whatever the judge calls it; what the score needs may be a label of two words."""
    named = [name for name in REASON_FIELDS if name in parts]
    prose = [
        name for name, value in parts.items() if isinstance(value, str) and " " in value and name not in needs
    ]
    for name in (*named, *prose):
        match parts[name]:
            case str(text) if text.strip():
                return text
            case [*lines] if lines and all(isinstance(line, str) for line in lines):
                return "\n".join(str(line) for line in lines)
    return None


def _unstructured_reason(completion: Completion, contract: Contract) -> str | None:
    return None if completion.structured else explanation(completion.text, contract)


def _is_blank(value: Json) -> bool:
    return isinstance(value, str) and not value.strip()


def _is_blank_response(filled: Filled) -> bool:
    return "response" in filled.fields and _is_blank(filled.fields["response"])


def _has_rule_for_blank(judge: Judge) -> bool:
    """Without a scale there is no lowest score to give, so the model is asked."""
    return judge.scale is not None if judge.when_empty == "lowest" else judge.when_empty != "ask"


def _exact(ruling: Ruling) -> float:
    assert isinstance(ruling.outcome, Scored)
    return ruling.outcome.score.exact


def _distinct(*notes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for some in notes for note in some))
