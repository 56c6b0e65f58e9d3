"""Time, passed in: what waits asks a clock, so that a test can wait an hour in no time."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds that only ever go forward; their zero means nothing."""

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own."""

    __slots__ = ()

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


SYSTEM_CLOCK: Clock = SystemClock()
