"""Values and other people's text, as they are shown."""

from types import MappingProxyType

import pytest

from adjudge.text import NO_VALUE, did_you_mean, json_default, value_text


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


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("tempature", ["temperature", "model"], "did you mean `temperature`?"),
        ("STRING", ["string", "number"], "did you mean `string`?"),
        ("integr", ["Integer"], "did you mean `Integer`?"),
        ("zzz", ["temperature"], ""),
        ("x", [], ""),
    ],
)
def test_a_misspelt_name_is_recognised_whatever_its_case(word, known, expected):
    assert did_you_mean(word, known) == expected


def test_read_only_mappings_have_a_json_form_and_sets_do_not():
    assert json_default(MappingProxyType({"a": 1})) == {"a": 1}
    with pytest.raises(TypeError, match="set has no JSON form"):
        json_default({1})
