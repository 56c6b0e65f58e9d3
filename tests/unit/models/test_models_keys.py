"""A completion's key: equal for what is asked alike, another one for anything that is sent otherwise."""

import asyncio
import os
import subprocess
import sys
from types import MappingProxyType

import pytest
from msgspec.structs import replace

from adjudge.errors import RejectedError
from adjudge.models import Governor, RetryingClient, SharedClient, open_model, request_key
from adjudge.models.keys import semantic_key
from adjudge.models.providers.function import to_client
from adjudge.records import Message, Prompt, Request

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}, "reason": {"type": "string"}}}
REQUEST = Request(
    prompt=Prompt(
        messages=(Message(role="system", content="s"), Message(role="user", content="héllo \U0001f600"))
    ),
    schema=SCHEMA,
    case_id="c1",
    judge="relevance",
    temperature=0.0,
    max_output_tokens=100,
    parameters={"seed": 7, "top_p": 0.5},
)
KEYS = {
    "OPENAI_API_KEY": "sk-one",
    "ANTHROPIC_API_KEY": "one",
    "GEMINI_API_KEY": "one",
    "AZURE_OPENAI_API_KEY": "one",
    "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com",
}
NAMES = ["openai:m", "azure:m", "anthropic:m", "google:m"]


class Custom:
    """A client of a user's own, with nothing but what it cannot do without."""

    name = "custom:m"

    async def complete(self, request):
        raise RejectedError("nobody asks it")

    async def close(self):
        pass


def custom(made=Custom):
    return to_client(made(), jobs=1)


def key(name="openai:m", request=REQUEST, *, base_url=None, **environ):
    client = custom() if name == "scripted" else open_model(name, base_url=base_url, environ=KEYS | environ)
    return request_key(client, request)


def changed(**options):
    return replace(REQUEST, **options)


def said(*messages):
    return changed(prompt=Prompt(messages=tuple(Message(role=role, content=text) for role, text in messages)))


@pytest.mark.parametrize("name", [*NAMES, "scripted"])
def test_it_is_the_same_for_equal_requests_of_other_clients_and_loops(name):
    async def work():
        return key(name, changed(schema=MappingProxyType(dict(SCHEMA))))

    assert len({key(name), key(name, changed()), asyncio.run(work()), asyncio.run(work())}) == 1
    assert len(key(name)) == 64
    assert set(key(name)) <= set("0123456789abcdef")


@pytest.mark.parametrize("name", [*NAMES, "scripted"])
@pytest.mark.parametrize(
    "other",
    [
        changed(repeat=1),
        changed(temperature=0.5),
        changed(temperature=None),
        changed(max_output_tokens=101),
        changed(max_output_tokens=None),
        changed(parameters={"seed": 8, "top_p": 0.5}),
        changed(parameters={"seed": 7}),
        changed(schema=None),
        changed(schema={"type": "object", "properties": {"score": {"type": "number"}}}),
        changed(schema=SCHEMA | {"properties": dict(reversed(SCHEMA["properties"].items()))}),
        said(("system", "s"), ("user", "hello")),
        said(("system", "s"), ("user", "héllo \U0001f600 ")),
        said(("system", "s"), ("assistant", "héllo \U0001f600")),
        said(("user", "héllo \U0001f600")),
    ],
)
def test_whatever_is_sent_otherwise_has_another_key(name, other):
    assert key(name, other) != key(name)


@pytest.mark.parametrize("name", [*NAMES, "scripted"])
def test_whom_a_request_is_for_is_no_part_of_it(name):
    assert key(name, changed(case_id="c2", judge="other", step="verdict_again")) == key(name)


@pytest.mark.parametrize("name", [*NAMES, "scripted"])
def test_a_shared_request_is_one_for_all_repeats(name):
    assert key(name, changed(shared=True, repeat=3)) == key(name, changed(shared=True)) == key(name)


def test_the_api_key_and_credentials_in_the_address_are_no_part_of_it():
    assert key(OPENAI_API_KEY="sk-another") == key()
    url = "https://models.example.com/v1"
    assert key(base_url=url) == key(base_url=url.replace("://", "://user:secret@"))
    assert key(base_url=url) == key(base_url=f"{url}?api_key=secret")


def test_the_provider_the_model_and_the_address_are_part_of_it():
    url = "https://models.example.com/v1"
    found = {key(name) for name in [*NAMES, "openai:n", "azure:n", "anthropic:n", "google:n", "scripted"]}
    found |= {key(base_url=url), key(base_url=url.replace("https", "http")), key(base_url=f"{url}/x")}
    assert len(found) == 12


def test_one_address_written_in_two_ways_is_one():
    url = "https://models.example.com/v1"
    assert key(base_url=url) == key(base_url=f"{url}/") == key(base_url=f"{url}/chat/completions")


@pytest.mark.parametrize("name", [*NAMES, "scripted"])
def test_wrappers_give_the_key_of_the_client_inside(name):
    client = custom() if name == "scripted" else open_model(name, environ=KEYS)
    wrapped = SharedClient(RetryingClient(client, governor=Governor(jobs=1)))
    assert request_key(wrapped, REQUEST) == request_key(client, REQUEST)
    assert wrapped.base_url == getattr(client, "base_url", None)


def test_a_client_of_ones_own_may_say_what_its_key_is_and_an_attribute_is_not_taken_for_that():
    class Own(Custom):
        def request_key(self, request):
            return f"mine-{request.case_id}"

    class WithAttribute(Custom):
        request_key = "sk-secret"

    assert request_key(custom(Own), REQUEST) == "mine-c1"
    assert request_key(custom(WithAttribute), REQUEST) == request_key(custom(), REQUEST)


@pytest.mark.parametrize("name", [*NAMES, "scripted"])
def test_half_a_surrogate_pair_has_a_key_too(name):
    assert key(name, said(("user", "a\ud83d"))) == key(name, said(("user", "a\ud83d")))


def test_a_request_that_cannot_be_sent_is_refused_when_its_key_is_made():
    with pytest.raises(RejectedError, match="cannot be sent"):
        key(request=changed(parameters={"x": object()}))


def test_keys_stay_what_they_were_from_one_process_and_version_to_the_next():
    """A change here makes everyone's stored completions unfindable."""
    code = (
        "from adjudge.models import open_model, request_key\n"
        "from adjudge.records import *\n"
        "request = Request(prompt=Prompt(messages=(Message(role='user', content='q'),)), schema={'b': 1, 'a': {}},"
        " case_id='c', judge='j', temperature=0.0, parameters={'z': 1, 'y': [2]})\n"
        "print(request_key(open_model('openai:m', base_url='http://h:1/v1', environ={}), request))\n"
        "from adjudge.models.providers.function import to_client\nclass Own:\n    name = 'own:m'\n    complete = None\n"
        "print(request_key(to_client(Own(), jobs=1), request))\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {
        (
            "aaf0b77dfe218e895c1d3806cdf8bc1a8107b45acd0123c6962bfa86ff4efb27\n"
            "20716f4094201f220be87233941d39f45edcac63efcef408205219b157a7ebb5\n"
        )
    }


def test_parameters_given_in_another_order_are_the_same_where_we_do_not_see_the_bytes():
    turned = changed(parameters={"top_p": 0.5, "seed": 7})
    assert semantic_key("n", "", turned) == semantic_key("n", "", REQUEST)
    assert semantic_key("n", "", changed(temperature=0)) == semantic_key("n", "", REQUEST)
