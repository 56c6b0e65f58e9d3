"""The LiteLLM package itself, in processes of its own: it takes seconds to import."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from jsonl import read_lines
from sdk_types import anthropic_reply, openai_error

from adjudge.testing import ModelServer

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="the extra `litellm` is not installed")
EXAMPLES = Path(__file__).parents[3] / "examples"
ONLY_LOOPBACK = """
import os, socket

def watch(function, place):
    def watched(*arguments, **options):
        address = arguments[place]
        host = address[0] if isinstance(address, tuple) else address
        if isinstance(host, str) and host not in {"127.0.0.1", "::1", "localhost"}:
            with open(os.environ["ATTEMPTS"], "a") as file:
                print(host, file=file)
            raise OSError("the network is blocked for this test")
        return function(*arguments, **options)

    return watched

socket.getaddrinfo = watch(socket.getaddrinfo, 0)
socket.socket.connect = watch(socket.socket.connect, 1)
socket.socket.connect_ex = watch(socket.socket.connect_ex, 1)
"""
ASK = """
import asyncio, json, os, sys
from adjudge.errors import RateLimitedError
from adjudge.models import open_model
from adjudge.records import Message, Prompt, Request

async def ask():
    client = open_model("litellm:openai/m", base_url=sys.argv[1], environ=os.environ)
    message = Message(role="user", content="json")
    try:
        await client.complete(Request(prompt=Prompt(messages=(message,)), schema=None, case_id="c", judge="j"))
    except RateLimitedError as error:
        print(error.retry_after_seconds)
    finally:
        await client.close()

asyncio.run(ask())
"""


@pytest.fixture
def watched(tmp_path):
    """An environment in which a Python process reaches loopback alone, and writes down what else it tries."""
    folder = tmp_path / "watched"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(ONLY_LOOPBACK)
    keys = {"ANTHROPIC_API_KEY": "sk-unused-0123456789", "OPENAI_API_KEY": "sk-unused-0123456789"}
    return {"PYTHONPATH": str(folder), "ATTEMPTS": str(tmp_path / "attempts"), **keys}


def test_it_asks_the_model_and_nobody_else(adjudge, watched, tmp_path):
    verdict = json.dumps({"reason": "It answers.", "score": 4})
    with ModelServer(handler=lambda request: anthropic_reply(verdict, model="claude-x")) as server:
        model = ("--model", "litellm:anthropic/claude-sonnet-4-5", "--base-url", server.anthropic_url)
        done = adjudge(
            *(
                "run",
                EXAMPLES / "relevance.jsonl",
                "--judge",
                "relevance",
                *model,
                "-n",
                "2",
                "-o",
                "rows.jsonl",
            ),
            environ=watched,
            process=True,
        )
    assert done.code == 0, done.err
    assert [row["score"] for row in read_lines(tmp_path / "rows.jsonl")] == [4, 4]
    assert not Path(watched["ATTEMPTS"]).exists(), Path(watched["ATTEMPTS"]).read_text()
    assert "WARNING" not in done.err


def test_it_passes_on_how_long_to_wait(watched):
    busy = openai_error(429, "Rate limit reached", code="rate_limit_exceeded", headers={"Retry-After": "7"})
    with ModelServer(busy) as server:
        done = subprocess.run(
            [sys.executable, "-c", ASK, server.openai_url],
            env=watched,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout == "7.0\n", done.stderr
