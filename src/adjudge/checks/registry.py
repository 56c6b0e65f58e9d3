"""The checks by name; each is brought by its module."""

from collections.abc import Mapping
from typing import Any

from adjudge.checks import (
    contains,
    exact,
    json_schema,
    language,
    length,
    numeric,
    regex,
    similarity,
    tool_calls,
)
from adjudge.checks.check import Check
from adjudge.checks.finding import Fields, Finding, not_checked
from adjudge.records import CheckScore, Failed
from adjudge.text import as_text

MAX_VALUE_CHARS = 1_000_000
"""Of a value that is checked; a longer one is `too_long`."""

_REGISTERED: tuple[Check[Any], ...] = (
    exact.CHECK,
    contains.CHECK,
    regex.CHECK,
    numeric.CHECK,
    json_schema.CHECK,
    similarity.CHECK,
    tool_calls.CHECK,
    length.CHECK,
    language.CHECK,
)
CHECKS: Mapping[str, Check[Any]] = {check.name: check for check in _REGISTERED}


def run_check(rule: CheckScore, fields: Fields) -> Finding | Failed:
    """What the check finds in a case, or why it cannot tell."""
    for name, value in fields.items():
        length = len(as_text(value))
        if length > MAX_VALUE_CHARS:
            return not_checked(
                "too_long", f"`{name}` has {length} characters; a check reads {MAX_VALUE_CHARS} at most", name
            )
    check = CHECKS[rule.name]
    return check.run(fields, check.parameters_from(rule.parameters))
