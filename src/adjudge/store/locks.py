"""The lock on a run of a SQLite store: the operating system frees it when its process ends, however it ends."""

import errno
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from adjudge.errors import StoreError

LOOK_SECONDS = 0.05
"""Far longer than `is_locked` holds a lock."""


class FileLock:
    """A file beside the store, locked by the operating system and empty: who holds it stands in the store."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def is_held(self) -> bool:
        return _is_at(self._descriptor, self._path)

    def release(self) -> None:
        # while it is locked, so that nobody is left with a lock on a file that is no longer there
        with suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)
        if sys.platform == "win32":  # an open file cannot be removed there
            with suppress(OSError):
                self._path.unlink()


def lock_file(path: Path) -> FileLock | None:
    """None when another has it, in this process or elsewhere."""
    found = _lock_once(path)
    if found is None:
        time.sleep(LOOK_SECONDS)  # it may have been one who only looked
        found = _lock_once(path)
    return found


def _lock_once(path: Path) -> FileLock | None:
    try:
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                locked = _try_lock(descriptor)
                # else it was removed between our opening and our locking it: another may have made a new one
                if locked and _is_at(descriptor, path):
                    return FileLock(path, descriptor)
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
            if not locked:
                return None
    except OSError as error:
        raise StoreError(
            str(path),
            f"the run cannot be locked ({error.strerror or error})",
            "give this user write permission there, or put the store on a disk of this machine",
        ) from None


def is_locked(path: Path) -> bool:
    """Whether somebody holds it; to see that, it is held for a moment."""
    try:
        descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:  # not ours to open: it is there, so it may be held
        return True
    try:
        return not _try_lock(descriptor)
    except OSError:
        return True
    finally:
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in {errno.EACCES, errno.EDEADLK}:
                return False
            raise
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        """Of the open file, not of the process as with `lockf`: two runs in one process are kept apart too."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
