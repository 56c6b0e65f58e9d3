"""What a probe found: a verdict on the judge, the figure behind it, and the words for both."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from adjudge.stats.clusters import clustered_rate
from adjudge.stats.intervals import Estimate, rate_interval
from adjudge.stats.moments import Moments
from adjudge.stats.student import t_quantile

Ruling = Literal["pass", "fail", "inconclusive", "not applicable"]
EQUIVALENCE = 0.95
"""Two one-sided tests at 5 %: the 90 % interval has to lie within the margin."""
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


def share(wrong: Iterable[tuple[str, bool]]) -> Estimate | None:
    """Of (answer, went wrong) pairs: Wilson's interval, at the effective n where answers differ in how they do.

    Where all went one way nothing tells how alike the trials of one answer are, and each counts as one.
    """
    pairs = list(wrong)
    if not pairs:
        return None
    bad = sum(one for _, one in pairs)
    answers = {answer for answer, _ in pairs}
    if len(answers) < len(pairs) and 0 < bad < len(pairs) and len(answers) > 1:
        return clustered_rate(pairs)
    return rate_interval(bad, len(pairs))


def rule(found: Estimate, allowed: float, *, noise: float = 0.0) -> Ruling:
    """Pass when the interval stays below what is allowed; fail when the share is above it and above noise for sure."""
    if found.high <= allowed:
        return "pass"
    return "fail" if found.value > allowed and found.low > noise else "inconclusive"


def movement(differences: Iterable[float]) -> Estimate | None:
    """The mean difference with the 90 % interval of an equivalence test; equal ones are bounded as means are."""
    sample = Moments(differences)
    n = sample.count
    if not n:
        return None
    mean = sample.mean
    if n == 1:
        return Estimate(value=mean, low=-1.0, high=1.0, n=1, method="the whole scale (one case)")
    if sample.constant:
        others = 1.0 - (1.0 - EQUIVALENCE) ** (1.0 / n)
        return Estimate(
            value=mean,
            low=mean - others * (mean + 1.0),
            high=mean + others * (1.0 - mean),
            n=n,
            method="90 %, scale bound (all equal)",
        )
    margin = t_quantile(EQUIVALENCE, n - 1) * sqrt(sample.variance / n)
    return Estimate(
        value=mean, low=max(-1.0, mean - margin), high=min(1.0, mean + margin), n=n, method="90 %, t"
    )


def rule_movement(moved: Estimate, margin: float, *, only_up: bool) -> Ruling:
    """Within the margin for sure, beyond it by more than chance, or neither."""
    if moved.high <= margin and (only_up or moved.low >= -margin):
        return "pass"
    if moved.value > margin and moved.low > 0.0:
        return "fail"
    return "fail" if not only_up and moved.value < -margin and moved.high < 0.0 else "inconclusive"


def worst(rulings: Iterable[Ruling]) -> Ruling:
    found = set(rulings)
    order: tuple[Ruling, ...] = ("fail", "inconclusive", "pass")
    return next((each for each in order if each in found), "not applicable")


def points(value: float) -> str:
    """`+0.03` of the scale."""
    return f"{value:+.2f}".replace("-0.00", "+0.00")


def percent(value: float) -> str:
    return f"{value:.0%}" if value in {0.0, 1.0} else f"{value:.1%}"


def shown_rate(found: Estimate) -> str:
    return f"{percent(found.value)} [{percent(found.low)}, {percent(found.high)}]"
