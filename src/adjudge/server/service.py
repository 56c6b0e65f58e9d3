"""What the routes work with: the store, its index, and what this server may be asked to do."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.errors import InputError
from adjudge.judges import built_in_judges
from adjudge.records import Judge
from adjudge.runs.find_model import EMBEDDED
from adjudge.server.asker import Asker
from adjudge.server.comparisons import Comparisons
from adjudge.server.follow import Followed, Follower
from adjudge.server.index import Index
from adjudge.server.slice_counts import SliceCounts
from adjudge.store import RunRecord, Store, open_store
from adjudge.store.trust import unknown_store


@dataclass(frozen=True, kw_only=True, slots=True)
class Service:
    store: Store
    where: str
    """The store as it was named, for runs that this server starts; never shown, it can hold a password."""
    index: Index
    follower: Follower
    asker: Asker
    slices: SliceCounts
    comparisons: Comparisons
    models: tuple[str, ...]
    """What requests may name, each as `--model` does; the first where they name none."""
    judges: Mapping[str, Judge] = field(default_factory=dict)
    """What requests may name: the built-in judges and the files given when the server was started."""

    @property
    def unknown(self) -> str | None:
        """What every page says of a store that was not made here."""
        if self.store.trusted:
            return None
        return f"{self.store.where} {unknown_store(self.store.where, self.store.id)}"

    def run(self, reference: str) -> RunRecord:
        """By name, id, start of an id, or `last`, as on the command line."""
        for record in self.follower.runs():
            if reference in (record.run_id, record.name):
                return record
        found = self.store.find_run(reference)
        if found is None:
            raise NotFoundError(f"run {reference}", "is not in this store", "the list of runs has them all")
        return found

    def followed(self, reference: str) -> Followed:
        """What has been read of a run; an error that says to wait where reading has not begun."""
        record = self.run(reference)
        found = self.follower.want(record.run_id)
        if found is None or found.report is None:  # the first rows are read in a moment
            found = self.follower.wait_for(record.run_id)
        if found is None:
            raise NotReadyError(f"run {record.run_id}", "is about to be read", "ask again in a moment")
        return found


class NotFoundError(InputError):
    """HTTP 404."""


class NotReadyError(InputError):
    """HTTP 503, worth another try."""


@contextmanager
def open_service(
    where: str,
    *,
    models: Sequence[str] = (),
    base_url: str | None = None,
    judges: Sequence[Judge] = (),
) -> Iterator[Service]:
    """Over a store that is there or is made; the follower is at work until the end."""
    store = open_store(where)
    try:
        with _index_file(store) as file:
            index = Index(file)
            follower = Follower(store, index)
            asker = Asker(where=where, base_url=base_url)
            slices = SliceCounts(store)
            comparisons = Comparisons(store)
            follower.start()
            asker.start()
            try:
                yield Service(
                    store=store,
                    where=where,
                    index=index,
                    follower=follower,
                    asker=asker,
                    slices=slices,
                    comparisons=comparisons,
                    models=tuple(models) or (EMBEDDED,),
                    judges={judge.name: judge for judge in (*built_in_judges(), *judges)},
                )
            finally:
                asker.stop()
                slices.stop()
                comparisons.stop()
                follower.stop()
                index.close()
    finally:
        store.close()


@contextmanager
def _index_file(store: Store) -> Iterator[Path]:
    """Beside a store that is a file, and as closed to others; else in a folder of its own that goes at the end.

    Named by the store's id, so that a copy that came with a repository is not shown for the store's own.
    One server has the index to itself: a second one over the same store makes its own.
    """
    beside = Path(store.where)
    if store.id is not None and beside.is_file() and os.access(beside.parent, os.W_OK):
        file = beside.with_name(f"view-{store.id}.db")
        with _claimed(file) as ours:
            if ours:
                _make_private(file)
                yield file
                return
    with tempfile.TemporaryDirectory(prefix="adjudge-view-") as folder:
        yield Path(folder) / "view.db"


@contextmanager
def _claimed(file: Path) -> Iterator[bool]:
    """Whether no other server uses this file; the lock goes with the process, however that ends."""
    import sqlite3  # noqa: PLC0415 - only to borrow a lock that works on every platform

    lock = sqlite3.connect(file.with_name(f"{file.name}.lock"), isolation_level=None, timeout=0.0)
    try:
        try:
            lock.execute("PRAGMA locking_mode = EXCLUSIVE")
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            yield False
            return
        yield True
    finally:
        lock.close()


def _make_private(file: Path) -> None:
    if not file.exists():
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
