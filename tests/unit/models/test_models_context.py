"""How much a model takes, where that is known, and about how much a text is."""

import pytest

from adjudge.models import context_tokens, estimate_request_tokens, estimate_tokens


@pytest.mark.parametrize(
    ("name", "base_url", "tokens"),
    [
        ("openai:gpt-4o", None, 128_000),
        ("openai:gpt-4o-2024-08-06", None, 128_000),
        ("openai:gpt-4o", "https://api.openai.com/v1", 128_000),
        ("openai/gpt-4o", None, 128_000),
        ("anthropic:claude-3-5-sonnet-20241022", "https://api.anthropic.com", 200_000),
        ("google:gemini-2.0-flash", None, 1_000_000),
        ("litellm:groq/deepseek-r1-distill-llama-70b", None, 131_072),
        ("openai:deepseek-r1-distill-llama-70b", "https://api.groq.com/openai/v1", 131_072),
        ("openai:gpt-4o", "http://localhost:8000/v1", None),
        ("openai:nobody-knows-this-one", None, None),
        ("azure:gpt-4o", "https://r.openai.azure.com", None),
        ("litellm:gpt-4o", None, None),
        ("litellm:groq/deepseek-r1-distill-llama-70b", "http://localhost:1/v1", None),
        ("scripted:replies.jsonl", None, None),
        ("somebody's own client", None, None),
        ("", None, None),
        ("openai:gpt-4o", "not a url", None),
    ],
)
def test_the_context_of_a_model_is_known_only_where_the_list_knows_the_model_there(name, base_url, tokens):
    assert context_tokens(name, base_url) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é" * 4, 2), ("漢字", 2), ("\ud83d", 1)],
)
def test_a_token_is_four_bytes_rounded_up(text, tokens):
    assert estimate_tokens(text) == tokens


def test_a_request_counts_with_the_reply_it_may_get(make_request):
    assert estimate_request_tokens(make_request("x" * 400, max_output_tokens=50)) == 150
    assert estimate_request_tokens(make_request("x" * 400)) == 612
