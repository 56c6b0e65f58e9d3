"""A boolean field called `pass` is the judge's pass rule, where it declares no other."""

import pytest
from conversation import case_of, converse

from adjudge.judges import parse_judge

MATERIAL = "\n<answer>{{response}}</answer>\n"
ASKED = 'Grade the answer. Return JSON: {"reason": "<why>", "score": <1-5>, "pass": true or false}' + MATERIAL
DECLARED = "{reason: string, score: {type: integer, minimum: 1, maximum: 5}, pass: boolean}"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (ASKED, "pass"),
        (ASKED.replace("pass", "passed"), "passed"),
        (f"---\nscale: [0, 10]\n---\n{ASKED}", "pass"),
        (f"---\nverdict: {DECLARED}\n---\nGrade.{MATERIAL}", "pass"),
        (f"---\nverdict: {DECLARED}\nscore: score\nscale: [1, 5]\n---\nGrade.{MATERIAL}", "pass"),
        (f"---\nverdict: {DECLARED}\nscore: score / 5\nscale: [0, 1]\n---\nGrade.{MATERIAL}", "pass"),
        (f"---\npasses: score >= 4\n---\n{ASKED}", "score >= 4"),
        (ASKED.replace("true or false", '"<who may pass>"'), None),
        (f"---\nverdict: {{reason: string, pass: boolean}}\n---\nGrade.{MATERIAL}", "score >= 1"),
        (ASKED.replace("<1-5>", "<0 or 1>"), "pass"),
    ],
)
def test_the_rule_is_the_field_unless_another_is_declared(text, rule):
    assert parse_judge(text, name="j").passes == rule


def test_what_the_judge_says_decides_and_not_the_score():
    judge = parse_judge(ASKED, name="j")
    for passed in (True, False):
        _, ruling = converse(judge, case_of(response="x"), {"reason": "r", "score": 3, "pass": passed})
        assert (ruling.outcome.score.value, ruling.passed) == (3, passed)


def test_a_blank_response_does_not_pass():
    _, ruling = converse(parse_judge(ASKED, name="j"), case_of(response=" "))
    assert (ruling.outcome.score.value, ruling.passed) == (1, False)
