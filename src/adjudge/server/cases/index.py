"""A table of a run's judgements that can be sorted, filtered and searched, made when somebody looks at it.

The store keeps rows compressed and in the order in which they were judged, which is right for a million judgements
and useless for a person who looks for one. Whoever asks first has the run's rows put into a temporary database of this
process; whoever asks next has only what is new added. What is answered is what the store held when the request came.
"""

import shlex
import sqlite3
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

from adjudge.analysis.summary.stored import judges_of
from adjudge.errors import InputError, StoreError
from adjudge.records import Judge, is_vote
from adjudge.server.cases.index_rows import (
    COLUMNS,
    NO_LABEL,
    Scales,
    case_labels,
    clean,
    make_facets,
    make_notes,
    make_row,
    make_searched,
    own_label,
)
from adjudge.store import RunMark, RunRecord, Store, has_jury

MAX_LISTED = 1_000_000
"""Judgements of a run that can be listed: the first look at so many takes a minute, and a gigabyte of temporary files."""
LABELLED_AT_ONCE = 5_000
MAX_OPEN = 16
"""Runs that are kept ready; one that was not looked at for longest makes room."""

# What is filtered and sorted by stands in narrow rows, apart from the words: any filter and any order is then one quick
# pass over few pages, and needs no index of its own.
TABLES = (
    """CREATE TABLE judgements (
        made INTEGER PRIMARY KEY, case_id TEXT NOT NULL, judge TEXT NOT NULL, model TEXT NOT NULL, repeat INTEGER NOT NULL,
        outcome TEXT NOT NULL, score REAL, passed INTEGER, probability REAL, cost REAL, latency_ms REAL NOT NULL,
        own_score REAL, own_pass INTEGER,
        labelled INTEGER NOT NULL DEFAULT 0, label_score REAL, label_pass REAL, gap REAL)""",
    "CREATE INDEX judgements_case ON judgements (case_id, judge, model, repeat)",
    """CREATE TABLE facets (
        name TEXT NOT NULL, value TEXT NOT NULL, made INTEGER NOT NULL,
        PRIMARY KEY (name, value, made)) WITHOUT ROWID""",
    """CREATE TABLE facet_values (
        name TEXT NOT NULL, value TEXT NOT NULL, judgements INTEGER NOT NULL,
        PRIMARY KEY (name, value)) WITHOUT ROWID""",
    """CREATE TABLE notes (
        note TEXT NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (note, made)) WITHOUT ROWID""",
    "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')",
)

T = TypeVar("T")


class RunStamp(NamedTuple):
    """A run that is not under way has the same judgements as long as this is the same."""

    state: str
    judgements: int
    started_at: object
    finished_at: object

    @staticmethod
    def of(record: RunRecord) -> "RunStamp":
        return RunStamp(record.state, record.judgements, record.started_at, record.finished_at)

    @property
    def lasts(self) -> bool:
        return self.state != "running"


class TooManyError(InputError):
    """A run too large to be sorted, filtered and searched here."""

    def __init__(self, record: RunRecord) -> None:
        name = shlex.quote(record.name or record.run_id)
        super().__init__(
            f"run {record.name or record.run_id}",
            f"has {record.judgements:,} judgements, and the pages list the cases of runs with up to {MAX_LISTED:,}",
            f"`adjudge show {name} --failed` lists the cases that failed, `adjudge show {name} CASE` shows one, and"
            f" `adjudge export {name} -o rows.parquet` writes all of them",
        )


class CaseIndex:
    """The runs that somebody looked at last, each with a lock of its own: one thread fills it, the others wait."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._open: OrderedDict[str, RunIndex] = OrderedDict()

    @contextmanager
    def reading(self, record: RunRecord, *, words: bool = False) -> Iterator["RunIndex"]:
        """All that the store has of a run by now; with `words`, to search in."""
        if record.judgements > MAX_LISTED:
            raise TooManyError(record)
        while True:
            with self._lock:
                found = self._open.get(record.run_id)
                if found is None:
                    found = self._open[record.run_id] = RunIndex(self._store, record.run_id)
                self._open.move_to_end(record.run_id)
                oldest = self._open.popitem(last=False)[1] if len(self._open) > MAX_OPEN else None
            if oldest is not None:
                oldest.close()
            with found.lock:
                if found.closed:  # it made room for another run between the two locks
                    continue
                with _disk_trouble():
                    found.update(record, words=words)
                    yield found
                return

    def close(self) -> None:
        with self._lock:
            opened = list(self._open.values())
            self._open.clear()
        for each in opened:
            each.close()


class RunIndex:
    """One run. All but `close` is called with its lock held."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self.lock = threading.Lock()
        self.closed = False
        self.connection = _empty_database()
        self._stamp: RunStamp | None = None
        self._judges: list[Judge] = []
        self._mark = RunMark()
        self._last_words = 0
        self._labels: dict[str, tuple[str, int]] = {}
        """Judge -> which of its labels the rows have, and until which row."""
        self._derived: dict[str, Any] = {}

    def close(self) -> None:
        with self.lock:
            self.closed = True
            self.connection.close()

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What takes long to work out and stays the same until something changes."""
        if name not in self._derived:
            self._derived[name] = make()
        value: T = self._derived[name]
        return value

    def update(self, record: RunRecord, *, words: bool) -> None:
        stamp = RunStamp.of(record)
        if stamp != self._stamp or not stamp.lasts:
            if self._store.mark_until(self._run_id, self._mark.last) != self._mark:
                self._begin_again()  # judged again, or stored late by another process
            self._judges = judges_of(self._store, record)
            self._add_rows(without_votes=has_jury(record.plan))
            self._stamp = stamp
        for judge in self._judges:
            self._place_labels(judge)
        if words:
            self._add_words()

    # ---- inside ----

    def _begin_again(self) -> None:
        self.connection.close()
        self.connection = _empty_database()
        self._mark, self._last_words = RunMark(), 0
        self._labels.clear()
        self._derived.clear()

    def _add_rows(self, *, without_votes: bool) -> None:
        """`without_votes`: a jury stands for its members, whose rows are found on the pages of its cases."""
        scales = Scales(self._judges)
        while page := self._store.listed(self._run_id, self._mark.last):
            mark, rows, facets, notes = self._mark, [], [], []
            for each in page:
                mark = mark.extend(each.number, each.at)
                if without_votes and is_vote(each.model):
                    continue
                rows.append(make_row(each, scales))
                facets += [(*facet, each.number) for facet in make_facets(each.metadata).items()]
                notes += [(note, each.number) for note in make_notes(each.notes)]
            counts = Counter((name, value) for name, value, _ in facets)
            with self._writing():
                many = self.connection.executemany
                many(
                    f"INSERT INTO judgements ({','.join(COLUMNS)}) VALUES ({','.join('?' * len(COLUMNS))})",
                    rows,
                )
                # in the order of their keys, which is quicker than in any other
                many("INSERT INTO facets VALUES (?, ?, ?)", sorted(facets))
                many(
                    "INSERT INTO facet_values VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET judgements = judgements + excluded.judgements",
                    [(name, value, count) for (name, value), count in counts.items()],
                )
                many("INSERT OR IGNORE INTO notes VALUES (?, ?)", sorted(notes))
            self._mark = mark

    def _add_words(self) -> None:
        while self._last_words < self._mark.last:
            page = self._store.listed(self._run_id, self._last_words, with_cases=True)
            # what was stored after the rows were added has no row yet
            known = [each for each in page if each.number <= self._mark.last]
            with self._writing():
                self.connection.executemany(
                    "INSERT INTO words (rowid, text) VALUES (?, ?)",
                    [(each.number, make_searched(each)) for each in known],
                )
            self._last_words = known[-1].number if known else self._mark.last

    def _place_labels(self, judge: Judge) -> None:
        """What people say of each case, and how far the judge is from it on average, as `adjudge agree` has it.

        The cases' own labels count where nobody's are stored.
        """
        before, mark = self._labels.get(judge.name), self._store.labels_mark(judge.name)
        if before == (mark, self._mark.last):
            return
        labels = case_labels(self._store.labels(self._run_id, judge.name), judge)
        cleaned = {clean(case_id): each for case_id, each in labels.items()}
        scale = judge.scale
        width = scale.high - scale.low if scale and scale.high > scale.low else 1.0
        # what is new in the run, where nothing else is
        after = before[1] if before is not None and before[0] == mark else 0
        while rows := self.connection.execute(
            "SELECT made, case_id, score, passed, own_score, own_pass, labelled FROM judgements"
            " WHERE judge = ? AND made > ? ORDER BY made LIMIT ?",
            [clean(judge.name), after, LABELLED_AT_ONCE],
        ).fetchall():
            after = rows[-1][0]
            changed = []
            for made, case_id, score, passed, own_score, own_pass, labelled in rows:
                found = cleaned.get(case_id) if labels else own_label(own_score, own_pass)
                if found or labelled:
                    changed.append((*(found.against(score, passed, width) if found else NO_LABEL), made))
            with self._writing():
                self.connection.executemany(
                    "UPDATE judgements SET labelled = ?, label_score = ?, label_pass = ?, gap = ? WHERE made = ?",
                    changed,
                )
        self._labels[judge.name] = (mark, self._mark.last)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._derived.clear()
        self.connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # some errors have rolled back already
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")


def _empty_database() -> sqlite3.Connection:
    # without a name it is in memory, and in a file that nobody else can open when it grows
    made = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for pragma in (
        "synchronous = OFF",
        "journal_mode = MEMORY",
        "cache_size = -32000",
        "trusted_schema = OFF",
    ):
        made.execute(f"PRAGMA {pragma}")
    for statement in TABLES:
        made.execute(statement)
    return made


@contextmanager
def _disk_trouble() -> Iterator[None]:
    """What a disk can do to a temporary file becomes a `StoreError`; anything else is a bug."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN}:
            raise
        raise StoreError(
            "the list of cases",
            f"cannot be made: {error}",
            "check that the folder for temporary files (TMPDIR) has room",
        ) from None
