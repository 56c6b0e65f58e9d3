"""What a reader yields: a row under its own names, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from adjudge.errors import DatasetError
from adjudge.json_values import UnusableError, short_repr
from adjudge.options import option
from adjudge.records import BadRow, Json


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


def repeated_id(case_id: str, earlier: int) -> UnusableError:
    return UnusableError(f"the id {short_repr(case_id)} again, first on line {earlier}", "each id once")


def refuse(row: BadRow) -> DatasetError:
    """For `--strict`."""
    return DatasetError(
        str(row.place),
        f"found {row.found}; wanted {row.wanted}",
        f"fix or drop the line, or leave out `{option('--strict')}` to judge the rest",
    )
