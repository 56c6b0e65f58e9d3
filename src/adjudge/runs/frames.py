"""Batches of cases that somebody else's engine hands over: judged on an event loop in a thread of its own."""

import asyncio
import os
import threading
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from adjudge.errors import AdjudgeError, SettingsError, StoreError
from adjudge.options import RunOptions, called_from_python, option
from adjudge.records import BadRow, Case, Judgement
from adjudge.runs.engine.context import PlannedJudgement, Progress, RunContext, StopSignal
from adjudge.runs.engine.loop import execute_unordered
from adjudge.runs.engine.run_store import RunStore
from adjudge.runs.plan import Plan, named_models
from adjudge.runs.replay import REPLAY
from adjudge.runs.session import JoinedRun, join_frames
from adjudge.store import EndRun, RunState

CLOSE_SECONDS = 30.0
T = TypeVar("T")


class ColumnKey(NamedTuple):
    """One of the judgements that are made of every row and told in its columns."""

    judge: str
    repeat: int


class NotAsked(NamedTuple):
    """Why a row was not judged: the run took no further work."""

    why: str


Answer = Judgement | NotAsked


def validate_models(options: RunOptions) -> None:
    """A row has one judgement of each judge, and a batch no earlier run to replay."""
    models = named_models(options)
    if REPLAY in models:
        raise SettingsError(
            option("--model", REPLAY),
            "replays the latest run over a file, and a batch is none",
            "name the model itself: replies that are stored are not asked for again",
        )
    if len(models) > 1 and options.jury is None:
        raise SettingsError(
            option("--model"),
            f"{len(models)} were given, and a row has one judgement of each judge",
            f"name one, or make one verdict of theirs with {option('--jury', 'majority')}",
        )


def column_keys(plan: Plan) -> list[ColumnKey]:
    repeats = range(plan.options.repeat)
    return [ColumnKey(judge.name, repeat) for judge in plan.named for repeat in repeats]


class BatchRunner:
    """What batches need is opened with the first of them, in the process that judges it, and used for all others."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="adjudge-batches", daemon=True)
        self._thread.start()
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._joined: JoinedRun | None = None
        self._unasked = False
        """Whether a limit or an open circuit has left something out, so that the run is not whole."""

    @property
    def is_usable(self) -> bool:
        """Not in a process that was forked from the one which made it: threads are not inherited."""
        return self._pid == os.getpid() and not self._loop.is_closed()

    def judge(self, rows: Sequence[Case | BadRow]) -> list[dict[ColumnKey, Answer]]:
        """The judgements of each row; all that was paid for is stored on return. From any thread, also several at once."""
        return self._wait(self._judge(rows))

    def close(self) -> None:
        """What is stored stays; what was drawn and not used has been given back after each batch."""
        if not self.is_usable:
            return
        if threading.current_thread() is self._thread:  # a garbage collection may run anywhere
            self._loop.create_task(self._close())
            return
        with suppress(TimeoutError):
            self._wait(self._close(), CLOSE_SECONDS)
        self._thread.join(CLOSE_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except BaseException:
            future.cancel()
            raise

    async def _close(self) -> None:
        try:
            await self._stack.aclose()
        finally:
            self._loop.call_soon(self._loop.stop)

    async def _join(self) -> JoinedRun:
        async with self._opening:
            if self._joined is None:
                self._joined = await self._stack.enter_async_context(join_frames(self._plan))
        return self._joined

    async def _leave(self) -> None:
        """After a failure of the store, which lasts as long as this is open: the next batch opens it again."""
        async with self._opening:
            self._joined = None
            with suppress(AdjudgeError):
                await self._stack.aclose()

    async def _judge(self, rows: Sequence[Case | BadRow]) -> list[dict[ColumnKey, Answer]]:
        with called_from_python():
            joined = await self._join()
            try:
                return await self._judge_under(rows, joined)
            except StoreError:
                if joined is self._joined:
                    await self._leave()
                raise

    async def _judge_under(
        self, rows: Sequence[Case | BadRow], joined: JoinedRun
    ) -> list[dict[ColumnKey, Answer]]:
        # a fault of the columns is the row's: what is in the other batches nobody knows
        context = replace(joined.context, progress=Progress(begun=True), stop_signal=StopSignal())
        planned_judgements = context.planned_judgements()
        jobs = context.at_once(self._plan.options.jobs)
        made: dict[int, Judgement] = {}
        cases = self._plan.turns(rows)
        try:
            async for settled in execute_unordered(cases, context, jobs=jobs):
                if settled.judgement is not None:
                    made[settled.position] = settled.judgement
        finally:
            joined.limits.budget.give_back()
        self._unasked |= context.stop_signal.is_unfinished
        if isinstance(context.run_store, RunStore):
            state: RunState = "interrupted" if self._unasked else "finished"
            ended = EndRun(run_id=context.run_store.run_id, state=state, at=datetime.now(UTC))
            await context.run_store.write(ended)
        stopped = NotAsked(context.stop_signal.why or "the run was stopped")
        told = [
            (place, key)
            for place, planned in enumerate(planned_judgements)
            if (key := self._told(planned, context))
        ]
        return [
            {key: made.get(number * len(planned_judgements) + place, stopped) for place, key in told}
            for number in range(len(rows))
        ]

    def _told(self, planned: PlannedJudgement, context: RunContext) -> ColumnKey | None:
        """None for a vote of a jury, and for a part of a combination that was not asked for."""
        is_vote = context.jury is not None and planned.judge.asks_model and planned.jury is None
        is_named = any(planned.judge.name == judge.name for judge in self._plan.named)
        return ColumnKey(planned.judge.name, planned.repeat) if is_named and not is_vote else None
