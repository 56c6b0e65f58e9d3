"""Values and other people's text, as they are shown."""

import pytest

from adjudge.text import NO_VALUE, value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, NO_VALUE),
        ("", NO_VALUE),
        (3.0, "3"),
        (3.5, "3.5"),
        (True, "true"),
        ([1], "[1]"),
        (1e300, "1e+300"),
    ],
)
def test_a_metadata_value_names_its_slice(value, text):
    assert value_text(value) == text
