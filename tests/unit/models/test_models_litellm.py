"""The LiteLLM client against a stand-in for the optional package: what it passes on and what errors become."""

import asyncio
import os
import sys
from types import ModuleType, SimpleNamespace

import pytest

from adjudge.errors import (
    AccountExhaustedError,
    ParameterRefusedError,
    RateLimitedError,
    RejectedError,
    TooLongError,
    UnauthorizedError,
    UnavailableError,
)
from adjudge.models import open_model
from adjudge.models.providers.litellm import NO_DOWNLOADS
from adjudge.records import Usage

REPLY = {
    "model": "llama-x",
    "choices": [{"message": {"content": '{"score": 4}'}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2},
}


@pytest.fixture
def litellm(monkeypatch):
    module = ModuleType("litellm")
    module.asked = []
    module.answers = []

    async def acompletion(**options):
        module.asked.append(options)
        answer = module.answers.pop(0) if module.answers else REPLY
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(model_dump=lambda: answer)

    module.acompletion = acompletion
    monkeypatch.setitem(sys.modules, "litellm", module)
    return module


def test_its_import_loads_no_env_file_and_fetches_no_prices(tmp_path, monkeypatch):
    """The stand-in decides as litellm 1.x does; a `.env` above a virtual environment is a clone's."""
    (tmp_path / "litellm.py").write_text(
        "import os\n"
        "if os.getenv('LITELLM_MODE', 'DEV') == 'DEV': os.environ['OPENAI_API_BASE'] = 'https://evil.example'\n"
        "if os.getenv('LITELLM_LOCAL_MODEL_COST_MAP', '').lower() != 'true': raise OSError('fetched')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    monkeypatch.setenv("LITELLM_MODE", "DEV")
    for name in NO_DOWNLOADS:
        monkeypatch.setenv(name, "False")
    before = dict(os.environ)
    try:
        open_model("litellm:groq/llama-x", environ={})
    finally:
        sys.modules.pop("litellm", None)
    assert dict(os.environ) == before | NO_DOWNLOADS


def failure(kind, status, message, **found):
    error = type(kind, (Exception,), found)(message)
    error.status_code = status
    error.message = message
    return error


def ask(request, *, refused=None, **options):
    async def work():
        client = open_model(
            "litellm:groq/llama-x", environ={"GROQ_API_KEY": "gsk_canary0123456789"}, **options
        )
        try:
            if refused is not None:
                with pytest.raises(ParameterRefusedError, match=refused):
                    await client.complete(request)
            return await client.complete(request)
        finally:
            await client.close()

    return asyncio.run(work())


def test_it_passes_the_openai_shape_on_without_retries_of_its_own(litellm, make_request):
    schema = {"type": "object", "properties": {"score": {"type": "integer"}}}
    request = make_request(schema=schema, temperature=0.0, max_output_tokens=9, parameters={"top_p": 1})
    completion = ask(request, base_url="http://localhost:1/v1", timeout_seconds=3)
    (sent,) = litellm.asked
    assert sent["model"] == "groq/llama-x"
    assert (sent["timeout"], sent["num_retries"], sent["api_base"]) == (3, 0, "http://localhost:1/v1")
    assert (sent["temperature"], sent["max_tokens"], sent["top_p"]) == (0.0, 9, 1)
    assert sent["response_format"]["type"] == "json_schema"
    assert (completion.text, completion.structured, completion.usage) == (
        '{"score": 4}',
        True,
        Usage(input=10, output=2),
    )
    assert completion.cost is None


def test_a_refused_parameter_is_left_out_and_noted(litellm, make_request):
    litellm.answers = [failure("UnsupportedParamsError", 400, "groq does not support parameters: logprobs")]
    completion = ask(make_request(), refused="logprobs")
    assert completion.notes == ("left_out:logprobs",)


@pytest.mark.parametrize(
    ("kind", "status", "error"),
    [
        ("AuthenticationError", 401, UnauthorizedError),
        ("RateLimitError", 429, RateLimitedError),
        ("ContextWindowExceededError", 400, TooLongError),
        ("BadRequestError", 400, RejectedError),
        ("NotFoundError", 404, RejectedError),
        ("Timeout", 408, UnavailableError),
        ("InternalServerError", 500, UnavailableError),
        ("APIConnectionError", None, UnavailableError),
    ],
)
def test_its_errors_become_ours_without_the_key(litellm, make_request, kind, status, error):
    litellm.answers = [failure(kind, status, "it broke with gsk_canary0123456789")]
    with pytest.raises(error) as caught:
        ask(make_request())
    assert "canary" not in str(caught.value)
    assert "it broke with [key]" in str(caught.value)


def test_a_policy_refusal_is_a_refusal(litellm, make_request):
    litellm.answers = [failure("ContentPolicyViolationError", 400, "no")]
    assert ask(make_request()).finish == "refusal"


def test_a_reply_without_choices_is_unavailable(litellm, make_request):
    litellm.answers = [{"choices": []}]
    with pytest.raises(UnavailableError, match="without a reply"):
        ask(make_request())


def test_the_provider_s_code_is_read_where_the_message_lacks_it(litellm, make_request):
    """73 requests in 73 seconds: the code of an account that is used up stood in the error's `body` alone."""
    body = {"message": "Limit.", "code": "billing_hard_limit_reached"}
    litellm.answers = [failure("RateLimitError", 429, "OpenAIException - Limit.", body=body)]
    with pytest.raises(AccountExhaustedError):
        ask(make_request())


def test_a_403_that_names_logprobs_is_about_logprobs(litellm, make_request):
    litellm.answers = [failure("BadRequestError", 403, "You are not allowed to request logprobs")]
    with pytest.raises(ParameterRefusedError):
        ask(make_request())


def test_a_block_that_litellm_does_not_know_is_a_refusal(litellm, make_request):
    """It was asked for the verdict again, and paid for twice, as an empty reply."""
    choice = {
        "message": {"content": None},
        "finish_reason": "stop",
        "provider_specific_fields": {"native_finish_reason": "MODEL_ARMOR"},
    }
    litellm.answers = [{**REPLY, "choices": [choice]}]
    completion = ask(make_request())
    assert (completion.finish, completion.text) == ("refusal", "MODEL_ARMOR")


def test_the_limit_is_lowered_for_a_small_context(litellm, make_request):
    message = (
        "Hosted_vllmException - 'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens "
        "and your request has 904 input tokens"
    )
    litellm.answers = [failure("ContextWindowExceededError", 400, message)]
    with pytest.raises(ParameterRefusedError) as caught:
        ask(make_request(max_output_tokens=4096))
    assert caught.value.max_output_tokens == 4096 - 904
