"""What the two databases have in common, and the few words in which they differ."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Value: TypeAlias = str | int | float | bytes | bool | None
Row: TypeAlias = tuple[Any, ...]

KEY = ("run_id", "case_id", "judge", "model", "repeat")
"""The columns that tell judgements apart."""
MAX_KEYS = 400
"""Keys asked for in one statement."""
MAX_PARAMETERS = 8_000
"""Values bound in one statement, where the database takes as many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """SQL is written once, with `?` for a bound value and these words in braces."""

    placeholder: str
    bytes: str
    counter: str
    """A column that numbers the rows as they come."""
    clustered: str
    """Said after a table that is best kept in the order of its primary key."""
    most_parameters: int = MAX_PARAMETERS

    def adapt(self, sql: str) -> str:
        return _adapt(self, sql)


@cache
def _adapt(dialect: Dialect, sql: str) -> str:
    for word, meant in (
        ("{bytes}", dialect.bytes),
        ("{counter}", dialect.counter),
        ("{clustered}", dialect.clustered),
    ):
        sql = sql.replace(word, meant)
    return sql.replace("?", dialect.placeholder)


class SqlSession(Protocol):
    """A transaction under way."""

    @property
    def dialect(self) -> Dialect: ...

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[Row]: ...

    def change(self, sql: str, values: Sequence[Value] = ()) -> int:
        """How many rows it made, changed or removed."""

    def now(self) -> float:
        """Seconds since 1970 on the clock that all processes with this store share."""


class RunLock(Protocol):
    """Held until it is released or its process ends, however it ends. A process that is stopped keeps it."""

    def is_held(self) -> bool:
        """False when it was lost, as with the connection to a database: another process may have it by now."""

    def release(self) -> None: ...


class Home(Protocol):
    """A database that holds a store. Its errors come out as `StoreError`."""

    @property
    def where(self) -> str: ...

    @property
    def id(self) -> str | None:
        """Random, made with the store; None for a server's."""

    @property
    def read_only(self) -> bool: ...

    @property
    def trusted(self) -> bool: ...

    def trust(self) -> bool:
        """Whether that could be written down."""

    def read(self, work: Callable[[SqlSession], T]) -> T:
        """In one transaction that sees one state of the store."""

    def write(self, work: Callable[[SqlSession], T]) -> T:
        """In one transaction: all or nothing. May call `work` again after a fault that passes."""

    def lock(self, name: str) -> RunLock | None:
        """None when another has the lock of this name."""

    def is_locked(self, name: str) -> bool:
        """Whether anybody has it."""

    def keep_out_writers(self, session: SqlSession) -> None:
        """Until the transaction ends no text is added by anyone else."""

    def shrink(self) -> None:
        """Give space that is no longer used back."""

    def size(self) -> int:
        """Bytes on disk."""

    def faults(self) -> list[str]:
        """What the database itself finds wrong with its files."""

    def close(self) -> None: ...


def insert(session: SqlSession, table: str, columns: Sequence[str], rows: Sequence[Row]) -> int:
    """Add rows; those whose key is there already are passed over. How many were new.

    Many rows go in one statement, because each statement gives up the interpreter lock, and on a busy event loop
    getting it back takes longer than the insert. Four sizes of statement, so that they stay prepared.
    """
    added = 0
    position = 0
    for size in _sizes(session.dialect.most_parameters // len(columns)):
        sql = _insertion(table, tuple(columns), size)
        while len(rows) - position >= size:
            chunk = rows[position : position + size]
            added += session.change(sql, [value for row in chunk for value in row])
            position += size
    return added


def same_key(one: str, other: str) -> str:
    """That rows of two tables are of one judgement."""
    return " AND ".join(f"{one}.{column} = {other}.{column}" for column in KEY)


def in_list(count: int) -> str:
    return f"({','.join('?' * count)})"


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _sizes(most: int) -> list[int]:
    return [size for size in (256, 32, 6) if size <= most] + [1]


@cache
def _insertion(table: str, columns: tuple[str, ...], size: int) -> str:
    values = ",".join([in_list(len(columns))] * size)
    return f"INSERT INTO {table} ({','.join(columns)}) VALUES {values} ON CONFLICT DO NOTHING"  # noqa: S608 - names of ours
