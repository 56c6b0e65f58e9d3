"""Two systems' files are compared by case id, in both orders, and reported, stored, resumed and labelled as such."""

import json
from pathlib import Path

import pytest
from jsonl import parse_lines, read_lines, write_lines

import adjudge as library
from adjudge.errors import DatasetError, SettingsError
from adjudge.records import Request

EXAMPLES = Path(__file__).parents[2] / "examples" / "pairwise"
OURS, THEIRS = str(EXAMPLES / "ours.jsonl"), str(EXAMPLES / "theirs.jsonl")
SCRIPT = f"scripted:{EXAMPLES / 'replies.jsonl'}"
RUN = ("run", OURS, "--against", THEIRS, "--judge", "preference", "--model", SCRIPT)
WINNERS = {
    "bridge": "a", "yeast": "a", "tides": "a", "rust": "tie", "sky": "b", "leap": "a", "onion": "tie", "echo": "tie",
    "moss": "a", "salt": "b",
}  # fmt: skip


def test_two_files_are_paired_by_id_and_the_verdicts_are_those_written_out(adjudge, tmp_path):
    done = adjudge(*RUN, "-o", "rows.jsonl", "-o", "report.html", "--name", "r")
    assert done.code == 0
    assert "10 cases in both files; only in this file: 1 (comet); only in --against: 1 (quartz)" in done.err
    rows = read_lines(tmp_path / "rows.jsonl")
    assert {row["case_id"]: row["verdict"]["winner"] for row in rows} == WINNERS
    assert {row["case_id"] for row in rows if "inconsistent" in row["notes"]} == {"onion", "echo"}
    assert [row["calls"] for row in rows] == [2] * 10
    for text in (done.out, adjudge("report", "r").out, (tmp_path / "report.html").read_text()):
        flat = " ".join(text.split())
        assert "A wins 5, B wins 2, ties 1, inconsistent 2 (counted as ties)" in flat
        assert "the answer shown first is preferred: 61.1 %" in flat
        assert "1 case only in A" in flat
        assert "65.0 %" in flat


def test_the_figures_are_in_the_json_of_the_report(adjudge):
    report = json.loads(adjudge(*RUN, "--json").out)
    (judge,) = report["judges"]
    assert judge["mean"]["value"] == 0.65
    assert judge["pairs"]["inconsistent"] == 2
    assert judge["pairs"]["consistent"]["value"] == 0.8
    assert (report["pairing"]["a_ids"], report["pairing"]["b_ids"]) == (["comet"], ["quartz"])


def test_a_case_shows_both_orders_and_how_the_score_came_about(adjudge):
    adjudge(*RUN, "--name", "r")
    shown = adjudge("show", "r", "onion").out
    assert "A first: A is better; B first: B is better" in shown
    assert "--- verdict_swapped: reply ---" in shown


def test_a_second_run_is_answered_from_the_store_and_another_file_is_another_run(adjudge, tmp_path):
    adjudge(*RUN, "-o", "one.jsonl")
    adjudge(*RUN, "-o", "two.jsonl")
    assert [row["from_store"] for row in read_lines(tmp_path / "two.jsonl")] == [True] * 10
    changed = [
        {**row, "response": row["response"] + " Really."} for row in read_lines(EXAMPLES / "theirs.jsonl")
    ]
    other = write_lines(tmp_path / "other.jsonl", changed)
    adjudge("run", OURS, "--against", str(other), *RUN[4:], "-o", "three.jsonl")
    names = [read_lines(tmp_path / f"{name}.jsonl")[0]["run"] for name in ("one", "two", "three")]
    assert names[1] == f"{names[0]}-2"
    assert not names[2].startswith(names[0])
    assert not any(row["from_store"] for row in read_lines(tmp_path / "three.jsonl"))


def test_a_run_stopped_by_a_limit_is_resumed_with_nothing_asked_twice(adjudge, tmp_path):
    first = adjudge(*RUN, "--max-calls", "7", "-j", "1", "-o", "rows.jsonl", "--name", "r")
    assert "7" in first.out + first.err
    done = adjudge(*RUN, "-o", "rows.jsonl", "--name", "r")
    assert done.code == 0
    assert {
        row["case_id"]: row["verdict"]["winner"] for row in read_lines(tmp_path / "rows.jsonl")
    } == WINNERS


def test_an_estimate_counts_two_calls_for_a_case(adjudge):
    found = adjudge("estimate", *RUN[1:], "--json")
    assert json.loads(found.out)["calls"] == {"low": 20, "likely": 20, "high": 60}


@pytest.mark.parametrize(
    ("other", "judge", "message"),
    [
        ([{"id": "x", "question": "q", "response": "r"}], "preference", "no case id is in both files"),
        (None, "correctness", "correctness judges one answer and does not compare two"),
    ],
)
def test_what_cannot_be_paired_is_exit_2(adjudge, tmp_path, other, judge, message):
    against = THEIRS if other is None else str(write_lines(tmp_path / "b.jsonl", other))
    done = adjudge("run", OURS, "--against", against, "--judge", judge, "--model", SCRIPT)
    assert done.code == 2
    assert message in done.err


def test_no_model_is_a_message_that_says_what_to_use(adjudge):
    done = adjudge("run", OURS, "--against", THEIRS, "--judge", "preference")
    assert done.code == 2
    assert "the embedded judge was not trained for preference" in done.err
    done = adjudge(*RUN[:-1], "embedded")
    assert done.code == 2
    assert "use a judge that it answers" in done.err


def test_labels_in_any_case_are_on_its_scale(adjudge, tmp_path):
    adjudge(*RUN, "--name", "r")
    said = ["A", "a", "B", "TIE", "b", " Tie ", "tie", "B", "A", "A"]
    labels = [{"case_id": case, "label": label} for case, label in zip(WINNERS, said, strict=True)]
    write_lines(tmp_path / "labels.jsonl", labels)
    done = adjudge("agree", "r", "labels.jsonl", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["labelled"], found["disagreeing"]) == (10, 4)
    assert found["agreement"][0]["labels"] == [0, 0.5, 1]
    assert found["agreement"][0]["figures"]["accuracy"]["value"] == 0.6
    assert found["compares"]
    said = adjudge("agree", "r").out
    assert "people: A" in said
    assert "people: B" in said
    assert "within 1 step" not in said
    assert "within one step" not in said
    assert "without ties" in said
    assert found["without_ties"]["rows"] < 10
    write_lines(tmp_path / "wrong.jsonl", [{"case_id": "bridge", "label": "left"}])
    done = adjudge("agree", "r", "wrong.jsonl")
    assert done.code == 2
    assert "a number from 0 to 1 or `A` or `B` or `tie`" in done.err


def test_cases_with_two_answers_need_no_second_file_and_their_labels_count(adjudge, tmp_path):
    write_lines(
        tmp_path / "cases.jsonl",
        [
            {"id": "bridge", "question": "q", "responses": ["one", "two"], "label": "a"},
            {"id": "sky", "question": "q", "answer_a": "one", "output_2": "two", "label": "tie"},
        ],
    )
    done = adjudge("run", "cases.jsonl", "--judge", "preference", "--model", SCRIPT)
    rows = parse_lines(done.out)
    assert [row["verdict"]["winner"] for row in rows] == ["a", "b"]
    assert "agrees with your labels on 1 of 2" in done.err


def test_contract_prints_what_the_prompt_asks_for(adjudge):
    done = adjudge(*RUN, "--as", "contract", "-n", "1")
    assert json.loads(done.out)["winner"] == "a"


# ---- from Python ---------------------------------------------------------------------------------------------


def by_length(request: Request) -> str:
    """Prefers the longer answer, wherever it stands."""
    a, b = (len(str(request.fields[name])) for name in ("response_a", "response_b"))
    return json.dumps({"reason": "Length.", "winner": "tie" if a == b else "A" if a > b else "B"})


A = [{"id": f"c{n}", "question": "q", "response": "x" * n, "label": True} for n in range(1, 6)]
B = [{"id": f"c{n}", "question": "q", "response": "x" * 3} for n in (5, 4, 3, 2, 9)]


def test_python_has_the_keyword_and_a_consistent_judge_of_length_is_unmasked():
    run = library.evaluate(A, "preference", against=B, model=by_length, store=None, repeat=2)
    winners = {each.case_id: each.verdict["winner"] for each in run}
    assert winners == {"c2": "b", "c3": "tie", "c4": "a", "c5": "a"}
    assert (run.pairing.paired, run.pairing.a_ids, run.pairing.b_ids) == (4, ("c1",), ("c9",))
    (summary,) = run.report().judges
    assert summary.pairs.longer.value == summary.pairs.consistent.value == 1
    assert summary.pairs.first.value == 0.5
    assert summary.agreement is None, "a label of one system's answer says nothing of a preference"


def test_swapping_the_files_swaps_every_verdict():
    one = library.evaluate(A, "preference", against=B, model=by_length, store=None)
    other = library.evaluate(B, "preference", against=A, model=by_length, store=None)
    scores = {each.case_id: each.score for each in other}
    assert {each.case_id: 1 - each.score for each in one} == scores


def test_python_errors_name_the_keyword():
    with pytest.raises(SettingsError, match="against="):
        library.evaluate(A, "correctness", against=B, model=by_length, store=None)
    with pytest.raises(DatasetError, match="no case id is in both"):
        library.evaluate(A[:1], "preference", against=B[-1:], model=by_length, store=None)
    rivals = [{"id": "c2", "question": "q", "answer": "x", "output": "y"}]
    with pytest.raises(DatasetError, match="could each be the response"):
        library.evaluate(A, "preference", against=rivals, model=by_length, store=None)


def test_a_pass_rule_leaves_the_win_rate_as_the_headline(adjudge, tmp_path):
    rows = [{"id": f"c{n}", "question": "q", "response_a": f"a{n}", "response_b": f"b{n}"} for n in range(4)]
    write_lines(tmp_path / "cases.jsonl", rows)
    replies = [{"case_id": row["id"], "reply": {"reason": "r", "winner": "tie"}} for row in rows]
    write_lines(tmp_path / "replies.jsonl", replies)
    run = ("run", "cases.jsonl", "--judge", "preference", "-m", "scripted:replies.jsonl", "-o", "rows.csv")
    for rule in ((), ("--pass", "score >= 1")):
        assert "50.0 %" in adjudge(*run, *rule).out
