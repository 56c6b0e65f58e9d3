"""Rank correlation of values that occur often, in plain Python."""

from collections import Counter
from collections.abc import Mapping
from math import sqrt


def spearman_of_counts(pairs: Mapping[tuple[float, float], int]) -> float | None:
    """Spearman's rank correlation of pairs, each with how often it occurred; ties share their mean rank.

    None where there are fewer than three pairs, or one side does not vary.
    """
    n = sum(pairs.values())
    if n < 3:
        return None
    x_ranks, y_ranks = (_mean_ranks(pairs, side) for side in (0, 1))
    middle = (n + 1) / 2
    xy = xx = yy = 0.0
    for (x, y), times in pairs.items():
        from_x, from_y = x_ranks[x] - middle, y_ranks[y] - middle
        xy += times * from_x * from_y
        xx += times * from_x * from_x
        yy += times * from_y * from_y
    return xy / sqrt(xx * yy) if xx and yy else None


def _mean_ranks(pairs: Mapping[tuple[float, float], int], side: int) -> dict[float, float]:
    counts: Counter[float] = Counter()
    for pair, times in pairs.items():
        counts[pair[side]] += times
    ranks, before = {}, 0
    for value in sorted(counts):
        ranks[value] = before + (counts[value] + 1) / 2
        before += counts[value]
    return ranks
