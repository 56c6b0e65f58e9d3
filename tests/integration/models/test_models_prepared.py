"""The body a key is made from is the body that is sent, built once; what a model refuses later does not change the key."""

import asyncio
from hashlib import sha256

import pytest

from adjudge.errors import ParameterRefusedError, UnavailableError
from adjudge.models import Governor, RetryingClient, RetryPolicy, open_model, request_key
from adjudge.testing import ModelServer, ServerReply

NAMES = {"openai:m": "openai_url", "azure:m": "base_url", "anthropic:m": "base_url", "google:m": "base_url"}


def ask(server, work, name="openai:m", **options):
    async def run():
        url = getattr(server, NAMES[name])
        client = open_model(name, base_url=url, environ={}, timeout_seconds=5.0, **options)
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(run())


@pytest.mark.parametrize("name", NAMES)
def test_the_key_is_the_hash_of_provider_address_repeat_and_the_bytes_sent(name, make_request):
    async def work(client):
        request = make_request("héllo", repeat=2)
        key = request_key(client, request)
        await client.complete(request)
        return key, request_key(client, make_request("héllo", repeat=2))

    with ModelServer("ok") as server:
        before, after = ask(server, work, name)
    sent = server.requests[0]
    address = f"{server.base_url}{sent.path.partition('?')[0]}"
    head = f"{name.partition(':')[0]}\0{address}\0" + "2\0"
    assert before == after == sha256(head.encode() + sent.raw).hexdigest()


def test_asking_for_alternatives_leaves_the_key_as_it_was(make_request):
    """What was paid for before they were asked for is still found."""

    async def work(client):
        request = make_request(values=("3", "4"))
        key = request_key(client, request)
        await client.complete(request)
        return key == request_key(client, make_request()), key

    with ModelServer("ok") as server:
        same, key = ask(server, work)
    assert same
    assert server.requests[0].body["top_logprobs"] == 5
    assert sha256(server.requests[0].raw).hexdigest() != key


def test_a_body_is_built_once_for_its_key_and_its_first_sending(make_request):
    async def work(client):
        wire, built = client._wire, []

        class Counting:
            endpoint, provider = wire.endpoint, wire.provider
            read, notes, adjust, refusal = wire.read, wire.notes, wire.adjust, wire.refusal
            extras = wire.extras

            def body(self, request, adjustments):
                built.append(request)
                return wire.body(request, adjustments)

        client._wire = Counting()
        request = make_request()
        request_key(client, request)
        request_key(client, request)
        await client.complete(request)
        once = len(built)
        await client.complete(request)
        return once, len(built), len(client._prepared)

    with ModelServer("ok") as server:
        assert ask(server, work) == (1, 2, 0)
    assert server.requests[0].raw == server.requests[1].raw


def test_no_more_bodies_wait_than_there_are_connections(make_request):
    async def work(client):
        requests = [make_request(f"case {number}") for number in range(50)]
        for request in requests:
            request_key(client, request)
        waiting = len(client._prepared)
        for request in requests:
            await client.complete(request)
        return waiting, len(client._prepared)

    with ModelServer("ok") as server:
        assert ask(server, work, connections=8) == (8, 0)
    assert [request.prompt for request in server.requests] == [f"case {number}" for number in range(50)]


def test_what_a_model_refuses_is_left_out_of_what_is_sent_and_not_of_the_key(make_request):
    async def work(client):
        request = make_request()
        before = request_key(client, request)
        with pytest.raises(ParameterRefusedError, match="temperature"):
            await client.complete(request)
        first = await client.complete(request)
        again = make_request()
        after = request_key(client, again)
        second = await client.complete(again)
        return before, after, first, second

    with ModelServer("ok", refuse=["temperature"]) as server:
        before, after, first, second = ask(server, work)
    assert before == after
    assert (first.attempts, second.attempts) == (1, 1)
    assert first.notes == second.notes == ("left_out:temperature",)
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]


def test_what_had_to_be_replaced_in_a_prepared_body_is_noted(make_request):
    async def work(client):
        request = make_request("a\ud83d")
        request_key(client, request)
        return await client.complete(request)

    with ModelServer("ok") as server:
        assert "replaced:lone_surrogates" in ask(server, work).notes


def test_an_error_knows_how_many_requests_were_made_before_it(make_request):
    async def work(client):
        retrying = RetryingClient(client, governor=Governor(jobs=1), policy=RetryPolicy(most_attempts=1))
        await retrying.complete(make_request())

    with (
        ModelServer(ServerReply(status=500), refuse=["temperature", "logprobs"]) as server,
        pytest.raises(UnavailableError) as caught,
    ):
        ask(server, work)
    assert caught.value.attempts == len(server.requests) == 3


def test_a_request_too_large_for_the_account_at_any_moment_is_too_long(ask_for_error):
    message = "Request too large for m on tokens per min (TPM): Limit 30000, Requested 50000."
    error = ask_for_error(ServerReply(status=429, message=message, code="rate_limit_exceeded"))
    assert error.kind == "too_long"
    assert not error.retryable


@pytest.fixture
def ask_for_error(make_request):
    from adjudge.errors import ModelCallError

    def ask_for_error(reply):
        async def work(client):
            await client.complete(make_request())

        with ModelServer(reply) as server, pytest.raises(ModelCallError) as caught:
            ask(server, work)
        return caught.value

    return ask_for_error
