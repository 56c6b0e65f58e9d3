"""What a completion cost, from a maintained price list; unknown is None, never 0."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from adjudge.records import Usage

MILLION = 1_000_000
MAX_MODELS = 256
BATCH_SHARE = Decimal("0.5")
"""Of the price, for a request in a batch: both OpenAI and Anthropic take half, of input, cached input and output."""


US_ONLY_SHARE = Decimal("1.1")
"""Of the price, for what Anthropic computes in the US alone (`inference_geo`); the list does not have it."""


class BatchLimit(NamedTuple):
    requests: int
    bytes: int


BATCH_LIMITS = {
    "openai": BatchLimit(requests=50_000, bytes=200 * 1000**2),
    "anthropic": BatchLimit(requests=100_000, bytes=256 * 1000**2),
}
"""Of one batch, by provider."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """US dollars per token where a price does not depend on size, hour or tier: read from the list once."""

    per_request: Decimal
    fresh: Decimal
    cached: Decimal
    written: Decimal
    output: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Priced:
    """A model found in the price list."""

    provider: Any
    info: Any
    rates: Rates | None


class TokenCounts(NamedTuple):
    input: int = 0
    """All of them: `cached` and `written` are part of it."""
    cached: int = 0
    written: int = 0
    written_1h: int = 0
    """Part of `written`."""
    output: int = 0


class Prices:
    """Looks each model snapshot up once. The list ships with its package; nothing is fetched."""

    __slots__ = ("_found", "_provider")

    def __init__(self, provider: str | None) -> None:
        """`provider` None: an address whose prices nobody publishes."""
        self._provider = provider
        self._found: dict[str, Priced | None] = {}

    def cost(
        self,
        model: str | None,
        usage: Usage,
        *,
        cache_written: int = 0,
        cache_written_1h: int = 0,
        service_tier: str | None = None,
        speed: str | None = None,
        inference_geo: str | None = None,
    ) -> Decimal | None:
        """US dollars, or None for an unknown model or count."""
        if self._provider is None or not model or usage.input is None or usage.output is None:
            return None
        if model not in self._found:
            if len(self._found) >= MAX_MODELS:
                self._found.clear()  # a server that makes up a name for every reply
            self._found[model] = find_price(self._provider, model)
        priced = self._found[model]
        if priced is None:
            return None
        cached = min(usage.cached or 0, usage.input)
        written = min(cache_written, usage.input - cached)
        rates = priced.rates
        context = {"service_tier": service_tier, "speed": speed}
        context = {
            name: value for name, value in context.items() if value not in (None, "default", "standard")
        }
        written_1h = min(cache_written_1h, written)
        if inference_geo == "us":
            context["inference_geo"] = "us"
        if rates is None or context or written_1h:
            tokens = TokenCounts(
                input=usage.input,
                cached=cached,
                written=written,
                written_1h=written_1h,
                output=usage.output,
            )
            return ask_list(priced, tokens, context)
        return (
            rates.per_request
            + rates.fresh * (usage.input - cached - written)
            + rates.cached * cached
            + rates.written * written
            + rates.output * usage.output
        ).normalize()


def find_price(provider: str, model: str) -> Priced | None:
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - slow, and most commands need no prices
    from genai_prices.types import ModelPrice, TieredPrices  # noqa: PLC0415 - as above

    try:
        found, info = get_snapshot().find_provider_model(model, None, provider, None)
    except LookupError:
        return None
    priced = Priced(provider=found, info=info, rates=None)
    if not isinstance(info.prices, ModelPrice):
        return priced  # by date or hour
    if any(isinstance(price, TieredPrices) for price in vars(info.prices).values()):
        return priced  # by size
    per_request = ask_list(priced, TokenCounts())
    units = (
        TokenCounts(input=MILLION),
        TokenCounts(input=MILLION, cached=MILLION),
        TokenCounts(input=MILLION, written=MILLION),
        TokenCounts(output=MILLION),
    )
    costs = [ask_list(priced, unit) for unit in units]
    if per_request is None or any(cost is None for cost in costs):
        return priced
    fresh, cached, written, output = ((cost - per_request) / MILLION for cost in costs if cost is not None)
    rates = Rates(per_request=per_request, fresh=fresh, cached=cached, written=written, output=output)
    return Priced(provider=found, info=info, rates=rates)


def ask_list(
    priced: Priced, tokens: TokenCounts, context: Mapping[str, str | None] | None = None
) -> Decimal | None:
    from genai_prices import Usage as ListUsage  # noqa: PLC0415 - as above

    try:
        answer = priced.info.calc_price(
            ListUsage(
                input_tokens=tokens.input,
                cache_read_tokens=tokens.cached,
                cache_write_tokens=tokens.written,
                cache_write_1h_tokens=tokens.written_1h,
                output_tokens=tokens.output,
            ),
            priced.provider,
            genai_request_timestamp=datetime.now(UTC),
            price_context=dict(context) if context else None,
        )
    except (LookupError, ValueError):
        return None
    listed = vars(answer.model_price)
    if listed.get("input_mtok") is None or listed.get("output_mtok") is None:
        return None  # listed, but not by the token: the sum would say that it is free
    total: Decimal = answer.total_price
    if context and context.get("inference_geo") == "us":
        total *= US_ONLY_SHARE
    return total.normalize()


class TokenPrice(NamedTuple):
    """In US dollars per token."""

    input: Decimal
    output: Decimal


def list_price(
    provider: str, model: str, parameters: Mapping[str, Any], *, prompt_tokens: int
) -> TokenPrice | None:
    """Of prompts so long, with what is asked for beside the model; input at the price of what is written to a cache where
    that is dearer, as some services do by themselves. None for a model that is not listed by the token.
    """
    priced = find_price(provider, model)
    if priced is None:
        return None
    asked = {name: parameters.get(name) for name in ("service_tier", "speed", "inference_geo")}
    context = {name: value for name, value in asked.items() if isinstance(value, str)}
    per_request = ask_list(priced, TokenCounts())
    inputs = [TokenCounts(input=prompt_tokens), TokenCounts(input=prompt_tokens, written=prompt_tokens)]
    if '"1h"' in json.dumps(parameters, default=str):
        inputs.append(TokenCounts(input=prompt_tokens, written=prompt_tokens, written_1h=prompt_tokens))
    found = [ask_list(priced, tokens, context) for tokens in inputs]
    both = ask_list(priced, TokenCounts(input=prompt_tokens, output=MILLION), context)
    costs = [cost for cost in found if cost is not None]
    if per_request is None or both is None or len(costs) < len(found):
        return None
    return TokenPrice((max(costs) - per_request) / prompt_tokens, (both - costs[0]) / MILLION)
