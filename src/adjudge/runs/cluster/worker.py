"""A worker: a process on some machine of the cluster that judges blocks of a run, under the run's own limits."""

import asyncio
import platform
from contextlib import AsyncExitStack
from dataclasses import replace
from decimal import Decimal

from adjudge.errors import ExplainedError, StoreError
from adjudge.runs.cluster.assignment import Assignment, BlockDone, CaseBlock, WorkerFault
from adjudge.runs.engine.context import Progress, RunContext, StopSignal
from adjudge.runs.engine.loop import execute_unordered
from adjudge.runs.engine.row_order import RowPositions
from adjudge.runs.session import JoinedRun, join_session


class BlockWorker:
    """Ray makes it, and makes it again when its process or its machine dies. Blocks may be judged side by side."""

    def __init__(self, order: Assignment) -> None:
        self._order = order
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._joined: JoinedRun | None = None
        self._halts: list[StopSignal] = []
        self._stopped: str | None = None
        self._reported = Decimal(0)

    async def judge(self, block: CaseBlock) -> BlockDone:
        """What the store already holds of it is passed over: it may have been given to another worker before."""
        try:
            joined = await self._join()
            return await self._judge(block, joined)
        except ExplainedError as error:
            return BlockDone(fault=_fault(error))

    async def stop(self, why: str) -> None:
        """Take no further work; what is in flight is finished."""
        self._stopped = why
        for stop_signal in self._halts:
            stop_signal.stop(why)

    async def close(self) -> None:
        """Give back what was drawn and not used."""
        await self._stack.aclose()

    async def _join(self) -> JoinedRun:
        async with self._opening:
            if self._joined is None:
                self._joined = await self._stack.enter_async_context(join_session(self._order))
        return self._joined

    async def _judge(self, block: CaseBlock, joined: JoinedRun) -> BlockDone:
        context = _for_block(joined.context, block)
        stop_signal, progress = context.stop_signal, context.progress
        stop_signal.why = self._stopped
        self._halts.append(stop_signal)
        made = 0
        try:
            jobs = context.at_once(self._order.plan.options.jobs)
            async for settled in execute_unordered(block.rows, context, jobs=jobs):
                made += settled.judgement is not None
        finally:
            self._halts.remove(stop_signal)
        spent = joined.limits.budget.spent
        done = BlockDone(
            made=made,
            skipped=progress.positions.skipped,
            not_needed=progress.positions.not_needed,
            not_asked=stop_signal.not_asked,
            spent=spent - self._reported,
            stopped=stop_signal.why,
        )
        self._reported = spent
        return done


def _for_block(context: RunContext, block: CaseBlock) -> RunContext:
    # a fault of the whole file stops a run only before anything is judged
    progress = Progress(positions=RowPositions(block.first), begun=block.first > 0)
    return replace(context, progress=progress, stop_signal=StopSignal(), labels=block.labels)


def _fault(error: ExplainedError) -> WorkerFault:
    return WorkerFault(
        where=f"{error.where} (on {platform.node()})",
        problem=error.problem,
        hint=error.hint,
        of_store=isinstance(error, StoreError),
    )
