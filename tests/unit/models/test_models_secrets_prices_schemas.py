"""The pure parts: scrubbing, prices, schema adaptation, what counts as a refused parameter."""

from decimal import Decimal
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.prices import Prices, TokenCounts, ask_list, find_price
from adjudge.models.providers.parameters import (
    NOTHING_REFUSED,
    ProviderError,
    names_parameter,
    says_unsupported,
)
from adjudge.models.providers.schemas import gemini_schema, openapi_schema, strict_schema
from adjudge.models.secrets import Scrubber
from adjudge.records import TokenLogprob, Usage

KEYS = st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40)


@given(key=KEYS, before=st.text(max_size=40), after=st.text(max_size=40))
def test_a_known_secret_never_survives_in_a_message(key, before, after):
    assert key not in Scrubber([key]).message(f"{before} {key} {after}").replace("[key]", "")


@given(key=KEYS, text=st.text(max_size=500))
def test_a_reply_without_the_secret_is_unchanged(key, text):
    if key not in text:
        assert Scrubber([key]).reply(text) == text or "=" in key or "%" in key


@pytest.mark.parametrize(
    "text",
    [
        "key sk-proj-abcdefghijklmnop is wrong",
        "Bearer abcdefgh12345678",
        "AIzaSyA1234567890abcdefghijk",
        "see https://user:hunter22@host/x",
        "gsk_abcdefghijklm",
        "Incorrect: sk-abcdefgh***1234567890",
    ],
)
def test_what_looks_like_a_secret_is_taken_out_even_when_it_is_not_ours(text):
    shown = Scrubber().message(text)
    assert "abcdefgh" not in shown
    assert "1234567890" not in shown
    assert "hunter22" not in shown


@pytest.mark.parametrize(
    "echo", ["abcd-012****wxyz", "abcd…wxyz", "abcd****************", "abcd-0123•••9-wxyz"]
)
def test_the_ends_of_a_key_with_stars_in_between_are_taken_out(echo):
    assert Scrubber(["abcd-0123456789-wxyz"]).message(f"bad key {echo}.") == "bad key [key]."


def test_a_short_placeholder_key_does_not_mangle_replies():
    assert Scrubber(["EMPTY"]).reply("The list is EMPTY.") == "The list is EMPTY."


def test_the_tokens_of_a_reply_go_where_a_secret_stands_in_it():
    scrubber = Scrubber(["sk-0123456789abcdef"])
    tokens = (TokenLogprob(token="sk-0123", logprob=-0.1), TokenLogprob(token="456789abcdef", logprob=-0.1))
    assert scrubber.logprobs("sk-0123456789abcdef", tokens) == ()
    assert scrubber.logprobs("sk-0123456789", tokens) == tokens


def test_ordinary_words_survive_scrubbing():
    text = "risk-averse task_force sk-learn hf-hub key-value-store: basic rules, key-value pairs at https://example.test/a@b"
    assert Scrubber(["sk-0123456789abcdef"]).message(text) == text


@pytest.mark.parametrize("unit", ["://a", "sk-", "sk-ab**", "Bearer ", "\x00", "a:b@", "*", "://a:"])
def test_a_megabyte_of_hostile_text_is_scrubbed_and_bounded(unit):
    assert len(Scrubber(["sk-ab0123456789"]).message(unit * 300_000)) <= 300


def test_the_price_of_cached_tokens_is_the_lists():
    prices = Prices("openai")
    usage = Usage(input=1000, output=50, cached=100)
    expected = Decimal("2.5") * 900 / 10**6 + Decimal("1.25") * 100 / 10**6 + Decimal(10) * 50 / 10**6
    assert prices.cost("gpt-4o-2024-08-06", usage) == expected


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-4o"),
        ("anthropic", "claude-sonnet-4-5-20250929"),
        ("google", "gemini-2.5-pro"),
        ("google", "gemini-2.5-flash"),
        ("azure", "gpt-4o"),
    ],
)
@pytest.mark.parametrize(
    "tokens", [TokenCounts(input=10, output=1), TokenCounts(input=300_000, cached=5, written=7, output=99)]
)
def test_our_arithmetic_agrees_with_the_price_list(provider, model, tokens):
    priced = find_price(provider, model)
    assert priced is not None
    usage = Usage(input=tokens.input, output=tokens.output, cached=tokens.cached)
    found = Prices(provider).cost(model, usage, cache_written=tokens.written)
    assert found == ask_list(priced, tokens)
    assert found > 0


@pytest.mark.parametrize(
    ("provider", "model", "usage"),
    [
        ("openai", "no-such-model", Usage(input=1, output=1)),
        ("openai", None, Usage(input=1, output=1)),
        ("openai", "gpt-4o", Usage()),
        ("openai", "gpt-4o", Usage(input=1)),
        ("openai", "gpt-4o", Usage(output=1)),
        (None, "gpt-4o", Usage(input=1, output=1)),
    ],
)
def test_what_is_not_known_has_no_price_rather_than_a_price_of_0(provider, model, usage):
    assert Prices(provider).cost(model, usage) is None


def test_more_cached_tokens_than_tokens_do_not_make_a_negative_price():
    assert Prices("openai").cost("gpt-4o", Usage(input=10, output=0, cached=99)) > 0


NESTED = MappingProxyType(
    {
        "type": "object",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": MappingProxyType(
            {
                "items": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {
                            "why": {"type": "string", "pattern": "."},
                            "format": {"type": "boolean"},
                        },
                    },
                },
                "score": {"oneOf": [{"const": 1}, {"type": "null"}]},
                "final_score": {"enum": [0.0, 1.0, "0.0", "1.0"]},
                "big": {"type": "integer", "minimum": 0, "maximum": 1000},
                "maybe": {"type": ["number", "null"]},
            }
        ),
        "required": ["score"],
    }
)


def test_strict_schemas_are_closed_complete_and_in_order():
    found = strict_schema(NESTED)
    assert list(found["properties"]) == found["required"] == ["items", "score", "final_score", "big", "maybe"]
    assert found["additionalProperties"] is False
    assert "$schema" not in found
    inner = found["properties"]["items"]
    assert inner == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"why": {"type": "string"}, "format": {"type": "boolean"}},
            "required": ["why", "format"],
            "additionalProperties": False,
        },
    }
    assert found["properties"]["score"] == {"anyOf": [{"enum": [1], "type": "integer"}, {"type": "null"}]}
    assert found["properties"]["final_score"] == {
        "enum": [0.0, 1.0, "0.0", "1.0"],
        "type": ["number", "string"],
    }
    assert found["properties"]["big"] == {"type": "integer"}
    assert NESTED["properties"]["big"]["maximum"] == 1000


def test_gemini_gets_no_bounds_and_the_older_form_has_one_type_and_string_enums():
    newer, older = gemini_schema(NESTED), openapi_schema(NESTED)
    assert newer["properties"]["big"] == older["properties"]["big"] == {"type": "integer"}
    assert "minItems" not in newer["properties"]["items"]
    assert older["properties"]["maybe"] == {"type": "number", "nullable": True}
    assert older["properties"]["final_score"] == {"anyOf": [{"type": "number"}, {"type": "string"}]}
    assert older["propertyOrdering"] == list(NESTED["properties"])


@pytest.mark.parametrize(
    ("message", "param", "name", "named"),
    [
        ("Unsupported value: 'temperature' does not support 0", "", "temperature", True),
        ("`temperature` is deprecated for this model.", "", "temperature", True),
        ("temperatures vary", "", "temperature", False),
        ("top_logprobs", "", "logprobs", False),
        ("anything", "response_format.json_schema", "response_format", True),
        ("temperature", "messages", "temperature", False),
        ("use max_completion_tokens", "", "max_tokens", False),
    ],
)
def test_a_parameter_is_named_as_a_whole_word_and_param_decides(message, param, name, named):
    assert names_parameter(ProviderError(status=400, message=message, param=param), name) is named


def test_unsupported_is_not_out_of_range():
    assert says_unsupported(ProviderError(status=400, message="Unrecognized request argument: max_tokens"))
    assert not says_unsupported(ProviderError(status=400, message="max_tokens: 300000 > 64000, the maximum"))


def test_adjustments_only_grow_and_end():
    found = NOTHING_REFUSED.leaving_out("a").stepping_down(3)
    assert found.leaving_out("a") is None
    assert found.stepping_down(3).stepping_down(3) is None
    joined = found.joined(NOTHING_REFUSED.renaming("b"))
    assert (joined.left_out, joined.renamed, joined.format_step) == (frozenset("a"), frozenset("b"), 1)
