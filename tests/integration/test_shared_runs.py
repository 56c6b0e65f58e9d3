"""Several processes on one run: every case is asked once, and what one leaves undone another does."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from adjudge.runs.workers import is_dead
from adjudge.store import open_store
from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
COMMAND = Path(sys.executable).with_name("adjudge")
JOBS = 4
ROWS = 200
ALL = {str(number) for number in range(ROWS)}


@pytest.fixture
def cases(tmp_path):
    rows = ({"id": str(n), "question": "q", "response": f"answer {n}."} for n in range(ROWS))
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def start(tmp_path, where, cases):
    """Type the same command once more; its rows go to a file of its own."""
    started = []

    def start(server, name, *more, jobs=JOBS):
        flags = ["run", "cases.jsonl", "--judge", "relevance", "--model", "openai:x"]
        flags += ["--base-url", server.openai_url, "--store", where, "-j", str(jobs), "-o", f"{name}.jsonl"]
        process = subprocess.Popen(
            [COMMAND, *flags, *more],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()
        process.stderr.close()


@contextmanager
def slow_server(seconds=0.02, *, held_after):
    """After so many replies it waits until the gate is opened: until all are there who should be."""
    gate = threading.Event()

    def answer(request):
        if len(server.requests) > held_after:
            assert gate.wait(30)
        return ServerReply(text=GOOD, delay_seconds=seconds)

    with ModelServer(handler=answer) as server:
        try:
            yield server, gate
        finally:
            gate.set()


def wait_for_workers(where, count, *processes):
    with closing(open_store(where)) as store:
        wait_for(lambda: any(len(store.workers(run.run_id)) == count for run in store.runs()), *processes)


def answers_asked(server):
    return Counter(request.prompt.split("answer ")[1].split(".")[0] for request in server.requests)


def wait_for(condition, *processes):
    deadline = time.monotonic() + 30
    while not condition() and all(process.poll() is None for process in processes):
        assert time.monotonic() < deadline
        time.sleep(0.005)


def end(process):
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def rows_written(tmp_path, name):
    return [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()]


def only_run(where):
    with closing(open_store(where)) as store:
        (run,) = store.runs()
        assert all(is_dead(worker) for worker in store.workers(run.run_id))
        assert {claim.state for claim in store.blocks(run.run_id).values()} == {"finished"}
        assert store.check() == []
        return run


def test_two_processes_share_a_run_and_ask_nothing_twice(tmp_path, where, start):
    with slow_server(held_after=0) as (server, gate):
        both = [start(server, "one"), start(server, "two")]
        wait_for_workers(where, 2, *both)
        gate.set()
        ends = [end(process) for process in both]
        asked = answers_asked(server)
    assert [code for code, _ in ends] == [0, 0], ends
    assert asked == dict.fromkeys(ALL, 1)
    run = only_run(where)
    assert (run.state, run.judgements) == ("finished", ROWS)
    for name in ("one", "two"):
        rows = rows_written(tmp_path, name)
        assert Counter(row["case_id"] for row in rows) == dict.fromkeys(ALL, 1)
        assert {row["run"] for row in rows} == {run.run_id}


def test_one_that_joins_late_reports_what_was_judged_before_it_and_beside_it(tmp_path, where, start):
    with slow_server(held_after=ROWS // 4) as (server, gate):
        first = start(server, "one")
        wait_for(lambda: len(server.requests) > ROWS // 4, first)
        second = start(server, "two")
        wait_for_workers(where, 2, first, second)
        gate.set()
        ends = [end(first), end(second)]
        asked = answers_asked(server)
    assert [code for code, _ in ends] == [0, 0], ends
    assert asked == dict.fromkeys(ALL, 1)
    run = only_run(where)
    assert (run.state, run.judgements) == ("finished", ROWS)
    for name in ("one", "two"):
        assert Counter(row["case_id"] for row in rows_written(tmp_path, name)) == dict.fromkeys(ALL, 1)


def test_when_one_is_killed_the_other_does_what_it_left(tmp_path, where, start):
    with slow_server(held_after=0) as (server, gate):
        victim, survivor = start(server, "one"), start(server, "two")
        wait_for_workers(where, 2, victim, survivor)
        gate.set()
        wait_for(lambda: len(server.requests) > ROWS // 3, victim, survivor)
        victim.kill()
        victim.communicate()
        code, err = end(survivor)
        asked = answers_asked(server)
    assert code == 0, err
    assert set(asked) == ALL
    assert sum(asked.values()) - ROWS <= JOBS
    run = only_run(where)
    assert (run.state, run.judgements) == ("finished", ROWS)
    assert Counter(row["case_id"] for row in rows_written(tmp_path, "two")) == dict.fromkeys(ALL, 1)


def test_all_killed_and_the_same_command_goes_on_at_once(tmp_path, where, start):
    with slow_server(held_after=0) as (server, gate):
        both = [start(server, "one"), start(server, "two")]
        wait_for_workers(where, 2, *both)
        gate.set()
        wait_for(lambda: len(server.requests) > ROWS // 3, *both)
        for process in both:
            process.kill()
            process.communicate()
        code, err = end(start(server, "three"))  # well before any lease ends
        asked = answers_asked(server)
    assert code == 0, err
    assert "goes on where it was" in err
    assert set(asked) == ALL
    assert sum(asked.values()) - ROWS <= 2 * JOBS
    run = only_run(where)
    assert (run.state, run.judgements) == ("finished", ROWS)
    assert Counter(row["case_id"] for row in rows_written(tmp_path, "three")) == dict.fromkeys(ALL, 1)


def test_ctrl_c_in_one_leaves_its_cases_to_the_other(tmp_path, where, start):
    with slow_server(0.03, held_after=0) as (server, gate):
        quitter, stayer = start(server, "one"), start(server, "two")
        wait_for_workers(where, 2, quitter, stayer)
        gate.set()
        wait_for(lambda: len(server.requests) > ROWS // 3, quitter, stayer)
        os.kill(quitter.pid, signal.SIGINT)
        code, err = end(quitter)
        assert code == 130, err
        code, err = end(stayer)
        asked = answers_asked(server)
    assert code == 0, err
    assert asked == dict.fromkeys(ALL, 1)
    run = only_run(where)
    assert (run.state, run.judgements) == ("finished", ROWS)
    assert Counter(row["case_id"] for row in rows_written(tmp_path, "two")) == dict.fromkeys(ALL, 1)


def test_what_failed_is_tried_again_when_a_run_goes_on_though_its_block_was_finished(tmp_path, where, start):
    down = True

    def answer(request):
        if down and "answer 7." in request.prompt:
            return ServerReply(status=400, message="not today")
        return ServerReply(text=GOOD, delay_seconds=0.02)

    with ModelServer(handler=answer) as server:
        first = start(server, "one")
        wait_for(lambda: len(server.requests) > ROWS // 2, first)  # the first block is finished by then
        first.kill()
        first.communicate()
        down = False
        code, err = end(start(server, "two"))
        asked = answers_asked(server)
    assert code == 0, err
    assert asked["7"] == 2
    assert Counter(row["outcome"] for row in rows_written(tmp_path, "two")) == {"scored": ROWS}
