"""A stream of numbers in bounded memory, the same whatever the order: how often each was given, and quantiles."""

from collections import Counter
from math import ceil, exp, floor, inf, log, nextafter
from typing import NamedTuple

from adjudge.records import Scale

MAX_VALUES = 12
BINS = 10
_RELATIVE_ERROR = 0.01
_STEP = log((1.0 + _RELATIVE_ERROR) / (1.0 - _RELATIVE_ERROR))
_MIN_VALUE = 1e-6
_MAX_COUNT = 1e12
"""Values outside are counted in the outermost buckets, so there are never more than about 2,100."""


class Distribution:
    """Counts by value while there are few different ones, by tenths of the scale when there are many."""

    __slots__ = ("_bins", "_scale", "_values")

    def __init__(self, scale: Scale | None) -> None:
        self._scale = scale
        self._values: Counter[float] | None = Counter()
        self._bins: Counter[int] = Counter()

    def add(self, value: float) -> None:
        # Both are kept until the values are too many, so that the order of arrival changes nothing.
        if self._scale:
            self._bins[_bin(value, self._scale)] += 1
        if self._values is not None:
            self._values[value] += 1
            if len(self._values) > MAX_VALUES:
                self._values = None

    def counts(self) -> dict[str, int] | None:
        """Label -> count, from low to high; None when there are many values and no scale to divide."""
        if self._values is not None:
            counts: dict[str, int] = {}
            for value, count in sorted(self._values.items()):
                label = f"{value:.12g}"
                counts[label] = counts.get(label, 0) + count
            return counts
        if self._scale is None:
            return None
        return {_bin_label(position, self._scale): self._bins[position] for position in sorted(self._bins)}


class Ends(NamedTuple):
    """The least and the greatest score that is counted under a label; None: nothing ends it."""

    low: float | None
    high: float | None


def label_ends(label: str, scale: Scale | None) -> Ends:
    """What `counts` put under this label: one value, or all from one to another, both included."""
    position = None
    if scale is not None:
        labels = {_bin_label(each, scale): each for each in range(-1, BINS + 1)}
        position = labels.get(label)
    if position is None or scale is None:
        return Ends(float(label), float(label))
    low = None if position < 0 else _first_of(position, scale)
    high = None if position >= BINS else nextafter(_first_of(position + 1, scale), -inf)
    return Ends(low, high)


def _first_of(position: int, scale: Scale) -> float:
    """The least value of that bin, to the last bit: where `_bin` rounds, the edge is not the sum that it should be."""
    if position >= BINS:
        return nextafter(scale.high, inf)
    below, value = nextafter(scale.low, -inf), scale.high
    while below < (middle := below / 2 + value / 2) < value:
        if _bin(middle, scale) >= position:
            value = middle
        else:
            below = middle
    return value


def _bin(value: float, scale: Scale) -> int:
    if value < scale.low:
        return -1
    if value > scale.high:
        return BINS
    width = scale.high - scale.low
    return min(BINS - 1, int((value - scale.low) / width * BINS)) if width > 0 else 0


def _bin_label(position: int, scale: Scale) -> str:
    if position < 0:
        return f"below {scale.low:.6g}"
    if position >= BINS:
        return f"above {scale.high:.6g}"
    edges = [scale.low + (scale.high - scale.low) * (position + step) / BINS for step in (0, 1)]
    return f"{edges[0]:.6g} to {edges[1]:.6g}"


class Quantiles:
    """Counts of values 0 or more in buckets of equal ratio: a quantile is right to 1 % of itself."""

    __slots__ = ("_buckets", "_high", "_low", "count")

    def __init__(self) -> None:
        self.count = 0
        self._buckets: Counter[int] = Counter()
        self._low = float("inf")
        self._high = 0.0

    def add(self, value: float) -> None:
        if not value >= 0.0:
            raise ValueError(f"{value} is below 0")
        self.count += 1
        self._low = min(self._low, value)
        self._high = max(self._high, value)
        self._buckets[floor(log(min(max(value, _MIN_VALUE), _MAX_COUNT)) / _STEP)] += 1

    def at(self, share: float) -> float | None:
        """The least value with at least this share of the values at or below it; None when there are none."""
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"{share} is not a share")
        if not self.count:
            return None
        wanted = max(1, ceil(share * self.count))
        seen = 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= wanted:
                middle = exp((bucket + 0.5) * _STEP)
                return min(max(middle, self._low), self._high)
        return self._high
