"""The expected score of a judgement: over the scale, by its scorer, without what is no score."""

import pytest
from conversation import case_of, converse
from logprobs import said

from adjudge.judges import load_judge, parse_judge
from adjudge.records import Completion

PROMPT = "Is the answer polite?\n\n<response>\n{{response}}\n</response>\n"
LABELS = (
    "verdict: {reason: string, label: {enum: [pass, fail, cannot_tell]}}\n"
    "score: {pass: 1, fail: 0}\nabstain: [cannot_tell]\n"
)


def judge(front, prompt=PROMPT):
    return parse_judge(f"---\nadjudge: 1\nname: polite\n{front}---\n{prompt}", name="polite")


def test_a_rating_has_an_expected_score_beside_its_score():
    reply = said('{"reason": "So.", "score": ', ("4", {"3": 0.2, "5": 0.1, "9": 0.3}), "}")
    requests, ruling = converse(load_judge("relevance"), case_of(question="?", response="x"), reply)
    assert requests[0].values == ("0", "1", "2", "3", "4", "5")
    assert ruling.outcome.score.value == 4
    assert ruling.probability == pytest.approx(0.4)
    # 9 is not on the scale: 0.4, 0.2 and 0.1 of 0.7 are left
    assert ruling.distribution.off_scale == pytest.approx(0.3)
    assert [score for score, _ in ruling.distribution.shares] == [3, 4, 5]
    assert [share for _, share in ruling.distribution.shares] == pytest.approx([2 / 7, 4 / 7, 1 / 7])
    assert ruling.distribution.expected == pytest.approx((3 * 2 + 4 * 4 + 5 * 1) / 7)


def test_labels_have_their_points_and_abstaining_is_no_score():
    reply = said('{"reason": "So.", "label": "', ("pass", {"fail": 0.3, "cannot_tell": 0.2}), '"}')
    _, ruling = converse(judge(LABELS), case_of(response="x"), reply)
    assert ruling.distribution.off_scale == pytest.approx(0.2)
    assert dict(ruling.distribution.shares) == pytest.approx({0.0: 0.375, 1.0: 0.625})


def test_an_expression_is_computed_for_each_value():
    front = "verdict: {reason: string, rating: {enum: [1, 2, 3]}}\nscore: (rating - 1) * 10\nscale: [0, 20]\n"
    reply = said('{"reason": "So.", "rating": ', ("2", {"3": 0.25}), "}")
    _, ruling = converse(judge(front), case_of(response="x"), reply)
    assert dict(ruling.distribution.shares) == pytest.approx({10.0: 0.75, 20.0: 0.25})
    assert ruling.distribution.expected == pytest.approx(12.5)


@pytest.mark.parametrize(
    "reply",
    [
        said('{"reason": "So.", "label": "pass"}'),
        said('{"reason": "So.", "label": "', ("pass", {"x": 0.7}), '"}'),
        Completion(text='{"reason": "So.", "label": "pass"}'),
    ],
    ids=["no alternatives", "mostly something else", "no log-probabilities"],
)
def test_without_knowing_most_of_it_there_is_no_expected_score(reply):
    _, ruling = converse(judge(LABELS), case_of(response="x"), reply)
    assert ruling.outcome.score.value == 1
    assert ruling.distribution is None


def test_a_reply_that_was_asked_for_again_counts_with_its_own_tokens():
    again = said('{"reason": "So.", "label": "', ("fail", {"pass": 0.25}), '"}')
    _, ruling = converse(judge(LABELS), case_of(response="x"), "no verdict", again)
    assert ruling.distribution.expected == pytest.approx(0.25)


def test_two_orders_and_several_fields_have_none_and_ask_for_none():
    reply = said('{"reason": "So.", "winner": "', ("A", {"B": 0.3}), '"}')
    other = said('{"reason": "So.", "winner": "', ("B", {"A": 0.3}), '"}')
    case = case_of(question="?", response_a="x", response_b="y")
    requests, ruling = converse(load_judge("preference"), case, reply, other)
    assert [request.values for request in requests] == [(), ()]
    assert ruling.distribution is None
    case = case_of(question="?", response="x", reference="y")
    verdict = {
        "reason": "So.",
        "contradicts": False,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }
    requests, ruling = converse(load_judge("correctness"), case, verdict)
    assert requests[0].values == ()
