"""`regex`: no pattern and no text makes it slow."""

import pytest
from check_cases import score, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_texts import odd_texts

from adjudge.checks.registry import MAX_VALUE_CHARS


@pytest.mark.parametrize(
    ("response", "parameters", "expected"),
    [
        ("see [1]", {"pattern": r"\[\d+\]"}, 1),
        ("see 1", {"pattern": r"\[\d+\]"}, 0),
        ("AB-12", {"pattern": r"[A-Z]{2}-\d{2}", "match": "full"}, 1),
        ("AB-12!", {"pattern": r"[A-Z]{2}-\d{2}", "match": "full"}, 0),
        ("no digits", {"pattern": r"\d", "absent": True}, 1),
        ("1 digit", {"pattern": r"\d", "absent": True}, 0),
        ("ÄRGER", {"pattern": r"(?i)^ärger$"}, 1),
        ("half \ud800 character", {"pattern": "character$"}, 1),
    ],
)
def test_regex(response, parameters, expected):
    assert score("regex", texts(response), **parameters) == expected


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a*)*b", "(.*a){20}"])
def test_no_text_makes_a_regex_slow(pattern):
    """Each of these takes a backtracking engine years; the suite would never end."""
    for text in ("a" * 200_000 + "!", "a" * (MAX_VALUE_CHARS - 1) + "b"):
        assert score("regex", texts(text), pattern=pattern) in {0, 1}


@settings(max_examples=50)
@given(odd_texts, st.sampled_from([r"(\w+\s?)+$", r"(x+x+)+y", ".*.*.*=.*"]))
def test_a_regex_takes_every_text(text, pattern):
    assert score("regex", texts(text), pattern=pattern) in {0, 1}
