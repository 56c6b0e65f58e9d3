"""How many tokens a model takes, from a maintained list, and about how many a text has."""

from functools import lru_cache

from adjudge.errors import ModelNameError
from adjudge.models.addresses import is_own_host, parse_base_url
from adjudge.models.names import SERVICES, ModelName, parse_model_name
from adjudge.records import Request
from adjudge.text import utf8_size

BYTES_PER_TOKEN = 4
ASSUMED_OUTPUT_TOKENS = 512
"""What a reply may take where nobody set a limit."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its UTF-8 bytes, rounded up, whatever the model's own tokens are."""
    return -(-utf8_size(text) // BYTES_PER_TOKEN)


def estimate_request_tokens(request: Request) -> int:
    """About what a request and its reply count for against a limit of tokens a minute."""
    prompt_tokens = sum(estimate_tokens(message.content) for message in request.prompt.messages)
    return prompt_tokens + (request.max_output_tokens or ASSUMED_OUTPUT_TOKENS)


@lru_cache(maxsize=64)
def context_tokens(client_name: str, base_url: str | None = None) -> int | None:
    """The most input tokens the model takes; None when the list does not say.

    `base_url` None, or an address of the provider's own: the provider's list. Another address counts only when it is that of
    a provider in the list (OpenRouter, Groq …): what a local server makes of a model's name is its own affair.
    """
    try:
        name = parse_model_name(client_name)
        host = parse_base_url(base_url, where="--base-url").host if base_url else None
    except ModelNameError:
        return None
    if name.provider in {"azure", "scripted"}:  # a deployment's name says nothing about the model behind it
        return None
    if name.provider == "litellm":
        return None if base_url else _listed(name, provider="litellm" if "/" in name.model else None)
    if host is None or is_own_host(host, SERVICES[name.provider].hosts):
        return _listed(name, provider=name.provider)
    return _listed(name, url=base_url)


def _listed(name: ModelName, *, provider: str | None = None, url: str | None = None) -> int | None:
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - slow, and most commands do not need it

    if provider is None and url is None:
        return None
    try:
        _, info = get_snapshot().find_provider_model(name.model, None, provider, url)
    except LookupError:
        return None
    return info.context_window
