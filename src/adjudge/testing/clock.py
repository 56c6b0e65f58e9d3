"""A clock that waits an hour in no time, for tests of what waits."""

import asyncio
import heapq
from itertools import count

QUIET_TURNS = 25
"""Turns of the event loop in which whoever is not asleep comes to rest; in-memory work takes a handful."""


class FakeClock:
    """Time passes only when everyone sleeps: it then jumps to the next moment someone wants to be woken at.

    For work in memory only: it does not see that a socket is being waited for. `slept` holds what was asked for.
    """

    def __init__(self, start: float = 1000.0) -> None:
        self.time = start
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()
        self._quiet = 0
        self._ticking = False

    def now(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        """Let time pass without anyone having slept."""
        self.time += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        loop = asyncio.get_running_loop()
        until = self.time + max(seconds, 0.0)
        woken: asyncio.Future[None] = loop.create_future()
        heapq.heappush(self._sleepers, (until, next(self._order), woken))
        self._quiet = 0
        if not self._ticking:
            self._ticking = True
            loop.call_soon(self._tick, loop)
        await woken

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self._quiet += 1
        if self._quiet >= QUIET_TURNS:
            self._wake_next()
        if self._sleepers:
            loop.call_soon(self._tick, loop)
        else:
            self._ticking = False

    def _wake_next(self) -> None:
        self._quiet = 0
        while self._sleepers:
            until, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():  # cancelled while asleep otherwise
                self.time = max(self.time, until)
                woken.set_result(None)
                return
