"""`adjudge estimate`: what a run would take, with what is stored taken off, and nothing sent."""

import json
from decimal import Decimal

import pytest

from adjudge.embedded.client import EmbeddedClient
from adjudge.options import Price
from adjudge.runs.session import known_price
from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})


@pytest.fixture
def cases(tmp_path):
    rows = [{"id": str(n), "question": "q", "response": f"answer {n}"} for n in range(4)] + [
        {"id": "blank", "question": "q", "response": ""},
        {"id": "missing", "question": "q"},
    ]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken\n")
    return "cases.jsonl"


def flags(server, name, *more):
    return (name, "--judge", "relevance", "--model", "openai:x", "--base-url", server.openai_url, *more)


def test_it_counts_calls_tokens_and_money_and_sends_nothing(adjudge, cases):
    with ModelServer(replies=GOOD) as server:
        done = adjudge("estimate", *flags(server, cases, "--price", "1,2", "--json"))
        assert server.requests == []
    found = json.loads(done.out)
    assert (found["cases"], found["judgements"], found["not_asked"], found["stored"]) == (7, 7, 3, 0)
    assert found["calls"] == {"low": 4, "likely": 4, "high": 12}
    assert found["learned_from"] == 0
    likely = found["input_tokens"]["likely"] * 1e-6 + found["output_tokens"]["likely"] * 2e-6
    assert found["cost"]["likely"] == pytest.approx(likely)
    for what in ("calls", "input_tokens", "output_tokens", "cost", "seconds"):
        assert found[what]["low"] <= found[what]["likely"] <= found[what]["high"]


def test_what_is_stored_is_taken_off_and_learned_from(adjudge, cases):
    reply = ServerReply(text=GOOD)
    with ModelServer(replies=reply) as server:
        adjudge("run", *flags(server, cases, "-n", "2"))
        found = json.loads(adjudge("estimate", *flags(server, cases, "--json")).out)
        assert len(server.requests) == 2
    assert (found["stored"], found["calls"]["likely"]) == (2, 2)
    assert found["learned_from"] == 2
    assert found["output_tokens"]["likely"] == 2 * 5  # the server says that a reply has five tokens
    assert found["cost"] is None


def test_a_price_nobody_knows_is_said(adjudge, cases):
    with ModelServer(replies=GOOD) as server:
        done = adjudge("estimate", *flags(server, cases))
    assert done.code == 0
    assert "cost           unknown" in done.out
    assert "assumed: no reply of these judges with this model is stored" in done.out


def test_a_checklist_is_counted_once_for_all_repeats(adjudge, tmp_path):
    (tmp_path / "c.jsonl").write_text('{"question": "q", "reference": "A fact.", "response": "r"}\n')
    (tmp_path / "r.jsonl").write_text('{"case_id": "x", "reply": "y"}\n')
    done = adjudge(
        "estimate", "c.jsonl", "--judge", "coverage", "--model", "scripted:r.jsonl", "--repeat", "3", "--json"
    )
    assert json.loads(done.out)["calls"]["likely"] == 4


def test_what_nobody_is_paid_for_costs_nothing(adjudge, cases, tmp_path):
    (tmp_path / "replies.jsonl").write_text(json.dumps({"match": "q", "reply": GOOD}) + "\n")
    (tmp_path / "short.md").write_text("---\ncheck: {length: {max: 30}}\n---\n")
    scripted = ("--judge", "relevance", "--model", "scripted:replies.jsonl")
    for judging in (scripted, ("--judge", "short.md")):
        estimated = adjudge("estimate", cases, *judging, "--json")
        assert json.loads(estimated.out)["cost"] == {"low": 0, "likely": 0, "high": 0}
        done = adjudge("run", cases, *judging, "--max-cost", "0.01", "-o", "rows.csv")
        assert (done.code, "$0" in done.out) == (0, True)
    assert known_price(EmbeddedClient(name="embedded@x"), {}) == Price(input=Decimal(0), output=Decimal(0))
    again = adjudge("estimate", cases, *scripted).out
    assert "4 are answered from the store" in again
    assert "no reply" not in again


def test_no_key_is_needed(adjudge, cases):
    done = adjudge("estimate", cases, "--judge", "relevance", "--model", "openai:gpt-5-mini", process=True)
    assert (done.code, done.err) == (0, "")
    assert "cost           $0.0" in done.out
