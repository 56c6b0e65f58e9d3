"""What the pages read of a store: judgements with their cases as they come, and whether anything was replaced."""

from datetime import timedelta

from msgspec.structs import replace

from adjudge.records import BadRow, Failed, Forced, Place, Score
from adjudge.store import KeptLabel, ListedJudgement, RunMark


def listed(store, run_id="r1", **options):
    found = []
    while page := store.listed(run_id, found[-1].number if found else 0, **options):
        found += page
    return found


def numbers(store, run_id="r1"):
    return [each.number for each in listed(store, run_id)]


def test_judgements_are_listed_in_the_order_they_were_made_page_by_page(store, make):
    names = [f"c{number}" for number in range(1_100)]
    for start in range(0, len(names), 400):
        store.write([write for name in names[start : start + 400] for write in make.pair(name)])
    assert len(store.listed("r1")) < len(names)
    assert [each.case_id for each in listed(store)] == names
    assert [each.number for each in listed(store)] == [
        number for number, _ in store.judgements_after("r1", 0)
    ]
    last = numbers(store)[-1]
    store.write(make.pair("later"))
    assert [each.case_id for each in store.listed("r1", last)] == ["later"]
    assert [judgement.case_id for _, judgement in store.judgements_after("r1", last)] == ["later"]
    assert list(store.judgements_after("r1", last + 1)) == []


def test_what_is_listed_is_what_the_judgement_says(store, make):
    pairs = [
        make.pair("scored"),
        make.pair("failed", outcome=Failed(kind="call_failed", message="gone", maybe_billed=True)),
        make.pair("forced", outcome=Forced(score=Score(value=0.0, exact=0.0), reason="empty response")),
    ]
    store.write([write for pair in pairs for write in pair])
    for each, (number, judgement) in zip(
        listed(store, with_cases=True), store.judgements_after("r1", 0), strict=True
    ):
        outcome = judgement.outcome
        assert each == ListedJudgement(
            number=number,
            at=judgement.at,
            case_id=judgement.case_id,
            judge=judgement.judge,
            judge_hash=judgement.judge_hash,
            model=judgement.model,
            repeat=judgement.repeat,
            outcome=outcome.kind,
            score=judgement.score,
            passed=judgement.passed,
            probability=judgement.probability,
            cost=None if judgement.cost is None else float(judgement.cost),
            latency_ms=judgement.latency_ms,
            reason=outcome.message
            if isinstance(outcome, Failed)
            else judgement.reason or (outcome.reason if isinstance(outcome, Forced) else ""),
            notes=list(judgement.notes) if judgement.notes else (),
            metadata=judgement.metadata,
            label=judgement.label,
            columns=store.case("r1", judgement.case_id).columns,
        )
    assert [each.columns for each in listed(store)] == [{}] * 3


def test_lists_are_of_one_run(store, make):
    store.write([*make.pair("a", run_id="r1"), *make.pair("b", run_id="r2"), *make.pair("c", run_id="r1")])
    assert [each.case_id for each in listed(store)] == ["a", "c"]
    assert listed(store, "r3") == []


def test_a_row_that_could_not_be_read_has_no_case(store, make):
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
    (found,) = listed(store, with_cases=True)
    assert (found.outcome, found.columns) == ("bad_row", {})
    (entry,) = store.entries_at("r1", [found.number])
    assert entry.case is None
    assert entry.judgement.outcome.kind == "bad_row"


def test_judgements_at_numbers_come_in_the_order_asked_for(store, make):
    names = [f"c{number}" for number in range(700)]
    pairs = [make.pair(name) for name in names]
    store.write([write for pair in pairs for write in pair])
    by_name = {each.case_id: each.number for each in listed(store)}
    wanted = [*reversed(names), "c5"]
    asked = [by_name[name] for name in wanted]
    assert [judgement.case_id for judgement in store.judgements_at("r1", asked)] == wanted
    entries = store.entries_at("r1", asked)
    assert [entry.number for entry in entries] == asked
    assert [entry.judgement for entry in entries] == store.judgements_at("r1", asked)
    assert entries[-1].case == pairs[5][1].case
    for find in (store.judgements_at, store.entries_at):
        assert len(find("r1", [by_name["c3"], 10**12, by_name["c1"]])) == 2
        assert find("r2", [by_name["c3"]]) == []
        assert find("r1", []) == []


def test_the_mark_until_a_number_is_that_of_the_judgements_read(store, make):
    store.write([make.run(), *(write for name in ("a", "b", "c") for write in make.pair(name))])
    mark = RunMark()
    assert store.mark_until("r1", 0) == mark
    for number, judgement in store.judgements_after("r1", 0):
        mark = mark.extend(number, judgement.at)
        assert store.mark_until("r1", number) == mark
    assert store.mark_until("r1", mark.last + 1_000) == mark
    assert store.mark_until("r2", mark.last) == RunMark()


def test_the_mark_until_a_number_changes_when_the_last_one_was_judged_again_under_its_number(store, make):
    failed = make.pair("d", outcome=Failed(kind="call_failed", message="gone"))[1]
    store.write([make.run(), *make.pair("a"), *make.pair("b"), replace(failed, reuse_key=None)])
    second, last = numbers(store)[1:]
    kept, mark = store.mark_until("r1", second), store.mark_until("r1", last)
    assert store.mark_until("r1", last) == mark != kept
    store.remove_judgements("r1", ["call_failed"])
    assert store.mark_until("r1", last) != mark
    completion, again = make.pair("d")
    later = replace(again.judgement, at=make.at + timedelta(seconds=1))
    store.write([completion, replace(again, judgement=later)])
    assert store.mark_until("r1", last) != mark
    assert store.mark_until("r1", second) == kept


def test_the_latest_times_are_those_of_the_last_judgements_the_newest_first(store, make):
    for second in range(3):
        completion, kept = make.pair(f"c{second}")
        at = make.at + timedelta(seconds=second)
        store.write([completion, replace(kept, judgement=replace(kept.judgement, at=at))])
    assert store.latest_times("r1", 2) == [make.at + timedelta(seconds=2), make.at + timedelta(seconds=1)]
    assert store.latest_times("r2", 2) == []


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
