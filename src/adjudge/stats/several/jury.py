"""What several raters' votes are worth: how correlated they are, how many votes that leaves, and whether they beat the best."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum, sqrt

from adjudge.records import Scale
from adjudge.stats.clusters import Clusters, clustered_mean
from adjudge.stats.intervals import CONFIDENCE, Estimate
from adjudge.stats.student import t_quantile

# ---- how far two raters go together --------------------------------------------------------------------


@dataclass(slots=True)
class PairSums:
    """Two raters' values of the same cases, added up."""

    n: int = 0
    a: float = 0.0
    b: float = 0.0
    aa: float = 0.0
    bb: float = 0.0
    ab: float = 0.0
    table: Counter[tuple[Hashable, Hashable]] = field(default_factory=Counter)
    """What one said and what the other did, where that is counted."""

    def add(self, a: float, b: float) -> None:
        self.n += 1
        self.a += a
        self.b += b
        self.aa += a * a
        self.bb += b * b
        self.ab += a * b

    @property
    def correlation(self) -> float | None:
        """Pearson's; of zeros and ones that is phi. None where one of the two does not vary."""
        if self.n < 2:
            return None
        spread_a = self.aa - self.a * self.a / self.n
        spread_b = self.bb - self.b * self.b / self.n
        least = 1e-12 * max(1.0, self.aa, self.bb)
        if spread_a <= least or spread_b <= least:
            return None
        return max(-1.0, min(1.0, (self.ab - self.a * self.b / self.n) / sqrt(spread_a * spread_b)))


def kappa_of_counts(table: Mapping[tuple[Hashable, Hashable], int]) -> float | None:
    """Cohen's; None where both give one and the same label to all, so that chance alone would agree."""
    n = sum(table.values())
    if not n:
        return None
    first: Counter[Hashable] = Counter()
    second: Counter[Hashable] = Counter()
    for (a, b), count in table.items():
        first[a] += count
        second[b] += count
    agreed = sum(count for (a, b), count in table.items() if a == b) / n
    chance = sum(first[label] * second[label] for label in first) / (n * n)
    return None if chance >= 1.0 else (agreed - chance) / (1.0 - chance)


def mean_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def effective_votes(raters: int, correlation: float) -> float:
    """How many independent votes leave as much error in their mean as `raters` do whose errors correlate so much on
    average: n / (1 + (n - 1) ρ), Kish's design effect. From 1 to n; below 0 a correlation counts as 0.
    """
    return raters / (1.0 + (raters - 1) * max(0.0, correlation))


# ---- against the best of them --------------------------------------------------------------------------


def gain_on_best(
    gains: Mapping[str, Sequence[tuple[Hashable, float]]], scale: Scale | None = None
) -> tuple[str, Estimate] | None:
    """What is gained over the best of several, and which that is, from `(cluster, gain)` pairs over each of them.

    The gain over the best is the least of the gains, so its lower end is the least of their lower ends, each at its own
    95 %: to beat the best is to beat them all. The upper end is the least of upper ends that hold together (Bonferroni),
    which allows for having chosen the best by the same cases.
    """
    found: dict[str, Estimate] = {}
    highs: list[float] = []
    for name, values in gains.items():
        sample = Clusters(values)
        estimate, spread = clustered_mean(sample, scale), sample.spread()
        if estimate is None or spread is None:
            continue
        found[name] = estimate
        high = estimate.high
        if spread.clusters > 1 and not spread.flat:
            p = 1.0 - (1.0 - CONFIDENCE) / 2.0 / len(gains)
            high = spread.mean + t_quantile(p, spread.df) * sqrt(spread.variance)
        highs.append(high if scale is None else min(high, scale.high))
    if not found:
        return None
    best = min(found, key=lambda name: (found[name].value, name))
    return best, replace(
        found[best],
        low=min(each.low for each in found.values()),
        high=min(highs),
        method=f"{found[best].method}, corrected for choosing the best of {len(found)}",
    )
