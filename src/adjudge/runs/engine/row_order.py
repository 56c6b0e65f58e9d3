"""Rows in the order of the cases, though they are judged in any order, in memory that does not grow."""

from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import NamedTuple

from adjudge.errors import StoreError
from adjudge.records import Judgement
from adjudge.runs.engine.run_store import NullRunStore, RunStore

MAX_HELD = 500
"""Judgements held until their turn; what comes beyond them is read back from the store when it is."""


class RowPositions:
    """Which positions of a run's rows are settled: judged and kept, in this run or before it was interrupted."""

    def __init__(self, first: int = 0) -> None:
        self.planned = first
        """The next position to be taken."""
        self._open: dict[int, None] = {}
        """Being judged. Positions are taken in order, so that the first key is the lowest."""
        self.settled_count = 0
        self.skipped = 0
        """How many were judged before the run was interrupted."""
        self.not_needed = 0
        """How many repeats could not have changed anything."""
        self.elsewhere = 0
        """How many are judged by other processes."""
        self._gaps: deque[range] = deque()
        """Where these are, as far as nobody has come past them."""

    def skip(self) -> None:
        self.planned += 1
        self.skipped += 1

    def leave_out(self, count: int) -> None:
        start = self.planned
        if self._gaps and self._gaps[-1].stop == start:
            start = self._gaps.pop().start
        self.planned += count
        self.elsewhere += count
        self._gaps.append(range(start, self.planned))

    def first_here(self, position: int) -> int:
        """The first from this one on that is judged here; called with positions in order."""
        while self._gaps and self._gaps[0].stop <= position:
            self._gaps.popleft()
        return self._gaps[0].stop if self._gaps and self._gaps[0].start <= position else position

    def take(self) -> int:
        position = self.planned
        self._open[position] = None
        self.planned += 1
        return position

    def settle(self, position: int) -> None:
        del self._open[position]
        self.settled_count += 1

    def pass_over(self, position: int) -> None:
        del self._open[position]
        self.not_needed += 1

    def leave_open(self) -> None:
        """What is being judged will not be kept."""
        self._open.clear()

    @property
    def settled(self) -> int:
        """All positions before this one are settled."""
        return next(iter(self._open), self.planned)


class RowResult(NamedTuple):
    position: int
    judgement: Judgement | None
    """None: nothing stands there, nor will."""


async def in_order(
    made: AsyncGenerator[RowResult, None],
    run_store: RunStore | NullRunStore,
    positions: RowPositions,
    *,
    max_held: int | None = MAX_HELD,
) -> AsyncGenerator[Judgement, None]:
    """What is made, and what was kept before, each at its turn. An error comes after all that was kept before it.

    A row that is ahead of its turn is committed already, so that it need not be held. Without a store, or where
    `max_held` is None, all such rows are.
    """
    if isinstance(run_store, NullRunStore):
        max_held = None
    held: dict[int, Judgement | None] = {}
    turn = positions.planned

    async def ready(until: int) -> AsyncGenerator[Judgement, None]:
        nonlocal turn
        while (turn := positions.first_here(turn)) < until:
            found: Sequence[tuple[int, Judgement | None]] = [(turn, held[turn])] if turn in held else []
            if not found:
                found = await run_store.between(turn, until)
            for position, judgement in found:
                held.pop(position, None)
                turn = position + 1
                if judgement is not None:
                    yield judgement
            if not found:  # what stood here was interrupted
                turn = min((position for position in held if position < until), default=until)

    fault: Exception | None = None
    async with aclosing(made):
        while True:
            try:
                position, judgement = await anext(made)
            except StopAsyncIteration:
                break
            except StoreError:
                raise
            except Exception as error:  # noqa: BLE001 - raised below
                fault = error
                break
            if position == turn or max_held is None or len(held) < max_held:
                held[position] = judgement
            until = positions.settled
            while turn < until and turn in held:  # nearly always: nothing is to be read back
                judgement = held.pop(turn)
                turn = positions.first_here(turn + 1)
                if judgement is not None:
                    yield judgement
            if turn < until:
                async with aclosing(ready(positions.settled)) as rows:
                    async for row in rows:
                        yield row
    positions.leave_open()
    async with aclosing(ready(positions.planned)) as rows:
        async for row in rows:
            yield row
    if fault is not None:
        raise fault
