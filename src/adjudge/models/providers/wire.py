"""What a wire format is: where a request goes, what is sent, how the reply is read, what to change when refused."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import orjson

from adjudge.models.addresses import BaseUrl
from adjudge.models.providers.parameters import Adjustments, ProviderError
from adjudge.records import Finish, JsonSchema, Message, Request, TokenLogprob, Usage

Body = dict[str, Any]
UNKNOWN_USAGE = Usage()
MAX_COUNT = 10**12
"""Of tokens: what a server that counts more says of its replies cannot be true, and their cost is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """Where requests go. `auth` is apart from `headers`: it is dropped when a redirect leaves the host."""

    url: str = field(repr=False)
    """Without credentials."""
    auth: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    public_url: str = ""
    """The base URL for people: no credentials, no query."""
    key_variables: tuple[str, ...] = ()
    hint_404: str = ""
    """What to check when nothing is found there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Connection:
    """What a wire format is made from: the model, where it lives, and the key to it."""

    model: str
    base: BaseUrl = field(repr=False)
    key: str = field(repr=False)
    own_host: bool
    """The provider's own service, rather than something that speaks like it."""
    key_variables: tuple[str, ...]
    key_variable: str = ""
    """The one that holds the key."""

    def auth(self, header: str = "Authorization") -> dict[str, str]:
        """The key in the provider's header; a token in the one that all services take tokens in."""
        if not self.key:
            return {}
        if header == "Authorization" or self.key_variable.endswith("_TOKEN"):
            return {"Authorization": f"Bearer {self.key}"}
        return {header: self.key}

    def endpoint(
        self,
        url: str,
        auth: Mapping[str, str],
        *,
        headers: Mapping[str, str] | None = None,
        hint_404: str = "",
    ) -> Endpoint:
        """Credentials in the base URL are the more particular ones: they take the Authorization header."""
        if self.base.basic_auth is not None:
            auth = {**auth, "Authorization": self.base.basic_auth}
        return Endpoint(
            url=url,
            auth=auth,
            headers=headers or {},
            public_url=self.base.public,
            key_variables=self.key_variables,
            hint_404=hint_404,
        )


class Reply(NamedTuple):
    """A provider's reply, read."""

    text: str
    finish: Finish = "stop"
    structured: bool = False
    model: str | None = None
    fingerprint: str | None = None
    usage: Usage = UNKNOWN_USAGE
    cache_written: int = 0
    """Input tokens that were written to the provider's prompt cache, which some bill higher."""
    cache_written_1h: int = 0
    """Of these, those written for an hour."""
    service_tier: str | None = None
    speed: str | None = None
    """Anthropic: `fast` has prices of its own."""
    inference_geo: str | None = None
    """Anthropic: `us` costs a tenth more."""
    logprobs: tuple[TokenLogprob, ...] = ()


class UnreadableReplyError(Exception):
    """A 200 that does not hold a reply; the client says so as `UnavailableError`."""


class ErrorInReplyError(Exception):
    """A 200 that holds an error (routers do this once they have begun to answer)."""

    def __init__(self, error: ProviderError) -> None:
        super().__init__(error.message)
        self.error = error


class Wire(Protocol):
    """One provider's request and reply. Stateless: what a model refused comes in as `Adjustments`."""

    @property
    def provider(self) -> str:
        """As model names and price lists call it."""

    @property
    def endpoint(self) -> Endpoint: ...

    def body(self, request: Request, adjustments: Adjustments) -> Body: ...

    def extras(self, request: Request, adjustments: Adjustments) -> Body:
        """Sent with the body and no part of a stored reply's key: it asks to be told more, and changes no word."""

    def read(self, found: Any, request: Request, adjustments: Adjustments) -> Reply: ...

    def adjust(self, request: Request, adjustments: Adjustments, error: ProviderError) -> Adjustments | None:
        """What to change so that the refused request goes through; None when nothing of ours was refused."""

    def notes(self, request: Request, adjustments: Adjustments) -> tuple[str, ...]:
        """What of this request was changed."""

    def refusal(self, error: ProviderError) -> bool:
        """Whether an error is the provider declining to answer this prompt."""


class NoExtras:
    """A wire format in which nothing more can be asked for."""

    __slots__ = ()

    def extras(self, request: Request, adjustments: Adjustments) -> Body:
        del request, adjustments
        return {}


class SchemaCache:
    """Adapted schemas, once per judge: a judge sends the same schema object with every case."""

    __slots__ = ("_adapt", "_kept")

    def __init__(self, adapt: Callable[[JsonSchema], dict[str, Any]], /) -> None:
        self._adapt = adapt
        self._kept: OrderedDict[int, tuple[JsonSchema, dict[str, Any]]] = OrderedDict()

    def __call__(self, schema: JsonSchema) -> dict[str, Any]:
        kept = self._kept.get(id(schema))
        if kept is None:
            # the schema is kept beside its adaptation, so that its id cannot be given to another one
            kept = self._kept[id(schema)] = (schema, self._adapt(schema))
            if len(self._kept) > 64:
                self._kept.popitem(last=False)
        return kept[1]


def split_system(messages: Sequence[Message]) -> tuple[list[str], list[Message]]:
    """The system's texts and the turns, for services that take them apart and want at least one turn: a prompt that is all
    the system's is sent as the user's.
    """
    turns = [message for message in messages if message.role != "system"]
    if not turns:
        return [], [Message(role="user", content=message.content) for message in messages]
    return [message.content for message in messages if message.role == "system"], turns


def refusal_text(explanation: Any, text: str) -> str:
    """Why a provider stopped its model, before what the model had written by then."""
    return "\n\n".join(part for part in (text_or_none(explanation), text) if part)


def is_json_object(text: str) -> bool:
    """Some servers accept a schema and ignore it; a reply held to one is an object and nothing else."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def count(found: Any) -> int | None:
    """A token count, or None for anything that is not one."""
    return found if type(found) is int and 0 <= found <= MAX_COUNT else None


def total(*counts: int | None) -> int | None:
    """Their sum; unknown only when all are."""
    known = [number for number in counts if number is not None]
    return sum(known) if known else None


def as_object(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def text_or_none(found: Any) -> str | None:
    return found if isinstance(found, str) and found else None
