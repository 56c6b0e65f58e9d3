"""Rubrics as a person meets them: a sentence, a column, a judge file; report, labels, estimate, resume and pages."""

import json

import pytest
from served import served

JUDGE = """---
adjudge: 1
name: support
rubric:
  criteria:
    - {criterion: Is polite, points: 1}
    - {criterion: Names a next step, points: 2}
    - {criterion: Promises a <b>refund</b>, points: -1}
  ask: ASK
passes: score >= 0.5
---
Which criteria does the response meet?

{{ fenced.criteria }}

{{ fenced.response }}
"""
MET = [(True, True, False), (True, False, False), (False, True, True), (True, True, True)]
SENTENCE = "The answer is polite and names a next step"


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


def said(met, first=1):
    return {
        "criteria": [{"id": at, "reason": f"Why {at}.", "met": each} for at, each in enumerate(met, first)]
    }


@pytest.fixture
def support(adjudge, tmp_path):
    def make(ask="together", *, labels=()):
        (tmp_path / "support.md").write_text(JUDGE.replace("ASK", ask))
        cases = [
            {"id": f"c{at}", "response": f"Answer {at}.", **({"label": labels[at]} if labels else {})}
            for at in range(4)
        ]
        write_lines(tmp_path / "cases.jsonl", cases)
        replies = [
            {"case_id": f"c{at}", "step": f"verdict_{n}", "reply": said([met[n - 1]], n)}
            if ask == "each"
            else {"case_id": f"c{at}", "reply": said(met)}
            for at, met in enumerate(MET)
            for n in (range(1, 4) if ask == "each" else [0])
        ]
        write_lines(tmp_path / "replies.jsonl", replies)

    def call(command="run", *more):
        return adjudge(
            command, "cases.jsonl", "--judge", "support.md", "--model", "scripted:replies.jsonl", *more
        )

    call.make = make
    return call


@pytest.mark.parametrize("ask", ["together", "each"])
def test_a_judge_file_with_a_rubric(support, adjudge, ask):
    support.make(ask)
    done = support("run", "--name", "r", "-o", "-")
    assert done.code == 0, done.err
    rows = rows_of(done.out)
    assert [row["exact"] for row in rows] == [1, 1 / 3, 1 / 3, 2 / 3]
    assert [row["passed"] for row in rows] == [True, False, False, True]
    assert [row["calls"] for row in rows] == [3 if ask == "each" else 1] * 4
    again = rows_of(support("run", "--name", "again", "-o", "-").out)
    assert [row["from_store"] for row in again] == [True] * 4
    assert [row["verdict"] for row in again] == [row["verdict"] for row in rows]
    (figures,) = json.loads(adjudge("report", "r", "--json").out)["judges"]
    assert [(each["criterion"], each["points"], each["met"]["value"]) for each in figures["criteria"]] == [
        ("Is polite", 1, 0.75),
        ("Names a next step", 2, 0.75),
        ("Promises a <b>refund</b>", -1, 0.5),
    ]
    assert figures["criteria"][0]["met"]["low"] < 0.75 < figures["criteria"][0]["met"]["high"]
    report = " ".join(adjudge("report", "r").out.split())
    assert "Criteria of support" in report
    assert "Names a next step 2 4 75.0 % [30.1, 95.4]" in report
    shown = " ".join(adjudge("show", "r", "c3").out.split())
    assert "+ met, 2 of 2: 2 Names a next step" in shown
    assert "- met, -1: 3 Promises a <b>refund</b>" in shown
    assert "points: 2 / 3 = 2/3" in shown
    assert "criterion  3 (-1): Promises" in adjudge("show", "support.md").out
    assert adjudge("lint", "support.md").code == 0


def test_estimate_counts_a_call_for_each_criterion(support):
    support.make("each")
    assert json.loads(support("estimate", "--json").out)["calls"]["likely"] == 12
    support.make("together")
    assert json.loads(support("estimate", "--json").out)["calls"]["likely"] == 4


def test_repeats_are_judgements_of_their_own(support):
    support.make()
    rows = rows_of(support("run", "--repeat", "2", "-o", "-").out)
    assert [(row["case_id"], row["repeat"]) for row in rows][:3] == [("c0", 0), ("c0", 1), ("c1", 0)]
    assert {row["outcome"] for row in rows} == {"scored"}


def test_labels_by_criterion_give_each_its_agreement(support, adjudge, tmp_path):
    people = [[True, True, False], [True, True, False], [False, True, None], [False, True, True]]
    support.make(labels=people)
    assert support("run", "--name", "r").code == 0
    (figures,) = json.loads(adjudge("report", "r", "--json").out)["judges"]
    assert [each["agreement"]["value"] for each in figures["criteria"]] == [0.75, 0.75, 1.0]
    assert [each["labelled"] for each in figures["criteria"]] == [4, 4, 3]
    assert figures["agreement"] is None
    assert "Agreement" in adjudge("report", "r").out
    done = adjudge("agree", "r", "--json")
    assert done.code == 0, done.err
    agreed = json.loads(done.out)
    accuracies = {
        each["criterion"]: each["coefficients"]["figures"]["accuracy"]["value"] for each in agreed["criteria"]
    }
    assert accuracies == {"Is polite": 0.75, "Names a next step": 0.75, "Promises a <b>refund</b>": 1.0}
    assert agreed["labelled"] == 3  # a list with a null is no label of the whole
    assert "By criterion" in adjudge("agree", "r").out
    with served(tmp_path / ".adjudge") as site:
        page = site.client.get("/runs/r").text
        assert "Criteria of" in page
        assert "Promises a &lt;b&gt;refund&lt;/b&gt;" in page
        assert "<b>refund" not in page
        case = site.client.get("/runs/r/case?case=c3").text
        assert "Promises a &lt;b&gt;refund&lt;/b&gt;" in case
        assert "<b>refund" not in case
        found = site.client.get("/api/runs/r").json()
        assert len(found["report"]["judges"][0]["criteria"]) == 3


def test_criteria_have_their_agreement_where_no_case_is_labelled_whole(support, adjudge):
    support.make(labels=[[True, None, None], [False, None, None], [None, None, None], [True, None, None]])
    assert support("run", "--name", "r").code == 0
    done = adjudge("agree", "r", "--json")
    assert done.code == 0, done.err
    agreed = json.loads(done.out)
    assert agreed["labelled"] == 0
    (only,) = agreed["criteria"]
    assert (only["criterion"], only["coefficients"]["rows"]) == ("Is polite", 3)
    assert only["coefficients"]["figures"]["accuracy"]["value"] == pytest.approx(2 / 3)
    assert "By criterion" in adjudge("agree", "r").out


def test_a_rubric_in_a_sentence(adjudge, tmp_path):
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "response": "Please call us."}])
    write_lines(tmp_path / "r.jsonl", [{"case_id": "a", "reply": {"reason": "It is.", "passed": True}}])
    flags = ("run", "cases.jsonl", "--judge", "rubric", "--variables", f"rubric={SENTENCE}")
    done = adjudge(*flags, "--model", "scripted:r.jsonl", "-o", "-")
    assert done.code == 0, done.err
    (row,) = rows_of(done.out)
    assert (row["judge"], row["score"], row["passed"], row["reason"]) == ("rubric", 1, True, "It is.")
    shown = adjudge("show", "rubric", "--case", "cases.jsonl", "--variables", f"rubric={SENTENCE}").out
    assert SENTENCE in shown
    for model in ((), ("--model", "embedded")):
        done = adjudge(*flags, *model)
        assert done.code == 2
        assert "trained for" in done.err
        assert "openai:" in done.err


def test_a_column_of_rubrics_may_have_a_sentence_here_and_criteria_there(adjudge, tmp_path):
    listed = [{"criterion": "Polite", "points": 1}, {"criterion": "Rude", "points": -1}]
    cases = [
        {"id": "a", "response": "x", "rubric": SENTENCE},
        {"id": "b", "response": "x", "rubric": listed},
        {"id": "c", "response": "x", "rubric": [{"criterion": "Rude", "points": -1}]},
        {"id": "d", "response": "x"},
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    replies = [
        {"case_id": "a", "reply": {"reason": "No.", "passed": False}},
        {"case_id": "b", "reply": said((True, False))},
    ]
    write_lines(tmp_path / "r.jsonl", replies)
    done = adjudge("run", "cases.jsonl", "--judge", "rubric", "--model", "scripted:r.jsonl", "-o", "-")
    rows = rows_of(done.out)
    assert [row["outcome"] for row in rows] == ["scored", "scored", "bad_row", "missing_input"]
    assert [row["score"] for row in rows] == [0, 1, None, None]
    assert "no criterion has points above 0" in rows[2]["error"]["message"]
    shown = adjudge("show", "rubric", "--case", "cases.jsonl").out
    assert SENTENCE in shown
