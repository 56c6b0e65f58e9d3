"""`verdict:` shorthand becomes a JSON Schema that allows what it names and nothing else."""

import pytest

from adjudge.errors import JudgeFileError
from adjudge.judges.front_matter import read_yaml
from adjudge.judges.schema import read_verdict


def verdict(text: str) -> dict:
    return read_verdict(read_yaml(text, where="v"), where="v")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("string", {"type": "string"}),
        ("integer", {"type": "integer"}),
        ("boolean", {"type": "boolean"}),
        ("list", {"type": "array", "items": {"type": "string"}}),
        ("[number]", {"type": "array", "items": {"type": "number"}}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        ("{enum: [a, no, 1]}", {"enum": ["a", "no", 1]}),
        ("{type: integer, minimum: 1, maximum: 5}", {"type": "integer", "minimum": 1, "maximum": 5}),
        ("{type: [string, 'null']}", {"type": ["string", "null"]}),
        (
            "{type: array, minItems: 2, maxItems: 3}",
            {"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "string"}},
        ),
        (
            "[{quote: string, matched: boolean}]",
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"quote": {"type": "string"}, "matched": {"type": "boolean"}},
                    "required": ["quote", "matched"],
                    "additionalProperties": False,
                },
            },
        ),
        (
            "{type: object, properties: {a: string}, required: [a], additionalProperties: false}",
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_a_field_is_read(written: str, expected: dict) -> None:
    schema = verdict(f"first: string\nx: {written}")
    assert schema["properties"]["x"] == expected
    assert schema["required"] == ["first", "x"]
    assert list(schema["properties"]) == ["first", "x"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("strin", "`strin` is not a type"),
        ("5", "`5` is not a type"),
        ("{}", "is not a type"),
        ("[string, number]", "a list type has one element, not 2"),
        ("{enum: a}", "`enum` is not a list"),
        ("{enum: [a, a]}", "`enum` lists a value twice"),
        ("{enum: [[a]]}", "an enum value is a list or a mapping"),
        ("{enum: [1], minimum: 0}", "`minimum` is not supported next to `enum`"),
        ("{type: integer, minimun: 1}", "`minimun` is not supported in a verdict"),
        ("{type: string, minimum: 1}", "`minimum` does not apply to a string"),
        ("{type: integer, minimum: 5, maximum: 1}", "`minimum` 5 is above `maximum` 1"),
        ("{type: integer, minimum: a}", "`minimum` is not a number"),
        ("{type: array, minItems: -1}", "`minItems` is not a count"),
        ("{type: object}", "an object needs `properties`"),
        ("{type: object, properties: {a: string}, required: [b]}", "`required` names `b`"),
        ("{type: object, properties: {a: string}, additionalProperties: true}", "no others"),
    ],
)
def test_a_field_that_cannot_be_read_is_an_error_with_its_line(written: str, problem: str) -> None:
    with pytest.raises(JudgeFileError) as caught:
        verdict(f"first: string\nx: {written}")
    assert problem in caught.value.problem
    assert caught.value.where == "v line 2"


def test_a_verdict_without_fields_is_an_error() -> None:
    with pytest.raises(JudgeFileError, match="has no fields"):
        verdict("{}")
