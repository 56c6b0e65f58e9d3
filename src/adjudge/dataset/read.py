"""Any source of cases -> cases and bad rows, one at a time."""

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple, cast

from adjudge.dataset.columns import asked, to_fields
from adjudge.dataset.csv import read_csv, read_tsv
from adjudge.dataset.ids import Ids, derived_id
from adjudge.dataset.json import read_json, read_json_lines
from adjudge.dataset.jsonl import read_jsonl
from adjudge.dataset.objects import read_objects
from adjudge.dataset.parquet import read_parquet
from adjudge.dataset.rows import Origin, RawRow, UnreadRow, refuse, repeated_id
from adjudge.dataset.sniff import look_ahead, refuse_other_encodings, sniff
from adjudge.errors import DatasetError
from adjudge.json_values import UnusableError, explicit_id, short_repr
from adjudge.records import BadRow, Case, Json, Place

Reader = Callable[[BinaryIO, Origin], Iterator[RawRow | UnreadRow]]

READERS: dict[str, Reader] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".parquet": read_parquet,
}
COMPRESSED_ITSELF = frozenset({".parquet"})
NO_MAPS: Mapping[str, str] = MappingProxyType({})


def read_cases(
    source: str | os.PathLike[str] | Iterable[object],
    *,
    maps: Mapping[str, str] = NO_MAPS,
    name: str | None = None,
    strict: bool = False,
    stdin: BinaryIO | None = None,
) -> Iterator[Case | BadRow]:
    """The cases of a file, of standard input (`-`), of Python rows or of a DataFrame, in order.

    A path that cannot be opened is an error here, before the first row is asked for. A row that is no case comes
    as a `BadRow` and the rest goes on; with `strict` the first one is a `DatasetError`. Of the person's `--columns`,
    those that name a canonical field say which column fills it. `name` is what messages call the source; `stdin`
    is what `-` reads, the process's own unless told.
    """
    rows: Iterator[RawRow | UnreadRow | Case | BadRow]
    if isinstance(source, str | os.PathLike):
        origin, rows = read_rows(source, maps=maps, name=name, stdin=stdin)
    else:
        origin = Origin(file=name or "cases", maps=maps)
        rows = read_objects(source, origin)
    return _to_cases(rows, origin, strict=strict)


def read_rows(
    source: str | os.PathLike[str],
    *,
    maps: Mapping[str, str] = NO_MAPS,
    name: str | None = None,
    stdin: BinaryIO | None = None,
) -> tuple[Origin, Iterator[RawRow | UnreadRow]]:
    """The rows of a file or of standard input (`-`) under their own column names."""
    if os.fspath(source) == "-":
        origin = Origin(file=name or "standard input", maps=maps)
        if stdin is None and sys.stdin is None:
            raise DatasetError(origin.file, "is closed", "pipe the rows in, or name a file")
        return origin, _read_stream(stdin if stdin is not None else sys.stdin.buffer, origin)
    origin = Origin(file=name or os.fspath(source) or "''", maps=maps)
    return origin, _read_path(Path(source), origin)


class Table(NamedTuple):
    """The rows of a file that holds something else than cases."""

    file: str
    """As messages name it."""
    rows: Iterator[tuple[Place, Mapping[str, Json]]]
    """Under their own column names; a `DatasetError` for the first that is none."""


def read_table(
    source: str | os.PathLike[str], *, stdin: BinaryIO | None = None, name: str | None = None
) -> Table:
    """Of any format that cases come in."""
    origin, rows = read_rows(source, stdin=stdin, name=name)
    return Table(origin.file, _placed(rows, origin.file))


def _placed(rows: Iterator[RawRow | UnreadRow], file: str) -> Iterator[tuple[Place, Mapping[str, Json]]]:
    for row in rows:
        place = Place(file=file, line=row.line)
        if not isinstance(row, RawRow):
            raise DatasetError(str(place), f"found {row.found}; wanted {row.wanted}", "fix or drop the line")
        yield place, row.columns


# ---- rows -> cases -------------------------------------------------------------------------------------


def _to_cases(
    rows: Iterator[RawRow | UnreadRow | Case | BadRow], origin: Origin, *, strict: bool
) -> Iterator[Case | BadRow]:
    ids = Ids()
    count = 0
    for count, row in enumerate(rows, start=1):
        case: Case | BadRow
        if isinstance(row, RawRow):  # nearly all are
            case = _to_case(row, ids, origin)
        elif isinstance(row, UnreadRow):
            case = _bad_row(row, ids, origin)
        elif isinstance(row, Case):
            case = _pass_through(row, ids, origin, count)
        else:
            case = row
        if strict and isinstance(case, BadRow):
            raise refuse(case)
        yield case
    if count == 0:
        raise DatasetError(origin.file, "contains no cases", "give at least one case")


def _to_case(row: RawRow, ids: Ids, origin: Origin) -> Case | BadRow:
    columns = row.columns
    if None in columns.values():
        columns = {name: value for name, value in columns.items() if value is not None}
    fields = to_fields(columns, origin.maps)
    try:
        case_id = explicit_id(fields.values.get("id"))
    except UnusableError as unusable:
        return _bad_row(_unread(row, unusable), ids, origin)
    if case_id is None:
        case_id = ids.next_free(derived_id(columns, asked(columns, fields, origin.maps)), row.line)
    else:
        earlier = ids.claim(case_id, row.line)
        if earlier is not None:
            return _bad_row(_unread(row, repeated_id(case_id, earlier)), ids, origin)
    return Case(
        case_id=case_id,
        columns=columns,
        fields=fields.values,
        contested=fields.contested,
        place=Place(file=origin.file, line=row.line),
    )


def _pass_through(case: Case, ids: Ids, origin: Origin, number: int) -> Case | BadRow:
    line = case.place.line if case.place is not None and case.place.line is not None else number
    earlier = ids.claim(case.case_id, line)
    if earlier is None:
        return case
    unread = _unread(RawRow(case.columns, line), repeated_id(case.case_id, earlier))
    return _bad_row(unread, ids, origin)


def _unread(row: RawRow, error: UnusableError) -> UnreadRow:
    return UnreadRow(line=row.line, element=row.element, found=error.found, wanted=error.wanted)


def _bad_row(row: UnreadRow, ids: Ids, origin: Origin) -> BadRow:
    # On a line of its own a row is found by its line; in an array that may be one long line, by its number.
    element = "" if row.element is None else f" (element {row.element} of the array)"
    return BadRow(
        case_id=ids.next_free(f"line-{row.line}", row.line),
        place=Place(file=origin.file, line=row.line),
        found=row.found + element,
        wanted=row.wanted,
    )


# ---- files and streams -> rows -------------------------------------------------------------------------


def _read_path(path: Path, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise DatasetError(origin.file, "there is no such file", _similar_files(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise DatasetError(origin.file, f"cannot be opened ({_reason(error)})", "give another path") from None
    if stat.S_ISDIR(mode):
        raise DatasetError(origin.file, "is a folder", _files_inside(path))
    if not stat.S_ISREG(mode):
        return _read_file(path, _read_stream, origin, compressed=False)  # a pipe, such as `<(…)` in a shell
    reader, compressed = _reader_for(path, origin)
    try:
        path.open("rb").close()
    except OSError as error:
        raise DatasetError(
            origin.file, f"cannot be opened ({_reason(error)})", "check its permissions"
        ) from None
    return _read_file(path, reader, origin, compressed=compressed)


def _reader_for(path: Path, origin: Origin) -> tuple[Reader, bool]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = suffixes[-1:] == [".gz"]
    suffix = "".join(suffixes[-2:-1] if compressed else suffixes[-1:])
    if suffix not in READERS or (compressed and suffix in COMPRESSED_ITSELF):
        ending = short_repr((suffix + ".gz" * compressed) or path.name)
        problem = f"{ending} is not the extension of a case file" if suffix else "its name has no extension"
        plain = ", ".join(READERS)
        zipped = ", ".join(f"{known}.gz" for known in READERS if known not in COMPRESSED_ITSELF)
        raise DatasetError(
            origin.file, problem, f"known are {plain}, {zipped}; or pipe the cases in with `-`"
        )
    return READERS[suffix], compressed


def _read_file(
    path: Path, reader: Reader, origin: Origin, *, compressed: bool
) -> Iterator[RawRow | UnreadRow]:
    try:
        with gzip.open(path, "rb") if compressed else path.open("rb") as stream:
            yield from reader(cast("BinaryIO", stream), origin)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DatasetError(
            origin.file, f"is broken gzip ({short_repr(str(error))})", "compress or download it again"
        ) from None
    except OSError as error:
        raise DatasetError(origin.file, f"cannot be read ({_reason(error)})", "check the disk") from None


def _read_stream(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    """A stream with no name to tell its format by."""
    head = look_ahead(stream)
    refuse_other_encodings(head.text, origin.file)
    by_format: dict[str, Reader] = {"json": read_json, "jsonl": read_jsonl, "csv": read_csv}
    found = sniff(head)
    if found != "nothing":
        yield from by_format[found](head.stream, origin)


def _similar_files(path: Path) -> str:
    try:
        names = [entry.name for entry in islice(os.scandir(path.parent), 10_000)]
    except OSError:
        return f"the folder {short_repr(str(path.parent))} is not there either"
    close = get_close_matches(path.name, names, n=3)
    if close:
        return f"did you mean {' or '.join(str(path.parent / name) for name in close)}?"
    return "check the path; it is taken from the folder the command runs in"


def _files_inside(path: Path) -> str:
    try:
        names = sorted(
            entry.name
            for entry in islice(os.scandir(path), 10_000)
            if Path(entry.name.removesuffix(".gz")).suffix.lower() in READERS
        )
    except OSError:
        names = []
    if names:
        return f"give one of its files, such as {path / names[0]}"
    return f"give a file that ends in {', '.join(READERS)}"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
