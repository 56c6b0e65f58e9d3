"""Which of two judges agrees more with people."""

import pytest

from adjudge.analysis.comparison.matching import Matching
from adjudge.analysis.comparison.people import compare_with_labels
from adjudge.records import Scale
from adjudge.stats.paired import compare

ZERO_TO_FIVE = Scale(low=0, high=5)


@pytest.fixture
def people(build):
    """`rows`: (A's score, B's score, what people said); a word is a failure."""

    def of(rows, *, own=False, normalized=False, scale_b=ZERO_TO_FIVE, threshold=3, label_map=None, **more):
        matching = Matching(normalized=normalized)
        labels = {}
        for number, (a, b, said) in enumerate(rows):
            for side, value, scale in (("a", a, ZERO_TO_FIVE), ("b", b, scale_b)):
                judged = not isinstance(value, str)
                matching.add(
                    side,
                    build.judgement(
                        build.scored(float(value)) if judged else build.failed(value),
                        case_id=str(number),
                        passed=value >= threshold if judged and threshold is not None else None,
                        normalized=(value - scale.low) / (scale.high - scale.low) if judged else None,
                        label=said if own else None,
                        **more,
                    ),
                )
            if said is not None:
                labels[str(number)] = said if isinstance(said, list) else [said]
        return compare_with_labels(
            matching,
            (build.judge("j"), build.judge("k", scale=scale_b)),
            None if own else (labels, labels),
            label_map=label_map or {},
        )

    return of


def test_true_and_false_are_held_against_passes(people):
    rows = [(5, 5, True)] * 6 + [(0, 5, True)] * 9 + [(5, 0, True)] + [(0, 0, False)] * 4
    found = people(rows)
    assert (found.a.value, found.b.value, found.shares) == (11 / 20, 19 / 20, True)
    assert found.comparison.difference.value == pytest.approx(8 / 20)
    assert found.comparison.significant
    assert (found.comparison.difference.n, found.a.method) == (20, "Wilson")


def test_numbers_are_held_against_scores_by_their_distance(people):
    rows = [(n % 6, 3, 4) for n in range(12)]
    found = people(rows)
    distances = [(str(n), (abs(n % 6 - 4) - 1) / 5) for n in range(12)]
    assert found.comparison.difference.value == pytest.approx(compare(distances).difference.value)
    assert (found.shares, found.b.value) == (False, pytest.approx(0.8))


def test_several_people_are_taken_by_their_mean_or_their_majority_and_ties_left_out(people):
    found = people([(4, 1, [5, 3]), (5, 0, [True, True, False]), (5, 0, [True, False])])
    assert (found.comparison.difference.n, found.unusable, found.labelled) == (2, 1, 3)
    assert found.a.value == 1.0


def test_the_cases_own_labels_will_do(people):
    found = people([(5, 0, "true"), (1, 1, "4"), (5, 5, None)], own=True)
    assert (found.comparison.difference.n, found.labelled, found.unknown) == (2, 2, 0)


def test_each_run_has_its_own_label_where_two_systems_answered(build):
    matching = Matching()
    for number in range(8):
        matching.add("a", build.judgement(build.scored(0.0), case_id=str(number), passed=False, label=False))
        label = True if number else None
        matching.add("b", build.judgement(build.scored(5.0), case_id=str(number), passed=True, label=label))
    found = compare_with_labels(matching, (build.judge(), build.judge()))
    assert (found.a.value, found.b.value, found.unusable) == (1.0, 1.0, 1)


def test_labels_that_lead_nowhere_are_counted(people):
    found = people([(5, 0, True), ("refused", 1, True), (5, 5, "nice"), (5, 5, None)])
    assert (found.labelled, found.not_judged, found.unusable) == (3, 1, 1)


def test_one_number_is_not_on_two_scales_but_an_object_has_one_for_each_judge(people):
    scale = Scale(low=0, high=1)
    assert people([(5, 1, 1)], normalized=True, scale_b=scale).comparison is None
    found = people([(4, 1, {"j": 5, "k": 1})], normalized=True, scale_b=scale)
    assert (found.a.value, found.b.value) == (pytest.approx(0.8), 1.0)


def test_clusters_count_once(people):
    rows = [(n % 6, 3, 4) for n in range(12)]
    assert people(rows, cluster="one").comparison.difference.clusters == 1


def test_no_label_is_an_answer(people):
    none, strange = people([(5, 0, None)]), people([(5, 0, "nice")])
    assert (none.comparison, none.a, none.labelled) == (None, None, 0)
    assert (strange.comparison, strange.labelled, strange.unusable) == (None, 1, 1)


def test_a_map_says_what_labels_on_another_scale_stand_for(people):
    rows = [(5, 0, "good"), (1, 1, "bad"), (5, 5, "unsure"), (4, 1, "four")]
    found = people(rows, label_map={"good": "pass", "bad": "fail", "unsure": "skip", "four": "4"})
    assert (found.comparison.difference.n, found.unusable) == (3, 1)
    assert found.a.value == pytest.approx(1.0)
    assert found.b.value == pytest.approx((0 + 1 + 0.4) / 3)


def test_each_sides_answer_may_have_a_label_of_its_own(build):
    matching = Matching()
    for number in range(6):
        for side, score in (("a", 0.0), ("b", 5.0)):
            matching.add(side, build.judgement(build.scored(score), case_id=str(number), passed=score > 2))
    labels_a, labels_b = {str(n): [False] for n in range(6)}, {str(n): [n < 3] for n in range(5)}
    found = compare_with_labels(
        matching, (build.judge(), build.judge()), (labels_a, {**labels_b, "z": [True]})
    )
    assert (found.a.value, found.b.value, found.unusable, found.unknown) == (1.0, 0.6, 1, 1)
