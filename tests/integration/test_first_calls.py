"""What a model refuses is learned by one call, before the others are sent, and every request that is sent is counted."""

import json
from contextlib import closing

import pytest
from jsonl import parse_lines, write_lines

from adjudge.store import open_store
from adjudge.testing import ModelServer, ServerReply

GOOD = {"reason": "It answers the question.", "score": 4}
REFUSED = {"max_tokens", "temperature", "logprobs"}
"""By OpenAI's reasoning models."""


@pytest.fixture
def run(adjudge, tmp_path):
    """The installed command on so many cases; its rows beside how it ended."""

    def run(server, rows, *flags, provider="openai", process=True):
        write_lines(
            tmp_path / "cases.jsonl",
            [{"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(rows)],
        )
        url = server.openai_url if provider == "openai" else server.anthropic_url
        model = ["--model", f"{provider}:gpt-5-mini", "--base-url", url, "--name", "r"]
        return adjudge("run", "cases.jsonl", "--judge", "relevance", *model, *flags, process=process)

    return run


def outcomes(done):
    rows = parse_lines(done.out)
    return {kind: sum(row["outcome"] == kind for row in rows) for kind in {row["outcome"] for row in rows}}


def calls(tmp_path):
    with closing(open_store(str(tmp_path / ".adjudge"))) as store:
        return store.spending("r").calls


def test_the_others_wait_for_the_first_call_to_learn(run, tmp_path):
    """150 cases at 64 jobs took 278 requests."""
    with ModelServer(GOOD, refuse=REFUSED) as server:
        done = run(server, 150, "-j", "64")
        assert (done.code, outcomes(done)) == (0, {"scored": 150}), done.err
        assert len(server.requests) == 153
        assert server.answers == {400: 3, 200: 150}
    assert calls(tmp_path) == 153


def test_a_batch_is_sent_with_what_one_direct_call_has_learned(run, tmp_path):
    """It failed wholly after three batches, up to three days later."""
    with ModelServer(GOOD, refuse=REFUSED) as server:
        done = run(server, 20, "--batch")
        assert (done.code, outcomes(done)) == (0, {"scored": 20}), done.err
        alone = [request for request in server.requests if request.wire]
        assert len(alone) == 4
        assert [{status for _, status, _ in batch.results} for batch in server.batches] == [{200}]
        assert len(server.batches[0].results) == 19
    assert calls(tmp_path) == 4 + 19


def test_a_first_call_that_is_rejected_for_what_it_says_teaches_nothing(run):
    def answer(request):
        if "answer 0." in request.prompt:
            return ServerReply(status=400, message="prompt is too long", code="context_length_exceeded")
        refused = sorted(REFUSED & request.body.keys())
        if refused:
            return ServerReply(status=400, message=f"Unsupported parameter: '{refused[0]}'", param=refused[0])
        return GOOD

    with ModelServer(handler=answer) as server:
        done = run(server, 20, "--batch", process=False)
        assert outcomes(done) == {"scored": 19, "too_long": 1}, done.err
        assert [{status for _, status, _ in batch.results} for batch in server.batches] == [{200}]


@pytest.mark.parametrize("allowed", [1, 2, 20])
def test_at_most_so_many_requests_are_sent_however_many_are_refused(run, tmp_path, allowed):
    """Of 20 allowed, 37 were sent."""
    with ModelServer(GOOD, refuse=REFUSED) as server:
        done = run(server, 60, "--max-calls", str(allowed), "-j", "16", process=False)
        assert len(server.requests) == allowed, done.err
        assert outcomes(done).get("scored", 0) == max(0, allowed - 3)
    assert calls(tmp_path) == allowed


def test_a_request_that_is_rejected_counts_as_sent(run, tmp_path):
    """Of 20 allowed, 159 were sent."""
    with ModelServer(ServerReply(status=400, message="the picture is upside down")) as server:
        done = run(server, 200, "--max-calls", "20", process=False)
        assert done.code == 3
        assert len(server.requests) == 20
    assert calls(tmp_path) == 20


# ---- a limit on money ----

LIMIT = ("--max-cost", "3", "--price", "0,10")


def dear(**more):
    reply = {
        "model": "m",
        "choices": [{"message": {"content": json.dumps(GOOD)}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 100_000},
    }
    return ServerReply(body=json.dumps(reply).encode(), **more)


@pytest.mark.parametrize("more", [(), ("--batch",)], ids=["live", "batch"])
def test_a_model_that_takes_no_output_limit_has_no_limit_on_money(run, more):
    """It was asked without a limit: $3 became $64."""

    def answer(request):
        refused = sorted({"max_tokens", "max_completion_tokens"} & request.body.keys())
        if refused:
            return ServerReply(status=400, message=f"Unsupported parameter: '{refused[0]}'", param=refused[0])
        return dear()

    with ModelServer(handler=answer) as server:
        done = run(server, 200, *LIMIT, *more)
        assert server.answers[400] == len(server.requests) == 2
    assert done.code == 2
    assert "--max-cost: openai:gpt-5-mini takes no limit on the length of its replies" in done.err
    assert "hint: limit requests with --max-calls instead" in done.err


def test_a_reply_that_cost_more_than_its_reservation_ends_the_run(run):
    """A service that ignores the limit: $3 became $64. A gate is not measured, whatever error rate is allowed."""
    with ModelServer(dear()) as server:
        done = run(server, 200, *LIMIT, "--fail-under", "0.5", "--max-error-rate", "1")
        assert len(server.requests) == 1
    assert outcomes(done) == {"scored": 1, "not_asked": 199}
    told = (
        "a reply of openai:gpt-5-mini cost $1.0000, and at most $0.0410 was reserved for it: the server ignored the "
        "limit on output tokens, so that --max-cost 3 cannot hold; limit requests with --max-calls instead"
    )
    assert {row["error"]["message"] for row in parse_lines(done.out) if row["error"]} == {told}
    assert f"warning: {told}" in done.err
    assert (
        "not measured: PARTIAL 1 of 200; run the same command again, with --max-calls and without --max-cost"
        in done.err
    )
    assert done.code == 3


def test_a_batch_that_cost_more_than_its_reservation_is_said_to(run):
    """Its replies come at once, so that nothing is left to stop: all are judged, for more than the limit."""
    with ModelServer(handler=lambda asked: dear() if len(server.requests) > 1 else GOOD) as server:
        done = run(server, 5, *LIMIT, "--batch", process=False)
    assert (outcomes(done), done.code) == ({"scored": 5}, 0)
    assert "the server ignored the limit on output tokens, so that --max-cost 3 cannot hold" in done.err
