"""A bounded number of tasks that judge, and their results as they come."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Self

from adjudge.records import Judgement
from adjudge.runs.engine.context import RunContext, WorkItem
from adjudge.runs.engine.row_order import RowResult

JudgeRow = Callable[[WorkItem, RunContext], Awaitable[Judgement | None]]


class Pool:
    """At most `jobs` are being judged, and about as many results wait to be taken. Leaving it cancels what is in flight."""

    def __init__(
        self,
        works: AsyncGenerator[WorkItem, None],
        context: RunContext,
        *,
        jobs: int,
        judge: JudgeRow,
    ) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        """Those that judge."""
        self.all_taken = False
        self._works = works
        self._context = context
        self._judge = judge
        self._results: asyncio.Queue[RowResult | Exception | None] = asyncio.Queue()
        self._in_flight = asyncio.Semaphore(jobs)
        self._untaken = asyncio.Semaphore(2 * jobs)

    async def __aenter__(self) -> Self:
        self._feeding = asyncio.create_task(self._feed())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        tasks = (self._feeding, *self.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._works.aclose()

    async def take(self) -> RowResult | Exception | None:
        """The next result, or the error that came in its place; None after the last."""
        result = await self._results.get()
        self._untaken.release()
        return result

    async def _feed(self) -> None:
        activity = self._context.progress.activity
        try:
            with activity.working:
                while True:
                    with activity.waiting:
                        await self._untaken.acquire()
                        await self._in_flight.acquire()
                    try:
                        work = await anext(self._works)
                    except StopAsyncIteration:
                        self.all_taken = True
                        break
                    task = asyncio.create_task(self._work(work))
                    self.tasks.add(task)
                    task.add_done_callback(self._ended)
                    # one at a time, so that they are spread over the time, and a slow source does not hold them up
                    await asyncio.sleep(0)
        except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
            self._results.put_nowait(error)
        while self.tasks:
            await asyncio.wait(self.tasks)
        self._results.put_nowait(None)

    async def _work(self, work: WorkItem) -> None:
        try:
            with self._context.progress.activity.working:
                judgement = await self._judge(work, self._context)
        except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
            self._results.put_nowait(error)
        else:
            self._results.put_nowait(RowResult(work.position, judgement))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        self._in_flight.release()
        if task.cancelled():
            self._untaken.release()
