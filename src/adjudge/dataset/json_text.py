"""JSON text -> a value, with everything a lenient parser would pass over in silence said.

orjson does the work; what it refuses (NaN, halves of surrogate pairs, control characters in strings) and what
it is silent about (a key given twice, whole numbers beyond 64 bits) is read again with the standard library.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

import orjson

from adjudge.json_values import (
    MAX_DEPTH,
    UnusableError,
    describe_json,
    row_to_json,
    short_repr,
    to_json,
    too_deep,
)
from adjudge.records import Json

BOM = b"\xef\xbb\xbf"

_KEY_END = re.compile(rb'"[ \t\r\n]*+:')
_BEYOND_64_BITS = float(2**63)
_CONTAINERS = (dict, list)


def parse_object(text: bytes) -> dict[str, Json]:
    """The one object that `text` is; an `UnusableError` otherwise."""
    value = parse_value(text)
    if not isinstance(value, dict):
        raise UnusableError(describe_json(value), "one JSON object")
    return value


def parse_value(text: bytes) -> Json:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _parse_again(text)
    return value if _is_faithful(value, text) else _parse_again(text)


def _is_faithful(value: Any, text: bytes) -> bool:
    """Whether orjson lost nothing: every key of the text is in the value, and no whole number became a float.

    Text inside strings can look like a key's end, so there may be more of those than keys, never fewer: equal
    counts prove that no key was given twice, and anything else only costs a second reading.
    """
    keys = 0
    depth = 0
    level = [value] if type(value) in _CONTAINERS else []
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return False
        below = []
        for container in level:
            children: Iterable[Any] = container
            if type(container) is dict:
                keys += len(container)
                children = container.values()
            for child in children:
                kind = type(child)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    below.append(child)
                elif kind is float and not -_BEYOND_64_BITS < child < _BEYOND_64_BITS:
                    return False
        level = below
    if text.count(b":") <= keys:
        return True
    return all(number <= keys for number, _ in enumerate(_KEY_END.finditer(text), start=1))


def _parse_again(text: bytes) -> Json:
    try:
        string = text.decode()
    except UnicodeDecodeError as error:
        raise UnusableError(
            f"bytes that are not UTF-8 (0x{text[error.start]:02x} at byte {error.start + 1})",
            "UTF-8 text: save the file as UTF-8",
        ) from None
    try:
        # strict=False lets control characters stand in strings: broken to the letter, and not ambiguous.
        value = json.loads(string, object_pairs_hook=_unique, strict=False)
    except json.JSONDecodeError as error:
        at = f"line {error.lineno} column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise UnusableError(
            f"broken JSON ({error.msg.removesuffix(' at')} at {at})", "one JSON object"
        ) from None
    except RecursionError:
        raise too_deep() from None
    except UnusableError:
        raise
    except ValueError as error:  # a number of more digits than Python will read
        raise UnusableError(
            f"a number that cannot be read ({short_repr(str(error))})", "a shorter one"
        ) from None
    return row_to_json(value) if isinstance(value, dict) else to_json(value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise UnusableError(f"the key {short_repr(key)} twice in one object", "each key once")
            seen.add(key)
    return result
