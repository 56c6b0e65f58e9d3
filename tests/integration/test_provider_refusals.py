"""An account that is used up ends a run after its first reply; a prompt that is refused costs that case alone."""

import json

import pytest
from anthropic.types import Message, TextBlock, Usage
from google.genai import types as google
from jsonl import parse_lines, write_lines

from adjudge.testing import ModelServer, ServerReply

GOOD = {"reason": "It answers the question.", "score": 4}
LOW = "Your credit balance is too low to access the Anthropic API."
USAGE = "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."
SPENDING_CAP = "Your project has exceeded its monthly spending cap. Please go to AI Studio."
PREPAID = "Your prepayment credits are depleted. Please go to AI Studio."
QUOTA = "You exceeded your current quota, please check your plan and billing details."


@pytest.fixture
def run(adjudge, tmp_path):
    def run(server, rows, *flags, provider="openai", process=False):
        cases = [{"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(rows)]
        write_lines(tmp_path / "cases.jsonl", cases)
        url = server.openai_url if provider == "openai" else server.base_url
        model = ["--model", f"{provider}:m", "--base-url", url]
        return adjudge("run", "cases.jsonl", "--judge", "relevance", *model, *flags, process=process)

    return run


def error(status, /, **found):
    return ServerReply(status=status, body=json.dumps({"error": found}).encode())


SPEND_LIMIT = {"error_code": "enforced_spend_limit_reached"}
EXHAUSTED = {
    "spend limit": ("anthropic", error(429, type="rate_limit_error", message="Limit.", details=SPEND_LIMIT)),
    "credit": ("anthropic", error(400, type="invalid_request_error", message=LOW)),
    "hard limit": ("openai", error(429, message="Limit.", code="billing_hard_limit_reached")),
    "not active": ("openai", error(429, message="Limit.", code="billing_not_active")),
    "quota": ("openai", error(429, message=QUOTA, code="insufficient_quota")),
    "quota through LiteLLM": ("openai", error(429, message=f"litellm.RateLimitError: {QUOTA}", code="429")),
    "organization's limit": (
        "openai",
        error(429, message="Limit.", code="organization_spend_limit_exceeded"),
    ),
    "project's limit": ("openai", error(429, message="Limit.", code="project_spend_limit_exceeded")),
    "usage limits": ("anthropic", error(400, type="invalid_request_error", message=USAGE)),
    "spending cap": ("google", error(429, code=429, message=SPENDING_CAP, status="RESOURCE_EXHAUSTED")),
    "prepaid": ("google", error(429, code=429, message=PREPAID, status="RESOURCE_EXHAUSTED")),
    "Groq": ("openai", error(400, message="Blocked.", code="blocked_api_access")),
    "LiteLLM's budget": (
        "openai",
        error(400, message="Budget has been exceeded!", type="budget_exceeded", code="400"),
    ),
    "router's key": ("openai", error(403, code=403, message="Key limit exceeded (total limit).")),
}


@pytest.mark.parametrize("kind", EXHAUSTED)
def test_an_account_that_is_used_up_ends_the_run_at_once(run, kind):
    """200 cases took 1,049 requests, or all of them were sent and failed."""
    provider, reply = EXHAUSTED[kind]
    with ModelServer(reply) as server:
        done = run(server, 50, "-j", "4", provider=provider)
        assert len(server.requests) == 1
    assert done.code == 3
    assert json.loads(reply.body)["error"]["message"] in done.err


@pytest.mark.parametrize("kind", ["spend limit", "credit", "quota through LiteLLM", "usage limits"])
def test_an_account_that_is_used_up_in_the_middle_ends_the_run(run, kind):
    provider, reply = EXHAUSTED[kind]
    with ModelServer(handler=lambda _: GOOD if len(server.requests) <= 10 else reply) as server:
        done = run(server, 200, "-j", "4", provider=provider, process=kind == "credit")
        assert len(server.requests) <= 10 + 4
    assert done.code == 3
    assert json.loads(reply.body)["error"]["message"] in done.err


def test_one_rejection_for_every_request_ends_the_run(run):
    """A service may say in words that nobody knows that nothing more will be answered: all 960 cases left were sent."""
    reply = error(400, message="Organization o has been suspended.", type="invalid_request_error")
    with ModelServer(handler=lambda _: GOOD if len(server.requests) <= 10 else reply) as server:
        done = run(server, 200, "-j", "4")
        assert len(server.requests) <= 10 + 10 + 4
    assert done.code == 3
    assert "calls were all rejected in the same words" in done.err


def test_rejections_in_different_words_do_not_end_the_run(run):
    def answer(request):
        number = len(server.requests)
        return GOOD if number <= 10 else error(400, message=f"Picture {number} is upside down.")

    with ModelServer(handler=answer) as server:
        assert run(server, 60, "-j", "4").code == 0
        assert len(server.requests) == 60


def test_a_quota_that_goes_by_the_minute_is_waited_for(run):
    message = f"{QUOTA} * Quota exceeded for metric: free_tier_requests. Please retry in 0.01s."
    reply = error(429, message=message, status="RESOURCE_EXHAUSTED", details=[{"retryDelay": "0.01s"}])
    replies = iter([reply])
    with ModelServer(handler=lambda _: next(replies, GOOD)) as server:
        assert run(server, 3, provider="google").code == 0


# ---- refusals ----


def anthropic_refusal(*content):
    message = Message(
        id="msg_1",
        content=[TextBlock(text=text, type="text") for text in content],
        model="m",
        role="assistant",
        type="message",
        stop_reason="refusal",
        stop_details={"type": "refusal", "category": "bio", "explanation": "It may enable harm."},
        usage=Usage(input_tokens=10, output_tokens=0),
    )
    return ServerReply(body=message.model_dump_json().encode())


def google_armor(text):
    candidate = google.Candidate(
        content=google.Content(role="model", parts=[google.Part(text=text)] if text else []),
        finish_reason="MODEL_ARMOR",
        finish_message="Blocked by Model Armor.",
    )
    found = google.GenerateContentResponse(candidates=[candidate])
    return ServerReply(body=found.model_dump_json(by_alias=True, exclude_none=True).encode())


def litellm_refusal():
    message = {"role": "assistant", "content": None, "provider_specific_fields": {"refusal": "I can't."}}
    return ServerReply(body=json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())


FLAGGED = {"reasons": ["violence"], "flagged_input": "x"}
REFUSALS = {
    "litellm": ("openai", litellm_refusal(), "I can't."),
    "invalid_prompt": (
        "openai",
        error(400, message="Against policy.", code="invalid_prompt"),
        "Against policy.",
    ),
    "bio_policy": ("openai", error(400, message="About biology.", code="bio_policy"), "About biology."),
    "moderation": ("openai", error(403, code=403, message="Declined.", metadata=FLAGGED), "Declined."),
    "explanation": ("anthropic", anthropic_refusal(), "It may enable harm."),
    "explanation of what was cut off": (
        "anthropic",
        anthropic_refusal('{"reason": "I'),
        "It may enable harm.",
    ),
    "cyber_policy": ("openai", error(400, message="About attacks.", code="cyber_policy"), "About attacks."),
    "armor": ("google", google_armor(""), "Blocked by Model Armor."),
    "armor with words": ("google", google_armor(json.dumps(GOOD)), "Blocked by Model Armor."),
}


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refused_prompt_is_asked_once_and_the_run_goes_on(run, kind):
    provider, reply, words = REFUSALS[kind]
    flagged = [f"answer {n}." for n in range(3)]

    def answer(request):
        return reply if any(text in request.prompt for text in flagged) else GOOD

    with ModelServer(handler=answer) as server:
        done = run(server, 8, "-j", "1", provider=provider)
        assert len(server.requests) == 8
    rows = {row["case_id"]: row for row in parse_lines(done.out)}
    assert [rows[f"c{n}"]["outcome"] for n in range(8)] == ["refused"] * 3 + ["scored"] * 5
    assert words in rows["c0"]["error"]["message"]


def test_a_context_that_is_full_is_too_long(run):
    message = "input length and `max_tokens` exceed context limit"
    reply = error(400, type="invalid_request_error", message=message)
    with ModelServer(reply) as server:
        rows = parse_lines(run(server, 2, provider="anthropic").out)
        assert len(server.requests) == 2
    assert {row["outcome"] for row in rows} == {"too_long"}


def test_a_context_that_is_full_is_too_long_and_is_not_asked_again(run):
    """It was asked again with twice the limit, for which there is no room either."""
    with ModelServer(ServerReply(text='{"reason": "It', finish="context")) as server:
        done = run(server, 2, provider="anthropic")
        assert len(server.requests) == 2
    assert {row["outcome"] for row in parse_lines(done.out)} == {"too_long"}
