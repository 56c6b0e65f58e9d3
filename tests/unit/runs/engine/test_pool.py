"""At most so many tasks judge at a time, and results wait until they are taken."""

import asyncio

from adjudge.errors import StoreError
from adjudge.records import BadRow, Place
from adjudge.runs.engine.context import PlannedJudgement, RunContext, WorkItem
from adjudge.runs.engine.pool import Pool
from adjudge.runs.engine.run_store import NullRunStore


def works(count, *, then=None, taken=None):
    """So many rows that ask nobody."""
    planned = PlannedJudgement(judge=None, model=None, repeat=0)

    async def give():
        for position in range(count):
            if taken is not None:
                taken.append(position)
            row = BadRow(case_id=str(position), place=Place(file="f"), found="nothing", wanted="a case")
            yield WorkItem(row=row, planned=planned, position=position)
        if then is not None:
            raise then

    return give()


def new_pool(given, *, jobs, judge):
    context = RunContext(judges=(), repeats=1, models=(), run_store=NullRunStore())
    return Pool(given, context, jobs=jobs, judge=judge)


def run_pool(given, *, jobs, judge):
    """What comes out of it, an error as it is."""

    async def main():
        results = []
        async with new_pool(given, jobs=jobs, judge=judge) as pool:
            while (result := await pool.take()) is not None:
                results.append(result if isinstance(result, Exception) else result.position)
        return results, pool

    return asyncio.run(main())


def test_no_more_than_so_many_are_judged_at_once():
    at_work = most = 0

    async def judge(work, context):
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        for _ in range(20):
            await asyncio.sleep(0)
        at_work -= 1

    results, pool = run_pool(works(200), jobs=5, judge=judge)
    assert sorted(results) == list(range(200))
    assert most == 5
    assert pool.all_taken


def test_rows_are_not_read_ahead_of_results_that_nobody_takes():
    async def judge(work, context):
        return None

    async def main():
        taken = []
        async with new_pool(works(100, taken=taken), jobs=5, judge=judge) as pool:
            for _ in range(200):
                await asyncio.sleep(0)
            read = len(taken)
            await pool.take()
            for _ in range(20):
                await asyncio.sleep(0)
            return read, len(taken)

    assert asyncio.run(main()) == (10, 11)


def test_what_was_read_before_an_error_is_judged():
    async def judge(work, context):
        return None

    error = ValueError("the file ends here")
    results, pool = run_pool(works(3, then=error), jobs=2, judge=judge)
    assert {0, 1, 2, error} == set(results)
    assert not pool.all_taken


def test_a_case_whose_judging_was_cancelled_is_left_out_and_the_others_go_on():
    async def judge(work, context):
        await asyncio.sleep(0)
        if work.position % 3 == 0:
            raise asyncio.CancelledError

    results, _ = run_pool(works(20), jobs=2, judge=judge)
    assert sorted(results) == [position for position in range(20) if position % 3]


def test_a_task_that_fails_while_it_is_cancelled_ends():
    """A full disk: one case fails, the others are cancelled, and each meets the same error while it settles."""

    async def judge(work, context):
        try:
            await asyncio.Event().wait()
        finally:
            raise StoreError("store.db", "the disk is full", "free some space")

    async def main():
        async with new_pool(works(3), jobs=3, judge=judge) as pool:
            for _ in range(20):
                await asyncio.sleep(0)
            assert len(pool.tasks) == 3
        return len(pool.tasks)

    assert asyncio.run(main()) == 0
