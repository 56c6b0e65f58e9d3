"""Texts are compared however their characters are composed, and whatever was said not to count."""

import pytest
from check_cases import score, texts
from hypothesis import given
from odd_texts import odd_texts

from adjudge.checks.expected_text import expected_texts, fold


@given(odd_texts.filter(str.strip))
def test_every_text_is_and_contains_itself(text):
    assert score("exact", texts(text, text)) == 1
    assert score("contains", texts(text, text)) == 1


@pytest.mark.parametrize(
    ("reference", "constant", "expected"),
    [("a", None, ["a"]), (["a", None, 2, " "], None, ["a", "2"]), (None, None, []), ("a", ["b"], ["b"])],
)
def test_the_files_own_text_comes_before_the_reference(reference, constant, expected):
    assert expected_texts({"reference": reference}, constant) == expected


def test_only_what_is_named_does_not_count():
    assert fold("e\u0301  A!", []) == "\u00e9  A!"
    assert fold("e\u0301  A!", ["case", "space", "punctuation"]) == "\u00e9 a"
