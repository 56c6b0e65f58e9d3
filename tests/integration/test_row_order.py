"""Rows come in the order of the cases, whatever order they were judged in, and without being held."""

import asyncio
import csv
import json
from contextlib import closing
from itertools import product

import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

import adjudge as library
from adjudge.dataset import read_cases
from adjudge.judges import load_judge
from adjudge.options import RunOptions
from adjudge.records import Completion
from adjudge.runs.plan import make_plan
from adjudge.runs.session import open_session
from adjudge.store import open_store
from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
COUNT = 40


def cases(count=COUNT):
    return [{"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(count)]


ALL = [row["id"] for row in cases()]


def ids(judgements):
    return [each.case_id for each in judgements]


class FirstIsLast:
    """The first request for the first case is answered when so many others are."""

    name = "test:client"

    def __init__(self, others=COUNT - 1, first="c0"):
        self.left = others
        self.first = first
        self.all = asyncio.Event()

    async def complete(self, request):
        if request.case_id == self.first:
            self.first = None
            await self.all.wait()
        else:
            self.left -= 1
            if self.left == 0:
                self.all.set()
        return Completion(text=GOOD)

    async def close(self):
        pass


class Eager(FirstIsLast):
    """Answers at once."""

    def __init__(self):
        super().__init__(first=None)


@pytest.fixture
def judge(where):
    """Judge rows as one run; what came out in order, and what was made, as it was made."""

    def judge(client, rows, *, stop_after=None, **options):
        async def collect():
            found, made = [], []

            def receive(judgement):
                made.append(judgement)
                if len(made) == stop_after:
                    session.stop("interrupted")
                    session.cancel()

            plan = make_plan(["relevance"], RunOptions(model=(client,), name="mine", jobs=8, store=where))
            async with open_session(plan, []) as session:
                await session.run(read_cases(rows), found.append, made=receive, **options)
            return found, made

        return asyncio.run(collect())

    return judge


def stored(where):
    with closing(open_store(where)) as store:
        assert store.check() == []
        return ids(store.judgements("mine"))


def test_rows_behind_a_slow_case_come_after_it_and_are_read_back_instead_of_held(judge, where):
    count = 300
    found, made = judge(FirstIsLast(count - 1), cases(count), max_held=10)
    assert ids(made)[-1] == "c0"
    assert ids(found) == [f"c{n}" for n in range(count)]
    assert stored(where) == ids(found)
    held = [each for each in found if each.calls[0].completion.text]  # what was read back has no texts
    assert len(held) <= 11
    assert {each.score for each in found} == {4}


def test_what_is_judged_is_reported_when_the_first_case_is_given_up_and_a_resumed_run_is_in_order(
    judge, where
):
    found, made = judge(FirstIsLast(), cases(), stop_after=20)
    assert "c0" not in ids(found)
    assert ids(found) == sorted(ids(found), key=ALL.index)
    assert {each.case_id for each in made} <= {each.case_id for each in found}
    before = len(made)
    found, made = judge(Eager(), cases())
    assert "c0" in ids(made)
    assert len(made) <= COUNT - before
    assert ids(found) == stored(where) == ALL


def test_a_pipe_that_comes_in_another_order_is_written_in_that_order(judge, where):
    judge(Eager(), cases(), stop_after=20)
    changed = cases()[30:] + cases()[2:30]  # the first two are not in it any more
    found, _ = judge(Eager(), changed)
    assert ids(found) == stored(where) == [row["id"] for row in changed] + ["c0", "c1"]


@pytest.mark.parametrize("store", [True, False])
def test_rows_from_python_are_in_the_order_of_cases_judges_and_repeats(tmp_path, store):
    relevance = load_judge("relevance")
    run = library.evaluate(
        cases(),
        [relevance, replace(relevance, name="again", hash="0" * 12)],
        model=FirstIsLast(),
        repeat=2,
        store=tmp_path / "store" if store else None,
    )
    wanted = list(product(ALL, ("relevance", "again"), (0, 1)))
    assert [(row["case_id"], row["judge"], row["repeat"]) for row in run.rows()] == wanted
    assert list(run.to_pandas()["case_id"]) == [case for case, _, _ in wanted]
    assert all(each.calls[0].completion.text for each in run)  # whole, though they had to wait


@pytest.mark.parametrize("piped", [False, True])
def test_files_and_standard_output_are_in_the_order_of_the_cases(tmp_path, adjudge, piped):
    text = "".join(json.dumps(row) + "\n" for row in cases())
    (tmp_path / "cases.jsonl").write_text(text)

    def answer(request):
        """The first case takes longest, on a machine that is not too busy."""
        return ServerReply(text=GOOD, delay_seconds=0.5 if "answer 0." in request.prompt else 0.0)

    files = ("rows.jsonl", "rows.csv", "rows.parquet", "rows.junit.xml")
    outputs = [flag for file in (*files, "-") for flag in ("-o", file)]
    with ModelServer(handler=answer) as server:
        flags = ("--judge", "relevance", "--model", "openai:x", "--base-url", server.openai_url, "-j", "4")
        done = adjudge(
            "run",
            "-" if piped else "cases.jsonl",
            *flags,
            "--name",
            "mine",
            *outputs,
            stdin=text if piped else "",
        )
    assert done.code == 0, done.err
    for lines in (done.out, (tmp_path / "rows.jsonl").read_text()):
        assert [json.loads(line)["case_id"] for line in lines.splitlines()] == ALL
    with (tmp_path / "rows.csv").open() as file:
        assert [row["case_id"] for row in csv.DictReader(file)] == ALL
    assert pq.read_table(tmp_path / "rows.parquet")["case_id"].to_pylist() == ALL
    junit = (tmp_path / "rows.junit.xml").read_text()
    assert sorted(ALL, key=lambda case: junit.index(f'"{case}"')) == ALL
    exported = adjudge("export", "mine", "-o", "-")
    assert [json.loads(line)["case_id"] for line in exported.out.splitlines()] == ALL
