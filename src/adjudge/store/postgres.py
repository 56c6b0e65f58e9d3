"""A store's home in a Postgres database: one for a team, many processes and machines at once."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from adjudge.errors import MissingExtraError, StoreError
from adjudge.store.packing import hash_bytes, text_bytes
from adjudge.store.places import UNREADABLE_URL, public_url, secrets_in
from adjudge.store.schema import STEPS, TABLES, Step, latest, migrate, stored_format
from adjudge.store.sql import Dialect, Row, SqlSession, Value

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

SCHEMA = "adjudge"
"""Our tables stand in a schema of their own, so that a database shared with others stays tidy."""
MIGRATION_LOCK = 0x61646A75
"""Any number, the same for all: one process at a time makes or migrates the tables."""
CONNECT_SECONDS = 10
WAITS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before another try when the connection broke or two transactions stood in each other's way."""

DIALECT = Dialect(
    placeholder="%s",
    bytes="BYTEA",
    counter="BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    clustered="",
)


class PostgresSession:
    __slots__ = ("_connection", "dialect")

    def __init__(self, connection: "psycopg.Connection[Row]") -> None:
        self._connection = connection
        self.dialect = DIALECT

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        return self._connection.execute(self.dialect.adapt(sql).encode(), values or None).fetchall()

    def change(self, sql: str, values: Sequence[Value] = ()) -> int:
        return self._connection.execute(self.dialect.adapt(sql).encode(), values or None).rowcount

    def now(self) -> float:
        """The server's, and not of when the transaction began: it may have waited for a lock since."""
        return float(self.query("SELECT extract(epoch FROM clock_timestamp())")[0][0])


class PostgresLock:
    """An advisory lock in a transaction that stays open, on a connection of its own.

    A lock of the transaction and not of the session, because a pooler hands a session on when its transaction ends.
    """

    def __init__(self, connection: "psycopg.Connection[Row]") -> None:
        self._connection = connection

    def is_held(self) -> bool:
        """A connection that broke has lost the lock, and is never made again."""
        try:
            self._connection.execute(b"SELECT 1")
        except self._connection.Error:
            return False
        return True

    def release(self) -> None:
        with suppress(self._connection.Error):
            self._connection.execute(b"ROLLBACK")
        self._connection.close()


class PostgresHome:
    """Two connections, made again when they break.

    Nothing outlives a transaction (no session settings, no prepared statements), so that a pooler may stand between.
    """

    def __init__(self, url: str, *, create: bool = True, steps: Mapping[int, Sequence[Step]] = STEPS) -> None:
        self._psycopg = _import_psycopg()
        self._url = url
        self._where = public_url(url)
        if self._where == UNREADABLE_URL or not self._is_well_formed():
            raise StoreError(
                UNREADABLE_URL,
                "the URL is ambiguous",
                "write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with @ : / ? # % in the password"
                " percent-encoded (%40 for @), or leave the password out and set PGPASSWORD",
            )
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._writer: psycopg.Connection[Row] | None = None
        self._reader: psycopg.Connection[Row] | None = None
        try:
            self._prepare(steps, create=create)
        except BaseException:
            self.close()
            raise

    @property
    def where(self) -> str:
        return self._where

    id = None
    read_only = False
    trusted = True
    """A server that the person named; no file names one."""

    def trust(self) -> bool:
        return True

    def read(self, work: Callable[[SqlSession], T]) -> T:
        with self._reading:
            return self._persist(lambda: self._read_once(work))

    def write(self, work: Callable[[SqlSession], T]) -> T:
        with self._writing:
            return self._persist(lambda: self._write_once(work))

    def is_locked(self, name: str) -> bool:
        """Seen in the list of locks, without taking it."""
        high, low = divmod(_lock_key(name) % 2**64, 2**32)
        sql = (
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid::bigint = ? AND objid::bigint = ?"
        )
        return bool(self.read(lambda session: list(session.query(sql, [high, low]))))

    def lock(self, name: str) -> "PostgresLock | None":
        key = _lock_key(name)
        connection: psycopg.Connection[Row] | None = None
        try:
            connection = self._connect()
            # the server finds out within minutes when this machine is gone, and frees the lock
            connection.execute(
                b"BEGIN; SET LOCAL idle_in_transaction_session_timeout TO 0; SET LOCAL tcp_keepalives_idle TO 60"
            )
            (row,) = connection.execute(b"SELECT pg_try_advisory_xact_lock(%s)", [key]).fetchall()
        except self._psycopg.Error as error:
            found = self._trouble(error)
        else:
            if row[0]:
                return PostgresLock(connection)
            connection.close()
            return None
        # raised here, where the driver's own error is not its context: that may show what was connected to
        if connection is not None:
            connection.close()
        raise found

    def keep_out_writers(self, session: SqlSession) -> None:
        session.change("LOCK TABLE texts IN SHARE ROW EXCLUSIVE MODE")

    def shrink(self) -> None:
        tables = ", ".join(f"{SCHEMA}.{table}" for table in TABLES)
        with self._writing:
            self._persist(lambda: self._outside(f"VACUUM FULL {tables}"))

    def size(self) -> int:
        sql = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_namespace n"
        sql += " ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind = 'r'"
        return self.read(lambda session: int(session.query(sql, [SCHEMA])[0][0]))

    def faults(self) -> list[str]:
        """Nothing: Postgres keeps checksums of its own, and looking deeper takes an administrator."""
        return []

    def close(self) -> None:
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()

    # ---- transactions ----

    def _read_once(self, work: Callable[[SqlSession], T]) -> T:
        if self._reader is None or self._reader.closed:
            self._reader = self._connect()
        return self._transact(self._reader, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work)

    def _write_once(self, work: Callable[[SqlSession], T]) -> T:
        if self._writer is None or self._writer.closed:
            self._writer = self._connect()
        # on the disk before it is reported, whatever the server's default is
        return self._transact(self._writer, "BEGIN; SET LOCAL synchronous_commit TO on", work)

    def _outside(self, statement: str) -> None:
        """A statement that no transaction may hold."""
        if self._writer is None or self._writer.closed:
            self._writer = self._connect()
        self._writer.execute(statement.encode())

    def _transact(
        self, connection: "psycopg.Connection[Row]", begin: str, work: Callable[[SqlSession], T]
    ) -> T:
        connection.execute(f"{begin}; SET LOCAL search_path TO {SCHEMA}".encode())
        try:
            result = work(PostgresSession(connection))
            connection.execute(b"COMMIT")
        except BaseException:
            if not connection.closed:
                connection.execute(b"ROLLBACK")
            raise
        return result

    def _persist(self, attempt: Callable[[], T]) -> T:
        """Try again when the connection broke or the transaction lost a race: everything we do may be done twice."""
        waits = iter(WAITS)
        while True:
            try:
                return attempt()
            except self._psycopg.Error as error:
                wait = next(waits, None) if self._passes(error) else None
                found = None if wait is not None else self._trouble(error)
            # raised here, where the driver's own error is not its context: that may show what was connected to
            if found is not None:
                raise found
            time.sleep(wait or 0)

    def _passes(self, error: "psycopg.Error") -> bool:
        errors = self._psycopg.errors
        lost_race = (errors.DeadlockDetected, errors.SerializationFailure, errors.AdminShutdown)
        return isinstance(error, (*lost_race, errors.CrashShutdown, errors.CannotConnectNow)) or (
            # no SQLSTATE: the connection broke in the middle
            isinstance(error, self._psycopg.OperationalError)
            and error.sqlstate is None
            and (self._writer is not None or self._reader is not None)
        )

    def _is_well_formed(self) -> bool:
        """What the driver says of a URL that is not quotes parts of it, so that is not shown."""
        from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 - optional

        try:
            conninfo_to_dict(self._url)
        except self._psycopg.ProgrammingError:
            return False
        return True

    def _connect(self) -> "psycopg.Connection[Row]":
        connection: psycopg.Connection[Row] = self._psycopg.connect(
            self._url,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=CONNECT_SECONDS,
            application_name="adjudge",
            client_encoding="utf8",
        )
        return connection

    # ---- tables ----

    def _prepare(self, steps: Mapping[int, Sequence[Step]], *, create: bool) -> None:
        def version(session: SqlSession) -> int | None:
            return stored_format(session, self.where) if self._has_tables(session) else None

        found = self.read(version)
        if found == latest(steps):
            return
        if found is None and not create:
            raise StoreError(
                self.where,
                "there is no store in this database",
                "check `--store`; `adjudge run` makes one where it is missing",
            )

        def make(session: SqlSession) -> None:
            session.query("SELECT pg_advisory_xact_lock(?)", [MIGRATION_LOCK])
            empty = not self._has_tables(session)
            # asked for first, because `IF NOT EXISTS` wants the right to make a schema even where there is one
            if not session.query("SELECT 1 FROM pg_namespace WHERE nspname = ?", [SCHEMA]):
                session.change(f"CREATE SCHEMA {SCHEMA}")
            migrate(session, self.where, empty=empty, steps=steps)

        self.write(make)

    def _has_tables(self, session: SqlSession) -> bool:
        return bool(
            session.query("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'meta'", [SCHEMA])
        )

    # ---- what went wrong ----

    def _trouble(self, error: "psycopg.Error") -> StoreError:
        errors = self._psycopg.errors
        message = self._scrubbed(str(error.diag.message_primary or error))
        match error:
            case errors.DiskFull():
                return StoreError(
                    self.where,
                    f"the server's disk is full ({message})",
                    "free some space there and run the same command again; what was reported as stored is stored",
                )
            case errors.InsufficientPrivilege() | errors.ReadOnlySqlTransaction():
                return StoreError(
                    self.where,
                    f"no permission ({message})",
                    f"let this user make and write the schema `{SCHEMA}` (GRANT CREATE ON DATABASE …)",
                )
            case errors.OperationalError() if error.sqlstate is None or error.sqlstate[:2] in {
                "08",
                "28",
                "3D",
                "57",
            }:
                return StoreError(
                    self.where,
                    f"cannot be reached ({message})",
                    "check that the server runs, and that host, port, user, password and database in the URL are right",
                )
            case _:
                return StoreError(self.where, f"the database refused ({message})", "see the server's log")

    def _scrubbed(self, text: str) -> str:
        """The driver quotes parts of the URL in some of its messages."""
        text = " ".join(text.split())
        for secret in secrets_in(self._url):
            if secret in text:
                if len(secret) < 4:
                    return "its message is not shown, because it may contain the password"
                text = text.replace(secret, "[password]")
        return text[:500]


def _import_psycopg() -> Any:
    try:
        import psycopg  # noqa: PLC0415 - optional
    except ImportError:
        missing = True
    else:
        missing = False
    if missing:
        raise MissingExtraError(UNREADABLE_URL, "postgres")
    return psycopg


def _lock_key(name: str) -> int:
    return int.from_bytes(hash_bytes(text_bytes(f"{SCHEMA} run {name}"))[:8], "big", signed=True)
