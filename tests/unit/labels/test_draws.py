"""Draws of cases to label, with the chance that each case had."""

from datetime import UTC, datetime

import pytest

from adjudge.labels.draws import DrawRequest, SamplingFrame, draw_cases, labelling_order
from adjudge.stats.labelling import uncertainty_of


def request(**values):
    return DrawRequest(at=datetime(2026, 1, 31, tzinfo=UTC), **values)


def frame(scores, unjudged=()):
    return SamplingFrame(
        run_id="r",
        judge="j",
        judged=[f"c{at:03}" for at in range(len(scores))],
        uncertainty=uncertainty_of([None] * len(scores), scores, [score >= 3 for score in scores]),
        unjudged=unjudged,
    )


def test_a_draw_has_as_many_as_asked_prefers_doubt_and_gives_every_judged_case_a_chance():
    cases = frame([0] * 80 + [2] * 10 + [3] * 10)
    draw = draw_cases(cases, [], request(count=20))
    assert len(draw.chosen) == len(set(draw.chosen)) == 20
    assert sum(draw.chances.values()) == pytest.approx(20)
    assert draw.chances.keys() == {f"c{at:03}" for at in range(100)}
    assert draw.chances["c090"] > 10 * draw.chances["c000"] > 0
    assert draw == draw_cases(cases, [], request(count=20))


def test_a_second_draw_leaves_out_the_first_and_raises_every_chance():
    cases = frame([0, 1, 2, 3, 4, 5] * 10)
    first = draw_cases(cases, [], request(count=20))
    second = draw_cases(cases, [first], request(count=20))
    assert (second.number, second.seed, len(second.chosen)) == (2, 1, 20)
    assert not set(first.chosen) & set(second.chosen)
    assert all(second.chances[case_id] > first.chances[case_id] for case_id in first.chances)
    last = draw_cases(cases, [first, second], request(count=50))
    assert len(last.chosen) == 20


def test_a_draw_is_labelled_in_an_order_that_says_nothing():
    cases = frame([0, 1, 2, 3, 4, 5] * 30)
    draw = draw_cases(cases, [], request(count=90))
    order = labelling_order(draw)
    assert (sorted(order), order) == (sorted(draw.chosen), labelling_order(draw))
    first, rest = (set(part) for part in (order[:45], order[45:]))
    assert len(first & set(draw.chosen[:45])) < 35
    assert len(rest & set(draw.chosen[:45])) > 10


def test_cases_without_a_verdict_are_half_of_a_draw_while_there_are_so_many():
    cases = frame([0, 5] * 20, unjudged=[f"u{at}" for at in range(7)])
    first = draw_cases(cases, [], request(count=10))
    assert sum(case_id.startswith("u") for case_id in first.chosen) == 5
    assert {first.chances[case_id] for case_id in cases.unjudged} == {5 / 7}
    second = draw_cases(cases, [first], request(count=10))
    assert sum(case_id.startswith("u") for case_id in second.chosen) == 2
    assert {second.chances[case_id] for case_id in cases.unjudged} == {1.0}
