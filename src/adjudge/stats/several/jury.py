"""What several raters' votes are worth: how correlated they are, how many votes that leaves, and whether they beat the best."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import atanh, fsum, sqrt, tanh
from zlib import crc32

from adjudge.records import Scale
from adjudge.stats.clusters import Clusters, clustered_mean, warn_of_few
from adjudge.stats.intervals import CONFIDENCE, Estimate
from adjudge.stats.student import t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0
_NEAR_ONE = 1.0 - 1e-9

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

    def include(self, other: "PairSums") -> None:
        self.n += other.n
        self.a += other.a
        self.b += other.b
        self.aa += other.aa
        self.bb += other.bb
        self.ab += other.ab
        self.table.update(other.table)

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


GROUPS = 50
"""Into which cases are parted for the jackknife; a cluster is in one as a whole."""


def group_of(unit: str) -> int:
    """The same wherever a unit (a case, or a cluster of them) is met."""
    return crc32(unit.encode("utf-8", "surrogatepass")) % GROUPS


class PairGroups:
    """Two raters' values of the same cases, added up by group, so that any figure can be had without one of them."""

    __slots__ = ("groups",)

    def __init__(self) -> None:
        self.groups: dict[int, PairSums] = {}

    def add(self, group: int, a: float, b: float, said: tuple[Hashable, Hashable] | None = None) -> None:
        sums = self.groups.setdefault(group, PairSums())
        sums.add(a, b)
        if said is not None:
            sums.table[said] += 1

    def total(self, *, without: int | None = None) -> PairSums:
        found = PairSums()
        for group, sums in self.groups.items():
            if group != without:
                found.include(sums)
        return found


def mean_correlation(pairs: Sequence[PairGroups]) -> Estimate | None:
    """Over the pairs of raters; None where the values do not vary."""

    def of(without: int | None) -> float | None:
        return mean_of_known(pair.total(without=without).correlation for pair in pairs)

    return _jackknifed(of, pairs)


def pair_kappa(pair: PairGroups) -> Estimate | None:
    return _jackknifed(lambda without: kappa_of_counts(pair.total(without=without).table), [pair])


def _jackknifed(of: Callable[[int | None], float | None], pairs: Sequence[PairGroups]) -> Estimate | None:
    """A figure from -1 to 1 with its interval: a jackknife over groups of cases, on Fisher's z scale.

    Where a figure is at an end of its range, or leaving out a group changes nothing, as many unlike cases may exist as
    these cannot rule out.
    """
    value = of(None)
    if value is None:
        return None
    groups = sorted({group for pair in pairs for group in pair.groups})
    n = max(pair.total().n for pair in pairs)
    left = [each for group in groups if (each := of(group)) is not None]
    others = 1.0 - (1.0 - _UPPER) ** (1.0 / n)
    low, high = value - others * (value + 1.0), value + others * (1.0 - value)
    method = "bound on unseen cases (all alike)"
    if len(left) < 2:
        low, high, method = -1.0, 1.0, "the whole range (too few cases)"
    elif abs(value) < 1.0 - 1e-9:
        angles = [atanh(max(-_NEAR_ONE, min(_NEAR_ONE, each))) for each in left]
        mean = fsum(angles) / len(angles)
        error = sqrt((len(left) - 1) / len(left) * fsum((each - mean) ** 2 for each in angles))
        if error > 1e-12:
            margin = t_quantile(_UPPER, len(left) - 1) * error
            low, high = tanh(atanh(value) - margin), tanh(atanh(value) + margin)
            method = "jackknife over groups of cases, on Fisher's z scale"
    return Estimate(value=value, low=low, high=high, n=n, method=method, warning=warn_of_few(len(groups)))


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
