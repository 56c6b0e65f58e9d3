"""`contains`: which of several texts a response has to contain."""

import pytest
from check_cases import score, texts


@pytest.mark.parametrize(
    ("response", "reference", "parameters", "expected"),
    [
        ("It is Paris.", "Paris", {}, 1),
        ("It is paris.", "Paris", {}, 0),
        ("It is paris.", "Paris", {"ignore": "case"}, 1),
        ("It is Lyon.", ["Paris", "Lyon"], {}, 1),
        ("It is Lyon.", ["Paris", "Lyon"], {"need": "all"}, 0),
        ("refund within 30 days", None, {"text": ["refund", "30 days"]}, 1),
        ("refund", None, {"text": ["refund", "30 days"]}, 0),
        ("refund", None, {"text": ["refund", "30 days"], "need": "any"}, 1),
        ("As an AI model …", None, {"text": "As an AI", "need": "none"}, 0),
        ("Certainly.", None, {"text": "As an AI", "need": "none"}, 1),
    ],
)
def test_contains(response, reference, parameters, expected):
    assert score("contains", texts(response, reference), **parameters) == expected
