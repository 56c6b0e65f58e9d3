"""The batch APIs of OpenAI and Anthropic: many requests sent as one, answered within a day at half the price."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

import orjson

from adjudge.errors import ModelCallError, RejectedError, UnavailableError
from adjudge.models.prices import BATCH_LIMITS, BatchLimit
from adjudge.models.providers.failures import error_for_status, read_provider_error
from adjudge.models.providers.failures import retry_after_seconds as asked_wait
from adjudge.models.providers.http import FileStatusError, HttpClient, HttpReply, host_and_port
from adjudge.models.providers.wire import Connection, Endpoint, as_object, count, text_or_none
from adjudge.models.secrets import Scrubber

PAGE = 100
"""Batches listed at a time."""
MAX_PAGES = 20
"""Looked through for a batch of ours: nobody has created more since ours was."""
CLOCKS_DIFFER = timedelta(minutes=10)
"""Between this machine and the provider's, at most."""
METADATA = "adjudge_batch"
WINDOW = "24h"
FULL_CODES = frozenset({"token_limit_exceeded", "request_limit_exceeded"})
"""OpenAI: other batches of the account are in the way; later it will be taken."""
UNTOUCHED_CODES = frozenset({None, "batch_expired", "batch_cancelled"})
"""OpenAI: the request was never worked on."""
ERROR_STATUSES: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""What Anthropic would have answered to a request of its own; anything else is 500."""


class BatchLook(NamedTuple):
    """How far a batch is."""

    id: str
    """The provider's."""
    ended: bool
    done: int
    total: int
    files: tuple[str, ...] = ()
    """Where its results are, when it has ended."""
    problem: str | None = None
    """Why it was not taken as a whole."""
    is_full: bool = False
    """It was not taken because of other batches of the account."""


class BatchResult(NamedTuple):
    """What came of one request."""

    custom_id: str
    """Empty: the line cannot be read."""
    status: int | None
    """Of the answer; None: the request was never worked on, as the batch expired or was cancelled before."""
    body: Any = None


class BatchPage(NamedTuple):
    """A page of the list of batches, the newest first."""

    batches: list[Mapping[str, Any]]
    has_more: bool


class BatchService(Protocol):
    """Every method raises a `ModelCallError` when the provider does not do it."""

    limit: BatchLimit

    def line(self, custom_id: str, body: bytes) -> bytes:
        """A request as it stands in a batch."""

    async def submit(self, batch_id: str, lines: list[bytes]) -> str:
        """The provider's id. After an error it may have been created all the same: see `find`."""

    async def look(self, provider_id: str) -> BatchLook: ...

    async def find(
        self, batch_id: str, *, size: int, since: datetime, nap: Callable[[], Awaitable[None]]
    ) -> str | None:
        """The provider's id of a batch of ours, among those created since then; None: it was never created. `nap` is
        waited for between pages, and where only a batch that has ended can be told from others.
        """

    def results(self, look: BatchLook) -> AsyncGenerator[BatchResult, None]:
        """Of a batch that has ended, in any order; what cannot be read has no id."""


@dataclass(kw_only=True, slots=True)
class _Caller:
    """Asks the provider, and turns what it answers into objects and our errors."""

    name: str
    http: HttpClient
    scrubber: Scrubber
    endpoints: Callable[[str], Endpoint]
    """By path, with the key."""

    async def get(self, path: str) -> Mapping[str, Any]:
        return self._read(await self.http.get(self.endpoints(path)))

    async def post(self, path: str, body: bytes, content_type: str = "application/json") -> Mapping[str, Any]:
        endpoint = self.endpoints(path)
        headers = {**endpoint.headers, "Content-Type": content_type}
        return self._read(await self.http.send_file(replace(endpoint, headers=headers), body))

    async def lines(self, path: str) -> AsyncGenerator[Mapping[str, Any], None]:
        try:
            async with aclosing(self.http.lines(self.endpoints(path))) as lines:
                async for line in lines:
                    if line.strip():
                        yield self._object(line) or {}
        except FileStatusError as error:
            raise self._error(error.reply) from None

    def _read(self, reply: HttpReply) -> Mapping[str, Any]:
        if not 200 <= reply.status < 300:
            raise self._error(reply)
        return self._parse(reply.body, f"{reply.status}")

    def _parse(self, data: bytes, what: str) -> Mapping[str, Any]:
        found = self._object(data)
        if found is None:
            raise UnavailableError(f"{self._where} answered {what} with something that is not a JSON object")
        return found

    @staticmethod
    def _object(data: bytes) -> Mapping[str, Any] | None:
        try:
            found = orjson.loads(data)
        except orjson.JSONDecodeError:
            return None
        return found if isinstance(found, dict) else None

    async def page(self, path: str) -> "BatchPage":
        found = await self.get(path)
        listed = found.get("data")
        batches = [as_object(each) for each in listed] if isinstance(listed, list) else []
        return BatchPage(batches, has_more=bool(batches) and found.get("has_more") is True)

    def too_many(self) -> RejectedError:
        return RejectedError(
            f"{self._where} lists more than {MAX_PAGES * PAGE} batches, and none of them is the one that is looked for"
        )

    @property
    def _where(self) -> str:
        return f"the batch API of {self.name} at {host_and_port(self.endpoints('').url)}"

    def _error(self, reply: HttpReply) -> ModelCallError:
        error = read_provider_error(reply.status, reply.body)
        message = self.scrubber.message(error.message)
        variables = " or ".join(self.endpoints("").key_variables)
        return error_for_status(
            error,
            f"{self._where} answered {error.status}: {message}",
            retry_after_seconds=asked_wait(reply.headers, reply.body),
            key_hint=f"; check the key in {variables}" if variables else "",
        )

    def id_of(self, found: Mapping[str, Any]) -> str:
        made = text_or_none(found.get("id"))
        if made is None:
            raise UnavailableError(f"{self._where} answered without an id")
        return made


@dataclass(kw_only=True, slots=True)
class OpenAIBatches:
    caller: _Caller
    limit: BatchLimit = field(default_factory=lambda: BATCH_LIMITS["openai"])

    def line(self, custom_id: str, body: bytes) -> bytes:
        head = orjson.dumps({"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions"})
        return b'%b,"body":%b}' % (head[:-1], body)

    async def submit(self, batch_id: str, lines: list[bytes]) -> str:
        # JSON has no line breaks of its own, so that no line of ours can look like the boundary
        head = (
            f'--{batch_id}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{batch_id}\r\nContent-Disposition: form-data; name="file"; filename="{batch_id}.jsonl"\r\n'
            f"Content-Type: application/jsonl\r\n\r\n"
        ).encode()
        body = b"".join((head, b"\n".join(lines), f"\r\n--{batch_id}--\r\n".encode()))
        sent = await self.caller.post("/files", body, f"multipart/form-data; boundary={batch_id}")
        created = await self.caller.post(
            "/batches",
            orjson.dumps(
                {
                    "input_file_id": self.caller.id_of(sent),
                    "endpoint": "/v1/chat/completions",
                    "completion_window": WINDOW,
                    "metadata": {METADATA: batch_id},
                }
            ),
        )
        return self.caller.id_of(created)

    async def look(self, provider_id: str) -> BatchLook:
        found = await self.caller.get(f"/batches/{quote(provider_id, safe='')}")
        status = text_or_none(found.get("status"))
        counts = as_object(found.get("request_counts"))
        done, failed = count(counts.get("completed")) or 0, count(counts.get("failed")) or 0
        errors = as_object(found.get("errors")).get("data") if status == "failed" else None
        first = as_object(errors[0]) if isinstance(errors, list) and errors else {}
        message = self.caller.scrubber.message(str(first.get("message") or "the batch failed"))
        return BatchLook(
            id=provider_id,
            ended=status in {"completed", "failed", "expired", "cancelled"},
            done=done + failed,
            total=count(counts.get("total")) or 0,
            files=tuple(
                file
                for name in ("output_file_id", "error_file_id")
                if (file := text_or_none(found.get(name)))
            ),
            problem=message if status == "failed" else None,
            is_full=text_or_none(first.get("code")) in FULL_CODES,
        )

    async def find(
        self, batch_id: str, *, size: int, since: datetime, nap: Callable[[], Awaitable[None]]
    ) -> str | None:
        del size  # its metadata tell it from others at once
        after = ""
        for _ in range(MAX_PAGES):
            listed, has_more = await self.caller.page(f"/batches?limit={PAGE}{after}")
            for each in listed:
                if as_object(each.get("metadata")).get(METADATA) == batch_id:
                    return self.caller.id_of(each)
            oldest = count(listed[-1].get("created_at")) if listed else None
            too_old = oldest is not None and oldest < (since - CLOCKS_DIFFER).timestamp()
            if not has_more or too_old:
                return None
            after = f"&after={quote(self.caller.id_of(listed[-1]), safe='')}"
            await nap()
        raise self.caller.too_many()

    async def results(self, look: BatchLook) -> AsyncGenerator[BatchResult, None]:
        for file in look.files:
            async with aclosing(self.caller.lines(f"/files/{quote(file, safe='')}/content")) as lines:
                async for found in lines:
                    response, error = as_object(found.get("response")), as_object(found.get("error"))
                    status, body = count(response.get("status_code")), response.get("body")
                    code = error.get("code")
                    if status is None and (code is not None and code not in list(UNTOUCHED_CODES)):
                        status, body = 500, {"error": error}
                    yield BatchResult(text_or_none(found.get("custom_id")) or "", status, body)


@dataclass(kw_only=True, slots=True)
class AnthropicBatches:
    caller: _Caller
    limit: BatchLimit = field(default_factory=lambda: BATCH_LIMITS["anthropic"])

    def line(self, custom_id: str, body: bytes) -> bytes:
        return b'{"custom_id":%b,"params":%b}' % (orjson.dumps(custom_id), body)

    async def submit(self, batch_id: str, lines: list[bytes]) -> str:
        del batch_id  # the custom ids begin with it
        return self.caller.id_of(await self.caller.post("", b'{"requests":[%b]}' % b",".join(lines)))

    async def look(self, provider_id: str) -> BatchLook:
        return self._look(provider_id, await self.caller.get(f"/{quote(provider_id, safe='')}"))

    @staticmethod
    def _look(provider_id: str, found: Mapping[str, Any]) -> BatchLook:
        counts = {name: count(each) or 0 for name, each in as_object(found.get("request_counts")).items()}
        total = sum(counts.values())
        return BatchLook(
            id=provider_id,
            ended=found.get("processing_status") == "ended",
            done=total - counts.get("processing", 0),
            total=total,
        )

    async def find(
        self, batch_id: str, *, size: int, since: datetime, nap: Callable[[], Awaitable[None]]
    ) -> str | None:
        """Nothing in the list says whose a batch is: one as large, of that time, is told by its results' ids."""
        after = ""
        for _ in range(MAX_PAGES):
            listed, has_more = await self.caller.page(f"?limit={PAGE}{after}")
            for each in listed:
                look = self._look(self.caller.id_of(each), each)
                if (
                    look.total == size
                    and not _is_before(each, since)
                    and await self._is_ours(look, batch_id, nap)
                ):
                    return look.id
            if not has_more or _is_before(listed[-1], since):
                return None
            after = f"&after_id={quote(self.caller.id_of(listed[-1]), safe='')}"
            await nap()
        raise self.caller.too_many()

    async def _is_ours(self, look: BatchLook, batch_id: str, nap: Callable[[], Awaitable[None]]) -> bool:
        while not look.ended:
            await nap()
            look = await self.look(look.id)
        results = self.results(look)
        first = await anext(results, None)
        await results.aclose()
        return first is not None and first.custom_id.startswith(f"{batch_id}-")

    async def results(self, look: BatchLook) -> AsyncGenerator[BatchResult, None]:
        async with aclosing(self.caller.lines(f"/{quote(look.id, safe='')}/results")) as lines:
            async for found in lines:
                custom_id = text_or_none(found.get("custom_id")) or ""
                result = as_object(found.get("result"))
                match result.get("type"):
                    case "succeeded":
                        yield BatchResult(custom_id, 200, result.get("message"))
                    case "errored":
                        error = as_object(result.get("error"))
                        kind = as_object(error.get("error")).get("type")
                        yield BatchResult(custom_id, ERROR_STATUSES.get(str(kind), 500), error)
                    case _:
                        yield BatchResult(custom_id, None)


def _is_before(listed: Mapping[str, Any], since: datetime) -> bool:
    try:
        return datetime.fromisoformat(str(listed.get("created_at"))) < since - CLOCKS_DIFFER
    except (TypeError, ValueError):
        return False


def openai_batches(connection: Connection, name: str, http: HttpClient, scrubber: Scrubber) -> OpenAIBatches:
    auth = connection.auth()
    return OpenAIBatches(
        caller=_Caller(
            name=name,
            http=http,
            scrubber=scrubber,
            endpoints=lambda path: _endpoint(connection, path, auth, ("/chat/completions",)),
        )
    )


def anthropic_batches(
    connection: Connection, name: str, http: HttpClient, scrubber: Scrubber
) -> AnthropicBatches:
    auth = connection.auth("x-api-key")
    return AnthropicBatches(
        caller=_Caller(
            name=name,
            http=http,
            scrubber=scrubber,
            endpoints=lambda path: replace(
                _endpoint(connection, f"/v1/messages/batches{path}", auth, ("/messages", "/v1")),
                headers={"anthropic-version": "2023-06-01"},
            ),
        )
    )


def _endpoint(connection: Connection, path: str, auth: Mapping[str, str], drop: tuple[str, ...]) -> Endpoint:
    path, _, query = path.partition("?")
    return connection.endpoint(connection.base.join(path, drop=drop, query=query), auth)


BATCHES: Mapping[str, Callable[[Connection, str, HttpClient, Scrubber], BatchService]] = {
    "openai": openai_batches,
    "anthropic": anthropic_batches,
}
"""Providers with a batch API that we use."""
