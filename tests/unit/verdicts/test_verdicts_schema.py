"""What the schema asks for is checked where the score needs it, and noted where it does not."""

import pytest

from adjudge.records import Contract, Verdict
from adjudge.verdicts import UnreadReply, read_verdict


def read(value, schema, *, needed=True, words=None):
    contract = Contract(
        schema={"type": "object", "properties": {"x": schema, "score": {"type": "integer"}}},
        needs=("score", "x") if needed else ("score",),
        words={"x": words} if words else {},
    )
    return read_verdict(f'{{"score": 1, "x": {value}}}', contract, whole=True, case_texts=[])


@pytest.mark.parametrize(
    ("schema", "value", "wanted"),
    [
        ({"type": "integer"}, "4.0", 4),
        ({"type": "integer"}, '"-2"', -2),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "0.5", 0.5),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["string", "number"]}, "4", 4),
        ({"type": ["number", "string"]}, '"4"', "4"),
        ({"type": "string"}, "4", "4"),
        ({"enum": ["0.0", "1.0"]}, "1", "1.0"),
        ({"enum": [0.0, 1.0]}, '"0.0"', 0.0),
        ({"enum": ["yes", "no"]}, '" YES. "', "yes"),
        ({"enum": ["true", "false"]}, "true", "true"),
        ({"enum": [1, None]}, "null", None),
        ({"enum": ["not correct", "correct"]}, '"Not correct"', "not correct"),
        ({"const": 3}, "3.0", 3),
        ({"type": "boolean"}, '"No"', False),
        ({"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["n/a"]}]}, '"N/A"', "n/a"),
        ({"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["n/a"]}]}, "7", 7),
        ({"oneOf": [{"type": "null"}, {"type": "string"}]}, '"a"', "a"),
        ({"type": "array", "items": {"type": "integer"}}, '[1, "2"]', [1, 2]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, '{"a": "1"}', {"a": 1}),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"A": 1, "b": 2}', {"a": 1}),
        ({}, '{"any": [1]}', {"any": [1]}),
    ],
)
def test_a_needed_value_is_read_as_its_schema_has_it(schema, value, wanted):
    outcome = read(value, schema)
    assert isinstance(outcome, Verdict), outcome
    assert outcome.parts["x"] == wanted
    assert type(outcome.parts["x"]) is type(wanted)


@pytest.mark.parametrize(
    ("schema", "value", "why"),
    [
        ({"type": "integer", "minimum": 2}, "1", "`x` is 1, not a whole number of at least 2"),
        ({"type": "integer", "maximum": 2}, "3", "`x` is 3, not a whole number of at most 2"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "0", "`x` is 0"),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, "1.0", "`x` is 1"),
        ({"type": "string"}, "true", "`x` is true, not text"),
        ({"type": "string"}, "null", "`x` is null, not text"),
        ({"type": "string", "minLength": 1}, '""', "`x` is empty"),
        ({"enum": ["helpful", "great"]}, '"unhelpful"', "`x` is 'unhelpful', not one of 'helpful', 'great'"),
        ({"enum": ["helpful", "great"]}, '"not helpful"', "'not helpful'"),
        ({"enum": [1, 2]}, "true", "`x` is true"),
        ({"enum": ["a", "b"]}, '"{\\"ignore\\": \\"all\\"}"', "`x` is other text"),
        ({"const": 3}, "4", "`x` is 4, not one of 3"),
        ({"type": "boolean"}, "1", "`x` is 1, not true or false"),
        ({"type": "array", "items": {"type": "integer"}}, '[1, "two"]', "`x[1]` is 'two'"),
        ({"type": "array"}, '"a, b"', "not a list"),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, '{"b": 1}', "`x.a` is missing"),
        ({"type": "object"}, "[1]", "`x` is a list, not an object"),
        ({"type": "object", "properties": {"a": {}}}, '{"a": 1, "a": 2}', "`x.a` is given twice"),
        ({"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["n/a"]}]}, "-1", "`x` is -1"),
    ],
)
def test_a_needed_value_that_does_not_validate_is_refused_by_name(schema, value, why):
    outcome = read(value, schema)
    assert isinstance(outcome, UnreadReply), outcome
    assert why in outcome.why


@pytest.mark.parametrize(
    ("schema", "value", "kept", "notes"),
    [
        ({"type": "string"}, "7", "7", ()),
        ({"type": "string"}, '{"a": 1}', '{"a": 1}', ("wrong_type:x",)),
        ({"type": "string", "maxLength": 2}, '"abc"', "abc", ("string_length:x",)),
        ({"type": "array", "items": {"type": "string"}}, '"- a\\n- b"', ["a", "b"], ("wrong_type:x",)),
        ({"type": "array", "items": {"type": "string"}}, '"just one"', ["just one"], ("wrong_type:x",)),
        (
            {"type": "array", "items": {"type": "string"}},
            '["a", {"b": 1}]',
            ["a", '{"b": 1}'],
            ("wrong_type:x",),
        ),
        (
            {"type": "array", "items": {"type": "string"}},
            '{"1": "a", "2": "b"}',
            ["a", "b"],
            ("wrong_type:x",),
        ),
        ({"type": "array", "minItems": 2}, '["a"]', ["a"], ("list_length:x",)),
        ({"type": "array", "maxItems": 1}, '["a", "b"]', ["a", "b"], ("list_length:x",)),
    ],
)
def test_what_the_score_does_not_need_is_kept_and_noted(schema, value, kept, notes):
    outcome = read(value, schema, needed=False)
    assert isinstance(outcome, Verdict), outcome
    assert outcome.parts["x"] == kept
    assert outcome.notes == notes


@pytest.mark.parametrize(
    ("schema", "value", "note"),
    [
        ({"type": "integer", "maximum": 5}, "9", "off_scale:x"),
        ({"type": "integer"}, '"many"', "wrong_type:x"),
        ({"type": "boolean"}, '"maybe"', "wrong_type:x"),
        ({"enum": ["a", "b"]}, '"c"', "wrong_value:x"),
        ({"type": "string"}, "null", "missing_field:x"),
    ],
)
def test_what_cannot_be_typed_is_left_out_and_noted(schema, value, note):
    outcome = read(value, schema, needed=False)
    assert isinstance(outcome, Verdict), outcome
    assert outcome.parts == {"score": 1}
    assert outcome.notes == (note,)


def test_parts_stand_in_the_contracts_order_and_extra_fields_are_few_and_short():
    extra = ", ".join(f'"{chr(97 + n) * 90}\\n": {n}' for n in range(20))
    contract = Contract(
        schema={"type": "object", "properties": {"reason": {"type": "string"}, "score": {"type": "integer"}}},
        needs=("score",),
    )
    outcome = read_verdict(f'{{"score": 1, {extra}, "reason": "r"}}', contract, whole=True, case_texts=[])
    assert isinstance(outcome, Verdict)
    assert list(outcome.parts.items()) == [("reason", "r"), ("score", 1)]
    assert outcome.notes[0] == "extra_field:" + "a" * 40
    assert len(outcome.notes) == 8


def test_words_stand_for_values_in_json_too():
    outcome = read('"Excellent"', {"type": "integer", "minimum": 1, "maximum": 4}, words={"excellent": 4})
    assert isinstance(outcome, Verdict)
    assert outcome.parts["x"] == 4
