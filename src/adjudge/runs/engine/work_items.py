"""Which judgements are still to be made, case by case, and which of them wait for others."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from adjudge.records import (
    BadRow,
    Case,
)
from adjudge.runs.engine.context import Conditions, RowParts, Seat, SeatName, Work
from adjudge.runs.engine.run_store import all_between
from adjudge.store import JudgementKey

LOOKED_UP = 400
"""Cases asked about at a time when a run goes on."""


async def plan_work(rows: Iterable[Case | BadRow], conditions: Conditions) -> AsyncGenerator[Work, None]:
    """What is left to judge, case by case, so that all judges and repeats of one case are done near each other."""
    keeper, positions = conditions.keeper, conditions.progress.positions
    seats = conditions.seats()
    names = [seat.name for seat in seats]
    computes = any(seat.is_computed for seat in seats)
    waiting: list[Waiting] = []
    for chunk in _chunks(rows, LOOKED_UP if keeper.resumes else 1):
        done = await keeper.done([row.case_id for row in chunk if conditions.is_here(row.case_id)])
        if done:
            keys = (JudgementKey(row.case_id, *name) for row in chunk for name in names)
            here = {key: position for position, key in enumerate(keys, positions.planned)}
            await keeper.place({key: here[key] for key in done if key in here and here[key] != done[key]})
        for row in chunk:
            if not conditions.is_here(row.case_id):
                positions.leave_out(len(names))
                continue
            first = positions.planned
            before = {name for name in names if done and JudgementKey(row.case_id, *name) in done}
            made = _row_parts(names) if computes and len(before) < len(names) else None
            if before:
                await _recall(row, {first + names.index(name): name for name in before}, made, conditions)
            for seat, name in zip(seats, names, strict=True):
                if conditions.halt.why is not None:
                    return
                if name in before:
                    positions.skip()
                elif conditions.waits(seat, row):
                    kept = keeper.keeps and isinstance(row, Case)
                    waiting.append(
                        Waiting(
                            row=row.case_id if kept else row,
                            seat=seat,
                            position=positions.take(),
                            first=first,
                            made=None if kept else made,
                        )
                    )
                else:
                    conditions.progress.begin()
                    yield Work(row=row, seat=seat, position=positions.take(), made=made)
    conditions.progress.expected = positions.planned - positions.not_needed - positions.elsewhere
    if waiting and conditions.progress.judging:
        with conditions.progress.activity.waiting:
            await conditions.progress.idle.wait()
    if waiting and conditions.cascading is not None:
        conditions.cascading.settle()
    for _, group in groupby(waiting, key=lambda each: each.first):
        async for work in _take_up(list(group), names, conditions):
            if conditions.halt.why is not None:
                return
            conditions.progress.begin()
            yield work


def _row_parts(names: Iterable[SeatName]) -> RowParts:
    """A place for each judgement of a row."""
    loop = asyncio.get_running_loop()
    return {name: loop.create_future() for name in names}


async def _recall(
    row: Case | BadRow, before: Mapping[int, SeatName], made: RowParts | None, conditions: Conditions
) -> None:
    """What a run judged of a row before it was interrupted, by position: for what is computed from it and is still to
    be made, and for the thresholds of a cascade.
    """
    if made is None and not conditions.calibrates(row):
        return
    stored = dict([each async for each in all_between(conditions.keeper, min(before), max(before) + 1)])
    for position, name in before.items():
        judgement = stored.get(position)
        if made is not None and judgement is None:
            made[name].cancel()
        elif made is not None and judgement is not None:
            made[name].set_result(judgement)
        if judgement is not None:
            conditions.learn(judgement)


class Waiting(NamedTuple):
    """A judgement that can be made only when all votes of the run are in."""

    row: Case | BadRow | str
    """Its id alone, where the store has it."""
    seat: Seat
    position: int
    first: int
    """The position of the row's first judgement."""
    made: RowParts | None
    """None where the store has them."""


async def _take_up(
    group: Sequence[Waiting], names: Sequence[SeatName], conditions: Conditions
) -> AsyncGenerator[Work, None]:
    """What waits of one row, with what was made of it."""
    row, made, first = group[0].row, group[0].made, group[0].first
    if isinstance(row, str):
        row = await conditions.keeper.case(row)
        stored = dict([each async for each in all_between(conditions.keeper, first, first + len(names))])
        made = _row_parts(names)
        pending = {each.seat.name for each in group}
        for position, name in enumerate(names, first):
            if position in stored:
                made[name].set_result(stored[position])
            elif name not in pending:
                made[name].cancel()
    for each in group:
        yield Work(row=row, seat=each.seat, position=each.position, made=made)


def _chunks(rows: Iterable[Case | BadRow], size: int) -> Iterator[list[Case | BadRow]]:
    """Those before a row that stops the reading come out before the error does."""
    chunk: list[Case | BadRow] = []
    try:
        for row in rows:
            chunk.append(row)
            if len(chunk) == size:
                yield chunk
                chunk = []
    except Exception:
        yield chunk
        raise
    yield chunk
