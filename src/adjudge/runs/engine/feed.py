"""Take up cases as there is room, several at a time, and judge each for itself."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from time import monotonic, process_time

from adjudge.records import Judgement
from adjudge.runs.engine.conditions import Conditions, Work
from adjudge.runs.engine.order import Settled
from adjudge.runs.engine.prepare import Prepared, prepare

MOST_TOGETHER, FEWEST_TOGETHER = 64, 16
"""Cases prepared at a time."""
BUSY, IDLE = 0.95, 0.8
"""Of the time, that the processor is at work: more, and groups become larger; less, and they become smaller."""
WINDOW_SECONDS = 0.1
MOMENT_SECONDS = 0.005
"""How long others wait for cases to be read: a slow source gives them one by one."""

Given = tuple[Work, "Prepared | Exception | None"]
JudgeOne = Callable[[Work, "Prepared | Exception | None", Conditions], Awaitable[Judgement | None]]


class GroupSize:
    """How many cases are taken up together: a large group takes less processor time for each, but its first ones wait for
    its last. So groups are small as long as the processor has time.
    """

    def __init__(self) -> None:
        self.most = MOST_TOGETHER
        self._since = monotonic()
        self._used = process_time()

    def adapt(self) -> int:
        now = monotonic()
        if now - self._since >= WINDOW_SECONDS:
            used = process_time()
            self.follow((used - self._used) / (now - self._since))
            self._since, self._used = now, used
        return self.most

    def follow(self, busy: float) -> None:
        if busy > BUSY:
            self.most = min(2 * self.most, MOST_TOGETHER)
        elif busy < IDLE:
            self.most = max(self.most // 2, FEWEST_TOGETHER)


class Feed:
    """At most `jobs` are being judged, and about as many results wait in `results` to be taken; None is the last."""

    def __init__(
        self, works: AsyncGenerator[Work | None, None], conditions: Conditions, *, jobs: int, judge: JudgeOne
    ) -> None:
        self.results: asyncio.Queue[Settled | Exception | None] = asyncio.Queue()
        self.tasks: set[asyncio.Task[None]] = set()
        """Those that judge."""
        self.all_taken = False
        self._works = works
        self._conditions = conditions
        self._jobs = jobs
        self._judge = judge
        self._activity = conditions.progress.activity
        self._idle: deque[asyncio.Future[Given]] = deque()
        """What the tasks wait for that have nothing to do."""
        self._changed = asyncio.Event()
        self._together = GroupSize()

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
                        await self._collect(works, min(await self._room(), self._together.adapt()))
                    except Exception as error:  # noqa: BLE001 - handed to the consumer, after what was read before it
                        fault = error
                    await self._start(works)
            except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
                fault = error
        if fault is not None:
            self.results.put_nowait(fault)
        while self._busy:
            await self._change()
        self.results.put_nowait(None)

    @property
    def _busy(self) -> int:
        return len(self.tasks) - len(self._idle)

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _room(self) -> int:
        while self._busy >= self._jobs or self.results.qsize() >= self._jobs:
            with self._activity.waiting:
                await self._change()
        return self._jobs - self._busy

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
        for given in zip(works, prepared, strict=True):
            self._give(given)
        await asyncio.sleep(0)  # let them begin before the next are read

    def _give(self, given: Given) -> None:
        while self._idle:
            waiting = self._idle.popleft()
            if not waiting.done():  # else its task was cancelled just now
                waiting.set_result(given)
                return
        task = asyncio.create_task(self._work(given))
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    async def _work(self, given: Given) -> None:
        """Judge one after another: to make a task for each takes longer than to wake one."""
        loop = asyncio.get_running_loop()
        while True:
            work, prepared = given
            try:
                with self._activity.working:
                    judgement = await self._judge(work, prepared, self._conditions)
            except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
                self.results.put_nowait(error)
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    return  # the error came instead of the cancellation: nobody is left to give it work
            else:
                self.results.put_nowait(Settled(work.position, judgement))
            waiting: asyncio.Future[Given] = loop.create_future()
            self._idle.append(waiting)
            self._changed.set()
            try:
                given = await waiting
            except asyncio.CancelledError:
                if waiting in self._idle:
                    self._idle.remove(waiting)
                raise

    def _ended(self, task: asyncio.Task[None]) -> None:
        """It was cancelled."""
        self.tasks.discard(task)
        self._changed.set()
