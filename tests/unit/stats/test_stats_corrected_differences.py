"""Corrected paired differences, against the formula written out and by how often they hold the truth."""

from random import Random
from statistics import fmean, variance

import pytest

from adjudge.stats.corrected import JudgedCase, corrected_difference, differences, ppi_mean
from adjudge.stats.intervals import Undefined
from adjudge.stats.labelling import draw_for_labelling


def sides(count=400, labels=100, *, seed=1, kind=0.3):
    """Two systems; the judge passes a share `kind` of B's failures and nothing else wrongly."""
    random = Random(seed)
    people = [(random.random() < 0.5, random.random() < 0.6) for _ in range(count)]
    chosen = set(random.sample(range(count), labels))
    a = {
        str(at): JudgedCase(judge=float(first), person=float(first) if at in chosen else None)
        for at, (first, _) in enumerate(people)
    }
    b = {
        str(at): JudgedCase(
            judge=float(second or random.random() < kind), person=float(second) if at in chosen else None
        )
        for at, (_, second) in enumerate(people)
    }
    truth = fmean(second - first for first, second in people)
    return a, b, dict.fromkeys(map(str, chosen), labels / count), truth


def test_differences_are_matched_turned_and_used_where_their_chance_is_known():
    a = {
        "1": JudgedCase(judge=0.0, person=1.0, cluster="x"),
        "2": JudgedCase(judge=1.0, person=1.0),
        "4": JudgedCase(judge=1.0, person=0.0),
    }
    b = {
        "4": JudgedCase(judge=0.5),
        "3": JudgedCase(judge=1.0),
        "2": JudgedCase(judge=0.0, person=1.0),
        "1": JudgedCase(judge=1.0, person=0.0),
    }
    assert differences(a, b, {"1": 0.25, "4": 0.5}) == [
        JudgedCase(judge=1.0, person=-1.0, probability=0.25, cluster="x"),
        JudgedCase(judge=-1.0),  # labelled on both sides, and nobody knows why
        JudgedCase(judge=-0.5, probability=0.5),  # labelled on one side
    ]
    (turned, *_) = differences(a, b, {"1": 0.25}, sign=-1.0)
    assert (turned.judge, turned.person) == (-1.0, 1.0)


def test_the_corrected_difference_is_the_formula_of_ppi_plus_plus():
    a, b, chances, _ = sides()
    rows = differences(a, b, chances)
    found = corrected_difference(rows, 1.0)
    judge = [row.judge for row in rows]
    labelled = [(row.judge, row.person) for row in rows if row.person is not None]
    # ppi-python's point estimate with the same lambda: rectified by what the labelled cases leave over
    rectifier = fmean(person - found.tuning * said for said, person in labelled)
    assert found.estimate.value == pytest.approx(found.tuning * fmean(judge) + rectifier)
    # near its optimal lambda, cov(y, f) / var(f), shrunk as many labels as there are are among the cases judged
    said, people = zip(*labelled, strict=True)
    mean_said, mean_people = fmean(said), fmean(people)
    covariance = sum(
        (one - mean_said) * (two - mean_people) for one, two in zip(said, people, strict=True)
    ) / (len(labelled) - 1)
    assert found.tuning == pytest.approx(covariance / variance(said), abs=0.05)
    assert (found.labels, found.estimate.n) == (100, 400)
    assert found.target == "difference"


def test_a_judge_that_is_kind_to_one_side_is_corrected_and_the_naive_difference_is_not():
    held = naive = 0
    for seed in range(60):
        a, b, chances, truth = sides(seed=seed)
        rows = differences(a, b, chances)
        found = corrected_difference(rows, 1.0).estimate
        held += found.low <= truth <= found.high
        naive += abs(fmean(row.judge for row in rows) - truth) < 0.05
    assert held >= 54
    assert naive == 0


def test_uncertain_cases_first_are_weighed_back():
    """Labels where the judge is unsure say that it is often wrong; without their chances that would be all it says."""
    found, plain = [], []
    for seed in range(40):
        random = Random(seed)
        unsure = [random.random() ** 3 for _ in range(500)]
        wrong = [random.random() < 0.8 * doubt for doubt in unsure]
        drawn = draw_for_labelling(unsure, 100, seed=seed)
        a = {str(at): JudgedCase(judge=0.0, person=0.0) for at in range(500)}
        b = {str(at): JudgedCase(judge=1.0, person=float(not wrong[at])) for at in range(500)}
        chances = {str(at): drawn.probabilities[at] for at in drawn.chosen}
        truth = 1.0 - fmean(wrong)
        found.append(corrected_difference(differences(a, b, chances), 1.0).estimate.value - truth)
        flat = dict.fromkeys(chances, 0.2)
        plain.append(corrected_difference(differences(a, b, flat), 1.0).estimate.value - truth)
    assert abs(fmean(found)) < 0.015
    assert fmean(plain) < -0.1


def test_clusters_are_one_piece_of_evidence():
    a, b, chances, _ = sides()
    rows = differences(a, b, chances)
    whole = [JudgedCase(judge=r.judge, person=r.person, probability=r.probability, cluster=at // 40) for at, r in enumerate(rows)]  # fmt: skip
    assert corrected_difference(whole, 1.0).estimate.clusters == 10


def test_few_labels_and_few_differences_are_said():
    a, b, chances, _ = sides(labels=6)
    assert (
        "fewer than 10 cases with labels on both sides"
        in corrected_difference(differences(a, b, chances), 1.0).estimate.warning
    )
    same = {str(at): JudgedCase(judge=1.0, person=1.0) for at in range(50)}
    found = corrected_difference(differences(same, same, dict.fromkeys(map(str, range(30)), 0.6)), 1.0)
    assert found.estimate.warning.startswith("only 0 labelled cases differ between the runs")
    assert found.estimate.low < 0.0 < found.estimate.high
    assert isinstance(corrected_difference(differences(a, b, {}), 1.0), Undefined)


def test_without_a_scale_it_is_the_mean_of_differences_all_the_same():
    a, b, chances, _ = sides()
    rows = differences(a, b, chances)
    assert corrected_difference(rows).estimate.value == ppi_mean(rows).estimate.value
