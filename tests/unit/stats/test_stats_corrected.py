"""Corrected means, against values that ppi-python 0.2.3 printed, statsmodels, and by unbiasedness."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from adjudge.records import Scale
from adjudge.stats.corrected import (
    Corrected,
    JudgedCase,
    naive_mean,
    ppi_mean,
    rogan_gladen,
)
from adjudge.stats.intervals import Undefined, rate_interval
from adjudge.stats.labelling import draw_for_labelling

# ppi-python needs numba, 200 MB for one test, so what it said of these is kept: the first 60 are labelled.
JUDGE = [
    4.27,
    3.2,
    2.94,
    1.48,
    4.64,
    3.39,
    2.77,
    1.37,
    1.96,
    3.86,
    4.44,
    2.49,
    3.06,
    3.61,
    1.48,
    1.62,
    3.44,
    2.93,
    5.37,
    3.32,
    4.1,
    5.03,
    3.54,
    2.32,
    3.46,
    3.93,
    3.68,
    3.65,
    5.29,
    3.18,
    4.04,
    2.24,
    4.65,
    1.37,
    2.06,
    4.44,
    2.94,
    5.11,
    3.76,
    2.92,
    4.09,
    4.79,
    2.03,
    3.44,
    2.3,
    3.69,
    4.45,
    4.98,
    2.19,
    3.21,
    2.16,
    2.99,
    3.23,
    3.02,
    4.07,
    3.18,
    2.61,
    3.56,
    2.97,
    4.44,
    4.73,
    3.58,
    4.21,
    3.18,
    5.09,
    1.39,
    2.04,
    5.22,
    3.92,
    2.47,
    1.67,
    3.25,
    2.04,
    2.79,
    4.55,
    3.99,
    1.99,
    2.03,
    3.39,
    3.55,
    1.92,
    3.77,
    1.53,
    4.16,
    3.64,
    5.17,
    2.81,
    3.29,
    2.92,
    2.75,
    3.45,
    0.88,
    1.13,
    3.83,
    4.88,
    4.19,
    4.22,
    2.07,
    3.96,
    3.32,
    3.43,
    3.77,
    4.68,
    3.98,
    1.73,
    3.72,
    5.31,
    4.16,
    1.88,
    3.23,
    4.35,
    4.5,
    3.22,
    3.48,
    1.93,
    4.66,
    3.38,
    4.37,
    2.42,
    3.04,
    1.39,
    1.3,
    5.13,
    2.23,
    5.15,
    5.03,
    2.28,
    1.54,
    2.21,
    2.41,
    2.41,
    2.53,
    1.6,
    2.51,
    0.95,
    3.46,
    4.1,
    1.55,
    3.25,
    2.27,
    1.89,
    2.97,
    2.76,
    6.09,
    3.91,
    4.62,
    3.56,
    2.08,
    4.9,
    3.11,
    3.85,
    3.05,
    2.27,
    2.9,
    3.29,
    3.5,
    2.13,
    4.86,
    1.53,
    3.78,
    2.59,
    1.99,
    2.46,
    4.26,
    2.42,
    2.4,
    2.65,
    3.26,
    3.21,
    2.55,
    2.22,
    4.92,
    1.17,
    3.26,
    1.96,
    2.55,
    1.88,
    6.14,
    1.88,
    4.07,
    3.06,
    2.99,
    3.73,
    4.57,
    0.81,
    1.48,
    1.24,
    1.52,
    4.31,
    4.34,
    3.45,
    1.77,
    1.88,
    4.16,
    -0.16,
    2.98,
    2.52,
    3.89,
    0.84,
    3.5,
    1.71,
    2.57,
    4.76,
    4.56,
    2.93,
    3.3,
    1.71,
    3.18,
    3.56,
    2.2,
    3.09,
    2.0,
    3.38,
    2.31,
    5.73,
    5.24,
    2.31,
    1.33,
    3.04,
    2.63,
    2.06,
    3.3,
    1.81,
    4.3,
    2.69,
    3.52,
    3.81,
    4.37,
    1.64,
    2.73,
    2.16,
    4.08,
    2.5,
    1.6,
    3.35,
    1.27,
    2.01,
    2.68,
    -0.25,
    2.38,
    3.16,
    3.24,
    2.75,
    1.69,
    2.0,
    3.59,
    3.14,
    3.33,
    1.48,
    3.98,
    3.03,
    2.34,
    2.3,
    4.86,
    1.79,
    4.57,
    3.2,
    4.24,
    3.26,
    2.54,
    4.78,
    4.48,
    3.38,
    3.45,
    2.02,
    4.69,
    4.13,
    3.09,
    3.33,
    1.75,
    4.32,
    4.07,
    0.99,
    4.25,
    1.04,
    2.61,
    4.14,
    5.11,
    3.11,
    3.68,
    6.3,
    4.24,
    3.12,
    3.38,
    2.56,
    2.3,
    3.95,
    3.51,
    3.49,
    4.2,
    1.73,
    3.23,
    4.64,
    3.2,
    4.2,
    4.17,
    2.24,
    3.79,
    1.56,
    2.45,
]
PEOPLE = [
    3.56,
    2.94,
    2.42,
    2.37,
    4.6,
    3.51,
    3.07,
    2.65,
    1.89,
    2.93,
    3.87,
    2.61,
    2.77,
    2.78,
    3.11,
    1.41,
    2.76,
    2.15,
    3.88,
    2.23,
    3.58,
    4.52,
    2.69,
    2.4,
    3.19,
    3.0,
    2.01,
    3.46,
    5.02,
    2.74,
    2.8,
    1.96,
    3.32,
    1.75,
    1.89,
    4.28,
    2.09,
    4.08,
    4.52,
    3.26,
    3.55,
    4.95,
    2.8,
    2.41,
    1.65,
    3.04,
    4.48,
    3.96,
    2.06,
    2.14,
    2.5,
    3.29,
    2.79,
    3.21,
    3.3,
    2.7,
    2.96,
    3.21,
    2.92,
    3.5,
]
PPI = {
    "tuned": [2.925084545210838, 2.7677735648789192, 3.0823955255427564],
    1.0: [2.8215, 2.637461945562427, 3.0055380544375727],
    0.5: [2.9231666666666665, 2.7661800007953374, 3.0801533325379955],
}
UNIT = Scale(low=0, high=1)


def cases_of(judge, people, chance):
    return [
        JudgedCase(judge=score, person=people[at] if at < len(people) else None, probability=chance)
        for at, score in enumerate(judge)
    ]


def done(result):
    assert isinstance(result, Corrected), result
    return result


@pytest.mark.parametrize("tuning", [1.0, 0.5])
def test_with_a_given_lambda_the_mean_is_ppi_pythons(tuning):
    found = done(ppi_mean(cases_of(JUDGE, PEOPLE, 0.2), tuning=tuning)).estimate
    value, low, high = PPI[tuning]
    assert found.value == pytest.approx(value, abs=1e-12)
    # t instead of z, and the jackknife's degrees of freedom: a little wider
    assert high - low < found.high - found.low < 1.05 * (high - low)


def test_the_tuned_lambda_is_as_short_as_ppi_pythons():
    found = done(ppi_mean(cases_of(JUDGE, PEOPLE, 0.2)))
    _, low, high = PPI["tuned"]
    assert found.estimate.high - found.estimate.low < 1.05 * (high - low)
    for tuning in (0.0, 0.3, 0.9, 1.0):
        other = done(ppi_mean(cases_of(JUDGE, PEOPLE, 0.2), tuning=tuning)).estimate
        assert other.high - other.low >= found.estimate.high - found.estimate.low - 1e-12
    assert found.target == "people"


def test_labels_for_everyone_are_the_mean_of_the_labels():
    people = [float(at % 3 == 0) for at in range(60)]
    found = done(ppi_mean(cases_of([1.0 - value for value in people], people, 1.0), UNIT))
    assert found.estimate.value == pytest.approx(20 / 60)


def test_weights_undo_a_draw_that_prefers_the_uncertain():
    random = np.random.default_rng(2)
    unsure = random.random(2000)
    people = (random.random(2000) < 0.9 - 0.6 * unsure).astype(
        float
    )  # people fail the unsure ones more often
    judge = np.where(random.random(2000) < 0.5 * unsure, 1 - people, people)
    weighted, blind = [], []
    for seed in range(60):
        drawn = draw_for_labelling(unsure.tolist(), 200, seed=seed)
        chosen = set(drawn.chosen)
        cases = [
            JudgedCase(
                judge=float(judge[at]),
                person=float(people[at]) if at in chosen else None,
                probability=drawn.probabilities[at],
            )
            for at in range(2000)
        ]
        weighted.append(done(ppi_mean(cases, UNIT)).estimate.value)
        evenly = [JudgedCase(judge=case.judge, person=case.person, probability=0.1) for case in cases]
        blind.append(done(ppi_mean(evenly, UNIT)).estimate.value)
    error = np.std(weighted) / np.sqrt(60)
    assert abs(np.mean(weighted) - people.mean()) < 4 * error
    assert abs(np.mean(blind) - people.mean()) > 10 * error


def test_labels_that_never_differ_from_the_judge_still_leave_room():
    judge = [float(at % 2) for at in range(400)]
    found = done(ppi_mean(cases_of(judge, judge[:50], 0.125), UNIT)).estimate
    naive = done(naive_mean(cases_of(judge, [], None), UNIT)).estimate
    assert found.high - found.low > naive.high - naive.low + 0.1
    assert found.warning == "only 0 labels differ from the judge"


def test_the_judges_own_mean_has_the_interval_that_its_report_has():
    """Of cases that are each their own: Wilson's for 0 and 1, where a cluster-robust t was printed beside it."""
    passes = [float(at % 8 > 0) for at in range(100)]
    cases = [JudgedCase(judge=each, person=None, cluster=f"c{at}") for at, each in enumerate(passes)]
    found = done(naive_mean(cases, UNIT)).estimate
    assert found == rate_interval(sum(map(bool, passes)), 100)
    alike = [JudgedCase(judge=each, person=None, cluster=str(at // 2)) for at, each in enumerate(passes)]
    assert done(naive_mean(alike, UNIT)).estimate.clusters == 50


def test_a_label_for_every_case_is_the_peoples_own_mean_and_as_sure_as_that():
    random = np.random.default_rng(4)
    people = (random.random(300) < 0.5).astype(float)
    judge = np.where(random.random(300) < 0.85, people, 1 - people)
    found = done(ppi_mean(cases_of(judge.tolist(), people.tolist(), 1.0), UNIT))
    alone = done(naive_mean(cases_of(people.tolist(), [], None), UNIT)).estimate
    assert found.estimate.value == pytest.approx(people.mean())
    assert found.estimate.high - found.estimate.low == pytest.approx(alone.high - alone.low, rel=0.03)


@pytest.mark.parametrize("correct", [ppi_mean, rogan_gladen])
def test_labels_of_unknown_origin_do_not_correct(correct):
    result = correct(cases_of([1.0, 0.0] * 30, [1.0, 0.0] * 10, None))
    assert isinstance(result, Undefined)
    assert "not known" in result.why
    result = correct(cases_of([1.0, 0.0] * 30, [1.0], 0.1))
    assert isinstance(result, Undefined)
    assert "too few" in result.why
    assert isinstance(naive_mean([]), Undefined)


def table(tp, fn, tn, fp, *, unlabelled):
    """Labelled cases first, then the passes and fails that only the judge saw."""
    passes, fails = unlabelled
    labelled = [(1.0, 1.0)] * tp + [(0.0, 1.0)] * fn + [(0.0, 0.0)] * tn + [(1.0, 0.0)] * fp
    rest = [1.0] * passes + [0.0] * fails
    return cases_of([judge for judge, _ in labelled] + rest, [person for _, person in labelled], 0.1)


def test_rogan_gladen_undoes_known_errors():
    found = done(rogan_gladen(table(80, 20, 90, 10, unlabelled=(1310, 1490))))
    # apparent rate 0.4667 with sensitivity 0.8 and specificity 0.9: (0.4667 + 0.9 - 1) / 0.7
    assert found.estimate.value == pytest.approx((1400 / 3000 + 0.9 - 1) / 0.7)
    assert found.estimate.low < found.estimate.value < found.estimate.high
    assert found.sensitivity is not None
    wanted = proportion_confint(80, 100, method="wilson")
    assert (found.sensitivity.low, found.sensitivity.high) == pytest.approx(wanted)


def test_a_judge_no_better_than_chance_is_not_corrected():
    result = rogan_gladen(table(12, 10, 11, 9, unlabelled=(100, 100)))
    assert isinstance(result, Undefined)
    assert "better than chance" in result.why


def test_one_kind_of_label_or_scores_are_not_corrected():
    result = rogan_gladen(table(20, 5, 0, 0, unlabelled=(50, 50)))
    assert isinstance(result, Undefined)
    assert "only one" in result.why
    assert isinstance(rogan_gladen(cases_of([0.5] * 40, [1.0] * 10, 0.25)), Undefined)


def test_a_chance_that_is_none_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        ppi_mean(cases_of([1.0] * 9, [1.0] * 5, 0.0))
