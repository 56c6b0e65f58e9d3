"""`tool_calls`: the calls that were made against those that were expected, by name, order and arguments."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Literal, NamedTuple

import orjson
from msgspec import Struct

from adjudge.checks.check import Check, flag, one_of
from adjudge.checks.finding import Fields, Finding, failed, not_checked, passed
from adjudge.expressions import exact_number
from adjudge.records import Failed, Input, Json
from adjudge.scoring.text import clipped
from adjudge.text import as_text

MAX_CALLS = 200
MAX_CALL_CHARS = 120
_NAMES = ("name", "tool_name", "tool", "function")
_ARGUMENTS = ("arguments", "args", "parameters", "input")

Order = Literal["same", "any"]
Arguments = Literal["equal", "include", "ignore"]


class ToolCalls(Struct, frozen=True, kw_only=True):
    order: Annotated[Order, one_of(Order, "`same`: in the expected order; `any`: as a set")] = "same"
    arguments: Annotated[
        Arguments,
        one_of(
            Arguments,
            "`equal`: the same arguments; `include`: at least the expected ones; `ignore`: names alone count",
        ),
    ] = "equal"
    allow_extra: Annotated[bool, flag("`true`: further calls beside the expected ones do no harm")] = False


class ToolCall(NamedTuple):
    name: str
    arguments: Json

    def __str__(self) -> str:
        arguments = "" if self.arguments is None else as_text(self.arguments)
        return f"`{clipped(f'{self.name}({arguments})', MAX_CALL_CHARS)}`"


Matches = Callable[[ToolCall, ToolCall], bool]


def check_tool_calls(fields: Fields, parameters: ToolCalls) -> Finding | Failed:
    sides: list[list[ToolCall]] = []
    for field in ("expected_tool_calls", "tool_calls"):
        calls = read_calls(fields.get(field))
        if isinstance(calls, str):
            return not_checked("bad_row", f"`{field}`: {calls}", field)
        if len(calls) > MAX_CALLS:
            return not_checked(
                "too_long", f"`{field}` has {len(calls)} calls; {MAX_CALLS} at most are compared", field
            )
        sides.append(calls)
    expected, made = sides
    if parameters.arguments == "ignore":
        expected, made = ([call._replace(arguments=None) for call in side] for side in sides)
    matches = _MATCHES[parameters.arguments]
    in_order = parameters.order == "same"
    pair = pair_in_order if in_order else pair_as_set
    paired = pair(expected, made, matches)
    return _finding(expected, made, paired, in_order=in_order, extra=parameters.allow_extra, matches=matches)


CHECK = Check(
    name="tool_calls",
    version=1,
    parameters=ToolCalls,
    run=check_tool_calls,
    inputs=(
        Input(name="tool_calls", required=True, source="tool_calls"),
        Input(name="expected_tool_calls", required=True, source="expected_tool_calls"),
    ),
    main="order",
)


def _finding(
    expected: Sequence[ToolCall],
    made: Sequence[ToolCall],
    paired: Mapping[int, int],
    *,
    in_order: bool,
    extra: bool,
    matches: Matches,
) -> Finding:
    missing = [call for place, call in enumerate(expected) if place not in paired]
    used = set(paired.values())
    further = [call for place, call in enumerate(made) if place not in used]
    details = {"expected": _listed(expected), "made": _listed(made)}
    how = " in this order" if in_order and len(expected) > 1 else ""
    if not missing and (extra or not further):
        beside = f", and {len(further)} more" if further else ""
        return passed(f"The expected calls were made{how}: {_listed(expected)}{beside}.", **details)
    if in_order and len(pair_as_set(expected, made, matches)) == len(expected) and missing:
        return failed(
            f"The expected calls were made in another order: {_listed(made)} instead of {_listed(expected)}.",
            **details,
        )
    faults = [f"missing {_listed(missing)}"] if missing else []
    if further and (missing or not extra):
        faults.append(f"not expected {_listed(further)}")
    return failed(f"The calls are not the expected ones: {'; '.join(faults)}.", **details)


def _listed(calls: Sequence[ToolCall]) -> str:
    shown = ", ".join(map(str, calls[:5]))
    return f"{shown} and {len(calls) - 5} more" if len(calls) > 5 else shown or "none"


# ---- pairing ----


def pair_in_order(expected: Sequence[ToolCall], made: Sequence[ToolCall], matches: Matches) -> dict[int, int]:
    """Each expected call with the earliest that is left: where any pairing in order has them all, this one does."""
    paired: dict[int, int] = {}
    at = 0
    for place, wanted in enumerate(expected):
        found = next((other for other in range(at, len(made)) if matches(wanted, made[other])), None)
        if found is not None:
            paired[place] = found
            at = found + 1
    return paired


def pair_as_set(expected: Sequence[ToolCall], made: Sequence[ToolCall], matches: Matches) -> dict[int, int]:
    """As many pairs as there can be, whatever the order: augmenting paths, since one call may match several."""
    candidates = [[other for other, call in enumerate(made) if matches(wanted, call)] for wanted in expected]
    owner: dict[int, int] = {}

    def place_one(place: int, seen: set[int]) -> bool:
        for other in candidates[place]:
            if other not in seen:
                seen.add(other)
                if other not in owner or place_one(owner[other], seen):
                    owner[other] = place
                    return True
        return False

    for place in range(len(expected)):
        place_one(place, set())
    return {place: other for other, place in owner.items()}


def _equal(wanted: ToolCall, call: ToolCall) -> bool:
    return wanted.name == call.name and same_json(wanted.arguments or {}, call.arguments or {})


def _included(wanted: ToolCall, call: ToolCall) -> bool:
    if wanted.name != call.name:
        return False
    ours, theirs = wanted.arguments or {}, call.arguments or {}
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return same_json(ours, theirs)
    return all(name in theirs and same_json(value, theirs[name]) for name, value in ours.items())


_MATCHES: Mapping[Arguments, Matches] = {
    "equal": _equal,
    "include": _included,
    "ignore": lambda wanted, call: wanted.name == call.name,
}


def same_json(one: Json, other: Json) -> bool:
    """1 is 1.0, and true is not 1; without recursion, because calls are hostile too."""
    left: list[tuple[Json, Json]] = [(one, other)]
    while left:
        a, b = left.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            left += [(value, b[name]) for name, value in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            left += zip(a, b, strict=True)
        elif exact_number(a) is not None and exact_number(b) is not None:
            if exact_number(a) != exact_number(b):
                return False
        elif type(a) is not type(b) or a != b:
            return False
    return True


# ---- reading ----


def read_calls(value: Json) -> list[ToolCall] | str:
    """The calls of a list, or one call alone; a text says what is wrong."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return "is a text and not a list of calls"
    listed = value if isinstance(value, list) else [value]
    calls: list[ToolCall] = []
    for number, each in enumerate(listed, 1):
        call = _read_call(each)
        if call is None:
            return f"call {number} has no name: {clipped(as_text(each), 80)}"
        calls.append(call)
    return calls


def _read_call(value: Json) -> ToolCall | None:
    """`{name, arguments}` as most tools write it, OpenAI's `{function: {name, arguments}}`, or a name alone."""
    if isinstance(value, str):
        return ToolCall(value, None) if value.strip() else None
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    if not isinstance(name, str) or not name.strip():
        return None
    arguments = next((value[key] for key in _ARGUMENTS if value.get(key) is not None), None)
    if isinstance(arguments, str):
        with suppress(orjson.JSONDecodeError):  # else compared as the text it is
            arguments = orjson.loads(arguments)
    return ToolCall(name, arguments)
