"""What a reader yields: a row under its own names, or why there is none."""

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.errors import DatasetError
from adjudge.options import option
from adjudge.records import BadRow, Json

LONGEST_REPR = 80
"""The most of a value that a message shows: enough to find it, too little to flood a terminal."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """What a reader has to know besides the bytes."""

    file: str
    """As messages name it."""
    maps: Mapping[str, str] = field(default_factory=dict)
    """The person's `--columns`, input or canonical field -> column."""


class RawRow(NamedTuple):
    """One row as it stood; a column that is None is absent."""

    columns: Mapping[str, Json]
    line: int
    """The row's first physical line; its number where the source has no lines. From 1."""
    element: int | None = None
    """Its number in a JSON array, where several rows may share a line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadRow:
    """A row that is none; `found` and `wanted` complete the sentence of a `BadRow`."""

    line: int
    found: str
    wanted: str
    element: int | None = None


class UnusableError(ValueError):
    """A value that cannot be part of a case. Stays inside this package: it becomes a bad row."""

    def __init__(self, found: str, wanted: str) -> None:
        super().__init__(f"found {found}; wanted {wanted}")
        self.found = found
        self.wanted = wanted


def repeated_id(case_id: str, earlier: int) -> UnusableError:
    return UnusableError(f"the id {short_repr(case_id)} again, first on line {earlier}", "each id once")


def refuse(row: BadRow) -> DatasetError:
    """For `--strict`."""
    return DatasetError(
        str(row.place),
        f"found {row.found}; wanted {row.wanted}",
        f"fix or drop the line, or leave out `{option('--strict')}` to judge the rest",
    )


class _Short(reprlib.Repr):
    """`repr` that looks at no more of a value than it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxdict = self.maxlist = self.maxtuple = 4
        self.maxstring = self.maxother = self.maxlong = LONGEST_REPR - 20


_SHORT = _Short()


def short_repr(value: object) -> str:
    """At most 80 characters of a value, control characters and bidirectional marks escaped."""
    if isinstance(value, str):
        whole = repr(value[: LONGEST_REPR + 1])
        cut = len(value) > LONGEST_REPR
    else:
        whole = _SHORT.repr(value)
        cut = False
    return whole[: LONGEST_REPR - 1] + "…" if cut or len(whole) > LONGEST_REPR else whole


def described(value: Json) -> str:
    """A JSON value by its kind and its beginning: `an array: [1, 2]`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"a number: {short_repr(value)}"
        case str():
            return f"text: {short_repr(value)}"
        case list():
            return f"an array: {short_repr(value)}"
        case _:
            return f"an object: {short_repr(value)}"
