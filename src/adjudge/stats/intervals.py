"""How sure: 95 % intervals for means and rates, none of them of zero width."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, sqrt

from adjudge.records import Scale
from adjudge.stats.moments import Moments
from adjudge.stats.student import t_quantile

CONFIDENCE = 0.95
_UPPER = 0.5 + CONFIDENCE / 2.0
_Z = 1.959963984540054


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A figure with its 95 % interval and the number of values behind it."""

    value: float
    low: float
    """Minus infinity, as `high` plus infinity, when nothing bounds the figure: one value, and no scale."""
    high: float
    n: int
    method: str
    """How the interval was made, for people: `t`, `Wilson`, `scale bound (all values equal)` …"""
    clusters: int | None = None
    """Of how many independent groups the values are; None when every value is its own."""
    warning: str | None = None
    """Why the interval may cover less than it says; None when nothing speaks against it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Undefined:
    """A figure that the data do not have, and why; it takes the place of NaN."""

    why: str


def mean_interval(
    values: Iterable[float] | Moments, scale: Scale | None = None, *, cases: int | None = None
) -> Estimate | None:
    """The mean with Student's t interval, kept within the scale; None for no values.

    `cases` says how many different cases the values are from when some are repeats of one case. Repeats are no new
    evidence about other cases, so the interval is then as wide as if each repeat told what the first had told.

    Equal values say nothing about spread, so t would give an interval of zero width. They do say that other values are
    rare: with all n equal, the share of other values is below 1 - 0.025 ** (1 / n) (Clopper-Pearson, near 3.7 / n), and
    the scale bounds what that share can do to the mean. One value alone gives the whole scale.
    """
    sample = values if isinstance(values, Moments) else Moments(values)
    n = sample.count
    if not n:
        return None
    evidence = _evidence(n, cases)
    mean = sample.mean
    # A rule whose points leave the scale it declares must not get an interval that leaves out its own values.
    floor = min(scale.low, sample.low) if scale else -inf
    ceiling = max(scale.high, sample.high) if scale else inf
    if evidence == 1 or sample.constant:
        return _bounded(mean, floor, ceiling, n=n, evidence=evidence)
    variance = sample.variance
    if evidence < n:  # had every repeat been equal, this is the variance of the cases
        variance *= (n - 1) / n * evidence / (evidence - 1)
    margin = t_quantile(_UPPER, evidence - 1) * sqrt(variance / evidence)
    return Estimate(
        value=mean,
        low=max(mean - margin, floor),
        high=min(mean + margin, ceiling),
        n=n,
        method=_with_repeats("t", n, evidence),
    )


def rate_interval(passed: int, n: int, *, cases: int | None = None) -> Estimate | None:
    """A share with Wilson's score interval; None for a share of nothing. `cases` as in `mean_interval`."""
    if not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} is not a share")
    if not n:
        return None
    evidence = _evidence(n, cases)
    share = passed / n
    low, high = wilson(share, evidence)
    return Estimate(
        value=share,
        low=low,
        high=high,
        n=n,
        method=_with_repeats("Wilson", n, evidence),
    )


def wilson(share: float, n: float, *, critical: float = _Z) -> tuple[float, float]:
    """Wilson's score limits of a share of n, which need not be whole; `critical` is z, or a t for fewer."""
    squared = critical * critical
    centre = (share + squared / (2.0 * n)) / (1.0 + squared / n)
    margin = critical * sqrt(share * (1.0 - share) / n + squared / (4.0 * n * n)) / (1.0 + squared / n)
    return (
        0.0 if share == 0.0 else max(0.0, centre - margin),
        1.0 if share == 1.0 else min(1.0, centre + margin),
    )


def _bounded(mean: float, floor: float, ceiling: float, *, n: int, evidence: int) -> Estimate:
    if floor == -inf or floor >= ceiling:
        low, high, method = -inf, inf, "none (the values do not differ, and there is no scale)"
    elif evidence == 1:
        low, high, method = floor, ceiling, "the whole scale (one case)"
    else:
        others = 1.0 - (1.0 - _UPPER) ** (1.0 / evidence)
        low, high = mean - others * (mean - floor), mean + others * (ceiling - mean)
        method = "scale bound (all values equal)"
    return Estimate(value=mean, low=low, high=high, n=n, method=_with_repeats(method, n, evidence))


def _evidence(n: int, cases: int | None) -> int:
    if cases is None:
        return n
    if not 1 <= cases <= n:
        raise ValueError(f"{n} values cannot be from {cases} cases")
    return cases


def _with_repeats(method: str, n: int, evidence: int) -> str:
    return method if evidence == n else f"{method}, repeats of a case counted as one"
