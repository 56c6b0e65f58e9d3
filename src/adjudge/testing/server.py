"""A real HTTP server on 127.0.0.1 that answers as a model service would, with words written in the test.

    with ModelServer(replies=["first", {"score": 4}, ServerReply(status=429, headers={"Retry-After": "2"})]) as server:
        client = open_model("openai:any", base_url=server.openai_url)

It speaks the OpenAI, Azure, Anthropic and Gemini formats; the path of a request says which. Give it one of

- `replies`: one text or `ServerReply` for every call, or a list answered in order, which then runs out;
- `script`: a file as `scripted:` takes it. Over HTTP a request carries no case id, so a row with `match` answers the
  prompts that hold its text, and the rows without one are answered in the order of the file, one reply per call;
- `handler`: a function from the recorded request to a reply.

What is not scripted is answered 400 with a message that says so: the server refuses to improvise. `refuse` names
parameters answered with 400, `refuse_response_format` does it for structured output (`"json_schema"` or `"all"`), and
`require_max_completion_tokens` for `max_tokens`, each in the words the provider uses. `rate_limit` answers 429 to what is
more than so many in so long. It also takes batches of OpenAI's and Anthropic's kind, each ended when it is looked at
`batch_looks` times; their requests are answered alike, and one with `stall` expires. `on_batch` is told of each step of
that before it is answered, and may give another answer; `change_results` is given the lines of a batch's results, and
returns those that are sent. With `certificate` and `key` (files) it speaks TLS. `requests` holds what was asked,
`answers` how often each status was given, `most_in_flight` how many requests were there at once.
"""

import asyncio
import json
import socket
import ssl
import struct
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from aiohttp import web

from adjudge.models.providers.scripted import Script, ScriptedReply, ScriptRow, read_script
from adjudge.records import Finish, Usage
from adjudge.testing.batch_api import ServedBatch, ServedBatches, Step, UnknownIdError, is_batch_path
from adjudge.testing.shapes import SHAPES, ReplyShape, ServerLogprob, refused_parameter

STARTING_SECONDS = 30
HANGING_SECONDS = 600
"""After which whoever waits for requests is told that they do not come."""
DRIPS = 20
# linger for no time: the peer sees a reset, not an end
RESET_ON_CLOSE = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
RefuseFormat = Literal["json_schema", "all"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerReply:
    """One answer of the server. `text` is the model's; the rest is how the server behaves."""

    text: str = ""
    finish: Finish = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Sent as it is, instead of a reply in the provider's format."""
    message: str | None = None
    """The error's message, with a status from 400."""
    param: str | None = None
    code: str | None = None
    usage: Usage | None = Usage(input=10, output=5)  # noqa: RUF009 - frozen, so one may serve all
    model: str = "scripted-1"
    fingerprint: str | None = None
    logprobs: tuple[ServerLogprob, ...] = ()
    delay_seconds: float = 0.0
    after: threading.Event | None = None
    """Answer once it is set: a test that needs calls to be in flight holds them, instead of making them slow."""
    stall: bool = False
    """Never answer."""
    cut: bool = False
    """Break off in the middle of the body."""
    close: bool = False
    """Close the connection without an answer."""
    reset: bool = False
    """Reset the connection without an answer."""
    drip_seconds: float = 0.0
    """Send the body in twenty pieces with so long in all between them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RateLimit:
    """So many requests in any stretch of so many seconds; what is more is answered 429."""

    requests: int
    seconds: float = 1.0
    tell: bool = False
    """Say in the refusal how long to wait (`retry-after-ms`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRequest:
    method: str
    path: str
    """With the query."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Any
    """Parsed; None where it was not JSON."""
    raw: bytes = field(repr=False)
    """The same as it came."""
    wire: str
    """`openai`, `azure`, `anthropic`, `google`, or empty for a path that is none of theirs."""
    prompt: str
    """The text of all messages."""
    connection: int
    """The caller's port: equal for requests that came over one connection."""


class ModelServer:
    def __init__(
        self,
        replies: "str | Mapping[str, Any] | ServerReply | Iterable[Any] | None" = None,
        *,
        script: str | PathLike[str] | None = None,
        handler: Callable[[RecordedRequest], Any] | None = None,
        refuse: Collection[str] = (),
        refuse_response_format: RefuseFormat | None = None,
        require_max_completion_tokens: bool = False,
        rate_limit: RateLimit | None = None,
        batch_looks: int = 1,
        on_batch: Callable[[Step], ServerReply | None] | None = None,
        change_results: Callable[[list[bytes]], list[bytes]] | None = None,
        certificate: str | PathLike[str] | None = None,
        key: str | PathLike[str] | None = None,
    ) -> None:
        if sum(given is not None for given in (replies, script, handler)) != 1:
            raise ValueError("give a ModelServer one of replies, script and handler")
        if replies is not None:
            self._answer = _in_order(replies)
        elif script is not None:
            self._answer = _from_script(read_script(Path(script)))
        else:
            assert handler is not None
            self._answer = handler
        self._refuse = frozenset(refuse) | ({"max_tokens"} if require_max_completion_tokens else frozenset())
        self._refuse_format = refuse_response_format
        self._rate_limit = rate_limit
        self._let_through: deque[float] = deque()
        self._tls: ssl.SSLContext | None = None
        if certificate is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate, key)
        self._batches = ServedBatches(self._answer_batched, looks=batch_looks)
        self._on_batch = on_batch
        self._change_results = change_results
        self.requests: list[RecordedRequest] = []
        self._asked = threading.Condition()
        self.answers: Counter[int] = Counter()
        """Status -> how often; requests left without an answer count as 0."""
        self.in_flight = 0
        self.most_in_flight = 0
        self.port = 0
        self._failure: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}"

    @property
    def batches(self) -> list[ServedBatch]:
        """Those that were created, the oldest first."""
        return self._batches.served

    @property
    def openai_url(self) -> str:
        return f"{self.base_url}/v1"

    @property
    def azure_url(self) -> str:
        return self.base_url

    @property
    def anthropic_url(self) -> str:
        return self.base_url

    @property
    def google_url(self) -> str:
        return self.base_url

    def wait_for_requests(self, count: int) -> None:
        """Until so many have come in all."""
        with self._asked:
            if not self._asked.wait_for(lambda: len(self.requests) >= count, HANGING_SECONDS):
                raise RuntimeError(f"{len(self.requests)} requests came, and {count} were waited for")

    def __enter__(self) -> Self:
        started = threading.Event()
        failure: list[BaseException] = []

        def work() -> None:
            try:
                asyncio.run(self._serve(started))
            except BaseException as error:  # noqa: BLE001 - told to the thread that waits for the start
                failure.append(error)
                started.set()

        self._thread = threading.Thread(target=work, name="adjudge-model-server", daemon=True)
        self._thread.start()
        if not started.wait(STARTING_SECONDS):
            raise RuntimeError("the model server did not start")
        if failure:
            raise RuntimeError("the model server did not start") from failure[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        loop, stop, thread = self._loop, self._stop, self._thread
        if loop is not None and stop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(stop.set)
        if thread is not None:
            thread.join(STARTING_SECONDS)
        if self._failure is not None and error is None:
            raise self._failure

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        application = web.Application(client_max_size=256 * 2**20)
        application.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self._tls)
        await site.start()
        self.port = runner.addresses[0][1]
        started.set()
        try:
            await self._stop.wait()
        finally:
            await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._respond(request)
        finally:
            self.in_flight -= 1

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        recorded = await _record(request)
        with self._asked:
            self.requests.append(recorded)
            self._asked.notify_all()
        shape = SHAPES.get(recorded.wire)
        reply: ServerReply | None = None
        try:
            if is_batch_path(recorded.path):  # in a thread: what is told of it may hold the answer back
                reply = await asyncio.to_thread(self._respond_to_batch, recorded)
            reply = reply or self._limited() or self._refused(recorded) or _as_reply(self._answer(recorded))
        except Exception as error:  # noqa: BLE001 - a handler's own failure, raised where the server is left
            self._failure = self._failure or error
            reply = ServerReply(status=500, message="the handler of this server failed")
        self.answers[0 if reply.stall or reply.close or reply.reset else reply.status] += 1
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        if reply.after is not None:
            await _is_set(reply.after)
        if reply.stall:
            assert self._stop is not None
            await self._stop.wait()
        if request.transport is not None:
            if reply.reset:
                connection: socket.socket = request.transport.get_extra_info("socket")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            if reply.close or reply.stall or reply.reset:
                request.transport.abort()
        body = _body(reply, recorded, shape)
        headers = {"Content-Type": "application/json", **reply.headers}
        if reply.cut or reply.drip_seconds:
            response = web.StreamResponse(
                status=reply.status, headers={**headers, "Content-Length": str(len(body))}
            )
            await response.prepare(request)
            await _drip(response, body[: len(body) // 2] if reply.cut else body, reply.drip_seconds)
            if reply.cut and request.transport is not None:
                request.transport.close()
            return response
        return web.Response(status=reply.status, headers=headers, body=body)

    def _respond_to_batch(self, recorded: RecordedRequest) -> ServerReply | None:
        try:
            found = self._batches.respond(recorded.method, recorded.path, recorded.headers, recorded.raw)
        except UnknownIdError as error:
            message = f"No such file or batch: {error}"
            return ServerReply(status=404, body=json.dumps({"error": {"message": message}}).encode())
        if found is None:
            return None
        step, body = found
        if step == "results" and self._change_results is not None:
            body = b"".join(line + b"\n" for line in self._change_results(body.splitlines()))
        instead = None if self._on_batch is None else self._on_batch(step)
        if instead is None:
            return ServerReply(body=body)
        return replace(instead, body=body) if instead.body is None and instead.status == 200 else instead

    def _answer_batched(self, wire: str, body: Mapping[str, Any]) -> tuple[int | None, Any]:
        shape = SHAPES[wire]
        recorded = RecordedRequest(
            method="POST",
            path="",
            headers={},
            body=body,
            raw=b"",
            wire=wire,
            prompt=shape.prompt(body),
            connection=0,
        )
        reply = self._refused(recorded) or _as_reply(self._answer(recorded))
        return None if reply.stall else reply.status, json.loads(_body(reply, recorded, shape))

    def _limited(self) -> ServerReply | None:
        limit = self._rate_limit
        if limit is None:
            return None
        now, passed = time.monotonic(), self._let_through
        while passed and passed[0] <= now - limit.seconds:
            passed.popleft()
        if len(passed) < limit.requests:
            passed.append(now)
            return None
        wait_ms = (passed[0] + limit.seconds - now) * 1000
        headers = {"retry-after-ms": f"{wait_ms:.3f}"} if limit.tell else {}
        return ServerReply(status=429, message="too many requests", headers=headers)

    def _refused(self, recorded: RecordedRequest) -> ServerReply | None:
        shape = SHAPES.get(recorded.wire)
        if shape is None or not isinstance(recorded.body, dict):
            return None
        sent = shape.parameters(recorded.body)
        for name in sorted(self._refuse & sent.keys()):
            return ServerReply(status=400, **refused_parameter(name, sent[name]))
        used = shape.response_format(recorded.body)
        if used == "json_schema" and self._refuse_format is not None:
            return ServerReply(status=400, **shape.refused_format(used))
        if used != "none" and self._refuse_format == "all":
            return ServerReply(status=400, **shape.refused_format(used))
        return None


async def _is_set(event: threading.Event) -> None:
    """In a thread of its own: an executor has few, and its threads are waited for when the server ends."""
    loop = asyncio.get_running_loop()
    known = asyncio.Event()

    def wait() -> None:
        event.wait()
        with suppress(RuntimeError):  # the server was stopped meanwhile
            loop.call_soon_threadsafe(known.set)

    threading.Thread(target=wait, name="adjudge-held-reply", daemon=True).start()
    await known.wait()


async def _drip(response: web.StreamResponse, body: bytes, seconds: float) -> None:
    size = -(-len(body) // DRIPS) if seconds else len(body)
    for start in range(0, len(body), size or 1):
        await response.write(body[start : start + size])
        if seconds:
            await asyncio.sleep(seconds / DRIPS)


async def _record(request: web.Request) -> RecordedRequest:
    raw = await request.read()
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    wire = next((name for name, shape in SHAPES.items() if shape.speaks(request.path)), "")
    peer = request.transport.get_extra_info("peername") if request.transport is not None else None
    return RecordedRequest(
        method=request.method,
        path=request.path_qs,
        headers={name.lower(): value for name, value in request.headers.items()},
        body=body,
        raw=raw,
        wire=wire,
        prompt=SHAPES[wire].prompt(body) if wire and isinstance(body, dict) else "",
        connection=peer[1] if peer else 0,
    )


def _body(reply: ServerReply, recorded: RecordedRequest, shape: ReplyShape | None) -> bytes:
    if reply.body is not None:
        return reply.body
    if shape is None:
        return b'{"error": {"message": "no model service has this path"}}'
    if reply.status >= 400:
        message = reply.message or reply.text or f"scripted status {reply.status}"
        return json.dumps(shape.error(reply.status, message, reply.param, reply.code)).encode()
    return json.dumps(shape.reply(reply, recorded.body)).encode()


def _as_reply(words: Any) -> ServerReply:
    if isinstance(words, ServerReply):
        return words
    if isinstance(words, str):
        return ServerReply(text=words)
    return ServerReply(text=json.dumps(words, ensure_ascii=False))


def _nothing_left(count: int) -> ServerReply:
    return ServerReply(status=400, message=f"the script has no more replies (call {count})")


def _in_order(replies: Any) -> Callable[[RecordedRequest], ServerReply]:
    if isinstance(replies, str | Mapping | ServerReply):
        every = _as_reply(replies)
        return lambda _: every
    left, calls = list(replies), 0

    def answer(_: RecordedRequest) -> ServerReply:
        nonlocal calls
        calls += 1
        return _as_reply(left.pop(0)) if left else _nothing_left(calls)

    return answer


def _from_script(rows: list[ScriptRow]) -> Callable[[RecordedRequest], ServerReply]:
    # over HTTP a case id is not there to be matched: the text decides, else the order
    script = Script(
        replace(row, case_id=None, judge=None, step=None) for row in rows if row.match is not None
    )
    in_order = [reply for row in rows if row.match is None for reply in row.replies]
    calls = 0

    def answer(request: RecordedRequest) -> ServerReply:
        nonlocal calls
        calls += 1
        address = script.find(case_id=None, prompt=request.prompt)
        if address is not None:
            found = script.take(address)
            return _from_row(found) if found is not None else _nothing_left(calls)
        return _from_row(in_order.pop(0)) if in_order else _nothing_left(calls)

    return answer


def _from_row(reply: ScriptedReply) -> ServerReply:
    return ServerReply(
        text=reply.text,
        finish=reply.finish,
        status=reply.status,
        usage=reply.usage if reply.usage != Usage() else None,
        model=reply.model or "scripted-1",
    )
