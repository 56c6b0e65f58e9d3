"""A JSON document -> rows: an array of objects, an object around such an array, or one object."""

import shutil
import tempfile
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

from adjudge.dataset.json_text import BOM, parse_object, parse_value
from adjudge.dataset.jsonl import read_jsonl
from adjudge.dataset.rows import Origin, RawRow, UnreadRow
from adjudge.dataset.sniff import is_document, look_ahead, refuse_other_encodings, sniff
from adjudge.dataset.window import END, Window
from adjudge.errors import DatasetError
from adjudge.fields import CANONICAL, RESPONSES
from adjudge.json_values import UnusableError, short_repr

_ROW_WANTED = "one JSON object"
_SPOOL_BYTES = 1 << 24
_ROW_FIELDS = frozenset(
    {"question", "response", "responses", *RESPONSES, "reference", "context", "tool_calls", "messages"}
)
"""An object with one of these columns is a case, whatever lists it holds."""


def read_json(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    """Element by element, each held alone. JSON lines under a `.json` name are read as what they are."""
    head = look_ahead(stream)
    refuse_other_encodings(head.text, origin.file)
    start = head.text.removeprefix(BOM).lstrip()[:200]
    match sniff(head):
        case "nothing":
            return
        case "jsonl":
            yield from read_jsonl(head.stream, origin)
        case "csv":
            raise DatasetError(
                origin.file,
                f"holds no JSON object or array: it begins {short_repr(start.decode(errors='replace'))}",
                "wanted an array of objects; a table should have a name that ends in .csv",
            )
        case "json":
            yield from _read_document(head.stream, origin, is_array=start.startswith(b"["))


def read_json_lines(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    """One object a line; a document under a `.jsonl` name is read as what it is."""
    head = look_ahead(stream)
    if is_document(head):
        is_array = head.text.removeprefix(BOM).lstrip().startswith(b"[")
        yield from _read_document(head.stream, origin, is_array=is_array)
    else:
        yield from read_jsonl(head.stream, origin)


def _read_document(stream: BinaryIO, origin: Origin, *, is_array: bool) -> Iterator[RawRow | UnreadRow]:
    if is_array:
        window = Window(stream)
        window.take()
        yield from _elements(window)
        yield from _after(window)
    elif stream.seekable():
        yield from _read_object(stream, origin)
    else:
        # Which list holds the rows is known only after the last key, so the text has to be there twice.
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
            shutil.copyfileobj(stream, spool)
            spool.seek(0)
            yield from _read_object(cast("BinaryIO", spool), origin)


def _read_object(stream: BinaryIO, origin: Origin) -> Iterator[RawRow | UnreadRow]:
    start = stream.tell()
    key = _wrapping_key(_members(Window(stream)), origin)
    stream.seek(start)
    window = Window(stream)
    if key is None:
        yield from _objects(window)
        return
    window.take()
    while _next_key(window) != key:
        window.value(keep=False)
    window.take()
    yield from _elements(window)
    window.value(keep=False, depth=1)
    yield from _after(window)


class _JsonMember(NamedTuple):
    key: str
    holds_objects: bool
    """It is a list, and its first element is an object."""


def _members(window: Window) -> list[_JsonMember] | None:
    """The keys of the document's object, its values passed over; None when it is not one whole object."""
    members: list[_JsonMember] = []
    window.take()
    while True:
        key = _next_key(window)
        if key is None:
            return members if window.take() == ord("}") else None
        holds_objects = False
        if window.peek() == ord("["):
            window.take()
            holds_objects = window.peek() == ord("{")
            whole = window.value(keep=False, depth=1).whole
        else:
            whole = window.value(keep=False).whole
        if not whole:
            # Cut short. What there is of the last list is still worth reading: its end will be a bad row.
            return [*members, _JsonMember(key, holds_objects)]
        members.append(_JsonMember(key, holds_objects))


def _next_key(window: Window) -> str | None:
    """The next key of the object the window is in, the colon after it taken; None where there is none."""
    if window.peek() == ord(","):
        window.take()
    if window.peek() != ord('"'):
        return None
    try:
        key = parse_value(window.value().text)
    except UnusableError:
        return None
    if window.peek() != ord(":"):
        return None
    window.take()
    return key if isinstance(key, str) else None


def _wrapping_key(members: list[_JsonMember] | None, origin: Origin) -> str | None:
    """The key of the list that holds the rows; None when the object is itself a row."""
    if members is None or any(CANONICAL.get(member.key) in _ROW_FIELDS for member in members):
        return None
    lists = [member.key for member in members if member.holds_objects]
    if len(lists) > 1:
        raise DatasetError(
            origin.file,
            f"holds {len(lists)} lists of objects ({', '.join(short_repr(key) for key in lists[:5])}) "
            "and does not say which are the cases",
            "keep one list in the file, or write one case a line as .jsonl",
        )
    return lists[0] if lists else None


def _elements(window: Window) -> Iterator[RawRow | UnreadRow]:
    """The elements of the array the window is in, up to and with its closing bracket."""
    number = 0
    separated = True
    while True:
        byte = window.peek()
        line = window.line
        if byte == ord("]"):
            window.take()
            return
        if byte == END:
            yield UnreadRow(line=line, found="the end of the file inside the array", wanted="a closing ]")
            return
        if byte == ord(","):
            window.take()
            if separated:
                yield UnreadRow(line=line, found="a comma with no element before it", wanted=_ROW_WANTED)
            separated = True
            continue
        number += 1
        piece = window.value()
        if not piece.text:
            yield _unread(line, number, found=f"a stray {chr(window.take())}", wanted=_ROW_WANTED)
        elif not piece.whole:
            yield _unread(line, number, found="broken JSON (the file ends inside it)", wanted=_ROW_WANTED)
            return
        elif not separated:
            yield _unread(line, number, found="no comma before it", wanted="a comma between two elements")
        else:
            yield _row(piece.text, line, number)
        separated = False


def _objects(window: Window) -> Iterator[RawRow | UnreadRow]:
    """Objects that follow one another with nothing but white space between."""
    while window.peek() != END:
        line = window.line
        piece = window.value()
        if not piece.text:
            yield UnreadRow(line=line, found=f"a stray {chr(window.take())}", wanted=_ROW_WANTED)
        elif piece.whole:
            yield _row(piece.text, line, None)
        else:
            yield UnreadRow(line=line, found="broken JSON (the file ends inside it)", wanted=_ROW_WANTED)


def _after(window: Window) -> Iterator[UnreadRow]:
    if window.peek() != END:
        yield UnreadRow(
            line=window.line, found="text after the end of the JSON", wanted="the end of the file"
        )


def _row(text: bytes, line: int, element: int | None) -> RawRow | UnreadRow:
    try:
        return RawRow(columns=parse_object(text), line=line, element=element)
    except UnusableError as unusable:
        return _unread(line, element, found=unusable.found, wanted=unusable.wanted)


def _unread(line: int, element: int | None, *, found: str, wanted: str) -> UnreadRow:
    return UnreadRow(line=line, element=element, found=found, wanted=wanted)
