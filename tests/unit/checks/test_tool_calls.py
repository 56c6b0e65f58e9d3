"""`tool_calls`: calls in every form that tools write them, in order or as a set."""

import json

import pytest
from check_cases import BOOK, SEARCH, check, score
from hypothesis import given
from hypothesis import strategies as st

from adjudge.checks.tool_calls import pair_as_set, same_json
from adjudge.records import Failed

OPENAI = {"type": "function", "function": {"name": "search", "arguments": '{"n": 3.0, "q": "weather"}'}}


@pytest.mark.parametrize(
    ("made", "expected_calls", "parameters", "expected"),
    [
        ([SEARCH], [SEARCH], {}, 1),
        ([OPENAI], [SEARCH], {}, 1),
        ([], [], {}, 1),
        ([], [SEARCH], {}, 0),
        ([SEARCH], [], {}, 0),
        ([SEARCH], [], {"allow_extra": True}, 1),
        ([SEARCH, BOOK], [BOOK, SEARCH], {}, 0),
        ([SEARCH, BOOK], [BOOK, SEARCH], {"order": "any"}, 1),
        ([SEARCH, SEARCH], [SEARCH], {}, 0),
        ([SEARCH, SEARCH], [SEARCH], {"allow_extra": True}, 1),
        ([SEARCH, BOOK, SEARCH], [SEARCH, SEARCH], {"allow_extra": True}, 1),
        ([SEARCH], [SEARCH, SEARCH], {"order": "any"}, 0),
        ([SEARCH], ["search"], {"arguments": "ignore"}, 1),
        ([SEARCH], ["search"], {}, 0),
        ([SEARCH], [{"name": "search", "arguments": {"q": "weather"}}], {"arguments": "include"}, 1),
        ([SEARCH], [{"name": "search", "arguments": {"q": "news"}}], {"arguments": "include"}, 0),
        ([{"name": "f", "args": {"x": True}}], [{"name": "f", "input": {"x": 1}}], {}, 0),
        ([{"name": "f", "arguments": "not json"}], [{"name": "f", "arguments": "not json"}], {}, 1),
        (json.dumps([SEARCH]), [SEARCH], {}, 1),
    ],
)
def test_tool_calls(made, expected_calls, parameters, expected):
    fields = {"tool_calls": made, "expected_tool_calls": expected_calls}
    assert score("tool_calls", fields, **parameters) == expected


def test_a_set_of_calls_is_paired_as_well_as_it_can_be():
    """The first expected call fits both that were made, the second only one of them."""
    wide, narrow = {"name": "f", "arguments": {}}, {"name": "f", "arguments": {"x": 1}}
    made = [{"name": "f", "arguments": {"x": 1}}, {"name": "f", "arguments": {"y": 2}}]
    fields = {"tool_calls": made, "expected_tool_calls": [wide, narrow]}
    assert score("tool_calls", fields, order="any", arguments="include") == 1
    assert len(pair_as_set(range(3), range(3), lambda a, b: b <= a)) == 3


def test_calls_that_cannot_be_read_are_a_bad_row():
    for made in ([{"arguments": {}}], "words", [3]):
        found = check("tool_calls", {"tool_calls": made, "expected_tool_calls": []})
        assert isinstance(found, Failed)
        assert (found.kind, found.error_kind) == ("bad_row", "tool_calls")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
)


@given(JSON, JSON)
def test_equal_json_is_an_equivalence(one, other):
    assert same_json(one, one)
    assert same_json(one, other) == same_json(other, one)
