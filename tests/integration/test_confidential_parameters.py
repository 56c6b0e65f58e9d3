"""Secrets in `--param` or in a base URL's query enter the request and nothing else."""

import json
import sqlite3

import pytest
from jsonl import write_lines

import adjudge
from adjudge.cli.main import run_command
from adjudge.models.addresses import parse_base_url
from adjudge.models.clients.confidential import is_secret_name, mask_secrets
from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers.", "score": 4})
SECRET, HEADER, QUERY = "s3cr3t-in-a-param", "Bearer t0ken-in-a-header", "k3y%2Fin/a-query"


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    rows = [{"id": str(n), "question": f"q{n}", "response": "r"} for n in range(4)]
    write_lines(path, rows)
    return path


def everything(folder):
    """All bytes that a run left behind, and the text of every row of its store."""
    found = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    connection = sqlite3.connect(folder / ".adjudge" / "store.db")
    found += "\n".join(connection.iterdump()).encode()
    connection.close()
    return found


def test_secrets_are_sent_and_kept_nowhere(tmp_path, cases, capfd):
    def answer(request):
        given = request.body["api_key"]
        if len(server.requests) == 2:  # a server that repeats what it was sent
            return ServerReply(status=400, message=f"wrong: {given} at ?key={QUERY}, {HEADER}")
        return ServerReply(text=json.dumps({"reason": f"I was given {given} and {QUERY}.", "score": 4}))

    with ModelServer(handler=answer) as server:
        flags = ["-m", "openai:m", "--base-url", f"{server.openai_url}?key={QUERY}", "-j", "1"]
        flags += ["--param", f"api_key={SECRET}", "--param", "top_p=0.5"]
        flags += ["--param", f'extra_headers={{"X-Key": "{HEADER}"}}']
        command = ["run", str(cases), "--judge", "relevance", *flags, "-o", "out.jsonl", "-o", "out.html"]
        assert run_command(command) == 0
        first = server.requests[0]
        assert first.body["api_key"] == SECRET
        assert first.body["extra_headers"] == {"X-Key": HEADER}
        assert first.body["top_p"] == 0.5
        assert first.path.endswith("?key=k3y/in/a-query")
        asked = len(server.requests)
        other = [word.replace(SECRET, "an0ther-secret").replace(HEADER, "Bearer 0ther") for word in command]
        assert run_command(other) == 0  # the same question: the secret is no part of it
        assert len(server.requests) == asked + 1  # the call that failed
    for shown in (["show", "last", "0"], ["report", "last"], ["runs", "--json"]):
        assert run_command(shown) == 0
    printed = capfd.readouterr()
    left = everything(tmp_path) + printed.out.encode() + printed.err.encode()
    for secret in (SECRET, HEADER, "t0ken-in-a-header", QUERY, "k3y/in/a-query", "an0ther-secret"):
        assert secret.encode() not in left, secret
    assert b"top_p" in left


def test_the_same_from_python(tmp_path, cases):
    with ModelServer(replies=GOOD) as server:
        run = adjudge.evaluate(
            cases,
            "relevance",
            model="openai:m",
            base_url=server.openai_url,
            parameters={"user_token": SECRET},
        )
        assert {request.body["user_token"] for request in server.requests} == {SECRET}
    assert SECRET not in repr(run) + repr(run.judgements)
    assert SECRET.encode() not in everything(tmp_path)


@pytest.mark.parametrize(
    ("parameters", "masked"),
    [
        ({"max_tokens": 5, "top_p": 0.5, "stop_token_ids": [1]}, None),
        ({"stop": ["\n"], "service_tier": "flex"}, None),
        ({"apiKey": "abcdef"}, {"apiKey": "[key]"}),
        ({"metadata": {"password": "abcdef"}}, {"metadata": {"password": "[key]"}}),
        ({"note": "sk-abcdefghijklmnopqrst"}, {"note": "[key]"}),
        ({"url": "http://me:secret@host/"}, {"url": "[key]"}),
        ({"headers": [{"a": "abcdef"}]}, {"headers": [{"a": "[key]"}]}),
    ],
)
def test_what_is_masked(parameters, masked):
    assert mask_secrets(parameters).parameters == (masked or parameters)
    assert bool(mask_secrets(parameters).secrets) == (masked is not None)


def test_names_of_secrets():
    assert all(
        map(is_secret_name, ["api_key", "Authorization", "aws_secret_access_key", "hf-token", "X-API-KEY"])
    )
    assert not any(map(is_secret_name, ["max_tokens", "keyword", "monkey", "tokenizer", "seed"]))


def test_the_values_of_a_query_are_secret_but_for_a_version():
    base = parse_base_url("https://h/v1?api-version=2024-06-01&sig=a%2Bb&x", where="--base-url")
    assert base.secrets == ("a%2Bb", "a+b")
    assert base.public == "https://h/v1"
