"""Quantiles of a stream in bounded memory, the same whatever the order."""

from collections import Counter
from math import ceil, exp, floor, log

_RELATIVE_ERROR = 0.01
_STEP = log((1.0 + _RELATIVE_ERROR) / (1.0 - _RELATIVE_ERROR))
_LEAST = 1e-6
_MOST = 1e12
"""Values outside are counted in the outermost buckets, so there are never more than about 2,100."""


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
        self._buckets[floor(log(min(max(value, _LEAST), _MOST)) / _STEP)] += 1

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
