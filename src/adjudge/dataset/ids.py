"""Ids: the row's own, or a hash of what was asked, so that two systems' files match."""

import json
from collections.abc import Mapping
from hashlib import blake2b, sha256

from adjudge.dataset.rows import UnusableError, described
from adjudge.fields import CANONICAL
from adjudge.records import Json

_NOT_ASKED = frozenset({"id", "response", "tool_calls", "label", "annotators", "metadata", "cluster"})
_ANSWER_OBJECTS = frozenset({"sample"})
"""Where exports in the `{{ sample.x }}` style keep what the system said."""

_WHOLE_FLOATS = float(2**53)


def explicit_id(value: Json) -> str | None:
    """A row's own id as text; None when it has none. 3.0, which is how pandas writes a 3 beside a gap, is `3`."""
    if value is None:
        return None
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(_whole(value))
    raise UnusableError(f"an id that is {described(value)}", "text or a number")


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
        return str(_whole(value))
    return _without_nulls(value)


def _without_nulls(value: Json) -> Json:
    """Parquet fills the keys that only some objects have with null, and its numbers have one type a column."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, float):
        return _whole(value)
    return value


def _whole(value: float | int) -> int | float:  # noqa: PYI041  # an int is not a float to what follows
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_FLOATS:
        return int(value)
    return value


class Ids:
    """The ids given out in one reading, each kept as an 8-byte hash with the line of its row.

    That is one dict entry of two integers a row, about 110 bytes with Python's overhead, however long the ids
    and rows are. Two of a million ids share a hash with a chance of 1 in 30 million.
    """

    def __init__(self) -> None:
        self._lines: dict[int, int] = {}
        self._counts: dict[int, int] = {}
        """Only for ids that were wanted more than once: the last number given."""

    def claim(self, case_id: str, line: int) -> int | None:
        """Give this very id to the row on `line`; or the line of the row that has it already."""
        key = _key(case_id)
        earlier = self._lines.get(key)
        if earlier is None:
            self._lines[key] = line
        return earlier

    def next_free(self, case_id: str, line: int) -> str:
        """Give this id to the row on `line`, with `-2`, `-3` … when it is taken."""
        key = _key(case_id)
        if key not in self._lines:
            self._lines[key] = line
            return case_id
        number = self._counts.get(key, 1)
        while True:
            number += 1
            numbered = f"{case_id}-{number}"
            numbered_key = _key(numbered)
            if numbered_key not in self._lines:
                break
        self._counts[key] = number
        self._lines[numbered_key] = line
        return numbered


def _key(case_id: str) -> int:
    return int.from_bytes(blake2b(case_id.encode(), digest_size=8).digest(), "big")
