"""Groundedness as a person meets it: rows, report, steps, windows, estimate, pages and certify's attacks on the context."""

import json

import pytest
from jsonl import parse_lines, write_lines
from served import served

from adjudge.embedded.ready import find_merged
from adjudge.errors import InputError

CONTEXT = "The tower was finished in 1889.\n\nIt is <b>330</b> metres tall."
CLAIMS = [
    {"claim": "It was finished in 1889.", "quote": "finished in 1889"},
    {"claim": "It is 300 metres tall.", "quote": "300 metres tall"},
    {"claim": "It has a <script>gold</script> roof.", "quote": "<script>gold</script> roof"},
]
RESPONSE = "It was finished in 1889, is 300 metres tall and has a <script>gold</script> roof."
ANSWERS = [
    {"id": "C1", "passage": "finished in 1889", "why": "Stated.", "verdict": "supported"},
    {"id": "C2", "passage": "It is <b>330</b> metres tall", "why": "330.", "verdict": "contradicted"},
    {"id": "C3", "passage": "a gold roof", "why": "Surely.", "verdict": "supported"},
]


@pytest.fixture
def towers(adjudge, tmp_path):
    cases = [
        {"id": "a", "retrieved_contexts": CONTEXT.split("\n\n"), "response": RESPONSE},
        {"id": "b", "retrieved_contexts": CONTEXT.split("\n\n"), "response": "I cannot say."},
        {"id": "c", "retrieved_contexts": [], "response": RESPONSE},
        {"id": "d", "retrieved_contexts": ["The tower was finished in 1889."], "response": "1889."},
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    replies = [
        {"case_id": "a", "step": "items", "reply": {"claims": CLAIMS}},
        {"case_id": "a", "step": "verdict", "reply": {"claims": ANSWERS}},
        {"case_id": "b", "step": "items", "reply": {"claims": []}},
        {"case_id": "d", "step": "items", "reply": {"claims": [{"claim": "It was 1889.", "quote": "1889"}]}},
        {"case_id": "d", "step": "verdict", "reply": {"claims": ANSWERS[:1]}},
    ]
    write_lines(tmp_path / "replies.jsonl", replies)

    def call(command="run", *more):
        model = ("--model", "scripted:replies.jsonl")
        return adjudge(command, "cases.jsonl", "--judge", "groundedness", *model, *more)

    return call


def test_rows_report_steps_and_pages(towers, adjudge, tmp_path):
    done = towers("run", "--name", "r", "-o", "-")
    rows = parse_lines(done.out)
    assert [row["outcome"] for row in rows] == ["scored", "abstained", "missing_input", "scored"]
    assert [row["score"] for row in rows] == [pytest.approx(1 / 3), None, None, 1]
    assert [row["passed"] for row in rows] == [False, None, None, True]
    assert [row["calls"] for row in rows] == [2, 1, 0, 2]
    assert rows[0]["notes"] == ["passage_not_found:C3"]
    assert rows[1]["notes"] == ["no_claims"]
    assert (rows[1]["error"], rows[1]["reason"]) == (None, "The response makes no claim.")
    assert rows[2]["error"] == {"kind": "missing_input", "message": "`context` is empty"}
    assert [each["verdict"] for each in rows[0]["verdict"]["claims"]] == [
        "supported",
        "contradicted",
        "not_found",
    ]
    again = parse_lines(towers("run", "--name", "again", "-o", "-").out)
    assert [row["verdict"] for row in again] == [row["verdict"] for row in rows]
    assert again[0]["from_store"]
    (figures,) = json.loads(adjudge("report", "r", "--json").out)["judges"]
    shares = {each["verdict"]: (each["share"]["value"], each["share"]["n"]) for each in figures["claims"]}
    assert shares == {"supported": (0.5, 4), "contradicted": (0.25, 4), "not_found": (0.25, 4)}
    report = " ".join(adjudge("report", "r").out.split())
    assert "Claims of groundedness, 4 in all" in report
    shown = " ".join(adjudge("show", "r", "a").out.split())
    assert "+ supported: C1 It was finished in 1889. why: Stated. passage: finished in 1889" in shown
    assert "- contradicted: C2 It is 300 metres tall." in shown
    assert "its passage is not in the context" in shown
    assert "supported: 1 / 3 = 1/3" in shown
    with served(tmp_path / ".adjudge") as site:
        page = site.client.get("/runs/r").text
        assert "Claims of" in page
        case = site.client.get("/runs/r/case?case=a").text
        assert "<script>gold" not in case
        assert "<b>330" not in case
        assert case.count("contradicted") >= 1
        assert "finished in 1889</mark>" in case
        assert site.client.get("/runs/r/case?case=b").status_code == 200


def test_estimate_and_show_count_a_call_for_each_window(adjudge, tmp_path):
    long = " ".join(f"On day {number} the tower was painted in brown." for number in range(2_000))
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "context": long, "response": "It was painted."}])
    write_lines(tmp_path / "r.jsonl", [{"case_id": "z", "reply": "none"}])
    flags = ("--judge", "groundedness", "--model", "scripted:r.jsonl", "--json")
    found = json.loads(adjudge("estimate", "cases.jsonl", *flags).out)
    windows = -(-len(long) // 24_000)
    assert found["calls"]["likely"] in {1 + windows, 2 + windows}
    assert found["input_tokens"]["likely"] > len(long) / 4
    shown = adjudge("show", "groundedness", "--case", "cases.jsonl").out
    assert shown.count("Check claims against a context") == found["calls"]["likely"] - 1


def test_windows_are_asked_resumed_and_noted(adjudge, tmp_path):
    long = " ".join(f"On day {number} the tower was painted in brown." for number in range(1_200))
    cases = [{"id": "a", "context": f"{long} It opened in 1889.", "response": "It opened in 1889."}]
    write_lines(tmp_path / "cases.jsonl", cases)
    listed = {"claims": [{"claim": "It opened in 1889.", "quote": "opened in 1889"}]}
    unsure = {"claims": [{"id": "C1", "passage": None, "why": "No.", "verdict": "not_found"}]}
    sure = {
        "claims": [{"id": "C1", "passage": "It opened in 1889.", "why": "Stated.", "verdict": "supported"}]
    }
    steps = {"items": listed, "verdict_1": unsure, "verdict_2": unsure, "verdict_3": sure}
    replies = [{"case_id": "a", "step": step, "reply": reply} for step, reply in steps.items()]
    write_lines(tmp_path / "r.jsonl", replies)
    flags = ("run", "cases.jsonl", "--judge", "groundedness", "--model", "scripted:r.jsonl", "-o", "-")
    stopped = parse_lines(adjudge(*flags, "--max-calls", "2").out)
    assert [row["outcome"] for row in stopped] == ["not_asked"]
    (row,) = parse_lines(adjudge(*flags).out)
    assert (row["outcome"], row["score"], row["calls"]) == ("scored", 1, 4)
    assert row["notes"] == ["context_windows:3"]


@pytest.mark.parametrize("model", [(), ("--model", "embedded")])
def test_without_another_model_the_embedded_judge_answers(towers, adjudge, model):
    del towers
    try:
        find_merged()
    except InputError:
        pytest.skip("the embedded judge's model is not on this machine: `adjudge models pull`")
    rows = parse_lines(adjudge("run", "cases.jsonl", "--judge", "groundedness", *model, "-o", "-").out)
    assert [row["outcome"] for row in rows] == ["scored", "abstained", "missing_input", "scored"]
    assert all(row["model"].startswith("embedded@") for row in rows)
    (claim,) = rows[3]["verdict"]["claims"]
    assert claim["quote"] == "1889."
    assert {each["verdict"] for row in (rows[0], rows[3]) for each in row["verdict"]["claims"]} <= {
        "supported",
        "not_found",
    }
