"""One question, one verdict: the response is judged by a single prompt."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from adjudge.procedures.ask import Answer, ask
from adjudge.procedures.procedure import Context, Procedure, Ruling, distinct
from adjudge.prompts.fill import Filled, boundary_notes
from adjudge.records import Completion, Contract, Failed, Json, Score, Scored
from adjudge.scoring import normalize, passes
from adjudge.text import as_text
from adjudge.verdicts import explanation, value_probability


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
        values, fields = {**values, "items": asked}, {**fields, "items": asked}
    notes = distinct(filled.notes, boundary_notes(judge.messages, filled.values))
    answer: Answer[Score] | Failed = yield from ask(
        context.request(judge.messages, values, contract, fields=fields, step=f"verdict{suffix}"),
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
        notes=distinct(notes, answer.notes, verdict.notes, score.notes),
    )


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
