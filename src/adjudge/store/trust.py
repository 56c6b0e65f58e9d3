"""Which SQLite stores were made here: each has a random id, and ours are kept in the user's state folder.

A store answers for a model. One that came with a repository can hold any verdict its author likes, so it can be read,
and nothing in it is reused until the person says so.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex

from adjudge.errors import InputError
from adjudge.store.sql import SqlSession

STATE_VARIABLE = "ADJUDGE_STATE"
TRUST_VARIABLE = "ADJUDGE_TRUST_STORE"
SHAPE = re.compile(r"[0-9a-f]{32}")

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


def is_trusted(store_id: str | None, environ: Mapping[str, str] = os.environ) -> bool:
    if store_id is None or not SHAPE.fullmatch(store_id):  # it becomes the name of a file
        return False
    named = {word.strip() for word in environ.get(TRUST_VARIABLE, "").split(",")}
    if store_id in _made_by_this_process | named:
        return True
    try:
        return (known_stores(environ) / store_id).is_file()
    except (OSError, RuntimeError):
        return False


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
    """What is said of a store that was not made here."""
    tracked = "; git tracks it, so it came with the repository" if is_tracked(Path(where)) else ""
    return f"was not made here by you (store {store_id or 'without an id'}){tracked}"


class UnknownStoreError(InputError):
    """A run would take its answers from a store that somebody else may have written."""

    def __init__(self, where: str, store_id: str | None) -> None:
        super().__init__(
            where,
            f"{unknown_store(where, store_id)}: a run would reuse its replies as the model's own",
            f"if you made it with an earlier version, or trust whoever made it: `adjudge store trust {where}`"
            f" (for a CI cache, set {TRUST_VARIABLE}={store_id or 'ID'}); to leave it alone, name another store; "
            "`adjudge runs` and `adjudge report` read it as it is",
        )


def is_tracked(file: Path) -> bool:
    """Whether git's index has this file. Read, not asked of git: a repository's settings can make git run commands.

    An entry is preceded by the length of its path. Indexes of format 4, which shorten paths, are not read.
    """
    try:
        file = file.resolve()
        for folder in file.parents:
            git = folder / ".git"
            if not git.exists():
                continue
            if git.is_file():  # a worktree or a submodule
                git = folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
            name = os.fsencode(file.relative_to(folder).as_posix())
            return len(name).to_bytes(2, "big") + name + b"\0" in (git / "index").read_bytes()
    except (OSError, ValueError, OverflowError):
        pass
    return False
