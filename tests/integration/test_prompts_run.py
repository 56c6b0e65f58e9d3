"""Public judge prompts of every output form run with no front matter, and a reply in the form they ask for is read as meant.

`benchmarks/prompt_runs.py` does the same for all of them.
"""

import json
from pathlib import Path

import pytest

from adjudge.judges import load_judge

PROMPTS = Path(__file__).parents[2].parent / "shared" / "prompts"

REPLIES = {
    "agenta-relevancy": ('{"question": "What is it?", "score": 1}', {"score": 1}),
    "anthropic-summary-json": (
        '{"conciseness": 4, "accuracy": 5, "completeness": 3, "clarity": 4, "explanation": "Fine."}',
        {"conciseness": 4, "accuracy": 5, "completeness": 3, "clarity": 4},
    ),
    "helm-red-team-tags": ("<reasoning>It refuses.</reasoning>\n<score>1</score>", {"score": 1}),
    "langfuse-distress": ("score: true\nreasoning: It swears.", {"score": True}),
    "nemo-policy": ('Reason: "It complies."\nCompliance: "Yes"', {"compliance": "Yes"}),
    "llamaindex-context-points": ("It fits the query.\n\n[RESULT] 3.5", {"score": 3.5}),
    "helm-vibe-rating": ("Short Explanation: It is warm.\nRating: 4", {"rating": 4}),
    "judgelm-two-scores": ("8 6\nThe first is longer.", {"a_first": "a", "b_first": "b"}),
    "opencompass-edu-zh": ("It is clear.\n\n[[7]]", {"score": 7}),
    "mlflow-frustration": ("resolved", {"label": "resolved"}),
    "langchain-criteria": ("It is concise.\n\nY", {"verdict": "Y"}),
    "bedrock-turn-ratings": ('{"rating": 3}', {"rating": 3}),
    "paperbench-sections": ("# Expectations\nCode.\n\n# Reality\nCode.\n\n# Score\n0.5", {"score": 0.5}),
    "langchain-trajectory": ("It took two steps too many.\n\nScore: 3", {"score": 3}),
}


@pytest.mark.skipif(not PROMPTS.is_dir(), reason="the public prompts are not beside the repository")
@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_in_the_form_that_the_prompt_asks_for_is_read(adjudge, tmp_path, name):
    reply, meant = REPLIES[name]
    judge = load_judge(str(PROMPTS / f"{name}.txt"))
    case = {"id": "c1"} | {item.source.partition(".")[0]: f"Text of {item.name}." for item in judge.inputs}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case))
    (tmp_path / "replies.jsonl").write_text(json.dumps({"case_id": "c1", "reply": reply}))
    done = adjudge(
        "run", "cases.jsonl", "--judge", str(PROMPTS / f"{name}.txt"), "--model", "scripted:replies.jsonl", "-o", "-",
    )  # fmt: skip
    assert done.code == 0, done.err
    verdict = json.loads(done.out)["verdict"]
    assert {field: value for field, value in verdict.items() if field in meant} == meant, verdict
