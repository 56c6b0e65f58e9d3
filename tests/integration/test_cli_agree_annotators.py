"""`adjudge agree` over cases that say themselves what several people said of them."""

import json
import random

import pytest
from jsonl import write_lines

JUDGE = """---
adjudge: 1
name: tone
inputs: {question: required, response: required}
verdict: {reason: string, score: {enum: [1, 2, 3, 4, 5]}}
score: score
scale: [1, 5]
passes: score >= 3
---
Rate the tone of {{response}} as an answer to {{question}}.
"""
COUNT = 60
PEOPLE = ("anna", "bert", "cleo")


def said(at, person):
    """Mostly the truth, the same in every run; each person errs on other cases."""
    truth = random.Random(at).choice([1, 2, 3, 4, 5])
    return min(5, truth + 1) if at % 7 == PEOPLE.index(person) else truth


def as_list(at):
    return [said(at, person) for person in PEOPLE]


def as_object(at):
    return {person: said(at, person) for person in PEOPLE}


def as_entries(at):
    return [
        {"annotator": person, "label": said(at, person), "explanation": f"{person} on {at}"}
        for person in PEOPLE
    ]


@pytest.fixture
def run(adjudge, tmp_path):
    def make(annotators, *, cases="cases.jsonl", labels=()):
        (tmp_path / "tone.md").write_text(JUDGE)
        rows = [
            {"id": f"c{at:03}", "question": f"Question {at}?", "response": f"Answer {at}."}
            for at in range(COUNT)
        ]
        for at, row in enumerate(rows):
            given = annotators(at)
            if given is not None:
                row["annotators"] = given
            if at in labels:
                row["label"] = 1
        if cases.endswith(".csv"):
            lines = [
                f'{row["id"]},{row["question"]},{row["response"]},"'
                + json.dumps(row["annotators"]).replace('"', '""')
                + '"\n'
                for row in rows
            ]
            (tmp_path / cases).write_text("id,question,response,annotators\n" + "".join(lines))
        else:
            write_lines(tmp_path / cases, rows)
        replies = [
            {"case_id": row["id"], "reply": json.dumps({"reason": "So.", "score": said(at, "anna")})}
            for at, row in enumerate(rows)
        ]
        write_lines(tmp_path / "replies.jsonl", replies)
        model = "scripted:replies.jsonl"
        done = adjudge("run", cases, "--judge", "tone.md", "--model", model, "--name", "r")
        assert done.code == 0, done.err

    return make


def flat(text):
    """Whatever the lines were broken to."""
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("annotators", "names", "cases"),
    [
        (as_list, ["1", "2", "3"], "cases.jsonl"),
        (as_object, list(PEOPLE), "cases.jsonl"),
        (as_entries, list(PEOPLE), "cases.jsonl"),
        (as_entries, list(PEOPLE), "cases.csv"),
    ],
)
def test_what_several_people_said_of_a_case_is_held_against_the_judge_and_each_other(
    adjudge, run, annotators, names, cases
):
    run(annotators, cases=cases)
    done = adjudge("agree", "r")
    assert done.code == 0, done.err
    assert "Labels 180 on 60 of 60 judged cases, from the cases' own annotators column" in flat(done.out)
    assert "among 3 annotators (60 labelled cases with two labels or more" in flat(done.out)
    report = json.loads(adjudge("agree", "r", "--json").out)
    assert report["annotators"] == names
    pairs = [said(at, "anna") == said(at, person) for at in range(COUNT) for person in PEOPLE]
    assert report["agreement"][0]["figures"]["accuracy"]["value"] == pytest.approx(sum(pairs) / len(pairs))
    people = [
        said(at, one) == said(at, other)
        for at in range(COUNT)
        for one, other in (PEOPLE[:2], PEOPLE[1:], PEOPLE[::2])
    ]
    assert report["among_people"]["ceiling"]["pairs_agreed"]["value"] == pytest.approx(
        sum(people) / len(people)
    )
    assert [one["annotator"] for one in report["among_people"]["alt_test"]["each"]] == names


def test_explanations_of_people_stand_beside_the_disagreements(adjudge, run):
    run(as_entries)
    shown = adjudge("agree", "r", "--disagreements", "1").out
    assert "people “anna on " in shown or "people “bert on " in shown


def test_who_said_nothing_is_left_out_and_one_label_counts_where_nobody_else_spoke(adjudge, run):
    run(lambda at: {"anna": said(at, "anna"), "bert": None} if at < 50 else None, labels=(0, 59))
    done = adjudge("agree", "r")
    assert done.code == 0, done.err
    assert "Labels 51 on 51 of 60 judged cases, from the cases' own annotators and label columns" in flat(
        done.out
    )


def test_a_file_of_labels_and_the_cases_own_are_merged_and_counted_by_where_they_are_from(
    adjudge, run, tmp_path
):
    run(as_list)
    own = json.loads(adjudge("agree", "r", "--json").out)["labels"]
    rows = [{"case_id": "c000", "label": 5, "annotator": who} for who in ("dora", "1")]
    write_lines(tmp_path / "labels.jsonl", rows)
    alone = adjudge("agree", "r", "labels.jsonl", "--no-keep")
    assert "Labels 2 on 1 of 60 judged cases, from labels.jsonl" in flat(alone.out)
    done = adjudge("agree", "r", "labels.jsonl")
    assert done.code == 0, done.err
    assert (
        f"Labels {own + 1} on 60 of 60 judged cases, from labels.jsonl (2) and the cases' own annotators"
        in flat(done.out)
    )
    assert "Left out 1 of the cases' own labels: the same annotator has a stored label" in flat(done.out)
    sources = json.loads(adjudge("agree", "r", "--json").out)["sources"]
    assert sources == [
        {"kind": "store", "labels": 2, "file": None},
        {"kind": "annotators_column", "labels": own - 1, "file": None},
    ]


def test_another_shape_is_refused_with_the_case_and_what_to_give(adjudge, run):
    run(lambda at: "good" if at == 0 else None)
    done = adjudge("agree", "r")
    assert done.code == 2
    assert "case c000: its `annotators` hold text: 'good'" in done.err
    assert "hint: give a list of labels" in done.err
