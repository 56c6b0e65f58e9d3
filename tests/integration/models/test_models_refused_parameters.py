"""What a model refuses is left out or renamed, once, remembered, noted; what the person asked for is not dropped."""

import asyncio
import threading

import pytest

from adjudge.errors import RejectedError
from adjudge.models import open_model
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
            await asyncio.gather(*(client.complete(make_request(name, schema=None)) for name in "AB"))
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
