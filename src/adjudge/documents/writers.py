"""Result rows to a file, by its suffix, as they come, so that an interrupt loses none."""

import csv
import io
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import orjson

from adjudge.documents.parquet import ParquetRows
from adjudge.documents.rows import FIELDS
from adjudge.documents.sinks import FileSink, Sink, StreamSink
from adjudge.errors import SettingsError
from adjudge.records import Json
from adjudge.text import escape_unseen, without_controls


class Writer(ABC):
    """Takes rows one at a time. As a context manager it is closed, or abandoned when the block raises."""

    @abstractmethod
    def write(self, row: dict[str, Json]) -> None: ...

    def note_partial(self, text: str) -> None:  # noqa: B027 - most have nowhere to put it
        """The rows are fewer than were chosen; only a format that is a report has a place to say so."""

    @abstractmethod
    def close(self) -> None:
        """The run ended well: the file now holds its rows and nothing else, even when there were none."""

    @abstractmethod
    def abandon(self) -> None:
        """The run did not end well: what was written stays; without a row, everything is left as it was."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


def open_writer(path: str, *, stdout: BinaryIO | None = None) -> Writer:
    """Open a writer by the path's suffix; `-` is JSONL on standard output.

    Whether the place can be written is tried here, before anything is paid for: a SettingsError. What goes wrong later
    is a StoreError, except that a closed pipe stays a BrokenPipeError.
    """
    if path == "-":
        return LineWriter(StreamSink(stdout or sys.stdout.buffer), json_line)
    suffix = JUNIT if path.lower().endswith(JUNIT) else Path(path).suffix.lower()
    if suffix not in WRITERS:
        found = (
            f"`{suffix}` is not a row format"
            if suffix
            else "the file name has no suffix to tell the format by"
        )
        hint = f"name a file that ends in {', '.join(WRITERS)}, or `-` for JSONL on standard output; `run` and `report` also write .html and .md"
        raise SettingsError(path, found, hint)
    return WRITERS[suffix](path)


class LineWriter(Writer):
    def __init__(self, sink: Sink, line: Callable[[dict[str, Json]], bytes], header: bytes = b"") -> None:
        self._sink = sink
        self._line = line
        self._header = header

    def write(self, row: dict[str, Json]) -> None:
        self._sink.append(self._header + self._line(row))
        self._header = b""

    def close(self) -> None:
        try:
            if self._header:
                self._sink.append(self._header)
                self._header = b""
            self._sink.close()
        except BaseException:
            self._sink.abandon()
            raise

    def abandon(self) -> None:
        self._sink.abandon()


class ParquetWriter(Writer):
    def __init__(self, path: str) -> None:
        self._rows = ParquetRows(path)

    def write(self, row: dict[str, Json]) -> None:
        self._rows.add(row)

    def close(self) -> None:
        self._rows.close()

    def abandon(self) -> None:
        self._rows.abandon()


class JunitWriter(Writer):
    def __init__(self, path: str) -> None:
        from adjudge.documents.junit import JunitRows  # noqa: PLC0415 - xml.sax loads http and ssl, for each run

        self._rows = JunitRows(FileSink(path))

    def note_partial(self, text: str) -> None:
        self._rows.partial = text

    def write(self, row: dict[str, Json]) -> None:
        self._rows.write(row)

    def close(self) -> None:
        try:
            self._rows.close()
        except BaseException:
            self._rows.abandon()
            raise

    def abandon(self) -> None:
        self._rows.abandon()


# ---- JSONL -----------------------------------------------------------------------------------------------


def json_line(row: dict[str, Json]) -> bytes:
    return escape_unseen(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))


# ---- CSV -------------------------------------------------------------------------------------------------

# What may stand unseen before a formula, and what begins one; the wide and small forms are taken for the plain ones by
# some spreadsheets.
_FORMULA = re.compile(
    "\\A(?:[\\s\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*+[=+\\-@|%＝＋－＠｜％﹦﹢﹣﹫﹪]"
    "|[\t\r\n])"
)
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def csv_row(row: dict[str, Json]) -> bytes:
    return _csv_line([csv_cell(row[name]) for name in FIELDS])


def csv_cell(value: Json) -> str:
    """One cell: empty for null, JSON for what is nested, and nothing that a spreadsheet would run."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            is_formula = _FORMULA.match(value) and not _PLAIN_NUMBER.fullmatch(value)
            return f"'{without_controls(value)}" if is_formula else without_controls(value)
        case _:  # an object or a list: begins with a bracket
            return without_controls(orjson.dumps(value).decode())


def csv_table(names: Sequence[str], rows: Iterable[Mapping[str, Json]]) -> bytes:
    """A whole file of it; a cell that a row lacks is empty."""
    lines = [[csv_cell(row.get(name)) for name in names] for row in rows]
    return b"".join(map(_csv_line, [list(names), *lines]))


def _csv_line(cells: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()


JUNIT = "junit.xml"


def line_writer(suffix: str, sink: Sink) -> LineWriter:
    """`.jsonl` or `.csv`, into any sink."""
    return LineWriter(sink, *LINES[suffix])


LINES: Mapping[str, tuple[Callable[[dict[str, Json]], bytes], bytes]] = {
    ".jsonl": (json_line, b""),
    ".csv": (csv_row, _csv_line(list(FIELDS))),
}
"""Suffix -> how a row is written, and what stands before the first."""

WRITERS: Mapping[str, Callable[[str], Writer]] = {
    ".jsonl": lambda path: line_writer(".jsonl", FileSink(path)),
    ".csv": lambda path: line_writer(".csv", FileSink(path)),
    ".parquet": ParquetWriter,
    JUNIT: JunitWriter,
}
"""Suffix -> how a file of it is opened."""
