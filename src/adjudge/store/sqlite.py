"""A store's home in one SQLite file: write-ahead log, full sync, one transaction per batch."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from logging import getLogger
from pathlib import Path
from typing import TypeVar

from adjudge.errors import StoreError
from adjudge.store import closed
from adjudge.store.locks import FileLock, is_locked, lock_file
from adjudge.store.packing import hash_bytes, text_bytes
from adjudge.store.schema import STEPS, Step, latest, migrate, not_ours, stored_format
from adjudge.store.sql import MAX_PARAMETERS, Dialect, Row, SqlSession, Value
from adjudge.store.trust import (
    STATE_VARIABLE,
    TRUST_VARIABLE,
    give_id,
    is_trusted,
    known_stores,
    read_id,
    remember,
    validate_side_files,
)

LOG = getLogger(__name__)
T = TypeVar("T")

BUSY_SECONDS = 30.0
PRAGMAS = (
    "PRAGMA synchronous = FULL",  # a commit is on the disk when it returns, not only safe from a crash of ours
    "PRAGMA wal_autocheckpoint = 16000",  # 64 MB: pages changed again and again are copied back once
    "PRAGMA journal_size_limit = 67108864",
    "PRAGMA cache_size = -16000",
    "PRAGMA trusted_schema = OFF",  # a file may come from anywhere; what its schema says is not run
)
DIALECT = Dialect(
    placeholder="?",
    bytes="BLOB",
    counter="INTEGER PRIMARY KEY",
    clustered=" WITHOUT ROWID",
)

TYPES = (("INT", "'integer'"), ("TEXT", "'text'"), ("BLOB", "'blob'"), ("REAL", "'real', 'integer'"))
"""Of a column by what its declaration contains, as SQLite reads it."""
HERE = "or name another store"
PROBLEMS: Mapping[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: (
        "the disk is full",
        "free some space and run the same command again; what was reported as stored is stored",
    ),
    sqlite3.SQLITE_READONLY: ("cannot be written to", f"give this user write permission there, {HERE}"),
    sqlite3.SQLITE_PERM: ("no permission to use it", f"give this user write permission there, {HERE}"),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged",
        "`adjudge store check` shows where; restore a backup, or save what can be read with `sqlite3 FILE .recover`",
    ),
    sqlite3.SQLITE_NOTADB: (
        "is not a store: the file is not a SQLite database, or its header is damaged",
        f"check the path, restore a backup, {HERE}",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened",
        f"check that its folder exists and that this user may write there, {HERE}",
    ),
    sqlite3.SQLITE_IOERR: (
        "could not be read or written",
        f"check the disk, its quota and its mount, {HERE}; what was reported as stored is stored",
    ),
    sqlite3.SQLITE_TOOBIG: ("a text is too large to be stored", "leave that case out"),
}


class SqliteSession:
    __slots__ = ("_connection", "dialect")

    def __init__(self, connection: sqlite3.Connection, dialect: Dialect) -> None:
        self._connection = connection
        self.dialect = dialect

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        return self._connection.execute(self.dialect.adapt(sql), values).fetchall()

    def change(self, sql: str, values: Sequence[Value] = ()) -> int:
        return self._connection.execute(self.dialect.adapt(sql), values).rowcount

    def now(self) -> float:
        return time.time()  # a file is shared on one machine


class SqliteHome:
    """Two connections, so that looking something up does not wait for a commit to reach the disk."""

    def __init__(
        self,
        file: Path,
        *,
        busy_seconds: float = BUSY_SECONDS,
        steps: Mapping[int, Sequence[Step]] = STEPS,
    ) -> None:
        self._file = file
        self._busy_seconds = busy_seconds
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._dialect = DIALECT
        self.id: str | None = None
        validate_side_files(file)
        with closed.opening(file):
            self._mode = opening_mode(file)
            self._writer = self._connect()
            try:
                self._prepare(steps)
            except BaseException:
                self._writer.close()
                raise

    @property
    def where(self) -> str:
        return str(self._file)

    @property
    def read_only(self) -> bool:
        return bool(self._mode) or not os.access(self._file, os.W_OK)

    @property
    def trusted(self) -> bool:
        return is_trusted(self.id, self._file)

    def trust(self) -> bool:
        return self.id is not None and remember(self.id, self._file)

    def read(self, work: Callable[[SqlSession], T]) -> T:
        with self._reading:
            if self._reader is None:
                self._reader = self._connect()
            try:
                return self._transact(self._reader, "BEGIN", work)
            except (TypeError, ValueError, AttributeError):
                wrong = _find_wrong_type(self._reader)
                if wrong is None:
                    raise  # a bug of ours
        problem, hint = PROBLEMS[sqlite3.SQLITE_CORRUPT]
        raise StoreError(self.where, f"{problem} ({wrong})", hint)

    def write(self, work: Callable[[SqlSession], T]) -> T:
        with self._writing:
            return self._transact(self._writer, "BEGIN IMMEDIATE", work)

    def lock(self, name: str) -> FileLock | None:
        return lock_file(self._lock_path(name))

    def is_locked(self, name: str) -> bool:
        return is_locked(self._lock_path(name))

    def _lock_path(self, name: str) -> Path:
        key = hash_bytes(text_bytes(name)).hex()[:16]
        return self._file.with_name(f"{self._file.name}-run-{key}.lock")

    def keep_out_writers(self, session: SqlSession) -> None:
        """There is one writer at a time as it is."""

    def shrink(self) -> None:
        with self._writing:
            self._execute("VACUUM")
            self._execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def size(self) -> int:
        files = (self._file, self._file.with_name(f"{self._file.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def faults(self) -> list[str]:
        with self._writing:
            try:
                found = [str(row[0]) for row in self._writer.execute("PRAGMA integrity_check(20)")]
            except sqlite3.DatabaseError as error:
                return [f"the database cannot be checked: {error}"]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        with self._writing, self._reading, closed.closing(self._file):
            if self._reader is not None:
                self._reader.close()
            self._writer.close()

    def _connect(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(
                address(self._file, self._mode),
                uri=True,
                timeout=self._busy_seconds,
                isolation_level=None,
                check_same_thread=False,  # the locks above keep threads apart
                cached_statements=256,
            )
            for pragma in PRAGMAS:
                connection.execute(pragma)
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            raise self._trouble(error) from None
        return connection

    def _prepare(self, steps: Mapping[int, Sequence[Step]]) -> None:
        most = self._writer.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
        self._dialect = replace(DIALECT, most_parameters=min(most, MAX_PARAMETERS))
        if self.read_format() == latest(steps) and (self.id is not None or self._mode):
            return  # the common case takes no lock
        if self._mode:
            raise StoreError(
                self.where,
                "was made by an older adjudge and cannot be migrated: its folder is read-only",
                "copy it to a folder that you can write to, and name that",
            )
        self._keep_log_ahead()
        self.write(lambda session: self._migrate(session, steps))

    def _migrate(self, session: SqlSession, steps: Mapping[int, Sequence[Step]]) -> None:
        empty = self._is_empty(session)
        migrate(session, self.where, empty=empty, steps=steps)
        self.id = read_id(session) or give_id(session)
        # before the commit: no other process may find our store and not know it
        if empty and not remember(self.id, self._file):
            LOG.warning(
                "%s cannot be written: a later run will not know the store %s for its own; set %s=%s, or %s to another folder",
                *(known_stores(), self.where, TRUST_VARIABLE, self.id, STATE_VARIABLE),
            )

    def read_format(self) -> int | None:
        """None for a new file."""

        def look(session: SqlSession) -> int | None:
            if self._is_empty(session):
                return None
            self.id = read_id(session)
            return stored_format(session, self.where)

        with self._writing:
            return self._transact(self._writer, "BEGIN", look)

    def _is_empty(self, session: SqlSession) -> bool:
        tables = {row[0] for row in session.query("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "meta" not in tables:
            raise not_ours(self.where)
        return not tables

    def _keep_log_ahead(self) -> None:
        """Turn the write-ahead log on. Two processes that do so at once get `busy` without waiting."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                self._writer.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise self._trouble(error) from None
                time.sleep(0.02)
            else:
                return

    def _transact(self, connection: sqlite3.Connection, begin: str, work: Callable[[SqlSession], T]) -> T:
        try:
            connection.execute(begin)
            try:
                result = work(SqliteSession(connection, self._dialect))
                connection.execute("COMMIT")
            except BaseException:
                # some faults end the transaction by themselves
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._trouble(error) from None
        return result

    def _execute(self, sql: str) -> None:
        try:
            self._writer.execute(sql)
        except sqlite3.Error as error:
            raise self._trouble(error) from None

    def _trouble(self, error: sqlite3.Error) -> StoreError:
        code = _code(error)
        if code is None:
            raise error  # misuse of the library is a bug of ours
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            return StoreError(
                self.where,
                f"another process has kept it locked for {self._busy_seconds:g} seconds",
                f"wait for that process or end it, {HERE}",
            )
        problem, hint = PROBLEMS.get(code, ("the database refused", HERE.removeprefix("or ")))
        detail = "" if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOTADB} else f" ({error})"
        return StoreError(self.where, f"{problem}{detail}", hint)


def address(file: Path, mode: str) -> str:
    """As a URI, in which every character of the path stands for itself."""
    return f"{file.absolute().as_uri()}{f'?{mode}' if mode else ''}"


def opening_mode(file: Path) -> str:
    """Options of the file's URI: none, or those for a place where nothing can be written beside the file.

    `immutable` passes over what a write-ahead log holds, so it is for a store that was closed.
    """
    log = file.with_name(f"{file.name}-wal")
    is_closed = not (log.exists() and log.stat().st_size)
    for mode in ("", "mode=ro", "mode=ro&immutable=1") if is_closed else ("", "mode=ro"):
        try:
            with closing(sqlite3.connect(address(file, mode), uri=True)) as connection:
                connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            if _code(error) not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}:
                break  # opened as usual, it says what is wrong
        else:
            return mode
    return ""


def _find_wrong_type(connection: sqlite3.Connection) -> str | None:
    """SQLite keeps a value of any type in any column: one that is of another than the column's was not written by us."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL")
    for (table,) in tables.fetchall():
        for _, column, declared, *_ in connection.execute(f"PRAGMA table_info({_quoted(table)})").fetchall():
            types = next((types for part, types in TYPES if part in declared.upper()), None)
            if types is None:
                continue
            other = f"typeof({_quoted(column)}) NOT IN ('null', {types})"
            sql = f"SELECT typeof({_quoted(column)}) FROM {_quoted(table)} WHERE {other} LIMIT 1"  # noqa: S608 - quoted
            found = connection.execute(sql).fetchone()
            if found is not None:
                return f"{table}.{column} holds {found[0]} where {declared} is wanted"
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _code(error: sqlite3.Error) -> int | None:
    """SQLite's primary result code, without the detail in the upper bits."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF
