"""Secondary tests for independent pairs, Holm's correction, and how many cases a comparison needs."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import ceil, exp, lgamma, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

from adjudge.stats.intervals import CONFIDENCE, Undefined
from adjudge.stats.paired_rates import score_test_power
from adjudge.stats.student import incomplete_beta, t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0
_SPREADS, _STEPS = 10.0, 400
"""How far from 1 a sample's spread is followed, in its own standard deviations, and in how many steps."""


def mcnemar(only_a: int, only_b: int) -> float | Undefined:
    """The two-sided mid-p of McNemar's test, from the pairs that only one side passed; for independent pairs."""
    if min(only_a, only_b) < 0:
        raise ValueError("counts are 0 or more")
    n, least = only_a + only_b, min(only_a, only_b)
    if not n:
        return Undefined(why="no pair was passed by one side alone")
    # P(X <= k) + P(X <= k - 1) at one half: twice the lower tail, less the probability of k itself
    upto = 1.0 if least >= n else incomplete_beta(n - least, least + 1, 0.5)
    below = incomplete_beta(n - least + 1, least, 0.5) if least else 0.0
    return min(1.0, upto + below)


def wilcoxon(differences: Sequence[float]) -> float | Undefined:
    """The two-sided p of Wilcoxon's signed ranks by the normal approximation; for independent pairs.

    Pratt (1959): zeros are ranked with the rest and then dropped, so that many ties between the sides are evidence
    of no difference rather than absent.
    """
    size = max(map(abs, differences), default=0.0)
    rounded = [0.0 if abs(value) <= 1e-12 * size else value for value in differences]
    zeros = sum(value == 0.0 for value in rounded)
    n = len(rounded)
    if n == zeros:
        return Undefined(why="all differences are 0")
    ranks, ties = _ranks([round(abs(value) / size, 12) for value in rounded])
    above = sum(rank for rank, value in zip(ranks, rounded, strict=True) if value > 0.0)
    expected = (n * (n + 1) - zeros * (zeros + 1)) / 4.0
    variance = (n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1)) / 24.0
    variance -= sum(tie**3 - tie for tie in ties) / 48.0
    if variance <= 0.0:
        return Undefined(why="too few differences to rank")
    return 2.0 * NormalDist().cdf(-abs(above - expected) / sqrt(variance))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given: any of them at most 0.05 holds with all of them looked at."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, least = [0.0] * len(p_values), 0.0
    for position, index in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - position) * p_values[index]))
        adjusted[index] = least
    return adjusted


class Correlations(NamedTuple):
    least: float
    most: float


def possible_correlations(rate_a: float, rate_b: float) -> Correlations:
    """How far two runs with these pass rates can pass the same cases; rates of 0 and 1 have nothing to correlate."""
    spread = sqrt(rate_a * (1.0 - rate_a) * rate_b * (1.0 - rate_b))
    if spread == 0.0:
        return Correlations(0.0, 0.0)
    both = rate_a * rate_b
    return Correlations(
        (max(0.0, rate_a + rate_b - 1.0) - both) / spread, (min(rate_a, rate_b) - both) / spread
    )


def discordant_share(rate_a: float, rate_b: float, *, correlation: float = 0.0) -> float:
    """The share of cases that one of two runs alone passes. No correlation is the cautious guess."""
    if not (0.0 <= rate_a <= 1.0 and 0.0 <= rate_b <= 1.0):
        raise ValueError("rates lie from 0 to 1")
    least, most = possible_correlations(rate_a, rate_b)
    if not least - 1e-9 <= correlation <= most + 1e-9:
        raise ValueError(f"rates of {rate_a} and {rate_b} allow correlations from {least} to {most}")
    both = rate_a * rate_b + correlation * sqrt(rate_a * (1.0 - rate_a) * rate_b * (1.0 - rate_b))
    return max(abs(rate_a - rate_b), rate_a + rate_b - 2.0 * both)


def sample_size(effect: float, *, sd: float, power: float = 0.8, design_effect: float = 1.0) -> int:
    """How many pairs show a true mean difference of `effect` with this power, at 95 % confidence.

    `sd` is of the paired differences; `design_effect` is n over the effective n when cases come in clusters.
    """
    if not (effect and sd > 0.0 and 0.0 < power < 1.0 and design_effect > 0.0):
        raise ValueError("effect, sd and design effect must differ from 0, and power lie between 0 and 1")
    size = abs(effect) / sd
    return ceil(_enough(lambda n: t_test_power(size, n), power) * design_effect)


def sample_size_of_rates(
    effect: float, *, discordant: float, power: float = 0.8, design_effect: float = 1.0
) -> int:
    """As `sample_size`, for the score test of passes and fails; `discordant` is the share that one side alone passes."""
    return ceil(_enough(lambda n: score_test_power(effect, discordant, n), power) * design_effect)


def _enough(power_of: Callable[[int], float], power: float) -> int:
    enough = 2
    while power_of(enough) < power:
        enough *= 2
    sizes = range(2, enough + 1)
    return sizes[bisect_left(sizes, power, key=power_of)]


def t_test_power(size: float, n: int) -> float:
    """The chance that a t test of n differences at 95 % confidence shows a mean of `size` standard deviations.

    The sample's spread s, as a share of the true one, makes t normal around sqrt(n) size: this is the tail beyond the
    critical value, averaged over s by Simpson's rule.
    """
    df = n - 1
    critical, shift, half = t_quantile(_UPPER, df), sqrt(n) * size, df / 2.0
    low, high = max(0.0, 1.0 - _SPREADS / sqrt(2.0 * df)), 1.0 + _SPREADS / sqrt(2.0 * df)
    step = (high - low) / _STEPS
    factor = log(2.0) + half * log(half) - lgamma(half)
    cdf = NormalDist().cdf
    total = 0.0
    for at in range(_STEPS + 1):
        s = low + at * step
        if s > 0.0 or df == 1:
            density = exp(factor - half * s * s + ((df - 1) * log(s) if df > 1 else 0.0))
            weight = 1.0 if at in {0, _STEPS} else 4.0 if at % 2 else 2.0
            total += weight * density * (cdf(shift - critical * s) + cdf(-shift - critical * s))
    return total * step / 3.0


def _ranks(values: Sequence[float]) -> tuple[list[float], list[int]]:
    """Mid-ranks, and how many shared each rank; zeros count in no tie, since their ranks are dropped."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks, ties, start = [0.0] * len(values), list[int](), 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for position in range(start, end + 1):
            ranks[order[position]] = (start + end) / 2.0 + 1.0
        if values[order[start]]:
            ties.append(end - start + 1)
        start = end + 1
    return ranks, ties
