"""Sentences come apart at the words that join two statements, where enough stands on both sides."""

import pytest
from hypothesis import given
from odd_texts import odd_texts

from adjudge.embedded.reading.clauses import split_clauses


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("House sales rose because interest rates fell.", ["House sales rose", "interest rates fell."]),
        (
            "Paris has many parks; London has more museums.",
            ["Paris has many parks", "London has more museums."],
        ),
        (
            "The red car is fast, and it has won two prizes, but few people bought one.",
            ["The red car is fast", "it has won two prizes", "few people bought one."],
        ),
        (
            "He bought the old house, which has a large garden.",
            ["He bought the old house", "has a large garden."],
        ),
        (
            "A stack is last-in first-out, whereas a queue is first-in first-out.",
            ["A stack is last-in first-out", "a queue is first-in first-out."],
        ),
    ],
)
def test_each_part_states_something(sentence, found):
    assert [clause.text for clause in split_clauses(sentence)] == found


@pytest.mark.parametrize(
    "sentence",
    [
        "Paris",
        "Variables can be declared anywhere in a program.",
        "If it rains, the road is wet and cars slip.",
        "Apple sells phones, tablets, and watches.",
        "You can pay by card, cheque or cash.",
        "It is small, but fast.",
        "To do this, open the lid.",
        "-3.7",
        "the",
    ],
)
def test_what_would_leave_a_fragment_stays_whole(sentence):
    assert [clause.text for clause in split_clauses(sentence)] == [sentence]


@given(odd_texts)
def test_every_clause_is_a_literal_piece(sentence):
    found = split_clauses(sentence)
    assert found
    assert all(sentence[clause.start :].startswith(clause.text) for clause in found)
