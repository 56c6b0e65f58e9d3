"""So many a minute, over any minute: a bucket that fills steadily, kept as the time at which it will be full again.

One number for each rate, so that all processes of a run can draw from one bucket in a row of their store.
"""

from math import floor
from typing import NamedTuple

BURST_SECONDS = 1.0
"""How much may go at once. Providers cut a minute's limit into shorter windows, so a whole minute's worth may not."""
HOLD_SECONDS = 0.25
"""How long a portion may be used; what is left of it then goes back."""
PORTION = 0.25
"""Of what may go at once: the most that one process draws at a time."""
MAX_DEBT_SECONDS = 600.0
"""What large requests can take beyond a full bucket, unless those now asked for are larger yet; a bucket further from full
saw another clock."""
ROUNDING = 1e-6


class Rate:
    """`per_second` is a little less than a sixtieth, so that no minute has more than its number, burst and all."""

    __slots__ = ("capacity", "per_second")

    def __init__(self, per_minute: int) -> None:
        if per_minute < 1:
            raise ValueError(f"{per_minute} a minute is not a rate")
        self.capacity = max(1.0, per_minute / 60 * BURST_SECONDS)
        spread = 60.0 + HOLD_SECONDS
        self.per_second = per_minute / 60 if self.capacity == 1.0 else (per_minute - self.capacity) / spread


class Flow(NamedTuple):
    """What goes to models."""

    requests: float = 0.0
    tokens: float = 0.0

    def plus(self, other: "Flow", times: int = 1) -> "Flow":
        return Flow(self.requests + times * other.requests, self.tokens + times * other.tokens)

    def covers(self, other: "Flow") -> bool:
        return self.requests >= other.requests and self.tokens >= other.tokens


class FlowLimit(NamedTuple):
    """None: not limited."""

    requests: Rate | None = None
    tokens: Rate | None = None


class FullAt(NamedTuple):
    """When each bucket will be full again, in seconds of whoever keeps it; in the past: it is full."""

    requests: float = 0.0
    tokens: float = 0.0


class FlowWish(NamedTuple):
    each: Flow
    """What one request is."""
    most: int = 1
    """So many like it."""
    settled: Flow = Flow()
    """Has gone without having been drawn, and is counted first; less than nothing gives back."""


class FlowDraw(NamedTuple):
    granted: int
    """So many requests may go; 0: not even one."""
    wait: float
    """Seconds until one may."""
    full_at: FullAt


class News(NamedTuple):
    """What a process of the run has met at a model, which concerns them all: it was told to slow down, at least."""

    model: str
    paused_seconds: float = 0.0
    """The provider wants no request for so long."""
    broken: str | None = None
    """Why nothing is sent to it any more."""


class PaceDraw(NamedTuple):
    """What a process is given of the pace of its run."""

    granted: int
    wait: float
    """As in `FlowDraw`."""
    news: tuple[News, ...] = ()
    """Of other processes, since it last asked."""
    at: float = 0.0
    """When it asked, on the clock of whoever answers."""


def draw_flow(full_at: FullAt, now: float, wish: FlowWish, limit: FlowLimit) -> FlowDraw:
    """As many requests as may go. What is larger than a bucket goes when it is full, and leaves a debt."""
    parts = zip(full_at, wish.settled, wish.each, limit, strict=True)
    found = [_settle(at, settled, each, rate, now=now) for at, settled, each, rate in parts]
    wait, granted = 0.0, wish.most
    for at, amount, rate in zip(found, wish.each, limit, strict=True):
        if rate is None:
            continue
        level = rate.capacity - (at - now) * rate.per_second
        missing = min(amount, rate.capacity) - level
        if missing > ROUNDING:
            wait = max(wait, missing / rate.per_second)
        if amount > 0:
            portion = min(level, rate.capacity * PORTION)
            granted = min(granted, max(1, floor(portion / amount + ROUNDING)))
    if wait:
        return FlowDraw(0, wait, FullAt(*found))
    taken = (
        at if rate is None else at + granted * amount / rate.per_second
        for at, amount, rate in zip(found, wish.each, limit, strict=True)
    )
    return FlowDraw(granted, 0.0, FullAt(*taken))


def _settle(at: float, amount: float, each: float, rate: Rate | None, *, now: float) -> float:
    """An idle hour saves up nothing, and neither does what is given back."""
    if rate is None:
        return at
    debt = max(MAX_DEBT_SECONDS, 2 * each / rate.per_second)
    if at > now + rate.capacity / rate.per_second + debt:
        at = now  # the clock was put back, so what it said tells nothing
    return max(max(at, now) + amount / rate.per_second, now)
