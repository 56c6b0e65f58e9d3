"""Keys go to their own host only, and are seen by nobody else."""

import asyncio
import logging
import re
import traceback
from base64 import b64encode
from urllib.parse import quote

import pytest

from adjudge.errors import ModelCallError, RejectedError
from adjudge.models import open_model
from adjudge.testing import ModelServer, ServerReply

CANARY = "sk-canary+0123456789/abcdefXYZ"
SERVICES = [
    ("openai:m", "openai_url", "OPENAI_API_KEY"),
    ("azure:m", "azure_url", "AZURE_OPENAI_API_KEY"),
    ("anthropic:m", "anthropic_url", "ANTHROPIC_API_KEY"),
    ("google:m", "google_url", "GEMINI_API_KEY"),
]
FORMS = [
    CANARY,
    quote(CANARY, safe=""),
    b64encode(CANARY.encode()).decode(),
    f"{CANARY[:7]}*****************{CANARY[-4:]}",
    f"Bearer {CANARY}",
]


def leaks(text):
    return [
        part
        for part in ("canary", "0123456789", "abcdefXYZ", b64encode(CANARY.encode()).decode()[:12])
        if part in text
    ]


@pytest.mark.parametrize("service", SERVICES, ids=[s[0] for s in SERVICES])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_a_key_echoed_in_an_error_is_never_shown(ask, caplog, service, form, status):
    name, url, variable = service
    caplog.set_level(logging.DEBUG)
    reply = ServerReply(status=status, message=f"Incorrect API key provided: {form}. Find it at …")
    with ModelServer(reply) as server, pytest.raises(ModelCallError) as caught:
        ask(name, getattr(server, url), environ={variable: CANARY})
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text
    assert leaks(shown) == []
    assert "Incorrect API key provided" in shown


def test_a_key_echoed_anywhere_in_a_reply_is_not_kept(ask):
    def handler(request):
        key = request.headers["authorization"].removeprefix("Bearer ")
        return ServerReply(text=f"your key is {key}", model=f"m-{key}", fingerprint=key)

    with ModelServer(handler=handler) as server:
        completion = ask("openai:m", server.openai_url, environ={"OPENAI_API_KEY": CANARY})
    assert leaks(repr(completion)) == []
    assert completion.text == "your key is [key]"


def test_a_key_echoed_in_something_that_is_not_json_is_not_shown(ask):
    with (
        ModelServer(ServerReply(body=f"key {CANARY}".encode())) as server,
        pytest.raises(ModelCallError) as caught,
    ):
        ask("openai:m", server.openai_url, environ={"OPENAI_API_KEY": CANARY})
    assert leaks(str(caught.value)) == []


@pytest.mark.parametrize(("name", "url", "variable"), SERVICES, ids=[s[0] for s in SERVICES])
def test_clients_do_not_show_their_key(name, url, variable):
    client = open_model(
        name, base_url=f"https://user:{quote(CANARY, safe='')}@example.test/v1", environ={variable: CANARY}
    )
    shown = repr(client) + str(client) + client.name + client.base_url
    for part in vars(client).values():
        shown += repr(part)
    shown += repr(client._wire.endpoint)
    assert leaks(shown) == []
    assert "example.test" in client.base_url


@pytest.mark.parametrize(("name", "url", "variable"), SERVICES, ids=[s[0] for s in SERVICES])
@pytest.mark.parametrize("status", [307, 308])
def test_a_redirect_to_another_host_does_not_carry_the_key(ask, name, url, variable, status):
    with ModelServer("from the other") as other:

        def away(request):
            return ServerReply(status=status, headers={"Location": f"{other.base_url}{request.path}"})

        with ModelServer(handler=away) as server:
            completion = ask(name, getattr(server, url), environ={variable: CANARY})
    assert completion.text == "from the other"
    assert leaks(str(server.requests[0].headers)) != []
    (received,) = other.requests
    assert leaks(str(received.headers) + received.path) == []
    assert received.method == "POST"
    assert received.body == server.requests[0].body


def test_a_key_dropped_on_the_way_stays_dropped_when_the_way_leads_back(ask):
    with ModelServer(
        handler=lambda r: ServerReply(
            status=307, headers={"Location": f"{home.base_url}/v1/back/chat/completions"}
        )
    ) as other:

        def handler(request):
            if "back" in request.path:
                return "ok"
            return ServerReply(status=307, headers={"Location": f"{other.base_url}/v1/chat/completions"})

        with ModelServer(handler=handler) as home:
            assert ask("openai:m", home.openai_url, environ={"OPENAI_API_KEY": CANARY}).text == "ok"
    assert "authorization" in home.requests[0].headers
    assert "authorization" not in home.requests[1].headers


def test_a_redirect_on_the_same_host_keeps_key_and_method_three_times_at_most(ask):
    def handler(request):
        step = int(re.search(r"/v(\d)/", request.path)[1])
        if step < limit:
            return ServerReply(status=308, headers={"Location": f"/v{step + 1}/chat/completions"})
        return "ok"

    limit = 4
    with ModelServer(handler=handler) as server:
        assert ask("openai:m", server.openai_url, environ={"OPENAI_API_KEY": CANARY}).text == "ok"
        assert all(r.headers["authorization"] == f"Bearer {CANARY}" for r in server.requests)
        limit = 9
        with pytest.raises(RejectedError, match="redirected more than 3 times"):
            ask("openai:m", server.openai_url)


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_redirect_that_would_drop_the_prompt_is_not_followed(ask, status):
    reply = ServerReply(
        status=status, headers={"Location": "https://example.test/v1/chat/completions?key=abc"}
    )
    with ModelServer(reply) as server, pytest.raises(RejectedError) as caught:
        ask("openai:m", server.openai_url)
    assert "a redirect to https://example.test/v1/chat/completions that drops what was sent" in str(
        caught.value
    )
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "ftp://host/x",
        "http://a:b@127.0.0.1/",
        "gopher://x",
        "http://[x",
        "http://h:99999/",
    ],
)
def test_a_redirect_to_something_else_than_plain_http_is_rejected(ask, target):
    reply = ServerReply(status=307, headers={"Location": target})
    with ModelServer(reply) as server, pytest.raises(RejectedError, match="not plain http or https"):
        ask("openai:m", server.openai_url)


def test_a_local_server_gets_no_authorization_header_without_a_key(ask):
    with ModelServer("ok") as server:
        ask("openai:m", server.openai_url)
    assert "authorization" not in server.requests[0].headers


def test_credentials_in_the_base_url_are_basic_auth_and_never_shown(ask):
    with ModelServer(
        ServerReply(status=500, message=f"{CANARY} and {b64encode(f'me:{CANARY}'.encode()).decode()}")
    ) as server:
        url = server.openai_url.replace("http://", f"http://me:{quote(CANARY, safe='')}@")
        with pytest.raises(ModelCallError) as caught:
            ask("openai:m", url)
    expected = b64encode(f"me:{CANARY}".encode()).decode()
    assert server.requests[0].headers["authorization"] == f"Basic {expected}"
    assert leaks(str(caught.value)) == []
    assert expected[:16] not in str(caught.value)


def test_an_environment_base_url_is_used_and_a_flag_goes_before_it(ask):
    with ModelServer("from env") as by_env, ModelServer("from flag") as by_flag:
        environ = {"OPENAI_BASE_URL": by_env.openai_url, "OPENAI_API_KEY": "k" * 20}
        assert ask("openai:m", None, environ=environ).text == "from env"
        assert ask("openai:m", by_flag.openai_url, environ=environ).text == "from flag"


def test_a_proxy_of_the_environment_is_not_used_for_loopback(ask):
    with ModelServer("direct") as server:
        environ = {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
        assert ask("openai:m", server.openai_url, environ=environ).text == "direct"


def test_a_proxy_of_the_environment_is_used_for_other_hosts(ask):
    with ModelServer(handler=lambda request: f"asked for {request.headers['host']}") as proxy:
        completion = ask("openai:m", "http://models.example.test/v1", environ={"http_proxy": proxy.base_url})
    assert completion.text == "asked for models.example.test"


def test_cookies_are_not_kept(ask, make_request):
    with ModelServer(ServerReply(text="ok", headers={"Set-Cookie": "a=b"})) as server:
        # by name: cookies of bare addresses are dropped by any client
        ask("openai:m", server.openai_url.replace("127.0.0.1", "localhost"), make_request(), make_request())
    assert "cookie" not in server.requests[1].headers


def test_nothing_is_sent_before_the_first_question():
    with ModelServer("ok") as server:
        client = open_model("openai:m", base_url=server.openai_url, environ={})
        asyncio.run(client.close())
    assert server.requests == []
