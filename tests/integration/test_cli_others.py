"""`judge`, `judges`, `show`, `lint`, `models` and `init`, as a person types them."""

import json

import pytest
from jsonl import read_lines

from adjudge.errors import install_command

CORRECT = {
    "reason": "Same.",
    "contradicts": False,
    "misses_critical": False,
    "calculation": False,
    "numbers": [],
}


@pytest.fixture
def script(tmp_path):
    def write(reply):
        (tmp_path / "replies.jsonl").write_text(json.dumps({"case_id": "case", "reply": reply}) + "\n")
        return "scripted:replies.jsonl"

    return write


def test_help_and_version(adjudge):
    assert "Turn judge prompts into measurements" in adjudge("--help").out
    assert adjudge("--version").out.startswith("adjudge 0.")
    assert adjudge("run", "--help").code == 0
    bare = adjudge()
    assert (bare.code, bare.out.splitlines()[0]) == (0, "Usage: adjudge [OPTIONS] COMMAND [ARGS]...")


def test_judge_prints_score_reason_and_notes(adjudge, script):
    reply = {**CORRECT, "numbers": [{"expected": "100", "response": "98", "critical": True}]}
    done = adjudge(
        *("judge", "correctness", "--question", "How many?", "--response", "98", "--reference", "100"),
        *("--model", script(reply)),
    )
    assert done.code == 0, done.err
    assert done.out.startswith("score 1, passed\nSame.\nnote: number: ")


def test_judge_as_contract_and_as_json(adjudge, script):
    asked = (
        "judge",
        "correctness",
        "--question",
        "q",
        "--response",
        "r",
        "--reference",
        "r",
        "--model",
        script(CORRECT),
    )
    assert json.loads(adjudge(*asked, "--as", "contract").out) == {
        "final_score": "1.0",
        "score_reason": "Same.",
    }
    assert json.loads(adjudge(*asked, "--json").out)["verdict"]["contradicts"] is False


def test_judge_with_a_missing_input_says_which_and_exits_3(adjudge, script):
    done = adjudge("judge", "correctness", "--question", "q", "--response", "r", "--model", script(CORRECT))
    assert done.code == 3
    assert "missing_input: `reference` is absent" in done.err


def test_judge_takes_several_references_and_tool_calls(adjudge, script):
    done = adjudge(
        *(
            "judge",
            "correctness",
            "--question",
            "q",
            "--response",
            "r",
            "--reference",
            "a",
            "--reference",
            "b",
        ),
        *("--model", script(CORRECT)),
    )
    assert done.out.startswith("score 1")
    wrong = adjudge(
        "judge", "relevance", "--response", "r", "--tool-calls", "none", "--model", script(CORRECT)
    )
    assert wrong.code == 2
    assert "`[]` says that none were made" in wrong.err


def test_judges_lists_the_built_in_ones(adjudge):
    described = json.loads(adjudge("judges", "--json").out)
    names = [judge["name"] for judge in described]
    assert names == [
        "correctness",
        "coverage",
        "groundedness",
        "helpfulness",
        "preference",
        "relevance",
        "rubric",
    ]
    text = adjudge("judges").out
    assert all(f"{judge['name']}@{judge['hash']}" in text for judge in described)


def test_show_prints_what_was_understood_and_what_was_not(adjudge, tmp_path):
    (tmp_path / "mine.txt").write_text("Tell me what you think of {{answer}}.")
    done = adjudge("show", "mine.txt")
    assert done.code == 0
    assert "dialect    mustache" in done.out
    assert "input      answer (required), from response" in done.out
    assert "not read" in done.out
    assert "--- user ---\nTell me what you think of {{answer}}." in done.out


def test_show_with_a_case_renders_the_prompt(adjudge, tmp_path):
    (tmp_path / "mine.txt").write_text("Is this good? {{answer}}")
    (tmp_path / "cases.jsonl").write_text('{"response": "Yes {{answer}} \\u001b[31m"}\n')
    shown = json.loads(adjudge("show", "mine.txt", "--case", "cases.jsonl", "--json").out)
    assert shown["messages"][0]["content"] == "Is this good? Yes {{answer}} \x1b[31m"
    assert "\x1b" not in adjudge("show", "mine.txt", "--case", "cases.jsonl").out


def test_show_with_a_case_that_lacks_an_input_says_so(adjudge, tmp_path):
    (tmp_path / "mine.txt").write_text("Is this good? {{answer}}")
    (tmp_path / "cases.jsonl").write_text('{"question": "?"}\n')
    done = adjudge("show", "mine.txt", "--case", "cases.jsonl")
    assert done.code == 2
    assert "`answer` is absent" in done.err
    assert "--columns" in done.err


def test_a_mistake_in_columns_is_reported_under_that_name(adjudge):
    done = adjudge("show", "correctness", "--columns", "question")
    assert done.code == 2
    assert "error: Invalid value for '--columns': `question` is not of the form name=value" in done.err


def test_lint_finds_and_gates(adjudge, tmp_path):
    (tmp_path / "bad.txt").write_text(
        'Rate {{answer}} from 1 to 5. Reply with JSON: {"score": <1-5>, "reason": "..."}'
    )
    done = adjudge("lint", "bad.txt", "--json")
    found = json.loads(done.out)
    assert done.code == 1
    assert {"judge", "line", "code", "rule", "message", "hint"} == set(found[0])
    assert all(finding["code"].startswith("ADJ") for finding in found)
    assert "hint:" in adjudge("lint", "bad.txt").out


def test_the_built_in_judges_are_clean(adjudge):
    done = adjudge("lint", "relevance", "correctness", "helpfulness", "coverage")
    assert (done.code, done.out) == (0, "0 findings in 4 judges\n")


def test_models_lists_providers_and_whether_their_key_is_set(adjudge):
    environ = {"OPENAI_API_KEY": "sk-secret-value"}
    done = adjudge("models", environ=environ)
    assert "OPENAI_API_KEY is set" in done.out
    assert "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set" in done.out
    assert "sk-secret-value" not in done.out
    found = json.loads(adjudge("models", "--json", environ=environ).out)
    listed = {row["provider"]: row for row in found["providers"]}
    assert listed["openai"]["key_set"] is True
    assert {"openai", "azure", "anthropic", "google", "litellm", "scripted"} <= set(listed)


def test_models_says_what_a_provider_needs_only_where_it_is_missing(adjudge, tmp_path):
    (tmp_path / "litellm.py").write_text("raise RuntimeError('not to be imported')")
    assert "needs: " not in adjudge("models", environ={"PYTHONPATH": str(tmp_path)}, process=True).out
    (tmp_path / "litellm.py").unlink()
    hidden = "import sys; sys.modules['litellm'] = None"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    done = adjudge("models", environ={"PYTHONPATH": str(tmp_path)}, process=True)
    assert f"    needs: {install_command('litellm')}\n" in done.out


def test_init_writes_a_folder_that_works_and_overwrites_nothing(adjudge, tmp_path):
    done = adjudge("init", "start")
    assert done.code == 0
    keyless, own = (
        done.out.index(f"adjudge run cases.jsonl --judge {judge}") for judge in ("correctness", "judge.md")
    )
    assert keyless < done.out.index("adjudge show judge.md") < own  # what needs no key goes first
    folder = tmp_path / "start"
    assert sorted(path.name for path in folder.iterdir()) == ["adjudge.toml", "cases.jsonl", "judge.md"]
    assert adjudge("lint", "judge.md", cwd=folder).out == "0 findings in 1 judge\n"
    cases = read_lines(folder / "cases.jsonl")
    (folder / "replies.jsonl").write_text(
        "".join(
            json.dumps({"case_id": case["id"], "reply": {"reason": "Fine.", "rating": 3}}) + "\n"
            for case in cases
        )
    )
    ran = adjudge(
        "run", "cases.jsonl", "--judge", "judge.md", "--model", "scripted:replies.jsonl", cwd=folder
    )
    assert [json.loads(line)["score"] for line in ran.out.splitlines()] == [3] * len(cases), ran.err
    again = adjudge("init", "start")
    assert again.code == 2
    assert "nothing was written" in again.err
