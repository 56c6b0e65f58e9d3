"""What is taken as it stands is what the whole check would have given back."""

from hypothesis import given
from hypothesis import strategies as st

from adjudge.verdicts.validate import check, exact_check

SCHEMAS = [
    {"type": "boolean"},
    {"type": "string"},
    {"type": ["string", "null"]},
    {"type": "integer"},
    {"type": "integer", "minimum": 0, "maximum": 5},
    {"type": "integer", "exclusiveMinimum": 0},
    {"enum": ["yes", "no", 1, 2.5, True, None]},
    {"type": "integer", "enum": [0, 1]},
    {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"type": ["integer", "null"]}},
    {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}},
        "required": ["a", "b"],
    },
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}},
    {"type": "object", "properties": {"a_b": {"type": "string"}, "ab": {"type": "string"}}},
    {
        "type": "array",
        "items": {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]},
    },
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 7),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["yes", "no", "x", "", "4", "true", "ä", "\ud800"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "a_b", "ab", "A"]), inner, max_size=3),
    ),
    max_leaves=6,
)


@given(schema=st.sampled_from(SCHEMAS), value=VALUES)
def test_a_value_that_is_taken_as_it_stands_passes_the_check_unchanged_and_unnoted(schema, value):
    if exact_check(schema)(value):
        notes = []
        checked = check(value, schema, "field", notes)
        assert repr(checked) == repr(value)
        assert notes == []


def test_what_judges_mostly_reply_is_taken_as_it_stands():
    number = {
        "expected": {"type": "string"},
        "response": {"type": ["string", "null"]},
        "critical": {"type": "boolean"},
    }
    numbers = {"type": "array", "items": {"type": "object", "properties": number, "required": list(number)}}
    given_numbers = [
        {"expected": "4 km", "response": "4 km", "critical": True},
        {"expected": "5", "response": None, "critical": False},
    ]
    assert exact_check(numbers)(given_numbers)
    assert exact_check({"type": "integer", "minimum": 0, "maximum": 5})(4)
    assert not exact_check({"type": "integer", "minimum": 0, "maximum": 5})(6)
    assert not exact_check(numbers)([{"response": "4 km", "expected": "4 km", "critical": True}])
