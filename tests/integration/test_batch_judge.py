"""`BatchJudge`: batches in, the same batches with judgements out, inside engines that bring their own workers."""

import asyncio
import gc
import json
import os
import pickle
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import cloudpickle
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_client import RuleClient

import adjudge as library
from adjudge import BatchJudge, parse_judge
from adjudge.errors import DatasetError, InputError, ModelNameError, SettingsError, StoreError
from adjudge.store import open_store
from adjudge.store.places import split_password
from adjudge.testing import ModelServer, ServerReply

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "engines.md"
GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
ROWS = {
    "id": ["a", "b", "c"],
    "question": ["q", "q", None],
    "response": ["one", "seven", "three"],
}
SCORES = [4, 1, None]
TYPES = {
    "relevance_score": "double",
    "relevance_passed": "boolean",
    "relevance_outcome": "string",
    "relevance_reason": "string",
    "relevance_error": "string",
}


def by_length(fields, repeat):
    del repeat
    return {"reason": f"about {fields['response']}", "score": len(str(fields["response"])) % 5 + 1}


def rule_judge(**options):
    return BatchJudge("relevance", **{"model": RuleClient(by_length), "store": None} | options)


def batch_threads():
    return {thread for thread in threading.enumerate() if thread.name == "adjudge-batches"}


def numbered(count, first=0):
    numbers = range(first, first + count)
    return {
        "id": [f"c{n}" for n in numbers],
        "question": ["q"] * count,
        "response": [f"answer {n}." for n in numbers],
    }


def rows_of(batch):
    """As dicts, with None for what is missing."""
    if isinstance(batch, dict):
        batch = pd.DataFrame({name: pd.Series(list(column), dtype=object) for name, column in batch.items()})
    if isinstance(batch, pl.DataFrame):
        return batch.to_dicts()
    if isinstance(batch, pa.Table | pa.RecordBatch):
        return batch.to_pylist()
    frame = batch.astype(object)
    return frame.where(frame.notna(), None).to_dict("records")


KINDS = {
    "dict": dict,
    "numpy": lambda rows: {name: np.array(column, dtype=object) for name, column in rows.items()},
    "pandas": pd.DataFrame,
    "polars": lambda rows: pl.DataFrame(rows, schema=dict.fromkeys(rows, pl.String)),
    "arrow": lambda rows: pa.table(rows, schema=pa.schema(dict.fromkeys(rows, pa.string()))),
    "record batch": lambda rows: pa.RecordBatch.from_pydict(
        rows, schema=pa.schema(dict.fromkeys(rows, pa.string()))
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_kind_of_batch_comes_back_with_columns_behind_its_own(kind):
    batch = KINDS[kind](ROWS)
    with rule_judge() as judge:
        judged = judge(batch)
        assert judge.columns == TYPES
    assert type(judged) is type(batch)
    found = rows_of(judged)
    assert list(found[0]) == [*ROWS, *TYPES]
    assert [row["id"] for row in found] == ROWS["id"]
    assert [row["relevance_score"] for row in found] == SCORES
    assert [row["relevance_outcome"] for row in found] == ["scored", "scored", "missing_input"]
    assert [row["relevance_passed"] for row in found] == [True, False, None]
    assert found[0]["relevance_reason"] == "about one"
    assert "`question` is absent" in found[2]["relevance_error"]
    assert rows_of(batch) == rows_of(KINDS[kind](ROWS)), "the batch itself is left as it was"


def column_types(batch):
    if isinstance(batch, dict):
        return {name: getattr(column, "dtype", type(column)) for name, column in batch.items()}
    if isinstance(batch, pd.DataFrame):
        return dict(batch.dtypes)
    return (
        {name: str(kind) for name, kind in zip(batch.schema.names, batch.schema.types, strict=True)}
        if isinstance(batch, pa.Table | pa.RecordBatch)
        else batch.schema
    )


@pytest.mark.parametrize("kind", KINDS)
def test_types_of_columns_do_not_depend_on_what_is_in_them(kind):
    with rule_judge() as judge:
        all_good = judge(KINDS[kind]({name: column[:2] for name, column in ROWS.items()}))
        all_bad = judge(
            KINDS[kind]({name: column[2:] for name, column in ROWS.items()} | {"question": [None]})
        )
        none = judge(KINDS[kind]({name: [] for name in ROWS}))
    added = list(TYPES)
    types = [[column_types(each)[name] for name in added] for each in (all_good, all_bad, none)]
    assert types[0] == types[1] == types[2]


def test_pandas_keep_their_index_and_nullable_types():
    frame = pd.DataFrame(ROWS, index=[7, 7, 3])
    with rule_judge() as judge:
        judged = judge(frame)
    assert list(judged.index) == [7, 7, 3]
    assert [str(judged[name].dtype) for name in TYPES] == ["float64", "boolean", *["string"] * 3]


def test_no_row_asks_nobody_and_opens_nothing(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judge = BatchJudge("relevance", model="openai:x", store=tmp_path / "store.db")
    assert list(judge(pd.DataFrame(ROWS).iloc[:0])) == [*ROWS, *TYPES]
    assert judge({}) == {name: [] for name in TYPES}
    assert not (tmp_path / "store.db").exists()


# ---- any split, any order -------------------------------------------------------------------------------

VALUES = st.one_of(
    st.none(),
    st.text(max_size=8),
    st.floats(),
    st.integers(),
    st.booleans(),
    st.sampled_from(
        [
            np.float64("nan"),
            np.int64(3),
            np.str_("text"),
            pd.NA,
            pd.NaT,
            "\ud83d",
            "\x1b[2J<script>alert(1)</script>",
            "'); DROP TABLE judgements; --",
            "=HYPERLINK(1)",
            "../../etc/passwd",
            object,
            [],
        ]
    ),
)
TABLES = st.lists(
    st.fixed_dictionaries({"question": VALUES, "response": VALUES}, optional={"id": VALUES}), max_size=8
)


@pytest.fixture(scope="module")
def one_judge():
    with rule_judge() as judge:
        yield judge


def columns_of(rows):
    return {name: [row.get(name) for row in rows] for name in ("id", "question", "response")}


@given(TABLES, st.lists(st.integers(0, 8), max_size=3))
@settings(max_examples=60)
def test_any_split_into_batches_gives_the_same_rows(one_judge, rows, cuts):
    whole = one_judge(columns_of(rows))
    ends = sorted({0, len(rows), *(min(cut, len(rows)) for cut in cuts)})
    parts = [one_judge(columns_of(rows[a:b])) for a, b in pairwise(ends)]
    for name in TYPES:
        assert whole[name] == [value for part in parts for value in part[name]]
    assert set(whole["relevance_outcome"]) <= {"scored", "missing_input", "bad_row"}


def test_any_split_leaves_the_same_run_in_the_store(tmp_path):
    rows = [{"question": f"q{n % 3}", "response": f"r{n}"} for n in range(12)] + [
        {"question": "q", "response": float("inf"), "id": n} for n in range(2)
    ]
    runs = []
    for size in (1, 5, 14):
        where = tmp_path / f"{size}.db"
        with rule_judge(store=where) as judge:
            for first in reversed(range(0, 14, size)):
                judge(columns_of(rows[first : first + size]))
        with closing(open_store(where)) as store:
            (run,) = store.runs()
            runs.append((run.run_id, {(each.case_id, each.score) for each in store.judgements(run.run_id)}))
            assert run.judgements == 14
            assert store.check() == []
    assert runs[0] == runs[1] == runs[2]


def test_threads_of_an_engine_share_one_session(tmp_path):
    client = RuleClient(by_length)
    before = batch_threads()
    judge = rule_judge(model=client, store=tmp_path / "store.db")
    with ThreadPoolExecutor(8) as threads:
        judged = list(threads.map(lambda n: judge(numbered(5, first=5 * n)), range(16)))
    assert [batch["id"] for batch in judged] == [numbered(5, first=5 * n)["id"] for n in range(16)]
    assert {outcome for batch in judged for outcome in batch["relevance_outcome"]} == {"scored"}
    assert len(client.requests) == 80
    assert len(batch_threads() - before) == 1
    judge.close()
    assert batch_threads() == before


# ---- one run over all processes -------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-here-0123456789")
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        yield server


def served(server, where, **options):
    keywords = {"model": "openai:x", "base_url": server.openai_url, "store": where}
    return BatchJudge("relevance", **keywords | options)


def stored(where, name=None):
    with closing(open_store(where)) as store:
        run = store.find_run(name or "last")
        assert store.check() == []
        return run, list(store.judgements(run.run_id)), store.spending(run.run_id)


def asked(server):
    return Counter(request.prompt.split("answer ")[1].split(".")[0] for request in server.requests)


def test_all_processes_fill_one_run_and_nothing_is_paid_for_twice(server, where, adjudge):
    first = served(server, where, max_calls=1_000)
    second = served(server, where, max_calls=1_000)
    with first, second:
        first(numbered(20))
        assert second(numbered(20, first=10)) == second(numbered(20, first=10))
        first(numbered(20, first=10))
    assert set(asked(server).values()) == {1}
    run, judgements, spent = stored(where)
    assert Counter(each.case_id for each in judgements) == Counter(numbered(30)["id"])
    assert (run.state, run.driver, run.partial) == ("finished", None, None)
    assert spent.calls == 30
    told = adjudge("report", run.run_id, "--store", where)
    assert told.code == 0, told.err
    assert "of 0–5, 100 % pass" in told.out


def test_limits_hold_over_all_processes(server, where):
    made = served(server, where, max_calls=25, jobs=4)
    others = [served(server, where, max_calls=25, jobs=4) for _ in range(3)]
    with ThreadPoolExecutor(4) as threads:
        judged = list(threads.map(lambda n: (made, *others)[n % 4](numbered(10, first=10 * n)), range(8)))
    outcomes = Counter(outcome for batch in judged for outcome in batch["relevance_outcome"])
    assert set(outcomes) == {"scored", "not_asked"}
    assert outcomes["scored"] == len(server.requests) <= 25
    run, _, spent = stored(where)
    assert spent.calls == len(server.requests), (
        "what was drawn and not used was given back, before anything was closed"
    )
    left = 25 - spent.calls
    again = made(numbered(80))
    assert Counter(again["relevance_outcome"])["scored"] == 25
    assert len(server.requests) == spent.calls + left
    assert stored(where)[0].state == "interrupted"
    assert any("max_calls" in str(error) for error in again["relevance_error"])
    for judge in (made, *others):
        judge.close()
    assert run.run_id.startswith("batches-")


def test_what_failed_is_asked_again_and_takes_its_place_in_the_run(server, where):
    with served(server, where, max_calls=2, name="n") as judge:
        judge(numbered(5))
    with served(server, where, max_calls=100, name="n") as judge:
        assert set(judge(numbered(5))["relevance_outcome"]) == {"scored"}
    run, judgements, spent = stored(where, "n")
    assert {each.outcome.kind for each in judgements} == {"scored"}
    assert (len(judgements), spent.calls, run.state) == (5, 5, "finished")
    with (
        served(server, where, name="n", base_url="http://127.0.0.1:1/v1") as other,
        pytest.raises(SettingsError, match="different base_url"),
    ):
        other(numbered(1))


def test_another_answer_under_the_same_id_takes_the_place_of_the_first(where):
    with rule_judge(store=where) as judge:
        judge({"id": ["a"], "question": ["q"], "response": ["one"]})
        judge({"id": ["a"], "question": ["q"], "response": ["seven"]})
        judge({"id": ["a"], "question": ["q"], "response": ["seven"]})
    _, judgements, _ = stored(where)
    assert [(each.case_id, each.score) for each in judgements] == [("a", 1)]


def test_without_a_store_each_process_has_limits_of_its_own(server):
    with served(server, None, max_calls=3) as first, served(server, None, max_calls=3) as second:
        for judge in (first, second):
            outcomes = judge(numbered(5))["relevance_outcome"]
            assert Counter(outcomes) == {"scored": 3, "not_asked": 2}


def test_a_run_that_was_removed_is_an_error_once_and_then_made_again(tmp_path):
    where = tmp_path / "store.db"
    with rule_judge(store=where, name="n") as judge:
        judge(ROWS)
        with closing(open_store(where)) as store:
            store.remove_run("n")
        with pytest.raises(StoreError, match="there is no run n"):
            judge(numbered(1))
        assert judge(ROWS)["relevance_score"] == SCORES
    assert stored(where)[0].judgements == 4, "what was paid for meanwhile is kept"


def test_a_function_needs_a_name_for_its_run_where_replies_are_kept(tmp_path):
    def answer(prompt):
        del prompt
        return GOOD

    where = tmp_path / "store.db"
    with (
        BatchJudge("relevance", model=answer, store=where) as judge,
        pytest.raises(InputError, match="`adjudge_version`"),
    ):
        judge(ROWS)
    with BatchJudge("relevance", model=answer, store=where, name="n") as judge:
        assert judge(ROWS)["relevance_score"] == [4, 4, None]


# ---- pickling -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=lambda each: each.__name__)
def test_it_can_be_pickled_before_and_after_its_first_batch(pickler, server, tmp_path, monkeypatch):
    (tmp_path / "own.txt").write_text('Is this good? {{response}}\nReply with JSON: {"good": true|false}')
    judges = ["relevance", "rubric", tmp_path / "own.txt"]
    judge = BatchJudge(
        judges, model="openai:x", base_url=server.openai_url, store="here.db", variables={"rubric": "r"}
    )
    copies = [pickle.loads(pickler.dumps(judge))]
    judge(ROWS)
    copies.append(pickle.loads(pickler.dumps(judge)))
    (tmp_path / "own.txt").unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for copy in copies:
        assert copy.columns == judge.columns
        assert copy(numbered(2)) == judge(numbered(2))
        copy.close()
    judge.close()
    assert len(stored(tmp_path / "here.db")[1]) == 15
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_function_as_model_travels_where_its_pickler_can_take_it():
    answers = [GOOD]
    judge = BatchJudge("relevance", model=lambda prompt: answers[0], store=None)
    copy = pickle.loads(cloudpickle.dumps(judge))
    assert copy(ROWS)["relevance_score"] == [4, 4, None]
    copy.close()


def test_no_key_and_no_password_is_in_the_pickle(server, database, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    url, password = split_password(database)
    with pytest.raises(SettingsError, match="PGPASSWORD"):
        pickle.dumps(served(server, database))
    with pytest.raises(SettingsError, match="holds a secret"):
        pickle.dumps(
            served(server, None, parameters={"extra_headers": {"Authorization": "Bearer sk-secret-1"}})
        )
    monkeypatch.setenv("PGPASSWORD", password)
    judge = served(server, url)
    judge(numbered(1))
    pickled = cloudpickle.dumps(judge) + repr(judge).encode()
    judge.close()
    assert b"sk-secret" not in pickled
    assert password.encode() not in pickled


# ---- columns --------------------------------------------------------------------------------------------


def test_each_judge_and_each_repeat_has_columns_of_its_own(tmp_path):
    same = parse_judge("---\nname: same\ncheck: exact\n---\n", name="same")
    with BatchJudge(
        ["relevance", same], model=RuleClient(by_length), store=tmp_path / "s.db", repeat=2
    ) as judge:
        judged = judge(ROWS | {"reference": ["one", "two", "three"]})
    names = [f"{name}_{part}_{n}" for name in ("relevance", "same") for n in (1, 2) for part in ("score", "passed", "outcome", "reason", "error")]  # fmt: skip
    assert list(judged)[4:] == names == list(judge.columns)
    assert judged["relevance_score_2"] == SCORES
    assert judged["same_passed_1"] == [True, False, True]


def test_a_jury_has_one_verdict_and_its_votes_are_kept(tmp_path):
    jurors = [RuleClient(by_length), RuleClient(lambda fields, repeat: {"reason": "", "score": 2})]
    jurors[1].name = "rule:other"
    with rule_judge(model=jurors, jury="mean", store=tmp_path / "s.db") as judge:
        assert judge(ROWS)["relevance_score"] == [3, 1.5, None]
    assert len(stored(tmp_path / "s.db")[1]) == 9


def test_what_a_model_says_is_safe_in_every_kind_of_batch():
    hostile = "half \ud83d, nul \x00, \x1b[2J, =1+1"
    rule = RuleClient(lambda fields, repeat: json.dumps({"reason": hostile, "score": 3}))
    with rule_judge(model=rule) as judge:
        found = {kind: rows_of(judge(make(ROWS)))[0]["relevance_reason"] for kind, make in KINDS.items()}
    assert len(set(found.values())) == 1
    assert "nul \x00" in found["arrow"]
    assert "\ud83d" not in found["arrow"]


def test_columns_are_read_under_other_names():
    with rule_judge(columns={"response": "answer"}) as judge:
        judged = judge({"question": ["q"], "answer": ["seven"], "response_time": [np.float64(0.5)]})
    assert judged["relevance_score"] == [1]


def test_strict_raises_at_the_first_bad_row():
    with rule_judge(strict=True) as judge, pytest.raises(DatasetError, match="finite number"):
        judge({"question": ["q"], "response": [float("inf")]})


# ---- what cannot be ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("batch", "problem"),
    [
        ({"question": "q", "response": "r"}, "as a single row is"),
        ({"question": ["q"], "response": ["r", "s"]}, "differ in length"),
        (pd.DataFrame(ROWS | {"relevance_score": [1, 2, 3]}), "'relevance_score' already"),
        (pd.DataFrame([["q", "r"]], columns=["x", "x"]), "'x' more than once"),
        (pl.LazyFrame(ROWS), "map_batches"),
        ([ROWS], "a dict of columns"),
        ("cases.jsonl", "a dict of columns"),
    ],
    ids=range(7),
)
def test_what_is_no_batch_is_an_error_that_says_what_is(batch, problem, one_judge):
    with pytest.raises(DatasetError) as error:
        one_judge(batch)
    assert problem in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {"against": "b.jsonl"},
        {"cascade": "embedded,openai:x", "labels": "cases"},
        {"shard": "1/2", "name": "n"},
        {"engine": "ray"},
        {"workers": 2},
        {"batch": True},
        {"detach": True},
        {"first": 3},
        {"sample": 3},
        {"turns": "each"},
        {"deadline": 5.0},
        {"model": "replay"},
        {"model": ["openai:x", "openai:y"]},
        {"jobs": 0},
        {"retry": ["scored"]},
        {"columns": {"no_such_input": "x"}},
    ],
    ids=" ".join,
)
def test_an_option_that_batches_cannot_have_is_an_error_where_it_is_written(options):
    with pytest.raises(InputError) as error:
        BatchJudge("relevance", **{"model": "openai:x"} | options)
    named = next(reversed([name for name in options if name not in {"labels", "name"}]))
    assert f"{named}=" in str(error.value)


def test_a_wrong_judge_model_or_keyword_is_an_error_where_it_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="relevance"):
        BatchJudge("relevanse", model="openai:x")
    with pytest.raises(TypeError, match=r"BatchJudge\(\) got an unexpected keyword argument 'modle'"):
        BatchJudge("relevance", modle="openai:x")
    with pytest.raises(ModelNameError, match="no model was given"):
        BatchJudge(parse_judge('Good? {{response}}\nReply with JSON: {"good": true|false}', name="own"))


def test_all_workers_ask_the_model_that_the_first_process_was_told(monkeypatch):
    monkeypatch.setenv("ADJUDGE_MODEL", "openai:first")
    sent = pickle.dumps(BatchJudge("relevance", store=None))
    monkeypatch.setenv("ADJUDGE_MODEL", "openai:other")
    assert repr(pickle.loads(sent)) == "<BatchJudge relevance by openai:first>"


def test_no_key_is_an_error_with_the_first_batch(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    judge = BatchJudge("relevance", model="openai:x", store=tmp_path / "s.db")
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        judge(ROWS)
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        assert judge(ROWS)["relevance_score"] == [4, 4, None]
    judge.close()


def test_a_service_that_refuses_everything_gives_rows_and_no_exception(server, tmp_path):
    del server
    with ModelServer(replies=ServerReply(status=401, text="no")) as refusing:
        with served(refusing, tmp_path / "s.db", jobs=2) as judge:
            judged = judge(numbered(60))
        assert len(refusing.requests) < 60
    assert set(judged["relevance_outcome"]) == {"call_failed", "not_asked"}
    assert judged["relevance_score"] == [None] * 60
    assert None not in judged["relevance_error"]
    assert stored(tmp_path / "s.db")[0].state == "interrupted"


# ---- opening and closing --------------------------------------------------------------------------------


def test_it_closes_when_it_is_no_longer_used_and_opens_again_when_it_is(tmp_path):
    before = batch_threads()
    judge = rule_judge(store=tmp_path / "s.db")
    judge.close()
    assert batch_threads() == before
    judge(ROWS)
    assert len(batch_threads() - before) == 1
    judge.close()
    judge.close()
    assert batch_threads() == before
    assert judge(ROWS)["relevance_score"] == SCORES
    del judge
    gc.collect()
    assert batch_threads() == before


def test_a_forked_process_opens_what_it_needs_itself(monkeypatch):
    with rule_judge() as judge:
        judge(ROWS)
        pid, before = os.getpid(), batch_threads()
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: pid + 1)
            assert judge(ROWS)["relevance_score"] == SCORES
            assert len(batch_threads() - before) == 1
            judge.close()
    assert batch_threads() == before, "that of the parent is not the child's to end"


def test_it_works_inside_a_running_event_loop():
    async def main():
        with rule_judge() as judge:
            return judge(ROWS)

    assert asyncio.run(main())["relevance_score"] == SCORES


# ---- engines --------------------------------------------------------------------------------------------


def test_frames_in_frames_out_as_spark_map_in_pandas_calls_it(tmp_path):
    judge = rule_judge(store=tmp_path / "s.db")
    sent = pickle.loads(cloudpickle.dumps(lambda frames: map(judge, frames)))
    frame = pd.DataFrame(numbered(10))
    frames = sent(iter([frame.iloc[:4], frame.iloc[4:4], frame.iloc[4:]]))
    first = next(frames)
    assert list(first["id"]) == ["c0", "c1", "c2", "c3"]
    rest = list(frames)
    assert [len(each) for each in rest] == [0, 6]
    assert all(list(each.dtypes) == list(first.dtypes) for each in rest)
    del sent, frames
    assert set(pd.concat([first, *rest])["relevance_outcome"]) == {"scored"}


def test_dask_map_partitions(server, tmp_path):
    dask_frames = pytest.importorskip("dask.dataframe")
    judge = served(server, tmp_path / "s.db")
    frame = dask_frames.from_pandas(pd.DataFrame(numbered(40)), npartitions=4)
    judged = frame.map_partitions(judge, meta=judge(frame._meta))
    assert not server.requests, "nothing is asked before it is computed"
    found = judged.compute(scheduler="threads")
    assert list(found["id"]) == numbered(40)["id"]
    assert dict(found.dtypes) == dict(judged.dtypes)
    assert set(found["relevance_score"]) == {4.0}
    assert set(asked(server).values()) == {1}
    with pytest.raises(DatasetError, match="map_partitions"):
        judge(frame)
    judge.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # Ray's own
def test_ray_data_map_batches(server, tmp_path, monkeypatch):
    """As the guide shows it."""
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    where = str(tmp_path / "s.db")
    shown = {
        "adjudge": library,
        "cases": pd.DataFrame(numbered(40)),
        "options": {
            "model": "openai:x",
            "base_url": server.openai_url,
            "store": where,
            "max_calls": 100,
        },
    }
    (code,) = re.findall(
        r"^```py\n(import ray\n.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    ray.init(
        address="local",
        num_cpus=1,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=80_000_000,
    )
    try:
        exec(code.replace('"correctness"', '"relevance"'), shown)
    finally:
        ray.shutdown()
    found = shown["frame"]
    assert sorted(found["id"]) == sorted(numbered(40)["id"])
    assert set(found["relevance_score"]) == {4.0}
    assert set(asked(server).values()) == {1}
    run, judgements, spent = stored(where)
    assert (len(judgements), spent.calls, run.state) == (40, 40, "finished")
