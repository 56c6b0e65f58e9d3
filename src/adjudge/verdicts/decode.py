"""JSON text -> values, where a key given twice is noticed and what is no JSON number is no number."""

import json
from collections.abc import Sequence

from adjudge.records import Json

MAX_DEPTH = 60


class Twice(dict[str, Json]):
    """An object in which a key stood twice with different values."""

    keys_twice: frozenset[str] = frozenset()


def object_of_pairs(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    twice = frozenset(
        key for key, value in pairs if value != found[key] or type(value) is not type(found[key])
    )
    if not twice:
        return found
    marked = Twice(found)
    marked.keys_twice = twice
    return marked


def _integer(digits: str) -> Json:
    return int(digits) if len(digits) <= 40 else digits


def _float(digits: str) -> Json:
    value = float(digits)
    return value if abs(value) != float("inf") else digits


DECODER = json.JSONDecoder(
    object_pairs_hook=object_of_pairs,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=str,  # NaN and Infinity are words here, never numbers
    strict=False,  # line breaks inside strings
)


def too_deep(value: dict[str, Json]) -> bool:
    """Without recursion, since what is asked is whether recursion is safe."""
    level: list[dict[str, Json] | list[Json]] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
