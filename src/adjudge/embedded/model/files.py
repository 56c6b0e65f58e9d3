"""Where the embedded judge's files live: one folder in the user's cache, safe when two processes fill it at once."""

import errno
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from adjudge.errors import InputError, MissingExtraError

CACHE_VARIABLE = "ADJUDGE_CACHE"
PULL = "run `adjudge models pull`"
CHUNK_BYTES = 1 << 20
MERGED_FORMAT = 1
"""Raised when a merged model made by an older version must be made again."""


class CacheError(InputError):
    """The cache folder cannot be used, or what lies in it is not what was put there."""


def cache_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The folder for files that can be fetched again; ADJUDGE_CACHE names another."""
    if environ.get(CACHE_VARIABLE):
        return Path(environ[CACHE_VARIABLE]).expanduser().absolute() / "embedded"
    return system_cache(environ, platform) / "adjudge" / "embedded"


def merged_folder(*, base_sha256: str, adapter_sha256: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Where the model lies that is made of this base and this adapter."""
    name = f"judge-{base_sha256[:12]}-{adapter_sha256[:12]}-v{MERGED_FORMAT}"
    return cache_folder(environ) / name


def system_cache(environ: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    named = Path(environ.get("XDG_CACHE_HOME") or "")
    return named if named.is_absolute() else Path.home() / ".cache"


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder and keep other processes out of it; the system lets go of the lock when we end, however we end."""
    try:
        from filelock import FileLock  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError:
        raise MissingExtraError(str(folder), "embedded") from None
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says about a write into what the person can do about it."""
    try:
        yield
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise CacheError(
            str(path),
            "the disk is full" if full else f"cannot be written: {error.strerror or error}",
            f"{'free some space' if full else 'make it writable'}, or name another folder in {CACHE_VARIABLE}",
        ) from error


def require_space(folder: Path, needed_bytes: int) -> None:
    """Say so before the work starts, not when the last block does not fit."""
    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        raise CacheError(
            str(folder),
            f"{needed_bytes / 1e6:.0f} MB are needed and {free / 1e6:.0f} MB are free",
            f"free some space, or name another folder in {CACHE_VARIABLE}",
        )


@contextmanager
def new_folder(final: Path) -> Iterator[Path]:
    """A folder to fill beside `final`, which takes its place only when all of it was written."""
    with writing(final):
        remove_unfinished(final)
        filling = final.with_name(f"{final.name}.{uuid4().hex[:8]}.part")
        filling.mkdir(parents=True)
    try:
        yield filling
        with writing(final):
            remove_folder(final)
            filling.replace(final)
    finally:
        shutil.rmtree(filling, ignore_errors=True)


def remove_unfinished(final: Path) -> None:
    """What a process that was killed left behind."""
    for left in final.parent.glob(f"{final.name}.*.part"):
        shutil.rmtree(left, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Rename first: nobody then finds a folder that is half there."""
    if folder.exists():
        renamed = folder.with_name(f"{folder.name}.{uuid4().hex[:8]}.part")
        folder.replace(renamed)
        shutil.rmtree(renamed, ignore_errors=True)
