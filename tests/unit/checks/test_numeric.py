"""`numeric`: which number of a response is compared, and how."""

import pytest
from check_cases import check, score, texts

from adjudge.records import Failed


@pytest.mark.parametrize(
    ("response", "reference", "parameters", "expected"),
    [
        ("It is 42.", "42", {}, 1),
        ("First 7, so it is 43.", "42", {}, 1),  # within 4 %
        ("It is 45.", "42", {}, 0),
        ("It is 43.", "42", {"tolerance": 0}, 0),
        ("42 at first, 17 in the end", "42", {}, 0),
        ("42 at first, 17 in the end", "42", {"which": "first"}, 1),
        ("42 at first, 17 in the end", "42", {"which": "any"}, 1),
        ("forty-two", "42", {}, 1),
        ("about 1.5 million", "1,500,000", {}, 1),
        ("1,040", "1,000", {"tolerance": 0.04}, 1),  # the bound is included
        ("1,041", "1,000", {"tolerance": 0.04}, 0),
        ("5 and then 5 again 7 and 5", "5", {}, 1),  # the last one, also where it stood before
        ("$12", "€12", {}, 0),
        ("none at all", "42", {}, 0),
        ("The mass is 12 kg", "The mass is 12000 g", {}, 1),
        ("in 1999", "1998", {}, 0),
        ("0.5", ["0.4", "0.5"], {}, 1),
        ("12", None, {"number": "12"}, 1),
        ("It is 42 [1]. See also [2, 3].", "42", {}, 1),  # sources are no answers
        ("[42]", "42", {}, 1),
    ],
)
def test_numeric(response, reference, parameters, expected):
    fields = {**texts(response, reference), "question": "How much, in what year?"}
    if "1998" in str(reference):
        fields["question"] = "In what year was it?"
    assert score("numeric", fields, **parameters) == expected


def test_a_reference_without_a_number_is_a_missing_input():
    found = check("numeric", texts("42", "many"))
    assert isinstance(found, Failed)
    assert (found.kind, found.error_kind) == ("missing_input", "reference")


def test_listing_every_number_is_no_answer():
    found = check("numeric", texts(" ".join(map(str, range(500))), "42"), which="any")
    assert isinstance(found, Failed)
    assert found.kind == "too_long"
