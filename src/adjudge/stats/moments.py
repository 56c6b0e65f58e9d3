"""Exact running sums: count, mean and variance of any number of values in a few integers."""

from collections.abc import Iterable

# Every float is a whole multiple of 2**-1074, so sums of such multiples are exact: neither the order in which
# values arrive nor how a run is split over processes can change a figure, and nothing cancels.
_UNIT_BITS = 1074


class Moments:
    """A streaming sample. Two of them add up to what one would have been over both streams.

    `total` and `squares` are the sums of values and of their squares, in units of 2**-1074 and 2**-2148.
    """

    __slots__ = ("count", "high", "low", "squares", "total")

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.count = 0
        self.low = float("inf")
        self.high = float("-inf")
        self.total = 0
        self.squares = 0
        for value in values:
            self.add(value)

    def add(self, value: float) -> None:
        """Count one value; a ValueError or OverflowError for NaN and the infinities, which are not scores."""
        number = float(value)
        numerator, denominator = number.as_integer_ratio()
        shift = _UNIT_BITS - (denominator.bit_length() - 1)
        self.total += numerator << shift
        self.squares += (numerator * numerator) << (2 * shift)
        self.count += 1
        self.low = min(self.low, number)
        self.high = max(self.high, number)

    def merge(self, other: "Moments") -> None:
        self.count += other.count
        self.total += other.total
        self.squares += other.squares
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)

    @property
    def constant(self) -> bool:
        """Whether no two values differ by more than rounding: 0.1 + 0.2 beside 0.3 is no spread."""
        return self.high - self.low <= 1e-9 * max(1.0, abs(self.low), abs(self.high))

    @property
    def mean(self) -> float:
        if not self.count:
            raise ValueError("no values have no mean")
        return self.total / (self.count << _UNIT_BITS)

    @property
    def variance(self) -> float:
        """The sample variance (n - 1); needs two values."""
        if self.count < 2:
            raise ValueError("a variance needs two values")
        numerator = self.squares * self.count - self.total * self.total
        return numerator / ((self.count * (self.count - 1)) << (2 * _UNIT_BITS))

    def mean_with(self, value: float, times: int) -> float:
        """The mean, had `value` been added `times` times."""
        if not self.count + times:
            raise ValueError("no values have no mean")
        numerator, denominator = float(value).as_integer_ratio()
        added = (numerator << (_UNIT_BITS - (denominator.bit_length() - 1))) * times
        return (self.total + added) / ((self.count + times) << _UNIT_BITS)
