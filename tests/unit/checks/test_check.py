"""What a judge file may give a check: each kind of parameter, and what is left of them for the hash."""

import pytest

from adjudge.checks.check import ParameterError
from adjudge.checks.registry import CHECKS


@pytest.mark.parametrize(
    ("name", "parameter", "value", "read"),
    [
        ("exact", "text", 1.5, ["1.5"]),
        ("exact", "text", ["a", 1], ["a", "1"]),
        ("exact", "ignore", ["space", "case", "case"], ["case", "space"]),
        ("numeric", "tolerance", 0, 0),
        ("numeric", "number", 12, "12"),
        ("length", "max", 3, 3),
        ("language", "is", "en", ["en"]),
        ("json_schema", "schema", {"type": "object"}, {"type": "object"}),
    ],
)
def test_a_value_is_read_as_the_check_takes_it(name, parameter, value, read):
    assert CHECKS[name].declared()[parameter].read(value) == read


@pytest.mark.parametrize(
    ("name", "parameter", "value", "problem"),
    [
        ("exact", "text", "", "not a text"),
        ("exact", "text", [], "is a list of 0 texts"),
        ("exact", "text", "x" * 100_001, "has 100001 characters"),
        ("exact", "ignore", [], "is an empty list"),
        ("exact", "ignore", "cases", "not one of case, space, punctuation"),
        ("regex", "absent", 1, "not true or false"),
        ("regex", "pattern", r"(a)\1", "not a regular expression of RE2"),
        ("numeric", "tolerance", -1, "not a number from 0"),
        ("numeric", "tolerance", True, "not a number from 0"),
        ("numeric", "tolerance", float("inf"), "not a number from 0"),
        ("length", "max", 1.5, "not a whole number from 0"),
        ("tool_calls", "order", "sorted", "not one of same, any"),
        ("json_schema", "schema", {"$ref": "http://127.0.0.1/x"}, "which is not part of it"),
        ("json_schema", "schema", {"$ref": "#"}, "refers to itself without end"),
        ("similarity", "measure", "bleu", "not one of token_f1, rouge_l"),
        ("language", "is", "xx", "not one of"),
        ("regex", "pattern", "(?=a)", "not a regular expression of RE2"),
    ],
)
def test_a_value_that_is_none_is_refused_with_what_to_write(name, parameter, value, problem):
    with pytest.raises(ParameterError, match=problem.replace("$", r"\$")) as refused:
        CHECKS[name].declared()[parameter].read(value)
    assert refused.value.hint


def test_what_is_lacking_or_does_not_go_together_is_refused():
    for name, values, problem in (
        ("similarity", {}, "lacks `measure`"),
        ("length", {"unit": "words"}, "neither `min` nor `max`"),
        ("length", {"min": 5, "max": 3}, "above `max: 3`"),
    ):
        with pytest.raises(ParameterError, match=problem):
            CHECKS[name].without_defaults(values)


def test_defaults_are_no_part_of_a_hash():
    assert CHECKS["regex"].without_defaults({"pattern": "a", "match": "search", "absent": False}) == {
        "pattern": "a"
    }
    assert CHECKS["exact"].without_defaults({}) == {}


def test_a_text_of_the_file_stands_in_place_of_the_reference():
    check = CHECKS["exact"]
    assert [item.name for item in check.inputs_with({})] == ["response", "reference"]
    assert [item.name for item in check.inputs_with({"text": ["x"]})] == ["response"]
