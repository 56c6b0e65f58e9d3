"""`adjudge show RUN CASE`: why a case has its score, in a terminal."""

import json

from case_run import make_cases

from adjudge.versions import SCORER_VERSIONS


def test_the_score_is_explained_in_text_and_in_json(adjudge, tmp_path):
    make_cases(tmp_path)
    done = adjudge("show", "before", "tower")
    assert done.code == 0, done.err
    head, _, rest = done.out.partition("How the score was computed:\n")
    assert head.splitlines()[1] == "score 3, exactly 3.25"
    lines = rest.splitlines()
    assert lines[:3] == [
        "+ matched: F1 It is in Paris.",
        "    why: says so",
        "    quote: The Eiffel Tower is in Paris",
    ]
    assert "- missed: F2 It was completed in 1889." in lines
    assert "  formula: 5 × (0.7 × 0.5 + 0.21 × 1 + 0.09 × 1) = 3.25 → 3" in lines
    assert "    The rule is `score >= 4`: 3 >= 4 does not hold." in lines
    assert "--- verdict: reply ---" in lines
    (row,) = json.loads(adjudge("show", "before", "tower", "--json").out)
    assert [step["value"] for step in row["scoring"]["steps"] if step["kind"] == "score"] == ["3"]
    assert row["score"] == 3
    assert row["scoring"]["agrees"] is True
    assert [call["step"] for call in row["prompts_and_replies"]] == ["items", "verdict"]


def test_each_judgement_of_a_case_is_shown_and_a_failure_says_what_to_do(adjudge, tmp_path):
    make_cases(tmp_path)
    assert adjudge("show", "support", "md").out.count("with the values in it: round(4 × 1 ÷ 2 + 1) = 3") == 2
    failed = adjudge("show", "support", "gone").out
    assert "refused: the model refused: I would rather not." in failed
    assert "what to do next: Read what was sent, or use another model." in failed
    assert "bad_row" in adjudge("show", "support", "line-5").out
    assert adjudge("show", "support", "nobody").code == 2


def test_a_score_made_by_another_version_of_the_scorer_says_so(adjudge, tmp_path, monkeypatch):
    with monkeypatch.context() as newer:
        newer.setitem(SCORER_VERSIONS, "coverage", 7)
        make_cases(tmp_path)  # `before` has a pass rule of its own, so its judge is hashed anew
    text = " ".join(adjudge("show", "before", "tower").out.split())
    assert "Scored by coverage v7, which this version of adjudge no longer has." in text
    assert "formula:" not in text
    assert "The rule is `score >= 4`: 3 >= 4 does not hold." in text


def test_long_ids_are_printed_whole_and_found_by_a_unique_prefix(adjudge, tmp_path):
    ids = ["feedbackqa/Australia/148b2758-d7ab-7000", "feedbackqa/Australia/9f3c0000-aaaa-7000"]
    rows = [{"id": case_id, "question": "q", "response": "r"} for case_id in ids]
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    reply = json.dumps({"reason": "It does not.", "score": 1})
    (tmp_path / "replies.jsonl").write_text(json.dumps({"match": "q", "reply": reply}) + "\n")
    run = ("run", "cases.jsonl", "--judge", "relevance", "-m", "scripted:replies.jsonl", "--name", "long")
    printed = adjudge(*run, "-o", "rows.csv", environ={"COLUMNS": "80"}).out
    assert all(case_id in printed for case_id in ids)
    assert ids[0] in adjudge("show", "long", "feedbackqa/Australia/1").out
    several = adjudge("show", "long", "feedbackqa/Aust")
    assert several.code == 2
    assert all(case_id in several.err for case_id in ids)
