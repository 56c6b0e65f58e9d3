"""Two answers compared in both orders: a taste for the first one then shows as an inconsistency and not as a win."""

from collections.abc import Mapping

from msgspec.structs import replace

from adjudge.procedures.procedure import Context, Procedure, Ruling, distinct, is_blank
from adjudge.procedures.single import judge_once
from adjudge.prompts.fill import Filled
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
)
from adjudge.scoring import normalize, passes
from adjudge.text import as_text

INCONSISTENT = "inconsistent"
ANSWERS = ("response_a", "response_b")
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
        score = Score(value=judge.when_empty, exact=judge.when_empty)
        verdict = Verdict(parts={"winner": winner_of(judge.when_empty)})
        ruling = _ruling(judge, verdict.parts, winner_of(judge.when_empty))
        outcome = Forced(score=score, reason=reason, verdict=verdict)
        normalized = normalize(judge.scale, "higher", score.exact)
        return ruling._replace(outcome=outcome, reason=reason, normalized=normalized, notes=notes)
    winner: Winner = "tie" if all(blank) else "b" if blank[0] else "a"
    return _ruling(judge, {"winner": winner}, winner)._replace(reason=reason, notes=notes)


def winner_of(score: float) -> Winner:
    """Who a score of a pair is for."""
    return "a" if score > 0.5 else "b" if score < 0.5 else "tie"


def exchange(filled: Filled, pair: Pair) -> Filled:
    """The same inputs with the answers, and what else comes in two, the other way round."""
    other = {one: two for swap in pair.swaps for one, two in (swap, swap[::-1])}
    sources = dict(zip(ANSWERS, ANSWERS[::-1], strict=True))
    return filled._replace(values=_renamed(filled.values, other), fields=_renamed(filled.fields, sources))


def _renamed(values: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    """In the same order, so that the prompt is the one of a case with the answers exchanged."""
    found = {names.get(name, name): value for name, value in values.items()}
    return {name: found[name] for name in dict.fromkeys((*values, *found)) if name in found}


def order_winner(score: float, pair: Pair) -> Winner:
    """Which answer a reply prefers, A being the one that the prompt shows as A."""
    middle = (pair.scale.low + pair.scale.high) / 2
    if score == middle:
        return "tie"
    return "a" if (score > middle) is (pair.better == "higher") else "b"


def _ruling(judge: Judge, parts: Mapping[str, Json], winner: Winner) -> Ruling:
    value = WINNER_SCORES[winner]
    score = Score(value=value, exact=value)
    return Ruling(
        outcome=Scored(verdict=Verdict(parts=parts), score=score),
        normalized=normalize(judge.scale, "higher", value),
        passed=passes(judge, parts, score),
    )


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
