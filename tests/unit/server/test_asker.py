"""What asks models for requests: bounded, told apart from pages, and ended without a wait for who never answers."""

import asyncio
import json
import threading
from contextlib import closing, contextmanager
from types import SimpleNamespace

import pytest
from served import finish_runs

from adjudge.errors import ModelNameError
from adjudge.judges import built_in_judges, parse_judge
from adjudge.options import RunOptions
from adjudge.server import asker as asking
from adjudge.server.asker import Asker, BusyError, RunOrder
from adjudge.store import open_store
from adjudge.testing import ModelServer, ServerReply

CASE = {"id": "a", "question": "How many legs has a spider?", "response": "Eight.", "reference": "8"}
REPLY = json.dumps(
    {"reason": "Equal.", "contradicts": False, "misses_critical": False, "calculation": False, "numbers": []}
)
CORRECTNESS = next(judge for judge in built_in_judges() if judge.name == "correctness")
STALLED = ServerReply(stall=True)
MODEL = "openai:any"


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def where(tmp_path):
    place = tmp_path / "store"
    open_store(place).close()
    return str(place)


@contextmanager
def asker_of(where, server):
    made = Asker(where=where, base_url=server.openai_url)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def finish(asker):
    """Until no run is under way."""
    finish_runs(SimpleNamespace(asker=asker))


def order(cases=1, **more):
    rows = [{**CASE, "id": f"c{at}", "question": f"Question {at}?"} for at in range(cases)]
    return RunOrder(judges=[CORRECTNESS], model=MODEL, cases=rows, options=RunOptions(**more))


def state(where, run_id):
    with closing(open_store(where)) as store:
        return store.find_run(run_id)


def test_more_cases_at_once_than_are_allowed_are_told_to_come_again(where, monkeypatch):
    monkeypatch.setattr(asking, "MAX_WAITING", 3)
    release = threading.Event()

    reply = ServerReply(text=REPLY, after=release)

    async def many(asker, server):
        first = [asyncio.ensure_future(asker.judge(CORRECTNESS, MODEL, CASE)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError, match="too many cases"):
            await asker.judge(CORRECTNESS, MODEL, CASE)
        release.set()
        found = await asyncio.gather(*first)
        assert [judgement.score for judgement in found] == [1.0, 1.0, 1.0]
        assert (await asker.judge(CORRECTNESS, MODEL, CASE)).score == 1.0

    with ModelServer(replies=reply) as server, asker_of(where, server) as asker:
        asyncio.run(many(asker, server))


def test_more_runs_at_once_than_are_allowed_are_told_to_come_again(where, monkeypatch):
    monkeypatch.setattr(asking, "MAX_RUNS", 1)
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.0)

    async def two(asker):
        await asker.begin_run(order(name="first"))
        with pytest.raises(BusyError, match="1 are running"):
            await asker.begin_run(order(name="second"))

    with ModelServer(replies=STALLED) as server, asker_of(where, server) as asker:
        asyncio.run(two(asker))
    assert state(where, "second") is None


def test_closing_leaves_a_run_interrupted_though_its_model_never_answers(where, monkeypatch):
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.0)
    with ModelServer(replies=STALLED) as server:
        with asker_of(where, server) as asker:
            run = asyncio.run(asker.begin_run(order(cases=3, name="long")))
            server.wait_for_requests(1)
        assert not asker._thread.is_alive()
    assert run == "long"
    assert state(where, "long").state == "interrupted"


def test_an_interrupted_run_resumes_with_the_same_order(where, monkeypatch):
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.0)
    with ModelServer(replies=STALLED) as server, asker_of(where, server) as asker:
        asyncio.run(asker.begin_run(order(cases=2, name="long")))
        server.wait_for_requests(1)
    with ModelServer(replies=REPLY) as server, asker_of(where, server) as asker:
        asker._base_url = server.openai_url
        assert asyncio.run(asker.begin_run(order(cases=2, name="long"))).startswith("long")
        finish(asker)
    with closing(open_store(where)) as store:
        assert [run.state for run in store.runs()].count("finished") == 1


def test_closing_while_one_case_is_judged_answers_who_waits_for_it(where, monkeypatch):
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.0)
    said = []

    def wait(asker):
        try:
            asyncio.run(asker.judge(CORRECTNESS, MODEL, CASE))
        except BusyError as error:
            said.append(error.problem)

    with ModelServer(replies=STALLED) as server:
        with asker_of(where, server) as asker:
            thread = threading.Thread(target=wait, args=(asker,))
            thread.start()
            server.wait_for_requests(1)
        thread.join()
    assert said == ["is closing"]


def test_a_request_that_is_given_up_stays_given_up(where, monkeypatch):
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.0)

    async def give_up(asker, server):
        task = asyncio.ensure_future(asker.judge(CORRECTNESS, MODEL, CASE))
        await asyncio.to_thread(server.wait_for_requests, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asker._waiting == 0

    with ModelServer(replies=STALLED) as server, asker_of(where, server) as asker:
        asyncio.run(give_up(asker, server))


def test_a_model_that_refuses_makes_a_row_that_says_so(where):
    refused = ServerReply(status=401, message="no such key")
    with ModelServer(replies=refused) as server, asker_of(where, server) as asker:
        found = asyncio.run(asker.judge(CORRECTNESS, MODEL, CASE))
    assert found.score is None
    assert found.outcome.kind == "call_failed"


def test_a_run_that_nobody_began_here_is_not_stopped(where):
    with ModelServer(replies=REPLY) as server, asker_of(where, server) as asker:
        assert asyncio.run(asker.stop_run("somebody else's")) is False


def test_a_run_is_stopped_and_what_is_in_flight_is_kept(where):
    release = threading.Event()

    reply = ServerReply(text=REPLY, after=release)

    with ModelServer(replies=reply) as server, asker_of(where, server) as asker:
        asyncio.run(asker.begin_run(order(cases=5, name="stopped", jobs=1)))
        server.wait_for_requests(1)
        assert asyncio.run(asker.stop_run("stopped")) is True
        release.set()
        finish(asker)
    found = state(where, "stopped")
    assert found.state == "interrupted"
    assert len(server.requests) < 5


def test_the_embedded_judge_is_not_asked_what_it_was_not_trained_for(where):
    polite = parse_judge("Is this polite? {{response}}\nReply with `Score: N` from 1 to 5.", name="polite")
    with ModelServer(replies=REPLY) as server, asker_of(where, server) as asker:
        for model in ("embedded", "embedded@0123"):
            with pytest.raises(ModelNameError, match="cannot read the prompt of polite"):
                asyncio.run(asker.judge(polite, model, CASE))
            with pytest.raises(ModelNameError, match="cannot read the prompt of polite"):
                asyncio.run(
                    asker.begin_run(
                        RunOrder(judges=[polite], model=model, cases=[CASE], options=RunOptions())
                    )
                )
    with closing(open_store(where)) as store:
        assert list(store.runs()) == []


def test_ending_what_never_began_does_nothing(where):
    Asker(where=where, base_url=None).stop()
