"""Cases are taken up in groups, as there is room for them and as they can be read."""

import asyncio

import pytest

from adjudge.errors import StoreError
from adjudge.records import BadRow, Place
from adjudge.runs.engine.conditions import Conditions, Seat, Work
from adjudge.runs.engine.feed import FEWEST_TOGETHER, MOST_TOGETHER, Feed, GroupSize
from adjudge.runs.engine.keep import NoKeeper


def works(count, *, then=None):
    """So many rows that ask nobody."""
    seat = Seat(judge=None, model=None, repeat=0)

    async def give():
        for position in range(count):
            row = BadRow(case_id=str(position), place=Place(file="f"), found="nothing", wanted="a case")
            yield Work(row=row, seat=seat, position=position)
        if then is not None:
            raise then

    return give()


def run_feed(given, *, jobs, judge):
    """What comes out of it, an error as it is."""

    async def main():
        conditions = Conditions(judges=(), repeats=1, models=(), keeper=NoKeeper())
        feed = Feed(given, conditions, jobs=jobs, judge=judge)
        running = asyncio.create_task(feed.run())
        results = []
        while (result := await feed.take()) is not None:
            results.append(result if isinstance(result, Exception) else result.position)
        await running
        for task in feed.tasks:
            task.cancel()
        await asyncio.gather(*feed.tasks, return_exceptions=True)
        return results, feed

    return asyncio.run(main())


def test_no_more_than_so_many_are_judged_at_once():
    at_work = most = 0

    async def judge(work, prepared, conditions):
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1

    results, feed = run_feed(works(200), jobs=5, judge=judge)
    assert sorted(results) == list(range(200))
    assert most == 5
    assert feed.all_taken


def test_what_was_read_before_an_error_is_judged():
    async def judge(work, prepared, conditions):
        return None

    error = ValueError("the file ends here")
    results, feed = run_feed(works(3, then=error), jobs=2, judge=judge)
    assert {0, 1, 2, error} == set(results)
    assert not feed.all_taken


def test_a_case_whose_judging_was_cancelled_is_left_out_and_the_others_go_on():
    async def judge(work, prepared, conditions):
        await asyncio.sleep(0)
        if work.position % 3 == 0:
            raise asyncio.CancelledError

    results, _ = run_feed(works(20), jobs=2, judge=judge)
    assert sorted(results) == [position for position in range(20) if position % 3]


@pytest.mark.parametrize(
    ("busy", "size"),
    [
        ([0.5], MOST_TOGETHER // 2),
        ([0.5] * 9, FEWEST_TOGETHER),
        ([0.5] * 9 + [1.0], 2 * FEWEST_TOGETHER),
        ([1.0] * 9, MOST_TOGETHER),
        ([0.9], MOST_TOGETHER),
    ],
)
def test_groups_are_small_while_the_processor_has_time(busy, size):
    group = GroupSize()
    for share in busy:
        group.follow(share)
    assert group.most == size


def test_a_task_that_fails_while_it_is_cancelled_ends():
    """A full disk: one case fails, the others are cancelled, and each meets the same error while it settles."""

    async def judge(work, prepared, conditions):
        try:
            await asyncio.Event().wait()
        finally:
            raise StoreError("store.db", "the disk is full", "free some space")

    async def main():
        conditions = Conditions(judges=(), repeats=1, models=(), keeper=NoKeeper())
        feed = Feed(works(3), conditions, jobs=3, judge=judge)
        running = asyncio.create_task(feed.run())
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(feed.tasks) == 3
        for task in [*feed.tasks]:
            task.cancel()
        for _ in range(20):
            await asyncio.sleep(0)
        left = len(feed.tasks)
        for task in [running, *feed.tasks]:
            task.cancel()
        await asyncio.gather(running, *feed.tasks, return_exceptions=True)
        return left

    assert asyncio.run(main()) == 0
