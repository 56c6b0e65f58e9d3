"""What asks models for requests: a thread with an event loop of its own, so that pages never wait for a judge."""

import asyncio
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from decimal import Decimal
from logging import getLogger
from typing import Any, TypeVar

from adjudge.dataset import read_cases
from adjudge.errors import AdjudgeError, InputError
from adjudge.options import RunOptions
from adjudge.records import Json, Judge, Judgement, ModelClient
from adjudge.runs.find_model import find_models, is_embedded, refuse_untrained
from adjudge.runs.plan import Plan, make_plan
from adjudge.runs.session import Session, open_session

LOG = getLogger(__name__)
T = TypeVar("T")

MAX_WAITING = 64
"""Single judgements asked for at the same time; more are told to come again."""
MAX_RUNS = 4
PATIENCE_SECONDS = 5.0
"""For what is in flight when the server closes; then it is given up."""
CLOSING_SECONDS = 30.0


class BusyError(InputError):
    """HTTP 429, worth another try."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOrder:
    """What a request wants judged."""

    judges: Sequence[Judge]
    model: str
    cases: Sequence[Mapping[str, Json]]
    options: RunOptions


class Asker:
    def __init__(self, *, where: str, base_url: str | None, max_cost: Decimal | None = None) -> None:
        """`max_cost` holds for each run and each case that requests ask for; a request may lower it."""
        self._where = where
        self._max_cost = max_cost
        self._base_url = base_url
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._work, name="adjudge-asker", daemon=True)
        self._clients: dict[str, ModelClient] = {}
        self._sessions: list[Session] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._lock = threading.Lock()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Runs under way take no further work and are left as interrupted: the same order goes on with them."""
        if not self._thread.is_alive():
            self._loop.close()
            return
        try:
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(CLOSING_SECONDS)
        except TimeoutError:
            LOG.warning("a model has not answered; its call is abandoned")
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSING_SECONDS)

    # ---- asked by requests ----

    async def judge(self, judge: Judge, model: str, case: Mapping[str, Json]) -> Judgement:
        """One case; nothing is kept of it."""
        with self._lock:
            if self._waiting >= MAX_WAITING:
                raise BusyError("judge", "too many cases are being judged", "try again in a moment")
            self._waiting += 1
        try:
            return await self._answer(self._judge(judge, model, case))
        finally:
            with self._lock:
                self._waiting -= 1

    async def begin_run(self, order: RunOrder) -> str:
        """The run's id, as soon as it is in the store; it goes on by itself."""
        return await self._answer(self._begin(order))

    async def stop_run(self, run_id: str) -> bool:
        """Whether it was one of ours; what is in flight is finished."""
        return await self._answer(self._stop(run_id))

    # ---- the thread ----

    def _work(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    async def _answer(self, work: Coroutine[Any, Any, T]) -> T:
        submitted: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return await asyncio.wrap_future(submitted)
        except asyncio.CancelledError:
            if submitted.cancelled() and not _being_cancelled():
                raise BusyError("the server", "is closing", "start it again") from None
            raise

    async def _judge(self, judge: Judge, model: str, case: Mapping[str, Json]) -> Judgement:
        plan = self._plan([judge], model, RunOptions(jobs=1, store=None))
        judged: list[Judgement] = []
        async with open_session(plan, [case]) as session:
            await session.run(read_cases([case], name="the request"), judged.append)
        return judged[-1]  # behind those of its parts, where it is a combination

    async def _begin(self, order: RunOrder) -> str:
        if len(self._tasks) >= MAX_RUNS:
            raise BusyError("runs", f"{MAX_RUNS} are running", "wait for one to finish, or stop one")
        started: asyncio.Future[str] = self._loop.create_future()
        task = self._loop.create_task(self._run(order, started))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await started

    async def _run(self, order: RunOrder, started: asyncio.Future[str]) -> None:
        try:
            options = replace(order.options, store=self._where)
            plan = self._plan(order.judges, order.model, options)
            async with open_session(plan, order.cases) as session:
                self._sessions.append(session)
                try:
                    started.set_result(session.run_id)
                    rows = read_cases(order.cases, name="the request")
                    await session.run(rows, lambda _: None)
                finally:
                    # by identity: sessions hold what cannot be compared
                    self._sessions = [each for each in self._sessions if each is not session]
        except AdjudgeError as error:
            if started.done():
                LOG.warning("a run ended early: %s", error)
            else:
                started.set_exception(error)
        except BaseException as error:
            if not started.done():
                started.set_exception(
                    error if isinstance(error, Exception) else RuntimeError("the server is closing")
                )
            raise

    async def _stop(self, run_id: str) -> bool:
        found = [session for session in self._sessions if session.run_id == run_id]
        for session in found:
            session.stop("stopped by request")
        return bool(found)

    async def _end(self) -> None:
        for session in self._sessions:
            session.stop("the server is closing")
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=PATIENCE_SECONDS)
        # also what single requests wait for
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for client in self._clients.values():
            await client.close()

    def _plan(self, judges: Sequence[Judge], model: str, options: RunOptions) -> Plan:
        """Its client is opened once for all requests: a connection, or the embedded judge's weights, is worth keeping."""
        costs = [cost for cost in (self._max_cost, options.max_cost) if cost is not None]
        options = replace(options, max_cost=min(costs, default=None))
        plan = make_plan(judges, options)
        if not plan.asks_model:
            return plan
        if is_embedded(model):
            refuse_untrained(
                plan.judges, "name another of this server's models; `adjudge view --model` allows them"
            )
        if model not in self._clients:
            base_url = None if is_embedded(model) else self._base_url
            asked = replace(options, model=(model,), base_url=base_url, jobs=MAX_WAITING)
            (self._clients[model],) = find_models(replace(plan, options=asked))
        return replace(plan, options=replace(options, model=(self._clients[model],)))


def _being_cancelled() -> bool:
    """Whether it is the request that is given up, and not what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
