"""What we send and read, held to the types of the official SDKs, in every mode."""

import json
from dataclasses import replace

import pytest
from pydantic import ValidationError
from sdk_types import (
    REPLIES,
    RESPONSES,
    anthropic_error,
    anthropic_reply,
    check_batch_line,
    check_request,
    google_reply,
    openai_error,
    openai_reply,
)

from adjudge.errors import RejectedError
from adjudge.models import open_model
from adjudge.models.providers.parameters import NOTHING_REFUSED
from adjudge.records import Usage
from adjudge.testing import ModelServer, ServerReply
from adjudge.testing.shapes import SHAPES

MODELS = {
    "openai": ("openai:gpt-x", {"OPENAI_API_KEY": "sk-test-key-0001"}),
    "azure": ("azure:dep", {"AZURE_OPENAI_API_KEY": "azure-test-key-0001"}),
    "anthropic": ("anthropic:claude-x", {"ANTHROPIC_API_KEY": "ant-test-key-0001"}),
    "google": ("google:gemini-x", {"GEMINI_API_KEY": "goog-test-key-0001"}),
}
VERDICT = '{"reason":"fits","score":4}'
ALL_LEVELS = ("0", "1", "2", "3", "4", "5")
EFFORT = {
    "openai": {"reasoning_effort": "low", "verbosity": "low"},
    "azure": {"reasoning_effort": "low"},
    "anthropic": {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
    "google": {"thinkingConfig": {"thinkingLevel": "LOW"}, "safetySettings": []},
}
MODES = {
    "plain": lambda make, wire: make(schema=None),
    "structured": lambda make, wire: make(),
    "with a system message": lambda make, wire: make(system="You grade."),
    "with alternatives to each token": lambda make, wire: make(values=ALL_LEVELS),
    "without temperature and limit": lambda make, wire: make(temperature=None, max_output_tokens=None),
    "with parameters of the person's": lambda make, wire: make(parameters=EFFORT[wire]),
}
EVERY_WIRE = pytest.mark.parametrize("wire", MODELS)


@pytest.fixture
def exchange(ask):
    """Ask over HTTP; every request that came is held to the SDK's type. The completions, and the bodies sent."""

    def exchange(wire, replies, *requests, **server_options):
        name, environ = MODELS[wire]
        options = {"handler": replies} if callable(replies) else {"replies": replies}
        with ModelServer(**options, **server_options) as server:
            found = ask(name, getattr(server, f"{wire}_url"), *requests, environ=environ)
        for request in server.requests:
            check_request(wire, request.body)
        return found, [request.body for request in server.requests]

    return exchange


@EVERY_WIRE
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_sends_what_the_service_takes_and_reads_what_it_gives(exchange, make_request, wire, mode):
    request = MODES[mode](make_request, wire)
    completion, _ = exchange(wire, REPLIES[wire](VERDICT, usage=(100, 7, 0)), request)
    assert (completion.text, completion.finish) == (VERDICT, "stop")
    assert completion.structured == (request.schema is not None)
    assert (completion.usage, completion.notes) == (Usage(input=100, output=7, cached=0), ())
    assert completion.model_snapshot.endswith("-x-1")


@EVERY_WIRE
@pytest.mark.parametrize("refused", ["json_schema", "all"])
def test_what_is_left_when_a_model_refuses_is_still_a_request(exchange, make_request, wire, refused):
    """A reasoning model without temperature, and a server without structured output."""
    completion, bodies = exchange(
        wire,
        VERDICT,
        make_request(),
        refuse={"temperature", "logprobs"},
        refuse_response_format=refused,
        require_max_completion_tokens=wire in {"openai", "azure"},
    )
    assert len(bodies) == completion.attempts > 2
    assert "temperature" not in bodies[-1]
    assert "temperature" not in bodies[-1].get("generationConfig", {})
    assert json.loads(completion.text) == json.loads(VERDICT)


def test_a_forced_tools_input_is_the_verdict(exchange, make_request):
    def handler(request):
        if "output_config" in request.body:
            return anthropic_error(400, "output_config: Extra inputs are not permitted")
        return anthropic_reply("Let me see.", json.loads(VERDICT), stop="tool_use")

    completion, bodies = exchange("anthropic", handler, make_request())
    assert bodies[-1]["tool_choice"] == {"type": "tool", "name": bodies[-1]["tools"][0]["name"]}
    assert (completion.text, completion.structured) == (VERDICT, True)
    assert completion.notes == ("response_format:tool",)


@pytest.mark.parametrize("wire", ["openai", "azure"])
def test_log_probabilities_and_their_alternatives_are_read(exchange, make_request, wire):
    said = [("4", -0.5, {"4": -0.5, "3": -1.0}), (".", -0.1, {})]
    completion, (body,) = exchange(
        wire, openai_reply("4.", logprobs=said), make_request(schema=None, values=ALL_LEVELS)
    )
    assert (body["logprobs"], body["top_logprobs"]) == (True, 8)
    assert [part.alternatives for part in completion.logprobs] == [(("4", -0.5), ("3", -1.0)), ()]


@pytest.mark.parametrize(
    ("wire", "cut", "refused"),
    [
        (
            "openai",
            openai_reply("{", finish="length"),
            openai_reply(refusal="I can't help with that."),
        ),
        ("azure", openai_reply("{", finish="length"), openai_reply(finish="content_filter")),
        ("anthropic", anthropic_reply("{", stop="max_tokens"), anthropic_reply(stop="refusal")),
        ("google", google_reply("{", finish="MAX_TOKENS"), google_reply(finish="PROHIBITED_CONTENT")),
        (
            "google",
            google_reply("{", finish="MAX_TOKENS"),
            google_reply(candidates=None, prompt_feedback={"block_reason": "SAFETY"}),
        ),
    ],
)
def test_a_reply_cut_off_and_a_refusal_are_read_from_the_sdks_records(
    exchange, make_request, wire, cut, refused
):
    found, _ = exchange(wire, [cut, refused], make_request(), make_request())
    assert [completion.finish for completion in found] == ["length", "refusal"]


@pytest.mark.parametrize(
    ("wire", "error"),
    [
        ("openai", openai_error(404, "no such model", code="model_not_found")),
        ("azure", openai_error(404, "no such model", code="DeploymentNotFound")),
        ("anthropic", anthropic_error(404, "no such model", kind="not_found_error")),
    ],
)
def test_errors_as_the_sdks_know_them_are_told_in_the_services_words(exchange, make_request, wire, error):
    with pytest.raises(RejectedError, match="answered 404: no such model"):
        exchange(wire, error, make_request())


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("mode", MODES)
def test_a_line_of_a_batch_is_what_the_batch_api_takes(make_request, wire, mode):
    name, environ = MODELS[wire]
    client = open_model(name, base_url="http://127.0.0.1:9/v1", environ=environ)
    line = client.batch_line("b1-0", MODES[mode](make_request, wire), NOTHING_REFUSED)
    check_batch_line(wire, json.loads(line))


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai", {"model": "m", "messages": [{"role": "user", "content": "x"}], "max_token": 5}),
        ("openai", {"model": "m", "messages": [{"role": "robot", "content": "x"}]}),
        ("openai", {"messages": [{"role": "user", "content": "x"}]}),
        ("anthropic", {"model": "m", "messages": [{"role": "user", "content": "x"}]}),
        ("anthropic", {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "text": "x"}]}),
        ("google", {"contents": [{"role": "user", "parts": [{"txt": "x"}]}]}),
        ("google", {"contents": [{"role": "user", "parts": [{"text": "x"}]}], "temperature": 0}),
    ],
)
def test_a_request_with_a_fault_is_not_taken(wire, body):
    """The types are no use if they take anything."""
    with pytest.raises(ValidationError):
        check_request(wire, body)


@EVERY_WIRE
@pytest.mark.parametrize("finish", ["stop", "length", "refusal"])
def test_the_scripted_server_answers_as_the_services_do(wire, finish):
    """Whatever is tested against it is tested against replies that the SDKs would read."""
    words = ServerReply(
        text=VERDICT, finish=finish, usage=Usage(input=9, output=3, cached=1), fingerprint="fp"
    )
    words = replace(words, logprobs=(("4", -0.1, {"4": -0.1}),))
    asked = {"logprobs": True, "top_logprobs": 1, "tool_choice": {"type": "tool", "name": "t"}}
    RESPONSES[wire].model_validate(SHAPES[wire].reply(words, asked))
