"""Which judgements are still to be made, case by case, and which of them wait for others."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from adjudge.records import (
    BadRow,
    Case,
)
from adjudge.runs.engine.context import PlannedJudgement, PlannedName, RowResults, RunContext, WorkItem
from adjudge.runs.engine.run_store import all_between
from adjudge.store import JudgementKey

LOOKUP_SIZE = 400
"""Cases asked about at a time when a run goes on."""


async def list_work_items(
    rows: Iterable[Case | BadRow], context: RunContext
) -> AsyncGenerator[WorkItem, None]:
    """What is left to judge, case by case, so that all judges and repeats of one case are done near each other."""
    run_store, positions = context.run_store, context.progress.positions
    planned_judgements = context.planned_judgements()
    names = [planned.name for planned in planned_judgements]
    computes = any(planned.is_computed for planned in planned_judgements)
    waiting: list[WaitingItem] = []
    for chunk in _chunks(rows, LOOKUP_SIZE if run_store.resumes else 1):
        done = await run_store.done([row.case_id for row in chunk if context.is_here(row.case_id)])
        if done:
            keys = (JudgementKey(row.case_id, *name) for row in chunk for name in names)
            here = {key: position for position, key in enumerate(keys, positions.planned)}
            await run_store.place({key: here[key] for key in done if key in here and here[key] != done[key]})
        for row in chunk:
            if not context.is_here(row.case_id):
                positions.leave_out(len(names))
                continue
            first = positions.planned
            before = {name for name in names if done and JudgementKey(row.case_id, *name) in done}
            made = _row_parts(names) if computes and len(before) < len(names) else None
            if before:
                await _recall(row, {first + names.index(name): name for name in before}, made, context)
            for planned, name in zip(planned_judgements, names, strict=True):
                if context.stop_signal.why is not None:
                    return
                if name in before:
                    positions.skip()
                elif context.waits(planned, row):
                    kept = run_store.keeps and isinstance(row, Case)
                    waiting.append(
                        WaitingItem(
                            row=row.case_id if kept else row,
                            planned=planned,
                            position=positions.take(),
                            first=first,
                            made=None if kept else made,
                        )
                    )
                else:
                    context.progress.begin()
                    yield WorkItem(row=row, planned=planned, position=positions.take(), made=made)
    context.progress.expected = positions.planned - positions.not_needed - positions.elsewhere
    if waiting and context.progress.judging:
        with context.progress.activity.waiting:
            await context.progress.idle.wait()
    if waiting and context.cascade is not None:
        context.cascade.settle()
    for _, group in groupby(waiting, key=lambda each: each.first):
        async for work in _take_up(list(group), names, context):
            if context.stop_signal.why is not None:
                return
            context.progress.begin()
            yield work


def _row_parts(names: Iterable[PlannedName]) -> RowResults:
    """A place for each judgement of a row."""
    loop = asyncio.get_running_loop()
    return {name: loop.create_future() for name in names}


async def _recall(
    row: Case | BadRow, before: Mapping[int, PlannedName], made: RowResults | None, context: RunContext
) -> None:
    """What a run judged of a row before it was interrupted, by position: for what is computed from it and is still to
    be made, and for the thresholds of a cascade.
    """
    if made is None and not context.calibrates(row):
        return
    stored = dict([each async for each in all_between(context.run_store, min(before), max(before) + 1)])
    for position, name in before.items():
        judgement = stored.get(position)
        if made is not None and judgement is None:
            made[name].cancel()
        elif made is not None and judgement is not None:
            made[name].set_result(judgement)
        if judgement is not None:
            context.learn(judgement)


class WaitingItem(NamedTuple):
    """A judgement that can be made only when all votes of the run are in."""

    row: Case | BadRow | str
    """Its id alone, where the store has it."""
    planned: PlannedJudgement
    position: int
    first: int
    """The position of the row's first judgement."""
    made: RowResults | None
    """None where the store has them."""


async def _take_up(
    group: Sequence[WaitingItem], names: Sequence[PlannedName], context: RunContext
) -> AsyncGenerator[WorkItem, None]:
    """What waits of one row, with what was made of it."""
    row, made, first = group[0].row, group[0].made, group[0].first
    if isinstance(row, str):
        row = await context.run_store.case(row)
        stored = dict([each async for each in all_between(context.run_store, first, first + len(names))])
        made = _row_parts(names)
        pending = {each.planned.name for each in group}
        for position, name in enumerate(names, first):
            if position in stored:
                made[name].set_result(stored[position])
            elif name not in pending:
                made[name].cancel()
    for each in group:
        yield WorkItem(row=row, planned=each.planned, position=each.position, made=made)


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
