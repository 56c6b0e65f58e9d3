"""Which SQLite stores were closed, so that a write-ahead log that appears beside one later is not taken for ours.

SQLite writes a log that it finds into the store, whoever made it. It deletes its own when the last connection is closed;
only a process that is running or was killed leaves one. So the last to close a store notes that in the user's state
folder, and the next to open it removes the note before anything is written: a log beside a store with a note is not ours.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adjudge.errors import StoreError
from adjudge.store.locks import FileLock, lock_file
from adjudge.store.trust import state_folder

MAX_WAIT_SECONDS = 30.0


@contextmanager
def opening(file: Path) -> Iterator[None]:
    """Around all that opens the store: refuse a log that appeared since it was closed, and remove the note.

    The connection has read something when this ends: from then on the log is there, and no other is the last to close.
    """
    with _locked_note(file) as note:
        if note is not None and note.exists():
            log = _log(file)
            if _read(note) == _state(file) and log.exists() and log.stat().st_size:
                raise StoreError(
                    str(log),
                    "was not there when the store was closed, and opening the store would change it to what this holds",
                    f"delete {log}; if a process of yours left it that keeps its state elsewhere (in a container, "
                    f"on another machine), delete {note} instead",
                )
            note.unlink()
            _sync(note.parent)  # a power cut must not bring it back beside a log of ours
        yield


@contextmanager
def closing(file: Path) -> Iterator[None]:
    """Around the closing of the connections: note it, where they were the last."""
    with _locked_note(file) as note:
        yield
        if note is not None and not _log(file).exists():
            with suppress(OSError):
                note.write_text(_state(file), encoding="ascii")


@contextmanager
def _locked_note(file: Path) -> Iterator[Path | None]:
    """The note on a file, by whatever path it was found; None where nothing can be written down."""
    try:
        folder = state_folder() / "closed"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = file.stat()
        note = folder / f"{status.st_dev}-{status.st_ino}"
        lock = _lock(note.with_name(f"{note.name}.lock"))
    except (OSError, RuntimeError, StoreError):  # no home folder, a full disk, a file system without locks
        yield None
        return
    if lock is None:
        raise StoreError(
            str(file),
            f"another process has been opening or closing it for {MAX_WAIT_SECONDS:g} seconds",
            "wait for that process or end it, or name another store",
        )
    try:
        yield note
    finally:
        lock.release()


def _lock(path: Path) -> FileLock | None:
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while (lock := lock_file(path)) is None and time.monotonic() < deadline:
        pass  # it waits a little itself
    return lock


def _log(file: Path) -> Path:
    file = file.resolve()
    return file.with_name(f"{file.name}-wal")


def _state(file: Path) -> str:
    """The number of a deleted file is given to another: what else it is known by."""
    status = file.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _read(note: Path) -> str:
    try:
        return note.read_text(encoding="ascii")
    except (OSError, UnicodeError):
        return ""


def _sync(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
