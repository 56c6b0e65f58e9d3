"""Exact limits of a share at any level, over clusters, and of what one share exceeds another by."""

from collections.abc import Hashable, Iterable
from math import ceil, floor, log, log1p, sqrt
from typing import NamedTuple

from adjudge.stats.clusters import Clusters, Spread
from adjudge.stats.intervals import Estimate
from adjudge.stats.student import incomplete_beta, t_quantile

MIN_EVENTS = 10
"""Values that are not as most, for a design effect that the values themselves show."""
ASSUMED_ALIKE = 1.0 / 3.0
"""The least intraclass correlation that is allowed for where there are fewer."""


class Tails(NamedTuple):
    """How often each limit may be on the wrong side of the truth."""

    low: float
    high: float

    @classmethod
    def both(cls, tail: float) -> "Tails":
        return cls(tail, tail)


def exact_share(values: Iterable[tuple[Hashable, float]], tails: Tails) -> Estimate | None:
    """The mean of `(cluster, value)` pairs, values from 0 to 1, with Clopper and Pearson's limits; None for no values.

    Several values of a cluster count by the effective n (Korn and Graubard 1998). Where all values are equal nothing
    tells how alike the values of a cluster are, and each cluster counts once. Values between 0 and 1 are taken for
    shares of as many trials: no other values with that mean spread more.
    """
    spread = Clusters(values).spread()
    if spread is None:
        return None
    low, high = share_limits(spread.mean, _effective(spread, min(tails)), tails)
    if spread.clusters == 1:
        low, high = 0.0, 1.0
    return Estimate(
        value=spread.mean,
        low=low,
        high=high,
        n=spread.n,
        method="Clopper-Pearson"
        if spread.clusters == spread.n
        else "Clopper-Pearson at the effective n over clusters",
        clusters=spread.clusters,
    )


def effective_n(values: Iterable[tuple[Hashable, float]], tail: float) -> float:
    """How many independent values would say as much as these of clusters; 0 of none."""
    spread = Clusters(values).spread()
    return 0.0 if spread is None else _effective(spread, tail)


def _effective(spread: Spread, tail: float) -> float:
    """How many independent values would say as much."""
    if spread.clusters in {1, spread.n}:
        return float(spread.clusters)
    independent = spread.mean * (1.0 - spread.mean) / (spread.n - 1)
    if spread.low == spread.high or independent <= 0.0:
        return float(spread.clusters)
    # few clusters leave the design effect itself uncertain; the ratio of quantiles allows for it
    caution = t_quantile(1.0 - tail, spread.n - 1) / t_quantile(1.0 - tail, spread.df)
    effective = spread.n * independent / max(spread.variance, independent) * caution**2
    if min(spread.mean, 1.0 - spread.mean) * spread.n < MIN_EVENTS:
        # so few cannot show how alike the values of a cluster are
        effective = min(effective, spread.n / (1.0 + ASSUMED_ALIKE * (spread.n / spread.clusters - 1.0)))
    return max(1.0, min(effective, float(spread.n)))


def share_limits(share: float, n: float, tails: Tails) -> tuple[float, float]:
    """Clopper and Pearson's, of a share of n, which need not be whole."""
    count = share * n
    low = 0.0 if count <= 0.0 else beta_quantile(tails.low, count, n - count + 1.0)
    high = 1.0 if share >= 1.0 else beta_quantile(1.0 - tails.high, count + 1.0, n - count)
    return low, high


def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with probability `p` below it, by halving."""
    low, high = 0.0, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2.0
        if incomplete_beta(a, b, middle) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def excess(one: Estimate, other: Estimate | None) -> Estimate:
    """By how much one exceeds the other: Zou and Donner's interval (2008), made of the limits of each."""
    if other is None:
        return one
    value = one.value - other.value
    return Estimate(
        value=value,
        low=value - sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2),
        high=value + sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2),
        n=one.n,
        method=f"difference of shares, {one.method}",
        clusters=one.clusters,
    )


def fewest_below(allowed: float, tail: float) -> int:
    """How many independent trials, none of which goes wrong, put the upper limit at or below what is allowed."""
    return ceil(log(tail) / log1p(-allowed) - 1e-9)


def fewest_above(allowed: float, tail: float, *, exceeding: bool = False) -> int:
    """How many, all of which go wrong, put the lower limit above it.

    `exceeding`: above what as many others do, none of which goes wrong (see `excess`).
    """
    limit = 1.0 - (1.0 - allowed) / sqrt(2.0) if exceeding else allowed
    return floor(log(tail) / log(limit) + 1e-9) + 1
