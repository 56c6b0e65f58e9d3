"""What the pages read of a store: judgements with their cases as they come, and whether anything was replaced."""

from dataclasses import replace
from datetime import timedelta

from adjudge.records import BadRow, Failed, Place
from adjudge.store import KeptLabel


def numbers(entries):
    return [entry.number for entry in entries]


def test_entries_have_the_judgement_and_its_case_in_the_order_they_were_made(store, make):
    pairs = [make.pair(f"c{number}") for number in (3, 1, 2)]
    store.write([make.run(), *(write for pair in pairs for write in pair)])
    entries = store.entries("r1")
    assert [entry.judgement.case_id for entry in entries] == ["c3", "c1", "c2"]
    assert [entry.case for entry in entries] == [judgement.case for _, judgement in pairs]
    assert numbers(entries) == sorted(set(numbers(entries)))
    assert entries[0].judgement == next(iter(store.judgements("r1")))


def test_entries_go_on_after_a_number_until_there_are_no_more(store, make):
    names = [f"c{number}" for number in range(1_100)]
    for start in range(0, len(names), 400):
        store.write([write for name in names[start : start + 400] for write in make.pair(name)])
    found, after = [], 0
    while entries := store.entries("r1", after):
        found += [entry.judgement.case_id for entry in entries]
        after = entries[-1].number
    assert found == names
    store.write(make.pair("later"))
    (later,) = store.entries("r1", after)
    assert later.judgement.case_id == "later"
    assert store.entries("r1", later.number) == []


def test_entries_are_of_one_run(store, make):
    store.write([*make.pair("a", run_id="r1"), *make.pair("b", run_id="r2"), *make.pair("c", run_id="r1")])
    assert [entry.judgement.case_id for entry in store.entries("r1")] == ["a", "c"]
    assert store.entries("r3") == []


def test_a_row_that_could_not_be_read_is_an_entry_without_a_case(store, make):
    _, judgement = make.pair("line-7", outcome=Failed(kind="bad_row", message="not JSON"))
    place = Place(file="cases.jsonl", line=7)
    bad = BadRow(case_id="line-7", place=place, found="text", wanted="an object")
    store.write(
        [
            replace(
                judgement,
                judgement=replace(judgement.judgement, calls=()),
                case=bad,
                calls=(),
                reuse_key=None,
            )
        ]
    )
    (entry,) = store.entries("r1")
    assert entry.case is None
    assert entry.judgement.outcome.kind == "bad_row"


def test_judgements_at_numbers_come_in_the_order_asked_for(store, make):
    names = [f"c{number}" for number in range(700)]
    store.write([write for name in names for write in make.pair(name)])
    by_name = {}
    after = 0
    while entries := store.entries("r1", after):
        by_name |= {entry.judgement.case_id: entry.number for entry in entries}
        after = entries[-1].number
    wanted = [*reversed(names), "c5"]
    found = store.judgements_at("r1", [by_name[name] for name in wanted])
    assert [judgement.case_id for judgement in found] == wanted
    assert store.judgements_at("r1", [by_name["c3"], 10**12, by_name["c1"]])[1].case_id == "c1"
    assert store.judgements_at("r2", [by_name["c3"]]) == []
    assert store.judgements_at("r1", []) == []


def test_the_count_until_a_number_tells_of_judgements_that_were_replaced(store, make):
    store.write([make.run(), *(write for name in ("a", "b", "c") for write in make.pair(name))])
    first, second, third = numbers(store.entries("r1"))
    assert store.count_until("r1", 0) == 0
    assert store.count_until("r1", second) == 2
    assert store.count_until("r1", third + 1_000) == 3
    assert store.count_until("r2", third) == 0
    _, failed = make.pair("d", outcome=Failed(kind="call_failed", message="gone"))
    store.write([replace(failed, reuse_key=None)])
    last = store.entries("r1", third)[0].number
    assert store.count_until("r1", last) == 4
    assert store.remove_judgements("r1", ["call_failed"]) == 1
    assert store.count_until("r1", last) == 3
    assert first < second


def test_the_mark_until_a_number_changes_when_the_last_one_was_judged_again_under_its_number(store, make):
    failed = make.pair("d", outcome=Failed(kind="call_failed", message="gone"))[1]
    store.write([make.run(), *make.pair("a"), *make.pair("b"), replace(failed, reuse_key=None)])
    second, last = numbers(store.entries("r1"))[1:]
    kept, mark = store.mark_until("r1", second), store.mark_until("r1", last)
    assert store.mark_until("r1", last) == mark != kept
    store.remove_judgements("r1", ["call_failed"])
    assert store.mark_until("r1", last) != mark
    completion, again = make.pair("d")
    later = replace(again.judgement, at=make.at + timedelta(seconds=1))
    store.write([completion, replace(again, judgement=later)])
    assert store.mark_until("r1", last) != mark
    assert store.mark_until("r1", second) == kept
    assert store.mark_until("r9", 10) == store.mark_until("r9", 10)


def test_the_mark_of_labels_changes_whenever_they_do(store, make):
    store.write([make.run(), *(write for name in ("a", "b") for write in make.pair(name))])
    seen = [store.labels_mark("relevance")]

    def changed():
        mark = store.labels_mark("relevance")
        fresh = mark not in seen
        seen.append(mark)
        return fresh

    def label(case_id, value, seconds, judge="relevance"):
        at = make.at.replace(second=seconds)
        store.keep_labels("r1", [KeptLabel(case_id=case_id, judge=judge, label=value, run_id="r1", at=at)])

    label("a", 3.0, 1)
    assert changed()
    label("a", 4.0, 2)
    assert changed()
    label("b", True, 3)
    assert changed()
    store.remove_labels("r1", "relevance")
    assert store.labels_mark("relevance") != seen[-1]
    seen.append(store.labels_mark("relevance"))
    label("a", 3.0, 4, judge="another")
    assert store.labels_mark("relevance") == seen[-1]
