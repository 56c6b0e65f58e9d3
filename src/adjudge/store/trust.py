"""Which SQLite stores were made here: each has a random id, and ours are kept in the user's state folder.

A store answers for a model. One that came with a repository can hold any verdict its author likes, so it can be read,
and nothing in it is reused until the person says so.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from adjudge.errors import InputError, StoreError
from adjudge.store.sql import SqlSession

STATE_VARIABLE = "ADJUDGE_STATE"
TRUST_VARIABLE = "ADJUDGE_TRUST_STORE"
SHAPE = re.compile(r"[0-9a-f]{32}")
HASH_BYTES = (20, 32)
"""Of an entry in git's index: SHA-1, SHA-256."""

_made_by_this_process: set[str] = set()
"""For a machine on which the state folder cannot be written: what a process made, it may use."""


def read_id(session: SqlSession) -> str | None:
    """None when the store has none, or one that was not made by us."""
    rows = session.query("SELECT value FROM meta WHERE name = 'store_id'")
    return str(rows[0][0]) if rows and SHAPE.fullmatch(str(rows[0][0])) else None


def give_id(session: SqlSession) -> str:
    store_id = token_hex(16)
    session.change("DELETE FROM meta WHERE name = 'store_id'")
    session.change("INSERT INTO meta (name, value) VALUES ('store_id', ?)", [store_id])
    return store_id


def remember(store_id: str, file: Path) -> bool:
    """Whether it could be written down; this process knows it in any case."""
    _made_by_this_process.add(store_id)
    try:
        folder = known_stores()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / store_id).write_text(f"{file.absolute()}\n", encoding="utf-8", errors="surrogateescape")
    except (OSError, RuntimeError):  # no home folder
        return False
    return True


def is_trusted(store_id: str | None, file: Path, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a run may take its answers from the store: it was made here, and only this user can change it.

    A store that git tracks changes with every checkout, and keeps its id.
    """
    return is_known(store_id, environ) and (store_id in _named(environ) or not is_tracked(file))


def is_known(store_id: str | None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether this user made the store, or said that they trust it."""
    if store_id is None or not SHAPE.fullmatch(store_id):  # it becomes the name of a file
        return False
    if store_id in _made_by_this_process | _named(environ):
        return True
    try:
        return (known_stores(environ) / store_id).is_file()
    except (OSError, RuntimeError):
        return False


def _named(environ: Mapping[str, str]) -> set[str]:
    return {word.strip() for word in environ.get(TRUST_VARIABLE, "").split(",")}


def known_stores(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    return state_folder(environ, platform) / "stores"


def state_folder(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """What this user's adjudge remembers from one folder to another; ADJUDGE_STATE names another place."""
    if environ.get(STATE_VARIABLE):
        return Path(environ[STATE_VARIABLE]).expanduser().absolute()
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "adjudge" / "state"
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "adjudge"
    named = Path(environ.get("XDG_STATE_HOME") or "")
    return (named if named.is_absolute() else Path.home() / ".local" / "state") / "adjudge"


def unknown_store(where: str, store_id: str | None) -> str:
    """What is said of a store that was not made here, or that others can change."""
    if not is_tracked(Path(where)):
        return f"was not made here by you (store {store_id or 'without an id'})"
    if is_known(store_id):
        return "is not yours alone: git tracks it, so anyone who can change the repository can change it"
    return (
        f"was not made here by you (store {store_id or 'without an id'}); "
        f"git tracks it, so it came with the repository"
    )


class UnknownStoreError(InputError):
    """A run would take its answers from a store that somebody else may have written."""

    def __init__(self, where: str, store_id: str | None) -> None:
        if is_known(store_id):
            hint = (
                f"run `git rm --cached {where}` if it holds what you put there, or name another store; if everyone who "
                f"can change the repository may set verdicts, set {TRUST_VARIABLE}={store_id}"
            )
        else:
            hint = (
                f"if you made it with an earlier version, or trust whoever made it: `adjudge store trust {where}`"
                f" (for a CI cache, set {TRUST_VARIABLE}={store_id or 'ID'}); to leave it alone, name another store"
            )
        super().__init__(
            where,
            f"{unknown_store(where, store_id)}: a run would reuse its replies as the model's own",
            f"{hint}; `adjudge runs` and `adjudge report` read it as it is",
        )


def validate_side_files(file: Path) -> None:
    """Refuse a log that came with a repository: SQLite would write what it holds into the store, whoever made that."""
    for ending in ("-wal", "-shm", "-journal"):
        beside = file.with_name(f"{file.name}{ending}")
        if beside.exists() and is_tracked(beside):
            raise StoreError(
                str(beside),
                "git tracks it, so it came with the repository, and opening the store would change it to what this holds",
                f"delete {beside}, and run `git rm --cached {beside}`",
            )


def is_tracked(file: Path) -> bool:
    """Whether git's index has this file. Read, not asked of git: a repository's settings can make git run commands."""
    try:
        file = file.parent.resolve() / file.name
        for folder in file.parents:
            git = folder / ".git"
            if not git.exists():
                continue
            if git.is_file():  # a worktree or a submodule
                git = folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
            name = os.fsencode(file.relative_to(folder).as_posix())
            return any(_is_listed(name, index) for index in _indexes(git))
    except (OSError, ValueError, OverflowError, IndexError):
        pass
    return False


def _indexes(git: Path) -> Iterator[bytes]:
    """The index; where it is split, also the part that it shares with earlier ones, whose name it holds."""
    index = (git / "index").read_bytes()
    yield index
    for shared in git.glob("sharedindex.*"):
        if bytes.fromhex(shared.suffix[1:]) in index:
            yield shared.read_bytes()


def _is_listed(name: bytes, index: bytes) -> bool:
    """Under any case of its letters, since some file systems make no difference.

    An entry is preceded by the length of its path; in format 4 it says what it shares with the one before it.
    """
    name = name.lower()
    if int.from_bytes(index[4:8], "big") != 4:
        return len(name).to_bytes(2, "big") + name + b"\0" in index.lower()
    return any(name == path.lower() for length in HASH_BYTES for path in _paths(index, length))


def _paths(index: bytes, hash_bytes: int) -> Iterator[bytes]:
    """Of format 4; where the hashes have another length, what comes is nonsense and ends early."""
    at, path = 12, b""
    with suppress(IndexError, ValueError):
        for _ in range(int.from_bytes(index[8:12], "big")):
            at += hash_bytes + (44 if index[at + hash_bytes + 40] & 0x40 else 42)  # extended flags
            dropped = index[at] & 0x7F
            while index[at] & 0x80:
                at += 1
                dropped = ((dropped + 1) << 7) | (index[at] & 0x7F)
            end = index.index(b"\0", at + 1)
            path = path[: len(path) - dropped] + index[at + 1 : end]
            yield path
            at = end + 1
