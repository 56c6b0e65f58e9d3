"""Result rows as Parquet (the `parquet` extra).

A Parquet file can only be read once its end is written, so it grows beside its final name and takes it when the run ends,
well or not.
"""

import importlib
import io
from pathlib import Path
from typing import Any

import orjson

from adjudge.documents.rows import FIELDS
from adjudge.documents.sinks import FileSink, unwritable, why
from adjudge.errors import AdjudgeError, MissingExtraError, StoreError
from adjudge.records import Json

ROWS_AT_ONCE = 2000
AS_JSON = ("verdict", "distribution")


class ParquetRows:
    """Row groups of one schema. What differs from judge to judge is JSON text."""

    def __init__(self, path: str) -> None:
        try:
            self._arrow: Any = importlib.import_module("pyarrow")
            self._parquet: Any = importlib.import_module("pyarrow.parquet")
        except ImportError as error:
            raise MissingExtraError(path, "parquet") from error
        if Path(path).is_dir():
            raise unwritable(path, IsADirectoryError(0, "it is a folder"))
        self._path = path
        self._part = f"{path}.part"
        self._sink = _ArrowSink(FileSink(self._part))
        self._schema = _schema(self._arrow)
        self._file: Any = None
        self._rows: list[dict[str, Json]] = []
        self._finished = False

    def add(self, row: dict[str, Json]) -> None:
        texts = {name: None if row[name] is None else orjson.dumps(row[name]).decode() for name in AS_JSON}
        self._rows.append({**row, **texts})
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def close(self) -> None:
        if self._finished:
            return
        self._finished = True
        try:
            self._flush()
            self._file.close()
            self._sink.finish()
        except BaseException:
            self._discard()
            raise
        try:
            Path(self._part).replace(self._path)
        except OSError as error:
            raise StoreError(
                str(self._path), why(error), f"the rows are in {self._part}; move it there yourself"
            ) from error

    def abandon(self) -> None:
        if self._finished:
            return
        if (self._rows or self._file is not None) and not self._sink.failed:
            self.close()
            return
        self._finished = True
        self._discard()

    def _discard(self) -> None:
        """Without its end the file cannot be read, so it does not stay."""
        self._sink.abandon()
        Path(self._part).unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._file is None:
            self._file = self._parquet.ParquetWriter(self._sink, self._schema)
        rows, self._rows = self._rows, []
        self._file.write_table(self._arrow.Table.from_pylist(rows, schema=self._schema))


class _ArrowSink(io.RawIOBase):
    """What pyarrow writes to. After a failure it takes and drops the rest, since pyarrow writes on while it closes."""

    def __init__(self, sink: FileSink) -> None:
        super().__init__()
        self._sink = sink
        self._written = 0
        self.failed: AdjudgeError | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._written

    def write(self, data: Any) -> int:
        chunk = bytes(data)
        if self.failed is None:
            try:
                self._sink.append(chunk)
            except AdjudgeError as error:
                self.failed = error
                raise
        self._written += len(chunk)
        return len(chunk)

    def finish(self) -> None:
        if self.failed:
            raise self.failed
        self._sink.close()

    def abandon(self) -> None:
        self._sink.abandon()


def _schema(arrow: Any) -> Any:
    text, number, count = arrow.string(), arrow.float64(), arrow.int64()
    types: dict[str, Any] = {
        **dict.fromkeys(FIELDS, text),
        **dict.fromkeys(
            ("score", "exact", "normalized", "probability", "cost", "latency_ms", "expected_score"), number
        ),
        **dict.fromkeys(("repeat", "calls", "attempts"), count),
        **dict.fromkeys(("passed", "from_store"), arrow.bool_()),
        "error": arrow.struct([("kind", text), ("message", text)]),
        "notes": arrow.list_(text),
        "usage": arrow.struct([("input", count), ("output", count), ("cached", count)]),
    }
    return arrow.schema([(name, types[name]) for name in FIELDS])
