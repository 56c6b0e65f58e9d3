"""Take up cases as there is room, several at a time, and judge each in a task of its own."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any

from adjudge.records import Judgement
from adjudge.runs.engine.conditions import Conditions, Work
from adjudge.runs.engine.order import Settled
from adjudge.runs.engine.prepare import Prepared, prepare

MOST_TOGETHER = 64
"""Cases prepared at a time."""
MOMENT_SECONDS = 0.005
"""How long others wait for cases to be read: a slow source gives them one by one."""

JudgeOne = Callable[[Work, "Prepared | Exception | None", Conditions], Awaitable[Judgement | None]]


class Feed:
    """At most `jobs` are being judged, and about as many results wait in `results` to be taken; None is the last."""

    def __init__(
        self, works: AsyncGenerator[Work | None, None], conditions: Conditions, *, jobs: int, judge: JudgeOne
    ) -> None:
        self.results: asyncio.Queue[Settled | Exception | None] = asyncio.Queue()
        self.tasks: set[asyncio.Task[Any]] = set()
        """Those that judge."""
        self.all_taken = False
        self._works = works
        self._conditions = conditions
        self._jobs = jobs
        self._judge = judge
        self._activity = conditions.progress.activity
        self._changed = asyncio.Event()

    async def take(self) -> Settled | Exception | None:
        result = await self.results.get()
        self._changed.set()
        return result

    async def run(self) -> None:
        with self._activity.working:
            fault: Exception | None = None
            try:
                while not self.all_taken and fault is None:
                    works: list[Work] = []
                    try:
                        await self._collect(works, min(await self._room(), MOST_TOGETHER))
                    except Exception as error:  # noqa: BLE001 - handed to the consumer, after what was read before it
                        fault = error
                    await self._start(works)
            except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
                fault = error
        if fault is not None:
            self.results.put_nowait(fault)
        while self.tasks:
            await asyncio.wait(self.tasks)
        self.results.put_nowait(None)

    async def _room(self) -> int:
        while len(self.tasks) >= self._jobs or self.results.qsize() >= self._jobs:
            self._changed.clear()
            with self._activity.waiting:
                await self._changed.wait()
        return self._jobs - len(self.tasks)

    async def _collect(self, works: list[Work], most: int) -> None:
        """As many as are wanted, and as are read in a moment."""
        now = asyncio.get_running_loop().time
        until = now() + MOMENT_SECONDS
        async for work in self._works:
            if work is None:
                return  # the next ones depend on these
            works.append(work)
            if len(works) >= most or now() > until:
                return
        self.all_taken = True

    async def _start(self, works: Sequence[Work]) -> None:
        if self._conditions.all_needed:
            prepared = await prepare(works, self._conditions)
        else:
            prepared = [None] * len(works)
        for work, each in zip(works, prepared, strict=True):
            task = asyncio.create_task(self._judge_one(work, each))
            self.tasks.add(task)
            task.add_done_callback(self._ended)
        await asyncio.sleep(0)  # let them begin before the next are read

    async def _judge_one(self, work: Work, prepared: Prepared | Exception | None) -> None:
        try:
            with self._activity.working:
                judgement = await self._judge(work, prepared, self._conditions)
        except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
            self.results.put_nowait(error)
        else:
            self.results.put_nowait(Settled(work.position, judgement))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        self._changed.set()
