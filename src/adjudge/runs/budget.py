"""What a run may spend: every call reserves its worst case before it is sent, and settles after."""

import time
from dataclasses import dataclass, field
from decimal import Decimal

from adjudge.errors import ModelCallError
from adjudge.models import WrappingClient
from adjudge.options import option
from adjudge.records import Completion, ModelClient, Request

ASSUMED_OUTPUT_TOKENS = 4_096
"""Reserved for a reply whose length nobody limits."""


class NotAskedError(ModelCallError):
    """The call was not made: the run's limit would be passed. `kind` says which."""

    kind = "not_asked"


class BudgetSpentError(NotAskedError):
    kind = "budget"


class DeadlinePassedError(NotAskedError):
    kind = "deadline"


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal

    def worst_case(self, request: Request) -> Decimal:
        """No token is shorter than a byte, so the prompt has at most as many tokens as bytes."""
        prompt = sum(len(message.content.encode("utf-8", "replace")) for message in request.prompt.messages)
        reply = request.max_output_tokens or ASSUMED_OUTPUT_TOKENS
        return (self.input * prompt + self.output * reply) / 1_000_000


@dataclass(kw_only=True, slots=True)
class Budget:
    """Counts calls and dollars. Reservations make the limits hold however many calls are in flight."""

    max_cost: Decimal | None = None
    max_calls: int | None = None
    price: Price | None = None
    """Needed with `max_cost`."""
    deadline: float | None = None
    """On the monotonic clock: nothing is sent after it. What is in flight by then is finished."""
    spent: Decimal = field(default=Decimal(0), init=False)
    calls: int = field(default=0, init=False)
    _reserved: Decimal = field(default=Decimal(0), init=False)

    def reserve(self, request: Request) -> Decimal:
        """What was set aside; a `NotAskedError` when a limit does not allow it."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise DeadlinePassedError(f"the run's {option('--deadline')} has passed")
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetSpentError(f"{option('--max-calls', str(self.max_calls))} is reached")
        aside = Decimal(0)
        if self.max_cost is not None:
            assert self.price is not None
            aside = self.price.worst_case(request)
            if self.spent + self._reserved + aside > self.max_cost:
                raise BudgetSpentError(
                    f"{option('--max-cost', str(self.max_cost))} would be passed: {self.spent:.4f} is spent, "
                    f"{self._reserved:.4f} is set aside for calls in flight and this one may cost {aside:.4f}"
                )
        self.calls += 1
        self._reserved += aside
        return aside

    def settle(self, aside: Decimal, completion: Completion | None) -> None:
        """After the call. One that failed cost nothing that anybody knows of; an unknown cost counts as the worst."""
        self._reserved -= aside
        if completion is not None:
            self.spent += aside if completion.cost is None else completion.cost


class BudgetedClient(WrappingClient):
    """A client that wraps a client: what the budget does not allow is not asked."""

    def __init__(self, client: ModelClient, budget: Budget) -> None:
        super().__init__(client)
        self._budget = budget

    async def complete(self, request: Request) -> Completion:
        aside = self._budget.reserve(request)
        completion: Completion | None = None
        try:
            completion = await self._client.complete(request)
        finally:
            self._budget.settle(aside, completion)
        return completion
