"""Labelled rows as sums per cluster, and how those are drawn again: what `bootstrap` resamples."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Protocol

from adjudge.stats.arrays import Array, need_numpy

_WHERE = "bootstrap intervals"
_FEW_KINDS = 1_024
_MAX_GROUPS = 4_096
"""More clusters are resampled in so many random groups of clusters: the variance and the skew of the total stay the
same, known to about 1 %, and time and memory stop growing with the rows."""
_MAX_SUMS = 4_000_000
_CHUNK = 2_000_000
"""So many numbers are held at once, whatever the rows and resamples."""


class Sample(Protocol):
    """Units that add up: a figure of the sample is a figure of the sum of their sums."""

    @property
    def units(self) -> int:
        """What is resampled: clusters, or groups of them."""
        ...

    @property
    def clusters(self) -> int: ...

    @property
    def total(self) -> Array: ...

    def draw(self, resamples: int, seed: int) -> Array:
        """The total of each resample of units."""
        ...

    def parts(self) -> Iterator[tuple[Array, Array]]:
        """The units' sums and how many units have them, a chunk at a time."""
        ...


class KindsOfClusters:
    """Clusters with equal sums drawn together: a multinomial over their kinds is the same distribution."""

    def __init__(self, kinds: Array, counts: Array) -> None:
        self._kinds, self._counts = kinds, counts
        self.units = self.clusters = int(counts.sum())
        self.total: Array = counts @ kinds

    def draw(self, resamples: int, seed: int) -> Array:
        np = need_numpy(_WHERE)
        random = np.random.default_rng(seed)
        drawn: Array = np.empty((resamples, self._kinds.shape[1]))
        step = max(1, _CHUNK // len(self._kinds))
        for start in range(0, resamples, step):
            rows = min(step, resamples - start)
            times = random.multinomial(self.clusters, self._counts / self.clusters, size=rows)
            drawn[start : start + rows] = times @ self._kinds
        return drawn

    def parts(self) -> Iterator[tuple[Array, Array]]:
        step = max(1, _CHUNK // self._kinds.shape[1])
        for start in range(0, len(self._kinds), step):
            yield self._kinds[start : start + step], self._counts[start : start + step]


class SumsOfUnits:
    """Units that all differ."""

    def __init__(self, sums: Array, clusters: int) -> None:
        self._sums = sums
        self.units, self.clusters = len(sums), clusters
        self.total: Array = sums.sum(0)

    def draw(self, resamples: int, seed: int) -> Array:
        np = need_numpy(_WHERE)
        random = np.random.default_rng(seed)
        drawn: Array = np.empty((resamples, self._sums.shape[1]))
        step = max(1, _CHUNK // self.units)
        for start in range(0, resamples, step):
            rows = min(step, resamples - start)
            chosen = (
                random.integers(0, self.units, (rows, self.units)) + np.arange(rows)[:, None] * self.units
            )
            times = np.bincount(chosen.ravel(), minlength=rows * self.units).reshape(rows, self.units)
            drawn[start : start + rows] = times.astype(float) @ self._sums
        return drawn

    def parts(self) -> Iterator[tuple[Array, Array]]:
        np = need_numpy(_WHERE)
        step = max(1, _CHUNK // self._sums.shape[1])
        for start in range(0, self.units, step):
            some = self._sums[start : start + step]
            yield some, np.ones(len(some))


def sample_of_sums(rows: Array, clusters: Array, *, seed: int) -> Sample:
    """One row of numbers per case, added up within its cluster; `clusters` are numbered from 0."""
    np = need_numpy(_WHERE)
    count = int(clusters.max()) + 1
    unit, units = _units(clusters, count, rows.shape[1], seed)
    sums = np.stack([np.bincount(unit, weights=column, minlength=units) for column in rows.T], axis=1)
    return _few_or_many(sums, count)


def sample_of_cells(
    cells: Array, clusters: Array, size: int, *, seed: int, weights: Array | None = None
) -> Sample:
    """One cell per case, of a table of `size` cells; `clusters` are numbered from 0. A case counts by its weight."""
    np = need_numpy(_WHERE)
    count = int(clusters.max()) + 1
    if count == len(cells) and weights is None:
        used, times = np.unique(cells, return_counts=True)
        if len(used) <= _FEW_KINDS:
            kinds: Array = np.zeros((len(used), size))
            kinds[np.arange(len(used)), used] = 1.0
            return KindsOfClusters(kinds, times.astype(float))
    unit, units = _units(clusters, count, size, seed)
    tables = np.bincount(unit * size + cells, weights=weights, minlength=units * size).reshape(units, size)
    return _few_or_many(tables.astype(float), count)


def number_clusters(clusters: Sequence[Hashable] | None, rows: int) -> Array:
    """Each row's cluster as a number from 0; every row its own when none are given."""
    np = need_numpy(_WHERE)
    if clusters is None:
        return np.arange(rows)
    if len(clusters) != rows:
        raise ValueError(f"{len(clusters)} clusters cannot be those of {rows} rows")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters], dtype=np.int64)


def _units(clusters: Array, count: int, size: int, seed: int) -> tuple[Array, int]:
    """Each row's unit: its cluster, or, of too many clusters, the random group that its cluster is in."""
    np = need_numpy(_WHERE)
    most = min(_MAX_GROUPS, max(256, _MAX_SUMS // size))
    if count <= most:
        return clusters, count
    group = np.random.default_rng(seed).permutation(count) % most
    return group[clusters], most


def _few_or_many(sums: Array, clusters: int) -> Sample:
    np = need_numpy(_WHERE)
    if len(sums) == clusters:
        kinds, counts = np.unique(sums, axis=0, return_counts=True)
        if len(kinds) <= _FEW_KINDS:
            return KindsOfClusters(kinds, counts.astype(float))
    return SumsOfUnits(sums, clusters)
