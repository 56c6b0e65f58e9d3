"""Who may be in flight: how many calls at once, how many a minute, and the pause a provider asks all of us for."""

import asyncio
from collections import Counter, deque
from contextlib import suppress
from types import TracebackType
from typing import Self

from adjudge.errors import DeadlinePassedError, ModelCallError, RateLimitedError
from adjudge.models.clients.clock import SYSTEM_CLOCK, Clock
from adjudge.models.clients.pace import Pace
from adjudge.options import option
from adjudge.rates import Flow
from adjudge.records import Completion

CUT_SECONDS = 1.0
"""The shortest time between two cuts: the refusals of one moment are one piece of news."""
STEPS = 64
"""Recovering takes about as many windows whatever `jobs` is: one more call per window up to 127 jobs, more above."""
NAP_SECONDS = 1.0
"""The longest sleep between two looks at what has changed meanwhile."""


class Slot:
    """The right to have one call in flight: `async with governor.slot(tokens) as slot`."""

    __slots__ = ("cuts", "governor", "tokens")

    def __init__(self, governor: "Governor", tokens: int) -> None:
        self.governor = governor
        self.tokens = tokens
        self.cuts = 0
        """How often concurrency had been cut when this call was sent."""

    async def __aenter__(self) -> Self:
        self.cuts = await self.governor.enter(self.tokens)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.governor.leave()


class Governor:
    """One for each model and base URL, since that is what providers limit.

    Calls enter in the order in which they came. While nothing stands in the way a slot costs a counter. When something
    does, the first in the queue waits for it (room, the end of a pause, a fuller bucket) and hands on to the next, so that
    there is no task to look after: whoever is cancelled leaves the queue.

    `limit` is how many may be in flight now, of `jobs`; `errors` counts failed attempts by kind.
    """

    def __init__(
        self,
        *,
        jobs: int,
        pace: Pace | None = None,
        deadline: float | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`pace` is the whole run's. `deadline`, on the clock: nobody is sent after it, and nobody waits for what comes
        after it.
        """
        if jobs < 1:
            raise ValueError(f"{jobs} concurrent calls are too few")
        self.jobs = jobs
        self.limit = jobs
        self.in_flight = 0
        self.successes = 0
        self.errors: Counter[str] = Counter()
        self._clock = clock
        self._deadline = deadline
        self.pace = pace or Pace(clock=clock)
        self._paused_until: float | None = None
        self._queue: deque[asyncio.Future[None]] = deque()
        self._led = False
        """Someone is at the head of the queue, waiting to go."""
        self._room: asyncio.Future[None] | None = None
        """What the head waits for when as many as may be are in flight."""
        self._cuts = 0
        self._cut_at = -CUT_SECONDS
        self._window = 0
        self._step = max(1, jobs // STEPS)

    def for_another_model(self) -> "Governor":
        """Of the same run: what goes a minute is counted together; pauses and cuts are each model's own."""
        return Governor(jobs=self.jobs, pace=self.pace, deadline=self._deadline, clock=self._clock)

    def __repr__(self) -> str:
        return f"<Governor {self.in_flight} in flight of {self.limit}, {self.jobs} at most>"

    @property
    def counts_tokens(self) -> bool:
        """Whether a slot needs an estimate of its tokens."""
        return self.pace.limit.tokens is not None

    @property
    def paused_seconds(self) -> float:
        """How much of a pause is left."""
        until = self._paused_until
        return 0.0 if until is None else max(0.0, until - self._clock.now())

    def slot(self, estimated_tokens: int = 0) -> Slot:
        return Slot(self, estimated_tokens)

    # ---- what came of a call -------------------------------------------------------------------------------

    def succeeded(self, slot: Slot, completion: Completion) -> None:
        self.successes += 1
        if self.limit < self.jobs and slot.cuts == self._cuts:
            self._recover()
        if self.pace.is_limited:
            usage = completion.usage
            known = usage.input is not None and usage.output is not None
            used = (usage.input or 0) + (usage.output or 0) if known else slot.tokens
            self.pace.spend(Flow(completion.attempts - 1, used - slot.tokens))

    def failed(self, slot: Slot, error: ModelCallError) -> None:
        self.errors[error.kind] += 1
        if isinstance(error, RateLimitedError) and slot.cuts == self._cuts:
            # a call sent before the last cut was refused at the old speed: that is known already
            self.slow_down()
        if error.retry_after_seconds:
            self.pause(error.retry_after_seconds)

    def pause(self, seconds: float) -> None:
        """Nobody is sent for so long; a pause that ends later already stands."""
        until = self._clock.now() + seconds
        if self._paused_until is None or until > self._paused_until:
            self._paused_until = until

    def resume(self) -> None:
        """Drop the pause: those who wait go on, and may find that there is nothing to wait for."""
        self._paused_until = None

    def slow_down(self) -> None:
        """Half as many in flight."""
        now = self._clock.now()
        if now - self._cut_at < CUT_SECONDS:
            return
        self.limit = max(1, self.limit // 2)
        self._cuts += 1
        self._cut_at = now
        self._window = 0

    def _recover(self) -> None:
        self._window += 1
        if self._window >= self.limit:
            self._window = 0
            self.limit = min(self.jobs, self.limit + self._step)

    # ---- in and out ----------------------------------------------------------------------------------------

    def enforce_deadline(self, wait: float = 0.0, why: str = "") -> None:
        """A `DeadlinePassedError` now, rather than at the end of a wait that outlasts the run's deadline."""
        if self._deadline is None:
            return
        left = self._deadline - self._clock.now()
        if left < 0:
            raise DeadlinePassedError(f"the run's {option('--deadline')} has passed")
        if wait > left:
            raise DeadlinePassedError(
                f"the run's {option('--deadline')} comes before the end of a wait of {wait:.0f} seconds"
                + (f"; the last error: {why}" if why else "")
            )

    async def enter(self, tokens: int = 0) -> int:
        """Wait for the right to send; how often concurrency has been cut so far."""
        self.enforce_deadline()
        if (
            self._led
            or self.pace.is_limited
            or self._paused_until is not None
            or self.in_flight >= self.limit
        ):
            await self._wait_turn(tokens)
        self.in_flight += 1
        return self._cuts

    def leave(self) -> None:
        self.in_flight -= 1
        room = self._room
        if room is not None and self.in_flight < self.limit and not room.done():
            room.set_result(None)

    async def _wait_turn(self, tokens: int) -> None:
        if self._led:
            turn = asyncio.get_running_loop().create_future()
            self._queue.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.cancelled():
                    self._forget(turn)
                else:  # it was our turn, and we do not take it
                    self._hand_on()
                raise
        self._led = True
        try:
            while True:
                if self.in_flight >= self.limit:
                    await self._wait_for_room()
                elif (seconds := await self._seconds_to_wait(tokens)) > 0:
                    self.enforce_deadline(seconds)
                    await self._clock.sleep(min(seconds, NAP_SECONDS))
                else:
                    break
        finally:
            self._hand_on()

    async def _wait_for_room(self) -> None:
        self._room = asyncio.get_running_loop().create_future()
        try:
            await self._room
        finally:
            self._room = None

    async def _seconds_to_wait(self, tokens: int) -> float:
        """0.0: it may go, and is counted."""
        self.enforce_deadline()
        seconds = self.paused_seconds
        if seconds <= 0:
            self._paused_until = None
            if self.pace.is_limited:
                seconds = await self.pace.take(tokens, len(self._queue))
                if not seconds and self.paused_seconds:  # with the portion came what another process has met
                    self.pace.spend(Flow(-1, -tokens))
                    return self.paused_seconds
        return seconds

    def _hand_on(self) -> None:
        """The next in the queue takes the head of it."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._led = False

    def _forget(self, turn: asyncio.Future[None]) -> None:
        with suppress(ValueError):  # passed over already
            self._queue.remove(turn)
