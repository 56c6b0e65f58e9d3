"""What is taken as it stands is what the whole check, and the whole search, would have given back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from verdict_contracts import CONTRACTS

from adjudge.records import Contract
from adjudge.verdicts import UnreadReply
from adjudge.verdicts.clean import tidy
from adjudge.verdicts.read import read_exact, read_verdict, search_verdict
from adjudge.verdicts.validate import exact_validator, validate_value

SCHEMAS = [
    {"type": "boolean"},
    {"type": "string"},
    {"type": ["string", "null"]},
    {"type": "integer"},
    {"type": "integer", "minimum": 0, "maximum": 5},
    {"type": "integer", "exclusiveMinimum": 0},
    {"type": "number"},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 5},
    {"enum": [["a"], {"a": "x"}, "x"]},
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
    st.floats(),
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
    if exact_validator(schema)(value):
        notes = []
        checked = validate_value(value, schema, "field", notes)
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
    assert exact_validator(numbers)(given_numbers)
    assert exact_validator({"type": "integer", "minimum": 0, "maximum": 5})(4)
    assert not exact_validator({"type": "integer", "minimum": 0, "maximum": 5})(6)
    assert not exact_validator(numbers)([{"response": "4 km", "expected": "4 km", "critical": True}])


def contract_of(**properties):
    return Contract(
        schema={"type": "object", "properties": properties}, needs=tuple(properties)[:1], form="json"
    )


DEEP = {"type": "string"}
for _ in range(61):
    DEEP = {"type": "array", "items": DEEP}
READ = [
    *CONTRACTS.values(),
    contract_of(score={"type": "number", "minimum": 0}, note={"type": ["string", "null"]}),
    contract_of(score={"enum": [0, 0.5, 1e20, -0.0]}),
    contract_of(a={"type": "object", "properties": {"a": {"type": "integer"}}}),
    contract_of(a={"enum": [{"a": 1}, {"b": 1}]}),
    contract_of(a_b={"type": "string"}, ab={"type": "string"}),
    contract_of(**{"": {"type": "string"}, "a": {"type": "string"}}),
    contract_of(**{'a"b': {"type": "string"}, "a" * 81: {"type": "string"}}),
    contract_of(deep=DEEP),
]
NUMBERS = ["0", "-0", "4", "4.0", "-0.0", "1", "0.5", "1e20", "1e999", "NaN", "-Infinity"]
DIGITS = ["9" * 19, "9" * 40, "9" * 41]
WORDS = ["null", "true", "false", '"4"', '"４"', '"yes"', '"agree"', '""', '"<think>"', '"</think> {"']
ESCAPED = [r'"x\ny"', r'"\ud83d"', r'"\ud83d\ude00"', r'"\u0000"', r'"é\": 4, \"score\": 1"']
UNESCAPED = ['"x\ny"', '"\ud800"', '"\x00"', '"\u200b"']
NESTED = ["[]", "{}", '["a", "b"]', '[{"a": 1}]', '{"a": 1}', '{"a": 1, "a": 2}', "4 // x"]
ODD = st.sampled_from(NUMBERS + DIGITS + WORDS + ESCAPED + UNESCAPED + NESTED)


@st.composite
def as_asked(draw, schema):
    """JSON text that the schema asks for."""
    if "enum" in schema:
        return json.dumps(draw(st.sampled_from(schema["enum"])))
    kinds = schema.get("type")
    kind = draw(st.sampled_from(kinds)) if isinstance(kinds, list) else kinds
    match kind:
        case "object":
            pairs = [(name, draw(as_asked(each))) for name, each in schema.get("properties", {}).items()]
            return "{" + ", ".join(f"{json.dumps(name)}: {value}" for name, value in pairs) + "}"
        case "array":
            items = draw(st.lists(as_asked(schema.get("items", {})), max_size=3))
            return f"[{', '.join(items)}]"
        case "integer" | "number":
            return str(draw(st.integers(0, 5)))
        case "boolean":
            return draw(st.sampled_from(["true", "false"]))
        case "null":
            return "null"
        case _:
            return json.dumps(draw(st.text(max_size=8)), ensure_ascii=draw(st.booleans()))


@st.composite
def replies(draw, contract):
    """An object of the contract's fields, mostly as it is asked for, and here and there not."""
    fields = contract.schema.get("properties", {})
    pairs = [
        (json.dumps(name), draw(st.one_of(*[as_asked(schema)] * 5, ODD))) for name, schema in fields.items()
    ]
    others = ['"score"', '"Score"', '"verdict"', r'"\u0061"', '"a"', "score"]
    keys = st.sampled_from([json.dumps(name) for name in fields] + others)
    for change in draw(st.lists(st.sampled_from(["more", "fewer", "swap"]), max_size=2)):
        if change == "more":
            pairs.insert(draw(st.integers(0, len(pairs))), (draw(keys), draw(ODD)))
        elif pairs and change == "fewer":
            pairs.pop(draw(st.integers(0, len(pairs) - 1)))
        else:
            pairs.reverse()
    colon = draw(st.sampled_from([": ", ": ", ":", " :\n", " " * 21 + ":"]))
    comma = draw(st.sampled_from([", ", ",", ",\n  "]))
    return "{" + comma.join(f"{key}{colon}{value}" for key, value in pairs) + "}"


WRAPPING = ["\n", "\xa0", "\x1f", "```json\n", "\n```", "[", "]", ",", "}"]
INVISIBLE = ["\ufeff", "\x1b[0m", "\x00", "\ud800"]
TALK = [
    "<think>",
    "<think>hm</think>",
    "</think>\n",
    "I say: ",
    " is my verdict.",
    '{"score": 1}',
    '{"a": "x"}',
]
AROUND = st.sampled_from([""] * 60 + WRAPPING + INVISIBLE + TALK)


@given(data=st.data(), contract=st.sampled_from(READ), whole=st.booleans())
def test_a_reply_that_is_read_at_once_is_read_as_a_search_would(data, contract, whole):
    reply = data.draw(replies(contract))
    text = data.draw(AROUND) + reply + data.draw(AROUND)
    texts = data.draw(st.sampled_from([[], [reply], [f"So: {text}"], ["<b>4</b>", {"score": 4}]]))
    if tidy(text).strip():
        read = read_verdict(text, contract, whole=whole, case_texts=texts)
        searched = search_verdict(tidy(text), contract, whole=whole, case_texts=texts)
        assert repr(read) == repr(searched)


@given(data=st.data(), name=st.sampled_from(["relevance", "binary", "correctness"]))
def test_a_reply_as_it_is_asked_for_is_read_at_once(data, name):
    contract = CONTRACTS[name]
    text = data.draw(as_asked(contract.schema))
    assert read_exact(text, contract) == search_verdict(text, contract, whole=True, case_texts=[])


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4, "score": 5, "reason": "x"}',
        '{"score": 4, "reason": "x"} {"score": 5, "reason": "x"}',
        '{"score": 9, "reason": "x"}',
        '{"score": "4", "reason": "x"}',
        '{"score": 4}',
        '{"score": 4, "reason": "x", "more": 1}',
        '{"score": NaN, "reason": "x"}',
        '[{"score": 4, "reason": "x"}]',
    ],
)
def test_a_reply_that_is_not_as_asked_for_is_not_read_at_once(text):
    assert read_exact(text, CONTRACTS["relevance"]) is None


def test_a_reply_that_is_nested_too_deeply_is_not_read_at_once():
    text = '{"deep": ' + "[" * 61 + "]" * 61 + "}"
    read = read_verdict(text, contract_of(deep=DEEP), whole=True, case_texts=[])
    assert isinstance(read, UnreadReply)
    assert "nested too deeply" in read.why
