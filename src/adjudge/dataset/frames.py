"""A batch of some engine's rows -> cases, and the same kind of batch with columns added.

No DataFrame package is imported but the one that the batch belongs to.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from adjudge.dataset.columns import to_fields
from adjudge.dataset.ids import derived_id
from adjudge.dataset.objects import is_column
from adjudge.dataset.parquet import column_values, usable
from adjudge.dataset.rows import refuse
from adjudge.errors import DatasetError
from adjudge.json_values import UnusableError, explicit_id, short_repr, to_json
from adjudge.records import BadRow, Case, Json, Place
from adjudge.text import encodable

WHERE = "batch"
ColumnType = Literal["double", "boolean", "string"]
"""As Spark and Arrow call it. Every value may be missing."""
BatchKind = Literal["dict", "pandas", "polars", "arrow"]
Batch = TypeVar("Batch")


def read_batch(batch: Any, *, maps: Mapping[str, str], strict: bool = False) -> list[Case | BadRow]:
    """A case or a bad row for each row. Nothing in it depends on the batch that the row came in.

    A row without an id of its own is known by all its columns: another batch may have the same question.
    """
    names, rows = _rows(batch)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DatasetError(
            WHERE,
            f"has the column {', '.join(map(short_repr, twice[:5]))} more than once",
            "give each column its own name",
        )
    found = [_case(dict(zip(names, row, strict=True)), maps) for row in rows]
    for row in found:
        if strict and isinstance(row, BadRow):
            raise refuse(row)
    return found


def add_columns(
    batch: Batch, types: Mapping[str, ColumnType], values: Mapping[str, Sequence[float | bool | str | None]]
) -> Batch:
    """The batch with these columns behind its own; their types do not depend on what is in them."""
    clean = {
        name: [encodable(value) if isinstance(value, str) else value for value in column]
        for name, column in values.items()
    }
    frame: Any = batch
    match batch_kind(batch):
        case "dict":
            added: Any = frame | _arrays(frame, types, clean)
        case "pandas":
            added = _add_to_pandas(frame, types, clean)
        case "polars":
            added = _add_to_polars(frame, types, clean)
        case "arrow":
            added = _add_to_arrow(frame, types, clean)
    return added  # type: ignore[no-any-return]  # of the kind that came in


def validate_new_columns(batch: Any, names: Iterable[str]) -> None:
    """Nothing that is in the batch is overwritten."""
    there = sorted(set(names).intersection(_names(batch)))
    if there:
        raise DatasetError(
            WHERE,
            f"has the column {', '.join(map(short_repr, there[:5]))} already",
            "drop it or rename it before it is judged again",
        )


def batch_kind(batch: Any) -> BatchKind:
    """Told by what it can do; an error that says what is taken where it is none of these."""
    if isinstance(batch, dict) and all(map(is_column, batch.values())):
        return "dict"
    if hasattr(batch, "append_column") and hasattr(batch, "schema"):
        return "arrow"
    is_whole = not any(hasattr(batch, lazy) for lazy in ("compute", "collect"))
    if is_whole and hasattr(batch, "with_columns") and hasattr(batch, "iter_rows"):
        return "polars"
    if is_whole and hasattr(batch, "assign") and hasattr(batch, "itertuples"):
        return "pandas"
    hint = "give a dict of columns, a pandas or polars frame or an Arrow table"
    if isinstance(batch, dict):
        raise DatasetError(WHERE, "is a dict whose values are not all columns, as a single row is", hint)
    if not is_whole or hasattr(batch, "map_batches"):
        hint = "give the judge to the dataset, which calls it with one batch after another: `map_batches(judge)`, `map_partitions(judge)`"
    raise DatasetError(WHERE, f"cannot be read from a Python {type(batch).__name__}", hint)


# ---- reading ----


def _names(batch: Any) -> list[str]:
    match batch_kind(batch):
        case "dict":
            return [str(name) for name in batch]
        case "arrow":
            return list(batch.schema.names)
        case "pandas" | "polars":
            return [str(name) for name in batch.columns]


def _rows(batch: Any) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    names = _names(batch)
    match batch_kind(batch):
        case "dict":
            lengths = {name: len(column) for name, column in zip(names, batch.values(), strict=True)}
            if len(set(lengths.values())) > 1:
                sizes = ", ".join(f"{short_repr(name)} has {size:,}" for name, size in lengths.items())
                raise DatasetError(
                    WHERE, f"the columns differ in length: {sizes}", "give each column one value per case"
                )
            columns = [
                column.to_pylist() if hasattr(column, "to_pylist") else column for column in batch.values()
            ]
            return names, zip(*columns, strict=True)
        case "arrow":
            return names, zip(*(column_values(column) for column in batch.columns), strict=True)
        case "polars":
            return names, batch.iter_rows()
        case "pandas":
            return names, batch.itertuples(index=False, name=None)


def _case(row: Mapping[str, Any], maps: Mapping[str, str]) -> Case | BadRow:
    columns: dict[str, Json] = {}
    fault: UnusableError | None = None
    for name, value in row.items():
        try:
            found = to_json(usable(value), where=f" in column {short_repr(name)}")
        except UnusableError as error:
            fault = fault or error
            found = error.found
        if found is not None:
            columns[encodable(name)] = found
    fields = to_fields(columns, maps)
    try:
        case_id = explicit_id(fields.values.get("id"))
    except UnusableError as error:
        fault, case_id = fault or error, None
    if case_id is None:
        case_id = derived_id(columns, columns)
    if fault is not None:
        return BadRow(case_id=case_id, place=Place(file=WHERE), found=fault.found, wanted=fault.wanted)
    return Case(case_id=case_id, columns=columns, fields=fields.values, contested=fields.contested)


# ---- writing ----


def _arrays(
    batch: Mapping[str, Any], types: Mapping[str, ColumnType], values: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """Numpy's where the batch has some; what it has no missing value for is a column of objects."""
    if not any(type(column).__module__.partition(".")[0] == "numpy" for column in batch.values()):
        return {name: list(column) for name, column in values.items()}
    import numpy as np  # noqa: PLC0415 - the batch is made of it

    return {
        name: np.array(column, dtype=float if types[name] == "double" else object)
        for name, column in values.items()
    }


def _add_to_pandas(frame: Any, types: Mapping[str, ColumnType], values: Mapping[str, Sequence[Any]]) -> Any:
    import pandas as pd  # noqa: PLC0415 - the batch is made of it

    dtypes = {"double": "float64", "boolean": "boolean", "string": "string"}
    return frame.assign(**{name: pd.array(values[name], dtype=dtypes[kind]) for name, kind in types.items()})


def _add_to_polars(frame: Any, types: Mapping[str, ColumnType], values: Mapping[str, Sequence[Any]]) -> Any:
    import polars as pl  # noqa: PLC0415 - the batch is made of it

    dtypes = {"double": pl.Float64, "boolean": pl.Boolean, "string": pl.String}
    return frame.with_columns(
        pl.Series(name, values[name], dtype=dtypes[kind]) for name, kind in types.items()
    )


def _add_to_arrow(table: Any, types: Mapping[str, ColumnType], values: Mapping[str, Sequence[Any]]) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - the batch is made of it

    for name, kind in types.items():
        table = table.append_column(name, pa.array(values[name], type=pa.type_for_alias(kind)))
    return table
