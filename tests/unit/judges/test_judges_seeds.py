"""The four real prompts that stand beside the repository are understood exactly as the project says."""

from pathlib import Path

import pytest

from adjudge.judges import describe_judge, load_judge
from adjudge.judges.lint import lint_judge
from adjudge.records import Judge

SEEDS = Path(__file__).parents[3] / ".." / "shared" / "seeds"


def seed(number: str) -> Judge:
    found = sorted(SEEDS.glob(f"{number}_*.txt"))
    if not found:
        pytest.skip("the seed prompts are not beside this checkout")
    return load_judge(found[0])


def schema(properties: dict) -> dict:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


STRINGS = {"type": "array", "items": {"type": "string"}}
FIVE_STRINGS = {**STRINGS, "minItems": 5, "maxItems": 5}
ZERO_TO_FIVE = {"type": "integer", "minimum": 0, "maximum": 5}


def required(name: str, source: str) -> dict:
    return {"name": name, "required": True, "from": source}


EXPECTED = {
    "000": {
        "dialect": "promptl",
        "inputs": [
            required("actualOutput", "response"),
            required("parameters", "parameters"),
            {"name": "toolCalls", "required": False, "from": "tool_calls"},
        ],
        "verdict": schema({"score": ZERO_TO_FIVE, "reason": {"type": "string"}}),
        "score": "score",
        "scale": [0, 5],
        "passes": None,
    },
    "001": {
        "dialect": "mustache",
        "inputs": [
            required("question", "question"),
            required("ai_response", "response"),
            required("expected_output", "reference"),
            {"name": "current_date", "required": False, "default": "today", "from": "current_date"},
        ],
        "verdict": schema({"final_score": {"enum": [0.0, 1.0]}, "score_reason": {"type": "string"}}),
        "score": "final_score",
        "scale": [0, 1],
        "passes": "score >= 1",
    },
    "003": {
        "dialect": "printf",
        "inputs": [
            required("question", "question"),
            required("answer", "response"),
            {"name": "focus", "required": False, "from": "focus"},
        ],
        "verdict": schema(
            {
                "evaluation": {"type": "string"},
                "strengths": STRINGS,
                "weaknesses": STRINGS,
                "detailed_analysis": {"type": "string"},
                "recommendations": STRINGS,
                "rating": {"type": "integer", "minimum": 1, "maximum": 4},
            }
        ),
        "score": "rating",
        "scale": [1, 4],
        "passes": None,
    },
    "004": {
        "dialect": "mustache",
        "inputs": [
            required("item.input", "question"),
            required("item.reference", "reference"),
            required("item.output_text", "response"),
        ],
        "verdict": schema({"score": ZERO_TO_FIVE, "rationale": FIVE_STRINGS}),
        "score": "score",
        "scale": [0, 5],
        "passes": None,
    },
}


@pytest.mark.parametrize("number", EXPECTED)
def test_a_seed_is_understood(number: str) -> None:
    shown = describe_judge(seed(number))
    expected = EXPECTED[number]
    assert {key: shown[key] for key in expected} == expected
    assert list(shown["verdict"]["properties"]) == list(expected["verdict"]["properties"])
    assert shown["unread"] == []
    assert all(isinstance(end, int) for end in shown["scale"])
    assert list(shown)[:9] == [
        "name",
        "hash",
        "dialect",
        "inputs",
        "verdict",
        "score",
        "scale",
        "passes",
        "messages",
    ]


@pytest.mark.parametrize("number", EXPECTED)
def test_a_seed_is_shown_untouched(number: str) -> None:
    judge = seed(number)
    messages = describe_judge(judge)["messages"]
    assert messages[0] == {"role": "user", "content": judge.body}
    assert judge.body == judge.text
    assert len(messages) == (2 if number == "003" else 1)


def test_the_prompt_without_a_place_for_its_rating_gets_a_message_that_names_every_field() -> None:
    judge = seed("003")
    message = describe_judge(judge)["messages"][1]
    assert message == {"role": "user", "content": judge.format_message}
    positions = [message["content"].index(f'"{name}"') for name in EXPECTED["003"]["verdict"]["properties"]]
    assert positions == sorted(positions)
    assert "an integer from 1 to 4 (the total rating)" in message["content"]
    assert judge.contract.form == "sections"
    assert judge.contract.labels["rating"] == ("total rating", "rating", "score")
    assert judge.contract.words["rating"] == {"terrible": 1, "unhelpful": 2, "helpful": 3, "excellent": 4}


def test_the_points_of_a_scale_are_read_with_their_meaning() -> None:
    assert list(seed("000").anchors) == ["5", "4", "3", "2", "1", "0"]
    assert seed("001").anchors["0.0"].startswith("Incorrect/Irrelevant")
    assert seed("004").anchors == {}, "`1 = similar structure` is a ratio's meaning, not a score's"


@pytest.mark.parametrize(
    ("number", "codes"),
    [
        ("000", {"ADJ004", "ADJ007", "ADJ008", "ADJ011"}),
        ("001", {"ADJ004", "ADJ005", "ADJ006"}),
        ("003", {"ADJ003", "ADJ007", "ADJ009", "ADJ013"}),
        ("004", {"ADJ004", "ADJ006", "ADJ014"}),
    ],
)
def test_lint_names_the_faults_of_a_seed(number: str, codes: set[str]) -> None:
    assert {finding.code for finding in lint_judge(seed(number))} == codes
