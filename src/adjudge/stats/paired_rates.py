"""Two runs' passes and fails of the same cases: Tango's score interval of the difference, its test and its power."""

from functools import lru_cache
from math import exp, inf, lgamma, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

from adjudge.stats.intervals import CONFIDENCE
from adjudge.stats.student import incomplete_beta

_Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2.0)
_HALVINGS = 60
_MANY_DISCORDANT = 400
"""From so many expected discordant pairs on, the normal approximation of the power is right to a third of a percent."""
_SPREADS = 8.0


class Limits(NamedTuple):
    low: float
    high: float


def score_statistic(only_a: float, only_b: float, n: float, difference: float = 0.0) -> float:
    """How many standard errors B - A lies above a supposed `difference`, by the variance that goes with that one.

    `only_a` and `only_b` count the pairs that one side alone passed; they need not be whole. At a difference of 0 this is
    the signed root of McNemar's statistic without continuity correction.
    """
    lead = only_b - only_a - n * difference
    # the most likely share that only A passes, had the difference been this: the larger root of a quadratic
    linear = (2.0 * n - only_b + only_a) * difference - only_a - only_b
    constant = -only_a * difference * (1.0 - difference)
    share = (sqrt(max(0.0, linear * linear - 8.0 * n * constant)) - linear) / (4.0 * n)
    variance = n * (2.0 * share + difference * (1.0 - difference))
    if variance <= 1e-12 * n:
        return 0.0 if abs(lead) <= 1e-12 * n else inf if lead > 0.0 else -inf
    return lead / sqrt(variance)


def score_interval(only_a: float, only_b: float, n: float, *, critical: float = _Z) -> Limits:
    """All differences B - A that `score_statistic` does not reject (Tango 1998)."""
    if not (n > 0.0 and min(only_a, only_b) >= 0.0 and only_a + only_b <= n * (1.0 + 1e-12)):
        raise ValueError(f"{only_a} and {only_b} are not discordant pairs of {n}")
    found = (only_b - only_a) / n

    def end(low: float, high: float, wanted: float) -> float:
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            if score_statistic(only_a, only_b, n, middle) > wanted:
                low = middle
            else:
                high = middle
        return (low + high) / 2.0

    return Limits(end(-1.0, found, critical), end(found, 1.0, -critical))


def score_test_power(difference: float, discordant: float, n: int) -> float:
    """The chance that the score test of n pairs at 95 % confidence finds a true `difference` of two pass rates.

    `discordant` is the share of pairs that one side alone passes. Given how many those are, the passes of one side among
    them are binomial: with few, the power is their exact sum, and the test that is planned is the one that decides.
    """
    if not abs(difference) <= discordant <= 1.0:
        raise ValueError(
            "a difference of pass rates is at most the share of pairs that one side alone passes"
        )
    if n * discordant > _MANY_DISCORDANT:
        spread = sqrt(max(1e-300, discordant - difference * difference))
        above = (sqrt(n) * abs(difference) - _Z * sqrt(discordant)) / spread
        below = (-sqrt(n) * abs(difference) - _Z * sqrt(discordant)) / spread
        return NormalDist().cdf(above) + NormalDist().cdf(below)
    margin = _SPREADS * sqrt(n * discordant * (1.0 - discordant)) + _SPREADS
    first, last = max(1, int(n * discordant - margin)), min(n, int(n * discordant + margin) + 1)
    toward_b = (1.0 + difference / discordant) / 2.0 if discordant else 0.5
    return sum(
        _binomial(count, n, discordant) * _rejected(count, toward_b) for count in range(first, last + 1)
    )


@lru_cache(maxsize=10_000)  # the search for a sample size asks for most of them again and again
def _rejected(discordant: int, toward_b: float) -> float:
    """The chance that the test rejects, given so many discordant pairs: at least `most` of them on one side."""
    most = int((discordant + _Z * sqrt(discordant)) / 2.0) + 1
    if most > discordant:
        return 0.0
    rest = discordant - most + 1
    return incomplete_beta(most, rest, toward_b) + incomplete_beta(most, rest, 1.0 - toward_b)


def _binomial(count: int, n: int, share: float) -> float:
    if share >= 1.0:
        return float(count == n)
    ways = lgamma(n + 1) - lgamma(count + 1) - lgamma(n - count + 1)
    return exp(ways + count * log(share) + (n - count) * log(1.0 - share))
