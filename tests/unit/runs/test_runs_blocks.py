"""Blocks: each is one process's at a time, and finished once all of it is kept."""

import asyncio
import os
import subprocess
import sys
from contextlib import aclosing, asynccontextmanager, closing
from datetime import UTC, datetime

import pytest

from adjudge.errors import DatasetError
from adjudge.records import Case, Failed, Judgement
from adjudge.runs.blocks import BLOCK, SharedBlocks, Unshared, read_blocks, share_run
from adjudge.runs.workers import is_dead, name_worker
from adjudge.store import KeepJudgement, RunRecord, StartRun, open_store
from adjudge.store.group import GroupCommit

ROWS = [Case(case_id=str(number), columns={}, fields={}) for number in range(4 * BLOCK + 3)]
BLOCKS = 5


@pytest.fixture
def store(tmp_path):
    with closing(open_store(tmp_path / "store")) as store:
        run = RunRecord(run_id="r", name=None, state="running", plan={}, started_at=datetime.now(UTC))
        store.write([StartRun(run=run)])
        yield store


@asynccontextmanager
async def sharing(store, worker="me", *, rows=ROWS, goes_on=False, **options):
    group = GroupCommit(store)
    blocks = SharedBlocks(
        store,
        group,
        "r",
        worker=worker,
        alone=store.join("r", worker, 60),
        goes_on=goes_on,
        read_again=lambda: iter(rows),
        poll_seconds=0.005,
        **options,
    )
    try:
        yield blocks
    finally:
        await group.close()


def judgement(case_id):
    return Judgement(
        case_id=case_id,
        judge="j",
        judge_hash="0" * 12,
        model="m",
        repeat=0,
        outcome=Failed(kind="bad_row", message="x"),
        at=datetime(2026, 1, 2, tzinfo=UTC),
    )


def work_through(blocks, block):
    blocks.plan(block, len(block.rows))
    for row in block.rows:
        blocks.count(block, judgement(row.case_id))


async def take_all(blocks, *, rows=ROWS, stopped=lambda: False):
    taken = []
    async with aclosing(blocks.take(rows, stopped)) as stream:
        async for block in stream:
            taken.append(block)
            work_through(blocks, block)
    await blocks.settle()
    return [block.number for block in taken]


def states(store):
    return {number: claim.state for number, claim in store.blocks("r").items()}


def test_alone_all_blocks_come_in_order_and_are_finished(store):
    async def run():
        async with sharing(store) as blocks:
            assert await take_all(blocks) == list(range(BLOCKS))
            assert blocks.complete
            assert list(blocks.others()) == []

    asyncio.run(run())
    assert states(store) == dict.fromkeys(range(BLOCKS), "finished")


def test_a_block_is_finished_only_when_the_last_of_it_is_kept(store):
    async def run():
        async with sharing(store) as blocks, aclosing(blocks.take(ROWS, lambda: False)) as stream:
            block = await anext(stream)
            blocks.plan(block, 2)
            blocks.count(block, judgement("0"))
            await blocks.settle()
            assert states(store)[0] == "held"
            blocks.count(block, judgement("1"))
            await blocks.settle()
            assert states(store)[0] == "finished"
            empty = await anext(stream)
            blocks.plan(empty, 0)
            await blocks.settle()
            assert states(store)[1] == "finished"

    asyncio.run(run())


def test_blocks_finished_before_are_not_asked_for(store):
    for number in (0, 2):
        store.claim("r", number, "past", 60)
        store.release("r", number, "past", finished=True)

    async def run():
        async with sharing(store, goes_on=True) as blocks:
            assert await take_all(blocks) == [1, 3, 4]
            assert blocks.complete

    asyncio.run(run())


def test_blocks_that_another_holds_are_taken_over_when_given_up_and_left_when_finished(store):
    store.join("r", "other", 60)
    for number in (0, 1):
        store.claim("r", number, "other", 60)

    async def run():
        async with sharing(store) as blocks, aclosing(blocks.take(ROWS, lambda: False)) as stream:
            for expected in (2, 3, 4):
                block = await anext(stream)
                assert (block.number, block.begun) == (expected, False)
                work_through(blocks, block)
            last = asyncio.create_task(anext(stream))
            await asyncio.sleep(0.05)
            assert not last.done()
            store.release("r", 1, "other", finished=True)
            store.release("r", 0, "other", finished=False)
            block = await last
            assert (block.number, block.begun, block.rows) == (0, True, ROWS[:BLOCK])
            work_through(blocks, block)
            assert await anext(stream, None) is None
            assert blocks.complete

    asyncio.run(run())


def test_a_lease_that_ended_is_taken_over(store):
    store.join("r", "other", -1)
    store.claim("r", 1, "other", -1)

    async def run():
        async with sharing(store) as blocks:
            assert await take_all(blocks) == list(range(BLOCKS))

    asyncio.run(run())


def test_who_stops_does_not_wait_for_others_and_is_not_complete(store):
    store.join("r", "other", 60)
    store.claim("r", 0, "other", 60)
    stop = False

    async def run():
        nonlocal stop
        async with sharing(store) as blocks:
            waiting = asyncio.create_task(take_all(blocks, stopped=lambda: stop))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            stop = True
            await waiting
            assert not blocks.complete
            assert await blocks.others_at_work()

    asyncio.run(run())


def test_a_block_whose_lease_was_lost_is_left_to_who_took_it(store):
    async def run():
        async with sharing(store) as blocks, aclosing(blocks.take(ROWS, lambda: False)) as stream:
            kept, lost = await anext(stream), await anext(stream)
            blocks.plan(kept, 1)
            blocks.plan(lost, 1)
            await blocks.renew()
            assert (kept.lost, lost.lost) == (False, False)
            store.claim("r", lost.number, "other", 60, dead=["me"])  # as after a sleep longer than the lease
            await blocks.renew()
            assert (kept.lost, lost.lost) == (False, True)
            blocks.count(kept, judgement("0"))
            store.release("r", lost.number, "other", finished=True)
            assert [block.number async for block in _worked(blocks, stream)] == [2, 3, 4]
            assert blocks.complete

    asyncio.run(run())


async def _worked(blocks, stream):
    async for block in stream:
        work_through(blocks, block)
        yield block


def test_others_are_those_judgements_that_are_stored_and_not_reported(store):
    def keep(*case_ids):
        store.write(
            [
                KeepJudgement(run_id="r", judgement=judgement(each), case=ROWS[0], calls=(), reuse_key=None)
                for each in case_ids
            ]
        )

    keep("a", "b")

    async def run():
        async with sharing(store) as blocks:
            blocks.note(judgement("a"))
            assert list(blocks.others()) == []  # no other process was met, so the store is not read
            store.join("r", "other", 60)
            store.claim("r", 0, "other", 60)
            store.release("r", 0, "other", finished=True)
            keep("c")
            await take_all(blocks)
            assert [each.case_id for each in blocks.others()] == ["b", "c"]

    asyncio.run(run())


def test_rows_before_a_fault_come_out_and_their_block_is_not_finished(store):
    def broken():
        yield from ROWS[:3]
        raise DatasetError("x.jsonl", "ends in the middle", "mend it")

    async def run():
        async with sharing(store) as blocks:
            with pytest.raises(DatasetError):
                await take_all(blocks, rows=broken())
            assert not blocks.complete

    asyncio.run(run())
    assert states(store) == {0: "held"}
    assert [(len(read.rows), read.whole) for read in read_blocks(ROWS[: BLOCK + 1])] == [
        (BLOCK, True),
        (1, True),
    ]


def test_leaving_gives_up_what_is_held_and_claims_nothing_more(store):
    async def run():
        group = GroupCommit(store)
        async with (
            share_run(store, group, "r", again=(), goes_on=False, read_again=list) as blocks,
            aclosing(blocks.take(ROWS, lambda: False)) as stream,
        ):
            await anext(stream)
            assert states(store)[0] == "held"
            await blocks.leave()
            ahead = set(states(store))
            await anext(stream, None)
            assert set(states(store)) == ahead
        await group.close()

    asyncio.run(run())
    assert set(states(store).values()) == {"lapsed"}
    assert store.workers("r") == set()


def test_unshared_blocks_are_all_ours():
    async def run():
        blocks = Unshared()
        assert await take_all(blocks) == list(range(BLOCKS))
        assert list(blocks.others()) == []

    asyncio.run(run())


# ---- workers ----


def test_a_worker_is_dead_when_its_process_on_this_machine_is_gone():
    name = name_worker()
    assert name != name_worker()
    assert not is_dead(name)
    child = subprocess.Popen(
        [sys.executable, "-c", "from adjudge.runs.workers import name_worker; print(name_worker()); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    theirs = child.stdout.readline().strip()
    assert not is_dead(theirs)
    child.communicate("\n")
    assert is_dead(theirs) == (os.name == "posix")


@pytest.mark.parametrize("change", [lambda parts: ["", "elsewhere", *parts[2:]], lambda parts: parts[:2]])
def test_of_another_machine_or_an_unknown_name_nothing_is_told(change):
    parts = name_worker().rsplit(":", 3)
    parts[2] = "999999999"
    assert not is_dead(":".join(change(parts)))


@pytest.mark.parametrize("name", ["", "a", ":::", "a:b:c:d", "x" * 10_000])
def test_any_name_may_be_asked_after(name):
    assert not is_dead(name)
