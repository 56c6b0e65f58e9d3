"""The blocks of a run: some rows at a time, in file order, each worked on by one process of all that share the run.

A block's number is its place in the rows that were chosen: the same in every process, because a run is known by the
bytes of its file and by what was chosen from it.
"""

import asyncio
import threading
from array import array
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from adjudge.errors import InputError, StoreError
from adjudge.records import BadRow, Case, Judgement
from adjudge.runs.workers import is_dead, name_worker
from adjudge.store import Claim, FinishBlock, Store
from adjudge.store.group import GroupCommit

Row: TypeAlias = Case | BadRow
Numbered: TypeAlias = Iterator[tuple[int, "Read"]]
Stopped: TypeAlias = Callable[[], bool]

BLOCK = 64
"""Rows of a block. Stores remember finished blocks by number, so with another size a run could not go on."""
LEASE_SECONDS = 60.0
"""How long a process may be silent before others take over what it holds."""
POLL_SECONDS = 0.5


class Read(NamedTuple):
    rows: list[Row]
    whole: bool
    """False: the reading was stopped, and what stopped it need not stop another."""


@dataclass(kw_only=True, slots=True, eq=False)
class Block:
    """Rows that are this process's to judge."""

    rows: list[Row]
    number: int
    begun: bool = True
    """Some of it may be judged already."""
    whole: bool = True
    left: int = 0
    """Judgements still to be kept."""
    lost: bool = False
    """Its lease ended, as when the machine slept: it is another's, and what is not begun is left to that one."""


def read_blocks(rows: Iterable[Row]) -> Iterator[Read]:
    """Some rows at a time. Those before one that stops the reading come out before the error does."""
    rows, block = iter(rows), list[Row]()
    try:
        for row in rows:
            block.append(row)
            if len(block) == BLOCK:
                yield Read(block, whole=True)
                block = []
    except InputError:
        yield Read(block, whole=False)
        raise
    if block:
        yield Read(block, whole=True)


class Unshared:
    """All blocks are this process's: nothing is kept, or the rows cannot be read a second time."""

    complete = True

    async def take(self, rows: Iterable[Row], stopped: Stopped) -> AsyncGenerator[Block, None]:
        for number, read in enumerate(read_blocks(rows)):
            if stopped():
                return
            yield Block(rows=read.rows, number=number, whole=read.whole)

    def plan(self, block: Block, count: int) -> None:
        """So many judgements of the block are to be made."""

    def count(self, block: Block, judgement: Judgement) -> None:
        """One of them is kept."""

    def note(self, judgement: Judgement) -> None:
        """It is reported without others' being asked for it."""

    def others(self) -> Iterator[Judgement]:
        return iter(())

    async def settle(self) -> None:
        """Nothing is under way."""

    async def others_at_work(self) -> bool:
        return False


class SharedBlocks:
    """Claims a block before it is worked on, one ahead of need, and takes over what others leave undone."""

    def __init__(
        self,
        store: Store,
        group: GroupCommit,
        run_id: str,
        *,
        worker: str,
        alone: bool,
        goes_on: bool,
        read_again: Callable[[], Iterable[Row]],
        lease_seconds: float = LEASE_SECONDS,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._store = store
        self._group = group
        self._run_id = run_id
        self._worker = worker
        self._goes_on = goes_on
        self._read_again = read_again
        self._lease_seconds = lease_seconds
        self._poll_seconds = poll_seconds
        self._finished_before = {
            number for number, claim in store.blocks(run_id).items() if claim.state == "finished"
        }
        self._held: dict[int, Block] = {}
        self._waiting: set[int] = set()
        """Blocks that others hold."""
        self._exhausted = False
        self._met_others = not alone
        self._noted = array("q")
        self._claiming = threading.Lock()
        self._left = False

    @property
    def complete(self) -> bool:
        """Every block of the run is finished."""
        return self._exhausted and not self._waiting and not self._held

    # ---- blocks, one by one ----

    async def take(self, rows: Iterable[Row], stopped: Stopped) -> AsyncGenerator[Block, None]:
        """First all that are free, in file order; then, of those that others hold, what they leave undone."""
        async with aclosing(self._claimed(enumerate(read_blocks(rows)), stopped)) as blocks:
            async for block in blocks:
                yield block
        while self._waiting and not stopped() and not self._left:
            got = False
            if free := await self._free():
                async with aclosing(self._claimed(self._some(free), stopped)) as blocks:
                    async for block in blocks:
                        got = True
                        yield block
            if self._waiting and not got:
                await self.settle()  # others may wait for what this process finished
                await asyncio.sleep(self._poll_seconds)
        self._exhausted = not stopped()

    def plan(self, block: Block, count: int) -> None:
        # one more than there are is never counted down: another process may read on where this one had to stop
        block.left = count if block.whole else count + 1
        if block.left == 0:
            self._finish(block)

    def count(self, block: Block, judgement: Judgement) -> None:
        self.note(judgement)
        block.left -= 1
        if block.left == 0:
            self._finish(block)

    async def _claimed(self, numbered: Numbered, stopped: Stopped) -> AsyncGenerator[Block, None]:
        ahead = asyncio.create_task(self._next(numbered, stopped))
        try:
            while (block := await ahead) is not None:
                ahead = asyncio.create_task(self._next(numbered, stopped))
                yield block
        finally:
            ahead.cancel()
            await asyncio.gather(ahead, return_exceptions=True)

    async def _next(self, numbered: Numbered, stopped: Stopped) -> Block | None:
        for number, read in numbered:
            if stopped():
                return None
            if number in self._finished_before:
                await asyncio.sleep(0)  # a long file of them must not hold up the event loop
                continue
            claim = await asyncio.to_thread(self._claim, number)
            self._met_others |= claim.state != "new"
            if claim:
                block = Block(
                    rows=read.rows,
                    number=number,
                    begun=self._goes_on or claim.state == "taken_over",
                    whole=read.whole,
                )
                self._held[number] = block
                self._waiting.discard(number)
                return block
            if claim.state == "finished":
                self._waiting.discard(number)
            else:
                self._waiting.add(number)
        return None

    def _claim(self, number: int) -> Claim:
        """In a thread, so that the event loop does not wait for the store."""
        with self._claiming:
            if self._left:  # the run has ended while this thread was waiting for its turn
                return Claim(state="held", worker=self._worker)
            claim = self._store.claim(self._run_id, number, self._worker, self._lease_seconds)
            if claim.state == "held" and is_dead(claim.worker):
                claim = self._store.claim(
                    self._run_id, number, self._worker, self._lease_seconds, dead=[claim.worker]
                )
            return claim

    async def _free(self) -> set[int]:
        """Those of the blocks waited for that can be had now. The finished ones are waited for no more."""
        claims = await asyncio.to_thread(self._store.blocks, self._run_id)
        free = set()
        for number in list(self._waiting):
            claim = claims.get(number)
            if claim is None or claim.state == "lapsed" or is_dead(claim.worker):
                free.add(number)
            if claim is not None and claim.state == "finished":
                free.discard(number)
                self._waiting.discard(number)
        return free

    def _some(self, wanted: Collection[int]) -> Numbered:
        last = max(wanted)
        for number, read in enumerate(read_blocks(self._read_again())):
            if number in wanted:
                yield number, read
            if number >= last:
                return

    def _finish(self, block: Block) -> None:
        """In the next commit; nobody waits for it."""
        self._held.pop(block.number, None)
        self._group.keep_later(FinishBlock(run_id=self._run_id, block=block.number, worker=self._worker))

    # ---- what others judged ----

    def note(self, judgement: Judgement) -> None:
        """Eight bytes for each that is reported: what others judged is what is stored and not among these."""
        self._noted.append(_fingerprint(judgement))

    def others(self) -> Iterator[Judgement]:
        """What other processes have added to the run since this one began."""
        if not self._met_others:
            return
        noted = frozenset(self._noted)
        for judgement in self._store.judgements(self._run_id):
            if _fingerprint(judgement) not in noted:
                yield judgement

    # ---- leases ----

    async def keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            with suppress(StoreError):  # if the trouble lasts, what is kept next will tell
                await self.renew()

    async def renew(self) -> None:
        before = dict(self._held)
        still = await asyncio.to_thread(self._renew)
        if still is None:
            return
        for number, block in before.items():
            if number not in still and self._held.get(number) is block:
                del self._held[number]
                block.lost = True
                self._waiting.add(number)
                self._met_others = True

    def _renew(self) -> set[int] | None:
        with self._claiming:
            return None if self._left else self._store.renew(self._run_id, self._worker, self._lease_seconds)

    async def settle(self) -> None:
        """Wait until what was finished is stored as finished."""
        await self._group.flush()

    async def others_at_work(self) -> bool:
        workers = await asyncio.to_thread(self._store.workers, self._run_id)
        return any(worker != self._worker and not is_dead(worker) for worker in workers)

    async def leave(self) -> None:
        """Give up what is not finished. Nothing is claimed or renewed afterwards."""

        def leave() -> None:
            with self._claiming:
                self._left = True
                self._store.leave(self._run_id, self._worker)

        await asyncio.to_thread(leave)


@asynccontextmanager
async def share_run(
    store: Store,
    group: GroupCommit,
    run_id: str,
    *,
    again: Collection[str],
    goes_on: bool,
    read_again: Callable[[], Iterable[Row]],
) -> AsyncIterator[SharedBlocks]:
    """Be one of those at work on a run. Judgements that came out as `again` says are made again, unless others are
    at work already: they would be made by each.
    """
    worker = name_worker()
    dead = {name for name in store.workers(run_id) if is_dead(name)}
    alone = store.join(run_id, worker, LEASE_SECONDS, dead=dead, again=again if goes_on else ())
    blocks = SharedBlocks(
        store, group, run_id, worker=worker, alone=alone, goes_on=goes_on, read_again=read_again
    )
    leases = asyncio.create_task(blocks.keep_leases())
    try:
        yield blocks
    finally:
        leases.cancel()
        await asyncio.gather(leases, return_exceptions=True)
        with suppress(StoreError):  # what is held is free when its lease ends
            await blocks.leave()


def _fingerprint(judgement: Judgement) -> int:
    return hash((judgement.case_id, judgement.judge, judgement.repeat))
