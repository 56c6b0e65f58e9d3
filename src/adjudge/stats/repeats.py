"""A judge beside itself: how far repeats of one case differ, and which cases they leave undecided."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from adjudge.stats.clusters import clustered_rate, warn_of_few
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined
from adjudge.stats.student import t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0
_NO_REPEATS = "no case was judged more than once"


@dataclass(frozen=True, kw_only=True, slots=True)
class Noise:
    """The spread of one case's scores, pooled over cases."""

    sd: float
    df: int
    cases: int
    """With more than one score."""


def within_case_noise(scores: Mapping[str, Sequence[float]]) -> Noise | Undefined:
    """Pooled by degrees of freedom, so that a case judged ten times says more than one judged twice."""
    squares, df, cases = 0.0, 0, 0
    for values in scores.values():
        if len(values) < 2:
            continue
        mean = sum(values) / len(values)
        squares += sum((value - mean) ** 2 for value in values)
        df += len(values) - 1
        cases += 1
    return Noise(sd=sqrt(squares / df), df=df, cases=cases) if df else Undefined(why=_NO_REPEATS)


def flip_rate(verdicts: Mapping[str, Sequence[Hashable]]) -> Estimate | Undefined:
    """The chance that two repeats of one case differ, over cases with at least two."""
    found = clustered_rate(
        (case, first != second)
        for case, values in verdicts.items()
        for at, first in enumerate(values)
        for second in values[at + 1 :]
    )
    return Undefined(why=_NO_REPEATS) if found is None else found


def retest_kappa(verdicts: Mapping[str, Sequence[Hashable]]) -> Estimate | Undefined:
    """Test-retest agreement beyond chance: Fleiss's kappa, each case counting once; a jackknife over cases."""
    cases = [Counter(values) for values in verdicts.values() if len(values) > 1]
    if not cases:
        return Undefined(why=_NO_REPEATS)
    agreed = [_pairs_agreed(case) for case in cases]
    shares = [{label: count / case.total() for label, count in case.items()} for case in cases]
    use: Counter[Hashable] = Counter()
    for share in shares:
        use.update(share)
    n, seen = len(cases), sum(agreed)
    kappa = _kappa(seen / n, [total / n for total in use.values()])
    if kappa is None:
        return Undefined(
            why="only one verdict was given, so agreement by chance cannot be told from agreement"
        )
    low, high, method = -1.0, 1.0, "the whole range (too few cases)"
    without = [
        _kappa((seen - own) / (n - 1), [(use[label] - share.get(label, 0.0)) / (n - 1) for label in use])
        for own, share in zip(agreed, shares, strict=True)
        if n > 1
    ]
    usable = [value for value in without if value is not None]
    if len(usable) > 1:
        mean = sum(usable) / len(usable)
        error = sqrt((n - 1) / n * sum((value - mean) ** 2 for value in usable))
        margin = t_quantile(_UPPER, n - 1) * error
        low, high, method = max(-1.0, kappa - margin), min(1.0, kappa + margin), "jackknife over cases"
        if error <= 1e-12:  # every case alike: as many others may exist as n cases cannot rule out
            others = 1.0 - (1.0 - _UPPER) ** (1.0 / n)
            low, high, method = kappa - others * (kappa + 1.0), 1.0, "bound on unseen cases (all alike)"
    return Estimate(value=kappa, low=low, high=high, n=n, method=method, warning=warn_of_few(n))


def undecided(scores: Mapping[str, Sequence[float]], threshold: float) -> list[str] | Undefined:
    """Cases whose mean score lies so near the threshold that repeats could have gone the other way.

    A case has few repeats of its own, so the noise is the pooled one: a case is undecided when the 95 % interval of
    its mean holds the threshold. Cases judged once are counted in, since the same noise is in their one score.
    """
    noise = within_case_noise(scores)
    if isinstance(noise, Undefined):
        return noise
    critical = t_quantile(_UPPER, noise.df)
    return [
        case
        for case, values in scores.items()
        if values
        and noise.sd > 0.0
        and abs(sum(values) / len(values) - threshold) <= critical * noise.sd / sqrt(len(values))
    ]


def _pairs_agreed(case: Counter[Hashable]) -> float:
    total = case.total()
    return sum(count * (count - 1) for count in case.values()) / (total * (total - 1))


def _kappa(seen: float, shares: list[float]) -> float | None:
    expected = sum(share * share for share in shares)
    return None if expected >= 1.0 - 1e-12 else (seen - expected) / (1.0 - expected)
