"""Pass, fail or inconclusive: by a whole interval against what is allowed, so that a card is seldom wrong."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import sqrt
from typing import Literal

from adjudge.probes import names
from adjudge.stats.clusters import Clusters
from adjudge.stats.intervals import Estimate
from adjudge.stats.limits import Tails, exact_share, excess
from adjudge.stats.student import t_quantile

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
MARGIN, TWO_SCORES_MARGIN = 0.05, 0.10
"""What a mean score may move, as a share of the scale, however much the judge wavers; the second of a judge that gives two
scores alone, whose score moves by whole verdicts or not at all."""
MIN_MOVED = 15
"""Answers whose score moved, for Student's t: fewer than that are a share, with exact limits."""
MIN_INFORMED = 0.40
"""How much more often a judge has to pass answers that are labelled right than those labelled wrong."""


def rule(found: Estimate, allowed: float) -> ProbeRuling:
    """By the whole interval: below what is allowed, above it, or neither."""
    if found.high <= allowed:
        return "pass"
    return "fail" if found.low > allowed else "inconclusive"


def movement(differences: Iterable[tuple[str, float]], tails: Tails, level: float = 1.0) -> Estimate | None:
    """The mean of (cluster, difference) pairs, from -1 to 1: what scores gained less what they lost.

    Student's t where many scores move. Where few do, and far, it passes seven times too often: what they gained and lost
    are then shares, with exact limits, of the farthest move seen, or of one `level` of the scale where none was.
    """
    pairs = list(differences)
    spread = Clusters(pairs).spread()
    if spread is None:
        return None
    if len({cluster for cluster, moved in pairs if abs(moved) > 1e-9}) >= MIN_MOVED and not spread.flat:
        error = sqrt(spread.variance)
        return Estimate(
            value=spread.mean,
            low=max(-1.0, spread.mean - t_quantile(1.0 - tails.low, spread.df) * error),
            high=min(1.0, spread.mean + t_quantile(1.0 - tails.high, spread.df) * error),
            n=spread.n,
            method="t over clusters",
            clusters=spread.clusters,
        )
    reach = max(level, *(abs(moved) for _, moved in pairs))
    gained = exact_share(((cluster, max(0.0, moved) / reach) for cluster, moved in pairs), tails)
    lost = exact_share(((cluster, max(0.0, -moved) / reach) for cluster, moved in pairs), tails)
    assert gained is not None
    found = excess(gained, lost)
    return replace(found, value=found.value * reach, low=found.low * reach, high=found.high * reach)


def rule_movement(moved: Estimate, margin: float, *, only_up: bool) -> ProbeRuling:
    """By the whole interval: within the margin, beyond it, or neither."""
    if moved.high <= margin and (only_up or moved.low >= -margin):
        return "pass"
    return "fail" if moved.low > margin or (not only_up and moved.high < -margin) else "inconclusive"


def rule_informed(found: Estimate) -> ProbeRuling:
    """By the whole interval: more often than is wanted at least, less often, or neither."""
    if found.low > MIN_INFORMED:
        return "pass"
    return "fail" if found.high < MIN_INFORMED else "inconclusive"


def worst_ruling(rulings: Iterable[ProbeRuling]) -> ProbeRuling:
    return min(rulings, key=RULINGS.index, default="not applicable")
