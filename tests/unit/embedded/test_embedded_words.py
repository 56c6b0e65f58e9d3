"""Tokens keep their places, stems meet across inflections, and verbs are guessed with care."""

import pytest
from hypothesis import given
from odd_texts import odd_texts

from adjudge.embedded.reading.words import is_finite_verb, stem, tokenize


def test_numbers_names_and_contractions_are_one_token_each():
    text = "In FY2018, 3M's 777X cost 5.1% or $1,577.50; don't, it's AT&T."
    assert [token.text for token in tokenize(text)] == [
        "In", "FY2018", ",", "3M", "'s", "777X", "cost", "5.1%", "or", "$", "1,577.50", ";", "don't", ",", "it", "'s",
        "AT&T", ".",
    ]  # fmt: skip


@given(odd_texts)
def test_tokens_are_literal_and_leave_out_only_white_space(text):
    tokens = tokenize(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert "".join(token.text for token in tokens) == "".join(text.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cameras", "camera"),
        ("switched", "switching"),
        ("six", "6"),
        ("1,500.0", "1500"),
        ("5.10%", "5.1"),
        ("café", "cafe"),
        ("Rose’s", "rose"),
    ],
)
def test_inflections_meet_in_one_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("10", "100"), ("1.5", "15"), ("cat", "car"), ("中", "文")])
def test_other_words_do_not(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("The dog barked.", ["barked"]),
        ("It has won.", ["has"]),
        ("Rose 's total was high.", ["was"]),
        ("He 's late.", ["'s"]),
        ("Electric forces can act.", ["can"]),
        ("phones and watches.", []),
        ("a book discovered by police", []),
        ("Prince Alwaleed pledged money.", ["pledged"]),
        ("They use tools to cut wood.", ["use"]),
    ],
)
def test_verbs_of_clauses_are_found_by_form_and_neighbours(text, verbs):
    tokens = tokenize(text)
    assert [token.text for at, token in enumerate(tokens) if is_finite_verb(tokens, at)] == verbs
