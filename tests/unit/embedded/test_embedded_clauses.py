"""Sentences come apart where each part states something, and nowhere else."""

import pytest
from hypothesis import given
from odd_texts import odd_texts

from adjudge.embedded.reading.clauses import split_clauses


def statements(sentence: str) -> list[str]:
    return [clause.statement for clause in split_clauses(sentence)]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Sales rose because prices fell.", ["Sales rose", "prices fell."]),
        ("Because prices fell, sales rose.", ["prices fell", "sales rose."]),
        (
            "Although it is small, the car is fast, and it has won prizes.",
            ["it is small", "the car is fast", "it has won prizes."],
        ),
        ("Paris is big; London is bigger.", ["Paris is big", "London is bigger."]),
        ("The cat sat and the dog barked.", ["The cat sat", "the dog barked."]),
        (
            "A stack is last-in first-out, whereas a queue is first-in first-out.",
            ["A stack is last-in first-out", "a queue is first-in first-out."],
        ),
        (
            "The model was trained on text and tested on images.",
            ["The model was trained on text", "The model was tested on images."],
        ),
        (
            "It splits the array in two, sorts each of the halves, and then merges the parts.",
            ["It splits the array in two", "It sorts each of the halves", "It merges the parts."],
        ),
        (
            "Divide a problem into parts, solve them recursively, and then combine the results.",
            ["Divide a problem into parts", "solve them recursively", "combine the results."],
        ),
        (
            "By reading a line into memory, and then counting its words.",
            ["By reading a line into memory", "By counting its words."],
        ),
        (
            "He bought the house, which has a large garden.",
            ["He bought the house", "the house has a large garden."],
        ),
        (
            "The council rules that the hedge can stay - but must be cut back.",
            ["The council rules that the hedge can stay", "the hedge must be cut back."],
        ),
        (
            "Apple sells phones, tablets and watches.",
            ["Apple sells phones", "Apple sells tablets", "Apple sells watches"],
        ),
        (
            "There are three ways: by road, by rail, by sea.",
            ["There are three ways: by road, by rail, by sea."],
        ),
        (
            "There are three colours: dark red, light green, blue.",
            [
                "There are three colours: dark red",
                "There are three colours: light green",
                "There are three colours: blue",
            ],
        ),
        ("Trillium, Array, and Therachon", ["Trillium", "Array", "Therachon"]),
    ],
)
def test_parts_that_state_something_come_with_what_they_need(sentence, found):
    assert statements(sentence) == found


@pytest.mark.parametrize(
    "sentence",
    [
        "Paris",
        "Variables can be declared anywhere in a program.",
        "If it rains, the road is wet and cars slip.",
        "It is true if p is false and q is true.",
        "He said that red tiles and the roof are old.",
        "John, who is a doctor, lives in Paris.",
        "The US, China and Russia signed it.",
        "Johnson, Toure and Vlaar at the back",
        "You can pay by card, cheque or cash.",
        "It is measured by precision and recall.",
        "They did it by hand, which takes time.",
        'She said: "It is late, and I am tired."',
        "To do this, open the lid.",
        "It has phones and tablets that do not last.",
        "-3.7",
        "the",
    ],
)
def test_what_would_leave_a_fragment_or_lose_a_condition_stays_whole(sentence):
    assert statements(sentence) == [sentence.rstrip(",")]


def test_the_joining_word_is_kept_beside_the_clause():
    assert [clause.connector for clause in split_clauses("It was late, so the shops were closed.")] == [
        "",
        "so",
    ]
    assert split_clauses("It cost $2 and thus, it was cheap.")[1].connector == "thus"


@given(odd_texts)
def test_every_clause_is_a_literal_piece(sentence):
    found = split_clauses(sentence)
    assert found
    assert all(sentence[clause.start :].startswith(clause.text) for clause in found)
