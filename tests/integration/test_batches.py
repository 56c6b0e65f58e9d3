"""`--batch`: requests go to the provider's batch API, and every one of them is paid for once, whatever happens."""

import _thread
import asyncio
import json
import shutil
import threading
from contextlib import closing
from decimal import Decimal
from itertools import count

import pytest
from jsonl import parse_lines, write_lines

import adjudge as library
from adjudge.errors import InputError
from adjudge.models.prices import BATCH_LIMITS
from adjudge.options import Price, make_options
from adjudge.records import Usage
from adjudge.runs.against import open_cases
from adjudge.runs.batch_api.queue import MAX_BATCHES
from adjudge.runs.plan import make_plan
from adjudge.runs.session import open_session
from adjudge.store import open_store
from adjudge.testing import FakeClock, ModelServer, ServerReply

GOOD = {"reason": "It answers the question.", "score": 4}
ROWS = 6
"""In batches."""
FIRST = "the first one"
"""One more, which is asked directly to learn what the model refuses; tests look at the others."""
PRICE = Price(input=Decimal(10), output=Decimal(100))
PROVIDERS = ["openai", "anthropic"]


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    rows = [{"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(ROWS)]
    write_lines(path, [{"id": FIRST, "question": "q", "response": FIRST}, *rows])
    return path


def url(server, provider):
    return server.openai_url if provider == "openai" else server.anthropic_url


async def ajudge(server, cases, store=None, *, provider="openai", judge="relevance", made=None, **options):
    model = f"{provider}:m"
    options = {
        "base_url": server and url(server, provider),
        "batch": True,
        "name": "r",
        "model": model,
        **options,
    }
    plan = make_plan([judge], make_options(store=store, **options))
    opened = open_cases(str(cases), plan)
    judgements = []
    async with open_session(opened.plan, str(cases), clock=FakeClock()) as session:
        await session.run(opened.rows, judgements.append, made=made and (lambda each: made(session, each)))
    return [each for each in judgements if each.case_id != FIRST]


def judge_all(*arguments, **options):
    return asyncio.run(ajudge(*arguments, **options))


def billed(server):
    """Requests that were answered, in batches and alone."""
    alone = [request for request in server.requests if request.wire and FIRST not in request.prompt]
    return len(alone) + sum(status == 200 for batch in server.batches for _, status, _ in batch.results)


def sizes(server):
    return [len(batch.results) for batch in server.batches]


def scores(judgements):
    return {judgement.case_id: judgement.score for judgement in judgements if judgement.score is not None}


ALL = {f"c{n}": 4 for n in range(ROWS)}


def under_way(where, *models):
    with closing(open_store(where)) as store:
        assert store.check() == []
        return [batch for model in models for batch in store.batches_under_way("r", model)]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_all_cases_go_in_one_batch_and_are_waited_for(cases, where, provider):
    with ModelServer(GOOD, batch_looks=4) as server:
        judgements = judge_all(server, cases, where, provider=provider, price=PRICE)
        assert scores(judgements) == ALL
        assert sizes(server) == [ROWS]
        assert billed(server) == ROWS
    half = (10 * PRICE.input + 5 * PRICE.output) / 1_000_000 / 2
    assert {judgement.calls[0].completion.cost for judgement in judgements} == {half}
    assert under_way(where, f"{provider}:m") == []
    with closing(open_store(where)) as store:
        assert store.find_run("r").state == "finished"
        assert store.spending("r").calls == 1 + ROWS
        assert store.spending("r").nanodollars == (2 + ROWS) * half * 10**9


@pytest.mark.parametrize("provider", PROVIDERS)
def test_listed_prices_are_halved(cases, tmp_path, provider, monkeypatch):
    monkeypatch.setattr("adjudge.models.providers.opening.is_own_host", lambda *_: True)
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "k" * 20)
    name = {"openai": "gpt-4o-mini", "anthropic": "claude-3-5-haiku-latest"}[provider]
    costs = {}
    with ModelServer(ServerReply(text=json.dumps(GOOD), model=name)) as server:
        for batch in (False, True):
            store = tmp_path / f"{batch}"
            made = judge_all(server, cases, store, provider=provider, model=f"{provider}:{name}", batch=batch)
            costs[batch] = {each.calls[0].completion.cost for each in made}
    (alone,), (together,) = costs[False], costs[True]
    assert together == alone / 2 > 0


# ---- killed and resumed ----


class Hold:
    """Keeps the provider from answering one step, the first time; copies the store as it was then."""

    def __init__(self, step, where, copy=None):
        self.step, self.where, self.copy = step, where, copy
        self.reached, self.released = threading.Event(), threading.Event()

    def __call__(self, step):
        if step == self.step and not self.reached.is_set():
            if self.copy is not None:
                shutil.copytree(self.where, self.copy)
            self.reached.set()
            self.released.wait()


async def stopped(hold, server, cases, provider, **options):
    """A run that ends while the provider works on that step."""
    judging = ajudge(server, cases, hold.where, provider=provider, max_calls=100, **options)
    run = asyncio.create_task(judging)
    await asyncio.to_thread(hold.reached.wait)
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)
    hold.released.set()


STEPS = [
    *(("openai", step) for step in ("file", "created", "looked", "results")),
    *(("anthropic", step) for step in ("created", "looked", "results")),
]


@pytest.mark.parametrize(("provider", "step"), STEPS)
def test_killed_at_any_step_a_run_goes_on_and_nothing_is_paid_for_twice(cases, tmp_path, provider, step):
    where, copy = tmp_path / "store", tmp_path / "copy"
    hold = Hold(step, where, copy)
    with ModelServer(GOOD, batch_looks=3, on_batch=hold) as server:
        asyncio.run(stopped(hold, server, cases, provider))
        (left,) = under_way(copy, f"{provider}:m")
        assert len(left.content.keys) == ROWS
        assert (left.provider_id is None) == (step in {"file", "created"})
        assert scores(judge_all(server, cases, copy, provider=provider)) == ALL
        assert sizes(server) == [ROWS]
        assert billed(server) == ROWS
    assert under_way(copy, f"{provider}:m") == []
    with closing(open_store(copy)) as store:
        assert len(list(store.judgements("r"))) == 1 + ROWS


@pytest.mark.parametrize(("provider", "step"), STEPS)
def test_interrupted_at_any_step_a_run_goes_on_in_the_same_store(cases, where, provider, step):
    hold = Hold(step, where)
    with ModelServer(GOOD, batch_looks=3, on_batch=hold) as server:
        asyncio.run(stopped(hold, server, cases, provider))
        assert scores(judge_all(server, cases, where, provider=provider, max_calls=100)) == ALL
        assert billed(server) == ROWS
    with closing(open_store(where)) as store:
        assert store.spending("r").calls == 1 + ROWS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_killed_while_collecting_what_was_kept_is_not_collected_again(cases, tmp_path, provider):
    """Half of the results came; the connection broke; the process was killed before it had the rest."""
    kept = threading.Event()
    hold = Hold("results", tmp_path / "store", tmp_path / "copy")
    breaks = iter([ServerReply(), ServerReply(cut=True)])  # they are read twice

    def on_batch(step):
        if step == "results" and (broken := next(breaks, None)) is not None:
            return broken
        if step == "results":
            kept.wait()
        return hold(step)

    with ModelServer(GOOD, on_batch=on_batch) as server:
        made = lambda _, each: each.case_id == FIRST or kept.set()  # noqa: E731 - as a line of a test
        asyncio.run(stopped(hold, server, cases, provider, made=made))
        (left,) = under_way(hold.copy, f"{provider}:m")
        assert 0 < len(left.collected) < ROWS
        assert scores(judge_all(server, cases, hold.copy, provider=provider)) == ALL
        assert (billed(server), sizes(server)) == (ROWS, [ROWS])
    assert under_way(hold.copy, f"{provider}:m") == []
    with closing(open_store(hold.copy)) as store:
        assert sorted(each.case_id for each in store.judgements("r")) == sorted([*ALL, FIRST])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_was_written_down_and_never_sent_is_sent(cases, where, provider):
    """Its id is in no batch of the provider, whatever else is listed there."""
    with ModelServer(GOOD, batch_looks=2) as server:
        for name in ("others", "more"):
            judge_all(server, cases, where, provider=provider, name=name, fresh=True)
        judge_all(server, cases, where, provider=provider, detach=True, fresh=True)
        lost = server.batches.pop()
        with closing(open_store(where)) as store:
            (batch,) = store.batches_under_way("r", f"{provider}:m")
            store.home.write(lambda session: session.change("UPDATE batches SET provider_id = NULL"))
        assert scores(judge_all(server, cases, where, provider=provider, fresh=True)) == ALL
        assert sizes(server) == [ROWS] * 3
        assert server.batches[-1] is not lost
    assert batch.batch_id not in str(server.batches[-1].results)
    assert under_way(where, f"{provider}:m") == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_is_looked_for_before_it_is_sent_again(cases, where, provider):
    """The connection broke after the provider had created it."""
    broken = iter([ServerReply(close=True)])
    with ModelServer(
        GOOD, batch_looks=2, on_batch=lambda step: next(broken, None) if step == "created" else None
    ) as server:
        assert scores(judge_all(server, cases, where, provider=provider)) == ALL
        assert sizes(server) == [ROWS]


def test_the_search_goes_through_all_pages(cases, where):
    with ModelServer(GOOD, batch_looks=2) as server:
        judge_all(server, cases, where, detach=True)
        (ours,) = server.batches
        with closing(open_store(where)) as store:
            store.home.write(lambda session: session.change("UPDATE batches SET provider_id = NULL"))
        others = [type(ours)(id=f"other_{n}", wire="openai", metadata={}, results=[]) for n in range(250)]
        server.batches.extend(others)
        assert scores(judge_all(server, cases, where)) == ALL
        assert billed(server) == ROWS


# ---- detached ----


@pytest.mark.parametrize("provider", PROVIDERS)
def test_detached_batches_are_collected_by_the_same_command(cases, where, provider, adjudge):
    with ModelServer(GOOD, batch_looks=3) as server:
        command = ["run", str(cases), "--judge", "relevance", "--model", f"{provider}:m"]
        command += ["--base-url", url(server, provider), "--batch", "--store", where, "--name", "r"]
        left = adjudge(*command, "--detach")
        assert left.code == 0, left.err
        assert f"under way: batch batch_0 of {provider}:m, {ROWS} requests" in left.err
        assert "collect with: adjudge run " in left.err
        assert "--detach" not in left.err
        assert "p%40ss" not in left.err
        again = adjudge(*command, "--detach")
        assert (again.code, sizes(server)) == (0, [ROWS])
        collected = adjudge(*command)
        assert collected.code == 0, collected.err
        assert f"batch batch_0 of {provider}:m: {ROWS} of {ROWS} requests done" in collected.err
        assert {row["case_id"]: row["score"] for row in parse_lines(collected.out)} == {FIRST: 4, **ALL}
        assert (billed(server), sizes(server)) == (ROWS, [ROWS])


def test_detached_with_a_gate_nothing_is_measured(cases, tmp_path, adjudge):
    with ModelServer(GOOD, batch_looks=3) as server:
        told = adjudge(
            *("run", str(cases), "--judge", "relevance", "--model", "openai:m"),
            *("--base-url", server.openai_url, "--batch", "--detach", "--fail-under", "0.5"),
        )
        assert told.code == 3, told.err


def test_an_interrupt_leaves_the_batches_running(cases, where):
    sessions = []

    async def interrupted(server):
        plan = make_plan(
            ["relevance"],
            make_options(model="openai:m", base_url=server.openai_url, batch=True, name="r", store=where),
        )
        opened = open_cases(str(cases), plan)
        async with open_session(opened.plan, str(cases), clock=FakeClock()) as session:
            loop = asyncio.get_running_loop()
            sessions.append(lambda: loop.call_soon_threadsafe(session.stop, "interrupted"))
            await session.run(opened.rows, list[object]().append)
            return session.batches, session.halted, session.partial

    def stop(step):
        if step == "looked" and sessions:
            sessions.pop()()

    with ModelServer(GOOD, batch_looks=50, on_batch=stop) as server:
        batches, halted, partial = asyncio.run(interrupted(server))
        assert [batch.provider_id for batch in batches] == ["batch_0"]
        assert halted == "interrupted"
        assert str(partial) == f"PARTIAL 1 of {1 + ROWS}"
        assert scores(judge_all(server, cases, where)) == ALL
        assert sizes(server) == [ROWS]


def test_ctrl_c_prints_how_to_collect(cases, where, adjudge):
    interrupts = iter([_thread.interrupt_main])

    def stop(step):
        if step == "looked":
            next(interrupts, lambda: None)()

    with ModelServer(GOOD, batch_looks=10_000, on_batch=stop) as server:
        told = adjudge(
            *("run", str(cases), "--judge", "relevance", "--model", "openai:m", "--name", "r"),
            *("--base-url", server.openai_url, "--batch", "--store", where),
        )
        assert told.code == 130, told.err
        assert f"under way: batch batch_0 of openai:m, {ROWS} requests" in told.err
        assert "collect with: adjudge run" in told.err
        server.batches[0].looks = 10_000
        assert scores(judge_all(server, cases, where)) == ALL
        assert sizes(server) == [ROWS]


# ---- further steps ----


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_asked_again_goes_in_the_next_batch(cases, where, provider):
    asked = count()
    with ModelServer(handler=lambda _: "no verdict at all" if next(asked) == 1 else GOOD) as server:
        assert scores(judge_all(server, cases, where, provider=provider)) == ALL
        assert sizes(server) == [ROWS, 1]


def test_several_models_each_have_their_batches_and_a_jury_decides(cases, where):
    with ModelServer(GOOD) as server:
        made = judge_all(server, cases, where, model=["openai:m", "openai:n"], jury="mean")
        assert len(made) == 3 * ROWS
        assert sizes(server) == [ROWS, ROWS]
    assert under_way(where, "openai:m", "openai:n") == []


def test_a_batch_holds_no_more_than_the_provider_takes(cases, where, monkeypatch):
    limit = BATCH_LIMITS["openai"]._replace(requests=4)
    monkeypatch.setitem(BATCH_LIMITS, "openai", limit)
    with ModelServer(GOOD) as server:
        assert scores(judge_all(server, cases, where)) == ALL
        assert sorted(sizes(server)) == [2, 4]


# ---- what fails ----


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_expired_goes_in_the_next_batch(cases, where, provider):
    asked = count()
    with ModelServer(handler=lambda _: ServerReply(stall=True) if next(asked) in {1, 2} else GOOD) as server:
        assert scores(judge_all(server, cases, where, provider=provider, max_calls=100)) == ALL
        assert sizes(server) == [ROWS, 2]
    with closing(open_store(where)) as store:
        assert store.spending("r").calls == 1 + ROWS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_expires_every_time_has_failed_and_the_next_run_asks_it_again(cases, where, provider):
    replies = [ServerReply(stall=True)]
    with ModelServer(handler=lambda asked: GOOD if FIRST in asked.prompt else replies[-1]) as server:
        made = judge_all(server, cases, where, provider=provider)
        assert {(each.outcome.kind, each.outcome.error_kind) for each in made} == {
            ("call_failed", "unavailable")
        }
        assert sizes(server) == [ROWS] * MAX_BATCHES
        assert under_way(where, f"{provider}:m") == []
        replies.append(ServerReply(text=json.dumps(GOOD)))
        assert scores(judge_all(server, cases, where, provider=provider, name="r2")) == ALL


@pytest.mark.parametrize("provider", PROVIDERS)
def test_parameters_that_a_batch_is_refused_are_left_out_of_the_next_however_many(cases, where, provider):
    """A direct call may be answered by another version of the model than a batch."""
    left = iter(["temperature", "logprobs", "max_tokens", "max_completion_tokens"])
    refused = {next(left)}

    def answer(asked):
        if FIRST in asked.prompt:
            return GOOD
        found = sorted(refused & asked.body.keys())
        if not found:
            return GOOD
        if "answer 5." in asked.prompt:
            refused.add(next(left, ""))
        return ServerReply(status=400, message=f"{found[0]} is not supported", param=found[0])

    with ModelServer(handler=answer) as server:
        made = judge_all(server, cases, where, provider=provider)
        assert scores(made) == ALL
        assert all("left_out:temperature" in each.notes for each in made)
        assert len(sizes(server)) == {"openai": 5, "anthropic": 2}[provider]
        assert billed(server) == ROWS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_limit_that_leaves_no_room_for_the_prompt_is_lowered_in_the_next_batch(cases, where, provider):
    def answer(asked):
        read, limit = len(asked.prompt.split()), asked.body["max_tokens"]
        if FIRST in asked.prompt or read + limit <= 4096:
            return ServerReply(text=json.dumps(GOOD), usage=Usage(input=read, output=9))
        message = f"input length and `max_tokens` exceed context limit: {read} + {limit} > 4096"
        return ServerReply(status=400, message=message)

    with ModelServer(handler=answer) as server:
        made = judge_all(server, cases, where, provider=provider, max_output_tokens=4096)
        assert scores(made) == ALL
        assert all("lowered:max_tokens" in each.notes for each in made)
        assert (sizes(server), billed(server)) == ([ROWS, ROWS], ROWS)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_request_that_is_refused_has_failed_alone(cases, where, provider):
    def answer(request):
        if "answer 3." in request.prompt:
            return ServerReply(status=400, message="the picture is upside down", code="invalid_request_error")
        return GOOD

    with ModelServer(handler=answer) as server:
        made = judge_all(server, cases, where, provider=provider, max_calls=100)
        failed = [each for each in made if each.score is None]
        assert [(each.case_id, each.outcome.error_kind) for each in failed] == [("c3", "rejected")]
        assert "the picture is upside down" in failed[0].outcome.message
        assert sizes(server) == [ROWS]
    with closing(open_store(where)) as store:
        assert store.spending("r").calls == 1 + ROWS


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_is_not_taken_ends_the_run_and_costs_nothing(cases, where, provider):
    refusal = ServerReply(
        status=401, body=json.dumps({"error": {"message": "no such key", "code": "invalid_api_key"}}).encode()
    )
    answers = [refusal]
    with ModelServer(
        GOOD, on_batch=lambda step: answers[-1] if step in {"file", "created"} else None
    ) as server:
        made = judge_all(server, cases, where, provider=provider, max_cost=5, price=PRICE)
        assert {each.outcome.kind for each in made} == {"call_failed"}
        assert "answered 401: no such key" in made[0].outcome.message
        server.batches.clear()
        answers.append(None)
        assert scores(judge_all(server, cases, where, provider=provider, max_cost=5, price=PRICE)) == ALL
    assert under_way(where, f"{provider}:m") == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_service_that_does_not_answer_leaves_its_batch_for_another_time(cases, where, provider, adjudge):
    answers = [ServerReply(status=404, body=b'{"error": {"message": "no such batch"}}')]
    with ModelServer(GOOD, on_batch=lambda step: answers[-1] if step == "looked" else None) as server:
        command = ["run", str(cases), "--judge", "relevance", "--model", f"{provider}:m"]
        command += ["--base-url", url(server, provider), "--batch", "--store", where, "--name", "r"]
        told = adjudge(*command)
        assert told.code == 3, told.err
        assert "answered 404: no such batch" in told.err
        assert "collect with: adjudge run" in told.err
        assert len(under_way(where, f"{provider}:m")) == 1
        answers.append(None)
        lost = server.batches.pop()
        assert "No such file or batch: batch_0" in adjudge(*command).err
        server.batches.append(lost)
        answers.append(ServerReply(status=503, body=b"{}"))
        assert judge_all(server, cases, where, provider=provider) == []
        answers.append(None)
        assert scores(judge_all(server, cases, where, provider=provider)) == ALL
        assert billed(server) == ROWS


def failed(message, code):
    found = {"id": "batch_0", "status": "failed", "errors": {"data": [{"message": message, "code": code}]}}
    return ServerReply(body=json.dumps(found).encode())


def test_a_batch_that_fails_as_a_whole_says_why(cases, where):
    answer = failed("The model `m` does not exist.", "model_not_found")
    with ModelServer(GOOD, on_batch=lambda step: answer if step == "looked" else None) as server:
        made = judge_all(server, cases, where, max_calls=100)
        assert {each.outcome.error_kind for each in made} == {"rejected"}
        assert "the batch was refused: The model `m` does not exist." in made[0].outcome.message
        assert sizes(server) == [ROWS]
    assert under_way(where, "openai:m") == []
    with closing(open_store(where)) as store:
        assert store.spending("r").calls == 1 + ROWS


def test_a_batch_for_which_there_is_no_room_is_sent_again_later(cases, where):
    answers = iter([failed("Enqueued token limit reached", "token_limit_exceeded")])
    with ModelServer(GOOD, on_batch=lambda step: next(answers, None) if step == "looked" else None) as server:
        assert scores(judge_all(server, cases, where)) == ALL
        assert sizes(server) == [ROWS, ROWS]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_server_that_is_not_there_ends_the_run_and_nothing_is_lost(cases, where, provider):
    with ModelServer(GOOD) as gone:
        pass
    gone.batches.clear()
    assert judge_all(gone, cases, where, provider=provider) == []
    (left,) = under_way(where, f"{provider}:m")
    assert left.provider_id is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_results_that_lead_to_another_host_are_fetched_without_the_key(cases, where, provider, monkeypatch):
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", "canary-0123456789")

    def away(step):
        if step != "results":
            return None
        path = here.requests[-1].path
        return ServerReply(status=302, body=b"", headers={"Location": f"{there.base_url}{path}"})

    with ModelServer(GOOD) as there, ModelServer(GOOD, on_batch=away) as here:
        there._batches = here._batches
        assert scores(judge_all(here, cases, where, provider=provider)) == ALL
        assert there.requests
        assert "canary" in str([request.headers for request in here.requests])
        assert "canary" not in str([request.headers for request in there.requests])


# ---- money ----


def worst_case_of_one(cases, tmp_path):
    """What is set aside for a request, from a batch that is left alone."""
    where = tmp_path / "one"
    with ModelServer(GOOD, batch_looks=2) as server:
        judge_all(server, cases, where, detach=True, max_cost=1000, price=PRICE, first=2)
    with closing(open_store(where)) as store:
        return Decimal(store.batches_under_way("r", "openai:m")[0].content.drawn[0].nanodollars).scaleb(-9)


def test_the_worst_case_of_a_whole_batch_is_set_aside_before_it_is_sent(cases, where, tmp_path):
    worst = worst_case_of_one(cases, tmp_path)
    cost = (10 * PRICE.input + 5 * PRICE.output) / 1_000_000 / 2
    max_cost = worst * 4 + 2 * cost  # the first costs the whole price
    with ModelServer(GOOD, batch_looks=2) as server:
        judge_all(server, cases, where, detach=True, max_cost=max_cost, price=PRICE)
        assert sizes(server) == [4]
        with closing(open_store(where)) as store:
            assert store.spending("r").nanodollars == max_cost * 10**9
        # what was not used of it is for the others
        assert scores(judge_all(server, cases, where, max_cost=max_cost, price=PRICE)) == ALL
        # a new process asks one directly too, at the whole price; it waits until the batch from before is collected
        assert sizes(server) == [4, 1]
    with closing(open_store(where)) as store:
        assert store.spending("r").nanodollars == (3 + ROWS) * cost * 10**9


def test_a_limit_that_allows_no_request_sends_no_batch(cases, where, tmp_path):
    worst = worst_case_of_one(cases, tmp_path)
    with ModelServer(GOOD) as server:
        made = judge_all(server, cases, where, max_cost=worst / 2, price=PRICE)
        assert {each.outcome.error_kind for each in made} == {"budget"}
        assert server.requests == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_estimate_halves_the_cost_after_the_first_request_and_promises_no_time(cases, provider, adjudge):
    command = ["estimate", str(cases), "--judge", "relevance", "--model", f"{provider}:m"]
    command += ["--base-url", "http://127.0.0.1:1/v1", "--price", "10,100"]
    first, alone, together = (
        json.loads(adjudge(*command, *more, "--json").out) for more in (["--first", "1"], [], ["--batch"])
    )
    others = alone["cost"]["likely"] - first["cost"]["likely"]
    assert together["cost"]["likely"] == pytest.approx(first["cost"]["likely"] + others / 2)
    assert together["seconds"] is None
    assert "within 24 hours" in adjudge(*command, "--batch").out


# ---- what cannot be ----


@pytest.mark.parametrize(
    "more",
    [
        ["--model", "google:gemini-x", "--base-url", "http://127.0.0.1:1"],
        ["--model", "azure:x", "--base-url", "http://127.0.0.1:1"],
        ["--model", "embedded"],
        ["--model", "scripted:script.jsonl"],
        ["--cascade", "openai:a,openai:b", "--labels", "cases"],
        ["--model", "openai:a", "--engine", "ray"],
        ["--model", "openai:a", "--rpm", "10"],
        ["--model", "openai:a", "--tpm", "10"],
        ["--model", "openai:a", "--base-url", "http://127.0.0.1:1", "--param", "api_key=sk-1234567890"],
    ],
)
def test_what_does_not_go_with_batches_is_exit_2(cases, more, adjudge, tmp_path):
    write_lines(tmp_path / "script.jsonl", [{"case_id": "c0", "reply": "x"}])
    told = adjudge("run", str(cases), "--judge", "relevance", "--batch", *more)
    assert told.code == 2, told.err
    assert "hint:" in told.err


def test_detach_is_for_batches(cases, adjudge):
    told = adjudge("run", str(cases), "--judge", "relevance", "--model", "openai:a", "--detach")
    assert told.code == 2
    assert "--detach requires --batch" in told.err


def test_a_function_and_a_run_without_a_store_have_no_batches(cases):
    for options in ({"model": lambda prompt: prompt}, {"model": "openai:m", "store": None}):
        with pytest.raises(InputError, match="batch"):
            judge_all(None, cases, **{"store": "s", "base_url": "http://127.0.0.1:1/v1", **options})


def test_cases_that_are_no_file_need_a_name_to_be_found_again(tmp_path):
    rows = [{"id": "a", "question": "q", "response": "r"}]
    with ModelServer(GOOD) as server:
        options = {"model": "openai:m", "base_url": server.openai_url, "batch": True, "store": tmp_path / "s"}
        with pytest.raises(InputError, match="needs a name"):
            library.evaluate(rows, "relevance", **options)
        assert server.requests == []
        assert len(library.evaluate(rows, "relevance", **options, name="r")) == 1


def test_shards_collect_their_own_batches(cases, where):
    with ModelServer(GOOD, batch_looks=2) as server:
        for shard in ("1/2", "2/2"):
            judge_all(server, cases, where, shard=shard, detach=True)
        made = [each for shard in ("2/2", "1/2") for each in judge_all(server, cases, where, shard=shard)]
        assert scores(made) == ALL
        assert (len(server.batches), billed(server)) == (2, ROWS)


# ---- results that are not what they should be ----


def renamed(line, custom_id):
    return json.dumps({**json.loads(line), "custom_id": custom_id}).encode()


def with_score(line, score):
    return line.replace(b'\\"score\\": 4', b'\\"score\\": %d' % score)


@pytest.mark.parametrize(
    "added",
    [
        lambda lines: [b"no JSON", b"[1]", b'"text"', b"\xff\xfe"],
        lambda lines: [renamed(lines[0], "1" * 5_000), renamed(lines[0], 7), renamed(lines[0], ["a"])],
        lambda lines: [with_score(renamed(lines[0], str(n)), 1) for n in range(ROWS)],
        lambda lines: [
            with_score(renamed(lines[0], f"adjudge-0000000000000000-{n}"), 1) for n in range(ROWS)
        ],
        lambda lines: [with_score(renamed(line, json.loads(line)["custom_id"] + "0"), 1) for line in lines],
        list,
    ],
    ids=["not JSON", "odd ids", "bare numbers", "of another batch", "like ours", "twice the same"],
)
def test_results_that_are_not_ours_or_cannot_be_read_are_left_out(cases, where, added):
    """One bad line was tried again for an hour, and lines of others were taken for ours."""
    with ModelServer(GOOD, change_results=lambda lines: [*added(lines), *lines]) as server:
        assert scores(judge_all(server, cases, where)) == ALL
        assert sizes(server) == [ROWS]
    assert under_way(where, "openai:m") == []


def test_of_two_results_that_contradict_each_other_none_is_taken(cases, where):
    def contradict(lines):
        return [with_score(lines[0], 1), *lines] if len(server.batches) == 1 else lines

    with ModelServer(GOOD, change_results=contradict) as server:
        assert scores(judge_all(server, cases, where)) == ALL
        assert sizes(server) == [ROWS, 1]


def test_a_result_that_is_another_when_it_is_downloaded_again_is_not_taken(cases, where):
    downloads = count()

    def change(lines):
        return [with_score(lines[0], 1), *lines[1:]] if next(downloads) == 1 else lines

    with ModelServer(GOOD, change_results=change) as server:
        assert scores(judge_all(server, cases, where)) == ALL
        assert sizes(server) == [ROWS, 1]


def command(server, cases, *more, provider="openai"):
    model = ["--model", f"{provider}:m", "--base-url", url(server, provider)]
    return ["run", str(cases), "--judge", "relevance", *model, "--batch", "--store", "store", *more]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_command_collects_what_is_its_own_and_says_what_it_leaves_out(cases, adjudge, provider):
    """Bad lines, an id of 5,000 digits and others' rows, at once: 12 of 12 scores were wrong, or never collected."""

    def add(lines):
        ids = ["1" * 5_000, *map(str, range(ROWS))]
        return [b"no JSON", b"[1]", *(with_score(renamed(lines[0], each), 1) for each in ids), *lines]

    with ModelServer(GOOD, change_results=add) as server:
        done = adjudge(*command(server, cases, provider=provider), process=True)
        assert (done.code, sizes(server), billed(server)) == (0, [ROWS], ROWS), done.err
    assert {row["case_id"]: row["score"] for row in parse_lines(done.out)} == {FIRST: 4, **ALL}
    assert f"left out {ROWS + 3} results that are not its own or cannot be read" in done.err


def test_the_command_takes_no_result_that_another_contradicts(cases, adjudge):
    def contradict(lines):
        return [with_score(lines[0], 1), *lines] if len(server.batches) == 1 else lines

    with ModelServer(GOOD, change_results=contradict) as server:
        done = adjudge(*command(server, cases), process=True)
        assert (done.code, sizes(server)) == (0, [ROWS, 1]), done.err
    assert {row["score"] for row in parse_lines(done.out)} == {4}
    assert "1 that contradict another" in done.err


ENDLESS = ServerReply(body=json.dumps({"data": [{"id": "b"}], "has_more": True}).encode())
ODD_STATE = ServerReply(body=json.dumps({"id": "batch_0", "status": ["completed"]}).encode())


@pytest.mark.parametrize(
    ("step", "answer"), [("listed", ENDLESS), ("looked", ODD_STATE)], ids=["endless list", "odd state"]
)
def test_the_command_heeds_the_deadline_whatever_the_batch_api_answers(cases, adjudge, step, answer):
    """The list was asked for 16 times a second without end, and the state was exit 70. It takes the deadline's time."""
    answers = {step: answer}
    with ModelServer(GOOD, batch_looks=2, on_batch=answers.get) as server:
        if step == "listed":  # whether it was created is not known
            answers["created"] = ServerReply(status=500, body=b"{}")
            judge_all(server, cases, "store", deadline=1.0)
        else:
            judge_all(server, cases, "store", detach=True)
        before = len(server.requests)
        done = adjudge(*command(server, cases, "--name", "r", "--deadline", "1"), process=True)
        assert len(server.requests) - before == 1
        assert sizes(server) == [ROWS]
        assert done.code == 3, done.err
        assert "the run's --deadline has passed: the batch is collected another time" in done.err
        assert "collect with: adjudge run" in done.err
        answers.clear()
        assert scores(judge_all(server, cases, "store")) == ALL
        assert (sizes(server), billed(server)) == ([ROWS], ROWS)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_list_without_end_is_left_and_nothing_is_sent_twice(cases, where, provider):
    page = ServerReply(body=json.dumps({"data": [{"id": "batch_0"}], "has_more": True}).encode())

    def on_batch(step):
        return {"created": ServerReply(status=500, body=b"{}"), "listed": page}.get(step)

    with ModelServer(GOOD, on_batch=on_batch) as server:
        judge_all(server, cases, where, provider=provider)
        listed = [request for request in server.requests if "limit=" in request.path]
        assert len(listed) == 20
        assert sizes(server) == [ROWS]
        assert len(under_way(where, f"{provider}:m")) == 1


def test_a_deadline_ends_the_search_through_a_list(cases, where):
    page = ServerReply(body=json.dumps({"data": [{"id": "batch_0"}], "has_more": True}).encode())

    def on_batch(step):
        return {"created": ServerReply(status=500, body=b"{}"), "listed": page}.get(step)

    with ModelServer(GOOD, on_batch=on_batch) as server:
        judge_all(server, cases, where, deadline=20.0)
        assert len([request for request in server.requests if "limit=" in request.path]) < 5
        assert len(under_way(where, "openai:m")) == 1


@pytest.mark.parametrize("body", [{"data": 5}, {"data": [5], "has_more": True}, {"data": None}])
def test_odd_lists_of_batches_are_no_bug(cases, where, body):
    odd = iter([ServerReply(status=500, body=b"{}")])
    listed = ServerReply(body=json.dumps(body).encode())

    def on_batch(step):
        return next(odd, None) if step == "created" else listed if step == "listed" else None

    with ModelServer(GOOD, on_batch=on_batch) as server:
        made = judge_all(server, cases, where)
        assert not made or scores(made) == ALL


@pytest.mark.parametrize("status", [["completed"], {"a": 1}, 7, None])
def test_odd_states_of_batches_are_no_bug(cases, where, status):
    odd = iter([ServerReply(body=json.dumps({"id": "batch_0", "status": status}).encode())])
    with ModelServer(GOOD, on_batch=lambda step: next(odd, None) if step == "looked" else None) as server:
        assert scores(judge_all(server, cases, where)) == ALL
