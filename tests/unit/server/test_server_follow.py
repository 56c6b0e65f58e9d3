"""The copy that the pages read keeps up with its store, whatever becomes of either."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
from seeded_store import AT, make_row, seed_store

from adjudge.errors import StoreError
from adjudge.judges import built_in_judges
from adjudge.records import Failed
from adjudge.reports.report import Report
from adjudge.reports.summary import Tally
from adjudge.server.follow import Follower
from adjudge.server.index import Index
from adjudge.server.items import ItemFilter, find_items
from adjudge.server.service import open_service
from adjudge.store import EndRun, KeptLabel, StartRun, open_store

JUDGES = [judge for judge in built_in_judges() if judge.name in ("correctness", "relevance")]


class Pages:
    """A follower whose thread is the test's own, and what the pages would show."""

    def __init__(self, store, file):
        self.store = store
        self.index = Index(file)
        self.follower = Follower(store, self.index)

    def look(self):
        while self.follower.look():
            pass

    def items(self, run_id="seeded", **wanted):
        self.look()
        return find_items(self, self.follower.known(run_id), ItemFilter(**{"size": 500, **wanted})).rows


@pytest.fixture
def store(tmp_path):
    with closing(open_store(tmp_path / "store")) as store:
        yield store


@pytest.fixture
def open_pages(store, tmp_path):
    opened = []

    def open_one():
        opened.append(Pages(store, tmp_path / "view.db"))
        return opened[-1]

    yield open_one
    for each in opened:
        each.index.close()


def seed(tmp_path, rows=40, **more):
    return seed_store(tmp_path / "store", rows, **more)


def write_rows(store, numbers):
    store.write([write for number in numbers for write in make_row(number, JUDGES, run_id="seeded")])


def end(store, seconds=0):
    store.write([EndRun(run_id="seeded", state="finished", at=AT + timedelta(hours=2, seconds=seconds))])


def test_a_run_is_copied_whole_and_its_figures_are_the_reports(tmp_path, store, open_pages):
    seed(tmp_path, 1_200)
    pages = open_pages()
    rows = pages.items()
    assert len(rows) == 500
    followed = pages.follower.known("seeded")
    assert followed.complete
    assert followed.indexed.items == 1_200
    tally = Tally(followed.judges, repeats=1)
    for judgement in store.judgements("seeded"):
        tally.add(judgement)
    assert (
        followed.report
        == Report(summaries=tally.summaries(), current_date="2026-05-01", run="seeded").to_json()
    )


def test_a_second_start_reads_nothing_again(tmp_path, open_pages):
    seed(tmp_path)
    first = open_pages()
    first.look()
    report = first.follower.known("seeded").report
    first.index.close()
    again = open_pages()
    again.store = None
    counted = Counter()

    class Counting:
        def __init__(self, store):
            self.store = store

        def __getattr__(self, name):
            counted[name] += 1
            return getattr(self.store, name)

    again.follower._store = Counting(first.store)
    again.look()
    assert again.follower.known("seeded").report == report
    assert not {"entries", "judgements", "labels", "count_until", "mark_until"} & set(counted)


def test_a_live_run_is_followed_row_by_row(tmp_path, store, open_pages):
    seed(tmp_path, 10, state="running")
    pages = open_pages()
    assert len(pages.items()) == 10
    write_rows(store, range(10, 17))
    assert len(pages.items()) == 17
    assert pages.follower.known("seeded").report["judges"][0]["asked"] == 9
    end(store)
    pages.look()
    assert pages.follower.known("seeded").record.state == "finished"
    assert pages.index.find("seeded").report == pages.follower.known("seeded").report


def test_what_is_judged_again_takes_the_place_of_what_was_there(tmp_path, store, open_pages):
    seed(tmp_path, 100)
    pages = open_pages()
    failed = [row for row in pages.items() if row.score is None]
    assert failed
    store.remove_judgements("seeded", ["unreadable", "refused", "call_failed", "truncated", "missing_input"])
    assert len(pages.items()) == 100 - len(failed)


@pytest.mark.parametrize("rejudged", [1, 5])
@pytest.mark.parametrize("seen_meanwhile", [True, False])
def test_a_last_row_judged_again_under_its_number_is_seen(
    tmp_path, store, open_pages, rejudged, seen_meanwhile
):
    seed(tmp_path, 33, state="running")
    (failed,) = [write for write in make_row(33, JUDGES, run_id="seeded") if hasattr(write, "judgement")]
    gone = Failed(kind="call_failed", message="gone")
    store.write(
        [replace(failed, judgement=replace(failed.judgement, outcome=gone, reason=None, passed=None))]
    )
    end(store)
    pages = open_pages()
    assert pages.items(outcomes=("call_failed",))[-1].number == 34
    pages.index.close()
    store.write([StartRun(run=store.find_run("seeded"))])
    store.remove_judgements("seeded", ["call_failed"])
    if seen_meanwhile:
        middle = open_pages()
        middle.look()
        middle.index.close()
    later = [
        replace(write, judgement=replace(write.judgement, at=AT + timedelta(hours=3)))
        if hasattr(write, "judgement")
        else write
        for number in range(33, 33 + rejudged)
        for write in make_row(number, JUDGES, run_id="seeded")
    ]
    store.write(later)
    end(store, seconds=60)
    again = open_pages()
    rows = {row.number: row for row in again.items()}
    assert rows[34].score is not None
    assert len(rows) == store.find_run("seeded").judgements
    with_text = again.items(q="zzz")
    assert with_text == []


def test_a_run_that_is_removed_is_dropped(tmp_path, store, open_pages):
    seed(tmp_path)
    seed(tmp_path, 20, run_id="other", name="Other")
    pages = open_pages()
    assert len(pages.items("other")) == 20
    store.remove_run("seeded")
    assert len(pages.items("other")) == 20
    assert pages.follower.known("seeded") is None
    assert pages.index.find("seeded") is None
    assert pages.index.run_ids() == ["other"]
    with pages.index.reading() as connection:
        tables = [
            row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%_1%'")
        ]
    assert len({name.split("_")[1] for name in tables}) <= 1


@pytest.mark.parametrize("damage", ["not a database at all" * 500, ""])
def test_a_copy_that_cannot_be_opened_is_made_again(tmp_path, open_pages, damage):
    seed(tmp_path)
    (tmp_path / "view.db").write_text(damage)
    assert len(open_pages().items()) == 40


def test_a_copy_in_another_format_is_made_again(tmp_path, open_pages):
    seed(tmp_path)
    pages = open_pages()
    pages.look()
    pages.index._writer.execute("PRAGMA user_version = 99")
    pages.index.close()
    again = open_pages()
    assert again.index.find("seeded") is None
    assert len(again.items()) == 40


def test_a_copy_damaged_while_it_is_used_is_made_again(tmp_path, open_pages):
    seed(tmp_path, 2_000)
    pages = open_pages()
    pages.look()
    pages.index.close()
    file = tmp_path / "view.db"
    data = bytearray(file.read_bytes())
    for place in range(20 * 4096, len(data)):
        data[place] = 0x5A
    file.write_bytes(data)
    pages = open_pages()
    with pytest.raises(StoreError, match="index is damaged"):
        pages.items(sort="-latency")
    assert pages.index.damaged
    assert len(pages.items(sort="-latency")) == 500
    assert not pages.index.damaged


def test_labels_decide_who_is_how_far_from_people(tmp_path, store, open_pages):
    seed(tmp_path, 40)
    pages = open_pages()
    own = {row.case_id: row for row in pages.items(judge="relevance", label="labelled")}
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
    (said,) = pages.items(judge="relevance", label="labelled")
    assert said.case_id == "case-000003"
    assert said.label_score == 2.5
    assert said.gap == pytest.approx((abs(said.score - 0) + abs(said.score - 5)) / 2 / 5)
    assert pages.items(judge="correctness", label="labelled"), "another judge's cases keep their own labels"
    store.remove_labels("seeded", "relevance")
    assert {row.case_id: row for row in pages.items(judge="relevance", label="labelled")} == own


def test_rows_that_come_after_labels_have_them_too(tmp_path, store, open_pages):
    seed(tmp_path, 10, state="running")
    pages = open_pages()
    assert [row.number for row in pages.items(label="labelled")] == [1, 6]
    write_rows(store, range(10, 30))
    assert [row.number for row in pages.items(label="labelled")] == [1, 6, 11, 16, 21, 26]


def test_two_servers_over_one_store_each_have_a_copy(tmp_path):
    seed(tmp_path)
    where = str(tmp_path / "store")
    with open_service(where) as one, open_service(where) as two:
        found = [find_items(each, each.followed("seeded"), ItemFilter()) for each in (one, two)]
        assert one.index._file != two.index._file
        assert {page.judgements for page in found} == {40}
    (kept,) = (tmp_path / "store").glob("view-*.db")
    assert kept.stat().st_mode & 0o077 == 0


def test_trouble_with_one_run_does_not_keep_others_from_being_read(tmp_path, store, open_pages):
    seed(tmp_path, 20, run_id="fine")
    record = store.find_run("fine")
    broken = replace(
        record, run_id="broken", name=None, started_at=AT + timedelta(hours=1), plan={"judges": ["x@bad"]}
    )
    store.write([StartRun(run=broken)])
    pages = open_pages()
    real = pages.store.judge_text

    class Odd:
        def __getattr__(self, name):
            return getattr(pages.store, name)

        def judge_text(self, judge_hash):
            return ("x", "---\nadjudge: 1\nnonsense: [\n---\n") if judge_hash == "bad" else real(judge_hash)

    pages.follower._store = Odd()
    pages.look()
    assert pages.follower.known("fine").complete
    assert "broken" in pages.follower.trouble
