"""Dotprompt's front matter: `input` gives the inputs, `output.schema` the verdict, in Picoschema or JSON Schema."""

import pytest

from adjudge.judges import parse_judge
from adjudge.prompts.render import render_prompt

BODY = """{{role "system"}}
You grade answers in {{mode}} mode.
{{role "user"}}
{{#each docs}}
- {{title}}
{{/each}}
Question: {{question}}
Answer: {{answer}}
{{#if reference}}
Reference: {{reference}}
{{/if}}
"""
PICOSCHEMA = """---
model: some/model
input:
  schema:
    question: string, what was asked
    answer: string
    reference?: string, what an expert said
    mode(enum, how strict): [strict, lenient]
    docs(array, what was found):
      title: string
  default:
    mode: strict
output:
  format: json
  schema:
    reason: string, why
    verdict(enum, the label): [PASS, FAIL]
    score: number, a score between 0 and 1
    issues(array, what is wrong): string
    claims(array):
      text: string
      supported: boolean
    detail(object, more):
      page: integer
      note?: string
    extra?: integer
    (*): string
---
"""
JSON_SCHEMA = """---
input:
  schema:
    type: object
    properties: {question: {type: string}, answer: {type: string}, mode: {type: string}, docs: {type: array}}
    required: [question, answer, docs]
output:
  schema:
    type: object
    properties:
      reason: {type: string, description: why, pattern: ".*"}
      score: {type: integer, minimum: 1, maximum: 5}
      labels: {type: array, items: {type: string, enum: [a, b]}}
---
"""


def inputs(judge):
    return {item.name: (item.required, item.default) for item in judge.inputs}


def properties(judge):
    assert judge.contract is not None
    return judge.contract.schema["properties"]


def test_picoschema_gives_inputs_verdict_and_scale():
    judge = parse_judge(PICOSCHEMA + BODY, name="p")
    assert judge.dialect == "handlebars"
    assert inputs(judge) == {
        "mode": (False, "strict"),
        "docs": (True, None),
        "question": (True, None),
        "answer": (True, None),
        "reference": (False, None),
    }
    assert properties(judge) == {
        "reason": {"type": "string", "description": "why"},
        "verdict": {"enum": ["PASS", "FAIL"], "description": "the label"},
        "score": {
            "type": "number",
            "description": "a score between 0 and 1",
            "minimum": 0.0,
            "maximum": 1.0,
        },
        "issues": {"type": "array", "items": {"type": "string"}, "description": "what is wrong"},
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "supported": {"type": "boolean"}},
                "required": ["text", "supported"],
                "additionalProperties": False,
            },
        },
        "detail": {
            "type": "object",
            "properties": {"page": {"type": "integer"}, "note": {"type": ["string", "null"]}},
            "required": ["page", "note"],
            "additionalProperties": False,
            "description": "more",
        },
        "extra": {"type": ["integer", "null"]},
    }
    assert (judge.scale.low, judge.scale.high) == (0, 1)
    assert dict(judge.ignored) == {"model": "some/model"}


def test_json_schema_gives_the_same():
    judge = parse_judge(JSON_SCHEMA + BODY, name="p")
    assert inputs(judge) == {
        "mode": (False, None),
        "docs": (True, None),
        "question": (True, None),
        "answer": (True, None),
        "reference": (False, None),
    }
    assert properties(judge) == {
        "reason": {"type": "string", "description": "why"},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "labels": {"type": "array", "items": {"enum": ["a", "b"]}},
    }
    assert (judge.scale.low, judge.scale.high) == (1, 5)
    assert not judge.ignored


def test_an_optional_choice_may_be_null():
    judge = parse_judge(
        "---\noutput: {schema: {score: integer, 'label?(enum)': [a, b]}}\n---\nRate {{answer}}.", name="p"
    )
    assert properties(judge)["label"] == {"enum": ["a", "b", None]}


def test_verdict_and_inputs_of_our_own_count_first():
    text = (
        "---\nverdict: {final: number}\ninputs: {mode: required}\n" + PICOSCHEMA.removeprefix("---\n") + BODY
    )
    judge = parse_judge(text, name="p")
    assert list(properties(judge)) == ["final"]
    assert inputs(judge)["mode"] == (True, None)
    assert "output" in judge.ignored


@pytest.mark.parametrize(
    ("front_matter", "ignored"),
    [
        ("output: {schema: NamedSchema}", {"output": {"schema": "NamedSchema"}}),
        ("output: {schema: {score: NamedType}}", {"output": {"schema": {"score": "NamedType"}}}),
        ("output: {schema: {type: array, items: {type: string}}}", None),
        ("output: {schema: {type: object}}", None),
        ("output: {schema: {'a(enum)': x}}", None),
        ("output: {schema: {'a(list)': string}}", None),
        ("output: {schema: {a: [string]}}", None),
        ("output: {schema: {}}", None),
        ("output: json", {"output": "json"}),
        ("output: {format: json}", {"output": {"format": "json"}}),
        ("input: {schema: NamedSchema}", {"input": {"schema": "NamedSchema"}}),
        ("input: {default: {docs: [a]}}", {"input": {"default": {"docs": ["a"]}}}),
        ("input: {schema: {question: string}, strict: true}", {"input": {"strict": True}}),
        ("input: [question]", {"input": ["question"]}),
    ],
)
def test_what_cannot_be_used_is_shown_as_ignored_and_the_prompt_still_speaks(front_matter, ignored):
    judge = parse_judge(f"---\n{front_matter}\n---\nRate {{{{answer}}}} from 1 to 5.", name="p")
    assert (judge.scale.low, judge.scale.high) == (1, 5)
    assert dict(judge.ignored) == ignored if ignored else set(judge.ignored) == {"output"}


def test_the_keys_are_no_keys_of_our_format():
    with pytest.raises(Exception, match="`output` is not a judge file key"):
        parse_judge("---\nadjudge: 1\noutput: {schema: {score: integer}}\n---\nRate {{answer}}.", name="p")


def test_a_dotprompt_file_is_sent_as_its_roles_say():
    judge = parse_judge(PICOSCHEMA + BODY, name="p")
    values = {
        "mode": "strict",
        "docs": [{"title": "One"}, {"title": "{{role}}"}],
        "question": "Why?",
        "answer": "So.",
    }
    system, user, asked = render_prompt(judge.messages, values, format_message=judge.format_message).messages
    assert (system.role, system.content) == ("system", "You grade answers in strict mode.")
    assert (user.role, user.content) == ("user", "- One\n- {{role}}\nQuestion: Why?\nAnswer: So.")
    assert asked.content == judge.format_message


def test_the_schema_of_a_promptl_file_gives_the_verdict():
    text = """---
provider: openai
schema:
  type: object
  properties:
    why: {type: string}
    score: {type: integer, minimum: 1, maximum: 7, description: How fair it is.}
  required: [why, score]
---
<user>Rate {{ answer }}.</user>
"""
    judge = parse_judge(text, name="fair")
    assert judge.dialect == "promptl"
    assert list(judge.contract.schema["properties"]) == ["why", "score"]
    assert (judge.scale.low, judge.scale.high) == (1, 7)
    assert judge.ignored == {"provider": "openai"}
