"""Nothing that `--json` prints moves a cursor, turns the direction of writing, or is unseen."""

import json
import re

import pytest
from jsonl import write_lines

from adjudge.cli.main import run_command
from adjudge.text import escape_unseen

ODD = "\x1b[2J\x07\x7f\x85\x9b31m\u202e\u2066\u200b\u061c\u2028\ufeff\U000e0041"
RAW = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)


@pytest.fixture
def run(tmp_path, capfd):
    rows = [
        {
            "id": f"case {ODD}{n}",
            "question": f"q {ODD}",
            "response": f"r{n}",
            "metadata": {f"kind {ODD}": f"value {ODD}"},
            "label": n % 2,
        }
        for n in range(4)
    ]
    write_lines(tmp_path / "cases.jsonl", rows)
    replies = [
        {"case_id": row["id"], "reply": {"reason": f"because {ODD}", "score": 4 - n}}
        for n, row in enumerate(rows)
    ]
    write_lines(tmp_path / "replies.jsonl", replies)
    judge = tmp_path / "judge.md"
    judge.write_text(f"Is it {ODD} good?\n\n{{{{response}}}}\n\nReply with only a number from 1 to 5.")
    common = ["run", "cases.jsonl", "--judge", "relevance", "-m", "scripted:replies.jsonl", "--name", "r"]
    assert run_command([*common, "--json", "--slice", f"kind {ODD}"]) == 0
    printed = capfd.readouterr().out
    assert run_command([*common[:-1], "r2"]) == 0
    capfd.readouterr()
    return printed


def test_every_command_escapes_what_a_terminal_would_obey(run, capfd):
    outputs = {"run": run}
    for name, command in {
        "report": ["report", "r", "--json", "--slice", f"kind {ODD}"],
        "show case": ["show", "r", f"case {ODD}0", "--json"],
        "show judge": ["show", "judge.md", "--json"],
        "lint": ["lint", "judge.md", "--json"],
        "runs": ["runs", "--json"],
        "export": ["export", "r", "-o", "-"],
        "compare": ["compare", "r", "r2", "--json"],
    }.items():
        code = run_command(command)
        assert code in {0, 1, 3}, (name, capfd.readouterr().err)
        outputs[name] = capfd.readouterr().out
    for name, text in outputs.items():
        assert not RAW.search(text), (name, RAW.search(text))
    (row,) = json.loads(outputs["show case"])
    assert row["case_id"] == f"case {ODD}0"
    assert ODD in json.dumps(row, ensure_ascii=False).replace("\\u001b", "\x1b").replace("\\u0007", "\x07")


def test_escaping_changes_no_value():
    data = json.dumps({ODD: [ODD, "plain é 漢 👩\u200d👩"]}, ensure_ascii=False).encode()
    assert json.loads(escape_unseen(data)) == json.loads(data)
    assert "漢 👩\u200d👩".encode() in escape_unseen(data)
