"""Values and other people's text, as they are shown."""

from types import MappingProxyType

import pytest

from adjudge.text import NO_VALUE, did_you_mean, field_text, json_default, utf8_size, value_text


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
    ("value", "text"),
    [
        ("Paris", "Paris"),
        ("", ""),
        (None, None),
        (["Paris", "Lutetia"], "Paris / Lutetia"),
        (["Paris", 1], '["Paris", 1]'),
        ({"é": True}, '{"é": true}'),
    ],
)
def test_a_field_of_a_case_is_text(value, text):
    assert field_text({"reference": value}, "reference") == text
    assert field_text({}, "reference") is None


@pytest.mark.parametrize(
    ("word", "rest", "hint"),
    [
        ("roud", "", "did you mean `round`?"),
        ("ROUND", "there are two", "did you mean `round`? there are two"),
        ("MinLength", "", "did you mean `minLength`?"),
        ("zebra", "there are two", "there are two"),
        ("zebra", "", ""),
    ],
)
def test_the_nearest_known_word_is_suggested_in_any_case(word, rest, hint):
    assert did_you_mean(word, ("round", "minLength"), rest) == hint


def test_read_only_mappings_have_a_json_form_and_sets_do_not():
    assert json_default(MappingProxyType({"a": 1})) == {"a": 1}
    with pytest.raises(TypeError, match="set has no JSON form"):
        json_default({1})


@pytest.mark.parametrize(("text", "size"), [("", 0), ("Zürich", 7), ("日本", 6), ("\ud83d", 3)])
def test_the_size_of_a_text_is_its_bytes_in_utf8(text, size):
    assert utf8_size(text) == size
