"""Parquet files and Arrow tables -> rows; pyarrow is imported when one is read."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from adjudge.dataset.rows import Origin, RawRow, UnreadRow
from adjudge.errors import DatasetError, MissingExtraError
from adjudge.json_values import UnusableError, is_short_float, row_to_json, short_repr, shortest

BATCH_ROWS = 64
"""Held at a time: with a megabyte in each row that is what fits a small machine."""


def read_parquet(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    try:
        import pyarrow as pa  # noqa: PLC0415  # an optional package, and slow to import
        import pyarrow.parquet as pq  # noqa: PLC0415  # the same
    except ImportError:
        raise MissingExtraError(origin.file, "parquet") from None
    try:
        with pq.ParquetFile(stream, pre_buffer=False) as file:
            yield from rows_of_batches(
                file.iter_batches(batch_size=BATCH_ROWS), file.schema_arrow.names, origin
            )
    except (pa.ArrowException, OSError) as error:
        raise DatasetError(
            origin.file, f"cannot be read as Parquet ({short_repr(str(error))})", "write the file again"
        ) from None


def rows_of_batches(batches: Any, names: list[str], origin: Origin) -> Iterator[RawRow | UnreadRow]:
    """The rows of Arrow record batches; a row's line is its number."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatasetError(
            origin.file,
            f"has the column {', '.join(short_repr(name) for name in twice[:5])} more than once",
            "give each column its own name",
        )
    line = 0
    for batch in batches:
        columns = [column_values(column) for column in batch.columns]
        for position in range(batch.num_rows):
            line += 1
            try:
                row = {name: usable(values[position]) for name, values in zip(names, columns, strict=True)}
                yield RawRow(columns=row_to_json(row), line=line)
            except UnusableError as unusable:
                yield UnreadRow(line=line, found=unusable.found, wanted=unusable.wanted)


def column_values(column: Any) -> list[Any]:
    """A column's values as Python's; one that Python has no value for stands as the error it will be."""
    import pyarrow as pa  # noqa: PLC0415  # an optional package, and slow to import

    kind = column.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        # Python's datetime ends at microseconds, and the text of a date in a prompt hardly needs more.
        column = column.cast(pa.timestamp("us", tz=kind.tz), safe=False)
    elif pa.types.is_time64(kind) and kind.unit == "ns":
        column = column.cast(pa.time64("us"), safe=False)
    elif pa.types.is_duration(kind) and kind.unit == "ns":
        column = column.cast(pa.duration("us"), safe=False)
    try:
        values = column.to_pylist()
    except (ValueError, OverflowError, UnicodeDecodeError):
        values = [_value(scalar) for scalar in column]
    if is_short_float(kind):
        return [value if value is None else shortest(value) for value in values]
    if pa.types.is_map(kind):
        return [value if value is None else dict(value) for value in values]
    return list(values)


def _value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError) as error:
        return UnusableError(
            f"a {scalar.type} that cannot be read ({short_repr(str(error))})", "a JSON value"
        )


def usable(value: Any) -> Any:
    if isinstance(value, UnusableError):
        raise value
    return value
