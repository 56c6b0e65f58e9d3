"""Judges that abstain, as a person meets them: run, report, rows, gates, resume, labels and pages."""

import json
import xml.etree.ElementTree as ET

import pytest
from jsonl import read_lines, write_lines
from served import served

JUDGE = """---
adjudge: 1
name: polite
verdict: {reason: string, label: {enum: [pass, fail, cannot_tell]}}
score: {pass: 1, fail: 0}
abstain: [cannot_tell]
---
Is the answer polite? Reply with JSON: "reason", then "label", which is pass, fail or cannot_tell.

<response>
{{response}}
</response>
"""
LABELS = ["pass", "fail", "cannot_tell", "pass", "pass", "cannot_tell", "pass", "fail", "pass", "pass"]


@pytest.fixture
def run(adjudge, tmp_path):
    (tmp_path / "polite.md").write_text(JUDGE)
    write_lines(tmp_path / "cases.jsonl", [{"id": f"c{at}", "response": f"Answer {at}."} for at in range(10)])
    replies = [
        {"case_id": f"c{at}", "reply": {"reason": f"Because {at}.", "label": label}}
        for at, label in enumerate(LABELS)
    ]
    write_lines(tmp_path / "replies.jsonl", replies)

    def call(*more):
        return adjudge(
            "run", "cases.jsonl", "--judge", "polite.md", "--model", "scripted:replies.jsonl", *more
        )

    return call


def test_rows_report_and_junit_keep_it_apart_from_scores_and_errors(run, adjudge, tmp_path):
    done = run("--name", "r", "-o", "rows.jsonl", "-o", "tests.junit.xml", "-o", "report.md")
    assert done.code == 0, done.err
    rows = read_lines(tmp_path / "rows.jsonl")
    assert [row["outcome"] for row in rows] == [
        "abstained" if label == "cannot_tell" else "scored" for label in LABELS
    ]
    assert rows[2]["verdict"] == {"reason": "Because 2.", "label": "cannot_tell"}
    assert (rows[2]["score"], rows[2]["passed"], rows[2]["error"]) == (None, None, None)
    suites = ET.parse(tmp_path / "tests.junit.xml").getroot()
    assert suites.attrib | {"name": ""} == {
        "name": "", "tests": "10", "failures": "2", "errors": "0", "skipped": "2"
    }  # fmt: skip
    assert [each.get("message") for each in suites.iter("skipped")] == ["Because 2.", "Because 5."]
    assert "of the judge's answers say that it cannot tell" in (tmp_path / "report.md").read_text()
    report = " ".join(adjudge("report", "r").out.split())
    assert "2 abstained" in report
    assert "(95 %), depending on the unscored cases" in report
    assert "20.0 % [5.7, 51.0] of the judge's answers say that it cannot tell" in report
    assert "agree RUN --next N` draws them" in report
    (figures,) = json.loads(adjudge("report", "r", "--json").out)["judges"]
    assert figures["outcomes"] == {"scored": 8, "abstained": 2}
    assert figures["pass_rate"]["value"] == 0.75
    assert figures["abstention_rate"]["value"] == 0.2
    assert figures["error_kinds"] == {"abstained": {"cannot_tell": 2}}
    shown = adjudge("show", "r", "c2").out
    assert "the judge answered `cannot_tell`: Because 2." in shown
    assert "--retry abstained" in shown
    assert adjudge("show", "polite.md").out.count("abstain    cannot_tell") == 1
    assert adjudge("lint", "polite.md").code == 0


def test_what_was_said_is_reused_and_asked_again_only_on_request(run, tmp_path):
    run("--name", "r")
    assert run("--name", "again", "-o", "again.jsonl").code == 0
    again = read_lines(tmp_path / "again.jsonl")
    assert [row["from_store"] for row in again] == [True] * 10
    assert again[5]["outcome"] == "abstained"
    assert again[5]["verdict"]["label"] == "cannot_tell"
    assert run("--name", "third", "--retry", "abstained", "-o", "third.jsonl").code == 0
    third = read_lines(tmp_path / "third.jsonl")
    assert [row["from_store"] for row in third] == [at not in {2, 5} for at in range(10)]


@pytest.mark.parametrize(
    ("gates", "code", "words"),
    [
        ((), 3, "20.0 % of 10 could not be judged, more than --max-error-rate 5.0 %"),
        (("--max-error-rate", "0.2"), 0, "GATE PASSED"),
        (("--max-abstain-rate", "0.2"), 0, "GATE PASSED"),
        (
            ("--max-abstain-rate", "0.1"),
            3,
            "the judge abstained on 20.0 % of 10, more than --max-abstain-rate 10.0 %",
        ),
    ],
)
def test_a_gate_has_a_limit_for_it(run, gates, code, words):
    done = run("--fail-under-pass-rate", "0.5", "--gate", "point", *gates)
    assert done.code == code
    assert words in " ".join((done.out + done.err).split())


def test_such_cases_get_half_of_a_draw(run, adjudge, tmp_path):
    run("--name", "r")
    drawn = adjudge("agree", "r", "--next", "3", "-o", "first.jsonl")
    assert drawn.code == 0, drawn.err
    ids = {row["case_id"] for row in read_lines(tmp_path / "first.jsonl")}
    assert len(ids) == 3
    assert {"c2", "c5"} < ids
    assert "2 cases without a verdict among them, half of the draw at most" in drawn.err
    second = adjudge("agree", "r", "--next", "1", "--json")
    probabilities = json.loads(second.out)["sampling_probabilities"]
    assert probabilities["c2"] == probabilities["c5"] == 1.0
    write_lines(
        tmp_path / "labels.jsonl",
        [{"case_id": case_id, "label": 1, "annotator": "a"} for case_id in sorted(ids)],
    )
    agreed = json.loads(adjudge("agree", "r", "labels.jsonl", "--json").out)
    assert (agreed["labelled_not_judged"], agreed["labels_alone"]) == (2, 2)
    assert agreed["not_judged"] == {"abstained": 2}


def test_with_more_of_them_than_are_asked_for_each_has_the_same_chance(run, adjudge):
    run("--name", "r")
    task = json.loads(adjudge("agree", "r", "--next", "1", "--json").out)
    chances = task["sampling_probabilities"]
    assert (chances["c2"], chances["c5"]) == (0.5, 0.5)
    assert {chances[f"c{at}"] for at in range(10) if at not in {2, 5}} == {0.0}
    done = adjudge("agree", "r", "--next", "2", "--json", "-o", "second.jsonl")
    assert done.code == 0, done.err
    task = json.loads(done.out)
    assert task["sampling_probabilities"]["c2"] == task["sampling_probabilities"]["c5"] == 1.0


def test_pages_filter_by_it_and_say_what_was_answered(run, tmp_path):
    run("--name", "r")
    with served(tmp_path / ".adjudge") as site:
        page = site.client.get("/runs/r/cases?outcome=abstained").text
        assert all(f"c{at}" in page for at in (2, 5))
        assert "Answer 0." not in page
        listed = site.client.get("/api/runs/r/cases?outcome=abstained").json()
        assert [row["case_id"] for row in listed["rows"]] == ["c2", "c5"]
        assert "Because 2." in site.client.get("/runs/r/case?case=c2").text
        assert "2 abstained" in " ".join(site.client.get("/").text.split())


SILENT = 124
"""Of 400 cases; people pass a fifth of them, and four fifths of the others."""


@pytest.fixture
def abstaining_run(adjudge, tmp_path):
    """A run of 400 cases, and what people would say of each."""
    (tmp_path / "polite.md").write_text(JUDGE)
    ids = [f"c{at}" for at in range(400)]
    people = {case_id: at % 5 == 0 if at < SILENT else at % 5 != 0 for at, case_id in enumerate(ids)}
    labels = [
        "cannot_tell" if at < SILENT else "pass" if people[case_id] != (at % 11 == 0) else "fail"
        for at, case_id in enumerate(ids)
    ]
    write_lines(tmp_path / "cases.jsonl", [{"id": each, "response": f"Answer {each}."} for each in ids])
    write_lines(
        tmp_path / "replies.jsonl",
        [
            {"case_id": each, "reply": {"reason": "Because.", "label": label}}
            for each, label in zip(ids, labels, strict=True)
        ],
    )
    done = adjudge(
        "run", "cases.jsonl", "--judge", "polite.md", "--model", "scripted:replies.jsonl", "--name", "r",
        process=True,
    )  # fmt: skip
    assert done.code == 0, done.err
    return people


def label(tmp_path, people, cases=None):
    rows = read_lines(tmp_path / "to_label.jsonl")
    wanted = [row for row in rows if cases is None or cases(row["case_id"])]
    write_lines(
        tmp_path / "labels.jsonl",
        [{"case_id": row["case_id"], "label": people[row["case_id"]]} for row in wanted],
    )


def test_the_mean_to_quote_is_that_of_all_cases_asked(abstaining_run, adjudge, tmp_path):
    people = abstaining_run
    assert adjudge("agree", "r", "--next", "200", "-o", "to_label.jsonl", process=True).code == 0
    label(tmp_path, people)
    done = adjudge("agree", "r", "labels.jsonl", process=True)
    assert done.code == 0, done.err
    words = " ".join(done.out.split())
    assert "Pass rate of all 400 cases asked (276 judged, 124 without a verdict)" in words
    assert "Quote PPI++, of all 400 cases asked (276 judged, 124 without a verdict)" in words
    assert "100 with a label, used in the mean alone" in words
    (mean,) = json.loads(adjudge("agree", "r", "--json").out)["means"]
    assert mean["population"] == {"judged": 276, "unjudged": SILENT, "left_out": 0}
    estimate = mean["ppi"]["estimate"]
    truth = sum(people.values()) / 400
    assert estimate["low"] <= truth <= estimate["high"] < mean["naive"]["estimate"]["value"]
    assert estimate["value"] == pytest.approx(truth, abs=0.04)


def test_without_labels_of_cases_the_judge_left_the_mean_is_that_of_the_judged(
    abstaining_run, adjudge, tmp_path
):
    people = abstaining_run
    adjudge("agree", "r", "--next", "200", "-o", "to_label.jsonl")
    label(tmp_path, people, lambda case_id: int(case_id[1:]) >= SILENT)
    done = adjudge("agree", "r", "labels.jsonl")
    words = " ".join(done.out.split())
    assert "Quote PPI++, of the 276 judged cases alone" in words
    assert "124 cases without a verdict not in the mean: too few have labels" in words
    (mean,) = json.loads(adjudge("agree", "r", "--json").out)["means"]
    assert mean["population"] == {"judged": 276, "unjudged": 0, "left_out": SILENT}
    bounds = mean["if_left_out"]
    assert bounds["low"]["low"] < sum(people.values()) / 400 < bounds["high"]["high"]
    assert bounds["high"]["value"] - bounds["low"]["value"] == pytest.approx(SILENT / 400)
