"""Values of files and of Python as JSON: what can be a value of a case, and how a message names one that cannot."""

import base64
import json
import math
import reprlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from os import PathLike, fspath
from typing import Any
from uuid import UUID

from msgspec import Struct
from msgspec.structs import asdict

from adjudge.records import Json

MAX_DEPTH = 200
"""Lists and objects inside one another. JSON writers give up near 254 levels; a judged value gets wrapped on its way."""
MAX_DIGITS = 308
"""Of a whole number; what is longer cannot be computed with, since no float holds it."""
MAX_BITS = 1_023
"""As many as fit into so many digits."""

MAX_REPR = 80
"""Characters of a value that a message shows: enough to find it, too few to flood a terminal."""
_WHOLE_FLOATS = float(2**53)
_FLOAT32 = struct.Struct("f")
_MISSING_MARKERS = frozenset({"NAType", "NaTType"})
"""pandas' two markers for a missing value, known by name so that pandas need not be imported."""


class UnusableError(ValueError):
    """A value that cannot be part of a case."""

    def __init__(self, found: str, wanted: str) -> None:
        super().__init__(f"found {found}; wanted {wanted}")
        self.found = found
        self.wanted = wanted


def too_deep() -> UnusableError:
    return UnusableError(f"a value nested more than {MAX_DEPTH} levels deep", "a shallower one")


def to_json(value: Any, *, where: str = "") -> Json:
    """The value as JSON; None for what stands for "no value" (NaN, NaT, NA), wherever it stands.

    `where` names the column in the error. Whatever JSON has no form for is refused rather than turned into
    its `repr`, because a prompt would show that to the model as if it were data.
    """
    try:
        return _to_json(value, where, MAX_DEPTH)
    except RecursionError:
        raise too_deep() from None


def json_in_text(text: str) -> Json:
    """The list or the object that stands in a text as JSON; else the text as it is."""
    stripped = text.strip()
    if stripped[:1] not in {"{", "["}:
        return text
    try:
        return to_json(json.loads(stripped))
    except (ValueError, RecursionError):  # no JSON, or more than a case may hold
        return text


def explicit_id(value: Json) -> str | None:
    """A row's own id as text; None when it has none. 3.0, which is how pandas writes a 3 beside a gap, is `3`."""
    if value is None:
        return None
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(whole_number(value))
    raise UnusableError(f"an id that is {describe_json(value)}", "text or a number")


def whole_number(value: float | int) -> int | float:  # noqa: PYI041  # an int is not a float to what follows
    """3 for 3.0, which is how tables without a type for whole numbers hold it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_FLOATS:
        return int(value)
    return value


def row_to_json(row: Mapping[Any, Any]) -> dict[str, Json]:
    """Every column of a row as JSON, with the column named when one cannot be."""
    return {
        name: to_json(value, where=f" in column {short_repr(name)}")
        for name, value in ((_key(key, ""), value) for key, value in row.items())
    }


def is_short_float(kind: Any) -> bool:
    """Whether a column's type (of numpy, pandas, polars or Arrow) holds floats of 32 bits."""
    return str(kind).lower() in {"float32", "float", "float[pyarrow]"}


def shortest(value: float) -> float:
    """A float of 32 bits as it was written: 0.1, where its exact value in 64 bits is 0.10000000149011612."""
    if not math.isfinite(value):
        return value
    for digits in range(1, 9):
        short = float(f"{value:.{digits}g}")
        if _single(short) == value:
            return short
    return value


def _single(value: float) -> float:
    try:
        rounded: float = _FLOAT32.unpack(_FLOAT32.pack(value))[0]
    except OverflowError:
        return math.inf
    return rounded


def _to_json(value: Any, where: str, depth: int) -> Json:
    # Exact types first: nearly every value is one of these.
    kind = type(value)
    if value is None or kind is bool:
        return value  # type: ignore[no-any-return]  # one of the two, by the line above
    if kind is int:
        return _whole(value, where)
    if kind is str:
        return _text(value, where)
    if kind is float:
        return _number(value, where)
    if depth == 0:
        raise too_deep()
    if kind is dict:
        return {_key(key, where): _to_json(item, where, depth - 1) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_to_json(item, where, depth - 1) for item in value]
    return _to_json_by_protocol(value, where, depth)


def _to_json_by_protocol(value: Any, where: str, depth: int) -> Json:
    """What JSON has no type of its own for: dates, decimals, bytes, numpy's and pandas' values, records."""
    if type(value).__name__ in _MISSING_MARKERS:
        return None
    if isinstance(value, Enum):
        return _to_json(value.value, where, depth - 1)
    if isinstance(value, str):
        return _text(str(value), where)
    if isinstance(value, int):
        return _whole(int(value), where)
    if isinstance(value, float):
        return _number(float(value), where)
    if isinstance(value, Decimal):
        return _decimal(value, where)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _number(value.total_seconds(), where)
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes(bytes(value))
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, PathLike):
        return _to_json(fspath(value), where, depth - 1)
    if isinstance(value, Mapping):
        return {_key(key, where): _to_json(item, where, depth - 1) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_to_json(item, where, depth - 1) for item in value]
    if isinstance(value, Struct):
        return _to_json(asdict(value), where, depth)
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _to_json(getattr(value, f.name), where, depth - 1) for f in fields(value)}
    if is_short_float(getattr(value, "dtype", None)):  # numpy
        if value.ndim:
            return [_to_json(item, where, depth - 1) for item in value]
        return _number(shortest(float(value)), where)
    for method in ("tolist", "to_list", "model_dump"):  # numpy; polars; pydantic
        convert = getattr(value, method, None)
        if callable(convert) and not isinstance(value, type):
            return _to_json(convert(), where, depth - 1)
    raise UnusableError(f"a Python {type(value).__name__}{where}", "a JSON value")


def _key(key: Any, where: str) -> str:
    if type(key) is str:
        return _text(key, where or " in a column's name")
    if isinstance(key, str | bool | int | float | None):
        # As `json.dumps` does, so that {1: …} means the same here and in a file.
        words = {True: "true", False: "false", None: "null"}
        if key is None or isinstance(key, bool):
            return words[key]
    return _text(str(key), where)


def _text(value: str, where: str) -> str:
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        code = ord(value[error.start])
        raise UnusableError(
            f"half a character (the lone surrogate \\u{code:04x}){where}",
            "whole Unicode characters; text cut in the middle of an emoji looks like this",
        ) from None
    return value


def _whole(value: int, where: str) -> int:
    if value.bit_length() > MAX_BITS:
        raise UnusableError(f"a whole number of more than {MAX_DIGITS} digits{where}", "a shorter one")
    return value


def _number(value: float, where: str) -> float | None:
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return None
    raise UnusableError(f"{'-' if value < 0 else ''}Infinity{where}", "a finite number")


def _decimal(value: Decimal, where: str) -> Json:
    if value.is_nan():
        return None
    _, _, exponent = value.as_tuple()
    if exponent == 0:
        return _whole(int(value), where)
    return _number(float(value), where)


def _bytes(value: bytes) -> str:
    """Text when it is text, which it nearly always is (Parquet writers that leave out the text annotation)."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode("ascii")


# ---- in messages ---------------------------------------------------------------------------------------------


class _Short(reprlib.Repr):
    """`repr` that looks at no more of a value than it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxdict = self.maxlist = self.maxtuple = 4
        self.maxstring = self.maxother = self.maxlong = MAX_REPR - 20


_SHORT = _Short()


def short_repr(value: object) -> str:
    """At most 80 characters of a value, control characters and bidirectional marks escaped."""
    if isinstance(value, str):
        whole = repr(value[: MAX_REPR + 1])
        cut = len(value) > MAX_REPR
    else:
        whole = _SHORT.repr(value)
        cut = False
    return whole[: MAX_REPR - 1] + "…" if cut or len(whole) > MAX_REPR else whole


def describe_json(value: Json) -> str:
    """A JSON value by its kind and its beginning: `an array: [1, 2]`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"a number: {short_repr(value)}"
        case str():
            return f"text: {short_repr(value)}"
        case list():
            return f"an array: {short_repr(value)}"
        case _:
            return f"an object: {short_repr(value)}"
