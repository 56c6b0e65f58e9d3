"""Who may be in flight: how many calls at once, how many a minute, and the pause a provider asks all of us for."""

import asyncio
from collections import Counter, deque
from contextlib import suppress
from types import TracebackType
from typing import Self

from adjudge.errors import DeadlinePassedError, ModelCallError, RateLimitedError
from adjudge.models.clients.clock import SYSTEM_CLOCK, Clock
from adjudge.options import option
from adjudge.records import Completion

CUT_SECONDS = 1.0
"""The shortest time between two cuts: the refusals of one moment are one piece of news."""
STEPS = 64
"""Recovering takes about as many windows whatever `jobs` is: one more call per window up to 127 jobs, more above."""
NAP_SECONDS = 1.0
"""The longest sleep between two looks at what has changed meanwhile."""
BURST_SECONDS = 1.0
"""How much may go at once. Providers cut a minute's limit into shorter windows, so a whole minute's worth may not."""


class Bucket:
    """So many a minute: it fills steadily and is emptied by what is sent.

    A larger amount than the bucket holds goes when it is full, and leaves a debt that those after it wait for.
    """

    __slots__ = ("_at", "_capacity", "_level", "_per_second")

    def __init__(self, per_minute: int, *, now: float) -> None:
        if per_minute < 1:
            raise ValueError(f"{per_minute} a minute is not a rate")
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
        rpm: int | None = None,
        tpm: int | None = None,
        deadline: float | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`deadline`, on the clock: nobody is sent after it, and nobody waits for what comes after it."""
        if jobs < 1:
            raise ValueError(f"{jobs} concurrent calls are too few")
        self.jobs = jobs
        self.limit = jobs
        self.in_flight = 0
        self.successes = 0
        self.errors: Counter[str] = Counter()
        self._clock = clock
        self._deadline = deadline
        now = clock.now()
        self._requests = Bucket(rpm, now=now) if rpm is not None else None
        self._tokens = Bucket(tpm, now=now) if tpm is not None else None
        self._paced = rpm is not None or tpm is not None
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
        other = Governor(jobs=self.jobs, deadline=self._deadline, clock=self._clock)
        other._requests, other._tokens, other._paced = self._requests, self._tokens, self._paced
        return other

    def __repr__(self) -> str:
        return f"<Governor {self.in_flight} in flight of {self.limit}, {self.jobs} at most>"

    @property
    def counts_tokens(self) -> bool:
        """Whether a slot needs an estimate of its tokens."""
        return self._tokens is not None

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
        if self._requests is not None and completion.attempts > 1:
            self._requests.spend(completion.attempts - 1)
        if self._tokens is not None:
            usage = completion.usage
            if usage.input is not None and usage.output is not None:
                self._tokens.spend(usage.input + usage.output - slot.tokens)

    def failed(self, slot: Slot, error: ModelCallError) -> None:
        self.errors[error.kind] += 1
        if isinstance(error, RateLimitedError):
            self._cut(slot)
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

    def _cut(self, slot: Slot) -> None:
        """Half as many. A call sent before the last cut was refused at the old speed: that is known already."""
        now = self._clock.now()
        if slot.cuts != self._cuts or now - self._cut_at < CUT_SECONDS:
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

    def check_deadline(self, wait: float = 0.0, why: str = "") -> None:
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
        self.check_deadline()
        if self._led or self._paced or self._paused_until is not None or self.in_flight >= self.limit:
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
                elif (seconds := self._seconds_to_wait(tokens)) > 0:
                    self.check_deadline(seconds)
                    await self._clock.sleep(min(seconds, NAP_SECONDS))
                else:
                    self.check_deadline()
                    break
            if self._requests is not None:
                self._requests.spend(1)
            if self._tokens is not None:
                self._tokens.spend(tokens)
        finally:
            self._hand_on()

    async def _wait_for_room(self) -> None:
        self._room = asyncio.get_running_loop().create_future()
        try:
            await self._room
        finally:
            self._room = None

    def _seconds_to_wait(self, tokens: int) -> float:
        now = self._clock.now()
        seconds = 0.0
        if self._paused_until is not None:
            seconds = self._paused_until - now
            if seconds <= 0:
                self._paused_until = None
        if self._requests is not None:
            seconds = max(seconds, self._requests.seconds_until(1, now))
        if self._tokens is not None:
            seconds = max(seconds, self._tokens.seconds_until(tokens, now))
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
