"""What a model refuses is left out or renamed, once, remembered, noted; what the person asked for is not dropped."""

import asyncio
import json
import threading

import pytest
from sdk_types import openai_error

from adjudge.errors import ParameterRefusedError, RejectedError, TooLongError
from adjudge.models import open_model
from adjudge.records import Usage
from adjudge.testing import ModelServer, ServerReply

VERDICT = {"reason": "fits", "score": 4}


def sent_names(server):
    return [set(request.body) for request in server.requests]


def test_a_reasoning_model_gets_no_temperature_and_max_completion_tokens(ask, make_request):
    with ModelServer(VERDICT, refuse={"temperature"}, require_max_completion_tokens=True) as server:
        first, second = ask("openai:o9", server.openai_url, make_request(), make_request())
    assert len(server.requests) == 4
    last = server.requests[-1].body
    assert "temperature" not in last
    assert "max_tokens" not in last
    assert last["max_completion_tokens"] == 256
    assert (first.attempts, second.attempts) == (3, 1)
    assert first.notes == second.notes == ("left_out:temperature", "renamed:max_tokens")
    assert first.structured


def test_a_server_that_wants_max_tokens_gets_it_from_the_openai_default(ask, make_request):
    from adjudge.models.addresses import parse_base_url
    from adjudge.models.providers.openai import openai_wire
    from adjudge.models.providers.parameters import NOTHING_REFUSED, ProviderError
    from adjudge.models.providers.wire import Connection

    base = parse_base_url("https://api.openai.com/v1", where="test")
    wire = openai_wire(Connection(model="gpt-x", base=base, key="k", own_host=True, key_variables=()), {})
    request = make_request()
    assert wire.body(request, NOTHING_REFUSED)["max_completion_tokens"] == 256
    error = ProviderError(status=400, message="Unrecognized request argument supplied: max_completion_tokens")
    learned = wire.adjust(request, NOTHING_REFUSED, error)
    assert learned is not None
    assert wire.body(request, learned)["max_tokens"] == 256
    assert wire.notes(request, learned) == ("renamed:max_completion_tokens",)


@pytest.mark.parametrize(
    ("refused", "last", "note"),
    [
        ("json_schema", "json_object", "response_format:json_object"),
        ("all", None, "response_format:none"),
    ],
)
def test_openai_structured_output_steps_down_as_far_as_it_must(ask, make_request, refused, last, note):
    with ModelServer(VERDICT, refuse_response_format=refused) as server:
        first, second = ask("openai:gpt-x", server.openai_url, make_request(), make_request())
    assert server.requests[-1].body.get("response_format", {}).get("type") == last
    assert first.notes == second.notes == (note,)
    assert first.structured is second.structured is False
    assert second.attempts == 1


def test_json_mode_is_not_asked_for_when_the_prompt_does_not_say_json(ask, make_request):
    with ModelServer(VERDICT, refuse_response_format="json_schema") as server:
        completion = ask("openai:gpt-x", server.openai_url, make_request("How good?"))
    assert "response_format" not in server.requests[-1].body
    assert completion.notes == ("response_format:none",)


def test_anthropic_falls_back_from_its_output_format_to_a_forced_tool(ask, make_request):
    with ModelServer(VERDICT, refuse={"temperature"}, refuse_response_format="json_schema") as server:
        completion = ask("anthropic:claude-x", server.anthropic_url)
    last = server.requests[-1].body
    assert "output_config" not in last
    assert last["tool_choice"] == {"type": "tool", "name": last["tools"][0]["name"]}
    assert last["tools"][0]["input_schema"]["properties"].keys() == {"reason", "score"}
    assert (completion.text, completion.structured) == ('{"reason":"fits","score":4}', True)
    assert completion.notes == ("left_out:temperature", "response_format:tool")


def test_anthropic_falls_back_to_no_structure_at_all(ask):
    with ModelServer(VERDICT, refuse_response_format="all") as server:
        completion = ask("anthropic:claude-x", server.anthropic_url)
    assert not {"tools", "output_config"} & server.requests[-1].body.keys()
    assert completion.notes == ("response_format:none",)
    assert not completion.structured


def test_google_falls_back_through_its_formats(ask):
    with ModelServer(VERDICT, refuse_response_format="json_schema") as server:
        completion = ask("google:gemini-x", server.google_url)
    configs = [request.body["generationConfig"] for request in server.requests]
    assert ["responseJsonSchema" in c for c in configs] == [True, False, False]
    assert ["responseSchema" in c for c in configs] == [False, True, False]
    assert completion.notes == ("response_format:json_object",)
    with ModelServer(VERDICT, refuse={"temperature"}, refuse_response_format="all") as server:
        completion = ask("google:gemini-x", server.google_url)
    assert completion.notes == ("left_out:temperature", "response_format:none")


def test_logprobs_are_left_out_when_refused_even_with_a_403(ask, make_request):
    def handler(request):
        if request.body.get("logprobs"):
            return ServerReply(status=403, message="You are not allowed to request logprobs from this model")
        return VERDICT

    with ModelServer(handler=handler) as server:
        completion = ask("openai:gpt-x", server.openai_url)
    assert completion.notes == ("left_out:logprobs",)
    assert completion.attempts == 2


def test_a_server_without_alternatives_still_gives_log_probabilities(ask, make_request):
    with ModelServer(ServerReply(text="4", logprobs=(("4", -0.1),)), refuse={"top_logprobs"}) as server:
        completion = ask("openai:gpt-x", server.openai_url, make_request(values=("3", "4")))
    assert completion.notes == ("left_out:top_logprobs",)
    assert [request.body.get("top_logprobs") for request in server.requests] == [5, None]
    assert [request.body["logprobs"] for request in server.requests] == [True, True]
    assert [part.token for part in completion.logprobs] == ["4"]


@pytest.mark.parametrize("parameters", [{"temperature": 0.3}, {"logprobs": True}, {"max_tokens": 5}])
def test_a_parameter_the_person_asked_for_is_not_dropped_silently(ask, make_request, parameters):
    (name,) = parameters
    with ModelServer(VERDICT, refuse={name}) as server, pytest.raises(RejectedError, match=name):
        ask("openai:gpt-x", server.openai_url, make_request(parameters=parameters))
    assert len(server.requests) == 1


def test_concurrent_first_calls_learn_together_and_end(ask, make_request):
    with ModelServer(VERDICT, refuse={"temperature", "logprobs"}, refuse_response_format="all") as server:
        found = ask("openai:gpt-x", server.openai_url, *[make_request() for _ in range(24)], together=True)
    assert {completion.text for completion in found} == {'{"reason": "fits", "score": 4}'}
    assert max(completion.attempts for completion in found) <= 5
    assert sum(completion.attempts for completion in found) == len(server.requests)
    assert {completion.notes for completion in found} == {
        ("left_out:temperature", "left_out:logprobs", "response_format:none")
    }


def test_what_two_calls_learn_at_the_same_time_is_joined(make_request):
    both = threading.Event()

    def handler(request):
        refused = {"A": "temperature", "B": "logprobs"}.get(request.prompt)
        if len(server.requests) == 2:
            both.set()
        if refused in request.body:
            return ServerReply(status=400, message=f"{refused} is not supported", after=both)
        return "ok"

    async def work(url):
        client = open_model("openai:m", base_url=url, environ={})
        try:
            asked = (client.complete(make_request(name, schema=None)) for name in "AB")
            refused = await asyncio.gather(*asked, return_exceptions=True)
            assert {type(error) for error in refused} == {ParameterRefusedError}
            return await client.complete(make_request("C", schema=None))
        finally:
            await client.close()

    with ModelServer(handler=handler) as server:
        completion = asyncio.run(work(server.openai_url))
    assert completion.notes == ("left_out:temperature", "left_out:logprobs")
    assert not {"temperature", "logprobs"} & server.requests[-1].body.keys()


def test_a_server_that_refuses_for_ever_is_not_asked_for_ever(ask):
    def handler(request):
        return ServerReply(
            status=400, message="temperature, logprobs, max_tokens, response_format: not supported"
        )

    with ModelServer(handler=handler) as server, pytest.raises(RejectedError, match="not supported"):
        ask("openai:gpt-x", server.openai_url)
    assert len(server.requests) <= 8


CONTEXT = 4096
WORDINGS = [
    "'max_tokens' or 'max_completion_tokens' is too large: {limit}. This model's maximum context length is 4096 tokens and your request has {read} input tokens ({limit} > 4096 - {read}).",
    "This model's maximum context length is 4096 tokens. However, you requested {sum} tokens ({read} in the messages, {limit} in the completion). Please reduce the length of the messages or completion.",
    "You passed {bound} input tokens and requested {limit} output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of {most} tokens. Please reduce the length of the input prompt.",
    "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of {sum} tokens: {read} tokens from the input messages and {limit} tokens for the completion.",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: {read} `inputs` tokens and {limit} `max_new_tokens`",
    "input length and `max_tokens` exceed context limit: {read} + {limit} > 4096, decrease input length or `max_tokens`",
]


def small_context(wording):
    """A server whose tokens are words, with room for 4096 of prompt and reply."""

    def handler(request):
        read, limit = len(request.prompt.split()), request.body["max_tokens"]
        if read + limit <= CONTEXT:
            return ServerReply(text='{"reason": "fits", "score": 4}', usage=Usage(input=read, output=9))
        most = CONTEXT - limit
        numbers = {"read": read, "limit": limit, "sum": read + limit, "bound": most + 1, "most": most}
        return ServerReply(status=400, message=wording.format(**numbers))

    return ModelServer(handler=handler)


@pytest.mark.parametrize("wording", WORDINGS)
def test_a_limit_that_leaves_no_room_for_the_prompt_is_lowered(ask, make_request, wording):
    def request(words):
        return make_request("json " * words, max_output_tokens=4096)

    with small_context(wording) as server:
        found = ask("openai:m", server.openai_url, request(900), request(920), request(3000), request(20))
        assert [completion.text for completion in found] == ['{"reason": "fits", "score": 4}'] * 4
        assert {completion.notes for completion in found} == {("lowered:max_tokens",)}
        assert [completion.attempts for completion in found] == [2, 1, 1, 1]
        limits = [sent.body["max_tokens"] for sent in server.requests]
        assert limits[2] > 3000 - 950  # what the prompt leaves, or half of what was asked for
        with pytest.raises(TooLongError, match=r"context|must be <="):
            ask("openai:m", server.openai_url, request(4050))


def test_a_limit_larger_than_the_whole_context_is_lowered(ask, make_request):
    """vLLM looks at the limit first, and counts no prompt: every case was `call_failed` where the context is 2048."""

    def handler(request):
        read, limit = len(request.prompt.split()), request.body["max_tokens"]
        if limit > 2048:
            message = (
                f"max_tokens={limit}cannot be greater than max_model_len=max_total_tokens=2048. Please request fewer "
                f"output tokens."
            )
        elif read + limit > 2048:
            message = (
                f"This model's maximum context length is 2048 tokens. However, you requested {limit} output tokens and "
                f"your prompt contains at least {2049 - limit} input tokens, for a total of at least 2049 tokens."
            )
        else:
            return ServerReply(text='{"reason": "fits", "score": 4}', usage=Usage(input=read, output=9))
        return ServerReply(status=400, message=message, param="max_tokens")

    requests = [make_request("json " * words, max_output_tokens=4096) for words in (900, 950, 1100)]
    with ModelServer(handler=handler) as server:
        found = ask("openai:m", server.openai_url, *requests)
    assert [completion.attempts for completion in found] == [2, 1, 1]
    assert {completion.notes for completion in found} == {("lowered:max_tokens",)}


def test_a_limit_of_the_persons_own_is_not_lowered(ask, make_request):
    own = make_request("json " * 900, max_output_tokens=4096, parameters={"max_tokens": 4000})
    with small_context(WORDINGS[0]) as server, pytest.raises(TooLongError, match="too large: 4000"):
        ask("openai:m", server.openai_url, own)
    assert len(server.requests) == 1


def test_a_server_with_few_alternatives_is_asked_for_fewer(ask, make_request):
    def handler(request):
        if request.body.get("top_logprobs", 0) > 5:
            asked = request.body["top_logprobs"]
            message = f"Input validation error: `top_n_tokens` must be >= 0 and <= 5. Given: {asked}"
            return ServerReply(status=422, message=message)
        return "4"

    with ModelServer(handler=handler) as server:
        completion = ask("openai:tgi", server.openai_url, make_request(values=tuple("0123456789")))
    assert [request.body["top_logprobs"] for request in server.requests] == [12, 5]
    assert completion.notes == ("lowered:top_logprobs",)


@pytest.mark.parametrize(
    "message",
    [
        "The specified schema produces a constraint that has too many states for serving.",
        "Request contains an invalid argument.",
    ],
)
def test_a_schema_that_gemini_does_not_serve_is_stepped_down_from(ask, message):
    def handler(request):
        config = request.body["generationConfig"]
        has_schema = "responseJsonSchema" in config or "responseSchema" in config
        return ServerReply(status=400, message=message) if has_schema else VERDICT

    with ModelServer(handler=handler) as server:
        completion = ask("google:gemini-x", server.google_url)
    assert completion.notes == ("response_format:json_object",)
    assert len(server.requests) == 3


def test_gemini_refusing_without_a_reason_and_without_a_schema_is_an_error(ask):
    refused = ServerReply(status=400, message="Request contains an invalid argument.")
    with ModelServer(refused) as server, pytest.raises(RejectedError, match="invalid argument"):
        ask("google:gemini-x", server.google_url)
    assert len(server.requests) == 3


def test_json_that_groq_does_not_let_through_is_what_the_model_said(ask, make_request):
    bad = openai_error(
        400, "Failed to generate JSON. Please adjust your prompt.", code="json_validate_failed"
    )
    error = json.loads(bad.body)["error"] | {"failed_generation": "Score: 4"}
    said = ServerReply(status=400, body=json.dumps({"error": error}).encode())
    cut = openai_error(
        400, "max completion tokens reached before generating a valid document", code="json_validate_failed"
    )
    with ModelServer([said, cut]) as server:
        first, second = ask("openai:groq", server.openai_url, make_request(), make_request())
    assert (first.text, first.finish, first.structured) == ("Score: 4", "stop", False)
    assert second.finish == "length"


def test_a_token_limit_out_of_range_is_rejected_rather_than_dropped(ask):
    message = "max_tokens is too large: 999999. This model allows at most 16384 completion tokens."
    with (
        ModelServer(ServerReply(status=400, message=message, param="max_tokens")) as server,
        pytest.raises(RejectedError, match="too large"),
    ):
        ask("openai:gpt-x", server.openai_url)
    assert len(server.requests) == 1


def test_a_400_about_something_else_is_not_read_as_a_refused_parameter(ask):
    reply = ServerReply(status=400, message="the text about temperature is bad", param="messages[0].content")
    with ModelServer(reply) as server, pytest.raises(RejectedError):
        ask("openai:gpt-x", server.openai_url)
    assert len(server.requests) == 1
