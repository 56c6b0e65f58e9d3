"""How a value is found, tested and written, alike in every dialect of the shared tree."""

import enum
import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from adjudge.expressions.syntax import Step
from adjudge.records import Json
from adjudge.templates.syntax import FENCED


class Absent(enum.Enum):
    """What a name stands for when nobody supplied it: written as nothing, false, equal to null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Value: TypeAlias = Json | Absent


def lookup(values: Mapping[str, Json], path: tuple[Step, ...]) -> Value:
    """Find a path among the inputs: the longest dotted key first, then its root object."""
    for key, steps in _keys(path):
        if key in values:
            return descend(values[key], steps)
    return ABSENT


@lru_cache(maxsize=4096)
def _keys(path: tuple[Step, ...]) -> tuple[tuple[str, tuple[Step, ...]], ...]:
    """Each key that a path can begin with, and the members then asked of its value; `fenced` is no input."""
    prefixes = [str(path[0])]
    for step in path[1:]:
        if not isinstance(step, str):
            break
        prefixes.append(f"{prefixes[-1]}.{step}")
    keys = [(prefix, path[count:]) for count, prefix in enumerate(prefixes, start=1)][::-1]
    if path[0] == FENCED and len(path) > 1:
        return (*keys[:-1], *_keys(path[1:]))
    return tuple(keys)


def descend(value: Value, steps: tuple[Step, ...]) -> Value:
    for step in steps:
        value = member(value, step)
    return value


def member(value: Value, step: Value) -> Value:
    """One member of a value; absent when there is none, whatever the value is."""
    if isinstance(value, dict):
        return value.get(step if isinstance(step, str) else to_text(step), ABSENT)
    if isinstance(value, str | list):
        if step == "length":
            return len(value)
        if isinstance(step, str) and step.isascii() and step.isdigit() and len(step) < 10:
            step = int(step)
        if isinstance(step, int) and not isinstance(step, bool) and 0 <= step < len(value):
            return value[step]
    return ABSENT


_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode


def to_text(value: Value) -> str:
    """A string as it is, nothing for what is absent, JSON for the rest."""
    if isinstance(value, str):
        return value
    return "" if value is ABSENT else _encode(value)


def is_true(value: Value) -> bool:
    """JavaScript's truth: empty lists and objects are true."""
    if value is ABSENT:
        return False
    return isinstance(value, list | dict) or bool(value)


def is_filled(value: Value, *, zero: bool) -> bool:
    """Handlebars' truth: empty lists are false, empty objects are true; `zero` says what 0 is."""
    if isinstance(value, list):
        return bool(value)
    return is_true(value) or (zero and value == 0 and not isinstance(value, bool))


class Weight(NamedTuple):
    """What it takes to read a value to its last element."""

    elements: int
    characters: int
    depth: int


_SCALARS = frozenset({int, float, bool, type(None)})


_CONTAINERS = (list, tuple, dict)  # a tuple: what is asked for each element must be quick
_FEW = 100
_Level: TypeAlias = list[tuple[Collection[object], int]]
"""Lists, tuples and dictionaries, each with how often it stands there."""


def weigh(value: object, most: int) -> Weight:
    """Count a value level by level; no further once there are more than `most` elements.

    An element that stands in a list twice counts twice, because whoever writes or compares the list meets it twice.
    """
    elements, characters, depth = 1, 0, 0
    level: _Level = [((value,), 1)]
    while level and elements <= most:
        depth += 1
        deeper: _Level = []
        for container, times in level:
            for item in (*container, *container.values()) if isinstance(container, dict) else container:
                if type(item) in _SCALARS:
                    continue
                if isinstance(item, str):
                    characters += len(item) * times
                elif isinstance(item, _CONTAINERS) and item:
                    elements += len(item) * (2 * times if isinstance(item, dict) else times)
                    if elements > most:
                        return Weight(elements, characters, depth)
                    deeper.append((item, times))
        level = deeper if len(deeper) < _FEW else _each_once(deeper)
    return Weight(elements, characters, depth)


def _each_once(level: _Level) -> _Level:
    """What stands in a level again and again is looked at once, for as many times."""
    distinct = {id(container): container for container, _ in level}
    if len(distinct) > len(level) // 2:
        return level
    times = dict.fromkeys(distinct, 0)
    for container, count in level:
        times[id(container)] += count
    return [(container, times[same]) for same, container in distinct.items()]
