"""CSV and TSV -> rows: a header, then one row of cells for each case; an empty cell is absent."""

import csv
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

from adjudge.dataset.json_text import BOM, parse_value
from adjudge.dataset.rows import Origin, RawRow, UnreadRow
from adjudge.dataset.sniff import refuse_other_encodings
from adjudge.errors import DatasetError
from adjudge.fields import CANONICAL, JSON_FIELDS, canonical_field
from adjudge.json_values import UnusableError, row_to_json, short_repr
from adjudge.records import Json

MAX_FIELD_CHARACTERS = 2**31 - 1
"""The most that the csv module can be told on every platform; its own 128 KiB is less than one document."""

_FIELD_LIMIT = threading.Lock()
_QUOTED = re.compile(r'"[^"]*+"')
_UNDECODED = re.compile("[\udc80-\udcff]")


def read_csv(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    """Separated by commas; by semicolons or tabs where the header has no comma, as spreadsheets export."""
    yield from _read(stream, origin, delimiter=None)


def read_tsv(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    yield from _read(stream, origin, delimiter="\t")


def _read(stream: BinaryIO, origin: Origin, *, delimiter: str | None) -> Iterator[RawRow | UnreadRow]:
    lines = _lines(stream, origin.file)
    blank_lines = 0
    first = next(lines, None)
    while first is not None and not first.strip():
        blank_lines += 1
        first = next(lines, None)
    if first is None:
        return
    rows = _Rows(first, lines, delimiter or _delimiter(first), blank_lines)
    header = _header(rows, origin)
    json_columns = _json_columns(header, origin)
    while True:
        line = rows.next_line
        try:
            cells = rows.take()
        except csv.Error as error:
            yield UnreadRow(line=line, found=rows.describe(error, line), wanted="one row of cells")
            continue
        if cells is None:
            return
        if not cells:  # a blank line
            continue
        if len(cells) != len(header):
            yield UnreadRow(
                line=line, found=_count(len(cells)), wanted=f"{_count(len(header))}, as in the header"
            )
            continue
        try:
            yield RawRow(columns=_columns(header, cells, json_columns), line=line)
        except UnusableError as unusable:
            yield UnreadRow(line=line, found=unusable.found, wanted=unusable.wanted)


def _lines(stream: BinaryIO, file: str) -> Iterator[str]:
    """The physical lines. Bytes that are not UTF-8 travel as surrogates, for their row to be refused alone."""
    for number, raw in enumerate(stream):
        line = raw
        if number == 0:
            refuse_other_encodings(raw, file)
            line = raw.removeprefix(BOM)
        yield line.decode(errors="surrogateescape")


class _Rows:
    """The csv module's reader with its limit raised only while it reads, and the line each row begins on."""

    def __init__(self, first: str, rest: Iterator[str], delimiter: str, lines_before: int) -> None:
        self._before = lines_before
        self._delimiter = delimiter
        self._quoted = False
        self._opened = 0
        # strict: an open quote would otherwise swallow the rest of the file and pass for one cell.
        self._reader = csv.reader(
            self._watched(_chain(first, rest), lines_before + 1), delimiter=delimiter, strict=True
        )

    @property
    def next_line(self) -> int:
        return self._before + self._reader.line_num + 1

    def describe(self, error: csv.Error, line: int) -> str:
        """What is broken in the row that begins on this line, and where the quote opened that it is about."""
        ended = self._quoted
        self._quoted = False  # the reader begins anew behind an error
        problem = str(error).replace("\t", "\\t")  # the delimiter, as the csv module writes it
        if self._opened < line:
            return f"broken CSV ({problem})"
        if ended:
            return f"broken CSV (the quote opened on line {self._opened} is never closed)"
        return f"broken CSV ({problem}; the last quote opened on line {self._opened})"

    def _watched(self, lines: Iterator[str], number: int) -> Iterator[str]:
        """The lines as they are, and the line of the last quote that opened a cell."""
        for line_number, line in enumerate(lines, start=number):
            at = line.find('"')
            while at != -1:
                step = 1
                if not self._quoted:
                    if at == 0 or line[at - 1] == self._delimiter:
                        self._quoted, self._opened = True, line_number
                elif line.startswith('""', at):
                    step = 2
                else:
                    self._quoted = False
                at = line.find('"', at + step)
            yield line

    def take(self) -> list[str] | None:
        # The limit belongs to the process, so it is put back at once: other code may rely on it.
        with _FIELD_LIMIT:
            usual = csv.field_size_limit(MAX_FIELD_CHARACTERS)
            try:
                return next(self._reader, None)
            finally:
                csv.field_size_limit(usual)


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _delimiter(header: str) -> str:
    # a name may go on over the line's end: what stands behind its open quote is part of it
    outside_quotes = _QUOTED.sub("", header).partition('"')[0]
    return next((mark for mark in ",;\t" if mark in outside_quotes), ",")


def _header(rows: _Rows, origin: Origin) -> list[str]:
    line = rows.next_line
    where = f"{origin.file} line {line}"
    try:
        cells = rows.take() or []
    except csv.Error as error:
        raise DatasetError(
            where, f"the header is {rows.describe(error, line)}", "wanted one line of names"
        ) from None
    names = [cell.strip() or f"column {position}" for position, cell in enumerate(cells, start=1)]
    for name in names:
        if _UNDECODED.search(name):
            raise DatasetError(where, "the header is not UTF-8", "save the file as UTF-8 CSV")
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise DatasetError(
            where,
            f"the header has {', '.join(short_repr(name) for name in twice[:5])} more than once",
            "give each column its own name",
        )
    return names


def _json_columns(header: list[str], origin: Origin) -> frozenset[str]:
    mapped = {
        column
        for name, column in origin.maps.items()
        if canonical_field(name) in JSON_FIELDS or name == "parameters"
    }
    return frozenset(
        name
        for name in header
        if CANONICAL.get(name) in JSON_FIELDS or name == "parameters" or name in mapped
    )


def _columns(header: list[str], cells: list[str], json_columns: frozenset[str]) -> dict[str, Json]:
    columns: dict[str, Any] = {}
    for name, cell in zip(header, cells, strict=True):
        if not cell:
            continue
        if not cell.isascii() and (undecoded := _UNDECODED.search(cell)):
            byte = ord(undecoded[0]) - 0xDC00
            raise UnusableError(
                f"bytes that are not UTF-8 in column {short_repr(name)} (0x{byte:02x})",
                "UTF-8 text: save the file as UTF-8",
            )
        columns[name] = _json_or_text(cell) if name in json_columns else cell
    return row_to_json(columns)


def _json_or_text(cell: str) -> Json:
    try:
        value = parse_value(cell.strip().encode())
    except UnusableError:
        return cell
    if isinstance(value, int | float) and json.dumps(value) != cell:
        return cell  # 1.50 or 1e3: reading it as a number would change what the judge is shown
    return value


def _count(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"
