"""Python rows and DataFrames -> rows; no DataFrame package is imported, the one in use is recognised."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from adjudge.dataset.parquet import BATCH_ROWS, rows_of_batches
from adjudge.dataset.rows import Origin, RawRow, UnreadRow, UnusableError, described, short_repr
from adjudge.dataset.values import row_to_json, to_json
from adjudge.errors import DatasetError
from adjudge.records import BadRow, Case


def read_objects(source: Any, origin: Origin) -> Iterator[RawRow | UnreadRow | Case | BadRow]:
    """Dicts, records (dataclasses, pydantic models) and cases, one by one; a row's line is its number."""
    for line, item in enumerate(_items(source, origin), start=1):
        match item:
            case Case() | BadRow() | RawRow() | UnreadRow():
                yield item
            case _:
                try:
                    yield RawRow(columns=_columns(item), line=line)
                except UnusableError as unusable:
                    yield UnreadRow(line=line, found=unusable.found, wanted=unusable.wanted)


def _columns(item: Any) -> dict[str, Any]:
    if isinstance(item, Mapping):
        return row_to_json(item)
    value = to_json(item)
    if not isinstance(value, dict):
        raise UnusableError(described(value), "a dict of columns")
    return value


def _items(source: Any, origin: Origin) -> Iterable[Any]:
    if isinstance(source, Mapping) and source and all(map(is_column, source.values())):
        return _column_rows(source, origin)
    if isinstance(source, Mapping | Case):
        return [source]  # one case
    if hasattr(source, "collect") and hasattr(source, "collect_schema"):
        raise DatasetError(origin.file, "is a lazy frame", "collect it first: `frame.collect()`")
    if hasattr(source, "to_batches") and hasattr(source, "column_names"):
        return rows_of_batches(source.to_batches(max_chunksize=BATCH_ROWS), source.column_names, origin)
    if hasattr(source, "columns") and hasattr(source, "iter_rows"):  # polars
        return _frame_rows(source.columns, source.iter_rows(), origin)
    if hasattr(source, "columns") and hasattr(source, "itertuples"):  # pandas
        return _frame_rows(source.columns, source.itertuples(index=False, name=None), origin)
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise DatasetError(
            origin.file,
            f"cases cannot be read from a Python {type(source).__name__}",
            "give a path, `-`, an iterable of dicts, a dict of columns or a DataFrame",
        )
    return source


def is_column(value: Any) -> bool:
    """A list, an array (numpy, Arrow) or a series (pandas, polars); numpy's array of no dimension is a single value."""
    if isinstance(value, str | bytes | bytearray | Mapping):
        return False
    if isinstance(value, Sequence):
        return True
    is_array = any(hasattr(value, method) for method in ("tolist", "to_list", "to_pylist"))
    return is_array and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def _column_rows(columns: Mapping[Any, Any], origin: Origin) -> Iterator[Any]:
    lengths = {str(name): len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DatasetError(
            origin.file,
            f"the columns differ in length: {', '.join(f'{short_repr(name)} has {n:,}' for name, n in lengths.items())}",
            "give each column one value per case; one case whose values are lists goes into a list: `[case]`",
        )
    values = [column.to_pylist() if hasattr(column, "to_pylist") else column for column in columns.values()]
    return _frame_rows(columns, zip(*values, strict=True), origin)


def _frame_rows(columns: Iterable[Any], rows: Iterable[tuple[Any, ...]], origin: Origin) -> Iterator[Any]:
    names = [str(column) for column in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatasetError(
            origin.file,
            f"has the column {', '.join(short_repr(name) for name in twice[:5])} more than once",
            "give each column its own name",
        )
    for row in rows:
        yield dict(zip(names, row, strict=True))
