"""How many rows a file has, where that can be told without reading them as cases."""

from pathlib import Path

from adjudge.dataset.sniff import is_document, look_ahead

BLOCK_BYTES = 1 << 20


def count_rows(source: object) -> int | None:
    """Of a list, or a file of JSON lines or CSV (where blank lines count too) or Parquet; else None."""
    if isinstance(source, list | tuple):
        return len(source) or None  # an empty one stands for cases that come otherwise
    if not isinstance(source, str | Path):
        return None
    path = Path(source)
    suffix = path.suffix.lower()
    try:
        if not path.is_file():
            return None  # a named pipe: what is read here would be lost to the run
        if suffix in {".jsonl", ".ndjson"}:
            return _count_lines(path)
        if suffix in {".csv", ".tsv"}:
            return _count_records(path)
        return _count_parquet(path) if suffix == ".parquet" else None
    except OSError:
        return None


def _count_lines(path: Path) -> int | None:
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        if is_document(look_ahead(file)):
            return None
        while block := file.read(BLOCK_BYTES):
            lines += block.count(b"\n")
            last = block[-1:]
    return lines + (last != b"\n")


def _count_records(path: Path) -> int | None:
    """A line end inside quotes ends no record: one after an odd number of quotes. Less the header."""
    lines, last, quoted = 0, b"\n", False
    with path.open("rb") as file:
        if b"\0" in look_ahead(file):
            return None  # not in bytes: UTF-16
        while block := file.read(BLOCK_BYTES):
            for number, part in enumerate(block.split(b'"')):
                quoted ^= number > 0
                lines += 0 if quoted else part.count(b"\n")
            last = block[-1:]
    return max(0, lines + (last != b"\n") - 1)


def _count_parquet(path: Path) -> int | None:
    try:
        from pyarrow import parquet  # noqa: PLC0415 - slow, and only this format needs it

        return int(parquet.read_metadata(path).num_rows)
    except (ImportError, ValueError):
        return None
