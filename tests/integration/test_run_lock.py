"""A run has one driver: a second process learns who it is and pays nothing; a dead one leaves a run that resumes."""

import asyncio
import json
import os
import platform
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from jsonl import read_lines, write_lines

import adjudge as library
from adjudge.errors import RunInUseError
from adjudge.records import Completion
from adjudge.store import open_store
from adjudge.testing import ModelServer

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
COMMAND = Path(sys.executable).with_name("adjudge")
JOBS = 4
ROWS = 40
ALL = {str(number) for number in range(ROWS)}


@pytest.fixture
def flags(tmp_path, where):
    rows = ({"id": str(n), "question": "q", "response": f"answer {n}."} for n in range(ROWS))
    write_lines(tmp_path / "cases.jsonl", rows)
    return ("cases.jsonl", "--judge", "relevance", "--model", "openai:x", "--store", where, "-j", str(JOBS))


@contextmanager
def held_server(after):
    """After so many replies it says so and answers no more until the gate is opened."""
    gate, reached = threading.Event(), threading.Event()

    def answer(request):
        if len(server.requests) > after:
            reached.set()
            gate.wait()
        return GOOD

    with ModelServer(handler=answer) as server:
        try:
            yield server, gate, reached
        finally:
            gate.set()


@contextmanager
def started(tmp_path, server, flags):
    process = subprocess.Popen(
        [COMMAND, "run", *flags, "--base-url", server.openai_url, "-o", "one.jsonl"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def answers_asked(server):
    return Counter(request.prompt.split("answer ")[1].split(".")[0] for request in server.requests)


def only_run(where):
    with closing(open_store(where)) as store:
        (run,) = store.runs()
        assert store.check() == []
        return run


@pytest.mark.skipif(sys.platform == "win32", reason="no process can be stopped there")
def test_a_stopped_process_keeps_its_run_and_nothing_is_paid_twice(tmp_path, where, flags, adjudge):
    with held_server(after=ROWS // 2) as (server, gate, reached), started(tmp_path, server, flags) as first:
        reached.wait()
        os.kill(first.pid, signal.SIGSTOP)
        run = only_run(where)
        second = adjudge("run", *flags, "--base-url", server.openai_url)
        assert second.code == 2
        assert f"run {run.run_id}: process {first.pid} on {platform.node()} is judging it since" in second.err
        assert "another --name" in second.err
        removed = adjudge("runs", "--store", where, "rm", run.run_id)
        assert removed.code == 2
        assert f"process {first.pid} on" in removed.err
        os.kill(first.pid, signal.SIGCONT)
        gate.set()
        assert first.wait() == 0, first.stderr.read()
        assert answers_asked(server) == dict.fromkeys(ALL, 1)
    run = only_run(where)
    assert (run.state, run.judgements) == ("finished", ROWS)
    rows = read_lines(tmp_path / "one.jsonl")
    assert Counter(row["case_id"] for row in rows) == dict.fromkeys(ALL, 1)


def test_a_killed_process_frees_its_run_and_the_same_command_resumes_it(tmp_path, where, flags, adjudge):
    with held_server(after=ROWS // 2) as (server, gate, reached), started(tmp_path, server, flags) as first:
        reached.wait()
        first.kill()
        first.wait()
        gate.set()
        second = adjudge("run", *flags, "--base-url", server.openai_url, "-o", "two.jsonl")
        asked = answers_asked(server)
    assert second.code == 0, second.err
    assert "resuming run" in second.err
    assert set(asked) == ALL
    assert sum(asked.values()) - ROWS <= JOBS
    run = only_run(where)
    assert (run.state, run.judgements) == ("finished", ROWS)
    rows = read_lines(tmp_path / "two.jsonl")
    assert Counter(row["case_id"] for row in rows) == dict.fromkeys(ALL, 1)
    assert not list(tmp_path.rglob("*.lock"))


def test_two_runs_of_one_name_in_one_process_are_kept_apart_and_others_are_not(where):
    class Client:
        name = "test:client"

        def __init__(self):
            self.asked = 0
            self.begun, self.gate = asyncio.Event(), asyncio.Event()

        async def complete(self, request):
            self.asked += 1
            self.begun.set()
            await self.gate.wait()
            return Completion(text=GOOD)

        async def close(self):
            pass

    async def both():
        client = Client()
        cases = [{"id": "1", "question": "q", "response": "r"}]
        arguments = {"judges": "relevance", "model": client, "store": where}
        first = asyncio.create_task(library.aevaluate(cases, **arguments, name="mine"))
        await client.begun.wait()
        with pytest.raises(RunInUseError, match=f"process {os.getpid()} on"):
            await library.aevaluate(cases, **arguments, name="mine")
        assert client.asked == 1
        other = asyncio.create_task(library.aevaluate(cases, **arguments, name="other"))
        client.gate.set()
        return await first, await other

    first, other = asyncio.run(both())
    assert (len(first), len(other)) == (1, 1)
