"""Faults that pass: every call is answered in the end, none is answered twice, and nothing is asked too fast."""

import threading
import time
from collections import Counter
from itertools import count

import pytest

from adjudge.testing import ModelServer, RateLimit, ServerReply

OK = ServerReply(text="ok")


def for_some(*faults, every=2, times=2):
    """Every other case meets one of the faults the first two times that it is asked."""
    asked = Counter()

    def answer(request):
        asked[request.prompt] += 1
        number = request.prompt.strip().removeprefix("case ")
        if not number.isdigit() or int(number) % every or asked[request.prompt] > times:
            return OK
        return faults[int(number) // every % len(faults)]

    return answer


def storm(length, reply):
    """The first is answered, so many are refused, the rest is answered."""
    number = count()

    def answer(_request):
        return reply if 1 <= next(number) <= length else OK

    return answer


@pytest.mark.parametrize("headers", [{"Retry-After": "2"}, {"retry-after-ms": "1500"}, {}])
def test_a_storm_of_429_is_weathered(run_calls, headers):
    refusal = ServerReply(status=429, message="slow down", headers=headers)
    with ModelServer(handler=storm(30, refusal)) as server:
        result = run_calls(server.openai_url, 60, jobs=16)
    assert result.counts == {"ok": 60}
    assert server.answers == {200: 61, 429: 30}
    assert result.attempts == 90
    assert result.client.governor.errors == {"rate_limited": 30}
    assert result.client.governor.limit < 16


def test_after_retry_after_nobody_asks_before_the_time(run_calls):
    at = []

    def answer(_request):
        at.append(time.monotonic())
        return ServerReply(status=429, headers={"Retry-After": "4"}) if len(at) == 2 else OK

    with ModelServer(handler=answer) as server:
        result = run_calls(server.openai_url, 10, jobs=1)
    assert result.counts == {"ok": 10}
    assert at[2] - at[1] >= 4 / 100  # a lower bound of what the clock of these tests makes of 4 seconds


def test_429_then_200(run_calls):
    with ModelServer([OK, ServerReply(status=429), OK]) as server:
        result = run_calls(server.openai_url, 1, jobs=1)
    assert result.counts == {"ok": 1}
    assert result.attempts == 2


@pytest.mark.parametrize("status", [408, 409, 425, 500, 502, 503, 504, 529])
def test_each_status_that_may_pass_is_asked_again(run_calls, status):
    with ModelServer([OK, *[ServerReply(status=status)] * 3, OK]) as server:
        result = run_calls(server.openai_url, 1, jobs=1)
    assert result.counts == {"ok": 1}
    assert result.attempts == 4


FAULTS = {
    "500": ServerReply(status=500),
    "503 with Retry-After": ServerReply(status=503, headers={"Retry-After": "1"}),
    "half a body": ServerReply(text="x" * 10_000, cut=True),
    "half of a JSON": ServerReply(body=b'{"choices": [{"mess'),
    "HTML": ServerReply(body=b"<html>502 Bad Gateway</html>"),
    "another JSON": ServerReply(body=b'{"object": "list"}'),
    "nothing": ServerReply(body=b""),
    "closed": ServerReply(close=True),
    "reset": ServerReply(reset=True),
    "an error in a 200": ServerReply(body=b'{"error": {"code": 503, "message": "upstream"}}'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_now_and_then_loses_no_call(run_calls, fault):
    with ModelServer(handler=for_some(FAULTS[fault])) as server:
        result = run_calls(server.openai_url, 40)
    assert result.counts == {"ok": 40}
    assert {completion.text for completion in result.completions} == {"ok"}
    assert sorted(completion.attempts for completion in result.completions) == [1] * 20 + [3] * 20
    assert len(server.requests) == 81
    assert result.client.governor.errors == {"unavailable": 40}


def test_all_of_them_together_lose_no_call(run_calls):
    faults = [
        *FAULTS.values(),
        ServerReply(status=429),
        ServerReply(status=429, headers={"Retry-After": "1"}),
    ]
    with ModelServer(handler=for_some(*faults)) as server:
        result = run_calls(server.openai_url, 96)
    assert result.counts == {"ok": 96}
    assert result.attempts == len(server.requests) - 1 == 192
    assert result.client.governor.errors == {"unavailable": 80, "rate_limited": 16}


@pytest.mark.parametrize("model", ["anthropic:m", "google:m", "azure:m"])
def test_the_other_services_are_asked_again_too(run_calls, model):
    faults = [
        ServerReply(status=429),
        ServerReply(status=529),
        ServerReply(reset=True),
        ServerReply(body=b"{"),
    ]
    with ModelServer(handler=for_some(*faults)) as server:
        result = run_calls(server.base_url, 16, model=model)
    assert result.counts == {"ok": 16}
    assert result.attempts == 32


def test_a_server_that_hangs_now_and_then_is_asked_again_when_the_time_is_up(run_calls):
    with ModelServer(handler=for_some(ServerReply(stall=True), every=10, times=1)) as server:
        result = run_calls(server.openai_url, 20, timeout_seconds=0.2)
    assert result.counts == {"ok": 20}
    assert server.answers[0] == 2
    assert result.client.governor.errors["unavailable"] >= 2


def test_a_slow_drip_is_an_answer(run_calls):
    with ModelServer(ServerReply(text="ok", drip_seconds=0.05)) as server:
        result = run_calls(server.openai_url, 5)
    assert result.counts == {"ok": 5}
    assert result.attempts == 5


def test_a_drip_too_slow_for_a_call_s_time_is_not_waited_for(run_calls):
    drip = ServerReply(text="ok", drip_seconds=30.0)
    with ModelServer(handler=for_some(drip, every=10, times=1)) as server:
        result = run_calls(server.openai_url, 20, timeout_seconds=0.2)
    assert result.counts == {"ok": 20}
    assert result.client.governor.errors["unavailable"] >= 2


@pytest.mark.parametrize("tell", [True, False])
def test_a_rate_limit_costs_refusals_and_no_call(run_calls, tell):
    with ModelServer(OK, rate_limit=RateLimit(requests=10, seconds=0.05, tell=tell)) as server:
        result = run_calls(server.openai_url, 100, jobs=32)
    assert result.counts == {"ok": 100}
    assert server.answers[200] == 101
    assert server.answers[429] == result.attempts - 100


@pytest.mark.parametrize("pace", [{"rpm": 600}, {"tpm": 600 * 515}])
def test_our_own_pace_is_kept(run_calls, pace):
    """600 a minute, 10 of them at once: 60 calls take 5 seconds at least."""
    at = []

    def answer(_request):
        at.append(time.monotonic())
        return ServerReply(text="ok", usage=None)

    with ModelServer(handler=answer) as server:
        result = run_calls(server.openai_url, 60, jobs=32, **pace)
    assert result.counts == {"ok": 60}
    assert at[-1] - at[0] >= 4.9 / 100


def test_no_more_are_in_flight_than_jobs(run_calls):
    all_five = threading.Event()

    def answer(_):
        if len(server.requests) == 1 + 5:
            all_five.set()
        return OK if len(server.requests) == 1 else ServerReply(text="ok", after=all_five)

    with ModelServer(handler=answer) as server:
        result = run_calls(server.openai_url, 30, jobs=5)
    assert result.counts == {"ok": 30}
    assert server.most_in_flight == 5


def test_a_refused_parameter_and_a_fault_are_both_counted_as_attempts(run_calls):
    with ModelServer([ServerReply(status=500), OK], refuse=["logprobs"]) as server:
        result = run_calls(server.openai_url, 1, jobs=1, first_alone=False)
    assert result.counts == {"ok": 1}
    assert result.attempts == len(server.requests) == 3
    assert result.completions[0].notes == ("left_out:logprobs",)
