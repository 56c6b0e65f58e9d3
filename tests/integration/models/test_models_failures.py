"""Everything that goes wrong between us and a model service, and the error each becomes."""

import asyncio
import socket
import ssl
from datetime import UTC, datetime

import pytest

from adjudge.errors import (
    RateLimitedError,
    RejectedError,
    TooLongError,
    UnauthorizedError,
    UnavailableError,
)
from adjudge.models.providers.failures import retry_after_seconds
from adjudge.testing import ModelServer, ServerReply

KEYS = {
    "openai:m": ("openai_url", "OPENAI_API_KEY"),
    "azure:m": ("azure_url", "AZURE_OPENAI_API_KEY"),
    "anthropic:m": ("anthropic_url", "ANTHROPIC_API_KEY"),
    "google:m": ("google_url", "GEMINI_API_KEY"),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize(
    ("status", "error", "retryable"),
    [
        (400, RejectedError, False),
        (401, UnauthorizedError, False),
        (402, RejectedError, False),
        (403, UnauthorizedError, False),
        (404, RejectedError, False),
        (408, UnavailableError, True),
        (409, UnavailableError, True),
        (413, TooLongError, False),
        (422, RejectedError, False),
        (429, RateLimitedError, True),
        (500, UnavailableError, True),
        (503, UnavailableError, True),
        (529, UnavailableError, True),
    ],
)
def test_each_status_is_the_error_of_whoever_can_act(ask, name, status, error, retryable):
    url, variable = KEYS[name]
    with (
        ModelServer(ServerReply(status=status, message="it says why")) as server,
        pytest.raises(error) as caught,
    ):
        ask(name, getattr(server, url), environ={variable: "a-long-enough-key"})
    assert caught.value.status == status
    assert caught.value.retryable is retryable
    assert f"{name} at 127.0.0.1:{server.port} answered {status}: it says why" in caught.value.message
    assert (variable in caught.value.message) == (error is UnauthorizedError)
    assert len(server.requests) == 1


def test_a_401_with_no_key_sent_says_which_variable_to_set(ask):
    with ModelServer(ServerReply(status=401)) as server, pytest.raises(UnauthorizedError) as caught:
        ask("openai:m", server.openai_url)
    assert caught.value.message.endswith("; no key was sent: set OPENAI_API_KEY")


def test_a_400_about_the_key_is_unauthorized(ask):
    reply = ServerReply(status=400, message="API key not valid. Please pass a valid API key.")
    with ModelServer(reply) as server, pytest.raises(UnauthorizedError, match="GEMINI_API_KEY"):
        ask("google:m", server.google_url)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "2"}, 2),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"Retry-After": "-5"}, 0),
        ({"Retry-After": "1e999"}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_read_in_every_form(ask, headers, wait):
    with (
        ModelServer(ServerReply(status=429, headers=headers)) as server,
        pytest.raises(RateLimitedError) as caught,
    ):
        ask("openai:m", server.openai_url)
    assert caught.value.retry_after_seconds == wait


def test_a_date_to_wait_for_is_counted_from_now():
    now = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)
    assert retry_after_seconds({"retry-after": "Sat, 31 Jan 2026 09:00:40 GMT"}, now=now) == 40


def test_google_says_how_long_to_wait_in_the_body(ask):
    body = b'{"error": {"code": 429, "message": "quota", "details": [{"a": 1}, {"retryDelay": "34.5s"}]}}'
    with ModelServer(ServerReply(status=429, body=body)) as server, pytest.raises(RateLimitedError) as caught:
        ask("google:m", server.google_url)
    assert caught.value.retry_after_seconds == 34.5


def test_an_empty_account_is_not_worth_another_try(ask):
    reply = ServerReply(status=429, message="You exceeded your current quota", code="insufficient_quota")
    with ModelServer(reply) as server, pytest.raises(RejectedError, match="quota") as caught:
        ask("openai:m", server.openai_url)
    assert caught.value.status == 429


@pytest.mark.parametrize(
    ("name", "message", "code"),
    [
        ("openai:m", "This model's maximum context length is 8192 tokens, however you requested 9000", None),
        ("openai:m", "too much", "context_length_exceeded"),
        (
            "openai:m",
            "'max_tokens' or 'max_completion_tokens' is too large: maximum context length is 4096",
            None,
        ),
        ("openai:m", "the request exceeds the available context size. try increasing it", None),
        ("openai:m", "beyond the maximum context length max_tokens is not supported", None),
        ("anthropic:m", "prompt is too long: 210000 tokens > 200000 maximum", None),
        (
            "google:m",
            "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
            None,
        ),
    ],
)
def test_a_prompt_that_does_not_fit_is_too_long_and_asked_once(ask, name, message, code):
    with (
        ModelServer(ServerReply(status=400, message=message, code=code)) as server,
        pytest.raises(TooLongError),
    ):
        ask(name, getattr(server, KEYS[name][0]))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ServerReply(cut=True, text="x" * 100_000), "closed the connection in the middle"),
        (ServerReply(close=True), "closed the connection without a response"),
        (ServerReply(body=b"<html>proxy</html>"), "not JSON: '<html>proxy</html>'"),
        (ServerReply(body=b'{"choices": [{"mess'), "not JSON"),
        (ServerReply(body=b""), "not JSON"),
        (ServerReply(body=b"[]"), "without a reply (no `choices`)"),
        (ServerReply(body=b'{"choices": []}'), "without a reply (no `choices`)"),
        (ServerReply(body=b"null"), "without a reply"),
    ],
)
def test_an_answer_that_is_no_answer_is_unavailable(ask, reply, words):
    with ModelServer(reply) as server, pytest.raises(UnavailableError) as caught:
        ask("openai:m", server.openai_url)
    assert words in caught.value.message
    assert f"127.0.0.1:{server.port}" in caught.value.message


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("anthropic:m", b'{"content": null}'),
        ("google:m", b'{"candidates": []}'),
        ("google:m", b'{"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}'),
        ("google:m", b"[1]"),
    ],
)
def test_replies_without_words_are_unavailable_for_every_format(ask, name, body):
    with (
        ModelServer(ServerReply(body=body)) as server,
        pytest.raises(UnavailableError, match="without a reply"),
    ):
        ask(name, getattr(server, KEYS[name][0]))


def test_an_error_inside_a_200_is_that_error(ask):
    body = b'{"error": {"code": 429, "message": "upstream is busy"}}'
    with (
        ModelServer(ServerReply(body=body)) as server,
        pytest.raises(RateLimitedError, match="upstream is busy"),
    ):
        ask("openai:m", server.openai_url)


def test_a_stalled_server_runs_into_the_timeout(ask):
    with ModelServer(ServerReply(stall=True)) as server, pytest.raises(UnavailableError) as caught:
        ask("openai:m", server.openai_url, timeout_seconds=0.2)
    assert caught.value.message == f"127.0.0.1:{server.port} did not respond within 0.2 seconds"


def test_waiting_for_a_free_connection_is_not_part_of_a_calls_time(make_request):
    from adjudge.models import open_model

    async def work(url):
        client = open_model("openai:m", base_url=url, environ={}, timeout_seconds=2.0, connections=1)
        try:
            return await asyncio.gather(*(client.complete(make_request()) for _ in range(4)))
        finally:
            await client.close()

    with ModelServer(ServerReply(text="ok", delay_seconds=0.6)) as server:
        found = asyncio.run(work(server.openai_url))
    assert [completion.text for completion in found] == ["ok"] * 4


def test_nobody_listening_asks_whether_the_server_is_running(ask):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        with pytest.raises(UnavailableError) as caught:
            ask("openai:m", f"http://127.0.0.1:{port}/v1")
    assert f"could not connect to 127.0.0.1:{port}" in caught.value.message
    assert caught.value.message.endswith("is the server running?")


def test_tls_to_a_server_that_has_none_says_what_to_check(ask):
    with ModelServer("ok") as server, pytest.raises(UnavailableError) as caught:
        ask("openai:m", server.base_url.replace("http://", "https://"))
    assert f"could not open a secure connection to 127.0.0.1:{server.port}" in caught.value.message
    assert "check the address" in caught.value.message


def test_half_a_surrogate_pair_or_nan_in_a_reply_is_still_a_reply(ask):
    body = b'{"choices": [{"message": {"content": "a\\ud83d"}, "finish_reason": "stop"}], "x": NaN}'
    with ModelServer(ServerReply(body=body)) as server:
        assert ask("openai:m", server.openai_url).text == "a\ufffd"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("ClientConnectorDNSError", "could not resolve models.test:8000: check the name in the base URL"),
        ("ClientProxyConnectionError", "could not connect to the proxy for models.test:8000"),
        ("ClientConnectorError", "could not connect to models.test:8000 (no route): is the server running?"),
    ],
)
def test_what_to_check_depends_on_where_it_broke(kind, words):
    import aiohttp
    from aiohttp.client_reqrep import ConnectionKey

    from adjudge.models.providers.http import HttpClient
    from adjudge.models.secrets import Scrubber

    client = HttpClient(timeout_seconds=1, connections=1, scrubber=Scrubber())
    key = ConnectionKey("models.test", 8000, False, True, None, None, None)
    error = getattr(aiohttp, kind)(key, OSError(113, "no route"))
    assert words in client._unavailable(error, "http://models.test:8000/v1", 60.0).message


def test_streaming_is_refused_before_anything_is_sent(ask, make_request):
    with ModelServer("ok") as server, pytest.raises(RejectedError, match="leave the parameter `stream` out"):
        ask("openai:m", server.openai_url, make_request(parameters={"stream": True}))
    assert server.requests == []


def test_a_certificate_nobody_signed_is_not_accepted():
    from aiohttp import ClientConnectorCertificateError
    from aiohttp.client_reqrep import ConnectionKey

    from adjudge.models.providers.http import HttpClient
    from adjudge.models.secrets import Scrubber

    cause = ssl.SSLCertVerificationError(1, "self-signed")
    cause.verify_message = "self-signed certificate"
    key = ConnectionKey("h", 443, True, True, None, None, None)
    client = HttpClient(timeout_seconds=1, connections=1, scrubber=Scrubber())
    error = client._unavailable(ClientConnectorCertificateError(key, cause), "https://h/v1", 60.0)
    assert "certificate not accepted (self-signed certificate)" in error.message


def test_a_body_larger_than_any_reply_is_dropped(ask, monkeypatch):
    monkeypatch.setattr("adjudge.models.providers.http.MAX_BODY_BYTES", 2**20)
    with (
        ModelServer(ServerReply(text="x" * 2**21)) as server,
        pytest.raises(UnavailableError, match="more than 1 MB"),
    ):
        ask("openai:m", server.openai_url)


def test_a_404_at_a_base_url_without_a_path_suggests_v1(ask):
    reply = ServerReply(status=404, message="nothing here")
    with ModelServer(reply) as server, pytest.raises(RejectedError, match="should end in /v1"):
        ask("openai:m", server.base_url)


def test_lm_studio_without_v1_is_told_apart_from_a_service_that_is_down(ask):
    body = b'{"error":"Unexpected endpoint or method. (POST /chat/completions). Returning 200 anyway"}'
    with (
        ModelServer(ServerReply(body=body)) as server,
        pytest.raises(RejectedError, match=r"answered 404: Unexpected endpoint.*should end in /v1"),
    ):
        ask("openai:m", server.base_url)


def test_error_messages_are_one_short_line_without_control_characters(ask):
    reply = ServerReply(status=400, message="bad\x1b[31m\n\r\x00thing\u202e " + "y" * 5000)
    with ModelServer(reply) as server, pytest.raises(RejectedError) as caught:
        ask("openai:m", server.openai_url)
    message = caught.value.message
    assert message.isprintable()
    assert len(message) < 400
    assert "bad[31m thing" in message


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe not text",
        b"[]",
        b'"text"',
        b'{"detail": [{"loc": ["body"]}]}',
        b'[{"error": {"message": "in a list"}}]',
    ],
)
def test_error_bodies_of_any_shape_are_survived(ask, body):
    with (
        ModelServer(ServerReply(status=400, body=body)) as server,
        pytest.raises(RejectedError, match="answered 400"),
    ):
        ask("openai:m", server.openai_url)


def test_a_client_can_be_closed_before_and_after_use(make_request):
    from adjudge.models import open_model

    async def work(url):
        client = open_model("openai:m", base_url=url, environ={})
        await client.close()
        completion = await client.complete(make_request())
        await client.close()
        await client.close()
        return completion.text

    with ModelServer("ok") as server:
        assert asyncio.run(work(server.openai_url)) == "ok"
