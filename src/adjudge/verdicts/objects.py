"""Text -> the JSON objects in it that can be verdicts, read strictly first and loosely after; linear in the text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.records import Json
from adjudge.verdicts.decode import DECODER, too_deep
from adjudge.verdicts.names import FieldNames
from adjudge.verdicts.repair import repaired
from adjudge.verdicts.scan import Loose, scan

OPENER = re.compile(
    r"\{\s*(?:(?://|\#)[^\n]{0,200}\n\s*|/\*[^*]{0,200}\*/\s*){0,3}"
    r"(?:\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|[“”„][^“”\n]{1,80}[“”\"]|‘[^’\n]{1,80}’|[\w$][\w$ -]{0,79})\s{0,20}:"
)
"""A brace that begins something like an object: LaTeX, code blocks and `{placeholders}` do not."""

CUT_OFF = "The reply is cut off before the verdict's JSON object is closed"
NOT_JSON = "The reply's JSON object is not valid JSON"
MAX_TRIES = 8
"""Failures of the fast way after which every object is scanned first."""
REPAIR_COST = 5000
"""What one repair takes, in characters of plain scanning."""


class FoundObject(NamedTuple):
    """An object that has some of the contract's fields."""

    start: int
    end: int
    value: Mapping[str, Json] | None
    """None when it could not be read, which `problem` explains, or is still to be repaired, see `settled`."""
    problem: str = ""
    loose: Loose | None = None


def in_value_place(text: str, start: int) -> bool:
    """Whether an object at `start` stands as a value of something around it, not after prose."""
    before = text[max(0, start - 64) : start].rstrip()
    if before.endswith(("[", ",")):
        return True
    return before.endswith(":") and before[:-1].rstrip().endswith(('"', "'", "”", "’"))


@dataclass(slots=True)
class ScanBudget:
    """How much may be read again: small replies are searched thoroughly, and none costs quadratic time."""

    left: int


def find_objects(text: str, names: FieldNames) -> Iterator[FoundObject]:
    """Every object with fields of the contract, outermost only, in order; those that cannot be read too."""
    budget = ScanBudget(len(text) + 300_000)
    position = 0
    broken_until = -1  # up to here we are inside something that opened but could not be read
    previous_end = -1
    tries = MAX_TRIES
    quoted: list[tuple[int, int]] = []  # strings of something that was cut off: what they hold is quotation
    while (opener := OPENER.search(text, position)) is not None:
        start = opener.start()
        if (within := _around(quoted, start)) is not None:
            position = within
            continue
        if budget.left < 0:
            yield FoundObject(
                start, len(text), None, "The reply's braces are too tangled to tell where the verdict is"
            )
            return
        strict = _decoded(text, start) if tries else None
        if strict is None:
            tries = max(0, tries - 1)
            loose = scan(text, start)
            end = len(text) if loose.end is None else loose.end
            budget.left -= end - start
            found = _look(text, start, loose, names, budget)
            if found is None and not loose.passed_over:
                broken_until = max(broken_until, end)
                end = start + 1
        else:
            value, end = strict
            found = _verdict_in(start, end, value, names)
        position = end
        if found is None:
            continue
        if start < broken_until and in_value_place(text, start):
            cut = broken_until == len(text)
            found = FoundObject(start, found.end, None, CUT_OFF if cut else NOT_JSON)
        elif previous_end >= 0 and text[previous_end:start].strip() == ",":
            found = FoundObject(
                start, found.end, None, "The reply lists several verdicts where one was asked for"
            )
        yield found
        previous_end = found.end
        if found.problem == CUT_OFF:
            # What is cut off has no end of its own: an object further on that is not part of it stands alone.
            broken_until = len(text)
            position = start + 1
            quoted = [] if found.loose is None else found.loose.strings


def sole_object(text: str) -> dict[str, Json] | None:
    """The object that is all of a text, as `find_objects` would decode it; None where a key stands twice."""
    strict = _decoded(text, 0) if OPENER.match(text) is not None else None
    if strict is None:
        return None
    value, end = strict
    return value if type(value) is dict and end == len(text) else None


def _around(spans: list[tuple[int, int]], position: int) -> int | None:
    """The end of the span that holds a position."""
    index = bisect_right(spans, (position, position)) - 1
    return spans[index][1] if index >= 0 and spans[index][0] < position < spans[index][1] else None


def _decoded(text: str, start: int) -> tuple[object, int] | None:
    """The JSON value at `start` and its end; the fast way, but a failure costs as much as the text before it."""
    try:
        return DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _look(text: str, start: int, loose: Loose, names: FieldNames, budget: ScanBudget) -> FoundObject | None:
    """What the scan of an object came to: strict JSON is read at once, a repair waits until someone wants it."""
    has_fields = names.any_in(loose.keys)
    if loose.end is None:
        return FoundObject(start, len(text), None, CUT_OFF, loose) if has_fields else None
    if not has_fields and OPENER.search(text, start + 1, loose.end) is None:
        loose.passed_over = True  # neither a verdict nor around one
        return None
    strict = _decoded(text[start : loose.end], 0)
    if strict is not None:
        loose.passed_over = True
        return _verdict_in(start, loose.end, strict[0], names)
    if has_fields:
        return FoundObject(start, loose.end, None, loose=loose)
    budget.left -= REPAIR_COST
    value = repaired(loose)
    loose.passed_over = value is not None
    return None if value is None else _verdict_in(start, loose.end, value, names)


def settled(found: FoundObject, names: FieldNames) -> FoundObject:
    """The same object, repaired where that was still to be done."""
    if found.loose is None or found.problem:
        return found
    value = repaired(found.loose)
    read = None if value is None else _verdict_in(found.start, found.end, value, names)
    return read or FoundObject(found.start, found.end, None, NOT_JSON)


def _verdict_in(start: int, end: int, value: object, names: FieldNames) -> FoundObject | None:
    if not isinstance(value, dict):
        return None
    if too_deep(value):
        return (
            FoundObject(start, end, None, "The reply is nested too deeply") if names.any_in(value) else None
        )
    inner = names.unwrap(value) or names.unwrap(_with_arguments(value))
    return None if inner is None else FoundObject(start, end, inner)


def _with_arguments(value: dict[str, Json]) -> dict[str, Json]:
    """A tool call whose arguments are JSON in a string, as some providers write them."""
    text = value.get("arguments")
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return value
    try:
        return {**value, "arguments": DECODER.decode(text)}
    except (ValueError, RecursionError):
        return value
