"""Faults that last: the run ends soon, with few requests made, and says what is wrong."""

import asyncio
import os
import random
import socket
import subprocess
import sys
import threading

import pytest

from adjudge.models import Governor, RetryingClient, open_model
from adjudge.testing import ModelServer, ServerReply

OK = ServerReply(text="ok")
KEY = {"OPENAI_API_KEY": "sk-a-key-that-is-not-accepted"}


def kinds(result, *expected):
    """Every call has an outcome, and of these kinds only."""
    assert set(result.counts) == set(expected)
    assert sum(result.counts.values()) == 1000
    assert result.client.circuit.open
    last = [error.message for error in result.errors if error.kind == "circuit_open"][-1]
    assert last == f"not sent: {result.client.circuit.why}"
    return last


def test_a_wrong_key_ends_the_run_after_the_first_calls_and_names_the_variable(run_calls):
    with ModelServer(ServerReply(status=401, message="Incorrect API key")) as server:
        result = run_calls(server.openai_url, 1000, first_alone=False, environ=KEY)
    message = kinds(result, "unauthorized", "circuit_open")
    assert message.startswith("not sent: all 3 calls so far failed; the last one: openai:m at 127.0.0.1:")
    assert message.endswith("answered 401: Incorrect API key; check the key in OPENAI_API_KEY")
    assert len(server.requests) == result.counts["unauthorized"] <= 8 + 3


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ServerReply(status=403, message="not for you"), "unauthorized"),
        (ServerReply(status=404, message="no such model"), "rejected"),
        (ServerReply(status=402, message="pay first"), "account_exhausted"),
        (ServerReply(status=429, message="used up", code="insufficient_quota"), "account_exhausted"),
    ],
)
def test_what_no_other_call_changes_ends_the_run_after_the_first_calls(run_calls, reply, kind):
    with ModelServer(reply) as server:
        result = run_calls(server.openai_url, 1000, first_alone=False)
    assert reply.message in kinds(result, kind, "circuit_open")
    assert len(server.requests) == result.counts[kind] <= 8 + 3


@pytest.mark.parametrize(
    "reply",
    [
        ServerReply(status=500, message="broken"),
        ServerReply(status=503, message="loading"),
        ServerReply(close=True),
        ServerReply(reset=True),
        ServerReply(text="x" * 1000, cut=True),
        ServerReply(body=b"<html>"),
    ],
)
def test_a_server_that_never_answers_ends_the_run_soon(run_calls, reply):
    with ModelServer(reply) as server:
        result = run_calls(server.openai_url, 1000, first_alone=False)
    message = kinds(result, "unavailable", "circuit_open")
    assert "calls so far failed" in message or "every attempt failed" in message
    assert len(server.requests) <= 200


def test_refusals_without_end_end_the_run(run_calls):
    with ModelServer(ServerReply(status=429, message="slow down")) as server:
        result = run_calls(server.openai_url, 1000, first_alone=False)
    assert "slow down" in kinds(result, "rate_limited", "circuit_open")
    assert len(server.requests) <= 6 * (16 + 8)
    assert result.client.governor.limit == 1


def test_a_server_that_hangs_ends_the_run_within_a_few_timeouts(run_calls):
    with ModelServer(ServerReply(stall=True)) as server:
        result = run_calls(server.openai_url, 1000, first_alone=False, timeout_seconds=0.05)
    assert "did not respond within 0.05 seconds" in kinds(result, "unavailable", "circuit_open")
    assert len(server.requests) <= 100


def test_nobody_listening_ends_the_run_soon(run_calls):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        result = run_calls(f"http://127.0.0.1:{held.getsockname()[1]}/v1", 1000, first_alone=False)
    assert kinds(result, "unavailable", "circuit_open").endswith("is the server running?")


def test_a_certificate_nobody_vouches_for_ends_the_run_and_sends_nothing(run_calls, self_signed):
    certificate, key = self_signed
    with ModelServer(OK, certificate=certificate, key=key) as server:
        assert server.openai_url.startswith("https://")
        result = run_calls(server.openai_url, 1000, first_alone=False, environ=KEY)
    message = kinds(result, "unavailable", "circuit_open")
    assert "could not open a secure connection to 127.0.0.1:" in message
    assert "certificate not accepted (self-signed certificate" in message
    assert server.requests == []


def test_the_same_server_is_spoken_to_when_its_certificate_is_trusted(self_signed):
    """What is refused above is the certificate, and nothing else about the server."""
    certificate, key = self_signed
    code = (
        "import asyncio, sys\n"
        "from adjudge.models import open_model\n"
        "from adjudge.records import Message, Prompt, Request\n"
        "async def work():\n"
        "    client = open_model('openai:m', base_url=sys.argv[1], environ={})\n"
        "    prompt = Prompt(messages=(Message(role='user', content='q'),))\n"
        "    request = Request(prompt=prompt, schema=None, case_id='c', judge='j')\n"
        "    print((await client.complete(request)).text)\n"
        "    await client.close()\n"
        "asyncio.run(work())\n"
    )
    with ModelServer(OK, certificate=certificate, key=key) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, server.openai_url],
            env=os.environ | {"SSL_CERT_FILE": str(certificate)},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
    assert (done.stdout, done.stderr) == ("ok\n", "")


def test_tls_towards_a_server_that_has_none_ends_the_run(run_calls):
    with ModelServer(OK) as server:
        result = run_calls(server.base_url.replace("http:", "https:"), 1000, first_alone=False)
    assert "could not open a secure connection to 127.0.0.1:" in kinds(result, "unavailable", "circuit_open")
    assert server.requests == []


def test_a_name_that_no_resolver_knows_ends_the_run(run_calls):
    url = "http://models.invalid:8000/v1"
    result = run_calls(url, 1000, first_alone=False, jobs=1, timeout_seconds=30.0)
    message = kinds(result, "unavailable", "circuit_open")
    assert "could not resolve models.invalid:8000: check the name in the base URL" in message


def test_a_redirect_to_a_name_that_cannot_be_one_is_no_such_host(run_calls):
    away = ServerReply(status=307, headers={"Location": "http://a..b:1/v1"})
    with ModelServer(away) as server:
        result = run_calls(server.openai_url, 1000, first_alone=False, jobs=2)
    assert "or a host that it redirects to" in kinds(result, "unavailable", "circuit_open")


def test_a_bad_request_is_its_case_s_own_and_the_rest_resumes(run_calls):
    def answer(request):
        bad = request.prompt in {"case 3", "case 5", "case 8", "case 9", "case 30"}
        return ServerReply(status=400, message="not this one") if bad else OK

    with ModelServer(handler=answer) as server:
        result = run_calls(server.openai_url, 40)
    assert result.counts == {"ok": 35, "rejected": 5}
    assert len(server.requests) == 41
    assert not result.client.circuit.open


def test_a_server_that_dies_in_the_middle_is_given_half_a_minute(run_calls):
    def answer(_request):
        return OK if len(server.requests) <= 50 else ServerReply(status=503, message="gone")

    with ModelServer(handler=answer) as server:
        result = run_calls(server.openai_url, 1000)
    assert result.counts["ok"] == 49
    assert result.counts["unavailable"] >= 16
    assert set(result.counts) == {"ok", "unavailable", "circuit_open"}
    assert "answered 503: gone" in result.client.circuit.why


def test_a_call_s_deadline_holds_over_all_its_attempts(run_calls):
    with ModelServer(ServerReply(stall=True)) as server:
        result = run_calls(
            server.openai_url, 4, jobs=4, first_alone=False, deadline_seconds=0.05, timeout_seconds=600.0
        )
    assert result.counts == {"deadline": 4}
    assert result.errors[0].message == "no answer within the 0.05 seconds a call may take"


def test_calls_that_are_cancelled_free_their_slots_and_the_connections_are_closed():
    from adjudge.records import Message, Prompt, Request

    request = Request(
        prompt=Prompt(messages=(Message(role="user", content="q"),)), schema=None, case_id="c", judge="j"
    )

    sent = threading.Event()

    def answer(_request):
        if len(server.requests) == 4:
            sent.set()
        return ServerReply(stall=True)

    async def work(url):
        governor = Governor(jobs=4)
        client = RetryingClient(
            open_model("openai:m", base_url=url, environ={}), governor=governor, chance=random.Random(0)
        )
        calls = [asyncio.create_task(client.complete(request)) for _ in range(12)]
        await asyncio.to_thread(sent.wait, 30)
        in_flight = governor.in_flight
        for call in calls:
            call.cancel()
        found = await asyncio.gather(*calls, return_exceptions=True)
        await client.close()
        return in_flight, governor, client.circuit, {type(each) for each in found}

    with ModelServer(handler=answer) as server:
        in_flight, governor, circuit, found = asyncio.run(work(server.openai_url))
    assert in_flight == 4
    assert governor.in_flight == 0
    assert governor.errors == {}
    assert not circuit.open
    assert found == {asyncio.CancelledError}
