"""How often each score was given, in bounded memory."""

from collections import Counter

from adjudge.records import Scale

MOST_VALUES = 12
BINS = 10


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
            if len(self._values) > MOST_VALUES:
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
