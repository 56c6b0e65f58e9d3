"""`adjudge show RUN CASE`: why a case has its score, in a terminal."""

import json

from item_run import make_items


def test_the_score_is_explained_in_text_and_in_json(adjudge, tmp_path):
    make_items(tmp_path)
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
    make_items(tmp_path)
    assert adjudge("show", "support", "md").out.count("with the values in it: round(4 × 1 ÷ 2 + 1) = 3") == 2
    failed = adjudge("show", "support", "gone").out
    assert "refused: the model refused: I would rather not." in failed
    assert "what to do next: Read what was sent, or use another model." in failed
    assert "bad_row" in adjudge("show", "support", "line-5").out
    assert adjudge("show", "support", "nobody").code == 2
