"""Parameters that hold secrets: masked everywhere but in the request that is sent.

`--param api_key=…` or a header with a token would else be kept with every completion, in the run's plan, and in the hashes
they are known by. So the run is planned and stored with masks, and the innermost client puts the values back.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from adjudge.errors import ModelCallError
from adjudge.models.clients.wrap import WrappingClient
from adjudge.models.secrets import LOOKS_SECRET, MASK, MIN_IN_MESSAGES_CHARS, URL_CREDENTIALS, Scrubber
from adjudge.records import Completion, Json, ModelClient, Request

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
SECRET_WORDS = frozenset(
    {
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "header",
        "headers",
        "key",
        "keys",
        "passphrase",
        "passwd",
        "password",
        "query",
        "secret",
        "secrets",
        "token",
    }
)
"""In the name of a parameter, or of what it stands in: `extra_headers`, `aws_secret_access_key`; not `max_tokens`."""


class Masked(NamedTuple):
    parameters: Mapping[str, Json]
    """As they may be kept and shown."""
    secrets: tuple[str, ...]
    """What was masked in them; none: the parameters are as they were."""


def mask_secrets(parameters: Mapping[str, Json]) -> Masked:
    secrets = tuple(_secrets(parameters, secret=False))
    if not secrets:
        return Masked(parameters, ())
    return Masked({name: _masked(value, is_secret_name(name)) for name, value in parameters.items()}, secrets)


def is_secret_name(name: str) -> bool:
    return any(word.lower() in SECRET_WORDS for word in _WORD.findall(name))


class ConfidentialClient(WrappingClient):
    """Sends the parameters as they were given; whatever comes back does not repeat their secrets."""

    def __init__(self, client: ModelClient, parameters: Mapping[str, Json], secrets: tuple[str, ...]) -> None:
        super().__init__(client)
        self._parameters = parameters
        self._scrubber = Scrubber(secrets)

    def __repr__(self) -> str:
        return f"ConfidentialClient({self._client!r})"

    async def complete(self, request: Request) -> Completion:
        try:
            completion = await self._client.complete(replace(request, parameters=self._parameters))
        except ModelCallError as error:
            error.message = self._scrubber.message(error.message)
            error.args = (error.message,)
            raise
        snapshot = completion.model_snapshot
        return replace(
            completion,
            text=self._scrubber.reply(completion.text),
            logprobs=self._scrubber.logprobs(completion.text, completion.logprobs),
            model_snapshot=None if snapshot is None else self._scrubber.reply(snapshot),
        )


def _secrets(value: Json | Mapping[str, Json], *, secret: bool) -> Iterator[str]:
    if isinstance(value, str):
        if _is_secret(value, secret):
            yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _secrets(item, secret=secret or is_secret_name(name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _secrets(item, secret=secret)


def _masked(value: Json, secret: bool) -> Json:  # noqa: FBT001 - one of two positions, in a recursion
    if isinstance(value, str):
        return MASK if _is_secret(value, secret) else value
    if isinstance(value, Mapping):
        return {name: _masked(item, secret or is_secret_name(name)) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item, secret) for item in value]
    return value


def _is_secret(text: str, secret: bool) -> bool:  # noqa: FBT001 - as above
    if secret:
        return len(text) >= MIN_IN_MESSAGES_CHARS
    return bool(LOOKS_SECRET.search(text) or URL_CREDENTIALS.search(text))
