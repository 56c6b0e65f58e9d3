"""Ids: the row's own, or a hash of what was asked, so that two systems' files match."""

import json
import sys
from array import array
from collections.abc import Mapping
from hashlib import blake2b, sha256

from adjudge.fields import CANONICAL, RESPONSES
from adjudge.json_values import whole_number
from adjudge.records import Json

_NOT_ASKED = frozenset(
    {
        "id",
        "response",
        "responses",
        *RESPONSES,
        "tool_calls",
        "expected_tool_calls",
        "label",
        "annotators",
        "metadata",
        "cluster",
    }
)
_ANSWER_OBJECTS = frozenset({"sample"})
"""Where exports in the `{{ sample.x }}` style keep what the system said."""

_64_BITS = 2**64 - 1
_LONG_HASHES = sys.hash_info.width >= 64


def derived_id(columns: Mapping[str, Json], asked: Mapping[str, Json]) -> str:
    """16 hexadecimal digits of what was asked.

    An empty text is left out, because CSV cannot tell it from an absent one. A row with no question, reference
    or context is known by its other columns but those that hold an answer or a grade; failing those, by all.
    """
    known = _present(asked)
    if not known:
        known = _present(
            {
                name: value
                for name, value in columns.items()
                if CANONICAL.get(name) not in _NOT_ASKED and name not in _ANSWER_OBJECTS
            }
        )
    text = json.dumps(
        {name: _comparable(value) for name, value in (known or columns).items()},
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
    )
    return sha256(text.encode()).hexdigest()[:16]


def _present(values: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in values.items() if value != ""}


def _comparable(value: Json) -> Json:
    """Equal for the same value out of every format: a CSV cell holds a number's text, a Parquet column 1.0 for 1."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(whole_number(value))
    return _without_nulls(value)


def _without_nulls(value: Json) -> Json:
    """Parquet fills the keys that only some objects have with null, and its numbers have one type a column."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, float):
        return whole_number(value)
    return value


class Ids:
    """The ids given out in one reading, each kept as an 8-byte hash with the line of its row.

    That takes 15 to 30 bytes a row, however long the ids and rows are. Two of a million ids share a hash with a chance
    of 1 in 30 million.
    """

    def __init__(self) -> None:
        self._lines = LineTable()
        self._counts: dict[int, int] = {}
        """Only for ids that were wanted more than once: the last number given."""

    def claim(self, case_id: str, line: int) -> int | None:
        """Give this very id to the row on `line`; or the line of the row that has it already."""
        return self._lines.put(_key(case_id), line)

    def next_free(self, case_id: str, line: int) -> str:
        """Give this id to the row on `line`, with `-2`, `-3` … when it is taken."""
        key = _key(case_id)
        if self._lines.put(key, line) is None:
            return case_id
        number = self._counts.get(key, 1)
        while True:
            number += 1
            numbered = f"{case_id}-{number}"
            if self._lines.put(_key(numbered), line) is None:
                self._counts[key] = number
                return numbered


class LineTable:
    """A dict from hashes to line numbers in two flat arrays: a fifth of a dict's memory or less."""

    FULLEST = 0.8

    def __init__(self, size: int = 8192) -> None:
        self._keys = array("Q", bytes(8 * size))
        """0 is an empty place."""
        self._lines = array("I", bytes(array("I").itemsize * size))
        self._used = 0

    def put(self, key: int, line: int) -> int | None:
        """Keep the line under a key that is new; or give the line that is there.

        A key stands at the first place from its own on that was free.
        """
        key = key or 1
        keys = self._keys
        last = len(keys) - 1
        place = key & last
        while held := keys[place]:
            if held == key:
                return self._lines[place]
            place = (place + 1) & last
        keys[place], self._lines[place] = key, line
        self._used += 1
        if self._used > len(keys) * self.FULLEST:
            self._grow()
        return None

    def _grow(self) -> None:
        keys, lines = self._keys, self._lines
        size = 2 * len(keys)
        self._keys = array("Q", bytes(8 * size))
        self._lines = array("I", bytes(lines.itemsize * size))
        self._used = 0
        for key, line in zip(keys, lines, strict=True):
            if key:
                self.put(key, line)


def _key(case_id: str) -> int:
    """Python's own hash, which has a secret in each process: nobody can make up ids that share one."""
    if _LONG_HASHES:
        return hash(case_id) & _64_BITS
    return int.from_bytes(blake2b(case_id.encode(), digest_size=8).digest(), "big")
