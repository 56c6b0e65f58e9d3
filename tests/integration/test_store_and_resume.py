"""Nothing paid for is lost or paid for twice: stores, reuse, resume, budgets and the commands that read a store."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from jsonl import parse_lines, write_lines

from adjudge.dataset import read_cases
from adjudge.options import RunOptions
from adjudge.records import Completion
from adjudge.runs.plan import make_plan
from adjudge.runs.session import open_session
from adjudge.testing import ModelServer, ServerReply
from adjudge.testing.clock import FakeClock

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
COMMAND = Path(sys.executable).with_name("adjudge")


@pytest.fixture
def cases(tmp_path):
    def write(count, name="cases.jsonl"):
        rows = ({"id": str(n), "question": "q", "response": f"answer {n}."} for n in range(count))
        write_lines(tmp_path / name, rows)
        return name

    return write


def run_flags(server, name, *more):
    return (
        "run",
        name,
        "--judge",
        "relevance",
        "--model",
        "openai:x",
        "--base-url",
        server.openai_url,
        *more,
    )


def answers_asked(server):
    """How often each answer was sent to the model."""
    return Counter(request.prompt.split("answer ")[1].split(".")[0] for request in server.requests)


def test_a_second_run_is_answered_from_the_store(adjudge, cases):
    name = cases(5)
    with ModelServer(replies=GOOD) as server:
        first = adjudge(*run_flags(server, name))
        second = adjudge(*run_flags(server, name))
        assert len(server.requests) == 5
    one, two = parse_lines(first.out), parse_lines(second.out)
    assert one[0]["run"] != two[0]["run"]
    assert [row["score"] for row in two] == [4] * 5
    assert {row["from_store"] for row in two} == {True}
    assert {row["cost"] for row in two} == {0}
    assert "current date" not in second.err  # no prompt of this judge has one


def test_a_second_run_asks_about_the_same_day(adjudge, cases):
    name = cases(1)
    good = {
        "reason": "r",
        "contradicts": False,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }
    with ModelServer(replies=[json.dumps(good)]) as server:
        flags = ("--judge", "correctness", "--model", "openai:x", "--base-url", server.openai_url)
        first = adjudge(
            "run", name, *flags, "--variables", "reference=r", "--variables", "current_date=2025-05-01"
        )
        second = adjudge("run", name, *flags, "--variables", "reference=r")
    assert "current date 2025-05-01 (--variables current_date)" in first.err
    assert f"current date 2025-05-01 (as in run {parse_lines(first.out)[0]['run']})" in second.err


def test_fresh_asks_all_again_and_the_latest_reply_counts_from_then_on(adjudge, cases):
    name = cases(3)
    with ModelServer(
        handler=lambda request: json.dumps({"reason": "r", "score": 3 if len(server.requests) <= 3 else 5})
    ) as server:
        adjudge(*run_flags(server, name))
        fresh = adjudge(*run_flags(server, name, "--fresh"))
        later = adjudge(*run_flags(server, name))
        assert len(server.requests) == 6
    assert [row["score"] for row in parse_lines(fresh.out)] == [5] * 3
    assert [row["score"] for row in parse_lines(later.out)] == [5] * 3


def test_retry_asks_again_only_what_came_out_so(adjudge, cases):
    name = cases(3)
    confused = True

    def answer(request):
        return "no idea" if confused and "answer 1." in request.prompt else GOOD

    with ModelServer(handler=answer) as server:
        first = adjudge(*run_flags(server, name))
        asked = len(server.requests)
        confused = False
        again = adjudge(*run_flags(server, name))
        assert len(server.requests) == asked
        retried = adjudge(*run_flags(server, name, "--retry", "unreadable"))
        assert len(server.requests) == asked + 1
    assert Counter(row["outcome"] for row in parse_lines(first.out)) == {"scored": 2, "unreadable": 1}
    assert Counter(row["outcome"] for row in parse_lines(again.out)) == {"scored": 2, "unreadable": 1}
    assert Counter(row["outcome"] for row in parse_lines(retried.out)) == {"scored": 3}


def test_a_call_that_failed_is_tried_again_by_the_next_run(adjudge, cases):
    name = cases(3)
    down = True

    def answer(request):
        if down and "answer 1." in request.prompt:
            return ServerReply(status=400, message="not today")
        return GOOD

    with ModelServer(handler=answer) as server:
        adjudge(*run_flags(server, name))
        down = False
        again = adjudge(*run_flags(server, name))
        assert answers_asked(server) == {"0": 1, "1": 2, "2": 1}
    assert Counter(row["outcome"] for row in parse_lines(again.out)) == {"scored": 3}


def test_kill_9_at_any_moment_and_the_same_command_resumes(tmp_path, cases, adjudge):
    """Every judgement is made once, and calls are made twice only for those in flight at a kill."""
    count, jobs, kills = 120, 8, (3, 20, 41)
    name = cases(count)
    answered = 0

    def answer(_):
        return ServerReply(text=GOOD, stall=len(server.requests) > answered)

    with ModelServer(handler=answer) as server:
        flags = run_flags(server, name, "-j", str(jobs), "-o", "rows.jsonl")
        for more in kills:
            answered = len(server.requests) + more
            process = subprocess.Popen(
                [COMMAND, *flags], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            server.wait_for_requests(answered + 1)
            process.kill()
            process.wait()
        answered = sys.maxsize
        last = adjudge(*flags)
        asked = answers_asked(server)
    rows = parse_lines((tmp_path / "rows.jsonl").read_text())
    assert last.code == 0, last.err
    assert "resuming run" in last.err
    assert Counter(row["case_id"] for row in rows) == {str(n): 1 for n in range(count)}
    assert set(asked) == {str(n) for n in range(count)}
    assert sum(asked.values()) - count <= len(kills) * jobs
    with sqlite3.connect(tmp_path / ".adjudge" / "store.db") as store:
        assert store.execute("SELECT count(*), count(DISTINCT case_id) FROM judgements").fetchone() == (
            count,
            count,
        )
    assert adjudge("store", "check").code == 0


def test_ctrl_c_lets_what_is_in_flight_finish_and_the_run_resumes(tmp_path, cases, adjudge):
    name = cases(60)
    interrupted = threading.Event()

    def answer(_):
        return ServerReply(text=GOOD, after=interrupted if len(server.requests) > 4 else None)

    with ModelServer(handler=answer) as server:
        flags = run_flags(server, name, "-j", "4", "-o", "rows.jsonl")
        process = subprocess.Popen(
            [COMMAND, *flags], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        server.wait_for_requests(8)
        os.kill(process.pid, signal.SIGINT)
        interrupted.set()
        _, err = process.communicate()
        assert process.returncode == 130
        assert "finishing requests in flight" in err.decode()
        assert "run the same command again to resume" in err.decode()
        assert adjudge(*flags).code == 0
        assert set(answers_asked(server).values()) == {1}
    assert len(parse_lines((tmp_path / "rows.jsonl").read_text())) == 60


def test_a_wrong_key_ends_a_long_run_after_a_few_calls(adjudge, cases):
    name = cases(500)
    with ModelServer(replies=ServerReply(status=401, message="bad key")) as server:
        done = adjudge(*run_flags(server, name, "-j", "4"))
        assert len(server.requests) < 20
    assert done.code == 3
    assert "stopped after" in done.err
    assert "bad key" in done.err


def test_429s_are_waited_out(adjudge, cases):
    name = cases(4)
    with ModelServer(
        handler=lambda request: (
            ServerReply(status=429, headers={"retry-after-ms": "30"}) if len(server.requests) <= 3 else GOOD
        )
    ) as server:
        done = adjudge(*run_flags(server, name))
    rows = parse_lines(done.out)
    assert [row["outcome"] for row in rows] == ["scored"] * 4
    assert sum(row["attempts"] for row in rows) == 7


def test_a_limit_on_calls_leaves_the_rest_not_asked(adjudge, cases):
    name = cases(6)
    with ModelServer(replies=GOOD) as server:
        done = adjudge(*run_flags(server, name, "--max-calls", "2", "-j", "1"))
        assert len(server.requests) == 2
        assert Counter(row["outcome"] for row in parse_lines(done.out)) == {"scored": 2, "not_asked": 4}
        on = adjudge(*run_flags(server, name))
        assert len(server.requests) == 6
    assert Counter(row["outcome"] for row in parse_lines(on.out)) == {"scored": 6}


def test_a_limit_on_money_needs_a_price_and_is_kept(adjudge, cases):
    name = cases(6)
    with ModelServer(replies=GOOD) as server:
        unknown = adjudge(*run_flags(server, name, "--max-cost", "1"))
        assert unknown.code == 2
        assert "the price of openai:x is not known" in unknown.err
        done = adjudge(*run_flags(server, name, "--max-cost", "0.000001", "--price", "1,1"))
        assert server.requests == []
    assert Counter(row["outcome"] for row in parse_lines(done.out)) == {"not_asked": 6}
    assert done.code == 3


def test_replay_reads_stored_replies_again_and_calls_nobody(adjudge, cases):
    name = cases(3)
    with ModelServer(replies=GOOD) as server:
        adjudge(*run_flags(server, name))
    flags = ("run", name, "--judge", "relevance", "--model", "replay")
    again = adjudge(*flags, "--pass", "score >= 5")
    assert [(row["score"], row["passed"]) for row in parse_lines(again.out)] == [(4, False)] * 3
    cases(4)
    more = adjudge(*flags)
    assert Counter(row["outcome"] for row in parse_lines(more.out)) == {"scored": 3, "not_asked": 1}


def test_runs_report_export_show_and_rm(adjudge, cases, tmp_path):
    name = cases(3)
    with ModelServer(replies=GOOD) as server:
        adjudge(*run_flags(server, name, "--name", "mine"))
    (listed,) = json.loads(adjudge("runs", "--json").out)
    assert (listed["run"], listed["state"], listed["judgements"]) == ("mine", "finished", 3)
    assert "mine" in adjudge("runs").out
    assert json.loads(adjudge("report", "mine", "--json").out)["judges"][0]["mean"]["value"] == 4
    exported = parse_lines(adjudge("export", "last", "-o", "-").out)
    assert [row["case_id"] for row in exported] == ["0", "1", "2"]
    (shown,) = json.loads(adjudge("show", "mine", "1", "--json").out)
    assert shown["prompts_and_replies"][0]["reply"] == GOOD
    assert "answer 1." in shown["prompts_and_replies"][0]["messages"][0]["content"]
    assert "--- verdict: reply ---" in adjudge("show", "mine", "1").out
    assert "removed run mine: 3 judgements" in adjudge("runs", "rm", "mine").out
    assert json.loads(adjudge("runs", "--json").out) == []
    assert adjudge("store", "vacuum").code == 0
    assert adjudge("store", "check").out.endswith("no problems found\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("report", "nothing"), 4, "--store"),
        (("show", "mine", "1"), 4, ""),
        (("run", "cases.jsonl", "--judge", "relevance", "--model", "replay"), 2, "no run of relevance"),
        (
            ("run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:x", "--retry", "scored"),
            2,
            "--retry",
        ),
        (
            ("run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:x", "--price", "1"),
            2,
            "IN,OUT",
        ),
        (
            ("run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:x", "--max-cost", "much"),
            2,
            "not an amount",
        ),
    ],
)
def test_wrong_usage_of_the_store_says_what_to_do(adjudge, cases, arguments, code, said):
    cases(1)
    done = adjudge(*arguments)
    assert done.code == code, done.err
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_name_taken_by_another_question_is_refused(adjudge, cases):
    cases(2)
    cases(3, name="other.jsonl")
    with ModelServer(replies=GOOD) as server:
        adjudge(*run_flags(server, "cases.jsonl", "--name", "mine"))
        done = adjudge(*run_flags(server, "other.jsonl", "--name", "mine"))
    assert done.code == 2
    assert "a run of that name exists, with different cases" in done.err


def test_a_store_that_is_no_store_is_exit_4(adjudge, cases, tmp_path):
    name = cases(1)
    (tmp_path / "x.db").write_text("this is no database" * 100)
    with ModelServer(replies=GOOD) as server:
        done = adjudge(*run_flags(server, name, "--store", "x.db"))
        assert server.requests == []
    assert done.code == 4
    assert "x.db" in done.err


class SlowClient:
    """Answers at once, while a second passes on the clock."""

    name = "test:slow"

    def __init__(self, clock):
        self.clock = clock
        self.asked = 0

    async def complete(self, request):
        self.asked += 1
        self.clock.advance(1.0)
        return Completion(text=GOOD)

    async def close(self): ...


def test_a_deadline_for_the_run_leaves_the_rest_not_asked_and_the_next_run_asks_it(cases):
    client = SlowClient(FakeClock())

    async def run(**limits):
        plan, name = (
            make_plan(["relevance"], RunOptions(model=(client,), jobs=1, store="s", **limits)),
            cases(8),
        )
        judged = []
        async with open_session(plan, name, clock=client.clock) as session:
            await session.run(read_cases(name), judged.append)
        return [judgement.outcome for judgement in judged]

    first = asyncio.run(run(deadline=2.5))
    assert client.asked == 3
    assert [outcome.kind for outcome in first] == ["scored"] * 3 + ["not_asked"] * 5
    assert {outcome.error_kind for outcome in first[3:]} == {"deadline"}
    assert all("--deadline has passed" in outcome.message for outcome in first[3:])
    assert [outcome.kind for outcome in asyncio.run(run())] == ["scored"] * 8
    assert client.asked == 8


def test_a_call_that_is_not_answered_in_time_is_given_up(adjudge, cases):
    name = cases(1)
    with ModelServer(replies=ServerReply(stall=True)) as server:
        done = adjudge(*run_flags(server, name, "--timeout", "0.1"))
    (row,) = parse_lines(done.out)
    assert done.code == 3
    assert "did not respond within 0.1 seconds" in row["error"]["message"]
    assert row["attempts"] > 1
    assert row["cost"] is None
