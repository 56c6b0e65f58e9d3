"""One question, one verdict: the response is judged by a single prompt."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from msgspec.structs import replace

from adjudge.procedures.ask import ask
from adjudge.procedures.procedure import Context, Procedure, Ruling, distinct, scored
from adjudge.prompts.fill import Filled, boundary_notes
from adjudge.records import (
    Completion,
    Contract,
    Failed,
    Json,
    Judge,
    Judged,
    Score,
    ScoreDistribution,
    Verdict,
)
from adjudge.schemas import spell_option
from adjudge.scoring import Invalid
from adjudge.text import shorten
from adjudge.verdicts import explanation, spelled_values, value_shares, value_tokens
from adjudge.verdicts.probability import ValueTokens

MIN_KNOWN = 0.5
"""Of the probability, that scores must have for an expected score to be made of it."""


def judge_once(
    context: Context,
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
        name = "items" if judge.rubric is None else "criteria"
        values, fields = {**values, name: asked}, {**fields, name: asked}
    notes = distinct(filled.notes, boundary_notes(judge.messages, filled.values))

    def check(verdict: Verdict) -> Decision | Invalid:
        label = abstention(judge, verdict)
        score = None if label is not None else scorer.score(verdict, filled.fields, items)
        return score if isinstance(score, Invalid) else Decision(score, label or "")

    answer = yield from ask(
        context.request(
            judge.messages,
            values,
            contract,
            fields=fields,
            step=f"verdict{suffix}",
            values_of_score=() if judge.pair else spelled_values(contract),
        ),
        contract,
        case_texts=tuple(values.values()),
        check=check,
    )
    if isinstance(answer, Failed):
        return Ruling(outcome=answer, notes=notes)
    score, measured = answer.value.score, answer.completion.measured
    if score is None:
        reason = reason_in(answer.verdict.parts, contract.needs)
        reason = reason or _unstructured_reason(answer.completion, contract)
        return Ruling(
            outcome=_abstained(answer.value.abstained, reason, answer.verdict),
            reason=reason,
            notes=distinct(notes, answer.notes, answer.verdict.notes),
        )
    if measured is not None and measured.exact is not None:
        score = replace(score, exact=measured.exact)
    verdict = complete(answer.verdict, score)
    found = value_tokens(answer.completion.logprobs, contract, answer.verdict) if measured is None else None
    probability = None if found is None else found.probability
    return scored(judge, verdict, score)._replace(
        reason=reason_in(verdict.parts, contract.needs) or _unstructured_reason(answer.completion, contract),
        probability=probability if measured is None else measured.probability,
        distribution=None
        if found is None or judge.pair
        else _distribution(answer.verdict, found, contract, check),
        notes=distinct(notes, answer.notes, verdict.notes, score.notes),
    )


def judge_unscored(context: Context, contract: Contract, filled: Filled) -> Procedure:
    """A verdict of which no score is made: it is kept as it is."""
    judge = context.judge

    def check(verdict: Verdict) -> str | Invalid:
        return abstention(judge, verdict) or ""

    answer = yield from ask(
        context.request(judge.messages, filled.values, contract, fields=filled.fields, step="verdict"),
        contract,
        case_texts=tuple(filled.values.values()),
        check=check,
    )
    notes = distinct(filled.notes, boundary_notes(judge.messages, filled.values))
    if isinstance(answer, Failed):
        return Ruling(outcome=answer, notes=notes)
    reason = reason_in(answer.verdict.parts, contract.needs)
    reason = reason or _unstructured_reason(answer.completion, contract)
    outcome: Judged | Failed = Judged(verdict=answer.verdict)
    if answer.value:
        outcome = _abstained(answer.value, reason, answer.verdict)
    return Ruling(outcome=outcome, reason=reason, notes=distinct(notes, answer.notes, answer.verdict.notes))


def _abstained(label: str, reason: str | None, verdict: Verdict) -> Failed:
    return Failed(
        kind="abstained",
        message=f"the judge answered `{label}`{f': {shorten(reason, 400)}' if reason else ''}",
        error_kind=label,
        verdict=verdict,
    )


def _distribution(
    said: Verdict, found: ValueTokens, contract: Contract, check: Callable[[Verdict], "Decision | Invalid"]
) -> ScoreDistribution | None:
    """The score that each likely value would have given; None where most of the probability is of no score."""
    shares: dict[float, float] = {}
    for value, probability in value_shares(found, contract):
        decision = check(replace(said, parts={**said.parts, found.name: value}))
        if not isinstance(decision, Invalid) and decision.score is not None:
            exact = decision.score.exact
            shares[exact] = shares.get(exact, 0.0) + probability
    total = fsum(shares.values())
    if total < MIN_KNOWN:
        return None
    return ScoreDistribution(
        shares=tuple((score, share / total) for score, share in sorted(shares.items()) if share),
        off_scale=max(0.0, 1.0 - total),
    )


def rule_on(judge: Judge, contract: Contract, said: Verdict, score: Score) -> Ruling:
    """What a score means on the judge's scale, with the verdict as code completed it."""
    verdict = complete(said, score)
    return scored(judge, verdict, score)._replace(
        reason=reason_in(verdict.parts, contract.needs), notes=distinct(verdict.notes, score.notes)
    )


def complete(said: Verdict, score: Score) -> Verdict:
    """The verdict with what code put in or corrected while it scored."""
    return said if score.parts is None else replace(said, parts=score.parts)


class Decision(NamedTuple):
    """What was made of a verdict: a score, or none and the label by which the judge abstained."""

    score: Score | None
    abstained: str = ""


def abstention(judge: Judge, verdict: Verdict) -> str | None:
    """The label of the verdict that the judge file lists under `abstain:`, if it has one."""
    if not judge.abstain or judge.contract is None:
        return None
    labels = (spell_option(verdict.parts[name]) for name in judge.contract.needs if name in verdict.parts)
    return next((label for label in labels if label in judge.abstain), None)


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
    for name in REASON_FIELDS:
        value = parts.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
            return "\n".join(str(line) for line in value)
    for name, value in parts.items():
        if isinstance(value, str) and " " in value and value.strip() and name not in needs:
            return value
    return None


def _unstructured_reason(completion: Completion, contract: Contract) -> str | None:
    return None if completion.structured else explanation(completion.text, contract)
