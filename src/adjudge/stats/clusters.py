"""Means and rates over clusters: what one question, or one case's repeats, say counts as one piece of evidence."""

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from math import fsum, inf, isfinite, sqrt
from typing import NamedTuple

from adjudge.records import Scale
from adjudge.stats.intervals import CONFIDENCE, Estimate, logit_limits, skewed_degrees, wilson
from adjudge.stats.student import t_quantile

MIN_CLUSTERS = 10
"""Below, the variance between clusters is itself too uncertain; the interval is given, and marked."""
MANY_DEGREES = 1_000
"""Of freedom; from there on their number is not worth naming."""
_UPPER = 0.5 + CONFIDENCE / 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """The mean of clustered values with its CR2 variance and Satterthwaite degrees of freedom."""

    mean: float
    variance: float
    """Of the mean; 0 when no cluster differs from another."""
    df: float
    skewed_df: float
    """Fewer than `df` where the variance rests on a few clusters."""
    n: int
    clusters: int
    low: float
    high: float
    """The least and the greatest value seen."""

    @property
    def flat(self) -> bool:
        """Whether clusters differ by no more than rounding, so that their variance says nothing."""
        return self.variance <= (1e-9 * max(1.0, abs(self.low), abs(self.high))) ** 2


class ClusterKind(NamedTuple):
    """Clusters that have the same number of rows and the same sum."""

    rows: int
    total: float
    times: int = 1


class Clusters:
    """A streaming sample in groups: a count and a sum for each, whatever the number of rows.

    With several levels (questions, their cases, a case's repeats), the key is the outermost one: what is inside
    is then allowed for, whatever its correlation.
    """

    __slots__ = ("_counts", "_high", "_low", "_places", "_totals")

    def __init__(self, values: Iterable[tuple[Hashable, float]] = ()) -> None:
        self._places: dict[Hashable, int] = {}
        self._counts = array("q")
        self._totals = array("d")
        self._low, self._high = inf, -inf
        for cluster, value in values:
            self.add(cluster, value)

    def add(self, cluster: Hashable, value: float) -> None:
        self._add_at(self._places.setdefault(cluster, len(self._places)), value)

    def _add_at(self, place: int, value: float) -> None:
        if not isfinite(value):
            raise ValueError(f"{value} is not a score")
        missing = place + 1 - len(self._counts)
        if missing > 0:
            self._counts.frombytes(bytes(missing * self._counts.itemsize))
            self._totals.frombytes(bytes(missing * self._totals.itemsize))
        self._counts[place] += 1
        self._totals[place] += value
        self._low = min(self._low, value)
        self._high = max(self._high, value)

    def __len__(self) -> int:
        return sum(1 for _ in self._kinds())

    def sums(self) -> list[tuple[int, float]]:
        """Count and sum of each cluster, in the order in which they first appeared."""
        return [(count, total) for count, total, _ in self._kinds()]

    def spread(self) -> Spread | None:
        """None for no values."""
        return spread_of(self._kinds, low=self._low, high=self._high)

    def _kinds(self) -> Iterator[ClusterKind]:
        return (ClusterKind(*sums) for sums in zip(self._counts, self._totals, strict=True) if sums[0])


class NumberedClusters(Clusters):
    """Clusters known by small numbers: sixteen bytes for each, and no names."""

    __slots__ = ()

    def __init__(self, values: Iterable[tuple[int, float]] = ()) -> None:
        super().__init__()
        for number, value in values:
            self._add_at(number, value)


def spread_of(kinds: Callable[[], Iterable[ClusterKind]], *, low: float, high: float) -> Spread | None:
    """None for no clusters; `kinds` is asked for them again and again, and `low` and `high` are the ends of all values.

    In a model with nothing but an intercept, CR2 (Bell and McCaffrey 2002) divides each cluster's squared sum of
    residuals by 1 - m / n, and the degrees of freedom follow from the clusters' sizes alone.
    """
    sizes: Counter[int] = Counter()
    for kind in kinds():
        sizes[kind.rows] += kind.times
    n, clusters = sum(rows * times for rows, times in sizes.items()), sizes.total()
    if not clusters:
        return None
    mean = fsum(kind.times * kind.total for kind in kinds()) / n
    variance, df, skewed = 0.0, 0.0, 0.0
    if clusters > 1:
        variance = fsum(
            kind.times * (kind.total - kind.rows * mean) ** 2 / (1.0 - kind.rows / n) for kind in kinds()
        ) / (n * n)
        weights = {rows: rows * rows / (1.0 - rows / n) for rows in sizes}
        squares = fsum(times * rows * rows for rows, times in sizes.items())
        leverage = fsum(times * weights[rows] for rows, times in sizes.items())
        fourths = fsum(times * weights[rows] ** 2 for rows, times in sizes.items())
        df = n * n / (squares + (leverage * leverage - fourths) / (n * n))
        skewed = min(
            df, skewed_degrees(lambda: ((kind.times, kind.total - kind.rows * mean) for kind in kinds()))
        )
    return Spread(
        mean=mean, variance=variance, df=df, skewed_df=skewed, n=n, clusters=clusters, low=low, high=high
    )


def clustered_mean(
    values: Iterable[tuple[Hashable, float]] | Clusters, scale: Scale | None = None
) -> Estimate | None:
    """The mean of `(cluster, value)` pairs with its CR2 t interval, on the logit scale as in `intervals.mean_interval`;
    None for no values. On a scale of 0 to 1 it is `clustered_rate`.

    Clusters that do not differ are bounded by the scale, as equal values are in `intervals.mean_interval`.
    """
    sample = values if isinstance(values, Clusters) else Clusters(values)
    spread = sample.spread()
    if spread is None:
        return None
    floor = min(scale.low, spread.low) if scale else -inf
    ceiling = max(scale.high, spread.high) if scale else inf
    if (floor, ceiling) == (0.0, 1.0):
        return rate_of(spread)
    if spread.clusters == 1 or spread.flat:
        return flat_bound(spread, floor, ceiling)
    if scale is None:
        margin = t_quantile(_UPPER, spread.df) * sqrt(spread.variance)
        method = f"cluster-robust t (CR2{degrees(spread.df)})"
        return _estimate(spread, spread.mean - margin, spread.mean + margin, method)
    return _on_logit_scale(spread, floor, ceiling)


def degrees(df: float) -> str:
    """`, 28.4 degrees of freedom`; nothing where there are so many that t is the normal distribution to three digits."""
    if df > MANY_DEGREES:
        return ""
    return f", {df:.0f} degrees of freedom" if df >= 100 else f", {df:.3g} degrees of freedom"


def clustered_rate(passes: Iterable[tuple[Hashable, bool]] | Clusters) -> Estimate | None:
    """A share over clusters with its CR2 t interval on the logit scale; None of nothing.

    Wilson's interval at the effective n covers less where the share is far from a half and a few clusters make most
    of it: a low share then comes with a low variance, and only the logit scale allows for that.

    Shares of 0 and 1, and clusters that do not differ, show no variance: every cluster then counts as one row of
    Wilson's interval.
    """
    sample = (
        passes
        if isinstance(passes, Clusters)
        else Clusters((cluster, float(passed)) for cluster, passed in passes)
    )
    return rate_of(sample.spread())


def rate_of(spread: Spread | None) -> Estimate | None:
    """`clustered_rate` of clusters that were added up elsewhere."""
    if spread is None:
        return None
    if not 0.0 <= spread.low <= spread.high <= 1.0:
        raise ValueError("a share is of values from 0 to 1")
    share = spread.mean
    if spread.clusters == 1:
        return _estimate(spread, 0.0, 1.0, "the whole scale (one cluster)")
    if spread.flat or not 0.0 < share < 1.0:
        low, high = wilson(share, float(spread.clusters), critical=t_quantile(_UPPER, spread.clusters - 1))
        return _estimate(spread, low, high, "Wilson, each cluster counted as one (all clusters equal)")
    return _on_logit_scale(spread, 0.0, 1.0)


def _on_logit_scale(spread: Spread, floor: float, ceiling: float) -> Estimate:
    reach = ceiling - floor
    margin = t_quantile(_UPPER, spread.skewed_df) * sqrt(spread.variance) / reach
    low, high = logit_limits((spread.mean - floor) / reach, margin)
    method = f"cluster-robust t on the logit scale (CR2{degrees(spread.skewed_df)})"
    return _estimate(spread, floor + low * reach, floor + high * reach, method)


def flat_bound(spread: Spread, floor: float, ceiling: float) -> Estimate:
    """Where clusters do not differ: so few others can exist, and the scale bounds what those can do to the mean."""
    if floor == -inf or floor >= ceiling:
        return _estimate(spread, -inf, inf, "none (the clusters do not differ, and there is no scale)")
    if spread.clusters == 1:
        return _estimate(spread, floor, ceiling, "the whole scale (one cluster)")
    others = 1.0 - (1.0 - _UPPER) ** (1.0 / spread.clusters)
    return _estimate(
        spread,
        spread.mean - others * (spread.mean - floor),
        spread.mean + others * (ceiling - spread.mean),
        "scale bound (all clusters equal)",
    )


def warn_of_few(clusters: int) -> str | None:
    if clusters >= MIN_CLUSTERS:
        return None
    return f"{clusters} clusters: an interval over fewer than {MIN_CLUSTERS} is unreliable"


def _estimate(spread: Spread, low: float, high: float, method: str) -> Estimate:
    return Estimate(
        value=spread.mean,
        low=low,
        high=high,
        n=spread.n,
        method=method,
        clusters=spread.clusters,
        warning=warn_of_few(spread.clusters),
    )
