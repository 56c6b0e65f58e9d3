"""Rubrics as a person meets them: a sentence, a column, a judge file; report, labels, estimate, resume and pages."""

import json

import pytest
from jsonl import parse_lines, read_lines, write_lines
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
    rows = parse_lines(done.out)
    assert [row["exact"] for row in rows] == [1, 1 / 3, 1 / 3, 2 / 3]
    assert [row["passed"] for row in rows] == [True, False, False, True]
    assert [row["calls"] for row in rows] == [3 if ask == "each" else 1] * 4
    again = parse_lines(support("run", "--name", "again", "-o", "-").out)
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
    rows = parse_lines(support("run", "--repeat", "2", "-o", "-").out)
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


def agreed_with(adjudge, *flags):
    done = adjudge("agree", "r", *flags, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    figures = {each["criterion"]: each["coefficients"] for each in found["criteria"]}
    return found, {
        name: (each["rows"], each["figures"]["accuracy"]["value"]) for name, each in figures.items()
    }


def test_a_label_file_has_a_list_or_an_object_by_criterion(support, adjudge, tmp_path):
    support.make()
    assert support("run", "--name", "r").code == 0
    rows = [
        {"case_id": "c0", "label": [True, True, False]},
        {"case_id": "c1", "label": {"support": [False, False, False]}},
        {"case_id": "c2", "label": {"Is polite": False, "Names a next step": "true"}},
        {"case_id": "c3", "label": [None, None, None]},
    ]
    write_lines(tmp_path / "labels.jsonl", rows)
    wanted = {"Is polite": (3, 2 / 3), "Names a next step": (3, 1.0), "Promises a <b>refund</b>": (2, 1.0)}
    found, criteria = agreed_with(adjudge, "labels.jsonl", "--no-keep")
    assert criteria == wanted
    assert agreed_with(adjudge, "labels.jsonl")[1] == wanted
    found, criteria = agreed_with(adjudge)  # of the store
    assert criteria == wanted
    assert (found["labelled"], found["partial_labels"], found["disagreeing"]) == (2, 1, 1)
    assert "In part" in adjudge("agree", "r").out
    # the label of the whole is the score that the answers give: 0 of 3 points, where the judge found 1
    assert [(each["case_id"], each["people"]) for each in found["disagreements"]] == [("c1", [0.0])]
    assert found["sources"] == [{"kind": "store", "labels": 2, "file": None}]


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ([True, False], "lists 2 values, and support asks for 3"),
        ({"Is polite": 4}, "`Is polite`: `4`"),
        ({"Is rude": True}, "`Is rude`: `True`"),
        ([1, 0, 1], "a list of true, false or null for each criterion"),
        ({"support": "?"}, "are not on the scale of support"),
    ],
)
def test_a_label_that_does_not_fit_the_rubric_stops_the_file(support, adjudge, tmp_path, label, says):
    support.make()
    assert support("run", "--name", "r").code == 0
    good = {"case_id": "c0", "label": [True, True, True]}
    write_lines(tmp_path / "labels.jsonl", [good, {"case_id": "c1", "label": label}])
    done = adjudge("agree", "r", "labels.jsonl")
    assert done.code == 2
    assert says in done.err
    assert adjudge("agree", "r").code == 2  # none was stored


def test_labels_of_several_people_and_of_the_cases_are_merged(support, adjudge, tmp_path):
    support.make(labels=[[True, True, False], [False, None, None], [True, None, None], [True, True, True]])
    assert support("run", "--name", "r").code == 0
    rows = [
        {"case_id": "c1", "label": [True, False, False]},  # in place of the case's own
        {"case_id": "c3", "label": 0.5},  # in place of the case's own, which had criteria
        {"case_id": "c2", "label": [False, True, True], "annotator": "anna"},  # beside the case's own
        {"case_id": "c0", "label": [False, True, False], "annotator": "anna", "split": "tune"},
    ]
    write_lines(tmp_path / "labels.jsonl", rows)
    found, criteria = agreed_with(adjudge, "labels.jsonl")
    assert criteria["Is polite"] == (3, pytest.approx(2 / 3))  # c1, and of c2 one of two people
    assert criteria["Names a next step"] == (2, 1.0)
    assert (found["tuned_on"], found["annotators"]) == (1, ["", "anna"])
    _, criteria = agreed_with(adjudge, "--adjudicator", "anna")
    assert criteria["Is polite"] == (2, 1.0)


def test_a_draw_names_the_criteria_and_a_filled_file_is_read(support, adjudge, tmp_path):
    support.make()
    assert support("run", "--name", "r").code == 0
    done = adjudge("agree", "r", "--next", "4", "-o", "to_label.jsonl")
    assert "label: true, false or null for each criterion" in done.err
    rows = parse_lines((tmp_path / "to_label.jsonl").read_text())
    blank = {"Is polite": None, "Names a next step": None, "Promises a <b>refund</b>": None}
    assert [row["label"] for row in rows] == [blank] * 4
    unfilled = adjudge("agree", "r", "to_label.jsonl")
    assert unfilled.code == 2
    assert "fill in `label`: true, false or null for each criterion" in unfilled.err
    for row in rows:
        row["label"] = dict(zip(blank, MET[int(row["case_id"][1])], strict=True))
    write_lines(tmp_path / "filled.jsonl", rows)
    found, criteria = agreed_with(adjudge, "filled.jsonl")
    assert set(criteria.values()) == {(4, 1.0)}
    assert (found["labelled"], found["disagreeing"]) == (4, 0)
    assert adjudge("agree", "r", "--forget").code == 0
    assert adjudge("agree", "r", "--next", "0", "-o", "to_label.csv").code == 0
    text = (tmp_path / "to_label.csv").read_text()
    assert text.count('""Is polite"":null') == 4
    (tmp_path / "filled.csv").write_text(text.replace("null", "true"))
    assert agreed_with(adjudge, "filled.csv")[1]["Is polite"] == (4, 0.75)


def test_stored_answers_are_scored_by_the_points_that_the_judge_now_has(support, adjudge, tmp_path):
    support.make()
    assert support("run", "--name", "old").code == 0
    write_lines(tmp_path / "labels.jsonl", [{"case_id": "c1", "label": [True, False, False]}])
    assert adjudge("agree", "old", "labels.jsonl").code == 0
    (tmp_path / "support.md").write_text(
        (tmp_path / "support.md").read_text().replace("points: 2", "points: 3")
    )
    assert support("run", "--name", "r").code == 0
    found, criteria = agreed_with(adjudge)
    assert criteria["Names a next step"] == (1, 1.0)
    assert (found["labelled"], found["disagreeing"]) == (1, 0)  # a quarter of the points, not a third


def test_criteria_of_a_column_are_labelled_case_by_case(adjudge, tmp_path):
    listed = [{"criterion": "Polite", "points": 1}, {"criterion": "Rude", "points": -1}]
    cases = [
        {"id": "a", "response": "x", "checks": SENTENCE},
        {"id": "b", "response": "x", "checks": listed},
        {"id": "c", "response": "y", "checks": json.dumps(listed[:1])},
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    replies = [
        {"case_id": "a", "reply": {"reason": "No.", "passed": False}},
        {"case_id": "b", "reply": said((True, False))},
        {"case_id": "c", "reply": said((True,))},
    ]
    write_lines(tmp_path / "r.jsonl", replies)
    flags = ("--judge", "rubric", "--columns", "rubric=checks", "--model", "scripted:r.jsonl")
    assert adjudge("run", "cases.jsonl", *flags, "--name", "r").code == 0
    assert adjudge("agree", "r", "--next", "3", "-o", "to_label.jsonl").code == 0
    rows = {row["case_id"]: row["label"] for row in parse_lines((tmp_path / "to_label.jsonl").read_text())}
    assert rows == {"a": None, "b": {"Polite": None, "Rude": None}, "c": {"Polite": None}}
    labels = {"a": False, "b": [True, True], "c": [True]}
    write_lines(tmp_path / "l.jsonl", [{"case_id": name, "label": each} for name, each in labels.items()])
    found, criteria = agreed_with(adjudge, "l.jsonl")
    assert criteria == {"Polite": (2, 1.0), "Rude": (1, 0.0)}
    assert (found["labelled"], found["disagreeing"]) == (3, 1)
    with served(tmp_path / ".adjudge") as site:
        turns = {
            case_id: site.read("/api/runs/r/label/next", params={"annotator": "Ann", "case": case_id})
            for case_id in rows
        }
    asked = {name: [part["name"] for part in turn["choices"]["parts"]] for name, turn in turns.items()}
    assert asked == {"a": [], "b": ["Polite", "Rude"], "c": ["Polite"]}


def test_criteria_of_a_column_are_known_where_the_judge_abstained_or_did_not_ask(adjudge, tmp_path):
    cases = [
        {"id": "torn", "response": "x", "checks": [{"criterion": "Polite"}]},
        {"id": "blank", "response": "", "checks": ["Brief"]},
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    for name, met in (("yes", True), ("no", False)):
        write_lines(tmp_path / f"{name}.jsonl", [{"case_id": "torn", "reply": said((met,))}])
    flags = ("--judge", "rubric", "--columns", "rubric=checks", "--jury", "majority")
    models = ("--model", "scripted:yes.jsonl", "--model", "scripted:no.jsonl")
    assert adjudge("run", "cases.jsonl", *flags, *models, "--name", "r", "-o", "rows.jsonl").code == 0
    outcomes = {row["case_id"]: row["outcome"] for row in read_lines(tmp_path / "rows.jsonl")}
    assert outcomes == {"torn": "abstained", "blank": "scored"}  # by rule
    assert adjudge("agree", "r", "--next", "2", "-o", "to_label.jsonl").code == 0
    rows = {row["case_id"]: row["label"] for row in read_lines(tmp_path / "to_label.jsonl")}
    assert rows == {"torn": {"Polite": None}, "blank": {"Brief": None}}
    with served(tmp_path / ".adjudge") as site:
        turns = {
            case_id: site.read("/api/runs/r/label/next", params={"annotator": "Ann", "case": case_id})
            for case_id in rows
        }
    asked = {name: [part["name"] for part in turn["choices"]["parts"]] for name, turn in turns.items()}
    assert asked == {"torn": ["Polite"], "blank": ["Brief"]}


def label_form(site, ticket, **parts):
    fields = {"judge": "support", "annotator": "Ann", "case_id": ticket, **parts}
    return site.client.post("/runs/r/label/keep", data=fields, follow_redirects=False)


def test_the_label_page_asks_about_each_criterion_without_a_script(support, adjudge, tmp_path):
    support.make()
    assert support("run", "--name", "r").code == 0
    with served(tmp_path / ".adjudge") as site:
        assert site.client.post("/api/runs/r/draws", json={"count": 4}).status_code == 201
        turn = site.read("/api/runs/r/label/next", params={"annotator": "Ann"})
        names = ["Is polite", "Names a next step", "Promises a <b>refund</b>"]
        assert [part["name"] for part in turn["choices"]["parts"]] == names
        page = site.client.get("/runs/r/label/next", params={"annotator": "Ann"}).text
        assert page.count('type="radio"') == 9
        assert "Promises a &lt;b&gt;refund&lt;/b&gt;" in page
        assert "Why 1." not in page
        case = turn["case"]
        answer = label_form(site, case["ticket"], part_0="true", part_1="", part_2="false")
        assert answer.status_code == 303
        (kept,) = site.read("/api/runs/r/labels")["labels"]
        assert (kept["label"], kept["parts"]) == (None, {names[0]: True, names[2]: False})
        back = {"annotator": "Ann", "case": case["ticket"]}
        assert site.client.get("/runs/r/label/next", params=back).text.count(" checked") == 3
        shown = site.client.get(f"/runs/r/case?case={case['case_id']}").text
        assert "<b>no</b> Promises a &lt;b&gt;refund&lt;/b&gt;" in shown
        written = site.client.get("/api/runs/r/labels/file").text
        assert parse_lines(written)[0]["label"] == {names[0]: True, names[2]: False}
        nothing = label_form(site, case["ticket"], part_0="", part_1="", part_2="")
        assert nothing.status_code == 400
        assert label_form(site, case["ticket"], part_0="true", part_999="true").status_code == 400
        body = {"annotator": "Ben", "case_id": case["case_id"], "label": [True, False, False]}
        whole = site.client.post("/api/runs/r/labels", json=body)
        assert (whole.json()["label"], whole.json()["parts"]) == (
            pytest.approx(1 / 3),
            dict(zip(names, [True, False, False], strict=True)),
        )
        as_csv = site.client.get("/api/runs/r/labels/file", params={"format": "csv"}).text
    (tmp_path / "labels.csv").write_text(as_csv)
    assert adjudge("agree", "r", "--forget").code == 0
    found, criteria = agreed_with(adjudge, "labels.csv")
    assert {name: rows for name, (rows, _) in criteria.items()} == dict(zip(names, (2, 1, 2), strict=True))
    assert found["annotators"] == ["Ann", "Ben"]


def test_a_rubric_in_a_sentence(adjudge, tmp_path):
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "response": "Please call us."}])
    write_lines(tmp_path / "r.jsonl", [{"case_id": "a", "reply": {"reason": "It is.", "passed": True}}])
    flags = ("run", "cases.jsonl", "--judge", "rubric", "--variables", f"rubric={SENTENCE}")
    done = adjudge(*flags, "--model", "scripted:r.jsonl", "-o", "-")
    assert done.code == 0, done.err
    (row,) = parse_lines(done.out)
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
    rows = parse_lines(done.out)
    assert [row["outcome"] for row in rows] == ["scored", "scored", "bad_row", "missing_input"]
    assert [row["score"] for row in rows] == [0, 1, None, None]
    assert "no criterion has points above 0" in rows[2]["error"]["message"]
    shown = adjudge("show", "rubric", "--case", "cases.jsonl").out
    assert SENTENCE in shown
