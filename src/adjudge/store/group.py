"""Group commit: what many tasks keep at about the same time becomes one transaction in one thread.

Durability then costs the event loop nothing: it appends to a list and waits for a future. Turning records into rows,
compressing and committing happen in the writer's thread; looking up happens in another, so that it does not wait
for a commit to reach the disk.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from adjudge.errors import StoreError
from adjudge.records import Case, Judgement
from adjudge.store.protocol import Store
from adjudge.store.records import JudgementKey, KeepCompletion, KeepJudgement, StoredCompletion, Write

MAX_COUNT = 2_000

Item = TypeVar("Item")
Result = TypeVar("Result")
Found = TypeVar("Found")


class _Handed(NamedTuple, Generic[Item, Result]):
    item: Item
    size: int
    future: asyncio.Future[Result] | None
    """Who waits for what comes of it; None when nobody does."""
    done: Callable[[], object] | None


class GroupCommit:
    """Belongs to one event loop. Closing it leaves the store open."""

    def __init__(self, store: Store, *, most: int = MAX_COUNT) -> None:
        self._store = store
        self._unkept: dict[tuple[str, int], Exception] = {}
        """Completions that could not be encoded, by key and version; judgements made from them are not kept either."""
        self._writer = _Batches(self._write, most=most, name="adjudge-store-writer")
        self._completions = _Lookup(store.find_completions, most=most, name="adjudge-store-completions")
        self._judgements = _Lookup(store.find_judgements, most=most, name="adjudge-store-judgements")

    async def keep(self, *writes: Write) -> None:
        """Return once they are committed, all in one transaction. After a failure of the store every later call fails
        with it; what cannot be encoded is refused alone.

        One who stops waiting does not take the writes back.
        """
        if writes:
            await self._writer.add(writes, len(writes))

    def keep_soon(self, write: Write, done: Callable[[], object]) -> None:
        """Hand it to the writer and go on: whatever is kept after it is committed with it or later, and fails if it did.

        `done` is called when it is committed, or has failed.
        """
        self._writer.hand_in((write,), 1, done=done)

    async def find_completions(self, keys: Sequence[str]) -> dict[str, StoredCompletion]:
        return await self._completions.find(keys)

    async def find_judgements(self, reuse_keys: Sequence[str]) -> dict[str, Judgement]:
        return await self._judgements.find(reuse_keys)

    async def done_among(self, run_id: str, case_ids: Sequence[str]) -> dict[JudgementKey, int]:
        return await asyncio.to_thread(self._store.done_among, run_id, case_ids)

    async def case(self, run_id: str, case_id: str) -> Case | None:
        return await asyncio.to_thread(self._store.case, run_id, case_id)

    async def judgements_between(self, run_id: str, first: int, until: int) -> list[tuple[int, Judgement]]:
        return await asyncio.to_thread(self._store.judgements_between, run_id, first, until)

    async def close(self) -> None:
        """Wait until everything kept is committed and everything asked for is answered.

        A failure that nobody who waited was told of is raised here.
        """
        for part in (self._writer, self._completions.batches, self._judgements.batches):
            await part.close()
        untold = self._writer.untold
        if untold is not None:
            raise untold

    def _write(self, batch: list[tuple[Write, ...]]) -> list[Exception | None]:
        if not self._unkept:
            try:
                self._store.write([write for writes in batch for write in writes])
            except StoreError:
                raise
            except Exception:  # noqa: BLE001, S110 - a record that cannot be encoded: which one is found below
                pass
            else:
                return [None] * len(batch)
        return [self._write_alone(writes) for writes in batch]

    def _write_alone(self, writes: tuple[Write, ...]) -> Exception | None:
        """What was paid for is not lost because of a record that nobody thought of."""
        for write in writes:
            for call in write.calls if isinstance(write, KeepJudgement) else ():
                if call in self._unkept:
                    return self._unkept[call]
        try:
            self._store.write(writes)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - handed to whoever waits
            for write in writes:
                if isinstance(write, KeepCompletion):
                    self._unkept[write.key, write.version] = error
            return error
        return None


class _Lookup(Generic[Found]):
    """All keys asked for in one turn of the event loop are one question."""

    def __init__(self, find: Callable[[Sequence[str]], dict[str, Found]], *, most: int, name: str) -> None:
        self._find = find
        self.batches: _Batches[Sequence[str], dict[str, Found]] = _Batches(
            self._answer, most=most, name=name, lasting=False
        )

    async def find(self, keys: Sequence[str]) -> dict[str, Found]:
        return await self.batches.add(keys, len(keys)) if keys else {}

    def _answer(self, asked: list[Sequence[str]]) -> list[dict[str, Found]]:
        found = self._find(list(dict.fromkeys(key for keys in asked for key in keys)))
        return [{key: found[key] for key in keys if key in found} for keys in asked]


class _Batches(Generic[Item, Result]):
    """A thread that works on batches of what an event loop's tasks hand over, and wakes them up batch by batch."""

    def __init__(
        self,
        work: Callable[[list[Item]], Sequence[Result | Exception]],
        *,
        most: int,
        name: str,
        lasting: bool = True,
    ) -> None:
        """`work` gives a result for each item, or the exception for those who wait for it."""
        self._work = work
        self._most = most
        self._name = name
        self._lasting = lasting
        """Whether what comes after a failure fails too."""
        self._gathered: list[_Handed[Item, Result]] = []
        """On the event loop's side: what came in these turns."""
        self._handed: list[_Handed[Item, Result]] = []
        """Between the two sides, under the lock."""
        self._changed = threading.Condition()
        self._closing = False
        self._failure: Exception | None = None
        self.untold: Exception | None = None
        """A failure of which nobody who waited has heard."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ended: asyncio.Future[None] | None = None

    def add(self, item: Item, size: int) -> asyncio.Future[Result]:
        """Hand it in, and wait for what comes of it."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.hand_in(item, size, future)
        return future

    def hand_in(
        self,
        item: Item,
        size: int,
        future: asyncio.Future[Result] | None = None,
        done: Callable[[], object] | None = None,
    ) -> None:
        if self._failure is not None:
            self.untold = None
            raise _copied(self._failure)
        if self._closing:
            raise StoreError("the store", "is being closed", "run it again")
        if self._loop is None:
            self._start(asyncio.get_running_loop())
        assert self._loop is not None
        if not self._gathered:
            self._loop.call_soon(self._look, 1)
        self._gathered.append(_Handed(item, size, future, done))

    def _look(self, before: int) -> None:
        """Hand over when a turn of the event loop has brought nothing more: on a busy one, few large batches cost less."""
        count = len(self._gathered)
        if before < count < self._most:
            assert self._loop is not None
            self._loop.call_soon(self._look, count)
        elif count:
            self._hand_over()

    async def close(self) -> None:
        if self._thread is None:
            self._closing = True
            return
        self._hand_over(closing=True)
        assert self._ended is not None
        await asyncio.shield(self._ended)
        self._thread.join()

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._ended = loop.create_future()
        # a daemon: a program that crashes before `close` ends, and the transaction under way is undone by the database
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def _hand_over(self, *, closing: bool = False) -> None:
        gathered, self._gathered = self._gathered, []
        with self._changed:
            self._handed += gathered
            self._closing |= closing
            self._changed.notify()

    # ---- in the thread ----

    def _run(self) -> None:
        while batch := self._take():
            items = [handed.item for handed in batch]
            failure = self._failure
            results: Sequence[Result | Exception] = []
            if failure is None:
                try:
                    results = self._work(items)
                except Exception as error:  # noqa: BLE001 - handed to those who wait
                    failure = error
                    if self._lasting:
                        self._failure = self.untold = error
            if failure is not None and any(handed.future is not None for handed in batch):
                self.untold = None
            self._report(_resolve, batch, results, failure)
        self._report(_end, self._ended)

    def _take(self) -> list[_Handed[Item, Result]]:
        """Everything that is there, up to the bound; nothing when it is time to end."""
        with self._changed:
            while not self._handed and not self._closing:
                self._changed.wait()
            count = total = 0
            while count < len(self._handed) and total < self._most:
                total += self._handed[count].size
                count += 1
            batch, self._handed = self._handed[:count], self._handed[count:]
            return batch

    def _report(self, function: Callable[..., None], *values: object) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(function, *values)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more


def _resolve(
    batch: list[_Handed[Item, Result]], results: Sequence[Result | Exception], failure: Exception | None
) -> None:
    for position, (_, _, future, done) in enumerate(batch):
        if done is not None:
            done()
        if future is None or future.done():
            continue  # nobody waits for it, or its task was cancelled
        result = _copied(failure) if failure is not None else results[position]
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)


def _end(ended: asyncio.Future[None]) -> None:
    if not ended.done():
        ended.set_result(None)


def _copied(failure: Exception) -> Exception:
    """A copy for each who waits: one exception raised in many tasks would gather all their tracebacks."""
    if not isinstance(failure, StoreError):
        return failure
    return StoreError(failure.where, failure.problem, failure.hint)
