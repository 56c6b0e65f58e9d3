"""The four seed prompts as they stand, all from one file of cases."""

import json

import pytest

CASE = {
    "id": "eiffel",
    "question": "Where is the Eiffel Tower and when was it completed?",
    "response": "The Eiffel Tower, built in 1889, is located in Paris, France.",
    "reference": "The Eiffel Tower is in Paris. It was completed in 1889.",
    "context": "An encyclopedia article about the tower.",
}
REPLIES = {
    "000": '```json\n{"score": 5, "reason": "Both parts are answered."}\n```',
    "001": '{"final_score": "1.0", "score_reason": "Place and year agree."}',
    "003": (
        "1. **Evaluation**: A good answer.\n\n2. **Strengths**:\n- Correct\n- Short\n\n3. **Weaknesses**:\n- No source\n"
        "- No context\n\n4. **Detailed Analysis**: Accurate and clear.\n\n5. **Recommendations**:\n- Add a source\n\n"
        "Total rating: 3"
    ),
    "004": json.dumps(
        {
            "score": 4,
            "rationale": [
                "Fact: 2 of 2 facts correctly matched.",
                "Conclusion: 0 of 0 conclusions correctly matched.",
                "Terminology: 1 of 1 terms correctly matched.",
                "Organization: matched",
                "Score: 4 ≈ 4.0 = something",
            ],
        }
    ),
}


@pytest.fixture
def shown(adjudge, seeds):
    return {number: json.loads(adjudge("show", path, "--json").out) for number, path in seeds.items()}


EXPECTED = {
    "000": {
        "dialect": "promptl",
        "inputs": [
            {"name": "actualOutput", "required": True, "from": "response"},
            {"name": "parameters", "required": True, "from": "parameters"},
            {"name": "toolCalls", "required": False, "from": "tool_calls"},
        ],
        "score": "score",
        "scale": [0, 5],
        "passes": None,
    },
    "001": {
        "dialect": "mustache",
        "inputs": [
            {"name": "question", "required": True, "from": "question"},
            {"name": "ai_response", "required": True, "from": "response"},
            {"name": "expected_output", "required": True, "from": "reference"},
            {"name": "current_date", "required": False, "default": "today", "from": "current_date"},
        ],
        "score": "final_score",
        "scale": [0, 1],
    },
    "003": {
        "dialect": "printf",
        "inputs": [
            {"name": "question", "required": True, "from": "question"},
            {"name": "answer", "required": True, "from": "response"},
            {"name": "focus", "required": False, "from": "focus"},
        ],
        "score": "rating",
        "scale": [1, 4],
        "passes": None,
    },
    "004": {
        "dialect": "mustache",
        "inputs": [
            {"name": "item.input", "required": True, "from": "question"},
            {"name": "item.reference", "required": True, "from": "reference"},
            {"name": "item.output_text", "required": True, "from": "response"},
        ],
        "score": "score",
        "scale": [0, 5],
        "passes": None,
    },
}


@pytest.mark.parametrize("number", EXPECTED)
def test_show_gives_what_the_seed_means(shown, number):
    assert {key: shown[number][key] for key in EXPECTED[number]} == EXPECTED[number]


def test_the_verdicts_are_those_the_seeds_ask_for(shown):
    def properties(number):
        return shown[number]["verdict"]["properties"]

    text = {"type": "string"}
    assert properties("000")["reason"] == text
    assert properties("000")["score"] == {"type": "integer", "minimum": 0, "maximum": 5}
    assert properties("001")["final_score"]["enum"] == [0.0, 1.0]
    assert properties("001")["score_reason"] == text
    assert properties("003")["rating"] == {"type": "integer", "minimum": 1, "maximum": 4}
    assert {name for name, schema in properties("003").items() if schema["type"] == "array"} == {
        "strengths",
        "weaknesses",
        "recommendations",
    }
    assert properties("003")["evaluation"] == properties("003")["detailed_analysis"] == text
    assert properties("004")["score"] == {"type": "integer", "minimum": 0, "maximum": 5}
    rationale = properties("004")["rationale"]
    assert (rationale["type"], rationale["minItems"], rationale["maxItems"]) == ("array", 5, 5)


@pytest.mark.parametrize(("number", "messages"), [("000", 1), ("001", 1), ("003", 2), ("004", 1)])
def test_the_prompt_is_sent_untouched_and_only_003_gets_a_format_message(shown, seeds, number, messages):
    assert len(shown[number]["messages"]) == messages
    assert shown[number]["messages"][0] == {
        "role": "user",
        "content": seeds[number].read_text(encoding="utf-8"),
    }


def test_all_four_run_from_one_file(adjudge, seeds, tmp_path):
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    (tmp_path / "replies.jsonl").write_text(
        "".join(
            json.dumps({"case_id": "eiffel", "judge": path.stem, "reply": REPLIES[number]}) + "\n"
            for number, path in seeds.items()
        )
    )
    judges = [part for path in seeds.values() for part in ("--judge", path)]
    done = adjudge("run", "cases.jsonl", *judges, "--model", "scripted:replies.jsonl")
    rows = {row["judge"][:3]: row for row in map(json.loads, done.out.splitlines())}
    assert {number: row["score"] for number, row in rows.items()} == {
        "000": 5,
        "001": 1,
        "003": 3,
        "004": 4,
    }, done.err
    assert rows["000"]["notes"] == ["tool_calls_unknown"]
    assert rows["001"]["passed"] is True
    assert rows["003"]["verdict"]["strengths"] == ["Correct", "Short"]
    assert rows["003"]["reason"] == "A good answer."
    (mismatch,) = rows["004"]["notes"]
    assert mismatch.startswith("rationale_mismatch")


def test_the_recomputed_score_counts_when_the_judge_file_says_so(adjudge, seeds, tmp_path):
    text = seeds["004"].read_text(encoding="utf-8")
    (tmp_path / "recomputed.md").write_text(f"---\nscore: coverage_rationale\n---\n{text}", encoding="utf-8")
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    (tmp_path / "replies.jsonl").write_text(json.dumps({"case_id": "eiffel", "reply": REPLIES["004"]}) + "\n")
    done = adjudge("run", "cases.jsonl", "--judge", "recomputed.md", "--model", "scripted:replies.jsonl")
    assert json.loads(done.out)["score"] == 5, done.err


def test_a_file_that_has_only_the_seeds_own_words_in_a_column_runs_too(adjudge, seeds, tmp_path):
    case = {"id": "x", "user_question": "q", "system_answer": "a"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    (tmp_path / "replies.jsonl").write_text('{"case_id": "x", "reply": "**Total rating:** unhelpful"}\n')
    done = adjudge("run", "cases.jsonl", "--judge", seeds["003"], "--model", "scripted:replies.jsonl")
    assert json.loads(done.out)["score"] == 2, done.out + done.err
