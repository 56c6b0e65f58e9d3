"""Where a writer's bytes go: standard output, or a file that keeps its old content until the first bytes come."""

import errno
import os
import stat
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Protocol

from adjudge.errors import SettingsError, StoreError

RESUME = "make room or name another place, and give the same command again: what was judged is kept"


class Sink(Protocol):
    def append(self, data: bytes) -> None:
        """Written and out of our hands on return; a StoreError when that fails, a BrokenPipeError for a closed pipe."""

    def close(self) -> None:
        """The run ended well; a file that got no bytes is emptied."""

    def abandon(self) -> None:
        """The run did not; a file that got no bytes is left as it was, or is not there if it was not."""


class StreamSink:
    """Standard output: not ours to empty or to close."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def append(self, data: bytes) -> None:
        try:
            self._stream.write(data)
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StoreError("standard output", why(error), "write to a file with -o FILE") from error

    def close(self) -> None:
        pass

    def abandon(self) -> None:
        pass


class FileSink:
    """A file opened for appending and emptied when the first bytes come."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._is_new = not Path(path).exists()
        try:
            # Unbuffered: what append() has returned from is with the operating system, whatever becomes of us.
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115, PTH123 - open for as long as the run lasts
        except OSError as error:
            raise unwritable(path, error) from error
        if not lock(self._file):
            self._file.close()
            raise SettingsError(
                path, "another run is writing to it", "wait for that run, or name another file"
            )
        self._regular = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        self._started = False

    def append(self, data: bytes) -> None:
        self._start()
        before = os.fstat(self._file.fileno()).st_size if self._regular else 0
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except BrokenPipeError:
            raise
        except OSError as error:
            if self._regular:
                self._cut_back(before)
            raise StoreError(str(self._path), f"could not be written to: {why(error)}", RESUME) from error

    def close(self) -> None:
        if not self._file.closed:
            self._start()
            self._file.close()

    def abandon(self) -> None:
        if self._file.closed:
            return
        self._file.close()
        if self._is_new and not self._started and self._regular:
            Path(self._path).unlink(missing_ok=True)

    def _start(self) -> None:
        if self._started:
            return
        try:
            if self._regular:
                self._file.truncate(0)
        except OSError as error:
            raise StoreError(str(self._path), f"could not be emptied: {why(error)}", RESUME) from error
        self._started = True

    def _cut_back(self, size: int) -> None:
        """Half a row would spoil the file for whoever reads the rows before it."""
        try:
            self._file.truncate(size)
        except OSError:
            return


def lock(file: BinaryIO | FileIO) -> bool:
    """Whether the file is now ours alone among runs of adjudge; the system lets go of it when we end, however we end."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows, where two writers are left to the person
    except ImportError:
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a device, or a file system without locks
    return True


def unwritable(path: str, error: OSError) -> SettingsError:
    hint = "name a file in a folder that exists and that you may write to"
    return SettingsError(path, f"cannot be written: {why(error)}", hint)


def why(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "the disk is full"
    return error.strerror or str(error)
