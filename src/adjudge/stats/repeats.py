"""A judge beside itself: how far repeats of one case differ, and which cases they leave undecided."""

from array import array
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, sqrt
from typing import NamedTuple, Self

from adjudge.stats.clusters import ClusterKind, rate_of, spread_of, warn_of_few
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined, skewed_degrees
from adjudge.stats.student import t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0
MAX_EXPONENT = 50.0
_NO_REPEATS = "no case was judged more than once"

Verdicts = tuple[tuple[Hashable, int], ...]
"""How often each was given to a case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Noise:
    """The spread of one case's scores, pooled over cases."""

    sd: float
    low: float
    high: float
    """Of its 95 % interval; plus infinity where the cases are too few for one."""
    df: int
    cases: int
    """With more than one score."""


class Retests:
    """Cases judged more than once, added up one at a time; two of these add up to what one would have been over both.

    Memory grows with the kinds of cases (three repeats of a pass rule have four), not with their number. Only where
    scores are compared and hardly two cases have the same ones, every case is a kind.
    """

    __slots__ = ("degrees", "kinds", "squares")

    def __init__(self) -> None:
        self.squares = array("d")
        self.degrees = array("q")
        """Of each case, as its sum of squares."""
        self.kinds: Counter[Verdicts] = Counter()

    def add_scores(self, scores: Sequence[float]) -> None:
        """All of one case's."""
        if len(scores) < 2:
            return
        mean = sum(scores) / len(scores)
        self.squares.append(sum((score - mean) ** 2 for score in scores))
        self.degrees.append(len(scores) - 1)

    def add_verdicts(self, verdicts: Sequence[Hashable]) -> None:
        """All of one case's."""
        if len(verdicts) > 1:
            self.kinds[tuple(sorted(Counter(verdicts).items(), key=repr))] += 1

    def noise(self) -> Noise | Undefined:
        """Pooled by degrees of freedom, so that a case judged ten times says more than one judged twice."""
        cases, df, total = len(self.squares), sum(self.degrees), fsum(self.squares)
        if not df:
            return Undefined(why=_NO_REPEATS)
        sd, low, high = sqrt(total / df), 0.0, inf
        if cases > 1 and total > 0.0:
            # of the variance, on a logarithmic scale: each case is one piece of evidence, and it is never surer than
            # normal values would make it
            def moved() -> Iterator[tuple[int, float]]:
                for square, degrees in zip(self.squares, self.degrees, strict=True):
                    yield 1, square - degrees * total / df

            spread = sqrt(cases / (cases - 1) * fsum(each * each for _, each in moved())) / total
            error, freedom = max(spread, sqrt(2.0 / df)), min(float(cases - 1), skewed_degrees(moved))
            reach = min(t_quantile(_UPPER, freedom) * error / 2.0, MAX_EXPONENT)
            low, high = sd * exp(-reach), sd * exp(reach)
        return Noise(sd=sd, low=low, high=high, df=df, cases=cases)

    def flips(self) -> Estimate | Undefined:
        """The chance that two repeats of one case differ, over cases with at least two."""
        kinds = [
            ClusterKind(rows=pairs, total=float(pairs - sum(map(_pairs, counts))), times=times)
            for counts, times in self._counts()
            if (pairs := _pairs(sum(counts)))
        ]
        if not kinds:
            return Undefined(why=_NO_REPEATS)
        low = 0.0 if any(kind.total < kind.rows for kind in kinds) else 1.0
        high = 1.0 if any(kind.total for kind in kinds) else 0.0
        found = rate_of(spread_of(lambda: kinds, low=low, high=high))
        return Undefined(why=_NO_REPEATS) if found is None else found

    def kappa(self) -> Estimate | Undefined:
        """Test-retest agreement beyond chance: Fleiss's kappa, each case counting once; a jackknife over cases."""
        kinds = [_Kind.of(kind, times) for kind, times in self.kinds.items()]
        n = sum(kind.times for kind in kinds)
        if not n:
            return Undefined(why=_NO_REPEATS)
        use: dict[Hashable, float] = {}
        for kind in kinds:
            for label, share in kind.shares.items():
                use[label] = use.get(label, 0.0) + kind.times * share
        seen = sum(kind.times * kind.agreed for kind in kinds)
        kappa = _kappa(seen / n, [total / n for total in use.values()])
        if kappa is None:
            why = "only one verdict was given, so agreement beyond chance is undefined"
            return Undefined(why=why)
        without = [(_kappa_without(kind, seen, use, n), kind.times) for kind in kinds if n > 1]
        low, high, method = _jackknife(kappa, n, without)
        return Estimate(value=kappa, low=low, high=high, n=n, method=method, warning=warn_of_few(n))

    def _counts(self) -> list[tuple[list[int], int]]:
        return [([count for _, count in kind], times) for kind, times in self.kinds.items()]


def within_case_noise(scores: Mapping[str, Sequence[float]]) -> Noise | Undefined:
    """By case."""
    retests = Retests()
    for values in scores.values():
        retests.add_scores(values)
    return retests.noise()


def retest_kappa(verdicts: Mapping[str, Sequence[Hashable]]) -> Estimate | Undefined:
    """By case: see `Retests.kappa`."""
    return retests_of(verdicts).kappa()


def retests_of(verdicts: Mapping[str, Sequence[Hashable]]) -> Retests:
    retests = Retests()
    for values in verdicts.values():
        retests.add_verdicts(values)
    return retests


class NearThreshold:
    """Whether repeats of a case could have gone the other way.

    A case has few repeats of its own, so the noise is the pooled one: a case is undecided when the 95 % interval of
    its mean holds the threshold. Cases judged once are counted in, since the same noise is in their one score.
    """

    __slots__ = ("_reach", "_threshold")

    def __init__(self, noise: Noise, threshold: float) -> None:
        self._threshold = threshold
        self._reach = t_quantile(_UPPER, noise.df) * noise.sd

    def holds(self, scores: Sequence[float]) -> bool:
        if not scores or not self._reach:
            return False
        return abs(sum(scores) / len(scores) - self._threshold) <= self._reach / sqrt(len(scores))


def undecided(scores: Mapping[str, Sequence[float]], threshold: float) -> list[str] | Undefined:
    """Cases whose mean score lies so near the threshold that repeats could have gone the other way."""
    noise = within_case_noise(scores)
    if isinstance(noise, Undefined):
        return noise
    near = NearThreshold(noise, threshold)
    return [case for case, values in scores.items() if near.holds(values)]


class _Kind(NamedTuple):
    """Cases that were given the same verdicts, in any order."""

    agreed: float
    """The share of its pairs that agree."""
    shares: dict[Hashable, float]
    times: int

    @classmethod
    def of(cls, kind: Verdicts, times: int) -> Self:
        total = sum(count for _, count in kind)
        agreed = sum(_pairs(count) for _, count in kind) / _pairs(total)
        return cls(agreed, {label: count / total for label, count in kind}, times)


def _kappa_without(kind: _Kind, seen: float, use: Mapping[Hashable, float], n: int) -> float | None:
    """Of all cases but one of this kind."""
    shares = [(total - kind.shares.get(label, 0.0)) / (n - 1) for label, total in use.items()]
    return _kappa((seen - kind.agreed) / (n - 1), shares)


def _jackknife(kappa: float, n: int, without: Sequence[tuple[float | None, int]]) -> tuple[float, float, str]:
    usable = [(value, times) for value, times in without if value is not None]
    count = sum(times for _, times in usable)
    if count < 2:
        return -1.0, 1.0, "the whole range (too few cases)"
    mean = sum(times * value for value, times in usable) / count
    error = sqrt((n - 1) / n * sum(times * (value - mean) ** 2 for value, times in usable))
    if error <= 1e-12:  # every case alike: as many others may exist as n cases cannot rule out
        others = 1.0 - (1.0 - _UPPER) ** (1.0 / n)
        return kappa - others * (kappa + 1.0), 1.0, "bound on unseen cases (all alike)"
    margin = t_quantile(_UPPER, n - 1) * error
    return max(-1.0, kappa - margin), min(1.0, kappa + margin), "jackknife over cases"


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def _kappa(seen: float, shares: list[float]) -> float | None:
    expected = sum(share * share for share in shares)
    return None if expected >= 1.0 - 1e-12 else (seen - expected) / (1.0 - expected)
