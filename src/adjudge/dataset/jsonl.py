"""JSON lines -> rows: one object a line; blank lines are none."""

from collections.abc import Iterator
from typing import BinaryIO

from adjudge.dataset.json_text import BOM, parse_object
from adjudge.dataset.rows import Origin, RawRow, UnreadRow
from adjudge.dataset.sniff import refuse_other_encodings
from adjudge.json_values import UnusableError


def read_jsonl(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    """Only a line feed ends a line: CR before it is white space to JSON, and U+2028 may stand inside a string."""
    for line, raw in enumerate(stream, start=1):
        if line == 1:
            refuse_other_encodings(raw[:8], origin.file)
        text = raw.removeprefix(BOM).strip(b" \t\r\n")  # every line: files with marks get concatenated
        if not text:
            continue
        try:
            yield RawRow(parse_object(text), line)
        except UnusableError as unusable:
            yield UnreadRow(line=line, found=unusable.found, wanted=unusable.wanted)
