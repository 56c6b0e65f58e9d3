"""Several ratings in one call: each with its own figures, as a person meets them."""

import json

import pytest
from conversation import case_of, converse
from hypothesis import given
from hypothesis import strategies as st
from jsonl import read_lines, write_lines
from served import served

from adjudge.errors import JudgeFileError
from adjudge.judges import parse_judge

FRONT = """ratings:
  clarity: {scale: [1, 5], passes: score >= 4}
  tone: {scale: [1, 3]}
  padding: {scale: [0, 10], better: lower, passes: score <= 2 and clarity >= 2}
"""
BODY = """Rate the response for clarity, tone and padding.

{{ fenced.response }}
"""
SAID = [(5, 3, 0), (4, 2, 2), (1, 1, 1), (3, 3, 10)]
PEOPLE = [(5, 3, 0), (5, 2, 2), (1, 1, 3), (3, 1, 10)]


def judge(front=FRONT, body=BODY):
    return parse_judge(f"---\nadjudge: 1\nname: style\n{front}---\n{body}", name="style")


STYLE = judge()


def said(ratings):
    return {"reason": "So.", **dict(zip(("clarity", "tone", "padding"), ratings, strict=True))}


def test_they_are_asked_for_in_one_call_after_one_reason():
    (request,), ruling = converse(STYLE, case_of(response="x"), said((5, 3, 0)))
    assert list(request.schema["properties"]) == ["reason", "clarity", "tone", "padding"]
    assert request.schema["properties"]["clarity"] == {"type": "integer", "minimum": 1, "maximum": 5}
    assert '"padding": an integer from 0 to 10' in request.prompt.messages[-1].content
    assert ruling.outcome.score.value == 1.0
    assert STYLE.contract.needs == ("clarity", "tone", "padding")


def test_each_is_held_to_its_own_scale():
    requests, ruling = converse(STYLE, case_of(response="x"), said((5, 4, 0)), said((5, 3, 0)))
    assert len(requests) == 2
    assert "tone" in requests[1].prompt.messages[-1].content
    assert ruling.outcome.score.value == 1.0


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 10))
def test_without_a_rule_the_score_is_the_mean_of_all_from_0_to_1(clarity, tone, padding):
    _, ruling = converse(STYLE, case_of(response="x"), said((clarity, tone, padding)))
    wanted = ((clarity - 1) / 4 + (tone - 1) / 2 + (10 - padding) / 10) / 3
    assert ruling.outcome.score.value == pytest.approx(wanted)


def test_a_score_of_ones_own_may_leave_some_out():
    own = judge(FRONT + "score: clarity\nscale: [1, 5]\npasses: score >= 3\n")
    _, ruling = converse(own, case_of(response="x"), said((4, 1, 9)))
    assert (ruling.outcome.score.value, ruling.passed) == (4.0, True)
    assert own.contract.needs == ("clarity", "tone", "padding")
    assert own.hash != STYLE.hash


@pytest.mark.parametrize(
    ("front", "problem"),
    [
        ("ratings: {clarity: {scale: [1, 5]}}\n", "two ratings or more"),
        ("ratings: {clarity: {scale: [1, 5]}, tone: {passes: score > 1}}\n", "`tone` has no scale"),
        ("ratings: {clarity: {scale: [1, 5]}, reason: {scale: [1, 5]}}\n", "cannot be called `reason`"),
        ("ratings: {clarity: {scale: [1, 5]}, tone: {scale: [1, 5], pases: x}}\n", "`tone` has `pases`"),
        ("ratings: {clarity: {scale: [1, 5]}, tone: {scale: [1, 5], better: up}}\n", "`better: up`"),
        (FRONT.replace("score >= 4", "score >= limit"), "`ratings` names `limit`"),
        (FRONT + "scale: [0, 5]\n", "without a `score:`"),
        (FRONT + "verdict: {clarity: integer, tone: string, padding: number}\n", "`tone` is no number"),
        (FRONT + "rubric: [x]\n", "does not go with `rubric`"),
    ],
)
def test_what_cannot_be_meant_is_an_error_when_the_file_is_loaded(front, problem):
    with pytest.raises(JudgeFileError) as error:
        judge(front)
    assert problem in str(error.value)


def test_each_has_its_mean_pass_rate_and_agreement_everywhere(adjudge, tmp_path):
    (tmp_path / "style.md").write_text(f"---\nadjudge: 1\nname: style\n{FRONT}---\n{BODY}")
    names = ("clarity", "tone", "padding")
    cases = [
        {"id": f"c{at}", "response": f"Answer {at}.", "label": dict(zip(names, people, strict=True))}
        for at, people in enumerate(PEOPLE)
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    write_lines(
        tmp_path / "r.jsonl", [{"case_id": f"c{at}", "reply": said(each)} for at, each in enumerate(SAID)]
    )
    flags = ("run", "cases.jsonl", "--judge", "style.md", "--model", "scripted:r.jsonl")
    assert adjudge(*flags, "--name", "r").code == 0
    assert all(
        json.loads(line)["from_store"] for line in adjudge(*flags, "--name", "s", "-o", "-").out.splitlines()
    )
    (figures,) = json.loads(adjudge("report", "r", "--json").out)["judges"]
    found = {each["name"]: each for each in figures["ratings"]}
    assert [found[name]["mean"]["value"] for name in names] == [3.25, 2.25, 3.25]
    assert found["clarity"]["mean"]["low"] < 3.25 < found["clarity"]["mean"]["high"]
    assert [found[name]["passed"] for name in names] == [2, None, 2]
    assert found["tone"]["pass_rate"] is None
    assert [found[name]["agreement"]["value"] for name in names] == [0.75, 0.75, 0.75]
    assert found["clarity"]["within_one"]["value"] == 1.0
    assert figures["agreement"] is None
    report = " ".join(adjudge("report", "r").out.split())
    assert "Ratings of style" in report
    assert "clarity 1–5 3.25" in report
    done = adjudge("agree", "r", "--json")
    assert done.code == 0, done.err
    agreed = {each["name"]: each["coefficients"]["figures"] for each in json.loads(done.out)["ratings"]}
    assert [agreed[name]["accuracy"]["value"] for name in names] == [0.75, 0.75, 0.75]
    assert "By rating" in adjudge("agree", "r").out
    assert adjudge("show", "style.md").out.count("rating     ") == 3
    assert adjudge("lint", "style.md").code == 0
    with served(tmp_path / ".adjudge") as site:
        assert "Ratings of" in site.client.get("/runs/r").text
        assert len(site.client.get("/api/runs/r").json()["report"]["judges"][0]["ratings"]) == 3


@pytest.fixture
def rated(adjudge, tmp_path):
    """A run without a label."""
    (tmp_path / "style.md").write_text(f"---\nadjudge: 1\nname: style\n{FRONT}---\n{BODY}")
    write_lines(
        tmp_path / "cases.jsonl", [{"id": f"c{at}", "response": f"Answer {at}."} for at in range(len(SAID))]
    )
    write_lines(
        tmp_path / "r.jsonl", [{"case_id": f"c{at}", "reply": said(each)} for at, each in enumerate(SAID)]
    )
    flags = ("cases.jsonl", "--judge", "style.md", "--model", "scripted:r.jsonl", "--name", "r")
    assert adjudge("run", *flags).code == 0
    return tmp_path


def agreed_with(adjudge, *flags):
    done = adjudge("agree", "r", *flags, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    return found, {
        each["name"]: (each["coefficients"]["rows"], each["coefficients"]["figures"]["accuracy"]["value"])
        for each in found["ratings"]
    }


def test_a_draw_names_the_ratings_with_their_scales_and_a_filled_file_is_read(rated, adjudge):
    names = ("clarity", "tone", "padding")
    done = adjudge("agree", "r", "--next", "4", "-o", "to_label.jsonl")
    assert "`padding` a number from 0 to 10 (lower is better)" in done.err
    rows = read_lines(rated / "to_label.jsonl")
    assert rows[0]["label"] == dict.fromkeys(names)
    assert rows[0]["rating_scales"]["clarity"] == "a number from 1 to 5"
    for row in rows:
        row["label"] = dict(zip(names, PEOPLE[int(row["case_id"][1])], strict=True))
    rows[0]["label"]["tone"] = None
    write_lines(rated / "filled.jsonl", rows)
    found, ratings = agreed_with(adjudge, "filled.jsonl")
    assert {name: count for name, (count, _) in ratings.items()} == {"clarity": 4, "tone": 3, "padding": 4}
    assert ratings["clarity"] == ratings["padding"] == (4, 0.75)
    assert (found["labelled"], found["partial_labels"]) == (3, 1)
    assert agreed_with(adjudge)[1] == ratings


@pytest.mark.parametrize(
    ("label", "says"),
    [
        ({"clarity": 6}, "`clarity`: `6`"),
        ({"clarity": 4, "warmth": 1}, "`warmth`: `1`"),
        ({"style": {"tone": "good"}}, "`tone` a number from 1 to 3"),
        ([True, True, True], "`tone`: `True`"),
    ],
)
def test_a_rating_that_is_off_its_scale_stops_the_file(rated, adjudge, label, says):
    write_lines(rated / "labels.jsonl", [{"case_id": "c0", "label": label}])
    done = adjudge("agree", "r", "labels.jsonl")
    assert done.code == 2
    assert says in done.err


def test_the_label_page_has_a_field_for_each_rating(rated, adjudge):
    with served(rated / ".adjudge") as site:
        assert site.client.post("/api/runs/r/draws", json={"count": 4}).status_code == 201
        turn = site.read("/api/runs/r/label/next", params={"annotator": "Ann"})
        page = site.client.get("/runs/r/label/next", params={"annotator": "Ann"}).text
        assert page.count('type="number"') == 3
        assert 'min="0" max="10"' in page
        fields = {"annotator": "Ann", "judge": "style", "case_id": turn["case"]["ticket"]}
        given = {"part_0": "5", "part_1": "3", "part_2": "0"}
        done = site.client.post("/runs/r/label/keep", data={**fields, **given}, follow_redirects=False)
        assert done.status_code == 303
        (kept,) = site.read("/api/runs/r/labels")["labels"]
        assert (kept["label"], kept["parts"]) == (1.0, {"clarity": 5.0, "tone": 3.0, "padding": 0.0})
        off = site.client.post("/runs/r/label/keep", data={**fields, **given, "part_0": "7"})
        assert off.status_code == 400
    assert {count for count, _ in agreed_with(adjudge)[1].values()} == {1}
