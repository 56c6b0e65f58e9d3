"""What a stream holds, told from its beginning."""

import io
import re
from typing import Any, BinaryIO, Literal, NamedTuple

import orjson

from adjudge.dataset.json_text import BOM
from adjudge.errors import DatasetError
from adjudge.fields import CANONICAL

Format = Literal["json", "jsonl", "csv", "nothing"]

HEAD_BYTES = 1 << 20
_BLANK = b" \t\r\n"
_JSON_STARTS = (b"{", b"[")
_WRAPPED = re.compile(rb'\{\s*+"([^"\\]*+)"\s*+:\s*+\[\s*+\{')


class Head(NamedTuple):
    text: bytes
    """The stream's beginning, as far as it had to be read."""
    ended: bool
    """It is the whole stream."""
    stream: BinaryIO
    """The stream from its beginning."""


class _Rewound(io.RawIOBase):
    """A stream that cannot go back, with its beginning put back."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        super().__init__()
        self._head = memoryview(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]  # any writable buffer
        if self._head:
            count = min(len(buffer), len(self._head))
            buffer[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        # One read of what is there: a pipe's rows are judged as they come, not when a buffer is full.
        read = getattr(self._rest, "read1", self._rest.read)
        more: bytes = read(len(buffer))
        buffer[: len(more)] = more
        return len(more)


def look_ahead(stream: BinaryIO) -> Head:
    """Read as far as the format takes to tell, a megabyte at most: of JSON lines no more than the first."""
    read = getattr(stream, "read1", stream.read)
    start = stream.tell() if stream.seekable() else None  # a shell may have read lines of its own before
    text = b""
    ended = False
    while not ended and len(text) < HEAD_BYTES and not _decides_format(text):
        more = read(HEAD_BYTES)
        text += more
        ended = not more
    if start is not None:
        stream.seek(start)
        return Head(text, ended, stream)
    return Head(text, ended, io.BufferedReader(_Rewound(text, stream)))


def _decides_format(head: bytes) -> bool:
    text = head.removeprefix(BOM).lstrip(_BLANK)
    line, newline, rest = text.partition(b"\n")
    if not newline:
        return False
    if text[:1] not in _JSON_STARTS or rest.strip(_BLANK):
        return True
    value = _parsed(line)
    return isinstance(value, dict) and not _is_wrapper(value)


def refuse_other_encodings(head: bytes, file: str) -> None:
    """Files that would otherwise be a bad row on every line, each for its own puzzling reason."""
    kinds = {
        b"\xff\xfe": ("is UTF-16 text", "save it as UTF-8"),
        b"\xfe\xff": ("is UTF-16 text", "save it as UTF-8"),
        b"\x1f\x8b": ("is compressed with gzip", "rename it to end in .gz, or pipe it through `gzip -dc`"),
        b"PAR1": ("is Parquet", "give the file itself, with a name that ends in .parquet"),
        b"PK\x03\x04": ("is a ZIP archive or a spreadsheet", "export the sheet as CSV"),
    }
    for mark, (problem, hint) in kinds.items():
        if head.startswith(mark):
            raise DatasetError(file, problem, hint)


def sniff(head: Head) -> Format:
    """JSON begins with a bracket or brace; everything else is CSV."""
    text = head.text.removeprefix(BOM).lstrip(_BLANK)
    if not text:
        return "nothing"
    if text[:1] not in _JSON_STARTS:
        return "csv"
    line, newline, rest = text.partition(b"\n")
    if not newline:
        # All on one line: a document, unless it goes on for more than a megabyte and does not look like one.
        return "json" if head.ended or text[:1] == b"[" or _looks_wrapped(text) else "jsonl"
    following = rest.lstrip(_BLANK)[:1]
    match _parsed(line):
        case dict() as value:
            return "json" if _is_wrapper(value) and not following else "jsonl"
        case list() as value:
            # Only an array of something else than objects can be a bad row above good ones.
            holds_objects = bool(value) and isinstance(value[0], dict)
            return "jsonl" if following == b"{" and not holds_objects else "json"
        case _:
            return "json" if _continues(line.rstrip(_BLANK), following) else "jsonl"


def is_document(head: Head) -> bool:
    """Whether what is named JSON lines is one JSON document, or objects written over several lines each.

    A first line that is an object is a row, and so is a broken one with an object below it: only that row is lost.
    """
    text = head.text.removeprefix(BOM).lstrip(_BLANK)
    line, newline, rest = text.partition(b"\n")
    line, following = line.rstrip(_BLANK), rest.lstrip(_BLANK)[:1]
    array = text.startswith(b"[")
    if sniff(head) != "json" or (not array and (not newline or _parsed(line) is not None)):
        return False
    return following != b"{" or line.endswith(b"[") or (array and line.endswith((b",", b"]")))


def _continues(line: bytes, following: bytes) -> bool:
    """Whether a first line that is not JSON by itself is how a document written over many lines begins."""
    if line.startswith(b"[") or line.endswith((b"{", b"[", b":")):
        return True
    if line.endswith(b",") and _parsed(line[:-1]) is None:
        return True
    return following in (b",", b"]", b"}", b'"')  # no row begins like this


def _is_wrapper(value: dict[str, Any]) -> bool:
    return any(
        isinstance(item, list) and item and isinstance(item[0], dict) and key not in CANONICAL
        for key, item in value.items()
    )


def _looks_wrapped(text: bytes) -> bool:
    """Whether the text begins `{"rows": [{`, with a first key that is no column of a case."""
    match = _WRAPPED.match(text)
    return match is not None and match[1].decode(errors="replace") not in CANONICAL


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
