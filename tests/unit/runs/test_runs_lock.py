"""The lock on a run: whoever has it judges it, and stops when it is lost."""

import asyncio
from contextlib import closing
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from adjudge.errors import RunInUseError
from adjudge.runs.lock import hold_run, watched_lock
from adjudge.store import EndRun, StartRun, open_store

PLAN = {"identity": "0123456789abcdef", "path": None}


@pytest.fixture
def store(tmp_path):
    with closing(open_store(tmp_path / "store")) as store:
        yield store


def start(store):
    held = hold_run(store, PLAN, name=None)
    store.write([StartRun(run=held.chosen.record)])
    return held


def test_a_run_is_held_until_it_is_released_and_resumes_when_it_was_not_finished(store):
    first = start(store)
    assert not first.chosen.resumes
    with pytest.raises(RunInUseError, match="since 20"):
        hold_run(store, PLAN, name=None)
    first.lock.release()
    second = hold_run(store, PLAN, name=None)
    assert second.chosen.resumes
    assert second.chosen.record.run_id == first.chosen.record.run_id
    second.lock.release()


def test_a_driver_that_is_not_written_down_yet_is_still_refused(store):
    held = hold_run(store, PLAN, name=None)
    with pytest.raises(RunInUseError, match="another process, which has just started, is judging it"):
        hold_run(store, PLAN, name=None)
    held.lock.release()


def test_a_run_that_ends_while_its_lock_is_taken_is_not_opened_again(store):
    first = start(store)
    run_id = first.chosen.record.run_id

    class Meanwhile:
        """The first process ends between the second's look at the runs and its taking the lock."""

        def __getattr__(self, name):
            return getattr(store, name)

        def lock_run(self, wanted, shard=None):
            if wanted == run_id:
                store.write([EndRun(run_id=run_id, state="finished", at=datetime.now(UTC))])
                first.lock.release()
            return store.lock_run(wanted, shard)

    second = hold_run(Meanwhile(), PLAN, name=None)
    assert (second.chosen.record.run_id, second.chosen.resumes) == (f"{run_id}-2", False)
    second.lock.release()
    assert store.find_run(run_id).state == "finished"


def test_a_run_stops_when_its_lock_is_lost():
    class Lock:
        held, released = True, False

        def is_held(self):
            return self.held

        def release(self):
            self.released = True

    async def main():
        lock, stopped = Lock(), asyncio.Event()
        why = []

        def stop(reason):
            why.append(reason)
            stopped.set()

        async with watched_lock(lock, stop, check_seconds=0):
            lock.held = False
            await stopped.wait()
        return lock, why

    lock, why = asyncio.run(main())
    assert lock.released
    assert len(why) == 1
    assert "the lock on the run was lost" in why[0]


def test_a_resumed_run_has_its_new_driver(store):
    first = start(store)
    before = first.chosen.record.driver
    first.lock.release()
    old = replace(before, pid=1, host="gone")
    store.write([StartRun(run=replace(first.chosen.record, driver=old))])
    second = start(store)
    assert store.find_run(second.chosen.record.run_id).driver == second.chosen.record.driver
    assert second.chosen.record.driver.pid == before.pid
    second.lock.release()


def test_runs_that_nothing_identifies_do_not_meet(store):
    unknown = {"identity": None, "path": None}
    one, two = (hold_run(store, unknown, name=None) for _ in range(2))
    assert one.chosen.record.run_id != two.chosen.record.run_id
    one.lock.release()
    two.lock.release()
