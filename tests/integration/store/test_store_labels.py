"""What people said, and which cases were drawn for them, over SQLite and Postgres alike."""

from contextlib import closing
from datetime import timedelta

import pytest
from msgspec.structs import replace

from adjudge.records import LabelDraw
from adjudge.store import KeptLabel, open_store
from adjudge.store.packing import dump_json, pack

LONG = "é" * 5_000


def kept(make, case_id="c1", **more):
    values = {"judge": "relevance", "label": True, "run_id": "r1", "at": make.at}
    return KeptLabel(case_id=case_id, **values | more)


def drawn(make, number=1, **more):
    values = {
        "run_id": "r1",
        "judge": "relevance",
        "chosen": ("c2", "c1"),
        "chances": {"c1": 0.25, "c2": 1 / 3, "c3": 1.0},
        "basis": ("probability",),
        "uniform_share": 0.1,
        "seed": 7,
        "at": make.at,
    }
    return LabelDraw(number=number, **values | more)


def test_labels_come_back_as_they_were_given(store, make):
    store.write([make.run(), make.judge(), *make.pair("c1"), *make.pair("c2")])
    given = [
        kept(make, "c1", annotator="anna", explanation="it says\nParis \0", draw=2, probability=0.125),
        kept(make, "c1", annotator="ben", label=3.5),
        kept(make, "c2", label=False),
    ]
    assert store.keep_labels("r1", given) == 3
    assert store.labels("r1", "relevance") == given
    assert store.labels("r1", "other") == []
    assert store.check() == []


def test_labels_of_criteria_and_ratings_come_back(store, make):
    store.write([make.run(), make.judge(), *make.pair("c1"), *make.pair("c2"), *make.pair("c3")])
    given = [
        kept(make, "c1", label=0.5, parts={"Names a \ud800 step": True, "<b>": False}),
        kept(make, "c2", label=None, parts={"clarity": 4.0}, tuning=True),
        kept(make, "c3", label=1.0, tuning=True),
    ]
    assert store.keep_labels("r1", given) == 3
    assert store.labels("r1", "relevance") == given
    assert store.case_labels("r1", "c2", "relevance") == given[1:2]


@pytest.mark.parametrize(("more", "tuning"), [([], False), ([True], True)])
def test_labels_of_stores_that_knew_no_parts_are_read(store, make, more, tuning):
    store.write([make.run(), make.judge(), *make.pair("c1")])
    store.keep_labels("r1", [kept(make)])
    body = pack(dump_json(["c1", "relevance", "", True, None, "r1", *more]))
    store.home.write(lambda session: session.change("UPDATE labels SET body = ?", [body]))
    assert store.labels("r1", "relevance") == [kept(make, tuning=tuning)]


def test_a_label_given_again_takes_the_place_of_the_first(store, make):
    store.write(make.pair("c1"))
    store.keep_labels("r1", [kept(make), kept(make, annotator="ben")])
    again = kept(make, label=False, at=make.at + timedelta(days=1))
    assert store.keep_labels("r1", [again]) == 0
    assert store.labels("r1", "relevance") == [again, kept(make, annotator="ben")]


def test_a_label_given_after_seeing_the_verdict_stands_apart_from_the_blind_one(store, make):
    store.write(make.pair("c1"))
    blind, seen = kept(make), kept(make, label=False, seen_verdict=True)
    assert store.keep_labels("r1", [blind, seen]) == 2
    assert store.labels("r1", "relevance") == [blind]
    assert store.labels("r1", "relevance", seen_verdict=True) == [seen]
    assert store.case_labels("r1", "c1", "relevance") == [blind, seen]
    again = kept(make, label=True, seen_verdict=True)
    assert store.keep_labels("r1", [again]) == 0
    assert store.case_labels("r1", "c1", "relevance") == [blind, again]
    assert store.remove_labels("r1", "relevance", seen_verdict=True) == 1
    assert store.case_labels("r1", "c1", "relevance") == [blind]


def test_a_case_that_the_run_does_not_have_gets_no_label(store, make):
    store.write(make.pair("c1"))
    assert store.keep_labels("r1", [kept(make, "elsewhere")]) == 0
    assert store.labels("r1", "relevance") == []


def test_another_run_over_the_same_case_finds_its_label_and_one_with_another_answer_does_not(store, make):
    store.write([*make.pair("c1"), *make.pair("c1", run_id="same")])
    completion, judgement = make.pair("c1", run_id="other")
    case = replace(judgement.case, columns={"output": "Rome"}, fields={"response": "Rome"})
    store.write([completion, replace(judgement, case=case)])
    store.keep_labels("r1", [kept(make)])
    assert store.labels("same", "relevance") == [kept(make)]
    assert store.labels("other", "relevance") == []


def test_labels_outlive_the_run_they_were_given_in(store, make):
    store.write([make.run(), make.judge(), *make.pair("c1")])
    store.keep_labels("r1", [kept(make)])
    store.keep_draw(drawn(make))
    store.remove_run("r1")
    store.vacuum()
    assert store.labels("r1", "relevance") == []
    store.write([make.run("again"), make.judge(), *make.pair("c1", run_id="again")])
    assert store.labels("again", "relevance") == [kept(make)]
    assert store.draws("r1", "relevance") == [drawn(make)]
    assert store.check() == []


def test_labels_are_removed_for_one_annotator_or_for_all(store, make):
    store.write([*make.pair("c1"), *make.pair("c2"), *make.pair("c1", judge="tone")])
    tone = kept(make, judge="tone")
    store.keep_labels("r1", [kept(make), kept(make, "c2", annotator="ben"), tone])
    assert store.remove_labels("r1", "relevance", annotator="ben") == 1
    assert store.labels("r1", "relevance") == [kept(make)]
    assert store.remove_labels("r1", "relevance") == 1
    assert store.labels("r1", "relevance") == []
    assert store.labels("r1", "tone") == [tone]


def test_one_label_of_one_annotator_can_be_removed(store, make):
    store.write([*make.pair("c1"), *make.pair("c2")])
    others = [kept(make, "c2"), kept(make, annotator="ben")]
    store.keep_labels("r1", [kept(make), *others])
    assert store.remove_labels("r1", "relevance", annotator=kept(make).annotator, case_id="c1") == 1
    assert sorted(store.labels("r1", "relevance"), key=lambda label: label.case_id) == sorted(
        others, key=lambda label: label.case_id
    )
    assert store.remove_labels("r1", "relevance", annotator=kept(make).annotator, case_id="c1") == 0
    assert store.remove_labels("r1", "relevance", case_id="c1") == 1


def test_names_of_any_length_and_kind_are_kept_whole(store, make):
    names = {"case_id": LONG, "judge": LONG + "j", "annotator": LONG + "a\0\ud800"}
    store.write(make.pair(names["case_id"], judge=names["judge"]))
    label = kept(make, **names)
    store.keep_labels("r1", [label, replace(label, annotator=LONG + "b")])
    assert [found.annotator for found in store.labels("r1", names["judge"])] == [
        names["annotator"],
        LONG + "b",
    ]
    draw = drawn(make, judge=names["judge"], chosen=(LONG,), chances={LONG: 0.5})
    assert store.keep_draw(draw)
    assert store.draws("r1", names["judge"]) == [draw]


def test_draws_come_back_in_order_and_a_number_is_given_once(store, make):
    second = drawn(make, 2, chosen=("c3",), seed=8)
    assert store.keep_draw(second)
    assert store.keep_draw(drawn(make))
    assert not store.keep_draw(drawn(make, chosen=()))
    assert store.draws("r1", "relevance") == [drawn(make), second]
    assert store.draws("r1", "other") == store.draws("r2", "relevance") == []


@pytest.mark.parametrize("count", [1_000])
def test_many_labels_are_kept_at_once(where, make, count):
    with closing(open_store(where)) as store:
        ids = [f"c{number:04}" for number in range(count)]
        store.write([write for case_id in ids for write in make.pair(case_id)])
        assert store.keep_labels("r1", [kept(make, case_id) for case_id in ids]) == count
        assert [label.case_id for label in store.labels("r1", "relevance")] == ids
