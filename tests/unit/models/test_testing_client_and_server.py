"""`adjudge.testing`, as a user's tests would use it."""

import asyncio
import http.client
import json
import threading
import urllib.error
import urllib.request
from contextlib import closing

import pytest

from adjudge.errors import RejectedError, UnavailableError
from adjudge.models import open_model
from adjudge.records import Completion
from adjudge.testing import ModelServer, ScriptedClient, ServerReply


def post(url, body):
    request = urllib.request.Request(
        url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def test_the_scripted_client_answers_in_order_records_and_refuses_to_improvise(make_request):
    whole = Completion(text="whole", finish="length")
    client = ScriptedClient("a", {"score": 1}, whole, UnavailableError("down"))

    async def work():
        found = [await client.complete(make_request(str(n))) for n in range(3)]
        with pytest.raises(UnavailableError, match="down"):
            await client.complete(make_request("3"))
        with pytest.raises(
            RejectedError, match=r"no more replies: call 5 \(case c1, judge relevance, step verdict\)"
        ):
            await client.complete(make_request("4"))
        return found

    found = asyncio.run(work())
    assert [completion.text for completion in found] == ["a", '{"score": 1}', "whole"]
    assert found[2] is whole
    assert [request.prompt.messages[0].content for request in client.requests] == ["0", "1", "2", "3", "4"]


def test_the_server_answers_anyone_who_speaks_http():
    with ModelServer(["hello"]) as server:
        found = post(
            f"{server.openai_url}/chat/completions",
            {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
        )
        assert found["choices"][0]["message"]["content"] == "hello"
        assert server.requests[0].prompt == "hi"
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(f"{server.openai_url}/chat/completions", {"messages": []})
        assert "no more replies (call 2)" in caught.value.read().decode()
        caught.value.close()


def test_a_held_reply_is_answered_once_the_test_says_so():
    go_on, found = threading.Event(), []

    def ask():
        body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        found.append(post(f"{server.openai_url}/chat/completions", body))

    with ModelServer(replies=ServerReply(text="late", after=go_on)) as server:
        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        server.wait_for_requests(12)
        assert (server.in_flight, found) == (12, [])
        go_on.set()
        for thread in threads:
            thread.join()
    assert {each["choices"][0]["message"]["content"] for each in found} == {"late"}


def test_a_server_ends_though_a_reply_is_held():
    with (
        ModelServer(replies=ServerReply(text="never", after=threading.Event())) as server,
        closing(http.client.HTTPConnection("127.0.0.1", server.port)) as connection,
    ):
        connection.request("POST", "/v1/chat/completions", body=b'{"messages": []}')
        server.wait_for_requests(1)
    assert not server._thread.is_alive()


def test_a_script_is_answered_by_text_and_else_in_order_in_every_format(tmp_path, make_request):
    path = tmp_path / "s.jsonl"
    rows = [
        {"match": "Paris", "reply": "about Paris"},
        {"case_id": "a", "replies": ["first", {"status": 503}]},
        {"case_id": "b", "reply": "third", "finish": "length"},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")

    async def work(server):
        names = {
            "openai:m": server.openai_url,
            "azure:m": server.azure_url,
            "anthropic:m": server.anthropic_url,
            "google:m": server.google_url,
        }
        clients = {name: open_model(name, base_url=url, environ={}) for name, url in names.items()}
        try:
            texts = [(await client.complete(make_request("Paris?"))).text for client in clients.values()]
            first = await clients["google:m"].complete(make_request("x"))
            with pytest.raises(UnavailableError):
                await clients["openai:m"].complete(make_request("x"))
            third = await clients["anthropic:m"].complete(make_request("x"))
            with pytest.raises(RejectedError, match="no more replies"):
                await clients["azure:m"].complete(make_request("x"))
            return texts, first.text, third.finish
        finally:
            for client in clients.values():
                await client.close()

    with ModelServer(script=path) as server:
        assert asyncio.run(work(server)) == (["about Paris"] * 4, "first", "length")
    assert [request.wire for request in server.requests[:4]] == ["openai", "azure", "anthropic", "google"]


def test_a_handler_sees_the_request_and_may_return_any_kind_of_words():
    with ModelServer(handler=lambda request: {"echo": request.body["messages"][0]["content"]}) as server:
        found = post(
            f"{server.openai_url}/chat/completions", {"messages": [{"role": "user", "content": "hi"}]}
        )
    assert found["choices"][0]["message"]["content"] == '{"echo": "hi"}'


def test_a_path_of_no_service_is_told_so():
    with ModelServer(ServerReply(status=404)) as server, pytest.raises(urllib.error.HTTPError) as caught:
        post(f"{server.base_url}/nowhere", {})
    assert "no model service has this path" in caught.value.read().decode()
    caught.value.close()


@pytest.mark.parametrize("options", [{}, {"replies": "a", "handler": str}])
def test_a_server_takes_exactly_one_source_of_words(options):
    with pytest.raises(ValueError, match="one of replies, script and handler"):
        ModelServer(**options)


def test_a_handler_that_fails_fails_the_test():
    def handler(request):
        raise AssertionError("not as expected")

    def use():
        with ModelServer(handler=handler) as server:
            with pytest.raises(urllib.error.HTTPError) as caught:
                post(f"{server.openai_url}/chat/completions", {"messages": []})
            caught.value.close()

    with pytest.raises(AssertionError, match="not as expected"):
        use()


def test_two_servers_run_side_by_side():
    with ModelServer("a") as one, ModelServer("b") as two:
        assert one.port != two.port
