"""`--max-cost`, `--max-calls` and `--deadline` hold: for every request, over retries, and over all processes of a run."""

import asyncio
import json
from contextlib import closing
from decimal import Decimal

import pytest
from jsonl import parse_lines, write_lines
from served import served

import adjudge
from adjudge.cli.main import run_command
from adjudge.errors import SettingsError
from adjudge.models import SystemClock
from adjudge.options import Price
from adjudge.rates import Flow, FlowLimit, FlowWish, Rate
from adjudge.records import Usage
from adjudge.store import AddSpending, Process, Spending, SpendingLimit, open_store
from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers.", "score": 4})
PRICE = Price(input=Decimal(10), output=Decimal(100))
UNLIMITED = "Is this right?\n\n{{question}}\n{{response}}\n\nReply with only a number from 1 to 5."


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    rows = [{"id": str(n), "question": f"q{n}", "response": "r"} for n in range(200)]
    write_lines(path, rows)
    return path


@pytest.fixture
def hurried(monkeypatch):
    """Waits between retries are a hundred times as short."""

    async def sleep(_clock, seconds):
        await asyncio.sleep(seconds / 100)

    monkeypatch.setattr(SystemClock, "sleep", sleep)


def evaluate(server, cases, judge="relevance", **options):
    options = {"jobs": 8, "name": "r", **options}
    return adjudge.evaluate(cases, judge, model="openai:m", base_url=server.openai_url, **options)


def billed(server, usage, price=PRICE):
    return len(server.requests) * (price.input * usage.input + price.output * usage.output) / 1_000_000


def kinds(run):
    counts = {}
    for judgement in run:
        kind = (judgement.outcome.kind, getattr(judgement.outcome, "error_kind", ""))
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def spending(run="r"):
    store = open_store("./.adjudge")
    found = store.spending(run)
    store.close()
    return found


@pytest.mark.parametrize("name", ["openai:m", "openai:gpt-4o-mini"])
def test_the_given_price_times_usage_is_what_is_spent(cases, name):
    """A reply was settled at what the price list says of the model's snapshot: $3 became about $72."""
    usage = Usage(input=1_000, output=2_000)  # 21 cents each
    with ModelServer(replies=ServerReply(text=GOOD, usage=usage, model="gpt-4o-mini-2024-07-18")) as server:
        run = adjudge.evaluate(
            cases,
            "relevance",
            model=name,
            base_url=server.openai_url,
            max_cost=3,
            price=PRICE,
            jobs=8,
            name="r",
        )
        assert Decimal("2.5") < billed(server, usage) <= 3
        assert len(server.requests) == 13  # and 27 cents are less than the next one may cost
    assert kinds(run) == {("scored", ""): 13, ("not_asked", "budget"): 187}
    assert {judgement.cost for judgement in run if judgement.calls} == {Decimal("0.21")}
    assert spending() == Spending(calls=13, nanodollars=13 * 210_000_000)


def test_the_limit_of_output_tokens_that_was_reserved_is_sent(cases, tmp_path):
    """A judge that sets no limit had 4,096 tokens reserved and none sent: $3 became $19."""
    judge = tmp_path / "judge.md"
    judge.write_text(UNLIMITED)

    def as_long_as_allowed(request):
        allowed = request.body.get("max_completion_tokens") or request.body.get("max_tokens") or 40_000
        return ServerReply(text="4", usage=Usage(input=100, output=allowed))

    with ModelServer(handler=as_long_as_allowed) as server:
        run = evaluate(server, cases, judge, max_cost=3, price=PRICE)
        assert {request.body["max_tokens"] for request in server.requests} == {4_096}
        assert Decimal("2.5") < billed(server, Usage(input=100, output=4_096)) <= 3
    assert kinds(run)[("not_asked", "budget")] == 200 - 7
    with ModelServer(replies="4") as server:
        evaluate(server, cases, judge, first=1, name="unlimited")
        assert "max_tokens" not in server.requests[0].body


@pytest.mark.parametrize("name", ["max_tokens", "n", "generationConfig"])
def test_no_parameter_lifts_the_limit_that_was_reserved(cases, name):
    with ModelServer(replies=GOOD) as server, pytest.raises(SettingsError, match=name):
        evaluate(server, cases, max_cost=3, price=PRICE, parameters={name: 2})


@pytest.mark.parametrize(
    "broken",
    [
        ServerReply(body=b"<html>"),
        ServerReply(body=b"{}"),
        ServerReply(status=500, message="boom"),
        ServerReply(status=504, message="the answer took too long"),
        ServerReply(cut=True),
        ServerReply(close=True),
    ],
    ids=["not JSON", "no reply", "500", "504", "cut", "closed"],
)
def test_every_request_that_may_be_billed_counts(cases, broken, hurried):
    """Retries and broken replies were not counted: 20 calls became 80 requests."""
    with ModelServer(replies=broken) as server:
        evaluate(server, cases, first=40, max_calls=20)
        # the first attempt of each of the first calls, and some of their retries
        assert len(server.requests) == 20
    assert spending() == Spending(calls=20)


def test_a_failed_attempt_counts_its_worst_case(cases, hurried):
    with ModelServer(replies=ServerReply(body=b"<html>")) as server:
        evaluate(server, cases, first=40, max_cost=3, price=PRICE)
        reserved = Decimal(spending().nanodollars) / 10**9
        assert spending().calls == len(server.requests)
    assert Decimal("2.5") < reserved <= 3
    assert len(server.requests) * Decimal("0.4096") <= 3


def test_requests_that_are_refused_count_and_are_not_billed(cases):
    asked = set()

    def refuse_the_first_time(request):
        prompt = json.dumps(request.body["messages"])
        if prompt in asked:
            return GOOD
        asked.add(prompt)
        return ServerReply(status=429, headers={"retry-after-ms": "1"})

    with ModelServer(handler=refuse_the_first_time) as server:
        run = evaluate(server, cases, first=10, max_calls=30, price=PRICE)
        assert len(server.requests) == 20
    assert kinds(run) == {("scored", ""): 10}
    assert spending() == Spending(calls=20, nanodollars=10 * 600_000)


def test_a_resumed_run_does_not_get_its_limit_again(cases):
    with ModelServer(replies=GOOD) as server:
        evaluate(server, cases, max_calls=20)
        assert len(server.requests) == 20
        evaluate(server, cases, max_calls=20)
        assert len(server.requests) == 20
        evaluate(server, cases, max_calls=50)
        assert len(server.requests) == 50
    assert spending() == Spending(calls=50)


def test_what_an_unlimited_part_of_a_run_spent_counts_too(cases):
    good = ServerReply(text=GOOD, usage=Usage(input=1_000, output=2_000))
    replies = iter([good] * 5 + [ServerReply(status=401)] * 10)
    with ModelServer(handler=lambda _: next(replies, good)) as server:
        evaluate(server, cases, first=40, price=PRICE, jobs=1)
        assert spending() == Spending(calls=15, nanodollars=5 * 210_000_000)
        evaluate(server, cases, first=40, price=PRICE, max_cost=Decimal("2.1"))
    assert server.answers == {200: 8, 401: 10}
    assert spending() == Spending(calls=18, nanodollars=8 * 210_000_000)


def test_a_portion_of_a_process_that_died_stays_spent(where):
    store = open_store(where)
    limit = SpendingLimit(calls=20, nanodollars=None)
    one, many = Spending(calls=1, nanodollars=5), Spending(calls=16, nanodollars=80)
    died = store.draw("r", one, many, limit)
    assert died.portion == Spending(calls=1, nanodollars=5)  # a twentieth of what is left
    store.close()
    store = open_store(where)
    drawn = [store.draw("r", one, many, limit).portion for _ in range(25)]
    assert drawn == [one] * 19 + [None] * 6
    store.write([AddSpending(run_id="r", spent=Spending(calls=-4, nanodollars=-1))])
    assert store.spending("r") == Spending(calls=16, nanodollars=99)
    assert store.draw("r", Spending(calls=5), Spending(calls=5), limit) == (None, (4, None))
    store.remove_run("r")
    assert store.spending("r") == Spending()
    store.close()


def test_a_large_limit_is_drawn_in_portions_and_what_is_not_used_is_given_back(cases, monkeypatch):
    from adjudge.store.store import SqlStore

    draws = []
    draw = SqlStore.draw
    monkeypatch.setattr(SqlStore, "draw", lambda *args: draws.append(args[2]) or draw(*args))
    with ModelServer(replies=GOOD) as server:
        evaluate(server, cases, max_calls=10_000)
        assert len(server.requests) == 200
    assert len(draws) < 50
    assert spending() == Spending(calls=200)


def test_a_wait_that_outlasts_the_deadline_ends_the_call_at_once(cases, capfd):
    """`Retry-After: 3600` with `--deadline 60`: the run waited the hour."""
    with ModelServer(replies=ServerReply(status=429, headers={"Retry-After": "3600"})) as server:
        flags = ["-m", "openai:m", "--base-url", server.openai_url, "-n", "5", "--deadline", "600"]
        assert run_command(["run", str(cases), "--judge", "relevance", *flags]) == 3
    rows = parse_lines(capfd.readouterr().out)
    assert [row["outcome"] for row in rows] == ["not_asked"] * 5
    said = "the run's --deadline comes before the end of a wait of 3600 seconds"
    assert any(said in row["error"]["message"] for row in rows)


@pytest.mark.parametrize("price", ["NaN,1", "-1,1", "1,Infinity", "1"])
def test_a_price_that_is_none_is_refused(cases, capfd, price):
    assert run_command(["run", str(cases), "--judge", "relevance", "-m", "openai:m", "--price", price]) == 2
    assert "--price" in capfd.readouterr().err


def test_a_cancelled_request_may_have_been_billed():
    from adjudge.records import Message, ModelClient, Prompt, Request
    from adjudge.runs.budget import Budget, BudgetedClient

    class Stalled(ModelClient):
        name = "test:stalled"

        async def complete(self, request):
            await asyncio.Event().wait()

        async def close(self):
            pass

    async def cancel():
        budget = Budget(max_calls=5)
        request = Request(
            prompt=Prompt(messages=(Message(role="user", content="x"),)), schema=None, case_id="c", judge="j"
        )
        task = asyncio.create_task(BudgetedClient(Stalled(), budget).complete(request))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        budget.give_back()
        return (await budget.account.draw(Spending(), Spending(), SpendingLimit(calls=5))).left.calls

    assert asyncio.run(cancel()) == 4


def test_requests_a_minute_are_counted_in_the_store_for_all_processes_of_the_run(cases):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        run = evaluate(server, cases, rpm=1, first=1)
        assert len(server.requests) == len(list(run)) == 1
    with closing(open_store("./.adjudge")) as store:
        drawn = store.draw_pace(Process("r", "another"), FlowWish(Flow(1.0)), FlowLimit(requests=Rate(1)))
    assert drawn.granted == 0
    assert 0 < drawn.wait <= 60


def test_a_pace_that_is_not_reached_costs_no_time_and_loses_nothing(cases):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        run = evaluate(server, cases, rpm=60_000, tpm=60_000_000)
        assert len(server.requests) == 200
    assert kinds(run) == {("scored", ""): 200}


@pytest.mark.parametrize(("gate", "code"), [((), 0), (("--fail-under", "3"), 3)])
def test_a_run_that_a_limit_stopped_says_so_and_how_far_it_came(cases, adjudge, monkeypatch, gate, code):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with ModelServer(replies=ServerReply(text=GOOD, usage=Usage(input=400, output=60))) as server:
        asked = (
            "--judge",
            "relevance",
            "--model",
            "openai:m",
            "--base-url",
            server.openai_url,
            "--price",
            "1,4",
        )
        done = adjudge("run", cases, *asked, "--max-cost", "0.02", "--name", "r", "-o", "rows.jsonl", *gate)
        sent = len(server.requests)
        roomy = adjudge("run", cases, *asked, "--max-cost", "1", "-n", "1", "-o", "more.jsonl")
    assert done.code == code, done.err
    assert "each call reserves at least $0.0164" in done.err
    assert "so that much of --max-cost 0.02 may stay unspent" in done.err
    assert roomy.code == 0
    assert "reserves" not in roomy.err
    listed = next(line for line in adjudge("runs").out.splitlines() if line.startswith("r "))
    assert " limit reached " in listed
    assert listed.endswith(f"PARTIAL {sent} of 200")
    assert f" {sent} judgements" in listed


def test_pages_list_what_a_limit_stopped(cases):
    with ModelServer(replies=GOOD) as server:
        evaluate(server, cases, max_calls=4)
    with served("./.adjudge") as pages:
        text = pages.client.get("/").text
        assert '<span class="mark warn">limit reached · PARTIAL 4 of 200</span>' in text
        assert pages.read("/api/runs?state=limit_reached")["total"] == 1
        assert "200 judgements of 200" not in pages.client.get("/runs/r").text
