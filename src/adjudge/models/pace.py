"""So many a minute: a bucket that fills steadily and is emptied by what is sent."""

BURST_SECONDS = 1.0
"""How much may go at once. Providers cut a minute's limit into shorter windows, so a whole minute's worth may not."""


class Bucket:
    """A larger amount than the bucket holds goes when it is full, and leaves a debt that those after it wait for."""

    __slots__ = ("_at", "_capacity", "_level", "_per_second")

    def __init__(self, per_minute: int, *, now: float) -> None:
        if per_minute < 1:
            raise ValueError(f"{per_minute} a minute is not a pace")
        self._per_second = per_minute / 60
        self._capacity = max(1.0, self._per_second * BURST_SECONDS)
        self._level = self._capacity
        self._at = now

    def seconds_until(self, amount: float, now: float) -> float:
        """How long until this much may go; 0 is now."""
        level = self._level + (now - self._at) * self._per_second
        self._level, self._at = min(level, self._capacity), now
        missing = min(amount, self._capacity) - self._level
        return missing / self._per_second if missing > 1e-9 else 0.0

    def spend(self, amount: float) -> None:
        """Take this much out; a negative amount gives back what was not used."""
        self._level = min(self._level - amount, self._capacity)
