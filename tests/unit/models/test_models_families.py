"""Names of one model, or of one family, whoever serves it."""

import pytest

from adjudge.models.families import family_of, related


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("openai:gpt-4o", "gpt-4o", "model"),
        ("openai:gpt-4o", "gpt-4o-2024-08-06", "model"),
        ("openai:gpt-4o", "openrouter/openai/GPT-4o", "model"),
        ("anthropic:claude-sonnet-5", "claude-sonnet-5-20260101", "model"),
        ("openai:gpt-4o", "azure:gpt-4o-mini", "family"),
        ("openai:o3-mini", "gpt-5", "family"),
        ("openai:llama3:8b", "meta-llama/Llama-3.3-70B-Instruct", "family"),
        ("litellm:groq/llama-3.3-70b-versatile", "llama3:8b", "family"),
        ("google:gemini-3.5-flash", "gemma-2-9b-it", "family"),
        ("openai:gpt-4o", "claude-sonnet-5", None),
        ("scripted:a.jsonl", "scripted:b.jsonl", None),
        ("embedded@abc", "embedded", "model"),
        ("openai:gpt-4o", "", None),
        ("openai:philosopher", "phi-4", None),
    ],
)
def test_related(one, other, relation):
    assert related(one, other) == relation
    assert related(other, one) == relation


def test_a_name_that_says_nothing_has_no_family():
    assert family_of("my-own-model") is None
    assert family_of("Qwen/Qwen2.5-7B") == "Qwen"
