"""`--shard K/N`: processes that a scheduler starts fill one run, each its part, under limits that hold over all of them."""

import asyncio
import json
import os
import platform
import threading
from collections import Counter
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge as library
from adjudge.errors import RunInUseError, SettingsError
from adjudge.options import Shard
from adjudge.records import Completion
from adjudge.store import open_store
from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
ROWS = 60
SHARDS = [f"{number}/3" for number in (1, 2, 3)]


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    rows = ({"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(ROWS))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def run_shard(cases, where, adjudge):
    def run(shard, server, *more, name="nightly"):
        named = ["--name", name] if name else []
        sharded = ["--shard", shard] if shard else []
        model = ["--model", "openai:x", "--base-url", server.openai_url]
        return adjudge(
            *("run", str(cases), "--judge", "relevance", *model, "--store", where, *named, *sharded, *more)
        )

    return run


def judged(where, name="nightly"):
    with closing(open_store(where)) as store:
        found = [judgement.case_id for judgement in store.judgements(name)]
        assert store.check() == []
        return store.find_run(name), found


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@given(st.text(), st.integers(1, 50))
def test_every_case_is_in_one_shard(case_id, of):
    assert sum(Shard(number, of).holds(case_id) for number in range(1, of + 1)) == 1


def test_shards_of_many_cases_are_of_about_the_same_size():
    sizes = Counter(
        number for n in range(3_000) for number in (1, 2, 3) if Shard(number, 3).holds(f"case {n}")
    )
    assert all(900 < size < 1_100 for size in sizes.values())


def test_the_shards_fill_one_run_in_the_order_of_the_cases(run_shard, where, tmp_path, adjudge):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        parts = []
        for number, shard in enumerate(SHARDS, start=1):
            told = run_shard(shard, server, "-o", f"{number}.jsonl")
            assert told.code == 0, told.err
            assert f"SHARD {number} of 3" in told.err + told.out
            assert "adjudge report nightly" in told.err + told.out
            parts.append([row["case_id"] for row in rows_of(tmp_path / f"{number}.jsonl")])
            run, found = judged(where)
            assert len(found) == sum(map(len, parts))
            if number < 3:
                assert run.state == "interrupted"
                assert run.partial.of == ROWS
                report = adjudge("report", "nightly", "--store", where, "--fail-under", "relevance=1")
                assert report.code == 3
                assert f"PARTIAL {len(found)} of {ROWS}" in report.out
        assert len(server.requests) == ROWS
    assert (run.state, run.partial, run.expected) == ("finished", None, ROWS)
    assert found == [f"c{n}" for n in range(ROWS)]
    for part in parts:
        assert part == sorted(part, key=lambda case_id: int(case_id[1:]))
    whole = adjudge("report", "nightly", "--store", where, "--fail-under", "relevance=1")
    assert (whole.code, "SHARD" in whole.out) == (0, False)


def test_started_again_when_all_are_done_they_fill_a_new_run(run_shard, where):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        for shard in (*SHARDS, *SHARDS):
            assert run_shard(shard, server).code == 0
        assert len(server.requests) == ROWS
    for name in ("nightly", "nightly-2"):
        run, found = judged(where, name)
        assert (run.state, len(found)) == ("finished", ROWS)


def test_a_shard_that_is_done_is_not_judged_again(run_shard, where):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        first = run_shard("1/3", server, "--json")
        asked = len(server.requests)
        again = run_shard("1/3", server, "--json")
        assert len(server.requests) == asked
    (one,), (other,) = (json.loads(told.out)["judges"] for told in (first, again))
    assert {name: one[name] for name in ("asked", "judged", "mean")} == {
        name: other[name] for name in ("asked", "judged", "mean")
    }
    assert json.loads(again.out)["shard"] == {"number": 1, "of": 3}
    assert judged(where)[0].state == "interrupted"


def test_shards_at_once_judge_each_case_once_under_one_limit(cases, where):
    async def work(server):
        shards = (
            library.aevaluate(
                cases,
                "relevance",
                model="openai:x",
                base_url=server.openai_url,
                store=where,
                name="nightly",
                shard=shard,
                max_calls=40,
                rpm=100_000,
                jobs=4,
            )
            for shard in SHARDS
        )
        return await asyncio.gather(*shards)

    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        runs = asyncio.run(work(server))
        assert 30 <= len(server.requests) <= 40
        assert sum(run.partial is not None for run in runs) >= 1
        assert {run.name for run in runs} == {"nightly"}
        assert "SHARD 1 of 3" in runs[0].report().to_markdown()
    run, found = judged(where)
    assert run.state == "limit_reached"
    assert Counter(found).most_common(1)[0][1] == 1


def test_what_failed_is_asked_again_by_its_own_shard_only(run_shard, where):
    works = False
    with ModelServer(handler=lambda _: ServerReply(text=GOOD, status=200 if works else 400)) as server:
        for shard in SHARDS[:2]:
            assert run_shard(shard, server).code == 3
        with closing(open_store(where)) as store:
            failed = {judgement.case_id for judgement in store.judgements("nightly")}
        works = True
        assert run_shard("2/3", server).code == 0
    with closing(open_store(where)) as store:
        after = {judgement.case_id: judgement.outcome.kind for judgement in store.judgements("nightly")}
    mine = Shard(2, 3)
    assert {case_id for case_id, kind in after.items() if kind == "scored"} == {
        f"c{n}" for n in range(ROWS) if mine.holds(f"c{n}")
    }
    assert {case_id for case_id in failed if not mine.holds(case_id)} == {
        case_id for case_id, kind in after.items() if kind == "call_failed"
    }


def test_a_shard_that_is_being_judged_names_its_driver_and_keeps_the_run(run_shard, cases, where, adjudge):
    class Client:
        name = "openai:x"
        base_url = "http://localhost"

        def __init__(self):
            self.begun, self.gate = threading.Event(), asyncio.Event()

        async def complete(self, request):
            del request
            self.begun.set()
            await self.gate.wait()
            return Completion(text=GOOD)

        async def close(self):
            pass

    async def work():
        client = Client()
        keywords = {"judges": "relevance", "model": client, "store": where, "name": "nightly"}
        first = asyncio.create_task(library.aevaluate(cases, **keywords, shard="1/2"))
        await asyncio.to_thread(client.begun.wait)
        with pytest.raises(RunInUseError, match=f"shard 1/2 of run nightly: process {os.getpid()} on"):
            await library.aevaluate(cases, **keywords, shard="1/2")
        second = asyncio.create_task(library.aevaluate(cases, **keywords, shard="2/2"))
        with closing(open_store(where)) as store:
            assert store.find_run("nightly").state == "running"
        removed = await asyncio.to_thread(adjudge, "runs", "--store", where, "rm", "nightly")
        client.gate.set()
        return removed, await first, await second

    removed, first, second = asyncio.run(work())
    assert removed.code == 2
    assert f"process {os.getpid()} on {platform.node()}" in removed.err
    assert len(first) + len(second) == ROWS
    assert judged(where)[0].state == "finished"


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("shard", "more", "name", "told"),
    [
        ("0/3", (), "n", "is not of the form K/N"),
        ("4/3", (), "n", "is not of the form K/N"),
        ("1", (), "n", "is not of the form K/N"),
        ("a/b", (), "n", "is not of the form K/N"),
        ("1/3", (), None, "give all of them the same --name"),
        ("1/3", ("--fail-under", "relevance=3"), "n", "adjudge report NAME"),
    ],
)
def test_what_a_shard_cannot_do_is_said_before_anything_is_asked(run_shard, shard, more, name, told):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        found = run_shard(shard, server, *more, name=name)
        assert not server.requests
    assert found.code == 2
    assert told in " ".join(found.err.split())


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
def test_another_number_of_shards_is_another_run(run_shard):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        assert run_shard("1/3", server).code == 0
        for shard in ("1/4", None):
            found = run_shard(shard, server)
            assert found.code == 2
            assert "a run of that name exists, with different shards" in found.err


def test_from_python_a_shard_needs_a_store(cases):
    with pytest.raises(SettingsError, match="requires store="):
        library.evaluate(cases, "relevance", model=lambda _: GOOD, store=None, name="n", shard="1/2")


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
def test_a_run_that_was_judged_in_parts_is_removed_whole(run_shard, where, adjudge):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        assert run_shard("1/3", server).code == 0
    assert adjudge("runs", "--store", where, "rm", "nightly").code == 0
    with closing(open_store(where)) as store:
        assert (store.runs(), store.shards("nightly")) == ([], [])
