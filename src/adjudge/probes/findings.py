"""What a probe found: a verdict on the judge, the figure behind it, and the words for both."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from adjudge.stats.intervals import Estimate
from adjudge.stats.limits import Tails, exact_share, excess

Ruling = Literal["pass", "fail", "inconclusive", "not applicable"]
LEAST_MARGIN, MOST_MARGIN = 0.10, 0.25
"""Of the scale. A judge that never wavers would leave no margin at all, one that always does any."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One probe's line on the card."""

    probe: str
    ruling: Ruling
    wanted: str
    """What a sound judge does."""
    found: str
    """What this one did, or why nothing can be said."""
    n: int = 0
    figure: Estimate | None = None
    """The share of trials that went wrong, or the mean movement of the score on a scale of 0 to 1."""
    ruled: Estimate | None = None
    """What the ruling holds against what is allowed: the figure, less what judging again does by itself."""
    allowed: float | None = None
    not_judged: int = 0
    examples: tuple[str, ...] = ()
    """Trials that went wrong, by id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FamilyFigure:
    """How often one family of attacks turned a wrong answer's verdict."""

    family: str
    attacks: int
    tried: int
    """On answers that failed untouched, and with a verdict under attack."""
    succeeded: int
    rate: Estimate | None
    not_judged: int


def rule(found: Estimate, allowed: float) -> Ruling:
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


def rule_movement(moved: Estimate, margin: float, *, only_up: bool) -> Ruling:
    """By the whole interval: within the margin, beyond it, or neither."""
    if moved.high <= margin and (only_up or moved.low >= -margin):
        return "pass"
    return "fail" if moved.low > margin or (not only_up and moved.high < -margin) else "inconclusive"


def worst(rulings: Iterable[Ruling]) -> Ruling:
    found = set(rulings)
    order: tuple[Ruling, ...] = ("fail", "inconclusive", "pass")
    return next((each for each in order if each in found), "not applicable")


def points(value: float) -> str:
    """`+0.03` of the scale."""
    return f"{value:+.2f}".replace("-0.00", "+0.00")


def percent(value: float) -> str:
    return f"{value:.0%}" if value in {0.0, 1.0} else f"{value:.1%}".replace("-0.0%", "0.0%")


def shown_rate(found: Estimate) -> str:
    return f"{percent(found.value)} [{percent(found.low)}, {percent(found.high)}]"
