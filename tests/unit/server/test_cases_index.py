"""What the pages show is what the store holds when they are asked, whatever became of it since they were last asked."""

import sqlite3
import threading
from contextlib import closing
from datetime import timedelta

import pytest
from msgspec.structs import replace
from seeded_store import AT, make_row, seed_store

from adjudge.analysis.summary.stored import judges_of, report_of, tally_of
from adjudge.errors import StoreError
from adjudge.judges import built_in_judges
from adjudge.records import Failed
from adjudge.server.cases import index as indexes
from adjudge.server.cases.find import CaseFilter, find_cases
from adjudge.server.cases.index import CaseIndex
from adjudge.server.figures import RunFigures
from adjudge.server.runs_page import list_runs
from adjudge.store import EndRun, KeptLabel, StartRun, open_store

JUDGES = [judge for judge in built_in_judges() if judge.name in ("correctness", "relevance")]


class CountedReads:
    """A store that keeps what it was asked for."""

    def __init__(self, store):
        self.store = store
        self.asked = []

    def __getattr__(self, name):
        self.asked.append(name)
        return getattr(self.store, name)


class Pages:
    """What the pages would show."""

    def __init__(self, store):
        self.store = CountedReads(store)
        self.index = CaseIndex(self.store)
        self.figures = RunFigures(self.store)

    def cases(self, run_id="seeded", **wanted):
        record = self.store.store.find_run(run_id)
        return find_cases(self, record, CaseFilter(**{"size": 500, **wanted})).rows

    def report(self, run_id="seeded", slices=()):
        return self.figures.get(self.store.store.find_run(run_id), slices).report


@pytest.fixture
def store(tmp_path):
    with closing(open_store(tmp_path / "store")) as store:
        yield store


@pytest.fixture
def pages(store):
    made = Pages(store)
    yield made
    made.index.close()


def seed(tmp_path, rows=40, **more):
    return seed_store(tmp_path / "store", rows, **more)


def write_rows(store, numbers):
    store.write([write for number in numbers for write in make_row(number, JUDGES, run_id="seeded")])


def end(store, seconds=0):
    store.write([EndRun(run_id="seeded", state="finished", at=AT + timedelta(hours=2, seconds=seconds))])


def counted(store, slices=()):
    """As `adjudge report` counts it."""
    record = store.find_run("seeded")
    tally = tally_of(record, judges_of(store, record), slices=slices)
    for judgement in store.judgements("seeded"):
        tally.add(judgement)
    return report_of(store, record, tally)


def test_every_judgement_is_listed_and_the_figures_are_the_reports(tmp_path, store, pages):
    seed(tmp_path, 1_200)
    assert len(pages.cases()) == 500
    assert len(pages.cases(first=1_000)) == 200
    assert pages.report() == counted(store)
    assert pages.report(slices=("topic",)) == counted(store, ("topic",))
    assert pages.report(slices=None) == counted(store, ("language", "system", "topic"))


def test_what_was_read_once_is_not_read_again(tmp_path, pages):
    seed(tmp_path)
    first = (pages.cases(), pages.cases(q="billing"), pages.report())
    pages.store.asked.clear()
    assert (pages.cases(), pages.cases(q="billing"), pages.report()) == first
    assert set(pages.store.asked) <= {"entries_at", "labels_mark"}


def test_words_are_read_when_somebody_searches(tmp_path, pages):
    seed(tmp_path)
    pages.cases(sort="-latency")
    with pages.index.reading(pages.store.store.find_run("seeded")) as index:
        assert index.connection.execute("SELECT count(*) FROM words_docsize").fetchone() == (0,)
    assert len(pages.cases(q="billing")) == 6
    with pages.index.reading(pages.store.store.find_run("seeded")) as index:
        assert index.connection.execute("SELECT count(*) FROM words_docsize").fetchone() == (40,)


def test_a_live_run_is_shown_as_it_is_at_each_request(tmp_path, store, pages):
    seed(tmp_path, 10, state="running")
    assert len(pages.cases()) == 10
    assert pages.report() == counted(store)
    write_rows(store, range(10, 17))
    assert len(pages.cases()) == 17
    assert len(pages.cases(q="order")) == 17
    assert pages.report() == counted(store)
    pages.store.asked.clear()
    end(store)
    assert pages.report() == counted(store)
    assert len(pages.cases()) == 17
    write_rows(store, range(17, 19))
    assert len(pages.cases()) == 19
    assert pages.report() == counted(store)


def test_a_live_run_has_only_its_new_judgements_counted(tmp_path, store, pages):
    seed(tmp_path, 10, state="running")
    pages.report()
    write_rows(store, range(10, 17))
    numbers = []
    pages.store.judgements_after = lambda run_id, number: (
        numbers.append(number) or store.judgements_after(run_id, number)
    )
    assert pages.report() == counted(store)
    assert numbers == [10]


def test_columns_that_the_first_rows_do_not_suggest_are_sliced_by_all_the_same(
    tmp_path, store, pages, monkeypatch
):
    monkeypatch.setattr("adjudge.server.figures.FIRST_LOOK", 1)
    seed(tmp_path)
    found = pages.figures.get(store.find_run("seeded"))
    assert found.sliced == ("language", "system", "topic")
    assert found.report == counted(store, found.sliced)


def test_what_is_judged_again_takes_the_place_of_what_was_there(tmp_path, store, pages):
    seed(tmp_path, 100)
    failed = [row for row in pages.cases() if row.score is None]
    assert failed
    pages.report()
    store.remove_judgements("seeded", ["unreadable", "refused", "call_failed", "truncated", "missing_input"])
    assert len(pages.cases()) == 100 - len(failed)
    assert pages.report() == counted(store)


@pytest.mark.parametrize("rejudged", [1, 5])
@pytest.mark.parametrize("seen_meanwhile", [True, False])
def test_a_last_row_judged_again_under_its_number_is_seen(tmp_path, store, pages, rejudged, seen_meanwhile):
    seed(tmp_path, 33, state="running")
    (failed,) = [write for write in make_row(33, JUDGES, run_id="seeded") if hasattr(write, "judgement")]
    gone = Failed(kind="call_failed", message="gone")
    store.write(
        [replace(failed, judgement=replace(failed.judgement, outcome=gone, reason=None, passed=None))]
    )
    end(store)
    assert pages.cases(outcomes=("call_failed",))[-1].number == 34
    pages.report()
    store.write([StartRun(run=store.find_run("seeded"))])
    store.remove_judgements("seeded", ["call_failed"])
    if seen_meanwhile:
        pages.cases()
        pages.report()
    later = [
        replace(write, judgement=replace(write.judgement, at=AT + timedelta(hours=3)))
        if hasattr(write, "judgement")
        else write
        for number in range(33, 33 + rejudged)
        for write in make_row(number, JUDGES, run_id="seeded")
    ]
    store.write(later)
    end(store, seconds=60)
    rows = {row.number: row for row in pages.cases()}
    assert rows[34].score is not None
    assert len(rows) == store.find_run("seeded").judgements
    assert pages.cases(q="gone") == []
    assert pages.report() == counted(store)


def test_runs_that_nobody_looked_at_for_longest_make_room(tmp_path, store, pages, monkeypatch):
    monkeypatch.setattr(indexes, "MAX_OPEN", 2)
    names = ["a", "b", "c"]
    for name in names:
        seed(tmp_path, 20, run_id=name, name=None)
    for name in [*names, *names]:
        assert len(pages.cases(name)) == 20


def test_many_readers_at_once_fill_a_list_once(tmp_path, pages):
    seed(tmp_path)
    start, found = threading.Barrier(6), []

    def read():
        start.wait()
        found.append(len(pages.cases(q="order")))

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [40] * 6
    assert pages.store.asked.count("mark_until") == 1


def test_a_full_disk_is_the_operators_trouble_and_passes(tmp_path, pages, monkeypatch):
    seed(tmp_path)
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL

    def fail(*_):
        raise full

    with monkeypatch.context() as broken:
        broken.setattr(indexes, "make_row", fail)
        with pytest.raises(StoreError, match="TMPDIR"):
            pages.cases()
    assert len(pages.cases()) == 40


def test_a_damaged_judgement_is_said_to_be_damaged_and_not_a_fault_of_ours(tmp_path, store, pages):
    seed(tmp_path)
    with closing(sqlite3.connect(tmp_path / "store" / "store.db")) as file, file:
        file.execute("UPDATE judgements SET body = x'5200' WHERE made = 7")
    with pytest.raises(StoreError, match="store check"):
        pages.cases()
    with pytest.raises(StoreError, match="store check"):
        pages.report()


@pytest.mark.parametrize("at_once", [3, 5_000])
def test_labels_decide_who_is_how_far_from_people(tmp_path, store, pages, monkeypatch, at_once):
    monkeypatch.setattr(indexes, "LABELLED_AT_ONCE", at_once)
    seed(tmp_path, 40)
    own = {row.case_id: row for row in pages.cases(judge="relevance", label="labelled")}
    assert set(own) == {f"case-{number // 2:06}" for number in range(5, 40, 10)}
    row = own["case-000002"]
    assert row.gap == pytest.approx(abs(row.label_score - row.score) / 5)

    def say(case_id, value, annotator, seconds):
        at = AT + timedelta(seconds=seconds)
        store.keep_labels(
            "seeded",
            [
                KeptLabel(
                    case_id=case_id,
                    judge="relevance",
                    label=value,
                    run_id="seeded",
                    annotator=annotator,
                    at=at,
                )
            ],
        )

    say("case-000003", 0.0, "a", 1)
    say("case-000003", 5.0, "b", 2)
    (said,) = pages.cases(judge="relevance", label="labelled")
    assert said.case_id == "case-000003"
    assert said.label_score == 2.5
    assert said.gap == pytest.approx((abs(said.score - 0) + abs(said.score - 5)) / 2 / 5)
    assert pages.cases(judge="correctness", label="labelled"), "another judge's cases keep their own labels"
    store.remove_labels("seeded", "relevance")
    assert {row.case_id: row for row in pages.cases(judge="relevance", label="labelled")} == own


def test_rows_that_come_after_labels_have_them_too(tmp_path, store, pages):
    seed(tmp_path, 10, state="running")
    assert [row.number for row in pages.cases(label="labelled")] == [1, 6]
    write_rows(store, range(10, 30))
    assert [row.number for row in pages.cases(label="labelled")] == [1, 6, 11, 16, 21, 26]


def test_trouble_with_one_run_does_not_keep_others_from_being_shown(tmp_path, store, pages):
    seed(tmp_path, 20, run_id="fine")
    record = store.find_run("fine")
    broken = replace(
        record, run_id="broken", name=None, started_at=AT + timedelta(hours=1), plan={"judges": ["x@bad"]}
    )
    store.write([StartRun(run=broken)])
    pages.store.judge_text = lambda judge_hash: (
        ("x", "---\nadjudge: 1\nnonsense: [\n---\n") if judge_hash == "bad" else store.judge_text(judge_hash)
    )
    found = list_runs(pages, pages.store.runs())
    assert {row.run: row.headlines is None for row in found.runs} == {"fine": False, "broken": True}
    assert "broken" in found.trouble


def test_a_list_counts_what_takes_a_moment_and_large_runs_one_at_a_time(tmp_path, store, pages):
    for number, rows in enumerate((30, 40, 500, 600)):
        seed(tmp_path, rows, run_id=f"r{number}", name=None)

    def known(**options):
        rows = {
            row.run: row.headlines
            for row in list_runs(pages, pages.store.runs(), at_once=100, **options).runs
        }
        return sorted(run for run, headlines in rows.items() if headlines is not None)

    assert known() == ["r0", "r1"]
    assert known() == ["r0", "r1"]
    assert len(known(at_least=1)) == 3
    assert len(known(at_least=1)) == 4
    pages.store.asked.clear()
    assert len(known(at_least=1)) == 4
    assert "judgements_after" not in pages.store.asked
