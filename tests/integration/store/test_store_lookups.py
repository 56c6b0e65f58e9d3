"""What is asked about one case, over SQLite and Postgres alike."""

from msgspec.structs import replace

from adjudge.records import BadRow, Failed, Place
from adjudge.store import KeptLabel

LONG = "é" * 5_000


def judged_in(make, run_id, case_id="c1", *, answer=None, **more):
    completion, judgement = make.pair(case_id, run_id=run_id, **more)
    if answer is not None:
        judgement = replace(
            judgement, case=replace(judgement.case, columns={"output": answer}, fields={"response": answer})
        )
    return [completion, judgement]


def test_a_case_is_found_in_every_run_the_latest_first_with_whether_it_is_the_same(store, make):
    store.write(
        [
            make.run("old", started=0),
            make.run("new", started=9),
            make.run("other", started=5),
            *judged_in(make, "old"),
            *judged_in(make, "old", judge="correctness"),
            *judged_in(make, "old", repeat=1),
            *judged_in(make, "new", answer="Rome"),
            *judged_in(make, "other", "c2"),
        ]
    )
    lines = store.same_case("c1")
    assert [(line.run_id, line.judge, line.repeat) for line in lines] == [
        ("new", "relevance", 0),
        ("old", "relevance", 0),
        ("old", "correctness", 0),
        ("old", "relevance", 1),
    ]
    assert [(line.score, line.passed, line.outcome, line.at) for line in lines] == [
        (4.0, True, "scored", make.at)
    ] * 4
    assert len({line.case_hash for line in lines}) == 2
    assert len({line.case_hash for line in lines[1:]}) == 1
    assert {line.judge_hash for line in lines} == {"abcdef123456"}
    assert store.same_case("c1", most_runs=1) == lines[:1]
    assert store.same_case("nowhere") == []


def test_a_row_that_could_not_be_read_is_found_and_is_the_same_as_nothing(store, make):
    place = Place(file="cases.jsonl", line=3)
    outcome = Failed(kind="bad_row", message="no")
    _, judgement = make.pair("line-3", outcome=outcome)
    bad = BadRow(case_id="line-3", place=place, found="text", wanted="an object")
    kept = replace(judgement.judgement, calls=(), passed=None)
    store.write([make.run(), replace(judgement, judgement=kept, case=bad, calls=(), reuse_key=None)])
    (line,) = store.same_case("line-3")
    assert (line.outcome, line.score, line.passed, line.case_hash) == ("bad_row", None, None, None)


def test_ids_and_judges_too_long_for_a_column_are_found_by_their_whole_names(store, make):
    store.write(
        [make.run(), *judged_in(make, "r1", LONG, judge=LONG), *judged_in(make, "r1", LONG + "x", judge="j")]
    )
    assert [line.judge for line in store.same_case(LONG)] == [LONG]


def test_what_people_said_of_one_case_as_it_stands(store, make):
    store.write(
        [
            make.run(),
            make.run("again"),
            *make.pair("c1"),
            *make.pair("c2"),
            *judged_in(make, "again", answer="Rome"),
        ]
    )
    said = [
        KeptLabel(case_id=case_id, judge="relevance", label=label, run_id="r1", annotator=who, at=make.at)
        for case_id, label, who in (("c1", 3.5, "ben"), ("c1", True, "anna"), ("c2", False, "anna"))
    ]
    store.keep_labels("r1", said)
    assert store.case_labels("r1", "c1", "relevance") == [said[1], said[0]]
    assert store.case_labels("again", "c1", "relevance") == []
    assert store.case_labels("r1", "c1", "correctness") == []


def test_a_judge_is_remembered_as_it_was_used_and_not_only_as_its_file_says(store, make):
    kept = make.judge()
    store.write([replace(kept, judge=replace(kept.judge, passes="score >= 4"))])
    used = store.judge_settings("abcdef123456")
    assert (used["name"], used["passes"]) == ("relevance", "score >= 4")
    assert store.judge_settings("000000000000") is None
