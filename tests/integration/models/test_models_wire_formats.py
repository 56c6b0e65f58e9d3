"""Each wire format against a real server: what is sent, what is read."""

import json

import pytest
from sdk_types import check_request

from adjudge.errors import ModelNameError, RejectedError
from adjudge.records import Message, Prompt, Request, Usage
from adjudge.testing import ModelServer, ServerReply

VERDICT = {"reason": "fits", "score": 4}
STRICT = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "enum": [0, 1, 2, 3, 4, 5]}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
PROVIDERS = [
    ("openai:gpt-x", "openai_url", {"OPENAI_API_KEY": "sk-test-key-0001"}),
    ("azure:dep", "azure_url", {"AZURE_OPENAI_API_KEY": "azure-test-key-0001"}),
    ("anthropic:claude-x", "anthropic_url", {"ANTHROPIC_API_KEY": "ant-test-key-0001"}),
    ("google:gemini-x", "google_url", {"GEMINI_API_KEY": "goog-test-key-0001"}),
]
EVERY_PROVIDER = pytest.mark.parametrize(
    ("name", "url", "environ"), PROVIDERS, ids=[name.partition(":")[0] for name, _, _ in PROVIDERS]
)


def test_openai_sends_chat_completions_with_a_strict_schema_and_the_key_as_bearer(ask, make_request):
    with ModelServer(VERDICT) as server:
        request = make_request("Is it good?", system="You grade.")
        completion = ask(
            "openai:gpt-x", server.openai_url, request, environ={"OPENAI_API_KEY": "sk-test-key-0001"}
        )
    (sent,) = server.requests
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.headers["authorization"] == "Bearer sk-test-key-0001"
    assert sent.body == {
        "model": "gpt-x",
        "messages": [{"role": "system", "content": "You grade."}, {"role": "user", "content": "Is it good?"}],
        "temperature": 0.0,
        "max_tokens": 256,
        "logprobs": True,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": STRICT},
        },
    }
    assert completion.text == '{"reason": "fits", "score": 4}'
    assert completion.structured
    assert completion.finish == "stop"
    assert completion.attempts == 1
    assert completion.notes == ()
    assert completion.latency_ms > 0


def test_azure_addresses_the_deployment_with_a_version_and_an_api_key_header(ask):
    with ModelServer(VERDICT) as server:
        ask(
            "azure:my dep/1",
            None,
            environ={
                "AZURE_OPENAI_ENDPOINT": f"{server.azure_url}/",
                "AZURE_OPENAI_API_KEY": "azure-test-key-0001",
                "AZURE_OPENAI_API_VERSION": "2025-01-01-preview",
            },
        )
        ask("azure:dep", server.azure_url, environ={"AZURE_OPENAI_API_KEY": "azure-test-key-0001"})
    first, second = server.requests
    assert first.wire == "azure"
    assert first.path == "/openai/deployments/my%20dep%2F1/chat/completions?api-version=2025-01-01-preview"
    assert first.headers["api-key"] == "azure-test-key-0001"
    assert "authorization" not in first.headers
    assert "model" not in first.body
    assert second.path.endswith("?api-version=2024-10-21")


def test_anthropic_gets_an_output_format_takes_system_apart_and_merges_turns(ask):
    messages = (
        Message(role="system", content="You grade."),
        Message(role="user", content="one"),
        Message(role="user", content="two"),
        Message(role="assistant", content="three"),
        Message(role="system", content="Strictly."),
        Message(role="user", content="four"),
    )
    schema = {"type": "object", "properties": {"score": {"enum": [0.0, 1.0]}}}
    request = Request(prompt=Prompt(messages=messages), schema=schema, case_id="c", judge="j")
    with ModelServer({"score": 1.0}) as server:
        completion = ask(
            "anthropic:claude-x", server.anthropic_url, request, environ={"ANTHROPIC_API_KEY": "k" * 20}
        )
    (sent,) = server.requests
    assert sent.path == "/v1/messages"
    assert sent.headers["x-api-key"] == "k" * 20
    assert sent.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in sent.headers
    assert sent.body["system"] == "You grade.\n\nStrictly."
    assert sent.body["messages"] == [
        {"role": "user", "content": "one\n\ntwo"},
        {"role": "assistant", "content": "three"},
        {"role": "user", "content": "four"},
    ]
    assert sent.body["max_tokens"] == 4096
    assert "temperature" not in sent.body
    assert not {"tools", "tool_choice"} & sent.body.keys()
    wanted = sent.body["output_config"]["format"]
    assert wanted["type"] == "json_schema"
    assert wanted["schema"]["properties"]["score"] == {"enum": [0.0, 1.0], "type": "number"}
    assert completion.text == '{"score": 1.0}'
    assert completion.structured


@pytest.mark.parametrize(
    ("name", "url"), [("anthropic:claude-x", "anthropic_url"), ("google:gemini-x", "google_url")]
)
def test_a_prompt_that_is_all_the_systems_is_sent_as_the_users(ask, name, url):
    messages = (
        Message(role="system", content="Grade it: 4 or 5?"),
        Message(role="system", content="Be strict."),
    )
    request = Request(prompt=Prompt(messages=messages), schema=None, case_id="c", judge="j")
    with ModelServer("4") as server:
        ask(name, getattr(server, url), request)
    body = server.requests[0].body
    assert not {"system", "systemInstruction"} & body.keys()
    if "contents" in body:
        parts = [{"text": "Grade it: 4 or 5?"}, {"text": "Be strict."}]
        assert body["contents"] == [{"role": "user", "parts": parts}]
    else:
        assert body["messages"] == [{"role": "user", "content": "Grade it: 4 or 5?\n\nBe strict."}]


def test_anthropic_settings_of_the_output_go_with_the_schema(ask, make_request):
    request = make_request(parameters={"output_config": {"effort": "low"}})
    with ModelServer(VERDICT) as server:
        completion = ask("anthropic:claude-x", server.anthropic_url, request)
    assert server.requests[0].body["output_config"] == {
        "format": {"type": "json_schema", "schema": STRICT},
        "effort": "low",
    }
    assert completion.structured
    with ModelServer(VERDICT, refuse_response_format="json_schema") as server:
        completion = ask("anthropic:claude-x", server.anthropic_url, request)
    last = server.requests[-1].body
    assert (last["output_config"], "tools" in last, completion.structured) == ({"effort": "low"}, True, True)
    refused = ServerReply(status=400, message="output_config.effort: 'low' is not supported for this model")
    with ModelServer(refused) as server, pytest.raises(RejectedError, match="effort"):
        ask("anthropic:claude-x", server.anthropic_url, request)
    assert len(server.requests) == 1


def test_google_sends_generate_content_with_the_key_in_a_header_never_in_the_url(ask, make_request):
    with ModelServer(VERDICT) as server:
        request = make_request("Is it good?", system="You grade.")
        completion = ask(
            "google:gemini-x", server.google_url, request, environ={"GOOGLE_API_KEY": "goog-test-key-01"}
        )
    (sent,) = server.requests
    assert sent.path == "/v1beta/models/gemini-x:generateContent"
    assert sent.headers["x-goog-api-key"] == "goog-test-key-01"
    assert sent.body["systemInstruction"] == {"parts": [{"text": "You grade."}]}
    assert sent.body["contents"] == [{"role": "user", "parts": [{"text": "Is it good?"}]}]
    config = sent.body["generationConfig"]
    assert config["temperature"] == 0.0
    assert config["maxOutputTokens"] == 256
    assert config["responseMimeType"] == "application/json"
    schema = config["responseJsonSchema"]
    assert schema["properties"]["score"] == {"type": "integer", "enum": [0, 1, 2, 3, 4, 5]}
    assert schema["required"] == schema["propertyOrdering"] == ["reason", "score"]
    assert completion.structured


@EVERY_PROVIDER
def test_length_and_refusal_are_told_apart_from_a_stop(ask, make_request, name, url, environ):
    with ModelServer(
        [ServerReply(text='{"sc', finish="length"), ServerReply(text="no", finish="refusal")]
    ) as server:
        cut, refused = ask(name, getattr(server, url), make_request(), make_request(), environ=environ)
    assert (cut.finish, cut.text, cut.structured) == ("length", '{"sc', False)
    assert (refused.finish, refused.structured) == ("refusal", False)


@EVERY_PROVIDER
def test_usage_includes_cached_tokens_and_the_snapshot_is_what_the_provider_says(ask, name, url, environ):
    reply = ServerReply(
        text="{}", usage=Usage(input=100, output=7, cached=40), model="gpt-x-2026-01-01", fingerprint="fp_1"
    )
    with ModelServer(reply) as server:
        completion = ask(name, getattr(server, url), environ=environ)
    assert completion.usage == Usage(input=100, output=7, cached=40)
    chat = name.startswith(("openai", "azure"))
    assert completion.model_snapshot == ("gpt-x-2026-01-01/fp_1" if chat else "gpt-x-2026-01-01")


@EVERY_PROVIDER
def test_usage_that_is_not_given_is_unknown(ask, name, url, environ):
    with ModelServer(ServerReply(text="{}", usage=None)) as server:
        completion = ask(name, getattr(server, url), environ=environ)
    assert completion.usage == Usage()
    assert completion.cost is None


@EVERY_PROVIDER
def test_a_server_that_is_not_the_provider_has_no_known_price(ask, name, url, environ):
    with ModelServer(ServerReply(text="{}", model="gpt-4o")) as server:
        assert ask(name, getattr(server, url), environ=environ).cost is None


@EVERY_PROVIDER
def test_without_a_schema_nothing_asks_for_structure(ask, make_request, name, url, environ):
    with ModelServer('{"score": 1}') as server:
        completion = ask(name, getattr(server, url), make_request(schema=None), environ=environ)
    body = server.requests[0].body
    assert not {"response_format", "tools", "tool_choice", "output_config"} & body.keys()
    assert "responseMimeType" not in body.get("generationConfig", {})
    assert not completion.structured


@EVERY_PROVIDER
def test_prose_is_never_called_structured(ask, name, url, environ):
    with ModelServer("I'd say four.") as server:
        completion = ask(name, getattr(server, url), environ=environ)
    assert completion.text == "I'd say four."
    assert not completion.structured


@EVERY_PROVIDER
def test_user_parameters_are_merged_into_the_body_last(ask, make_request, name, url, environ):
    with ModelServer("ok") as server:
        request = make_request(parameters={"temperature": 0.5, "seed": 7})
        ask(name, getattr(server, url), request, environ=environ)
    body = server.requests[0].body
    place = body["generationConfig"] if name.startswith("google") else body
    assert place["temperature"] == 0.5
    assert place["seed"] == 7


def test_google_parameters_that_stand_beside_the_config_go_there(ask, make_request):
    with ModelServer("ok") as server:
        request = make_request(parameters={"safetySettings": [], "topP": 0.9})
        ask("google:gemini-x", server.google_url, request)
    body = server.requests[0].body
    assert body["safetySettings"] == []
    assert body["generationConfig"]["topP"] == 0.9


def test_logprobs_are_read_when_offered(ask):
    with ModelServer(ServerReply(text="4", logprobs=(("4", -0.1), ("\n", -2.5)))) as server:
        completion = ask("openai:gpt-x", server.openai_url)
    assert [(part.token, part.logprob) for part in completion.logprobs] == [("4", -0.1), ("\n", -2.5)]


SAID = (
    ("Fine", -0.1, {"Fine": -0.1, "Bad": -2.0}),
    (" 4", -0.5, {" 4": -0.5, " 3": -1.0, " 5": -3.0}),
    (".", -0.1, {".": -0.1, "/": -3.0}),
)


def test_alternatives_are_asked_for_and_kept_where_the_score_may_stand(ask, make_request):
    with ModelServer(ServerReply(text="Fine 4.", logprobs=SAID)) as server:
        completion = ask("openai:gpt-x", server.openai_url, make_request(values=("1", "2", "3", "4", "5")))
    assert server.requests[0].body["top_logprobs"] == 7
    assert [part.alternatives for part in completion.logprobs] == [
        (),
        ((" 4", -0.5), (" 3", -1.0), (" 5", -3.0)),
        ((".", -0.1), ("/", -3.0)),  # after a number: it might have gone on
    ]


@pytest.mark.parametrize(
    ("parameters", "sent"),
    [({}, 5), ({"top_logprobs": 2}, 2), ({"logprobs": False}, None), ({"logprobs": True}, 5)],
)
def test_a_person_decides_over_log_probabilities(ask, make_request, parameters, sent):
    with ModelServer(ServerReply(text="pass")) as server:
        ask("openai:gpt-x", server.openai_url, make_request(values=("pass", "fail"), parameters=parameters))
    assert server.requests[0].body.get("top_logprobs") == sent


@pytest.mark.parametrize("odd", [[{"token": " 4"}], [5], "many", [{"token": " 4", "logprob": "x"}]])
def test_alternatives_of_another_shape_are_no_log_probabilities(ask, make_request, odd):
    content = [{"token": " 4", "logprob": -0.5, "top_logprobs": odd}]
    reply = {
        "choices": [{"message": {"content": " 4"}, "finish_reason": "stop", "logprobs": {"content": content}}]
    }
    with ModelServer(ServerReply(body=json.dumps(reply).encode())) as server:
        completion = ask("openai:gpt-x", server.openai_url, make_request(values=("4",)))
    assert (completion.text, completion.logprobs) == (" 4", ())


def test_a_key_in_a_reply_is_not_kept_in_its_tokens_either(ask):
    said = ServerReply(text="sk-test-key-0001", logprobs=(("sk-test", -0.1), ("-key-0001", -0.1)))
    with ModelServer(said) as server:
        completion = ask("openai:gpt-x", server.openai_url, environ={"OPENAI_API_KEY": "sk-test-key-0001"})
    assert "0001" not in completion.text
    assert completion.logprobs == ()


@pytest.mark.parametrize(
    ("message", "text", "finish"),
    [
        ({"content": None, "reasoning_content": "hm"}, "", "stop"),
        ({"content": ""}, "", "stop"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", "stop"),
        ({"content": [{"type": "refusal", "refusal": "no"}]}, "no", "refusal"),
        ({"content": None, "refusal": "I won't"}, "I won't", "refusal"),
    ],
)
def test_openai_content_comes_in_several_shapes(ask, message, text, finish):
    import json

    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    with ModelServer(ServerReply(body=body)) as server:
        completion = ask("openai:gpt-x", server.openai_url)
    assert (completion.text, completion.finish, completion.model_snapshot) == (text, finish, None)


def test_a_content_filter_is_a_refusal_in_the_reply_and_as_a_400(ask, make_request):
    body = b'{"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}'
    blocked = ServerReply(status=400, message="The prompt was filtered", code="content_filter")
    with ModelServer([ServerReply(body=body), blocked]) as server:
        found = ask("azure:dep", server.azure_url, make_request(), make_request())
    assert [completion.finish for completion in found] == ["refusal", "refusal"]


def test_google_blocked_prompts_are_refusals_and_thoughts_are_not_the_answer(ask, make_request):
    blocked = b'{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}}'
    thought = (
        b'{"candidates": [{"content": {"parts": [{"text": "hm", "thought": true}, {"text": "{}"}]},'
        b' "finishReason": "STOP"}], "usageMetadata": {"candidatesTokenCount": 2, "thoughtsTokenCount": 5}}'
    )
    with ModelServer([ServerReply(body=blocked), ServerReply(body=thought)]) as server:
        first, second = ask("google:gemini-x", server.google_url, make_request(), make_request())
    assert (first.finish, first.text, first.usage.input) == ("refusal", "SAFETY", 3)
    assert (second.text, second.usage.output) == ("{}", 7)


DEPLOYMENT = "/openai/deployments/dep/chat/completions"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("", f"{DEPLOYMENT}?api-version=2024-10-21"),
        ("/openai", f"{DEPLOYMENT}?api-version=2024-10-21"),
        ("/openai/deployments/dep", f"{DEPLOYMENT}?api-version=2024-10-21"),
        (f"{DEPLOYMENT}?api-version=2025-03-01-preview", f"{DEPLOYMENT}?api-version=2025-03-01-preview"),
        ("/openai/v1", "/openai/v1/chat/completions"),
        ("/openai/v1/", "/openai/v1/chat/completions"),
        ("/openai/v1/chat/completions", "/openai/v1/chat/completions"),
        ("/openai/v1/responses", "/openai/v1/chat/completions"),
        (
            "/openai/responses?api-version=2025-04-01-preview",
            f"{DEPLOYMENT}?api-version=2025-04-01-preview",
        ),
        ("/api/projects/p", "/api/projects/p/openai/v1/chat/completions"),
    ],
)
def test_azure_addresses_are_taken_as_the_portal_gives_them(ask, given, path):
    with ModelServer(VERDICT) as server:
        ask("azure:dep", f"{server.base_url}{given}", environ={"AZURE_OPENAI_API_KEY": "azure-test-key-0001"})
    (sent,) = server.requests
    assert sent.path == path
    assert sent.headers["api-key"] == "azure-test-key-0001"
    assert sent.body.get("model") == ("dep" if "/v1/" in path else None)
    check_request("azure", sent.body)


def test_a_pasted_address_of_another_deployment_is_not_asked(ask):
    with (
        ModelServer(VERDICT) as server,
        pytest.raises(ModelNameError, match="names another deployment, 'dep'"),
    ):
        ask("azure:other", f"{server.base_url}{DEPLOYMENT}")
    assert server.requests == []


def test_azure_takes_the_version_where_openais_package_does(ask):
    with ModelServer(VERDICT) as server:
        ask("azure:dep", server.azure_url, environ={"OPENAI_API_VERSION": "2025-04-01-preview"})
    assert server.requests[0].path == f"{DEPLOYMENT}?api-version=2025-04-01-preview"


@pytest.mark.parametrize(
    ("name", "url", "variable", "own"),
    [
        ("azure:dep", "azure_url", "AZURE_OPENAI_AD_TOKEN", "api-key"),
        ("anthropic:claude-x", "anthropic_url", "ANTHROPIC_AUTH_TOKEN", "x-api-key"),
    ],
)
def test_a_token_is_sent_as_a_bearer_and_a_key_comes_first(ask, name, url, variable, own):
    with ModelServer(VERDICT) as server:
        ask(name, getattr(server, url), environ={variable: "ey.a-token.of-theirs"})
        key = {"AZURE_OPENAI_API_KEY": "a-key-0123456789", "ANTHROPIC_API_KEY": "a-key-0123456789"}
        ask(name, getattr(server, url), environ={variable: "ey.a-token.of-theirs", **key})
    token, keyed = (request.headers for request in server.requests)
    assert (token["authorization"], token.get(own)) == ("Bearer ey.a-token.of-theirs", None)
    assert (keyed.get("authorization"), keyed[own]) == (None, "a-key-0123456789")


def test_of_googles_two_keys_the_one_is_taken_that_its_package_takes(ask):
    with ModelServer("ok") as server:
        ask(
            "google:gemini-x",
            server.google_url,
            environ={"GEMINI_API_KEY": "gemini-key-0001", "GOOGLE_API_KEY": "google-key-0001"},
        )
    assert server.requests[0].headers["x-goog-api-key"] == "google-key-0001"


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
def test_anthropic_base_urls_may_end_in_v1_or_not(ask, ending):
    with ModelServer("ok") as server:
        ask("anthropic:claude-x", f"{server.base_url}{ending}")
    assert server.requests[0].path == "/v1/messages"


@pytest.mark.parametrize("ending", ["/v1", "/v1/", "/v1/chat/completions"])
def test_openai_base_urls_may_carry_what_people_paste(ask, ending):
    with ModelServer("ok") as server:
        ask("openai/gpt-x", f"{server.base_url}{ending}")
    assert server.requests[0].path == "/v1/chat/completions"


def test_hostile_text_arrives_as_it_is(ask, make_request):
    text = '"}]}\u2028\x00\x1b[31m{{x}} </s> 🙂' + "a" * 100_000
    with ModelServer("ok") as server:
        completion = ask("openai:gpt-x", server.openai_url, make_request(text))
    assert server.requests[0].prompt == text
    assert completion.notes == ()


def test_half_a_surrogate_pair_is_replaced_and_noted(ask, make_request):
    with ModelServer("ok") as server:
        completion = ask("openai:gpt-x", server.openai_url, make_request("json a\ud800b 🙂"))
    assert server.requests[0].prompt == "json a\ufffdb 🙂"
    assert completion.notes == ("replaced:lone_surrogates",)


def test_one_connection_serves_calls_one_after_another(ask, make_request):
    with ModelServer("ok") as server:
        found = ask("openai:gpt-x", server.openai_url, *[make_request() for _ in range(5)])
    assert [completion.text for completion in found] == ["ok"] * 5
    assert len({request.connection for request in server.requests}) == 1
