"""What every store does, over SQLite and Postgres alike."""

import re
import threading
from contextlib import closing
from datetime import timedelta

import pytest
from msgspec.structs import replace

from adjudge.dataset import read_cases
from adjudge.errors import InputError, StoreError
from adjudge.records import BadRow, Case, Failed, Place
from adjudge.store import Driver, EndRun, JudgementKey, PlaceJudgement, StartRun, open_store
from adjudge.store.packing import COLUMN_CHARS, MODEL_CHARS


def ids(store, run_id="r1"):
    return [judgement.case_id for judgement in store.judgements(run_id)]


# ---- judgements and completions ----


def test_a_judgement_is_shown_whole_with_what_was_asked_and_answered(store, make):
    completion, judgement = make.pair("c1")
    store.write([make.run(), make.judge(), completion, judgement])
    assert store.judgement("r1", "c1") == [judgement.judgement]
    assert store.judgement("r1", "c1", "relevance", "openai:m", 0) == [judgement.judgement]
    assert store.judgement("r1", "c1", "other") == []
    assert store.judgement("r1", "c1", model="openai:other") == []
    assert store.judgement("r1", "c1", repeat=1) == []
    assert store.judgement("r2", "c1") == []
    assert store.case("r1", "c1") == judgement.case
    assert store.judge_text("abcdef123456") == ("relevance", "Rate {{response}}")
    assert store.check() == []


@pytest.mark.parametrize("prefix", ["m", "scripted:/" + "folder/" * 20])
def test_two_models_of_a_run_judge_a_case_side_by_side(store, make, prefix):
    names = [f"{prefix}-{number}" for number in (1, 2)]
    pairs = [make.pair("c1", model=name, position=at, reply=name) for at, name in enumerate(names)]
    store.write([make.run(), make.judge(), *(write for pair in pairs for write in pair)])
    made = [pair[1].judgement for pair in pairs]
    assert store.judgement("r1", "c1") == list(store.judgements("r1", with_calls=True)) == made
    for name, judgement in zip(names, made, strict=True):
        assert store.judgement("r1", "c1", model=name) == [judgement]
        assert judgement.calls[0].completion.text == name
    keys = [JudgementKey("c1", "relevance", name, 0) for name in names]
    assert store.done_among("r1", ["c1"]) == {keys[0]: 0, keys[1]: 1}
    assert [each.model for each in store.listed("r1")] == names
    assert [each.model for each in store.same_case("c1")] == names
    store.write([PlaceJudgement(run_id="r1", key=keys[0], position=7), *pairs[1]])
    assert [each.model for each in store.judgements("r1")] == names[::-1]
    store.write(make.pair("c1", model=f"{prefix}-3", outcome=Failed(kind="call_failed", message="gone")))
    assert store.remove_judgements("r1", ["call_failed"]) == 1
    assert [each.model for each in store.judgements("r1", with_calls=True)] == names[::-1]
    assert store.check() == []


def test_a_jurys_judgements_go_with_the_votes_that_are_judged_again(store, make):
    jury = "jury:median(" + ",".join(["scripted:" + "m" * 900] * 2) + ")"
    gone = Failed(kind="call_failed", message="gone")
    for case_id, outcome in (("c1", {}), ("c2", {"outcome": gone})):
        store.write([
            make.run(),
            make.judge(),
            *make.pair(case_id, model="m1"),
            *make.pair(case_id, model="m2", **outcome),
            replace(make.pair(case_id, model=jury)[1], calls=()),
        ])  # fmt: skip
    assert store.remove_computed("r1", jury, ["call_failed", "not_asked"]) == 1
    assert {(each.case_id, each.model) for each in store.judgements("r1")} == {
        ("c1", "m1"), ("c1", "m2"), ("c1", jury), ("c2", "m1"), ("c2", "m2"),
    }  # fmt: skip
    assert store.remove_computed("r1", jury, None) == 1
    assert store.remove_computed("r1", jury, None) == 0
    assert store.check() == []


@pytest.mark.parametrize("row", [{"output_1": "A", "output_2": "B"}, {"responses": ["A", "B", "C" * 2_000]}])
def test_a_case_comes_back_with_all_its_responses(store, make, row):
    (case,) = read_cases([{"id": "c1", "question": "q", **row}])
    completion, judgement = make.pair("c1")
    case = replace(case, place=judgement.judgement.place)
    store.write([make.run(), completion, replace(judgement, case=case)])
    assert store.case("r1", "c1") == case
    assert store.case("r1", "c1").responses == case.responses != ()


def test_streamed_judgements_carry_their_cost_and_texts_only_when_asked(store, make):
    completion, judgement = make.pair("c1")
    store.write([make.run(), completion, judgement])
    (light,) = store.judgements("r1")
    assert (light.cost, light.usage, light.latency_ms, light.model_snapshot) == (
        judgement.judgement.cost,
        judgement.judgement.usage,
        150.5,
        "m-2026",
    )
    assert light.calls[0].completion.text == ""
    assert not light.from_store
    assert list(store.judgements("r1", with_calls=True)) == [judgement.judgement]


def test_judgements_stream_over_many_pages_in_the_order_they_were_made(store, make):
    names = [f"c{number * 7919 % 1301}" for number in range(1301)]
    pairs = [make.pair(name) for name in names]
    for start in range(0, len(pairs), 400):
        store.write([write for pair in pairs[start : start + 400] for write in pair])
    assert ids(store) == names
    whole = list(store.judgements("r1", with_calls=True))
    assert [found.calls[0].request.prompt for found in whole] == [
        judgement.judgement.calls[0].request.prompt for _, judgement in pairs
    ]
    assert len(store.find_completions([make.pair(name)[0].key for name in names])) == len(names)


def test_streams_do_not_hold_up_writers(store, make):
    store.write([write for number in range(600) for write in make.pair(f"c{number}")])
    stream = store.judgements("r1")
    next(stream)
    store.write(make.pair("later"))
    assert "later" in [judgement.case_id for judgement in stream]


def test_the_first_judgement_of_a_case_counts_and_a_second_leaves_no_trace(store, make):
    first = make.pair("c1")
    store.write(first)
    second = make.pair("c1", reply="another", version=2)
    again = replace(second[1], calls=((second[0].key, 2), (second[0].key, 1)))
    other = make.pair("c2")
    store.write([second[0], again, *other, *other])
    assert ids(store) == ["c1", "c2"]
    assert store.judgement("r1", "c1") == [first[1].judgement]
    assert [problem for problem in store.check() if "call" in problem] == []


def test_a_judgement_stored_twice_in_one_batch_is_one(store, make):
    completion, judgement = make.pair("c1")
    store.write([completion, judgement, replace(judgement, calls=())])
    assert store.judgement("r1", "c1") == [judgement.judgement]


def test_the_latest_version_of_a_completion_counts_and_none_is_overwritten(store, make):
    first, judgement = make.pair("c1", reply="first")
    second, later = make.pair("c1", run_id="r2", reply="second", version=2)
    store.write([first, judgement])
    store.write([second, later])
    store.write([make.pair("c1", reply="not taken", version=2)[0]])
    found = store.find_completions([first.key, make.key("absent")])
    assert found.keys() == {first.key}
    assert (found[first.key].version, found[first.key].completion.text) == (2, "second")
    assert found[first.key].completion.from_store
    assert (found[first.key].completion.key, found[first.key].completion.version) == (first.key, 2)
    assert found[first.key].at == make.at
    assert store.judgement("r1", "c1")[0].calls[0].completion.text == "first"
    assert store.judgement("r2", "c1")[0].calls[0].completion.text == "second"


def test_one_completion_serves_many_judgements_and_one_judgement_has_many_calls(store, make):
    one, first = make.pair("c1")
    two, second = make.pair("c2")
    shared = replace(
        second,
        judgement=replace(second.judgement, calls=(*first.judgement.calls, *second.judgement.calls)),
        calls=(*first.calls, *second.calls),
    )
    store.write([one, two, first, shared])
    found = store.judgement("r1", "c2")[0]
    assert [call.completion.text for call in found.calls] == [
        '{"score": 4, "of": "c1"}',
        '{"score": 4, "of": "c2"}',
    ]
    assert found.cost == 2 * first.judgement.cost
    (again,) = store.find_judgements([second.reuse_key]).values()
    assert [(call.completion.key, call.completion.version) for call in again.calls] == [
        *first.calls,
        *second.calls,
    ]


def test_what_a_judgement_paid_for_a_shared_completion_is_its_own(store, make):
    completion, judgement = make.pair("c1")
    call = judgement.judgement.calls[0]
    free = replace(
        call, completion=replace(call.completion, cost=0 * call.completion.cost, notes=("shared",))
    )
    store.write([completion, replace(judgement, judgement=replace(judgement.judgement, calls=(free,)))])
    assert store.judgement("r1", "c1")[0].cost == 0
    assert store.judgement("r1", "c1")[0].calls[0].completion.text == call.completion.text
    assert store.find_completions([completion.key])[completion.key].completion.cost == call.completion.cost


def test_an_earlier_judgement_is_found_by_its_reuse_key_in_any_run_the_latest_first(store, make):
    old = make.pair("c1", run_id="r1")
    new = make.pair("c1", run_id="r2", outcome=Failed(kind="unreadable", message="no verdict"))
    store.write([*old, *make.pair("c2", reuse_key=None)])
    store.write(new)
    found = store.find_judgements([old[1].reuse_key, make.key("absent")])
    assert found.keys() == {old[1].reuse_key}
    judgement = found[old[1].reuse_key]
    assert judgement.outcome == new[1].judgement.outcome
    assert judgement.from_store
    assert judgement.calls[0].completion.key == old[0].key


def test_a_row_that_was_no_case_is_kept_without_one(store, make):
    _, judgement = make.pair("line-4", outcome=Failed(kind="bad_row", message="no JSON"))
    row = BadRow(case_id="line-4", place=Place(file="f", line=4), found="x", wanted="y")
    store.write([replace(judgement, case=row, calls=())])
    assert store.case("r1", "line-4") is None
    assert store.judgement("r1", "line-4")[0].outcome.kind == "bad_row"


HOSTILE = [
    "'; DROP TABLE judgements; --",
    "nul \0 byte",
    "half \ud83d pair",
    "%s ? {now} {bytes} \\u0000 \\",
    "x" * 20_000,
    "😀" * 3_000,
    "",
    "\u202egnitirw",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_texts_are_data(store, make, text):
    completion, judgement = make.pair(text, judge=f"judge {text}", reply=text, key=make.key("k"))
    judgement = replace(
        judgement,
        case=Case(
            case_id=text,
            columns={text: text},
            fields={"response": text},
            place=Place(file="cases.jsonl", line=3),
        ),
        judgement=replace(judgement.judgement, reason=text, model=text, notes=(text,), label=text),
    )
    store.write([make.run(), make.judge(name=text, text=text), completion, judgement, *make.pair("other")])
    assert store.judgement("r1", text, f"judge {text}") == [judgement.judgement]
    said = [(each.case_id, each.judge, each.repeat) for each in store.judgements("r1")]
    assert said == [(text, f"judge {text}", 0), ("other", "relevance", 0)]
    assert store.case("r1", text) == judgement.case
    assert store.find_completions([completion.key])[completion.key].completion.text == text
    assert store.judge_text("abcdef123456") == (text, text)
    assert store.check() == []


def test_names_of_the_greatest_length_fit_every_index(store, make):
    run_id, case_id, judge, model = (
        "".join(chr(0x10000 + number * 7919 % 50_000 + offset) for number in range(longest))
        for offset, longest in enumerate((COLUMN_CHARS, COLUMN_CHARS, COLUMN_CHARS, MODEL_CHARS))
    )
    completion, judgement = make.pair(case_id, run_id=run_id, judge=judge, model=model)
    store.write([make.run(run_id, name=run_id), completion, judgement])
    assert store.judgement(run_id, case_id, judge, model) == [judgement.judgement]
    assert store.find_run(run_id).run_id == run_id


def test_odd_numbers_do_not_stop_a_batch(store, make):
    completion, judgement = make.pair("c1")
    usage = replace(completion.completion.usage, input=2**80)
    odd = replace(completion.completion, usage=usage, latency_ms=float("inf"))
    call = replace(judgement.judgement.calls[0], completion=odd)
    store.write(
        [
            replace(completion, completion=odd),
            replace(
                judgement, judgement=replace(judgement.judgement, calls=(call,), normalized=float("inf"))
            ),
        ]
    )
    (found,) = store.judgements("r1")
    assert found.usage.input == 2**80
    assert found.normalized == float("inf")
    assert store.find_completions([completion.key])[completion.key].completion.usage.input is None


def test_all_of_a_batch_is_stored_or_nothing(store, make):
    with pytest.raises(StoreError, match="there is no run"):
        store.write([make.run(), *make.pair("c1"), EndRun(run_id="absent", state="finished", at=make.at)])
    assert store.runs() == []
    assert ids(store) == []
    assert store.find_completions([make.pair("c1")[0].key]) == {}
    store.write([make.run(), *make.pair("c1")])
    assert ids(store) == ["c1"]


def test_nothing_to_do_is_done(store):
    store.write([])
    assert store.find_completions([]) == {}
    assert store.find_judgements([]) == {}
    assert list(store.judgements("absent")) == []
    assert store.find_run("last") is None
    assert store.find_run("") is None
    assert store.judge_text("absent") is None
    assert store.remove_run("absent") == 0


def test_what_was_stored_is_there_after_opening_again(where, make):
    with closing(open_store(where)) as store:
        store.write([make.run(), make.judge(), *make.pair("c1")])
    with closing(open_store(where, create=False)) as store:
        assert store.judgement("r1", "c1") == [make.pair("c1")[1].judgement]
        assert store.check() == []


def test_without_create_a_missing_store_is_not_made(where):
    for _ in range(2):
        with pytest.raises(StoreError, match="there is no store"):
            open_store(where, create=False)


# ---- runs ----


def test_runs_are_listed_latest_first_with_their_counts(store, make):
    store.write([make.run("r1", name="nightly", plan={"judges": ["a"]}), make.run("r2", started=5)])
    store.write([*make.pair("c1"), *make.pair("c2")])
    store.write([EndRun(run_id="r1", state="finished", at=make.at + timedelta(minutes=1))])
    latest, first = store.runs()
    assert (latest.run_id, latest.name, latest.state, latest.judgements, latest.finished_at) == (
        "r2", None, "running", 0, None,
    )  # fmt: skip
    assert (first.run_id, first.name, first.state, first.judgements) == ("r1", "nightly", "finished", 2)
    assert first.plan == {"judges": ["a"]}
    assert first.started_at == make.at
    assert first.finished_at == make.at + timedelta(minutes=1)


def test_a_run_is_found_by_name_id_start_of_id_or_as_the_last(store, make):
    store.write(
        [make.run("abc123", name="nightly"), make.run("abd456", started=9), make.run("a%_", name="last%")]
    )
    for reference, run_id in (
        ("nightly", "abc123"),
        ("abc123", "abc123"),
        ("abc", "abc123"),
        ("last", "abd456"),
        ("a%", "a%_"),
        ("last%", "a%_"),
    ):
        assert store.find_run(reference).run_id == run_id
    assert store.find_run("_bc") is None
    assert store.find_run("zzz") is None
    with pytest.raises(InputError, match=r"abd456, .*abc123|abc123, .*abd456"):
        store.find_run("ab")


def test_a_run_started_again_resumes_with_its_plan(store, make):
    store.write([make.run("r1", name="n", plan={"first": 1})])
    store.write([EndRun(run_id="r1", state="interrupted", at=make.at)])
    store.write([make.run("r1", name="n", plan={"second": 2}, started=60)])
    (run,) = store.runs()
    assert (run.state, run.plan, run.started_at, run.finished_at) == ("running", {"first": 1}, make.at, None)


def test_a_name_belongs_to_one_run(store, make):
    store.write([make.run("r1", name="nightly")])
    with pytest.raises(StoreError, match="belongs to run r1"):
        store.write([make.run("r2", name="nightly")])
    assert [run.run_id for run in store.runs()] == ["r1"]


def test_a_run_name_without_end_is_refused(store, make):
    with pytest.raises(InputError, match="characters"):
        store.write([make.run("r1", name="n" * 5_000)])


def test_removing_a_run_keeps_what_was_paid_for(store, make):
    store.write([make.run("r1"), make.run("r2"), make.judge()])
    store.write([*make.pair("c1"), *make.pair("c2"), make.pair("c1", run_id="r2")[1]])
    assert store.remove_run("r1") == 2
    assert [run.run_id for run in store.runs()] == ["r2"]
    assert ids(store) == []
    assert store.find_completions([make.pair("c2")[0].key]) != {}
    assert store.judgement("r2", "c1") == [make.pair("c1", run_id="r2")[1].judgement]
    assert store.check() == []


def test_vacuum_drops_texts_nothing_refers_to_and_gives_space_back(store, make):
    store.write([make.run(), make.run("r2"), make.judge()])
    store.write(
        [
            replace(
                make.pair(f"c{number}")[1],
                calls=(),
                case=Case(case_id=f"c{number}", columns={"text": f"{number} " * 2_000}, fields={}),
            )
            for number in range(300)
        ]
    )
    pairs = [make.pair(f"p{number}", run_id="r2") for number in range(20)]
    for pair in pairs:  # each in a transaction of its own: their prompts are kept as differences to the first
        store.write(pair)
    store.remove_run("r1")
    before, after = store.vacuum()
    assert after < before
    assert store.check() == []
    assert list(store.judgements("r2", with_calls=True)) == [judgement.judgement for _, judgement in pairs]
    assert store.case("r2", "p3") == pairs[3][1].case
    store.write(make.pair("p0", run_id="r3"))
    assert store.judgement("r3", "p0") == [make.pair("p0", run_id="r3")[1].judgement]


# ---- the lock on a run ----


def test_a_run_is_locked_by_one_until_it_is_released(store):
    held = store.lock_run("r1")
    assert held.is_held()
    assert store.lock_run("r1") is None
    store.lock_run("r2").release()
    held.release()
    again = store.lock_run("r1")
    assert again.is_held()
    again.release()


def test_a_run_is_running_only_while_its_lock_is_held(store, make):
    run = make.run("r1").run
    driver = Driver(host="here", pid=1, since=make.at)
    held = store.lock_run("r1")
    store.write([StartRun(run=replace(run, driver=driver)), make.run("r2")])
    assert store.find_run("r1").state == "running"
    held.release()
    assert store.find_run("r1").state == "interrupted"
    states = {found.run_id: found.state for found in store.runs()}
    assert states == {"r1": "interrupted", "r2": "running"}  # of r2 nobody knows who drove it
    store.lock_run("r1").release()  # looking has left nothing locked


def test_of_many_who_lock_a_run_at_once_one_gets_it(where):
    with closing(open_store(where)):
        pass
    got = []
    start, end = threading.Barrier(6), threading.Barrier(6)

    def lock():
        with closing(open_store(where)) as store:
            start.wait()
            held = store.lock_run("r1")
            end.wait()
            if held is not None:
                got.append(held)
                held.release()

    threads = [threading.Thread(target=lock) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1


# ---- many at once ----


def test_many_threads_may_use_one_store(store, make):
    faults = []

    def work(worker):
        try:
            for number in range(20):
                name = f"w{worker}-{number}"
                store.write(make.pair(name))
                assert store.find_completions([make.pair(name)[0].key])
                assert len(ids(store)) > number
        except Exception as error:  # noqa: BLE001 - shown below
            faults.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(set(ids(store))) == 80


def test_stores_that_keep_the_same_things_at_once_keep_each_once(where, make):
    """Same texts, completions and judgements, in opposite orders: where a database would lock both up."""
    with closing(open_store(where)) as store:
        store.write([make.run(), make.judge()])
    faults = []
    start = threading.Barrier(4)

    def work(worker):
        try:
            with closing(open_store(where)) as store:
                start.wait()
                for block in range(5):
                    pairs = [make.pair(f"c{block}-{number}") for number in range(30)]
                    store.write([write for pair in pairs[:: 1 if worker % 2 else -1] for write in pair])
        except Exception as error:  # noqa: BLE001 - shown below
            faults.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with closing(open_store(where)) as store:
        assert len(ids(store)) == len(set(ids(store))) == 150
        assert store.check() == []


def test_stores_opened_at_once_where_there_is_none_make_one(where, make):
    faults = []
    start = threading.Barrier(6)

    def work(worker):
        try:
            start.wait()
            with closing(open_store(where)) as store:
                store.write(make.pair(f"c{worker}"))
        except Exception as error:  # noqa: BLE001 - shown below
            faults.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with closing(open_store(where)) as store:
        assert len(ids(store)) == 6


# ---- damage ----


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("DELETE FROM runs", "lacks its run"),
        ("DELETE FROM judges", "lacks its judge"),
        ("DELETE FROM completions", "lacks its completion"),
        ("DELETE FROM judgements", "lacks its judgement"),
        (
            "DELETE FROM texts WHERE hash IN (SELECT prompt_hash FROM completions)",
            "lacks the text of its prompt",
        ),
        ("DELETE FROM texts WHERE hash IN (SELECT schema_hash FROM completions)", "lacks its schema"),
        ("DELETE FROM texts WHERE hash IN (SELECT case_hash FROM judgements)", "lacks its case"),
        ("DELETE FROM texts WHERE hash IN (SELECT text_hash FROM judges)", "lacks its text"),
    ],
)
def test_check_names_what_is_missing(store, make, damage, found):
    store.write([make.run(), make.judge(), *(w for n in range(9) for w in make.pair(f"c{n}"))])
    assert store.check() == []
    store.home.write(lambda session: session.change(damage))
    problems = store.check()
    assert any(found in problem for problem in problems), problems
    assert len(problems) < 30


def test_check_names_texts_and_judgements_that_changed(store, make):
    store.write([make.run(), make.judge(), *make.pair("c1")])

    def damage(session):
        session.change("UPDATE completions SET reply = ?", [b"\0other"])
        session.change("UPDATE texts SET data = ? WHERE hash IN (SELECT text_hash FROM judges)", [b"\0other"])
        session.change("UPDATE texts SET data = ? WHERE hash IN (SELECT case_hash FROM judgements)", [b"\1?"])
        session.change("UPDATE judgements SET body = ?", [b"\0{}"])

    store.home.write(damage)
    problems = "\n".join(store.check())
    assert re.search(r"^text [0-9a-f]{64} does not match its hash$", problems, re.MULTILINE)
    assert re.search(
        r"^the reply of completion [0-9a-f]{64}/1 does not match its hash$", problems, re.MULTILINE
    )
    assert "compressed bytes that cannot be read" in problems
    assert (
        "judgement r1/c1/relevance/openai:m/0: JSON that cannot be read (Object missing required field `outcome`)"
        in problems
    )
    with pytest.raises(StoreError, match="store check"):
        list(store.judgements("r1"))
    with pytest.raises(StoreError, match="store check"):
        store.case("r1", "c1")
