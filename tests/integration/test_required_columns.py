"""A column that a judge needs and the first rows all lack: one error, before anything is judged."""

import csv
import json
import shlex

import pytest
from jsonl import parse_lines
from served import served

GOOD = {"reason": "x", "score": 4}
HEADINGS = ("Ticket", "User Question", "Bot Answer", "Gold Answer", "human_ok", "Channel")


@pytest.fixture
def support(tmp_path):
    with (tmp_path / "support.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [HEADINGS, *([f"T{n}", f"q {n}", "yes", "yes", "4", "mail"] for n in range(30))]
        )
    return "support.csv"


@pytest.fixture
def cases(tmp_path):
    def write(*rows):
        (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return "cases.jsonl"

    return write


@pytest.fixture
def replies(tmp_path):
    def write(count):
        lines = (json.dumps({"case_id": f"T{n}", "reply": GOOD}) for n in range(count))
        (tmp_path / "replies.jsonl").write_text("\n".join(lines))
        return "scripted:replies.jsonl"

    return write


def test_one_error_whose_columns_can_be_pasted(adjudge, support, tmp_path):
    done = adjudge("run", support, "--judge", "correctness", process=True)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("User Question") == 2  # among the columns, and in the hint
    assert [path.name for path in tmp_path.iterdir()] == [support]
    hint = done.err.split("`")[-2]
    pasted = adjudge(
        "estimate", support, "--judge", "correctness", "--model", "openai:gpt-5-mini", *shlex.split(hint)
    )
    assert pasted.code == 0, pasted.err
    assert shlex.split(hint)[1::2] == [
        "question=User Question",
        "reference=Gold Answer",
        "response=Bot Answer",
    ]


def test_rows_of_a_pipe_that_were_looked_at_are_judged(adjudge, replies):
    rows = [{"id": f"T{n}", "question": "q", **({} if n < 3 else {"response": "r"})} for n in range(6)]
    done = adjudge(
        "run", "-", "--judge", "relevance", "--model", replies(6), stdin="\n".join(map(json.dumps, rows))
    )
    assert done.code == 0, done.err
    outcomes = [row["outcome"] for row in parse_lines(done.out)]
    assert outcomes == ["missing_input"] * 3 + ["scored"] * 3


def test_only_the_rows_that_are_judged_are_looked_at(adjudge, replies, cases):
    rows = [{"id": f"T{n}", "question": "q", **({} if n < 3 else {"response": "r"})} for n in range(6)]
    done = adjudge("run", cases(*rows), "--judge", "relevance", "--model", replies(6), "-n", "3")
    assert done.code == 2
    assert "the first 3 rows have no `response`; there is `id`, `question`" in done.err
    assert "`--columns response=COLUMN`" in done.err


def test_a_score_by_rule_for_what_is_missing_is_no_error(adjudge, replies, cases, tmp_path):
    (tmp_path / "j.md").write_text(
        "---\nadjudge: 1\nscale: [1, 5]\nwhen_missing: {score: 1}\n---\nRate {{response}} from 1 to 5, and reply with a number.\n"
    )
    done = adjudge("run", cases({"id": "a", "question": "q"}), "--judge", "j.md", "--model", replies(1))
    assert [row["outcome"] for row in parse_lines(done.out)] == ["forced"], done.err


def test_columns_that_are_mapped_are_not_offered_to_slice_by(adjudge, support, replies, tmp_path):
    columns = ("id=Ticket", "question=User Question", "response=Bot Answer", "label=human_ok")
    mapped = [word for each in columns for word in ("--columns", each)]
    asked = ("--judge", "relevance", "--model", replies(30), *mapped, "--name", "r", "-o", "rows.jsonl")
    done = adjudge("run", support, *asked)
    assert done.code == 0, done.err
    with served(tmp_path / ".adjudge") as pages:
        assert [each["name"] for each in pages.read("/api/runs/r")["columns"]] == ["Channel", "Gold Answer"]
