"""Pass, fail or inconclusive: by a whole interval against what is allowed, so that a card is seldom wrong."""

from collections.abc import Iterable, Mapping
from typing import Literal

from adjudge.probes import names
from adjudge.stats.intervals import Estimate
from adjudge.stats.limits import Tails, exact_share, excess

ProbeRuling = Literal["pass", "fail", "inconclusive", "not applicable"]
RULINGS: tuple[ProbeRuling, ...] = ("fail", "inconclusive", "pass", "not applicable")
"""The worst first."""
ERROR_RATE = 0.05
"""Of a whole card: how often any of its rulings may be wrong."""
BY_CHANCE = frozenset(names.PROBES) - {names.MISSING, names.EMPTY}
"""Ruled on by an interval; for the others rules decide, and there is no chance in it."""
ALLOWED: Mapping[str, float] = {
    names.RETEST: 0.15,
    **dict.fromkeys(
        (names.ORDER, names.FLIP, names.SHUFFLE, names.OPENERS, names.RIGHT_ATTACKED, *names.CHANGES), 0.20
    ),
    **dict.fromkeys((names.INJECTION, names.WORST), 0.05),
}
"""The share of a probe's trials, of pairs of repeats or of verdicts that may go wrong, beyond what judging again does."""
LEAST_MARGIN, MOST_MARGIN = 0.10, 0.25
"""Of the scale. A judge that never wavers would leave no margin at all, one that always does any."""


def rule(found: Estimate, allowed: float) -> ProbeRuling:
    """By the whole interval: below what is allowed, above it, or neither."""
    if found.high <= allowed:
        return "pass"
    return "fail" if found.low > allowed else "inconclusive"


def movement(differences: Iterable[tuple[str, float]], tails: Tails) -> Estimate | None:
    """The mean of (answer, difference) pairs, from -1 to 1: what scores gained less what they lost.

    Each part has exact limits. Student's t has not: where few scores move, and far, it passes seven times too often.
    """
    pairs = list(differences)
    gained = exact_share(((answer, max(0.0, moved)) for answer, moved in pairs), tails)
    lost = exact_share(((answer, max(0.0, -moved)) for answer, moved in pairs), tails)
    return None if gained is None else excess(gained, lost)


def rule_movement(moved: Estimate, margin: float, *, only_up: bool) -> ProbeRuling:
    """By the whole interval: within the margin, beyond it, or neither."""
    if moved.high <= margin and (only_up or moved.low >= -margin):
        return "pass"
    return "fail" if moved.low > margin or (not only_up and moved.high < -margin) else "inconclusive"


def worst_ruling(rulings: Iterable[ProbeRuling]) -> ProbeRuling:
    return min(rulings, key=RULINGS.index, default="not applicable")
