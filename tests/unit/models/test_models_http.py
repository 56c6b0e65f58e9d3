"""What the HTTP client owes whoever waits for it: a call given up is over, and no body fills memory."""

import asyncio
import gzip
from contextlib import asynccontextmanager

import pytest

from adjudge.errors import UnavailableError
from adjudge.models.providers.http import HttpClient
from adjudge.models.providers.wire import Endpoint
from adjudge.models.secrets import Scrubber

MEGABYTE = 2**20


@asynccontextmanager
async def serving(answer):
    """A server that reads a request and leaves the connection to `answer(reader, writer)`."""

    async def handle(reader, writer):
        try:
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(len(b"{}"))
            await answer(reader, writer)
        except ConnectionError:
            pass  # the client had enough
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield Endpoint(url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")


def make_client():
    return HttpClient(timeout_seconds=60, connections=4, scrubber=Scrubber())


def test_a_call_that_is_cancelled_is_over_for_the_server_too():
    async def work():
        asked, left = asyncio.Event(), asyncio.Event()

        async def never(reader, writer):
            asked.set()
            assert await reader.read() == b""
            left.set()

        client = make_client()
        async with serving(never) as endpoint:
            call = asyncio.create_task(client.post(endpoint, b"{}"))
            await asked.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await left.wait()  # though the client is open, and its own timeout is far away
            await client.close()
        return left.is_set()

    assert asyncio.run(work())


def test_a_client_serves_one_event_loop_after_another():
    async def ok(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        await writer.drain()

    async def work():
        async with serving(ok) as endpoint:
            reply = await client.post(endpoint, b"{}")
            await client.close()
            return reply.body

    client = make_client()
    assert [asyncio.run(work()) for _ in range(3)] == [b"ok"] * 3


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"Content-Length: %d" % (4 * MEGABYTE), b"x" * 4 * MEGABYTE),
        (b"Connection: close", b"x" * 4 * MEGABYTE),
        (b"Transfer-Encoding: chunked", b"400000\r\n" + b"x" * 4 * MEGABYTE + b"\r\n0\r\n\r\n"),
    ],
)
def test_a_body_is_dropped_at_the_bound_however_its_length_is_told(monkeypatch, head, body):
    monkeypatch.setattr("adjudge.models.providers.http.MAX_BODY_BYTES", MEGABYTE)
    with pytest.raises(UnavailableError, match="sent more than 1 MB; the answer was dropped"):
        asyncio.run(ask_once(head, body))


def test_a_small_body_that_unpacks_to_a_large_one_is_dropped(monkeypatch):
    monkeypatch.setattr("adjudge.models.providers.http.MAX_BODY_BYTES", MEGABYTE)
    body = gzip.compress(b"x" * 4 * MEGABYTE)
    assert len(body) < MEGABYTE
    head = b"Content-Encoding: gzip\r\nContent-Length: %d" % len(body)
    with pytest.raises(UnavailableError, match="sent more than 1 MB; the answer was dropped"):
        asyncio.run(ask_once(head, body))


def test_a_body_below_the_bound_is_whole_packed_or_not():
    text = b"y" * MEGABYTE
    packed = gzip.compress(text)
    plain_head = b"Content-Length: %d" % len(text)
    packed_head = b"Content-Encoding: gzip\r\nContent-Length: %d" % len(packed)
    assert asyncio.run(ask_once(plain_head, text)) == text
    assert asyncio.run(ask_once(packed_head, packed)) == text


async def ask_once(head, body):
    async def answer(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + body)
        await writer.drain()

    client = make_client()
    async with serving(answer) as endpoint:
        try:
            return (await client.post(endpoint, b"{}")).body
        finally:
            await client.close()
