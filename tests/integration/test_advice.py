"""What a report says to do about a failure fits the failure."""

import json

import pytest
from jsonl import write_lines

from adjudge.testing import ModelServer, ServerReply


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((401, {"message": "Incorrect API key provided"}), "correct the key: `adjudge models`"),
        ((404, {"message": "The model `m` does not exist"}), "correct what the message names"),
        (
            (429, {"message": "You exceeded your quota", "code": "insufficient_quota"}),
            "add credit to the account",
        ),
    ],
)
def test_what_waiting_does_not_mend_is_to_be_corrected(adjudge, tmp_path, monkeypatch, reply, words):
    status, error = reply
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-wrong-wrong-wrong")
    write_lines(
        tmp_path / "cases.jsonl", [{"id": str(n), "question": "q", "response": "r"} for n in range(3)]
    )
    with ModelServer(replies=ServerReply(status=status, text=json.dumps({"error": error}))) as server:
        asked = ("--model", "openai:m", "--base-url", server.openai_url)
        done = adjudge("run", "cases.jsonl", "--judge", "relevance", *asked, "-o", "rows.jsonl")
        page = adjudge("show", "last", "0")
    assert done.code == 3
    assert words in " ".join(done.out.split())
    assert "once the service responds" not in done.out
    assert words.casefold() in " ".join(page.out.split()).casefold()


def test_a_latin_1_file_is_to_be_saved_as_utf_8(adjudge, tmp_path):
    (tmp_path / "cases.csv").write_bytes("id,question,response\na,Où?,là\nb,q,r\n".encode("latin-1"))
    (tmp_path / "replies.jsonl").write_text('{"case_id": "b", "reply": {"reason": "x", "score": 4}}')
    asked = ("--judge", "relevance", "--model", "scripted:replies.jsonl", "-o", "rows.jsonl")
    done = adjudge("run", "cases.csv", *asked)
    assert "save the file as UTF-8" in " ".join(done.out.split())


def test_a_pass_rate_may_be_a_percentage(adjudge, tmp_path):
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "question": "q", "response": "r"}])
    (tmp_path / "replies.jsonl").write_text('{"case_id": "a", "reply": {"reason": "x", "score": 1}}')
    asked = ("--judge", "relevance", "--model", "scripted:replies.jsonl", "-o", "rows.jsonl")
    asked += ("--pass", "score >= 4")
    codes = [
        adjudge("run", "cases.jsonl", *asked, "--fail-under-pass-rate", rate).code for rate in ("80%", "0%")
    ]
    assert codes == [1, 0]
    wrong = adjudge("run", "cases.jsonl", *asked, "--fail-under", "80%")
    assert wrong.code == 2
    assert "with X on the judge's own scale" in wrong.err


def test_a_string_that_does_not_end_is_named_once(adjudge, tmp_path):
    (tmp_path / "cases.jsonl").write_text(
        '{"id": "a", "question": "q", "response": "r"}\n{"id": "b", "question": "q\n'
    )
    (tmp_path / "replies.jsonl").write_text('{"case_id": "a", "reply": {"reason": "x", "score": 4}}')
    done = adjudge(
        "run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:replies.jsonl", "-o", "rows.jsonl"
    )
    assert "Unterminated string starting at column 25" in " ".join(done.out.split())


def test_a_rubric_as_a_flag_leads_to_the_judge_that_takes_one(adjudge, tmp_path):
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "question": "q", "response": "r"}])
    done = adjudge("run", "cases.jsonl", "--rubric", "The answer is polite.")
    assert done.code == 2
    assert "--judge rubric --variables 'rubric=The answer is polite.'" in done.err


def test_no_run_is_called_last(adjudge, tmp_path):
    """`adjudge report last` showed the run of that name for ever after, not the latest."""
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "question": "q", "response": "r"}])
    (tmp_path / "replies.jsonl").write_text('{"case_id": "a", "reply": {"reason": "x", "score": 1}}')
    asked = ("--judge", "relevance", "--model", "scripted:replies.jsonl")
    done = adjudge("run", "cases.jsonl", *asked, "--name", "last")
    assert done.code == 2
    assert "--name last: stands for the latest run" in done.err
