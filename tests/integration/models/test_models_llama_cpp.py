"""The installed command against a real llama.cpp server, with the model file that the embedded judge is built from."""

import json
import subprocess
import sys

import pytest
from jsonl import read_lines

from adjudge.embedded.model.pull import base_file

SERVER = """
import sys, xllamacpp
wanted = xllamacpp.CommonParams()
wanted.model.path, wanted.n_ctx, wanted.n_parallel, wanted.warmup = sys.argv[1], 1024, 1, False
server = xllamacpp.Server(wanted)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
JUDGE = """---
verdict: {score: {enum: [1, 2, 3, 4, 5]}}
score: score
scale: [1, 5]
---
Rate from 1 to 5 how well the response answers the question. Reply in JSON: {"score": 4}

Question: {{question}}
Response: {{response}}
"""
CASES = [
    {"id": "right", "question": "2 + 2?", "response": "4"},
    {"id": "wrong", "question": "2 + 2?", "response": "The sea is blue."},
    {"id": "long", "question": "2 + 2?", "response": "word " * 3000},
]


@pytest.fixture
def llama_cpp():
    """Its base URL; the server ends with its standard input."""
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
    if not base_file().is_file():
        pytest.skip("the embedded judge's model is not on this machine: `adjudge models pull`")
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, base_file()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        yield f"{address}/v1"
        process.stdin.close()
        process.stdout.close()


def test_a_real_server_is_asked_with_a_schema_and_its_replies_are_scored(adjudge, llama_cpp, tmp_path):
    (tmp_path / "grade.md").write_text(JUDGE)
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in CASES))
    model = ("--model", "openai:smollm2", "--base-url", llama_cpp, "--max-output-tokens", "24")
    done = adjudge("run", "cases.jsonl", "--judge", "grade.md", *model, "-o", "rows.jsonl", process=True)
    assert done.code == 0, done.err
    rows = {row["case_id"]: row for row in read_lines(tmp_path / "rows.jsonl")}
    assert [rows[name]["outcome"] for name in ("right", "wrong", "long")] == ["scored", "scored", "too_long"]
    for row in (rows["right"], rows["wrong"]):
        assert row["score"] in {1, 2, 3, 4, 5}
        assert row["notes"] == []  # the schema and the log-probabilities were taken as they are
        assert row["usage"]["input"] > 20
        assert row["usage"]["output"] > 2
    assert "exceeds the available context size (1024 tokens)" in rows["long"]["error"]["message"]
