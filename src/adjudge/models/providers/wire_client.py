"""The client that asks a model over HTTP: sends, learns what is refused, reads, prices."""

import json
import time
from collections import OrderedDict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import orjson
from msgspec.structs import replace

from adjudge.errors import ModelCallError, ParameterRefusedError, RejectedError, UnavailableError
from adjudge.models.keys import wire_key
from adjudge.models.prices import BATCH_SHARE, Prices
from adjudge.models.providers.batch_api import BatchResult, BatchService
from adjudge.models.providers.failures import (
    BAD_REQUEST,
    MAY_NAME_A_PARAMETER,
    error_for_status,
    is_flagged,
    is_too_long,
    read_provider_error,
)
from adjudge.models.providers.failures import retry_after_seconds as asked_wait
from adjudge.models.providers.http import HttpClient, HttpReply, host_and_port
from adjudge.models.providers.parameters import (
    NOTHING_REFUSED,
    Adjustments,
    ProviderError,
    refused_parameter,
)
from adjudge.models.providers.room import ContextRoom
from adjudge.models.providers.wire import ErrorInReplyError, Reply, UnreadableReplyError, Wire
from adjudge.models.secrets import Scrubber, one_line
from adjudge.records import LOWERED_NOTE, Completion, ModelClient, Request
from adjudge.text import encodable, json_default

SNAPSHOT_CHARS = 200
JSON_NOT_WRITTEN = "json_validate_failed"
"""Groq: what the model wrote is not the JSON that was asked for. It did answer, and may be asked again."""


class PreparedBody(NamedTuple):
    """A request as it is first sent. It holds the request, so that its id is not given to another one meanwhile."""

    request: Request
    body: bytes
    notes: tuple[str, ...]
    key: str


class WireClient(ModelClient):
    """One model. What it refused is remembered for the client's life, so that only the first calls pay for it."""

    learns = True

    def __init__(
        self,
        *,
        name: str,
        wire: Wire,
        http: HttpClient,
        scrubber: Scrubber,
        prices: Prices,
        batches: BatchService | None = None,
    ) -> None:
        self.name = name
        self.batches = batches
        """None: it has no batch API, or none that we use."""
        self.base_url = wire.endpoint.public_url
        self._wire = wire
        self._http = http
        self._scrubber = scrubber
        self._prices = prices
        self._refused = NOTHING_REFUSED
        self._room = ContextRoom()
        # the query may hold credentials; the path holds the model where the body does not
        self._address = urlunsplit((*urlsplit(wire.endpoint.url)[:3], "", ""))
        self._prepared: OrderedDict[int, PreparedBody] = OrderedDict()

    def __repr__(self) -> str:
        return f"<WireClient {self.name} at {self.base_url}>"

    def request_key(self, request: Request) -> str:
        """The key of the request as it is first built, whatever was refused since. The bytes wait for `complete`."""
        kept = self._prepared.get(id(request))
        if kept is None:
            body, notes = self._dump(self._wire.body(request, NOTHING_REFUSED))
            key = wire_key(self._wire.provider, self._address, body, request)
            kept = self._prepared[id(request)] = PreparedBody(request, body, notes, key)
            if len(self._prepared) > self._http.connections:
                self._prepared.popitem(last=False)  # answered from the store, or given up
        return kept.key

    async def complete(self, request: Request) -> Completion:
        if request.parameters.get("stream"):
            raise RejectedError("a streamed reply cannot be judged: leave the parameter `stream` out")
        self._http.open()  # before the clock starts: what the first call loads is no part of its latency
        started = time.perf_counter()
        prepared = self._prepared.pop(id(request), None)
        asked, request = request, self._room.fit(request)
        adjustments = self._refused
        if prepared is not None and adjustments is NOTHING_REFUSED and request is asked:
            body, notes = prepared.body, prepared.notes
        else:
            body, notes = self._dump(self._wire.body(request, adjustments))
        extras = self._wire.extras(request, adjustments)
        if extras:
            body = b"%b,%b" % (body[:-1], orjson.dumps(extras)[1:])
        reply = await self._http.post(self._wire.endpoint, body)
        if reply.status in BAD_REQUEST:
            self._validate_room(request, reply)
        read = self._understand(reply, request, adjustments)
        self._room.saw(request, read.usage.input)
        notes = self._wire.notes(request, adjustments) + notes
        return self._completion(read, started, notes if request is asked else (*notes, LOWERED_NOTE))

    @property
    def adjustments(self) -> Adjustments:
        """What a request leaves out or changes now, because it was refused before."""
        return self._refused

    def fit(self, request: Request) -> Request:
        """The request with a token limit for which there is room beside its prompt, as far as is known."""
        return self._room.fit(request)

    def batch_line(self, custom_id: str, request: Request, adjustments: Adjustments) -> bytes:
        """The request as it stands in a batch."""
        assert self.batches is not None
        if request.parameters.get("stream"):
            raise RejectedError("a streamed reply cannot be judged: leave the parameter `stream` out")
        body, _ = self._dump(self._wire.body(request, adjustments))
        if extras := self._wire.extras(request, adjustments):
            body = b"%b,%b" % (body[:-1], orjson.dumps(extras)[1:])
        return self.batches.line(custom_id, body)

    def read_batched(self, request: Request, result: BatchResult, adjustments: Adjustments) -> Completion:
        """What came of a request that was sent in a batch, with these adjustments."""
        assert result.status is not None
        body = orjson.dumps(result.body)
        reply = HttpReply(result.status, {}, body)
        if reply.status in BAD_REQUEST:
            self._validate_room(request, reply)
        read = self._understand(reply, request, adjustments)
        self._room.saw(request, read.usage.input)
        cost = self._cost(read._replace(service_tier=None))  # it may say `batch`, which the share below says
        _, notes = self._dump(self._wire.body(request, adjustments))
        completion = self._completion(read, None, self._wire.notes(request, adjustments) + notes)
        return replace(completion, cost=None if cost is None else cost * BATCH_SHARE)

    async def close(self) -> None:
        await self._http.close()

    @property
    def _where(self) -> str:
        return f"{self.name} at {host_and_port(self._wire.endpoint.url)}"

    def _validate_room(self, request: Request, reply: HttpReply) -> None:
        """Have the request sent again with a limit that fits, where the service says how much room there is."""
        error = read_provider_error(reply.status, reply.body)
        lowered = self._room.lower(request, error)
        if lowered is not None:
            raise ParameterRefusedError(
                self._error(error, reply).message,
                status=reply.status,
                max_output_tokens=lowered.max_output_tokens,
            )

    def _understand(self, reply: HttpReply, request: Request, adjustments: Adjustments) -> Reply:
        wire = self._wire
        if 200 <= reply.status < 300:
            return self._read(reply, request, adjustments)
        error = read_provider_error(reply.status, reply.body)
        if wire.refusal(error) or is_flagged(error):
            return Reply(text=error.message, finish="refusal")
        if error.code == JSON_NOT_WRITTEN:
            cut_off = "max completion tokens" in error.message.lower()
            return Reply(text=error.generated, finish="length" if cut_off else "stop")
        learned = None
        if reply.status in MAY_NAME_A_PARAMETER and not is_too_long(error):
            learned = wire.adjust(request, adjustments, error)
        if learned is None:
            raise self._error(error, reply)
        # others may have learned something else since this request was sent
        self._refused = self._refused.joined(learned)
        raise refused_parameter(adjustments, learned, self._error(error, reply))

    def _dump(self, body: dict[str, Any]) -> tuple[bytes, tuple[str, ...]]:
        try:
            return orjson.dumps(body, default=json_default), ()
        except TypeError:
            pass
        # half of a surrogate pair, from a JSON escape in the dataset, has no UTF-8 form; a whole number beyond 64 bits
        # is JSON, but nothing that orjson writes
        sent = _encodable(body)
        notes = () if sent == body else ("replaced:lone_surrogates",)
        try:
            text = json.dumps(
                sent, default=json_default, ensure_ascii=False, separators=(",", ":"), allow_nan=False
            )
        except (TypeError, ValueError) as error:
            raise RejectedError(
                self._scrubber.message(f"{self.name} cannot be sent this request: {error}")
            ) from None
        return text.encode(), notes

    def _read(self, reply: HttpReply, request: Request, adjustments: Adjustments) -> Reply:
        try:
            found = read_json(reply.body)
        except (ValueError, RecursionError):
            start = self._scrubber.message(reply.body[:80].decode("utf-8", "replace"))
            raise UnavailableError(
                f"{self._where} answered {reply.status} with something that is not JSON: {start!r}",
                status=reply.status,
                maybe_billed=True,
            ) from None
        try:
            return self._wire.read(found, request, adjustments)
        except UnreadableReplyError as error:
            raise UnavailableError(
                f"{self._where} answered {reply.status} without a reply ({error})",
                status=reply.status,
                maybe_billed=True,
            ) from None
        except ErrorInReplyError as error:
            if self._wire.refusal(error.error) or is_flagged(error.error):
                return Reply(text=error.error.message, finish="refusal")
            raise self._error(error.error, reply) from None

    def _completion(self, read: Reply, started: float | None, notes: tuple[str, ...]) -> Completion:
        """`started` None: how long it took says nothing about the model."""
        scrubber = self._scrubber
        snapshot = f"{read.model}/{read.fingerprint}" if read.model and read.fingerprint else read.model
        if snapshot is not None:
            snapshot = scrubber.reply(one_line(snapshot))[:SNAPSHOT_CHARS]
        return Completion(
            text=scrubber.reply(read.text),
            finish=read.finish,
            structured=read.structured,
            model_snapshot=snapshot,
            usage=read.usage,
            cost=self._cost(read),
            latency_ms=0.0 if started is None else (time.perf_counter() - started) * 1000,
            attempts=1,
            notes=notes,
            logprobs=scrubber.logprobs(read.text, read.logprobs),
        )

    def _cost(self, read: Reply) -> Decimal | None:
        # a deployment's name on Azure says nothing about the model behind it
        model = read.model or ("" if self._wire.provider == "azure" else self.name.partition(":")[2])
        return self._prices.cost(
            model,
            read.usage,
            cache_written=read.cache_written,
            cache_written_1h=read.cache_written_1h,
            service_tier=read.service_tier,
            speed=read.speed,
            inference_geo=read.inference_geo,
        )

    def _error(self, error: ProviderError, reply: HttpReply) -> ModelCallError:
        endpoint = self._wire.endpoint
        message = self._scrubber.message(error.message)
        hint = endpoint.hint_404 if error.status == 404 else ""
        return error_for_status(
            error,
            f"{self._where} answered {error.status}: {message}{hint}",
            retry_after_seconds=asked_wait(reply.headers, reply.body),
            key_hint=_key_hint(endpoint.key_variables, sent=bool(endpoint.auth)),
        )


def read_json(body: bytes) -> Any:
    """The parsed body. Some servers write half of a surrogate pair or NaN, which the fast parser refuses."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _encodable(json.loads(body))


def _key_hint(variables: tuple[str, ...], *, sent: bool) -> str:
    if not variables:
        return ""
    names = " or ".join(variables)
    return f"; check the key in {names}" if sent else f"; no key was sent: set {names}"


def _encodable(found: Any) -> Any:
    if isinstance(found, str):
        return encodable(found)
    if isinstance(found, Mapping):
        return {_encodable(key): _encodable(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [_encodable(value) for value in found]
    return found
