"""`exact`: the response is the expected text."""

import pytest
from check_cases import score, texts


@pytest.mark.parametrize(
    ("response", "reference", "parameters", "expected"),
    [
        ("Paris", "Paris", {}, 1),
        ("paris", "Paris", {}, 0),
        ("Paris ", "Paris", {}, 0),
        ("paris", "Paris", {"ignore": "case"}, 1),
        (" Paris\n", "Paris", {"ignore": ["space"]}, 1),
        ("Paris.", "Paris", {"ignore": ["punctuation"]}, 1),
        ("It's  «PARIS»!", "its paris", {"ignore": ["case", "space", "punctuation"]}, 1),
        ("Lyon", ["Paris", "Lyon"], {}, 1),
        ("Nice", ["Paris", "Lyon"], {}, 0),
        ("yes", None, {"text": "yes"}, 1),
        ("no", "no", {"text": "yes"}, 0),
        ("e\u0301", "\u00e9", {}, 1),  # composed in two ways
        (7, "7", {}, 1),
        ("STRASSE", "straße", {"ignore": "case"}, 1),
    ],
)
def test_exact(response, reference, parameters, expected):
    assert score("exact", texts(response, reference), **parameters) == expected
