"""A client that wraps a client: asks again what may go through later, no faster than the service allows."""

import asyncio
import random
from dataclasses import dataclass, replace

from adjudge.errors import ModelCallError, RateLimitedError
from adjudge.models.attempts import attempts_of, set_attempts
from adjudge.models.circuit import Circuit
from adjudge.models.clock import SYSTEM_CLOCK, Clock
from adjudge.models.context import estimate_request_tokens
from adjudge.models.keys import request_key
from adjudge.models.limit import Governor
from adjudge.records import Completion, ModelClient, Request

QUICK_ATTEMPTS = 4
QUICK_SECONDS = 1.0
"""While nothing has ever succeeded: a wrong address should be known in seconds."""
REFUSALS_PER_ATTEMPT = 5
"""A 429 while other calls get through costs no attempt, but not for ever: so many times the attempts, in all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    most_attempts: int = 6
    first_seconds: float = 0.5
    """The longest first wait; each next one may be twice as long. What is waited is drawn from 0 to that (full jitter)."""
    longest_seconds: float = 60.0
    call_deadline_seconds: float | None = None
    """For a whole call, from when it is first sent: its attempts, the waits between them and the pauses asked of it."""

    def __post_init__(self) -> None:
        if self.most_attempts < 1:
            raise ValueError("a call takes at least one attempt")
        if self.call_deadline_seconds is not None and self.call_deadline_seconds <= 0:
            raise ValueError("a call's deadline is a time after it was sent")


class CallDeadlineError(ModelCallError):
    """The whole call, with its retries, took longer than a call may."""

    kind = "deadline"


@dataclass(slots=True)
class Tries:
    """How one call has fared."""

    sent: int = 0
    counted: int = 0
    """Those that count against the policy's attempts."""
    attempts: int = 0
    """HTTP requests, those with refused parameters too."""
    deadline: float | None = None
    last_message: str = ""


class RetryingClient:
    """Retries what is `retryable`, with full jitter, each attempt in a slot of the governor; nothing once the circuit is open.

    A completion's `attempts` are all HTTP requests it took; so are those of an error (`attempts_of`).
    """

    def __init__(
        self,
        client: ModelClient,
        *,
        governor: Governor,
        policy: RetryPolicy | None = None,
        circuit: Circuit | None = None,
        clock: Clock = SYSTEM_CLOCK,
        chance: random.Random | None = None,
    ) -> None:
        self._client = client
        self.governor = governor
        self.circuit = circuit or Circuit(jobs=governor.jobs, clock=clock)
        self.policy = policy or RetryPolicy()
        self._clock = clock
        self._chance = chance or random.Random()  # noqa: S311 - spreads retries out, keeps no secret

    def __repr__(self) -> str:
        return f"RetryingClient({self._client!r})"

    @property
    def name(self) -> str:
        return self._client.name

    @property
    def base_url(self) -> str | None:
        return getattr(self._client, "base_url", None)

    def request_key(self, request: Request) -> str:
        return request_key(self._client, request)

    async def complete(self, request: Request) -> Completion:
        if self.policy.call_deadline_seconds is None:
            return await self._ask(request, Tries(), None)
        tries = Tries()
        try:
            async with asyncio.timeout(None) as limit:
                return await self._ask(request, tries, limit)
        except TimeoutError:
            if not limit.expired():
                raise
            error = self._too_late(tries)
            self.governor.errors[error.kind] += 1
            self._give_up(tries, error)
            raise error from None

    async def close(self) -> None:
        await self._client.close()

    async def _ask(self, request: Request, tries: Tries, limit: asyncio.Timeout | None) -> Completion:
        governor, circuit = self.governor, self.circuit
        tokens = estimate_request_tokens(request) if governor.counts_tokens else 0
        while True:
            if circuit.open:
                raise self._not_sent(tries)
            if limit is not None:
                self._check_pause(tries)
            async with governor.slot(tokens) as slot:
                if circuit.open:
                    raise self._not_sent(tries)
                if limit is not None and tries.deadline is None:
                    self._start_time(tries, limit)
                tries.sent += 1
                got_through = governor.successes
                try:
                    completion = await self._client.complete(request)
                except ModelCallError as error:
                    tries.last_message = error.message
                    tries.attempts += attempts_of(error)
                    governor.failed(slot, error)
                    circuit.attempt_failed(error)
                    wait = self._wait_before_next(tries, error, others_go=governor.successes > got_through)
                    if wait is None:
                        self._give_up(tries, error)
                        raise
                else:
                    governor.succeeded(slot, completion)
                    circuit.succeeded()
                    if tries.attempts:
                        return replace(completion, attempts=tries.attempts + completion.attempts)
                    return completion
            # without the slot: others may go while this one waits
            if wait:
                await self._clock.sleep(wait)

    def _wait_before_next(self, tries: Tries, error: ModelCallError, *, others_go: bool) -> float | None:
        """Seconds to wait before the next attempt; None when there is to be none."""
        policy = self.policy
        if not error.retryable or self.circuit.open:
            return None
        most, longest = policy.most_attempts, policy.longest_seconds
        if isinstance(error, RateLimitedError):
            # all of us go too fast; it is not this call that is at fault while the others get through
            tries.counted += not others_go
            if tries.sent >= most * REFUSALS_PER_ATTEMPT:
                return None
        else:
            tries.counted += 1
            if not self.circuit.proven:
                most, longest = min(most, QUICK_ATTEMPTS), min(longest, QUICK_SECONDS)
        if tries.counted >= most:
            return None
        asked = error.retry_after_seconds
        if asked and asked >= policy.first_seconds:
            return 0.0  # the governor holds everyone back for that long
        return self._chance.uniform(0.0, min(longest, policy.first_seconds * 2.0 ** min(tries.sent - 1, 60)))

    def _give_up(self, tries: Tries, error: ModelCallError) -> None:
        set_attempts(error, tries.attempts)
        self.circuit.call_failed(error)
        if self.circuit.open:
            self.governor.resume()  # those who wait for the end of a pause find the circuit open

    def _not_sent(self, tries: Tries) -> ModelCallError:
        error = self.circuit.error()
        set_attempts(error, tries.attempts)
        return error

    # ---- the deadline --------------------------------------------------------------------------------------

    def _start_time(self, tries: Tries, limit: asyncio.Timeout) -> None:
        """From the first time it is sent: waiting for our own `--rpm` or for a free slot is no fault of the call."""
        seconds = self.policy.call_deadline_seconds
        assert seconds is not None
        tries.deadline = self._clock.now() + seconds
        limit.reschedule(asyncio.get_running_loop().time() + seconds)

    def _check_pause(self, tries: Tries) -> None:
        """Fail now rather than at the end of a pause, or of a wait, that is longer than the time left."""
        seconds = self.policy.call_deadline_seconds
        assert seconds is not None
        left = seconds if tries.deadline is None else tries.deadline - self._clock.now()
        if left <= 0 or self.governor.paused_seconds > left:
            error = self._too_late(tries)
            self.governor.errors[error.kind] += 1
            self._give_up(tries, error)
            raise error

    def _too_late(self, tries: Tries) -> CallDeadlineError:
        seconds = self.policy.call_deadline_seconds
        pause = self.governor.paused_seconds
        said = [f"no answer within the {seconds:g} seconds a call may take"]
        if tries.attempts:
            said.append(f"failed attempts: {tries.attempts}")
        if pause:
            said.append(f"{self.name} asks for {pause:.0f} seconds more")
        if tries.last_message:
            said.append(f"the last error: {tries.last_message}")
        return CallDeadlineError("; ".join(said))
