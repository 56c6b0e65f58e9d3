"""How sure: 95 % intervals for means and rates, none of them of zero width."""

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import exp, fsum, inf, isfinite, log, sqrt

from adjudge.records import Scale
from adjudge.stats.student import t_quantile

CONFIDENCE = 0.95
_UPPER = 0.5 + CONFIDENCE / 2.0
_Z = 1.959963984540054


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A figure with its 95 % interval and the number of values behind it."""

    value: float
    low: float
    """Minus infinity, as `high` plus infinity, when nothing bounds the figure: one value, and no scale."""
    high: float
    n: int
    method: str
    """How the interval was made, for people: `t`, `Wilson`, `scale bound (all values equal)` …"""
    clusters: int | None = None
    """Of how many independent groups the values are; None when every value is its own."""
    warning: str | None = None
    """Why the interval may cover less than it says; None when nothing speaks against it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Undefined:
    """A figure that the data do not have, and why; it takes the place of NaN."""

    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Moments:
    """Of values in any order: `math.fsum` rounds a sum once, so that neither order nor size cancels anything."""

    count: int
    low: float
    high: float
    mean: float
    variance: float
    """The sample variance (n - 1); 0 for one value."""
    df: float
    """Of the variance: fewer than n - 1 where it rests on a few values."""

    @property
    def constant(self) -> bool:
        """Whether no two values differ by more than rounding: 0.1 + 0.2 beside 0.3 is no spread."""
        return self.high - self.low <= 1e-9 * max(1.0, abs(self.low), abs(self.high))


def moments_of(values: Iterable[float]) -> Moments | None:
    """None for no values; a ValueError or OverflowError for NaN and the infinities, which are not scores."""
    numbers = array("d", values)
    if not numbers:
        return None
    mean = fsum(numbers) / len(numbers)
    if not isfinite(mean):
        raise ValueError(f"values whose mean is {mean}")
    squares = fsum((number - mean) ** 2 for number in numbers)
    skewed = skewed_degrees(lambda: ((1, number - mean) for number in numbers))
    return Moments(
        count=len(numbers),
        low=min(numbers),
        high=max(numbers),
        mean=mean,
        variance=squares / max(1, len(numbers) - 1),
        df=min(float(len(numbers) - 1), skewed),
    )


def mean_interval(values: Iterable[float], scale: Scale | None = None) -> Estimate | None:
    """The mean with its interval; None for no values.

    On a scale it is Student's t on the logit scale. Near an end of the scale most values are that end, few are far from
    it, and t itself lies beyond the true mean two to five times as often as it should. Values that are only the two
    ends are a share, and have Wilson's interval, so that on a scale of 0 and 1 mean and pass rate have the same.
    Without a scale it is t.

    Equal values say nothing about spread, so t would give an interval of zero width. They do say that other values are
    rare: with all n equal, the share of other values is below 1 - 0.025 ** (1 / n) (Clopper-Pearson, near 3.7 / n), and
    the scale bounds what that share can do to the mean. One value alone gives the whole scale.
    """
    sample = moments_of(values)
    if sample is None:
        return None
    n, mean = sample.count, sample.mean
    # A rule whose points leave the scale it declares must not get an interval that leaves out its own values.
    floor = min(scale.low, sample.low) if scale else -inf
    ceiling = max(scale.high, sample.high) if scale else inf
    if sample.constant and not ((floor, ceiling) == (0.0, 1.0) and mean in {0.0, 1.0}):
        return _bounded(mean, floor, ceiling, n=n)
    error = sqrt(sample.variance / n)
    if scale is None:
        margin = t_quantile(_UPPER, n - 1) * error
        return Estimate(value=mean, low=mean - margin, high=mean + margin, n=n, method="t")
    reach = ceiling - floor
    share = (mean - floor) / reach
    most = share * (1.0 - share) * reach * reach
    if sample.variance * (n - 1) / n >= most * (
        1.0 - 1e-9
    ):  # no values have more spread than the two ends alone
        (low, high), method = wilson(share, n), "Wilson"
    else:
        low, high = logit_limits(share, t_quantile(_UPPER, sample.df) * error / reach)
        method = "t on the logit scale"
    return Estimate(value=mean, low=floor + low * reach, high=floor + high * reach, n=n, method=method)


def skewed_degrees(deviations: Callable[[], Iterable[tuple[int, float]]]) -> float:
    """The degrees of freedom of a variance, from the deviations that it is made of, each with how often it occurs
    (Satterthwaite): about n for normal values, and twice the number of rare ones where all others are equal.

    A variance that rests on a few values is as uncertain as those few, whatever n is.
    """
    count = sum(times for times, _ in deviations())
    most = max((abs(deviation) for _, deviation in deviations()), default=0.0)
    if not most:
        return inf
    squares = fsum(times * (deviation / most) ** 2 for times, deviation in deviations())
    fourths = fsum(times * (deviation / most) ** 4 for times, deviation in deviations())
    kurtosis = count * fourths / (squares * squares)
    return inf if kurtosis <= 1.0 else max(1.0, 2.0 * count / (kurtosis - 1.0))


def logit_limits(share: float, margin: float) -> tuple[float, float]:
    """The limits that have this margin around a share between 0 and 1 on the logit scale."""
    odds, reach = log(share / (1.0 - share)), margin / (share * (1.0 - share))
    return _share_at(odds - reach), _share_at(odds + reach)


def _share_at(log_odds: float) -> float:
    """The logistic function, from the side on which the exponential cannot overflow."""
    if log_odds >= 0.0:
        return 1.0 / (1.0 + exp(-log_odds))
    return exp(log_odds) / (1.0 + exp(log_odds))


def rate_interval(passed: int, n: int) -> Estimate | None:
    """A share with Wilson's score interval; None for a share of nothing."""
    if not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} is not a share")
    if not n:
        return None
    share = passed / n
    low, high = wilson(share, n)
    return Estimate(value=share, low=low, high=high, n=n, method="Wilson")


def wilson(share: float, n: float, *, critical: float = _Z) -> tuple[float, float]:
    """Wilson's score limits of a share of n, which need not be whole; `critical` is z, or a t for fewer."""
    squared = critical * critical
    centre = (share + squared / (2.0 * n)) / (1.0 + squared / n)
    margin = critical * sqrt(share * (1.0 - share) / n + squared / (4.0 * n * n)) / (1.0 + squared / n)
    return (
        0.0 if share == 0.0 else max(0.0, centre - margin),
        1.0 if share == 1.0 else min(1.0, centre + margin),
    )


def _bounded(mean: float, floor: float, ceiling: float, *, n: int) -> Estimate:
    if floor == -inf or floor >= ceiling:
        low, high, method = -inf, inf, "none (the values do not differ, and there is no scale)"
    elif n == 1:
        low, high, method = floor, ceiling, "the whole scale (one case)"
    else:
        others = 1.0 - (1.0 - _UPPER) ** (1.0 / n)
        low, high = mean - others * (mean - floor), mean + others * (ceiling - mean)
        method = "scale bound (all values equal)"
    return Estimate(value=mean, low=low, high=high, n=n, method=method)
