"""Two answers compared in both orders: a taste for the first one then shows as an inconsistency and not as a win."""

from collections.abc import Mapping

from msgspec.structs import replace

from adjudge.fields import ANSWERS
from adjudge.procedures.procedure import Context, Procedure, Ruling, distinct, is_blank, scored
from adjudge.procedures.single import judge_once
from adjudge.prompts.fill import Filled, exchange
from adjudge.records import (
    WINNER_SCORES,
    Contract,
    Failed,
    Forced,
    Json,
    Judge,
    Pair,
    Score,
    Scored,
    Verdict,
    Winner,
    winner_of,
)
from adjudge.scoring import normalize
from adjudge.text import as_text

INCONSISTENT = "inconsistent"
OTHER: Mapping[Winner, Winner] = {"a": "b", "b": "a", "tie": "tie"}


def judge_pair(context: Context, contract: Contract, pair: Pair, filled: Filled) -> Procedure:
    """Ask with A first, then with B first. Without a verdict in one of them the case has none."""
    given = yield from judge_once(context, contract, filled, items=None)
    if isinstance(given.outcome, Failed):
        return _in_order(given, given.outcome, "in the order given")
    exchanged = exchange(filled, pair)
    swapped = yield from judge_once(context, contract, exchanged, items=None, suffix="_swapped")
    if isinstance(swapped.outcome, Failed):
        notes = distinct(given.notes, swapped.notes)
        return _in_order(swapped, swapped.outcome, "with the answers exchanged")._replace(notes=notes)
    assert isinstance(given.outcome, Scored)
    assert isinstance(swapped.outcome, Scored)
    a_first = order_winner(given.outcome.score.exact, pair)
    b_first = OTHER[order_winner(swapped.outcome.score.exact, pair)]
    consistent = a_first == b_first
    parts: dict[str, Json] = {
        "winner": a_first if consistent else "tie",
        "a_first": a_first,
        "b_first": b_first,
        "longer": _longer(filled, pair),
        "verdict": dict(given.outcome.verdict.parts),
        "verdict_swapped": dict(swapped.outcome.verdict.parts),
    }
    known = [each.probability for each in (given, swapped) if each.probability is not None]
    ruling = _ruling(context.judge, parts, a_first if consistent else "tie")
    return ruling._replace(
        reason=given.reason if consistent else _both_reasons(given, swapped),
        probability=min(known) if consistent and len(known) == 2 else None,
        notes=distinct(given.notes, swapped.notes, () if consistent else (INCONSISTENT,)),
    )


def judge_blank(judge: Judge, pair: Pair, filled: Filled) -> Ruling | None:
    """What the rules give where an answer is blank, which loses to any other; None: the model is to be asked."""
    blank = [is_blank(filled.values.get(name)) for name in pair.answers]
    if not any(blank) or judge.when_empty == "ask":
        return None
    names = [name for name, empty in zip(ANSWERS, blank, strict=True) if empty]
    reason = "Both answers are empty." if all(blank) else f"`{names[0]}` is empty."
    notes = ("empty_response",)
    if judge.when_empty == "missing":
        message = f"{' and '.join(f'`{name}`' for name in names)} is blank"
        failed = Failed(kind="missing_input", message=message, error_kind=names[0])
        return Ruling(outcome=failed, notes=notes)
    if isinstance(judge.when_empty, int | float):
        assert judge.scale is not None
        score = Score(value=judge.when_empty, exact=judge.when_empty)
        given = winner_of(judge.when_empty, judge.scale)
        verdict = Verdict(parts={"winner": given})
        ruling = _ruling(judge, verdict.parts, given)
        outcome = Forced(score=score, reason=reason, verdict=verdict)
        normalized = normalize(judge.scale, "higher", score.exact)
        return ruling._replace(outcome=outcome, reason=reason, normalized=normalized, notes=notes)
    winner: Winner = "tie" if all(blank) else "b" if blank[0] else "a"
    return _ruling(judge, {"winner": winner}, winner)._replace(reason=reason, notes=notes)


def order_winner(score: float, pair: Pair) -> Winner:
    """Which answer a reply prefers, A being the one that the prompt shows as A."""
    return winner_of(score, pair.scale, pair.better)


def _ruling(judge: Judge, parts: Mapping[str, Json], winner: Winner) -> Ruling:
    value = WINNER_SCORES[winner]
    return scored(judge, Verdict(parts=parts), Score(value=value, exact=value))


def _longer(filled: Filled, pair: Pair) -> Winner:
    a, b = (len(as_text(filled.values.get(name))) for name in pair.answers)
    return "tie" if a == b else "a" if a > b else "b"


def _both_reasons(given: Ruling, swapped: Ruling) -> str:
    said = (("A first", given.reason), ("B first, called A there", swapped.reason))
    return (
        "\n\n".join(f"{order}: {reason}" for order, reason in said if reason)
        or "The verdict changed with the order."
    )


def _in_order(ruling: Ruling, failed: Failed, order: str) -> Ruling:
    return ruling._replace(outcome=replace(failed, message=f"{order}: {failed.message}"))
