"""All checks: what they find changes only with their version, and they refuse what is too long."""

import pytest
from check_cases import BOOK, SEARCH, check, texts

from adjudge.checks.finding import Finding
from adjudge.checks.registry import CHECKS, MAX_VALUE_CHARS
from adjudge.records import Failed

SEEN = {
    "response": "It costs 25 euros, see [1]. Sources follow below.",
    "reference": ["24.50 €", "It costs 25 euros, see [1]"],
    "question": "What does it cost?",
    "tool_calls": [SEARCH, BOOK],
    "expected_tool_calls": [SEARCH],
}
GIVEN = {
    "regex": {"pattern": r"\[\d\]"},
    "similarity": {"measure": "rouge_l"},
    "length": {"max": 5},
    "language": {"is": "en"},
}
FOUND = {
    "exact": (
        1,
        "The response `It costs 25 euros, see [1]. Sources follow below.` is not any of `24.50 €`, `It costs 25 euros, see [1]`.",
    ),
    "contains": (1, "The response contains `It costs 25 euros, see [1]`."),
    "regex": (1, "The response matches `\\[\\d\\]`: `[1]` at character 24."),
    "numeric": (
        1,
        "`25 euros`, the response's last number, agrees with the expected `24.50 €`: off by 2.04 %, 4 % allowed.",
    ),
    "json_schema": (1, "The response is not JSON: the first fault is at line 1, column 1."),
    "similarity": (
        1,
        "ROUGE-L of the response (9 words) with the reference 2 of 2, the nearest (6 words) is 0.8.",
    ),
    "tool_calls": (1, "The calls are not the expected ones: not expected `book({})`."),
    "length": (1, "The response has 9 words; at most 5 allowed."),
    "language": (1, "The response is in `en`; `en` was wanted."),
}
"""Version and reason: what a check finds changes only with its version, which is part of hashes."""


@pytest.mark.parametrize("name", CHECKS)
def test_what_a_check_finds_changes_only_with_its_version(name):
    found = check(name, SEEN, **GIVEN.get(name, {}))
    assert isinstance(found, Finding)
    assert (CHECKS[name].version, found.reason) == FOUND[name]


@pytest.mark.parametrize(
    "name", ["exact", "contains", "regex", "numeric", "json_schema", "similarity", "length"]
)
def test_a_text_beyond_the_bound_is_too_long(name):
    parameters = {"regex": {"pattern": "a"}, "similarity": {"measure": "rouge_l"}, "length": {"max": 5}}
    found = check(name, texts("a" * (MAX_VALUE_CHARS + 1), "42"), **parameters.get(name, {}))
    assert isinstance(found, Failed)
    assert found.kind == "too_long"
