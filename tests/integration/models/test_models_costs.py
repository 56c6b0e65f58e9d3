"""What a reply cost, from the usage that the SDKs have types for, at the prices of the list in use."""

from decimal import Decimal

import pytest
from anthropic.types import CacheCreation, Message, TextBlock
from anthropic.types import Usage as AnthropicUsage
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.completion_usage import PromptTokensDetails

from adjudge.models.prices import list_price
from adjudge.testing import ModelServer, ServerReply


@pytest.fixture(autouse=True)
def _own_host(monkeypatch):
    """Prices are known of the provider's own service only."""
    monkeypatch.setattr("adjudge.models.providers.opening.is_own_host", lambda *_: True)


def openai_reply(written, tier=None, model="gpt-5.6"):
    usage = CompletionUsage(
        prompt_tokens=1_000,
        completion_tokens=200,
        total_tokens=1_200,
        prompt_tokens_details=PromptTokensDetails(cached_tokens=0, cache_write_tokens=written),
    )
    choice = Choice(
        index=0, finish_reason="stop", message=ChatCompletionMessage(role="assistant", content="4")
    )
    found = ChatCompletion(
        id="c",
        choices=[choice],
        created=1,
        model=model,
        object="chat.completion",
        usage=usage,
        service_tier=tier,
    )
    return ServerReply(body=found.model_dump_json().encode())


def anthropic_reply(*, hour=0, minutes=0, speed=None, geo=None, model="claude-sonnet-4-5"):
    usage = AnthropicUsage(
        input_tokens=1_000 - hour - minutes,
        output_tokens=200,
        cache_read_input_tokens=0,
        cache_creation_input_tokens=hour + minutes,
        cache_creation=CacheCreation(ephemeral_1h_input_tokens=hour, ephemeral_5m_input_tokens=minutes),
        service_tier="standard",
        speed=speed,
        inference_geo=geo,
    )
    found = Message(
        id="m",
        content=[TextBlock(type="text", text="4")],
        model=model,
        role="assistant",
        type="message",
        stop_reason="end_turn",
        usage=usage,
    )
    return ServerReply(body=found.model_dump_json().encode())


@pytest.mark.parametrize(
    ("provider", "reply", "cost"),
    [
        ("openai", openai_reply(0), "0.008"),
        ("openai", openai_reply(900), "0.0089"),
        ("openai", openai_reply(0, model="gpt-5"), "0.00325"),
        ("openai", openai_reply(0, "priority", model="gpt-5"), "0.0065"),
        ("openai", openai_reply(0, "flex", model="gpt-5"), "0.001625"),
        ("anthropic", anthropic_reply(minutes=900), "0.006675"),
        ("anthropic", anthropic_reply(hour=900), "0.0087"),
        ("anthropic", anthropic_reply(speed="standard", model="claude-opus-5"), "0.01"),
        ("anthropic", anthropic_reply(speed="fast", model="claude-opus-5"), "0.02"),
        ("anthropic", anthropic_reply(geo="global", model="claude-opus-5"), "0.01"),
        ("anthropic", anthropic_reply(geo="us", model="claude-opus-5"), "0.011"),
    ],
)
def test_cache_writes_tiers_and_speeds_have_their_prices(ask, make_request, provider, reply, cost):
    environ = {f"{provider.upper()}_API_KEY": "k" * 20}
    with ModelServer(reply) as server:
        url = server.openai_url if provider == "openai" else server.anthropic_url
        completion = ask(f"{provider}:m", url, make_request(schema=None), environ=environ)
    assert completion.cost == Decimal(cost)


@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-5.4"])
def test_a_model_with_a_price_for_long_prompts_has_a_price(model):
    """`--max-cost` and `estimate` said that its price was not known."""
    short, long = (list_price("openai", model, {}, prompt_tokens=tokens) for tokens in (1_000, 1_000_000))
    assert short is not None
    assert long is not None
    assert (long.input, long.output) > (short.input, short.output) > (0, 0)


def test_what_a_parameter_asks_for_is_reserved_at_its_price():
    """A priority reply that was longer than half of its limit ended the run: twice as much as was reserved."""

    def price(model, **parameters):
        provider = "openai" if model.startswith("gpt") else "anthropic"
        return list_price(provider, model, parameters, prompt_tokens=1_000_000)

    assert price("gpt-5", service_tier="priority").output == 2 * price("gpt-5").output
    assert price("claude-opus-5", speed="fast").output == 2 * price("claude-opus-5").output
    assert price("claude-opus-5", inference_geo="us").output == Decimal("1.1") * price("claude-opus-5").output
    hour = {"type": "ephemeral", "ttl": "1h"}
    assert price("claude-opus-5", cache_control=hour).input == Decimal("1.6") * price("claude-opus-5").input


def test_a_model_that_is_not_listed_has_no_price():
    assert list_price("openai", "gpt-none", {}, prompt_tokens=1_000) is None
