"""Checks in code: one module per kind of thing compared; each says in plain words what it found.

What is checked is hostile: every check reads a bounded text in time that grows no faster than the text, near enough.
"""

from collections.abc import Callable, Mapping

from adjudge.checks.check import CHECKS
from adjudge.checks.finding import Finding, not_checked
from adjudge.checks.length import (
    check_contains,
    check_exact,
    check_language,
    check_length,
    check_regex,
)
from adjudge.checks.numeric import check_numeric
from adjudge.checks.similarity import check_similarity
from adjudge.checks.structure import check_json_schema
from adjudge.checks.tool_calls import check_tool_calls
from adjudge.records import CheckScore, Failed, Json
from adjudge.text import as_text

LONGEST = 1_000_000
"""Characters of a value that is checked; a longer one is `too_long`."""
Check = Callable[[Mapping[str, Json], Mapping[str, Json]], Finding | Failed]

_CHECKS: Mapping[str, Check] = {
    "exact": check_exact,
    "contains": check_contains,
    "regex": check_regex,
    "numeric": check_numeric,
    "json_schema": check_json_schema,
    "similarity": check_similarity,
    "tool_calls": check_tool_calls,
    "length": check_length,
    "language": check_language,
}


def run_check(rule: CheckScore, fields: Mapping[str, Json]) -> Finding | Failed:
    """What the check finds in a case, or why it cannot tell."""
    defaults = {
        name: each.default for name, each in CHECKS[rule.name].parameters.items() if each.default is not None
    }
    for name, value in fields.items():
        length = len(as_text(value))
        if length > LONGEST:
            return not_checked(
                "too_long", f"`{name}` has {length} characters; a check reads {LONGEST} at most", name
            )
    return _CHECKS[rule.name](fields, {**defaults, **rule.parameters})


__all__ = ["Finding", "run_check"]
