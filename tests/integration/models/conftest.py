"""Ask a model over real HTTP on loopback."""

import asyncio

import pytest

from adjudge.models import Governor, RetryingClient, RetryPolicy, open_model
from adjudge.records import Message, Prompt, Request

SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "minLength": 1},
        "score": {"type": "integer", "minimum": 0, "maximum": 5},
    },
    "required": ["score"],
}


@pytest.fixture
def make_request():
    def make(text="How good is it? Answer in JSON.", *, system=None, schema=SCHEMA, **options):
        messages = [Message(role="system", content=system)] if system else []
        options = {"temperature": 0.0, "max_output_tokens": 256} | options
        return Request(
            prompt=Prompt(messages=(*messages, Message(role="user", content=text))),
            schema=schema,
            case_id="c1",
            judge="relevance",
            **options,
        )

    return make


@pytest.fixture
def ask(make_request):
    """Open, ask as often as there are requests, close; the completion, or the list of them. What fails is not retried."""

    def ask(name, base_url, *requests, environ=None, together=False, timeout_seconds=5.0):
        async def work():
            client = open_model(
                name, base_url=base_url, environ=environ or {}, timeout_seconds=timeout_seconds
            )
            client = RetryingClient(client, governor=Governor(jobs=100), policy=RetryPolicy(most_attempts=1))
            try:
                asked = requests or (make_request(),)
                if together:
                    return await asyncio.gather(*(client.complete(request) for request in asked))
                found = [await client.complete(request) for request in asked]
                return found if len(found) > 1 else found[0]
            finally:
                await client.close()

        return asyncio.run(work())

    return ask
