"""A table of a store's items that can be sorted, filtered and searched: a copy, made to be thrown away.

The store keeps rows compressed and in the order in which they were judged, which is right for a million judgements
and useless for a person who looks for one. What is looked at is copied, as it comes, into a database of its own.
Nothing is lost with it: it is made again from the store.
"""

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from adjudge.errors import StoreError
from adjudge.records import Json
from adjudge.server.index_rows import (
    COLUMNS,
    NOTHING_SAID,
    PREVIEWS,
    Said,
    Scales,
    clean,
    make_facets,
    make_notes,
    make_preview,
    make_row,
    make_searched,
)
from adjudge.server.index_tables import FORMAT, KINDS, RUNS, TABLES
from adjudge.store import Entry

MOST_DERIVED = 64

T = TypeVar("T")

# https://sqlite.org/rescode.html
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_IN_TROUBLE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY
}  # fmt: skip


class Copied(NamedTuple):
    """How much of a run can be asked for, in one state of the copy."""

    number: int
    items: int
    labels: bytes | None = None
    """Which labels it has; another value when they are others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelState:
    """Which labels of one judge the copy has."""

    mark: str
    """What the store said of them when they were copied."""
    until: int
    """The last judgement that has them."""
    own: bool
    """The cases' own labels, because nobody's are stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """How the store stood when the copy was last held against it."""

    stamp: str
    """The run's state and when it ended."""
    last: int
    mark: str
    """The store's, of the judgements up to `last`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Indexed:
    """How far the copy of a run has come."""

    number: int
    """Names its tables."""
    last: int
    """The number of the last judgement copied."""
    items: int
    report: dict[str, Any] | None
    """The figures, as JSON, kept when the run was finished and wholly copied."""
    labels: Mapping[str, LabelState] = field(default_factory=dict)
    """Judge -> its labels."""
    seen: Seen | None = None


class Index:
    """One writer (the follower's thread); readers each with a connection of their own thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._local = threading.local()
        self._all: set[sqlite3.Connection] = set()
        self._lock = threading.Lock()
        self._times_made = 0
        self._damaged = threading.Event()
        self._derived: dict[tuple[str, str], tuple[object, Any]] = {}
        try:
            self._writer = self._connect()
            with self._no_surprises():
                self._prepare()
        except StoreError:
            if not self.damaged:
                raise
            self.make_anew()

    def close(self) -> None:
        with self._lock:
            for connection in self._all:
                connection.close()
            self._all.clear()

    @property
    def damaged(self) -> bool:
        """Whether a reader or the writer found that the file is no longer what was written."""
        return self._damaged.is_set()

    def make_anew(self) -> None:
        """Start again with an empty file; readers leave the old one at their next question."""
        if hasattr(self, "_writer"):
            self._close(self._writer)
        for path in (
            self._file,
            *(self._file.with_name(self._file.name + end) for end in ("-wal", "-shm", "-journal")),
        ):
            path.unlink(missing_ok=True)
        self._times_made += 1
        self._damaged.clear()
        self._writer = self._connect()
        with self._no_surprises():
            self._prepare()

    # ---- reading ----

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the copy."""
        times_made = self._times_made
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None and self._local.times_made != times_made:
            self._close(connection)
            connection = None
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            self._local.connection, self._local.times_made = connection, times_made
        with self._no_surprises():
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    def find(self, run_id: str) -> Indexed | None:
        with self.reading() as connection:
            return _find(connection, run_id)

    def derived(self, what: str, run_id: str, state: Copied, make: Callable[[], T]) -> T:
        """What takes long to work out and stays the same until the run's copy changes."""
        key, stamp = (what, run_id), (self._times_made, state)
        kept = self._derived.get(key)
        if kept is None or kept[0] != stamp:
            kept = stamp, make()
            with self._lock:
                self._derived.pop(key, None)
                self._derived[key] = kept
                while len(self._derived) > MOST_DERIVED:
                    del self._derived[next(iter(self._derived))]
        value: T = kept[1]
        return value

    # ---- writing ----

    def begin(self, run_id: str) -> Indexed:
        """The copy of a run, made empty where there is none."""
        with self._writing():
            found = _find(self._writer, run_id)
            if found is not None:
                return found
            self._writer.execute("INSERT INTO runs (run_id) VALUES (?)", [clean(run_id)])
            made = _find(self._writer, run_id)
            assert made is not None
            for statement in TABLES:
                self._writer.execute(statement.format(n=made.number))
        return made

    def drop(self, run_id: str) -> None:
        """Forget a run, because its judgements were replaced or are gone."""
        with self._writing():
            found = _find(self._writer, run_id)
            if found is None:
                return
            for table in KINDS:
                self._writer.execute(f"DROP TABLE IF EXISTS {table}_{found.number}")
            self._writer.execute("DELETE FROM runs WHERE number = ?", [found.number])

    def run_ids(self) -> list[str]:
        with self._no_surprises():
            return [row[0] for row in self._writer.execute("SELECT run_id FROM runs")]

    def add(self, indexed: Indexed, entries: Sequence[Entry], scales: Scales) -> Indexed:
        """Copy the next judgements of a run."""
        n = indexed.number
        rows, previews, facets, notes, words = [], [], [], [], []
        for entry in entries:
            number, found = entry.number, make_facets(entry)
            rows.append(make_row(entry, scales))
            previews.append(make_preview(entry, found))
            facets += [(name, value, number) for name, value in dict(found).items()]
            notes += [(note, number) for note in make_notes(entry)]
            words.append((number, make_searched(entry)))
        counts = Counter((name, value) for name, value, _ in facets)
        with self._writing():
            many = self._writer.executemany
            many(f"INSERT INTO items_{n} ({','.join(COLUMNS)}) VALUES ({_marks(COLUMNS)})", rows)
            many(f"INSERT INTO previews_{n} ({','.join(PREVIEWS)}) VALUES ({_marks(PREVIEWS)})", previews)
            # in the order of their keys, which is quicker than in any other
            many(f"INSERT INTO facets_{n} VALUES (?, ?, ?)", sorted(facets))
            many(
                f"INSERT INTO values_{n} VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET items = items + excluded.items",
                [(name, value, count) for (name, value), count in counts.items()],
            )
            many(f"INSERT OR IGNORE INTO notes_{n} VALUES (?, ?)", sorted(notes))
            many(f"INSERT INTO words_{n} (rowid, text) VALUES (?, ?)", words)
            last = max(indexed.last, entries[-1].number)
            self._writer.execute(
                "UPDATE runs SET last = ?, items = items + ?, report = NULL WHERE number = ?",
                [last, len(entries), n],
            )
        return replace(indexed, last=last, items=indexed.items + len(entries), report=None)

    def keep_report(self, indexed: Indexed, report: dict[str, Json]) -> None:
        with self._writing():
            self._writer.execute(
                "UPDATE runs SET report = ? WHERE number = ?", [orjson.dumps(report), indexed.number]
            )

    def keep_seen(self, indexed: Indexed, seen: Seen) -> Indexed:
        with self._writing():
            self._writer.execute(
                "UPDATE runs SET seen = ? WHERE number = ?", [orjson.dumps(seen), indexed.number]
            )
        return replace(indexed, seen=seen)

    def set_labels(
        self, indexed: Indexed, judge: str, said: Mapping[str, Said], *, width: float, mark: str
    ) -> Indexed:
        """What people say of each case, and how far the judge is from it on average, as `adjudge agree` has it.

        `width` is that of the judge's scale. The cases' own labels count where nobody's are stored.
        """
        before, own = indexed.labels.get(clean(judge)), not said
        # what is new in the run, where nothing else is
        after = before.until if before is not None and (before.mark, before.own) == (mark, own) else 0
        state = LabelState(mark=mark, until=indexed.last, own=own)
        labels = {**indexed.labels, clean(judge): state}
        n, these = indexed.number, [clean(judge), after]
        with self._writing():
            if own:
                self._writer.execute(
                    f"UPDATE items_{n} SET label_score = own_score, label_pass = own_pass,"
                    " labelled = own_score IS NOT NULL OR own_pass IS NOT NULL,"
                    " gap = coalesce(abs(own_score - score) / ?, abs(own_pass - passed))"
                    " WHERE judge = ? AND made > ?",
                    [width, *these],
                )
            else:
                rows = self._writer.execute(
                    f"SELECT made, case_id, score, passed FROM items_{n} WHERE judge = ? AND made > ?",
                    these,
                ).fetchall()
                cleaned = {clean(case_id): each for case_id, each in said.items()}
                self._writer.executemany(
                    f"UPDATE items_{n} SET labelled = ?, label_score = ?, label_pass = ?, gap = ? WHERE made = ?",
                    [
                        (*cleaned[case_id].against(score, passed, width), made)
                        if case_id in cleaned
                        else (*NOTHING_SAID, made)
                        for made, case_id, score, passed in rows
                    ],
                )
            self._writer.execute("UPDATE runs SET labels = ? WHERE number = ?", [orjson.dumps(labels), n])
        return replace(indexed, labels=labels)

    # ---- inside ----

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._no_surprises():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with suppress(sqlite3.Error):  # some errors have rolled back already
                    self._writer.execute("ROLLBACK")
                raise
            self._writer.execute("COMMIT")

    @contextmanager
    def _no_surprises(self) -> Iterator[None]:
        """What a disk can do to a file becomes a `StoreError`; anything else is a bug."""
        try:
            yield
        except (sqlite3.Error, orjson.JSONDecodeError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _DAMAGED or isinstance(error, orjson.JSONDecodeError):
                self._damaged.set()
                raise StoreError(
                    f"{self._file}: the pages' index is damaged ({error})\n\n"
                    "hint: it is made again from the store; ask again in a moment"
                ) from None
            if code in _IN_TROUBLE:
                raise StoreError(
                    f"{self._file}: the pages' index cannot be used ({error})\n\n"
                    "hint: check that this user may write there and that the disk has room"
                ) from None
            raise

    def _connect(self) -> sqlite3.Connection:
        with self._no_surprises():
            connection = sqlite3.connect(
                self._file, isolation_level=None, check_same_thread=False, timeout=30.0
            )
            try:
                # it can be made again, so it need not survive a power cut
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA cache_size = -16000")
            except sqlite3.Error:
                connection.close()
                raise
        with self._lock:
            self._all.add(connection)
        return connection

    def _close(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            self._all.discard(connection)
        connection.close()

    def _prepare(self) -> None:
        self._writer.execute("PRAGMA journal_mode = WAL")
        version = self._writer.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, FORMAT):
            self._damaged.set()
            raise StoreError(f"{self._file}: the pages' index is of another version")
        self._writer.execute(RUNS)
        self._writer.execute(f"PRAGMA user_version = {FORMAT}")


def find_copy(connection: sqlite3.Connection, run_id: str) -> Copied | None:
    """What a reader needs to know of a run, in the state that its connection sees."""
    row = connection.execute(
        "SELECT number, items, labels FROM runs WHERE run_id = ?", [clean(run_id)]
    ).fetchone()
    return None if row is None else Copied(*row)


def _find(connection: sqlite3.Connection, run_id: str) -> Indexed | None:
    row = connection.execute(
        "SELECT number, last, items, report, labels, seen FROM runs WHERE run_id = ?", [clean(run_id)]
    ).fetchone()
    if row is None:
        return None
    number, last, items, report, labels, seen = row
    return Indexed(
        number=number,
        last=last,
        items=items,
        report=None if report is None else orjson.loads(report),
        labels={}
        if labels is None
        else {judge: LabelState(**state) for judge, state in orjson.loads(labels).items()},
        seen=None if seen is None else Seen(**orjson.loads(seen)),
    )


def _marks(columns: Sequence[str]) -> str:
    return ",".join("?" * len(columns))
