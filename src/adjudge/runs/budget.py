"""What a run may spend: every request reserves its worst case before it is sent, and settles after.

The limits are the run's, whichever processes work on it: a process draws a portion of them from the run's account,
reserves from that, and gives the rest back at its end.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from secrets import token_hex
from typing import Protocol

from msgspec.structs import replace

from adjudge.errors import (
    AdjudgeError,
    BudgetSpentError,
    DeadlinePassedError,
    ModelCallError,
    ParameterRefusedError,
    SettingsError,
    UnavailableError,
)
from adjudge.models import WrappingClient
from adjudge.models.clients.clock import SYSTEM_CLOCK, Clock
from adjudge.options import Price, option
from adjudge.rates import FlowLimit, FlowWish, News, PaceDraw
from adjudge.records import Completion, ModelClient, Request, Usage
from adjudge.store import (
    AddSpending,
    Process,
    Spending,
    SpendingDraw,
    SpendingLimit,
    Store,
    TellNews,
    Write,
    take_portion,
)
from adjudge.store.group import GroupCommit

ASSUMED_OUTPUT_TOKENS = 4_096
"""Reserved for a reply whose length nobody limits; with `--max-cost` it is also sent as the limit."""
TOKENS_PER_MESSAGE = 16
"""More than what any provider wraps a message in."""
MAX_RESERVED_PERCENT = 110
"""That a reply may cost of what was reserved for it: providers add some tokens of their own to a prompt with tools."""
MIN_RESERVATIONS = 20
"""A limit on money that covers fewer at once is explained before the run begins."""
PORTION = 16
"""Drawn for so many requests like the one at hand, where enough is left."""
NOT_BILLED = frozenset({409, 425, 503, 529})
"""Answers of a service that has not begun to work on the request; what it refuses (4xx) is no UnavailableError."""


ONE_CALL = Spending(calls=1)


def worst_case(price: Price, request: Request) -> Decimal:
    """No token is shorter than a byte, so what is sent has at most as many tokens as bytes."""
    messages = request.prompt.messages
    prompt = sum(len(message.content.encode("utf-8", "replace")) for message in messages)
    prompt += TOKENS_PER_MESSAGE * len(messages)
    if request.schema is not None:
        prompt += len(json.dumps(request.schema, default=dict))
    return _cost(price, prompt, request.max_output_tokens or ASSUMED_OUTPUT_TOKENS)


def known_cost(price: Price, usage: Usage) -> Decimal | None:
    """None where the provider does not say how many tokens it read and wrote."""
    if usage.input is None or usage.output is None:
        return None
    return _cost(price, usage.input, usage.output)


def _cost(price: Price, read: int, written: int) -> Decimal:
    return (price.input * read + price.output * written) / 1_000_000


class Account(Protocol):
    """Where the run's spending is counted, for all its processes."""

    async def draw(self, least: Spending, most: Spending, limit: SpendingLimit) -> SpendingDraw:
        """A portion, durably: it counts as spent until it is given back."""

    def add(self, spent: Spending) -> None:
        """With what is stored next; less than nothing gives back."""


class MemoryAccount:
    """Of a run that is not stored, and so has one process."""

    def __init__(self) -> None:
        self._spent = Spending()

    async def draw(self, least: Spending, most: Spending, limit: SpendingLimit) -> SpendingDraw:
        drawn = take_portion(self._spent, least, most, limit)
        self.add(drawn.portion or Spending())
        return drawn

    def add(self, spent: Spending) -> None:
        self._spent = self._spent.plus(spent)


class StoredAccount:
    """Of money and calls, and of what goes a minute."""

    def __init__(self, store: Store, group: GroupCommit, run_id: str, *, is_shared: bool = False) -> None:
        """`is_shared`: other processes work on the same run."""
        self.is_shared = is_shared
        self._store = store
        self._group = group
        self._process = Process(run_id, token_hex(8))

    async def draw(self, least: Spending, most: Spending, limit: SpendingLimit) -> SpendingDraw:
        return await asyncio.to_thread(self._store.draw, self._process.run_id, least, most, limit)

    def add(self, spent: Spending) -> None:
        self._keep_soon(AddSpending(run_id=self._process.run_id, spent=spent))

    async def draw_pace(self, wish: FlowWish, limit: FlowLimit) -> PaceDraw:
        drawn = await asyncio.to_thread(self._store.draw_pace, self._process, wish, limit)
        self._process = self._process._replace(asked_at=drawn.at)
        return drawn

    def tell(self, news: News) -> None:
        self._keep_soon(TellNews(process=self._process, news=news))

    def _keep_soon(self, write: Write) -> None:
        self._group.keep_soon(write, done=lambda: None)


@dataclass(kw_only=True, slots=True)
class Budget:
    """Counts requests and dollars. Reservations make the limits hold however many requests are in flight."""

    max_cost: Decimal | None = None
    max_calls: int | None = None
    deadline: float | None = None
    """On the clock: nothing is sent after it. What is in flight by then is finished."""
    clock: Clock = SYSTEM_CLOCK
    account: Account = field(default_factory=MemoryAccount)
    reply_cost: Decimal = Decimal(0)
    """What is set aside for the reply of a call, in US dollars: the most for any judge and model of the run."""
    waiting: AbstractContextManager[None] = field(default_factory=nullcontext)
    """Entered by those who wait for others to settle."""
    spent: Decimal = field(default=Decimal(0), init=False)
    """By this process, in US dollars, as far as known."""
    overrun: str | None = field(default=None, init=False)
    """That a reply cost more than was reserved for it, in words."""
    _fault: Callable[[], AdjudgeError] | None = field(default=None, init=False)
    """Why nothing more is sent, whatever is left: the service does not keep to what is reserved. One error for each
    request: raised in many tasks, a single one would gather all their tracebacks.
    """
    _held: Spending = field(default=Spending(), init=False)
    """Drawn, and not reserved for any request."""
    _left: SpendingLimit = field(default=SpendingLimit(), init=False)
    """In the account, when it was last asked."""
    _in_flight: int = field(default=0, init=False)
    _drawing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _settled: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def __post_init__(self) -> None:
        self._left = self._limit

    @property
    def is_limited(self) -> bool:
        """Whether anything has to be set aside before a request is sent; what is spent is counted in any case."""
        return self.max_cost is not None or self.max_calls is not None

    @property
    def _limit(self) -> SpendingLimit:
        return SpendingLimit(
            calls=self.max_calls,
            nanodollars=None if self.max_cost is None else int(self.max_cost.scaleb(9)),
        )

    @property
    def warning(self) -> str | None:
        """Where one reservation is a good part of the money: so much of it may be left when the run stops."""
        if self.max_cost is None or self.reply_cost * MIN_RESERVATIONS <= self.max_cost:
            return None
        return (
            f"each call reserves at least ${self.reply_cost:.4f}, the price of the longest reply, until its cost is known, "
            f"so that much of {option('--max-cost', str(self.max_cost))} may stay unspent; "
            f"a lower {option('--max-output-tokens')} reserves less"
        )

    async def reserve(self, worst: Spending) -> None:
        """Return when it is set aside; a `BudgetSpentError` when a limit does not allow it.

        While others are in flight it waits for them: they mostly cost less than was set aside for them.
        """
        wanted = self.limited(worst) if self.is_limited else worst
        self._raise_fault()
        while self.is_limited and not self._covers(wanted):
            settled = self._settled
            if await self._draw(wanted):
                continue
            if not self._in_flight:
                raise self._refusal(wanted)
            with self.waiting:
                await settled.wait()
                self._raise_fault()
        if self.deadline is not None and self.clock.now() > self.deadline:
            raise DeadlinePassedError(f"the run's {option('--deadline')} has passed")
        if self.is_limited:
            self._held = self._held.minus(wanted)
        self._in_flight += 1

    def validate_reservation(self, model: str, reserved: Spending, spent: Spending) -> None:
        """A reply that cost more than was set aside for it: the next ones would too, so nothing more is sent."""
        if self.max_cost is None or spent.nanodollars * 100 <= reserved.nanodollars * MAX_RESERVED_PERCENT:
            return
        message = self.overrun = self.overrun or (
            f"a reply of {model} cost ${spent.nanodollars / 1e9:.4f}, and at most ${reserved.nanodollars / 1e9:.4f} "
            f"was reserved for it: the server ignored the limit on output tokens, so that "
            f"{option('--max-cost', str(self.max_cost))} cannot hold; limit requests with {option('--max-calls')} "
            f"instead"
        )
        self._fault = self._fault or (lambda: BudgetSpentError(message))

    def validate_refusal(self, model: str, error: ModelCallError) -> None:
        """Nothing can be reserved for a reply whose length the service does not limit."""
        if self.max_cost is None or not isinstance(error, ParameterRefusedError) or not error.lifts_limit:
            return
        problem = (
            f"{model} takes no limit on the length of its replies, so that a reply may cost any amount "
            f"({error.message})"
        )
        hint = f"limit requests with {option('--max-calls')} instead, or name another model"
        self._fault = self._fault or (lambda: SettingsError(option("--max-cost"), problem, hint))
        self._raise_fault()

    def _raise_fault(self) -> None:
        if self._fault is not None:
            raise self._fault()

    def settle(self, worst: Spending, spent: Spending) -> None:
        """After the request: `spent` of what was set aside for it was used, or may have been."""
        if self.is_limited:
            self.settle_drawn(self.limited(worst), spent)
            return
        if spent.calls or spent.nanodollars:
            self.account.add(spent)
        if spent.nanodollars:
            self.spent += Decimal(spent.nanodollars).scaleb(-9)
        self._in_flight -= 1

    def take_over(self) -> None:
        """A request is in flight for which an earlier process of the run has drawn."""
        self._in_flight += 1

    def settle_drawn(self, drawn: Spending, spent: Spending | None) -> None:
        """The same, where `drawn` was taken from the account for it; `spent` None: it is still in flight, without us."""
        if spent is not None:
            limited = self.limited(spent)
            self._held = self._held.plus(self.limited(drawn)).minus(limited)
            beside = spent.minus(limited).minus(drawn.minus(self.limited(drawn)))
            if beside != Spending():
                self.account.add(beside)
            self.spent += Decimal(spent.nanodollars).scaleb(-9)
        self._in_flight -= 1
        self._settled.set()
        self._settled = asyncio.Event()

    def give_back(self) -> None:
        """At the end, or for a while: what was drawn and not used."""
        held, self._held = self._held, Spending()
        self._left = self._limit  # the others may give back too: the account is asked again
        if held != Spending():
            self.account.add(Spending().minus(held))

    def limited(self, spending: Spending) -> Spending:
        """As far as there are limits: the rest is counted after it is spent, and not drawn before."""
        return Spending(
            calls=0 if self.max_calls is None else spending.calls,
            nanodollars=0 if self.max_cost is None else spending.nanodollars,
        )

    def _covers(self, wanted: Spending) -> bool:
        return self._held.calls >= wanted.calls and self._held.nanodollars >= wanted.nanodollars

    async def _draw(self, wanted: Spending) -> bool:
        """Whether it is worth looking again."""
        async with self._drawing:
            if self._covers(wanted):
                return True  # another has drawn meanwhile
            missing = Spending(*(max(0, part) for part in wanted.minus(self._held)))
            if not self._left.allows(missing):
                return False
            most = Spending(*(PORTION * part for part in missing))
            drawn = await self.account.draw(missing, most, self._limit)
            self._left = drawn.left
            self._held = self._held.plus(drawn.portion or Spending())
            return drawn.portion is not None

    def _refusal(self, wanted: Spending) -> BudgetSpentError:
        if self.max_calls is not None and self._held.calls < wanted.calls:
            return BudgetSpentError(f"{option('--max-calls', str(self.max_calls))} is reached by this run")
        left = self._held.nanodollars + (self._left.nanodollars or 0)
        return BudgetSpentError(
            f"this call could exceed {option('--max-cost', str(self.max_cost))}: this run has ${left / 1e9:.4f} left, "
            f"and the call costs up to ${wanted.nanodollars / 1e9:.4f}"
        )


class BudgetedClient(WrappingClient):
    """A client that wraps a client: what the budget does not allow is not sent. Retries go around it, so that each counts."""

    def __init__(
        self,
        client: ModelClient,
        budget: Budget,
        *,
        price: Price | None = None,
        price_is_given: bool = False,
    ) -> None:
        """`price` is needed with a limit on money. Given by the person, it goes before what the price list says of a reply."""
        super().__init__(client)
        self._budget = budget
        self._price = price
        self._price_is_given = price_is_given

    async def complete(self, request: Request) -> Completion:
        budget = self._budget
        worst = self._worst(request)
        await budget.reserve(worst)
        spent = worst  # as long as nobody knows better: a request that is given up may be billed
        try:
            completion = await self._client.complete(request)
            cost = self._cost(completion)
            if cost is not None:
                spent = Spending(calls=1, nanodollars=to_nanodollars(cost))
                budget.validate_reservation(self.name, worst, spent)
        except ModelCallError as error:
            if not may_be_billed(error):
                spent = Spending(calls=int(was_sent(error)))
            budget.validate_refusal(self.name, error)
            raise
        finally:
            budget.settle(worst, spent)
        return replace(completion, cost=cost) if self._price_is_given else completion

    def _worst(self, request: Request) -> Spending:
        if self._price is None:
            return ONE_CALL
        return Spending(calls=1, nanodollars=to_nanodollars(worst_case(self._price, request)))

    def _cost(self, completion: Completion) -> Decimal | None:
        """What a reply cost: at the price that the person gave, else by the price list, else at the model's price."""
        if completion.cost is not None and not self._price_is_given:
            return completion.cost
        return None if self._price is None else known_cost(self._price, completion.usage)


def was_sent(error: ModelCallError) -> bool:
    """Whether a request that failed so reached the service: it was answered, or may have been."""
    return error.status is not None or error.maybe_billed


def may_be_billed(error: ModelCallError) -> bool:
    """Whether the model may have worked on a request that failed so."""
    if error.maybe_billed:
        return True
    # without a status there was no connection
    return isinstance(error, UnavailableError) and error.status is not None and error.status not in NOT_BILLED


def to_nanodollars(cost: Decimal) -> int:
    return int(cost.scaleb(9).to_integral_value(ROUND_CEILING))
