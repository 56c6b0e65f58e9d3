"""One driver to a run: whoever starts it holds its lock, and a second process learns who that is."""

import asyncio
import os
import platform
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import structs

from adjudge.errors import InputError, RunInUseError
from adjudge.options import Shard, option
from adjudge.records import Json
from adjudge.runs.identity import ChosenRun, choose_run, find_by_id
from adjudge.store import Driver, RunLock, Store

CHECK_SECONDS = 5.0
"""How long a driver that lost its lock may go on without knowing."""


class HeldRun(NamedTuple):
    chosen: ChosenRun
    lock: RunLock


def hold_run(
    store: Store, described: Mapping[str, Json], *, name: str | None, shard: Shard | None = None
) -> HeldRun:
    """The run, or the part of it, that this process is to judge, under its lock; an `InputError` when another process
    judges it.
    """
    while True:
        chosen = choose_run(store, described, name=name, shard=shard)
        lock = lock_run(store, chosen.record.run_id, shard)
        try:
            found = find_by_id(store, chosen.record.run_id)
        except BaseException:
            lock.release()
            raise
        # it may have begun or ended between our look and our lock: then it is another run that is ours to judge
        unfinished = found is not None and found.state != "finished"
        if unfinished if chosen.resumes else found is None or (shard is not None and unfinished):
            driver = Driver(host=platform.node(), pid=os.getpid(), since=datetime.now(UTC))
            record = structs.replace(found or chosen.record, state="running", finished_at=None, driver=driver)
            return HeldRun(replace(chosen, record=record), lock)
        lock.release()


def lock_run(store: Store, run_id: str, shard: Shard | None = None) -> RunLock:
    """An `InputError` that names the process which drives the run, or this part of it, where one does."""
    lock = store.lock_run(run_id, None if shard is None else shard.number)
    if lock is not None:
        return lock
    if shard is None:
        found = find_by_id(store, run_id)
        raise _in_use(f"run {run_id}", None if found is None else found.driver)
    raise _in_use(
        f"shard {shard} of run {run_id}",
        next((part.driver for part in store.shards(run_id) if part.number == shard.number), None),
    )


def validate_idle(store: Store, run_id: str) -> None:
    """An `InputError` that names a process which judges a part of the run, where one does."""
    for part in store.shards(run_id):
        if part.state == "running":
            raise _in_use(f"shard {part.number} of run {run_id}", part.driver)


def _in_use(what: str, driver: Driver | None) -> InputError:
    who = "another process, which has just started,"
    since = ""
    if driver is not None:
        who = f"process {driver.pid} on {driver.host or 'a host without a name'}"
        since = f" since {driver.since:%Y-%m-%d %H:%M:%S} UTC"
    return RunInUseError(
        what,
        f"{who} is judging it{since}",
        f"wait for it or stop it; to start a separate run, choose another {option('--name')}",
    )


@asynccontextmanager
async def watched_lock(
    lock: RunLock, stop: Callable[[str], None], *, check_seconds: float = CHECK_SECONDS
) -> AsyncIterator[None]:
    """Stop the run when its lock is lost, and release the lock at the end."""

    async def watch() -> None:
        while await asyncio.to_thread(lock.is_held):  # noqa: ASYNC110 - nobody else would set an event
            await asyncio.sleep(check_seconds)
        stop(
            "the lock on the run was lost (the database may have restarted); run the same command again to resume"
        )

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        lock.release()
