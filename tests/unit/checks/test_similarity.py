"""`similarity`: token F1 and ROUGE-L, against values worked by hand and the textbook's table."""

from fractions import Fraction

import pytest
from check_cases import check, score, texts
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import odd_texts

from adjudge.checks.similarity import common_length, rouge_l, token_f1, tokenize
from adjudge.records import Failed


@pytest.mark.parametrize(
    ("response", "reference", "measure", "expected"),
    [
        # worked by hand: P = 2·c/(m + n), c the words in common, m and n the words of each
        ("the cat sat", "the cat sat", "rouge_l", Fraction(1)),
        ("police killed the gunman", "police kill the gunman", "rouge_l", Fraction(3, 4)),  # Lin 2004
        ("the gunman kill police", "police kill the gunman", "rouge_l", Fraction(1, 2)),  # Lin 2004
        ("the gunman police killed", "police killed the gunman", "rouge_l", Fraction(1, 2)),
        ("", "a reference", "rouge_l", Fraction(0)),
        ("The Cat-sat!", "the cat sat", "rouge_l", Fraction(1)),
        ("testing one two", "testing", "rouge_l", Fraction(1, 2)),  # rouge-score: P 1/3, R 1, F1 0.5
        ("the cat sat", "a cat sat down", "token_f1", Fraction(4, 5)),  # articles dropped: 2 of 2 and 3
        ("sat cat", "cat sat", "token_f1", Fraction(1)),
        ("dog dog dog", "dog", "token_f1", Fraction(1, 2)),
        ("...", "word", "token_f1", Fraction(0)),
        ("巴黎是首都", "首都是巴黎", "token_f1", Fraction(1)),
        ("nothing", ["something else", "nothing much"], "token_f1", Fraction(2, 3)),
    ],
)
def test_similarity(response, reference, measure, expected):
    assert score("similarity", texts(response, reference), measure=measure) == expected


TOKENS = st.lists(st.sampled_from("abcdef"), max_size=30)


def longest_common(one, other):
    """The table of the textbook."""
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            rows[i + 1][j + 1] = rows[i][j] + 1 if a == b else max(rows[i][j + 1], rows[i + 1][j])
    return rows[-1][-1]


@given(TOKENS, TOKENS)
def test_similarities_are_symmetric_shares(one, other):
    assert common_length(one, other) == longest_common(one, other)
    for measure in (token_f1, rouge_l):
        assert 0 <= measure(one, other) <= 1
        assert measure(one, other) == measure(other, one)
        assert not one or measure(one, one) == 1


@given(odd_texts, odd_texts)
def test_similarity_takes_every_text(one, other):
    assert all(token.strip() for token in tokenize(one))
    if other.strip():
        assert 0 <= score("similarity", texts(one, other), measure="rouge_l") <= 1


def test_similarity_of_long_texts_is_bounded():
    long = "word other " * 9_000
    assert score("similarity", texts(long, long), measure="rouge_l") == 1
    found = check("similarity", texts("w " * 30_000, "w"), measure="rouge_l")
    assert isinstance(found, Failed)
    assert found.kind == "too_long"
