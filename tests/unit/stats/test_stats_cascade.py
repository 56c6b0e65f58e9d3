"""Thresholds of a cascade: the exact test, tables worked by hand, and the guarantee in simulation."""

import random
from math import sqrt

import pytest
from scipy.stats import binom

from adjudge.stats.several.cascade import (
    CalibrationCase,
    StageView,
    calibrate,
    deciding_stage,
    fewest_decided,
    find_decided,
    labels_needed,
    upper_tail,
)

USELESS = (lambda _: 0.6, lambda _: 0.6, lambda c: 0.9 + 0.2 * (c - 0.5))
"""How often each stage agrees with people, by its confidence from 0.5 to 1: two that are sure and wrong, one from 0.9 to 1."""
HARDLY = (lambda _: 0.895, lambda _: 0.895, lambda _: 0.895)
"""Just below the rate, whatever they are sure of: what a test is most easily wrong about."""


def draw(chance, agreement, cluster=None):
    return CalibrationCase(
        cluster=cluster if cluster is not None else chance.random(),
        stages=[
            StageView(confidence, float(chance.random() < agrees(confidence)))
            for agrees in agreement
            for confidence in [0.5 + chance.random() / 2]
        ],
    )


def alone(*cases):
    """Each in a cluster of its own."""
    return [CalibrationCase(number, stages) for number, stages in enumerate(cases)]


def true_agreement(thresholds, agreement):
    """Of all cases that are decided, over the population; None where none is."""
    reached, decided, agreed = 1.0, 0.0, 0.0
    for threshold, agrees in zip(thresholds, agreement, strict=True):
        if threshold is None:
            continue
        share = min(1.0, 2 * (1 - threshold))
        steps = [threshold + (1 - threshold) * (at + 0.5) / 40 for at in range(40)]
        decided += reached * share
        agreed += reached * share * sum(map(agrees, steps)) / len(steps)
        reached *= 1 - share
    return agreed / decided if decided else None


@pytest.mark.parametrize("agreement", [USELESS, HARDLY], ids=["useless", "hardly"])
def test_the_rate_is_missed_in_at_most_one_run_of_twenty(agreement):
    """1,000 runs of 200 labelled cases each; what is missed by chance of the simulation is allowed for."""
    chance = random.Random(20260131)
    missed = decided = 0
    for _ in range(1000):
        cases = [draw(chance, agreement) for _ in range(200)]
        found = calibrate(cases[:100], cases[100:], stages=3, rate=0.9)
        true = true_agreement(found.thresholds, agreement)
        decided += true is not None
        missed += true is not None and true < 0.9
    assert missed / 1000 <= 0.05 + 2 * sqrt(0.05 * 0.95 / 1000)
    if agreement is USELESS:
        assert decided > 400  # and it is of use: two bad stages do not keep the third from deciding


@pytest.mark.parametrize(
    ("cases", "agreed", "rate"), [(29, 29, 0.9), (50, 48, 0.9), (7, 0, 0.5), (100, 95, 0.8)]
)
def test_the_test_is_the_exact_binomial_one(cases, agreed, rate):
    assert upper_tail(cases, agreed, rate) == pytest.approx(binom.sf(agreed - 1, cases, rate))


def test_a_table_worked_by_hand():
    sure_right, unsure_wrong = StageView(0.9, 1.0), StageView(0.6, 0.0)
    later_right, silent = StageView(0.8, 1.0), StageView(None, 0.0)
    # stage 1 is right where it is sure; of the rest stage 2 is right; a third gave no verdict anywhere
    part = alone(*[[sure_right, silent]] * 40, *[[unsure_wrong, later_right]] * 20, *[[silent, silent]] * 20)
    found = calibrate(part, part, stages=2, rate=0.9)
    assert found.thresholds == (0.9, 0.8)
    assert (found.tested.value, found.tested.n) == (1.0, 60)
    assert found.tested.low == pytest.approx(0.05 ** (1 / 60))
    assert (found.chosen_on, found.tested_on) == (80, 80)
    assert find_decided((0.9, None), part) == [(number, 1.0) for number in range(40)]
    assert deciding_stage((0.9, 0.8), (0.6, 0.8)) == 1
    assert deciding_stage((0.9, 0.8), (None, 0.7)) is None
    assert deciding_stage((None, 0.8), (1.0, 0.7)) is None


def test_too_few_labels_decide_nothing_and_say_how_many_would_do():
    part = alone(*[[StageView(0.9, 1.0)]] * 10, *[[StageView(0.6, 0.0)]] * 10)
    found = calibrate(part, part, stages=1, rate=0.9)
    assert found.thresholds == (None,)
    assert not found.decides
    assert fewest_decided(1.0, 0.9, 0.05) == 29  # 0.9 ** 29 is 0.047
    assert (
        labels_needed(part, part, stages=1, rate=0.9) == 2 * 29 * 2
    )  # half of the cases are decided, and half of the labels test


def test_judges_that_are_never_right_enough_are_not_helped_by_labels():
    part = alone(*[[StageView(0.5 + place / 200, float(place % 5 != 0))] for place in range(100)])
    found = calibrate(part, part, stages=1, rate=0.95)
    assert not found.decides
    assert labels_needed(part, part, stages=1, rate=0.95) is None


def test_no_number_of_labels_is_promised_for_what_looks_good_by_luck():
    """Stages that agree at .84 whatever their confidence: of many thresholds some look better on the labels they are
    chosen by, and "about 2,800 labelled cases" were promised in 9 of 9 reports. The other half of the labels tells."""
    promised = 0
    for seed in range(40):
        chance = random.Random(seed)
        halves = [
            alone(*[[StageView(chance.uniform(0.5, 1), float(chance.random() < 0.84))] for _ in range(400)])
            for _ in range(2)
        ]
        promised += labels_needed(*halves, stages=1, rate=0.9) is not None
    assert promised <= 14


def test_no_labels_decide_nothing():
    assert calibrate([], [], stages=2, rate=0.9).thresholds == (None, None)
    assert labels_needed([], [], stages=2, rate=0.9) is None


def clusters_of(chance, kind):
    """How often each case of a cluster agrees: conversations whose later turns are harder, or a few large hard documents."""
    if kind == "turns":
        return [0.97, 0.8, 0.8, 0.8]
    return [0.97] if chance.random() < 8 / 9 else [0.8] * 8


@pytest.mark.parametrize(("kind", "clusters"), [("turns", 200), ("unequal", 150)])
def test_all_cases_of_a_cluster_are_tested_and_not_one_of_them(kind, clusters):
    """Of all cases .84 and .885 agree: by the first of each cluster .97 did, and the rate of .9 was claimed."""
    chance = random.Random(7)
    decides = 0
    for _ in range(100):
        halves = ([], [])
        for cluster in range(clusters):
            half = halves[chance.random() < 0.5]
            half += [
                draw(chance, [lambda _, rate=rate: rate] * 2, cluster) for rate in clusters_of(chance, kind)
            ]
        decides += calibrate(*halves, stages=2, rate=0.9).decides
    assert decides <= 5 + 2 * sqrt(100 * 0.05 * 0.95)


def test_cases_that_are_equal_within_their_clusters_count_as_one():
    part = [CalibrationCase(number // 4, [StageView(0.9, 1.0)]) for number in range(80)]
    assert not calibrate(part, part, stages=1, rate=0.9).decides  # 20 clusters, and 29 are the least
    part = [CalibrationCase(number // 4, [StageView(0.9, 1.0)]) for number in range(160)]
    assert calibrate(part, part, stages=1, rate=0.9).tested.clusters == 40


def test_a_contested_case_counts_by_the_share_of_its_people_that_agree():
    part = alone(*[[StageView(0.9, 1.0)]] * 80, *[[StageView(0.9, 0.5)]] * 40)
    found = calibrate(part, part, stages=1, rate=0.8)
    assert found.tested is None or found.tested.value == pytest.approx(100 / 120)
    assert not calibrate(part, part, stages=1, rate=0.9).decides
