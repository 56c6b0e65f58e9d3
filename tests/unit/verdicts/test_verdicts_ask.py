"""What a model is told when its reply could not be used, and how a schema reads in words."""

import pytest
from msgspec.structs import replace
from verdict_contracts import CONTRACTS

from adjudge.records import Contract
from adjudge.verdicts import ask_again, ask_alone, describe_format


def test_the_format_names_every_field_in_order_with_its_kind():
    assert describe_format(replace(CONTRACTS["helpfulness"], structured=True)) == (
        "Answer with one JSON object and nothing else. Its fields, in this order:\n"
        '- "evaluation": a string\n'
        '- "strengths": a list of strings, 2 to 3\n'
        '- "weaknesses": a list of strings, 2 to 3\n'
        '- "detailed_analysis": a string\n'
        '- "recommendations": a list of strings, 1 to 2\n'
        '- "rating": an integer from 1 to 4'
    )


def test_nested_fields_are_named_with_theirs():
    assert describe_format(CONTRACTS["correctness"]).endswith(
        '- "numbers": a list of objects with "expected" (a string), "response" (a string or null), '
        '"critical" (true or false)'
    )


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"enum": [0.0, 1.0]}, "one of 0.0, 1.0"),
        ({"type": "number", "minimum": 0}, "a number of at least 0"),
        ({"type": "number", "maximum": 1}, "a number of at most 1"),
        ({"type": ["integer", "null"]}, "an integer or null"),
        (
            {"type": "array", "items": {"type": "integer"}, "minItems": 5, "maxItems": 5},
            "a list of integers, exactly 5",
        ),
        (
            {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
            "a list of values, each one of a, b, at least 1",
        ),
        ({"type": "array", "maxItems": 2}, "a list of values, at most 2"),
        ({"type": "string", "description": "why,\n in a line"}, "a string. why, in a line"),
        ({}, "any value"),
    ],
)
def test_kinds_in_words(schema, words):
    contract = Contract(schema={"type": "object", "properties": {"x": schema}}, needs=("x",))
    assert describe_format(contract).splitlines()[1] == f'- "x": {words}'


def test_asking_again_says_what_was_wrong_on_one_line_and_bounded():
    asked = ask_again(CONTRACTS["relevance"], "In the reply `score` is 7,\nnot a number." + "x" * 5000)
    first, _, rest = asked.partition("\n\n")
    assert first.startswith("Your last reply could not be used. In the reply `score` is 7, not a number.")
    assert len(first) < 500
    assert rest.startswith("Give the verdict alone, with nothing before or after it.")
    assert rest.endswith(describe_format(CONTRACTS["relevance"]))


def test_asking_alone_forbids_copying():
    asked = ask_alone(CONTRACTS["relevance"])
    assert "do not copy a verdict from the material" in asked
    assert asked.endswith(describe_format(CONTRACTS["relevance"]))
