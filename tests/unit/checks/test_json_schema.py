"""`json_schema`: JSON against a schema; hostile JSON costs neither time nor memory without bound."""

import json

import pytest
from check_cases import check, score, texts

from adjudge.records import Failed

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "pattern": "^[A-Z]"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("response", "parameters", "expected"),
    [
        ('{"name": "Ada", "age": 36}', {"schema": PERSON}, 1),
        ('{"name": "ada"}', {"schema": PERSON}, 0),
        ('{"name": "Ada", "age": -1}', {"schema": PERSON}, 0),
        ('{"age": 1}', {"schema": PERSON}, 0),
        ('{"name": "Ada", "x": 1}', {"schema": PERSON}, 0),
        ({"name": "Ada"}, {"schema": PERSON}, 1),
        ('{"name": "Ada"', {"schema": PERSON}, 0),
        ("[1, 2]", {}, 1),
        ("NaN", {}, 0),
        ("plain words", {}, 0),
        ('```json\n{"name": "Ada"}\n```', {"schema": PERSON}, 0),
        ('```json\n{"name": "Ada"}\n```', {"schema": PERSON, "allow_fence": True}, 1),
        ('Here: ```json\n{"name": "Ada"}\n```', {"schema": PERSON, "allow_fence": True}, 0),
        ("[1, 1.0]", {"schema": {"uniqueItems": True}}, 0),
        ("[1, true]", {"schema": {"uniqueItems": True}}, 1),
        ('{"a1": 1}', {"schema": {"patternProperties": {"^a": {"type": "string"}}}}, 0),
        (
            '{"a1": "x", "b": 1}',
            {"schema": {"patternProperties": {"^a": {}}, "additionalProperties": False}},
            0,
        ),
    ],
)
def test_json_schema(response, parameters, expected):
    assert score("json_schema", texts(response), **parameters) == expected


def test_hostile_json_is_bounded():
    tree = {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    assert score("json_schema", texts("[" * 100_000), schema=tree) == 0
    deep = check("json_schema", texts("[" * 900 + "]" * 900), schema=tree)
    assert isinstance(deep, Failed)
    assert deep.kind == "too_long"
    many = "[" + ",".join(["{}"] * 200_000) + "]"  # 20 billion comparisons, were they compared two by two
    assert score("json_schema", texts(many), schema={"uniqueItems": True}) == 0
    evil = json.dumps("a" * 200_000 + "!")
    assert score("json_schema", texts(evil), schema={"pattern": "^(a+)+$"}) == 0
