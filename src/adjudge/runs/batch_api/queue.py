"""`--batch`: requests that wait at the same time are handed to the provider as one, and what comes back is given out.

A batch is written down in the store before it is sent, with our id in it. So whoever gives the same command again, after
a kill or `--detach`, makes the same requests, finds their keys in a batch that is not collected, and waits for that one.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from hashlib import sha256
from itertools import count
from secrets import token_hex
from typing import TypeVar

import orjson
from msgspec import convert, to_builtins
from msgspec.structs import replace

from adjudge.errors import (
    DeadlinePassedError,
    ModelCallError,
    ModelNameError,
    ParameterRefusedError,
    RejectedError,
    UnavailableError,
)
from adjudge.models import CircuitOpenError, FirstCallClient, WrappingClient
from adjudge.models.clients.clock import Clock
from adjudge.models.clients.retry import MAX_REFUSED_PARAMETERS
from adjudge.models.prices import BATCH_SHARE
from adjudge.models.providers.batch_api import BatchLook, BatchResult, BatchService
from adjudge.models.providers.parameters import Adjustments
from adjudge.models.providers.wire_client import WireClient
from adjudge.models.secrets import one_line
from adjudge.options import Price, option
from adjudge.records import LOWERED_NOTE, Completion, ModelClient, Request
from adjudge.runs.budget import Budget, known_cost, to_nanodollars, worst_case
from adjudge.runs.engine.context import Progress, StopSignal
from adjudge.store import BatchContent, BatchRecord, CloseBatch, Spending, Store
from adjudge.store.group import GroupCommit

T = TypeVar("T")

IN_FLIGHT = 50_000
"""Cases that may wait for a batch at a time: what the smaller of the providers' limits holds."""
MAX_BATCHES = 3
"""That a request is sent in: what expired, was cancelled or failed goes into the next one. One in which a parameter was
refused does not count.
"""
MAX_SENDS = 5
"""Attempts to send a batch."""
MAX_FAILURES = 30
"""Times in a row, about an hour, that the provider may not answer before its batches are left for another time."""
FIRST_SECONDS = 5.0
MAX_SECONDS = 120.0
FULL_SECONDS = 900.0
"""Before a batch is sent again that was not taken because of others."""
GROWTH = 1.5
DETACHED = "detached"


class NotSentError(CircuitOpenError):
    """The provider did not take the batch."""


@dataclass(slots=True)
class WaitingRequest:
    """A request in a batch, and who waits for it."""

    drawn: Spending
    future: asyncio.Future[BatchResult | None]
    """None: it was not worked on."""


@dataclass(slots=True)
class Batch:
    record: BatchRecord
    adjustments: Adjustments
    waiting: dict[int, WaitingRequest] = field(default_factory=dict)
    """By the request's number."""
    unanswered: set[int] = field(default_factory=set)
    """Requests whose results nobody was given, whether or not anybody waits for them."""
    untaken: int = 0
    """Results that were given, and are not with the store yet."""
    all_taken: asyncio.Event = field(default_factory=asyncio.Event)

    def give(self, number: int, result: BatchResult | None) -> None:
        future = self.waiting.pop(number).future
        if not future.done():  # else nobody waits any more, and it may be asked for another time
            future.set_result(result)
            self.unanswered.discard(number)
            self.untaken += 1
            self.all_taken.clear()

    def take(self) -> None:
        self.untaken -= 1
        if not self.untaken:
            self.all_taken.set()


@dataclass(slots=True)
class Gathered:
    """A batch that is still growing."""

    batch_id: str
    adjustments: Adjustments
    batch: Batch
    keys: list[str] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    size: int = 0


class BatchQueue:
    """All batches of a run, of all its models."""

    def __init__(self, *, budget: Budget, clock: Clock, detach: bool) -> None:
        self.budget = budget
        self.clock = clock
        self.detach = detach
        self.tell: Callable[[str], None] = lambda _: None
        """Told how far a batch is, when that has changed."""
        self.clients: list[BatchClient] = []
        self.progress = Progress()
        self._halt = StopSignal()

    async def open(
        self, store: Store, group: GroupCommit, run_id: str, progress: Progress, stop_signal: StopSignal
    ) -> None:
        self.progress, self._halt = progress, stop_signal
        self.budget.waiting = progress.activity.waiting
        for client in self.clients:
            await client.open(store, group, run_id)
        progress.activity.on_quiet = self._send

    @property
    def in_flight(self) -> int:
        return sum(len(batch.waiting) for client in self.clients for batch in client.under_way.values())

    @property
    def under_way(self) -> list[BatchRecord]:
        """As far as somebody waits for them."""
        return [batch.record for client in self.clients for batch in client.under_way.values()]

    def _send(self) -> None:
        """Nothing more will be asked before something is answered."""
        started = [client.send() for client in self.clients]
        if self.detach and not any(started) and self.under_way:
            self.leave(DETACHED)

    def leave(self, why: str) -> None:
        """The batches go on without us."""
        self.progress.activity.on_quiet = (
            None  # nothing more is sent or looked at while those who wait are cancelled
        )
        self._halt.stop(why)
        self._halt.cancel()

    async def close(self) -> None:
        self.progress.activity.on_quiet = None
        for client in self.clients:
            await client.leave()


class BatchClient(WrappingClient):
    """Asks a model in batches. The first request of each form is sent directly: a batch may take a day to tell that a
    parameter is refused.
    """

    def __init__(
        self,
        client: ModelClient,
        batch_queue: BatchQueue,
        *,
        direct: ModelClient,
        price: Price | None,
        price_is_given: bool,
    ) -> None:
        """`direct` asks the same model without batches. `price` as of a request that is sent alone."""
        super().__init__(client)
        self._first = FirstCallClient(direct, max_wait_seconds=None)
        self._wire = require_batch_api(client)
        assert self._wire.batches is not None
        self._service: BatchService = self._wire.batches
        self._batching = batch_queue
        self._price = price
        self._price_is_given = price_is_given
        self.under_way: dict[str, Batch] = {}
        """By our id: those that are being sent or waited for."""
        self._before: list[Batch] = []
        """Sent by an earlier process, and not collected."""
        self._left: dict[str, tuple[Batch, int]] = {}
        """Their requests by key, with the requests' numbers in them."""
        self._gathered: Gathered | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        batch_queue.clients.append(self)

    async def open(self, store: Store, group: GroupCommit, run_id: str) -> None:
        self._store, self._group, self._run_id = store, group, run_id
        for record in await asyncio.to_thread(store.batches_under_way, run_id, self.name):
            keys = record.content.keys
            numbers = {key: number for number, key in enumerate(keys) if key not in record.collected}
            adjustments = convert(record.content.adjustments, Adjustments)
            batch = Batch(record, adjustments, unanswered=set(numbers.values()))
            self._before.append(batch)
            self._left |= {key: (batch, number) for key, number in numbers.items()}
            if not numbers:
                await group.keep(CloseBatch(batch_id=record.batch_id))

    async def complete(self, request: Request) -> Completion:
        with self._batching.progress.activity.working:
            key = self.request_key(request)
            completion = None if key in self._left else await self._ask_directly(request)
            asked = request
            refused = 0
            batches = 0
            while completion is None and batches < MAX_BATCHES:
                if key not in self._left:  # what was sent already stays as it is
                    asked = self._wire.fit(asked)
                try:
                    completion = await self._ask(key, asked)
                    batches += 1
                except ParameterRefusedError as error:
                    refused += 1
                    if refused == MAX_REFUSED_PARAMETERS:
                        raise RejectedError(error.message, status=error.status) from None
                    if error.max_output_tokens is not None:
                        asked = replace(asked, max_output_tokens=error.max_output_tokens)
            if completion is not None:
                lowered = () if asked is request else (LOWERED_NOTE,)
                return replace(completion, notes=(*completion.notes, *lowered))
            raise UnavailableError(
                f"{self.name} did not answer in {MAX_BATCHES} batches, which expired, were cancelled or failed"
            )

    async def _ask_directly(self, request: Request) -> Completion | None:
        """None where it goes into a batch."""
        try:
            return await self._first.ask_first(request, waiting=self._batching.progress.activity.waiting)
        except ModelCallError as error:
            if not error.retryable:
                raise
            return None  # a service that is busy now may take a batch

    async def _ask(self, key: str, request: Request) -> Completion | None:
        """None where it is worth another try."""
        budget = self._batching.budget
        found = self._left.pop(key, None)
        if found is None:
            worst = self._worst(request)
            await budget.reserve(worst)
            try:
                batch, waiting = self._gather(key, request, worst)
            except BaseException:
                budget.settle(worst, Spending())
                raise
        else:
            batch, number = found
            waiting = batch.waiting[number] = _waiting(batch.record.content.drawn[number])
            budget.take_over()
        spent: Spending | None = None
        completion = None
        try:
            with self._batching.progress.activity.waiting:
                result = await waiting.future
            spent = Spending()
            if result is not None and result.status is not None:
                spent = Spending(calls=1)
                completion = self._wire.read_batched(request, result, batch.adjustments)
                cost = self._cost(completion)
                worst = self._worst(request)
                spent = worst if cost is None else Spending(1, to_nanodollars(cost))
                budget.validate_reservation(self.name, worst, spent)
                if self._price_is_given:
                    completion = replace(completion, cost=cost)
            batch.take()  # what is read is handed to the store before anybody else comes to work
        except NotSentError:
            spent = Spending()
            raise
        except ModelCallError as error:
            if spent is not None:  # it was answered, with an error
                batch.take()
                spent = self._worst(request) if error.maybe_billed else spent
                budget.validate_refusal(self.name, error)
                if error.retryable and not isinstance(error, ParameterRefusedError):
                    return None
            raise
        except asyncio.CancelledError:
            if self._gathered is not None and self._gathered.batch is batch:
                spent = Spending()  # it was not sent yet
            raise
        finally:
            budget.settle_drawn(waiting.drawn, spent)
        return completion

    # ---- gathering ----

    def _gather(self, key: str, request: Request, worst: Spending) -> tuple[Batch, WaitingRequest]:
        limit = self._service.limit
        adjustments = self._wire.adjustments
        gathered = self._gathered or self._new(adjustments)
        number = len(gathered.lines)
        line = self._wire.batch_line(f"{gathered.batch_id}-{number}", request, gathered.adjustments)
        is_full = number >= limit.requests or gathered.size + len(line) + 1 > limit.bytes
        if number and (is_full or gathered.adjustments != adjustments):
            self._seal()
            return self._gather(key, request, worst)
        self._gathered = gathered
        waiting = _waiting(self._batching.budget.limited(worst))
        gathered.keys.append(key)
        gathered.lines.append(line)
        gathered.size += len(line) + 1
        gathered.batch.waiting[number] = waiting
        return gathered.batch, waiting

    def _new(self, adjustments: Adjustments) -> Gathered:
        batch_id = f"adjudge-{token_hex(8)}"
        content = BatchContent(keys=(), drawn=(), adjustments={})
        record = BatchRecord(
            batch_id=batch_id, run_id=self._run_id, model=self.name, content=content, at=datetime.now(UTC)
        )
        return Gathered(batch_id, adjustments, Batch(record, adjustments))

    def send(self) -> bool:
        """Send what is gathered, and look after batches from before that somebody waits for now."""
        begun = [
            batch for batch in self._before if batch.waiting and batch.record.batch_id not in self.under_way
        ]
        for batch in begun:
            self._start(batch, None)
        if self._gathered is None:
            return bool(begun)
        self._seal()
        return True

    def _seal(self) -> None:
        gathered, self._gathered = self._gathered, None
        assert gathered is not None
        batch = gathered.batch
        batch.unanswered = set(range(len(gathered.lines)))
        batch.record = replace(
            batch.record,
            content=BatchContent(
                keys=tuple(gathered.keys),
                drawn=tuple(each.drawn for each in batch.waiting.values()),
                adjustments=to_builtins(gathered.adjustments),
            ),
            at=datetime.now(UTC),
        )
        self._start(batch, gathered.lines)

    # ---- sending and collecting ----

    def _start(self, batch: Batch, lines: list[bytes] | None) -> None:
        self.under_way[batch.record.batch_id] = batch
        task = asyncio.create_task(self._carry(batch, lines))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def leave(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(self, batch: Batch, lines: list[bytes] | None) -> None:
        """`lines` None: it may have been sent before."""
        try:
            with self._batching.progress.activity.working:
                sent = await self._find_or_send(batch, lines)
                look = None if sent is None else await self._until_ended(sent)
                while batch.waiting:  # somebody may come while the results do, and too late for them
                    asked = set(batch.waiting)
                    if look is not None:
                        await self._persist(partial(self._collect, batch, look))
                    for number in asked & batch.waiting.keys():
                        batch.give(number, None)
                if not batch.unanswered:
                    await batch.all_taken.wait()
                    await self._group.keep(CloseBatch(batch_id=batch.record.batch_id))
        except NotSentError as error:
            self._fail(batch, error)
        except ModelCallError as error:
            # it may be answered all the same: the run stays unfinished, and the same command collects it
            self._batching.leave(error.message)
        except Exception as error:  # noqa: BLE001 - handed to those who wait
            self._fail(batch, error)
        finally:
            del self.under_way[batch.record.batch_id]

    @staticmethod
    def _fail(batch: Batch, error: Exception) -> None:
        for waiting in batch.waiting.values():
            if not waiting.future.done():
                # one for each: raised in many tasks, a single one would gather all their tracebacks
                waiting.future.set_exception(copy(error) if isinstance(error, ModelCallError) else error)

    async def _find_or_send(self, batch: Batch, lines: list[bytes] | None) -> str | None:
        """The provider's id; None where it was never sent, and what was to be in it goes into another one."""
        record = batch.record
        if lines is not None:
            await asyncio.to_thread(self._store.keep_batch, record)
            found: str | None = await self._submit(record, lines)
            lines.clear()  # they are large, and the provider has them
        elif record.provider_id is not None:
            return record.provider_id
        else:
            found = await self._find(record)
        if found is not None:
            await asyncio.to_thread(self._store.batch_submitted, record.batch_id, found)
        return found

    async def _submit(self, record: BatchRecord, lines: list[bytes]) -> str:
        """After an error it may be there all the same: it is looked for before it is sent again."""
        error: ModelCallError | None = None
        for attempt in range(MAX_SENDS):
            is_sending = error is None
            try:
                if not is_sending and (found := await self._find(record)) is not None:
                    return found
                is_sending = True
                return await self._service.submit(record.batch_id, lines)
            except ModelCallError as failure:
                if not failure.retryable and not is_sending:
                    raise  # it may be there, and is collected another time
                if not failure.retryable:
                    await self._group.keep(CloseBatch(batch_id=record.batch_id))
                    raise NotSentError(f"the batch was not sent: {failure.message}") from None
                error = failure
            await self._rest(_pause(attempt))
        assert error is not None
        raise UnavailableError(f"a batch may not have been sent: {error.message}")

    async def _find(self, record: BatchRecord) -> str | None:
        naps = count()
        return await self._service.find(
            record.batch_id,
            size=len(record.content.keys),
            since=record.at,
            nap=lambda: self._nap(next(naps)),
        )

    async def _until_ended(self, provider_id: str) -> BatchLook:
        told = ""
        for looks in count():
            look = await self._persist(lambda: self._service.look(provider_id))
            name = one_line(provider_id)
            text = f"batch {name} of {self.name}: {look.done:,} of {look.total:,} requests done"
            if text != told:
                self._batching.tell(text)
            told = text
            if look.ended:
                return look
            await self._nap(looks)
        raise AssertionError("unreachable")

    async def _persist(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask again what may go through later: a batch takes hours, and may outlive a fault of the network."""
        for failures in count(1):
            try:
                return await ask()
            except ModelCallError as error:
                if not error.retryable or failures == MAX_FAILURES:
                    raise
            await self._nap(failures)
        raise AssertionError("unreachable")

    async def _nap(self, looks: int) -> None:
        if self._batching.detach:
            with self._batching.progress.activity.waiting:
                await asyncio.Event().wait()  # nobody will come: the run is left
        await self._rest(_pause(looks))

    async def _rest(self, seconds: float) -> None:
        clock, deadline = self._batching.clock, self._batching.budget.deadline
        left = math.inf if deadline is None else max(0.0, deadline - clock.now())
        with self._batching.progress.activity.waiting:
            await clock.sleep(min(seconds, left))
        if seconds >= left:
            raise DeadlinePassedError(
                f"the run's {option('--deadline')} has passed: the batch is collected another time"
            )

    async def _collect(self, batch: Batch, look: BatchLook) -> None:
        if look.problem is not None and not look.is_full:
            answer = {"error": {"message": f"the batch was refused: {look.problem}"}}
            for number in list(batch.waiting):
                batch.give(number, BatchResult("", 400, answer))
        elif look.is_full:
            await self._rest(FULL_SECONDS)
        else:
            await self._take_results(batch, look)

    async def _take_results(self, batch: Batch, look: BatchLook) -> None:
        """Download the results twice. The last line may contradict the first, so that none can be taken before all are
        read; and they cannot be kept until then: with logprobs a result has up to some 100 KB, and a batch 50,000 of them.
        """
        places = {
            f"{batch.record.batch_id}-{number}": number for number in range(len(batch.record.content.keys))
        }
        seen: dict[int, bytes | None] = {}
        strange = contradicting = 0
        async for result in self._service.results(look):
            number = places.get(result.custom_id)
            if number is None:
                strange += 1
                continue
            digest = _digest(result)
            if seen.setdefault(number, digest) not in (digest, None):
                seen[number] = None
                contradicting += 1
        if strange or contradicting:
            self._batching.tell(
                f"batch {one_line(look.id)} of {self.name}: left out {strange:,} results that are not its own or cannot "
                f"be read, and {contradicting:,} that contradict another"
            )
        async for result in self._service.results(look):
            number = places.get(result.custom_id)
            # one that was given before is not waited for
            if number is not None and number in batch.waiting and seen.get(number) == _digest(result):
                batch.give(number, result)

    # ---- what it costs ----

    def _worst(self, request: Request) -> Spending:
        cost = Decimal(0) if self._price is None else worst_case(self._price, request) * BATCH_SHARE
        return Spending(calls=1, nanodollars=to_nanodollars(cost))

    def _cost(self, completion: Completion) -> Decimal | None:
        """As of a request that is sent alone, by half."""
        if completion.cost is not None and not self._price_is_given:
            return completion.cost
        cost = None if self._price is None else known_cost(self._price, completion.usage)
        return None if cost is None else cost * BATCH_SHARE


def require_batch_api(client: ModelClient) -> WireClient:
    if not isinstance(client, WireClient) or client.batches is None:
        raise ModelNameError(
            option("--batch"),
            f"{client.name} has no batch API that adjudge knows",
            f"name a model of `openai:` or `anthropic:`, or leave {option('--batch')} out",
        )
    return client


def _waiting(drawn: Spending) -> WaitingRequest:
    return WaitingRequest(drawn, asyncio.get_running_loop().create_future())


def _digest(result: BatchResult) -> bytes:
    return sha256(orjson.dumps([result.status, result.body])).digest()


def _pause(times: int) -> float:
    """Before the next look."""
    return min(MAX_SECONDS, FIRST_SECONDS * GROWTH ** min(times, 20))
