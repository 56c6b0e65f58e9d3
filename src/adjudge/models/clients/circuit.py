"""The circuit that opens when everything fails, so that a wrong key or a dead server ends a run in seconds."""

from adjudge.errors import (
    AccountExhaustedError,
    ModelCallError,
    NotAskedError,
    RateLimitedError,
    RejectedError,
    TooLongError,
    UnauthorizedError,
)
from adjudge.models.clients.clock import SYSTEM_CLOCK, Clock

HOPELESS_CALLS = 3
"""Failures that no second try and no other case changes: so many in a row settle it while nothing has succeeded."""
MIN_CALLS = 10
DEAD_SECONDS = 10.0
"""Nothing but failures for so long, from the start: nobody is there."""
LOST_SECONDS = 30.0
"""The same for a service that has answered before, and may be about to come back."""
HOPELESS_STATUSES = frozenset({404})
"""As `RejectedError`: no such model or address."""


class CircuitOpenError(ModelCallError):
    """Not sent, because everything before it failed."""

    kind = "circuit_open"


class Circuit:
    """Watches the failures since the last success. A success, of a call that was on its way, closes it again.

    While nothing has ever succeeded it opens after 3 calls that failed for the key, the account or the model's name; after
    `max(10, 2 × jobs)` calls that were given up; or when for 10 seconds every attempt failed, as many of them as there are
    jobs. Later it takes `max(10, 2 × jobs)` given up in a row, and 30 seconds unless they failed for the key or were all rejected
    in the same words, as of an account that was blocked in words we do not know.
    An account that is used up opens it at once. Prompts that are too long say nothing about the service, and being told to slow down is no sign of a dead one.
    """

    def __init__(self, *, jobs: int, clock: Clock = SYSTEM_CLOCK) -> None:
        self.open = False
        self.why = ""
        """What a person reads: what was seen, and the last error. Empty while closed."""
        self.proven = False
        """A call has succeeded."""
        self._clock = clock
        self._most_calls = max(MIN_CALLS, 2 * jobs)
        self._most_attempts = max(HOPELESS_CALLS, jobs)
        self._since: float | None = None
        """When the first failure since the last success was seen; the counts below are from then on."""
        self._attempts = 0
        self._calls = 0
        self._hopeless = 0
        self._rejected_alike = 0
        self._rejection = ""

    def __repr__(self) -> str:
        return f"<Circuit {'open: ' + self.why if self.open else 'closed'}>"

    def error(self) -> CircuitOpenError:
        return CircuitOpenError(f"not sent: {self.why}")

    def succeeded(self) -> None:
        if self.proven and self._since is None:
            return
        self.proven = True
        self.open, self.why = False, ""
        self._since = None
        self._attempts = self._calls = self._hopeless = self._rejected_alike = 0

    def heed(self, why: str) -> None:
        """Another process of the run found the service dead. One that was answered here goes by its own calls: it may be
        that only the other's key or network is at fault.
        """
        if not self.proven and not self.open:
            self.open, self.why = True, why

    def attempt_failed(self, error: ModelCallError) -> None:
        """An attempt failed; the call may be tried again."""
        if isinstance(error, TooLongError | CircuitOpenError | NotAskedError):
            return
        now = self._clock.now()
        if self._since is None:
            self._since = now
        if isinstance(error, RateLimitedError):
            return
        self._attempts += 1
        elapsed = now - self._since
        if not self.proven and elapsed >= DEAD_SECONDS and self._attempts >= self._most_attempts:
            self._trip(f"for {elapsed:.0f} seconds every attempt failed ({self._attempts} of them)", error)

    def call_failed(self, error: ModelCallError) -> None:
        """A call was given up, after its last attempt was reported."""
        if isinstance(error, TooLongError | CircuitOpenError | NotAskedError):
            return
        now = self._clock.now()
        if self._since is None:
            self._since = now
        self._calls += 1
        self._hopeless += is_hopeless(error)
        is_alike = isinstance(error, RejectedError) and error.message == self._rejection
        self._rejected_alike = self._rejected_alike + 1 if is_alike else 1
        self._rejection = error.message
        if isinstance(error, AccountExhaustedError):
            self._trip("the account is used up", error)
        elif not self.proven:
            if self._hopeless >= HOPELESS_CALLS or self._calls >= self._most_calls:
                self._trip(f"all {self._calls} calls so far failed", error)
        elif isinstance(error, RejectedError) and self._rejected_alike >= self._most_calls:
            self._trip(f"the last {self._rejected_alike} calls were all rejected in the same words", error)
        elif self._hopeless >= self._most_calls or (
            self._calls >= self._most_calls and now - self._since >= LOST_SECONDS
        ):
            self._trip(f"the last {self._calls} calls all failed", error)

    def _trip(self, seen: str, error: ModelCallError) -> None:
        if not self.open:
            self.open, self.why = True, f"{seen}; the last one: {error.message}"


def is_hopeless(error: ModelCallError) -> bool:
    """Whether the key, the account or the model's name is at fault, rather than this request or this moment."""
    return isinstance(error, UnauthorizedError) or (
        isinstance(error, RejectedError) and error.status in HOPELESS_STATUSES
    )
