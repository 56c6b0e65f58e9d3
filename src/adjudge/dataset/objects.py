"""Python rows and DataFrames -> rows; no DataFrame package is imported, the one in use is recognised."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from adjudge.dataset.parquet import BATCH_ROWS, rows_of_batches
from adjudge.dataset.rows import Origin, RawRow, UnreadRow
from adjudge.errors import DatasetError
from adjudge.json_values import (
    UnusableError,
    describe_json,
    is_short_float,
    row_to_json,
    short_repr,
    shortest,
    to_json,
)
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
        raise UnusableError(describe_json(value), "a dict of columns")
    return value


def _items(source: Any, origin: Origin) -> Iterable[Any]:
    if isinstance(source, Mapping) and source and all(map(is_frame, source.values())):
        splits = ", ".join(short_repr(str(name)) for name in list(source)[:5])
        raise DatasetError(
            origin.file, f"holds several datasets ({splits})", "give one of them: `dataset[…]`"
        )
    if isinstance(source, Mapping) and source and all(map(is_column, source.values())):
        return _column_rows(source, origin)
    if isinstance(source, Mapping | Case):
        return [source]  # one case
    if hasattr(source, "collect") and hasattr(source, "collect_schema"):
        raise DatasetError(origin.file, "is a lazy frame", "collect it first: `frame.collect()`")
    if hasattr(source, "to_batches") and hasattr(source, "column_names"):
        return rows_of_batches(source.to_batches(max_chunksize=BATCH_ROWS), source.column_names, origin)
    schema: Any = getattr(source, "schema", None)
    if type(schema).__module__.startswith("pyarrow"):
        if hasattr(source, "num_rows"):  # one batch
            return rows_of_batches([source], schema.names, origin)
        # a dataset has batches, a reader is an iterator over them
        batches = source.to_batches() if hasattr(source, "to_batches") else source
        return rows_of_batches(batches, schema.names, origin)
    if hasattr(source, "columns") and hasattr(source, "iter_rows"):  # polars
        return _frame_rows(source.columns, source.iter_rows(), origin, types=getattr(source, "dtypes", ()))
    if hasattr(source, "columns") and hasattr(source, "itertuples"):  # pandas
        frame = with_index(source)
        return _frame_rows(
            frame.columns, frame.itertuples(index=False, name=None), origin, types=frame.dtypes
        )
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise DatasetError(
            origin.file,
            f"cases cannot be read from a Python {type(source).__name__}",
            "give a path, `-`, an iterable of dicts, a dict of columns or a DataFrame",
        )
    return source


def with_index(frame: Any) -> Any:
    """A pandas frame with its index as columns, where the index has a name; what names each row once is its id."""
    names = [name for name in frame.index.names if name is not None and name not in frame.columns]
    if len(names) != frame.index.nlevels:
        return frame
    rows = frame.reset_index()
    if len(names) == 1 and frame.index.is_unique and not {"id", "case_id"} & set(map(str, rows.columns)):
        rows["id"] = frame.index
    return rows


def is_frame(value: Any) -> bool:
    """A table of its own: Hugging Face's and Arrow's name their columns, pandas and polars have them."""
    return hasattr(value, "column_names") or (hasattr(value, "columns") and hasattr(value, "head"))


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


def _frame_rows(
    columns: Iterable[Any], rows: Iterable[tuple[Any, ...]], origin: Origin, *, types: Iterable[Any] = ()
) -> Iterator[Any]:
    names = [str(column) for column in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatasetError(
            origin.file,
            f"has the column {', '.join(short_repr(name) for name in twice[:5])} more than once",
            "give each column its own name",
        )
    short = [name for name, kind in zip(names, types, strict=False) if is_short_float(kind)]
    for row in rows:
        columns_of_row = dict(zip(names, row, strict=True))
        for name in short:
            if isinstance(columns_of_row[name], float):
                columns_of_row[name] = shortest(columns_of_row[name])
        yield columns_of_row
