"""`length`: characters, words, sentences and tokens of every script."""

import pytest
from check_cases import score, texts
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import odd_texts

from adjudge.checks.length import count_units


@pytest.mark.parametrize(
    ("response", "parameters", "expected"),
    [
        ("one two three", {"max": 3}, 1),
        ("one two three four", {"max": 3}, 0),
        ("one", {"min": 2}, 0),
        ("abc", {"unit": "characters", "min": 3, "max": 3}, 1),
        ("It's Dr. Who. He came, e.g. today. Bye!", {"unit": "sentences", "min": 3, "max": 3}, 1),
        (
            "Pi is 3.14, J. R. said... So what?! “Yes.” It is (no joke.)",
            {"unit": "sentences", "min": 4, "max": 4},
            1,
        ),
        ("这是中文。你好！", {"unit": "sentences", "min": 2, "max": 2}, 1),
        ("", {"unit": "sentences", "max": 0}, 1),
        ("- one\n- two\n- three", {"unit": "sentences", "max": 2}, 0),
        ("x" * 40, {"unit": "tokens", "max": 10}, 1),
        ("x" * 41, {"unit": "tokens", "max": 10}, 0),
        ("我们去公园", {"min": 5, "max": 5}, 1),
    ],
)
def test_length(response, parameters, expected):
    assert score("length", texts(response), **parameters) == expected


@given(odd_texts, st.sampled_from(["characters", "words", "sentences", "tokens"]))
def test_every_text_has_a_length(text, unit):
    assert 0 <= count_units(text, unit) <= 4 * len(text)
