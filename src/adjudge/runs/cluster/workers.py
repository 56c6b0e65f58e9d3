"""The driver's side: cases go out in blocks to whoever is free, and judgements are read back from the store in order."""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from adjudge.errors import ExplainedError, InputError, SettingsError
from adjudge.options import option
from adjudge.records import BadRow, Case, Judgement
from adjudge.runs.cluster.assignment import Assignment, BlockDone, CaseBlock
from adjudge.runs.cluster.connect import Cluster
from adjudge.runs.cluster.worker import BlockWorker
from adjudge.runs.engine.context import RunContext, StopSignal
from adjudge.runs.engine.row_order import RowPositions
from adjudge.runs.engine.run_store import all_between
from adjudge.store.places import database_file, split_password

BLOCK_ROWS = 128
MIN_ROWS = 8
BLOCK_CHARS = 4_000_000
BLOCKS_EACH = 2
"""That a worker has at a time: the next one is there when it is done with one."""
BLOCKS_IN_ALL = 8
"""Of a small run, for each worker, so that all have something to do until its end."""
CLOSE_SECONDS = 30.0


class Workers:
    """Those of one run."""

    def __init__(self, cluster: Cluster, actors: list[Any], *, rows_in_block: int, jobs: int) -> None:
        self.spent = Decimal(0)
        self._cluster = cluster
        self._actors = actors
        self._rows = rows_in_block
        self._jobs = jobs
        self._tasks: dict[asyncio.Task[BlockDone], CaseBlock] = {}
        self._busy = [0] * len(actors)
        self._given_up = False
        """Nobody waits for what is in flight."""

    @property
    def in_flight(self) -> int:
        """About how many calls are."""
        return min(self._jobs, sum(len(block.rows) for block in self._tasks.values()))

    async def execute(
        self,
        rows: Iterable[Case | BadRow],
        context: RunContext,
        *,
        receive: Callable[[Judgement], None] | None = None,
    ) -> AsyncGenerator[Judgement, None]:
        """Yield the run's judgements in the order of the cases, as far as the cases before them are judged."""
        progress, stop_signal = context.progress, context.stop_signal
        positions = progress.positions
        progress.complete = False
        turn = positions.planned
        blocks = _blocks(rows, context, self._rows)
        is_read = False
        fault: Exception | None = None
        stop_signal.on_stop = self._stop
        lost = asyncio.create_task(self._cluster.wait_until_lost())
        ray_errors = self._cluster.ray.exceptions
        try:
            while True:
                while (
                    not is_read
                    and stop_signal.why is None
                    and len(self._tasks) < BLOCKS_EACH * len(self._actors)
                ):
                    try:
                        block = next(blocks, None)
                    except InputError as error:
                        fault, block = error, None
                    if block is None:
                        is_read = True
                        progress.expected = positions.planned - positions.not_needed
                    else:
                        self._give(block)
                stop_signal.tasks = list(self._tasks)
                if not self._tasks:
                    break
                done, _ = await asyncio.wait({*self._tasks, lost}, return_when=asyncio.FIRST_COMPLETED)
                if lost in done:
                    self._lose("its head node does not answer", stop_signal)
                for task in [each for each in self._tasks if each.done()]:
                    del self._tasks[task]
                    if task.cancelled():
                        self._given_up = True
                        continue
                    try:
                        self._count(task.result(), context)
                    except ExplainedError as error:
                        fault = fault or error
                        stop_signal.stop(error.problem)
                    except (ray_errors.RayActorError, ray_errors.RaySystemError, ConnectionError) as error:
                        self._lose(type(error).__name__, stop_signal)
                    except Exception as error:  # noqa: BLE001 - raised when the others have ended
                        fault = fault or error
                        stop_signal.stop(f"an unexpected error: {type(error).__name__}")
                if self._cluster.is_lost:
                    self._cancel_all()
                before = min((block.first for block in self._tasks.values()), default=positions.planned)
                async for position, judgement in all_between(context.run_store, turn, before):
                    turn = position + 1
                    if receive is not None:
                        receive(judgement)
                    yield judgement
                turn = max(turn, before)
        finally:
            stop_signal.on_stop = None
            lost.cancel()
            self._cancel_all()
        if fault is not None:
            raise fault
        if is_read:
            progress.expected = positions.planned - positions.not_needed
        progress.complete = is_read and stop_signal.why is None

    def _give(self, block: CaseBlock) -> None:
        """To the worker with the least to do."""
        chosen = self._busy.index(min(self._busy))
        self._busy[chosen] += 1

        async def judge() -> BlockDone:
            try:
                done: BlockDone = await self._actors[chosen].judge.remote(block)
                return done
            finally:
                self._busy[chosen] -= 1

        self._tasks[asyncio.create_task(judge())] = block

    def _count(self, done: BlockDone, context: RunContext) -> None:
        if done.fault is not None:
            raise done.fault.error()
        positions, stop_signal = context.progress.positions, context.stop_signal
        positions.settled_count += done.made
        positions.skipped += done.skipped
        positions.not_needed += done.not_needed
        self.spent += done.spent
        stop_signal.not_asked += done.not_asked
        if done.stopped is not None:
            stop_signal.stop(done.stopped)

    def _stop(self, why: str) -> None:
        for actor in self._actors:
            actor.stop.remote(why)

    def _lose(self, why: str, stop_signal: StopSignal) -> None:
        """Nothing more comes from the cluster; what its workers judged is in the store."""
        self._cluster.is_lost = self._given_up = True
        stop_signal.on_stop = None
        stop_signal.stop(f"the Ray cluster was lost ({why}); run the same command again once it is back")

    def _cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()

    async def close(self) -> None:
        """Let each give back what it drew; what one holds that is gone counts as spent."""
        if self._given_up:
            return
        closing = [asyncio.ensure_future(_ended(actor.close.remote())) for actor in self._actors]
        await asyncio.wait(closing, timeout=CLOSE_SECONDS)


async def _ended(reference: Any) -> None:
    with suppress(Exception):  # it died, and Ray says so in many ways
        await reference


def _blocks(rows: Iterable[Case | BadRow], context: RunContext, size: int) -> Iterator[CaseBlock]:
    positions = context.progress.positions
    planned_judgements = len(context.planned_judgements())
    taken: list[Case | BadRow] = []
    chars = 0
    for row in rows:
        taken.append(row)
        chars += _chars(row)
        if len(taken) == size or chars > BLOCK_CHARS:
            yield _block(taken, positions, planned_judgements, context)
            taken, chars = [], 0
    if taken:
        yield _block(taken, positions, planned_judgements, context)


def _block(
    rows: list[Case | BadRow], positions: RowPositions, planned_judgements: int, context: RunContext
) -> CaseBlock:
    first = positions.planned
    positions.planned += planned_judgements * len(rows)
    labels = None
    if context.labels is not None:
        labels = {row.case_id: context.labels[row.case_id] for row in rows if row.case_id in context.labels}
    return CaseBlock(first=first, rows=rows, labels=labels)


def _chars(row: Case | BadRow) -> int:
    if isinstance(row, BadRow):
        return 0
    return sum(len(value) if isinstance(value, str) else 100 for value in row.columns.values())


# ---- opening ----


@asynccontextmanager
async def open_workers(cluster: Cluster, order: Assignment, *, rows: int | None) -> AsyncIterator[Workers]:
    """`rows` is how many cases there are, where that is known."""
    ray, options = cluster.ray, order.plan.options
    count = options.workers or max(1, sum(node.cores for node in cluster.nodes))
    order = _to_send(order, count)
    validate_sendable(ray, order)
    # one core to be placed and none to run: where a machine is lost, its workers find room on the others
    actor = ray.remote(BlockWorker).options(
        max_restarts=-1, max_task_retries=-1, scheduling_strategy="SPREAD", max_concurrency=64
    )
    workers = Workers(
        cluster,
        [actor.remote(order) for _ in range(count)],
        rows_in_block=_rows_in_block(rows, count),
        jobs=options.jobs,
    )
    try:
        yield workers
    finally:
        await workers.close()


def _rows_in_block(rows: int | None, workers: int) -> int:
    if rows is None:
        return BLOCK_ROWS
    return max(MIN_ROWS, min(BLOCK_ROWS, math.ceil(rows / (workers * BLOCKS_IN_ALL))))


def _to_send(order: Assignment, workers: int) -> Assignment:
    """Without passwords, and without what only the driver reads."""
    options = order.plan.options
    assert options.store is not None
    file = database_file(options.store)
    options = replace(
        options,
        jobs=math.ceil(options.jobs / workers),
        store=split_password(str(options.store))[0] if file is None else str(file.absolute()),
        model=tuple(by_absolute_path(model) for model in options.model),
        labels=None,
        against=None,
        engine="local",
    )
    return replace(order, plan=replace(order.plan, options=options))


def by_absolute_path(model: Any) -> Any:
    script = model.removeprefix("scripted:") if isinstance(model, str) else model
    return model if script == model else f"scripted:{Path(script).absolute()}"


def validate_sendable(ray: Any, order: Assignment) -> None:
    try:
        ray.cloudpickle.dumps(order)
    except Exception as error:  # noqa: BLE001 - pickling runs the person's code, which may raise anything
        problem = f"the model cannot be sent to workers ({type(error).__name__}: {error})"
        raise SettingsError(
            option("--model"),
            problem,
            "give a function of a module that is installed on every node, without open connections, locks or files",
        ) from None
