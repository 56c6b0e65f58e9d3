"""How many rows a file has, where that can be told without reading them as cases."""

from pathlib import Path

from adjudge.dataset.sniff import is_document, look_ahead

BLOCK_BYTES = 1 << 20


def count_rows(source: object) -> int | None:
    """Lines of a JSON lines file, which may be a few more than its rows (blank lines count); else None."""
    if not isinstance(source, str | Path) or Path(source).suffix.lower() not in {".jsonl", ".ndjson"}:
        return None
    lines, last = 0, b"\n"
    try:
        if not Path(source).is_file():
            return None  # a named pipe: what is read here would be lost to the run
        with Path(source).open("rb") as file:
            if is_document(look_ahead(file)):
                return None
            while block := file.read(BLOCK_BYTES):
                lines += block.count(b"\n")
                last = block[-1:]
    except OSError:
        return None
    return lines + (last != b"\n")
