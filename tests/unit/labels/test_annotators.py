"""What several annotators said of a case."""

import pytest

from adjudge.errors import InputError
from adjudge.labels.annotators import read_annotators


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([3, None, "good", " "], [("1", 3), ("3", "good")]),
        ({"anna": 3, " bert ": {"tone": 2}, "cleo": None}, [("anna", 3), ("bert", {"tone": 2})]),
        ([{"annotator": "anna", "label": True}, {"label": 2}, {"annotator": 7, "label": 1}],
         [("anna", True), ("2", 2), ("7", 1)]),
        ([], []),
        ({}, []),
    ],
)  # fmt: skip
def test_a_case_may_hold_what_several_people_said_in_three_forms(given, said):
    assert [(each.annotator, each.label) for each in read_annotators("c1", given)] == said


def test_why_a_person_said_so_is_kept():
    (said,) = read_annotators("c1", [{"annotator": "anna", "label": 1, "explanation": "Too rude."}])
    assert said.explanation == "Too rude."


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (3, "a number: 3"),
        ("good", "text: 'good'"),
        ([{"annotator": "anna"}], "at place 1 an object: {'annotator': 'anna'}"),
        ({"annotator": "anna", "label": 3}, "one person's label alone"),
        ([{"annotator": "a", "label": 3}, {"annotator": " a", "label": 4}], "two labels of `a`"),
        ([1, {"annotator": "1", "label": 4}], "two labels of `1`"),
        ([[3]], "a label that is an array: [3]"),
        ({"": 3}, "a label of a person without a name"),
        ([{"annotator": ["a"], "label": 3}], "at place 1 as `annotator` an array: ['a']"),
        ([{"label": 3, "explanation": 5}], "at place 1 as `explanation` a number: 5"),
        ({"a\x1b[2J": 1, "a\x1b[2J ": 2}, "two labels of `a␛[2J`"),
    ],
)
def test_annotators_of_another_shape_are_refused_with_the_case(given, says):
    with pytest.raises(InputError) as caught:
        read_annotators("c\x1b1", given)
    assert str(caught.value).startswith(f"case c␛1: its `annotators` hold {says}")
    assert "hint: " in str(caught.value)
