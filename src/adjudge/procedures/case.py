"""How one case is judged: by rule where something is missing or blank, else in the judge's own way."""

from collections.abc import Mapping
from fractions import Fraction

from adjudge.checks.finding import Finding
from adjudge.fields import NO_TURN
from adjudge.procedures.checklist import judge_by_items
from adjudge.procedures.groundedness import checks_claims, judge_by_claims
from adjudge.procedures.pair import judge_blank, judge_pair
from adjudge.procedures.procedure import (
    Context,
    Procedure,
    RequestSettings,
    Ruling,
    distinct,
    is_blank,
    scored,
)
from adjudge.procedures.rubric import judge_by_rubric
from adjudge.procedures.single import judge_once, judge_unscored
from adjudge.prompts.fill import Filled
from adjudge.prompts.fit import DoesNotFitError
from adjudge.prompts.lookup import describe_columns
from adjudge.records import (
    Case,
    CheckScore,
    Contract,
    Failed,
    Forced,
    Json,
    Judge,
    Score,
    Scored,
    Verdict,
    winner_of,
)
from adjudge.schemas import object_schema
from adjudge.scoring import Scorer, base_scorer, lowest, normalize, passes, scorer_for

WHOLE_REPLY = Contract(schema=object_schema({"reply": {"type": "string"}}), needs=("reply",), form="text")
"""What is read of a reply whose prompt says nothing of its form."""


def judge_case(
    judge: Judge, case: Case, filled: Filled, settings: RequestSettings, *, repeat: int = 0
) -> Procedure:
    """Judge one case, its inputs filled."""
    contract = judge.contract or WHOLE_REPLY
    if filled.missing:
        return _missing(judge, filled, case)
    if judge.pair is not None:
        blank = judge_blank(judge, judge.pair, filled)
        if blank is not None:
            return blank
    elif _is_blank_response(filled) and _has_rule_for_blank(judge):
        return _empty(judge)
    if isinstance(judge.score, CheckScore):
        return _check(judge, judge.score, filled.fields)
    scorer = Scorer() if judge.score is None else scorer_for(judge)
    context = Context(judge=judge, case=case, settings=settings, repeat=repeat, scorer=scorer)
    try:
        if judge.score is None:
            ruling = yield from judge_unscored(context, contract, filled)
        elif judge.pair is not None:
            ruling = yield from judge_pair(context, contract, judge.pair, filled)
        elif judge.rubric is not None:
            ruling = yield from judge_by_rubric(context, contract, judge.rubric, filled)
        elif judge.items is not None and checks_claims(judge):
            ruling = yield from judge_by_claims(context, contract, judge.items, filled)
        elif judge.items is None:
            ruling = yield from judge_once(context, contract, filled, items=None)
        else:
            ruling = yield from judge_by_items(context, contract, judge.items, filled)
    except DoesNotFitError as error:
        ruling = Ruling(outcome=Failed(kind="too_long", message=str(error)))
    return ruling._replace(notes=distinct(ruling.notes, tuple(context.notes))) if context.notes else ruling


def _check(judge: Judge, rule: CheckScore, fields: Mapping[str, Json]) -> Ruling:
    """No request is made: code looks at the case."""
    from adjudge.checks.registry import run_check  # noqa: PLC0415 - slow to load, and most runs have no check

    finding = run_check(rule, fields)
    if isinstance(finding, Failed):
        return Ruling(outcome=finding)
    value, parts = float(finding.score), finding.parts()
    ruling = scored(judge, Verdict(parts=parts), Score(value=value, exact=value, parts=parts))
    return ruling._replace(reason=finding.reason)


def _missing(judge: Judge, filled: Filled, case: Case) -> Ruling:
    names = "; ".join(missing.message for missing in filled.missing)
    if judge.when_missing is None or judge.score is None:
        silent = NO_TURN in filled.notes
        said = "the conversation has no turn of the assistant; " if silent else ""
        message = f"{names}; {said}{describe_columns(case, [missing.name for missing in filled.missing])}"
        return Ruling(
            outcome=Failed(kind="missing_input", message=message, error_kind=filled.missing[0].name),
            notes=(NO_TURN,) if silent else (),
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
    return _unasked_ruling(judge, lowest(judge.scale, judge.better), reason, notes, forced=False)


def _forced(judge: Judge, value: float, reason: str, notes: tuple[str, ...]) -> Ruling:
    return _unasked_ruling(judge, value, reason, notes, forced=True)


def _unasked_ruling(
    judge: Judge, value: float, reason: str, notes: tuple[str, ...], *, forced: bool
) -> Ruling:
    """A score that the rules give and no model was asked for."""
    if judge.pair is not None and judge.scale is not None:
        parts: Mapping[str, Json] = {"winner": winner_of(value, judge.scale)}
    elif isinstance(judge.score, CheckScore):
        parts = Finding(Fraction(value), "The response is empty.").parts()
    else:
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


def _is_blank_response(filled: Filled) -> bool:
    return "response" in filled.fields and is_blank(filled.fields["response"])


def _has_rule_for_blank(judge: Judge) -> bool:
    """Without a score or a scale there is no lowest score to give, so the model is asked."""
    if judge.score is None:
        return judge.when_empty == "missing"
    return judge.scale is not None if judge.when_empty == "lowest" else judge.when_empty != "ask"
