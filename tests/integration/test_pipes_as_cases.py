"""A named pipe and `<(…)` as the file of cases: read once, by nobody but the run."""

import json
import os
import sys
import threading

import pytest
from jsonl import read_lines

import adjudge
from adjudge.cli.main import run_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
ROWS = [{"id": name, "question": "q", "response": f"r {name}"} for name in "abc"]


@pytest.fixture
def pipe(tmp_path):
    """Makes a pipe of that name into which the text is written once."""
    threads = []

    def make(name, text):
        path = tmp_path / name
        os.mkfifo(path)
        threads.append(threading.Thread(target=path.write_text, args=(text,), daemon=True))
        threads[-1].start()
        return path

    yield make
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cases.jsonl", "\n".join(map(json.dumps, ROWS))),
        ("63", json.dumps(ROWS, indent=1)),
        ("cases", "id,question,response\na,q,r\nb,q,r\nc,q,r\n"),
    ],
    ids=["JSON lines", "JSON", "CSV"],
)
def test_a_named_pipe_is_a_file_of_cases(pipe, name, text):
    run = adjudge.evaluate(
        pipe(name, text), judges="relevance", model=lambda prompt: '{"reason": "x", "score": 4}'
    )
    assert sorted(judgement.case_id for judgement in run) == ["a", "b", "c"]


def test_run_reads_what_a_shell_substitutes(tmp_path, capfd):
    """As `adjudge run <(…)` does: the shell passes /dev/fd/N, the reading end of a pipe."""
    (tmp_path / "replies.jsonl").write_text(
        "\n".join(json.dumps({"case_id": row["id"], "reply": {"reason": "x", "score": 4}}) for row in ROWS)
    )
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "w") as end:
            end.write("\n".join(map(json.dumps, ROWS)))
        arguments = ["run", f"/dev/fd/{reading}", "--judge", "relevance", "--model", "scripted:replies.jsonl"]
        assert run_command([*arguments, "-o", "rows.jsonl", "--name", "piped"]) == 0
    finally:
        os.close(reading)
    rows = read_lines(tmp_path / "rows.jsonl")
    assert sorted((row["case_id"], row["score"]) for row in rows) == [("a", 4), ("b", 4), ("c", 4)]
    assert "run piped" in capfd.readouterr().out
