"""Spearman's rank correlation with its interval, in plain Python."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from math import atanh, fsum, sqrt, tanh

from adjudge.stats.clusters import warn_of_few
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined
from adjudge.stats.student import t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0
_MIN_COUNT = 4
"""Clusters: with fewer, an interval says nothing."""


def rank_correlation(pairs: Iterable[tuple[Hashable, float, float]]) -> Estimate | Undefined:
    """Spearman's, of (cluster, x, y); ties share their mean rank. Each value may be its own cluster.

    The interval is Student's t on Fisher's scale. Its standard error comes from the influence of each pair, on the
    ranks of the others too (the infinitesimal jackknife), summed over clusters.
    """
    rows = list(pairs)
    clusters, xs, ys = [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
    n, groups = len(rows), len(set(clusters))
    if n < 3:
        return Undefined(why="fewer than three labels")
    u, v = _centred_ranks(xs), _centred_ranks(ys)
    spread_u, spread_v = _mean(u, u), _mean(v, v)
    if not spread_u or not spread_v:
        return Undefined(why="all labels are the same" if not spread_u else "all scores are the same")
    shared, scale = _mean(u, v), sqrt(spread_u * spread_v)
    value = max(-1.0, min(1.0, shared / scale))
    by_x, by_y = _above(xs, u), _above(ys, v)
    shared_x, shared_y = _above(xs, v), _above(ys, u)
    totals: dict[Hashable, float] = {}
    for row, cluster in enumerate(clusters):
        moved = u[row] * v[row] + shared_x[row] + shared_y[row] - 3.0 * shared
        moved_u = u[row] * u[row] + 2.0 * by_x[row] - 3.0 * spread_u
        moved_v = v[row] * v[row] + 2.0 * by_y[row] - 3.0 * spread_v
        moved = moved / scale - value / 2.0 * (moved_u / spread_u + moved_v / spread_v)
        totals[cluster] = totals.get(cluster, 0.0) + moved
    low, high, method = -1.0, 1.0, f"the whole range (fewer than {_MIN_COUNT} clusters)"
    if groups >= _MIN_COUNT:
        error = sqrt(groups / (groups - 1) * fsum(total * total for total in totals.values())) / n
        low, high, method = _limits(value, error, groups)
    independent = groups == n
    return Estimate(
        value=value,
        low=low,
        high=high,
        n=n,
        method=method,
        clusters=None if independent else groups,
        warning=None if independent else warn_of_few(groups),
    )


def _limits(value: float, error: float, groups: int) -> tuple[float, float, str]:
    if (
        abs(value) > 1.0 - 1e-9 or error < 1e-9
    ):  # no pair is out of order: as many others may exist as G cannot rule out
        others = 1.0 - (1.0 - _UPPER) ** (1.0 / groups)
        low, high = value - others * (value + 1.0), value + others * (1.0 - value)
        return low, high, "bound on unseen cases (all in order)"
    margin = t_quantile(_UPPER, groups - 1) * error / (1.0 - value * value)
    centre = atanh(value)
    return tanh(centre - margin), tanh(centre + margin), "infinitesimal jackknife on Fisher's scale"


def _mean(first: Sequence[float], second: Sequence[float]) -> float:
    return fsum(a * b for a, b in zip(first, second, strict=True)) / len(first)


def _groups(values: Sequence[float]) -> Iterable[list[int]]:
    """The places of equal values, in rising order."""
    for _, places in groupby(sorted(range(len(values)), key=values.__getitem__), key=values.__getitem__):
        yield list(places)


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """Mean ranks over n, less a half: their mean is 0."""
    n, before, ranks = len(values), 0, [0.0] * len(values)
    for places in _groups(values):
        rank = (before + len(places) / 2.0) / n - 0.5
        for place in places:
            ranks[place] = rank
        before += len(places)
    return ranks


def _above(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """For each value the sum of the weights of larger ones, and half of those of equal ones, over n."""
    n, found, left = len(values), [0.0] * len(values), fsum(weights)
    for places in _groups(values):
        here = fsum(weights[place] for place in places)
        for place in places:
            found[place] = (left - here / 2.0) / n
        left -= here
    return found
