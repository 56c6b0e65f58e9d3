"""Means and rates over clusters: what one question, or one case's repeats, say counts as one piece of evidence."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import exp, inf, isfinite, log, sqrt

from adjudge.records import Scale
from adjudge.stats.intervals import CONFIDENCE, Estimate, wilson
from adjudge.stats.student import t_quantile

FEWEST_CLUSTERS = 10
"""Below, the variance between clusters is itself too uncertain; the interval is given, and marked."""
_UPPER = 0.5 + CONFIDENCE / 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """The mean of clustered values with its CR2 variance and Satterthwaite degrees of freedom."""

    mean: float
    variance: float
    """Of the mean; 0 when no cluster differs from another."""
    df: float
    n: int
    clusters: int
    low: float
    high: float
    """The least and the greatest value seen."""

    @property
    def flat(self) -> bool:
        """Whether clusters differ by no more than rounding, so that their variance says nothing."""
        return self.variance <= (1e-9 * max(1.0, abs(self.low), abs(self.high))) ** 2


class Clusters:
    """A streaming sample in groups: a count and a sum for each, whatever the number of rows.

    With several levels (questions, their cases, a case's repeats), the key is the outermost one: what is inside
    is then allowed for, whatever its correlation.
    """

    __slots__ = ("_high", "_low", "_sums")

    def __init__(self, values: Iterable[tuple[Hashable, float]] = ()) -> None:
        self._sums: dict[Hashable, tuple[int, float]] = {}
        self._low, self._high = inf, -inf
        for cluster, value in values:
            self.add(cluster, value)

    def add(self, cluster: Hashable, value: float) -> None:
        if not isfinite(value):
            raise ValueError(f"{value} is not a score")
        count, total = self._sums.get(cluster, (0, 0.0))
        self._sums[cluster] = (count + 1, total + value)
        self._low = min(self._low, value)
        self._high = max(self._high, value)

    def __len__(self) -> int:
        return len(self._sums)

    def sums(self) -> list[tuple[int, float]]:
        """Count and sum of each cluster, in the order in which they first appeared."""
        return list(self._sums.values())

    def spread(self) -> Spread | None:
        """None for no values.

        In a model with nothing but an intercept, CR2 (Bell and McCaffrey 2002) divides each cluster's squared sum of
        residuals by 1 - m / n, and the degrees of freedom follow from the clusters' sizes alone.
        """
        if not self._sums:
            return None
        sizes = [count for count, _ in self._sums.values()]
        n = sum(sizes)
        mean = sum(total for _, total in self._sums.values()) / n
        variance, df = 0.0, 0.0
        if len(sizes) > 1:
            squares = fourths = leverage = 0.0
            for count, total in self._sums.values():
                free = 1.0 - count / n
                residual = total - count * mean
                variance += residual * residual / free
                weight = count * count / free
                squares += count * count
                leverage += weight
                fourths += weight * weight
            variance /= n * n
            df = n * n / (squares + (leverage * leverage - fourths) / (n * n))
        return Spread(
            mean=mean, variance=variance, df=df, n=n, clusters=len(sizes), low=self._low, high=self._high
        )


def clustered_mean(
    values: Iterable[tuple[Hashable, float]] | Clusters, scale: Scale | None = None
) -> Estimate | None:
    """The mean of `(cluster, value)` pairs with its CR2 t interval, kept within the scale; None for no values.

    Clusters that do not differ are bounded by the scale, as equal values are in `intervals.mean_interval`.
    """
    sample = values if isinstance(values, Clusters) else Clusters(values)
    spread = sample.spread()
    if spread is None:
        return None
    floor = min(scale.low, spread.low) if scale else -inf
    ceiling = max(scale.high, spread.high) if scale else inf
    if spread.clusters == 1 or spread.flat:
        return flat_bound(spread, floor, ceiling)
    margin = t_quantile(_UPPER, spread.df) * sqrt(spread.variance)
    return _estimate(
        spread,
        max(spread.mean - margin, floor),
        min(spread.mean + margin, ceiling),
        f"t over clusters (CR2, {spread.df:.3g} degrees of freedom)",
    )


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
    spread = sample.spread()
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
    margin = t_quantile(_UPPER, spread.df) * sqrt(spread.variance) / (share * (1.0 - share))
    odds = log(share / (1.0 - share))
    return _estimate(
        spread,
        _share_at(odds - margin),
        _share_at(odds + margin),
        f"logit t over clusters (CR2, {spread.df:.3g} degrees of freedom)",
    )


def _share_at(log_odds: float) -> float:
    """The logistic function, from the side on which the exponential cannot overflow."""
    if log_odds >= 0.0:
        return 1.0 / (1.0 + exp(-log_odds))
    return exp(log_odds) / (1.0 + exp(log_odds))


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
    if clusters >= FEWEST_CLUSTERS:
        return None
    return f"{clusters} clusters: an interval over fewer than {FEWEST_CLUSTERS} is unreliable"


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
