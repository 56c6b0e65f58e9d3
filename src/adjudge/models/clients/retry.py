"""A client that wraps a client: asks again what may go through later, no faster than the service allows."""

import asyncio
import random
from dataclasses import dataclass

from msgspec.structs import replace

from adjudge.errors import (
    ModelCallError,
    NotAskedError,
    ParameterRefusedError,
    RateLimitedError,
    RejectedError,
)
from adjudge.models.clients.circuit import Circuit
from adjudge.models.clients.clock import SYSTEM_CLOCK, Clock
from adjudge.models.clients.limit import Governor
from adjudge.models.clients.wrap import WrappingClient
from adjudge.models.context import estimate_request_tokens
from adjudge.rates import News
from adjudge.records import LOWERED_NOTE, Completion, ModelClient, Request

QUICK_ATTEMPTS = 4
QUICK_SECONDS = 1.0
"""While nothing has ever succeeded: a wrong address should be known in seconds."""
PATIENCE_SECONDS = 90.0
"""A service that has answered may count by the minute and not say so: a 429 is not taken for an answer before that."""
REFUSALS_PER_ATTEMPT = 5
"""A 429 while other calls get through costs no attempt, but not for ever: so many times the attempts, in all."""
MAX_REFUSED_PARAMETERS = 10
"""Of one call, one after another. What can be left out is finite; this holds for a client that gets that wrong too."""
LOST_NOTE = "answer_lost"


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
    in_flight: bool = False
    refused_parameters: int = 0
    is_lowered: bool = False
    """The limit on the reply's length, to fit the model's context."""
    counted: int = 0
    """Those that count against the policy's attempts."""
    attempts: int = 0
    """HTTP requests, those with refused parameters too."""
    maybe_billed: bool = False
    """One of them may have been answered, and the answer lost."""
    others: int = 0
    """How many calls had succeeded when it was last refused."""
    stuck_since: float | None = None
    """When it was first refused without any other getting through since."""
    deadline: float | None = None
    last_message: str = ""


class RetryingClient(WrappingClient):
    """Retries what is `retryable`, with full jitter, each attempt in a slot of the governor; nothing once the circuit is open.

    The `attempts` of a completion, or of an error, are all HTTP requests that were made for the call.
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
        super().__init__(client)
        self.governor = governor
        self.circuit = circuit or Circuit(jobs=governor.jobs, clock=clock)
        self.policy = policy or RetryPolicy()
        self._clock = clock
        self._chance = chance or random.Random()  # noqa: S311 - spreads retries out, keeps no secret
        governor.pace.heed(self.name, self._take_notice)

    async def complete(self, request: Request) -> Completion:
        tries = Tries(others=self.governor.successes)
        try:
            if self.policy.call_deadline_seconds is None:
                return await self._ask(request, tries, None)
            async with asyncio.timeout(None) as limit:
                return await self._ask(request, tries, limit)
        except NotAskedError as error:
            error.attempts, error.maybe_billed = tries.attempts, tries.maybe_billed
            raise
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._too_late(tries) from None

    async def _ask(self, request: Request, tries: Tries, limit: asyncio.Timeout | None) -> Completion:
        governor, circuit = self.governor, self.circuit
        tokens = estimate_request_tokens(request) if governor.counts_tokens else 0
        wait: float | None = None
        while True:
            if circuit.open:
                raise self._not_sent(tries)
            if limit is not None:
                self._validate_time(tries, wait or 0.0)
            if wait:  # without a slot: others may go meanwhile
                governor.enforce_deadline(wait, tries.last_message)
                await self._clock.sleep(wait)
            async with governor.slot(tokens) as slot:
                if circuit.open:
                    raise self._not_sent(tries)
                if limit is not None and tries.deadline is None:
                    self._start_time(tries, limit)
                tries.sent += 1
                tries.in_flight = True
                try:
                    completion = await self._client.complete(request)
                except NotAskedError:
                    raise
                except ParameterRefusedError as error:  # the service answers, and knows what it wants
                    tries.in_flight = False
                    tries.attempts += error.attempts
                    tries.refused_parameters += 1
                    if tries.refused_parameters == MAX_REFUSED_PARAMETERS:
                        raise self._refused_for_ever(tries, error) from None
                    if error.max_output_tokens is not None:
                        tries.is_lowered = True
                        request = replace(request, max_output_tokens=error.max_output_tokens)
                    wait = None
                except ModelCallError as error:
                    tries.in_flight = False
                    tries.last_message = error.message
                    tries.attempts += error.attempts
                    tries.maybe_billed |= error.maybe_billed
                    governor.failed(slot, error)
                    circuit.attempt_failed(error)
                    self._tell(error)
                    wait = self._wait_before_next(tries, error)
                    if wait is None:
                        self._give_up(tries, error)
                        raise
                else:
                    governor.succeeded(slot, completion)
                    circuit.succeeded()
                    return completion if not tries.attempts else with_attempts(completion, tries)

    def _wait_before_next(self, tries: Tries, error: ModelCallError) -> float | None:
        """Seconds to wait before the next attempt; None when there is to be none."""
        policy = self.policy
        most, longest = policy.most_attempts, policy.longest_seconds
        if not error.retryable or self.circuit.open or most == 1:
            return None
        if isinstance(error, RateLimitedError):
            if tries.sent >= most * REFUSALS_PER_ATTEMPT:
                return None
            if self._stuck_seconds(tries) < PATIENCE_SECONDS and self.circuit.proven:
                most = tries.counted + 1
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

    def _stuck_seconds(self, tries: Tries) -> float:
        """Count a refusal: for how long it has been refused with no other call getting through.

        A 429 means that all of us go too fast; while others have got through since its last attempt a call is not at fault.
        """
        successes, now = self.governor.successes, self._clock.now()
        if successes == tries.others:
            tries.counted += 1
        if successes != tries.others or tries.stuck_since is None:
            tries.others, tries.stuck_since = successes, now
        return now - tries.stuck_since

    def _refused_for_ever(self, tries: Tries, error: ParameterRefusedError) -> ModelCallError:
        refusal = RejectedError(
            f"{self.name} refused the request {MAX_REFUSED_PARAMETERS} times, each time for another parameter; "
            f"the last time: {error.message}",
            status=error.status,
        )
        self._give_up(tries, refusal)
        return refusal

    def _give_up(self, tries: Tries, error: ModelCallError) -> None:
        error.attempts, error.maybe_billed = tries.attempts, tries.maybe_billed
        self.circuit.call_failed(error)
        if self.circuit.open:
            self.governor.resume()  # those who wait for the end of a pause find the circuit open
            self.governor.pace.tell(News(self.name, broken=self.circuit.why))

    # ---- other processes of the run ------------------------------------------------------------------------

    def _tell(self, error: ModelCallError) -> None:
        asked = error.retry_after_seconds or 0.0
        if asked or isinstance(error, RateLimitedError):
            self.governor.pace.tell(News(self.name, paused_seconds=asked))

    def _take_notice(self, news: News) -> None:
        if news.broken is not None:
            self.circuit.heed(news.broken)
            return
        self.governor.slow_down()
        if news.paused_seconds:
            self.governor.pause(news.paused_seconds)

    def _not_sent(self, tries: Tries) -> ModelCallError:
        error = self.circuit.error()
        error.attempts, error.maybe_billed = tries.attempts, tries.maybe_billed
        return error

    # ---- the deadline --------------------------------------------------------------------------------------

    def _start_time(self, tries: Tries, limit: asyncio.Timeout) -> None:
        """From the first time it is sent: waiting for our own `--rpm` or for a free slot is no fault of the call."""
        seconds = self.policy.call_deadline_seconds
        assert seconds is not None
        tries.deadline = self._clock.now() + seconds
        limit.reschedule(asyncio.get_running_loop().time() + seconds)

    def _validate_time(self, tries: Tries, wait: float) -> None:
        """Fail now rather than at the end of a wait, or of a pause, that is longer than the time left."""
        seconds = self.policy.call_deadline_seconds
        assert seconds is not None
        left = seconds if tries.deadline is None else tries.deadline - self._clock.now()
        if left <= wait or left < self.governor.paused_seconds:
            raise self._too_late(tries)

    def _too_late(self, tries: Tries) -> CallDeadlineError:
        error = CallDeadlineError(self._time_is_up(tries))
        if tries.in_flight:
            tries.attempts += 1
            tries.maybe_billed = True
        self.governor.errors[error.kind] += 1
        self._give_up(tries, error)
        return error

    def _time_is_up(self, tries: Tries) -> str:
        seconds = self.policy.call_deadline_seconds
        pause = self.governor.paused_seconds
        parts = [f"no answer within the {seconds:g} seconds a call may take"]
        if tries.attempts:
            parts.append(f"failed attempts: {tries.attempts}")
        if pause:
            parts.append(f"{self.name} asks for {pause:.0f} seconds more")
        if tries.last_message:
            parts.append(f"the last error: {tries.last_message}")
        return "; ".join(parts)


def with_attempts(completion: Completion, tries: Tries) -> Completion:
    """The completion with what it took to get it, and a note where an earlier answer may have been paid for and lost."""
    notes = completion.notes
    if tries.is_lowered and LOWERED_NOTE not in notes:
        notes = (*notes, LOWERED_NOTE)
    if tries.maybe_billed:
        notes = (*notes, LOST_NOTE)
    return replace(completion, attempts=tries.attempts + completion.attempts, notes=notes)
