"""Agreement figures against values worked out by hand, and curves that find what made the data."""

import numpy as np
import pytest

from training.calibrate import fit
from training.evaluate import Answers, summary
from training.figures import accuracy, interval, kappa, pearson, ranks, spearman

SAID = np.array([0.9, 0.8, 0.2, 0.6, 0.1, 0.3])
LABEL = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])


def test_accuracy_and_kappa():
    assert accuracy(SAID, LABEL) == pytest.approx(4 / 6)
    assert kappa(SAID, LABEL) == pytest.approx(1 / 3)
    assert kappa(np.zeros(3), np.zeros(3)) == 1.0


def test_ties_share_their_rank():
    assert ranks(np.array([3.0, 1.0, 3.0])).tolist() == [2.5, 1.0, 2.5]


def test_rank_correlation_ignores_the_scale():
    assert spearman(np.exp(SAID), SAID) == pytest.approx(1.0)
    assert pearson(SAID, -SAID) == pytest.approx(-1.0)
    assert np.isnan(pearson(np.ones(4), SAID[:4]))


def test_an_interval_holds_the_figure_and_widens_with_fewer_questions():
    rng = np.random.default_rng(0)
    said, label = rng.random(400), (rng.random(400) > 0.5).astype(float)
    single = interval(accuracy, said, label, [str(number) for number in range(400)], seed=1)
    grouped = interval(
        accuracy, said, label, [str(number // 100) for number in range(400)], seed=1, draws=200
    )
    assert single[0] <= accuracy(said, label) <= single[1]
    assert grouped[0] <= accuracy(said, label) <= grouped[1]
    assert interval(accuracy, said, label, ["a"] * 400, seed=1)[0] == accuracy(said, label)


def test_what_never_varies_has_no_interval():
    assert np.isnan(interval(pearson, np.ones(4), SAID[:4], list("abcd"), seed=1, draws=20)).all()


def test_a_curve_finds_the_steepness_and_shift_that_made_the_labels():
    outputs = np.linspace(-6, 6, 4001)
    targets = 1 / (1 + np.exp(-(0.7 * outputs + 0.4)))
    curve = fit(outputs, targets, np.ones(4001), shifted=True)
    assert (curve.slope, curve.intercept) == (pytest.approx(0.7, abs=1e-3), pytest.approx(0.4, abs=1e-3))
    assert fit(outputs, targets, np.ones(4001), shifted=False).intercept == 0.0


def test_labels_of_one_kind_do_not_run_away():
    assert np.isfinite(fit(np.ones(5), np.ones(5), np.ones(5), shifted=True).slope)


def test_facts_are_summed_up_by_row():
    answers = Answers(
        source="realsumm", question="states", keys=["a", "a", "b", "b"],
        outputs=np.array([[3.0], [3.0], [-3.0], [1.0]]), targets=np.array([[1.0], [0.67], [0.33], [0.0]]),
    )  # fmt: skip
    assert answers.by_row()[1].tolist() == [1.0, 0.0]
    assert summary(answers)["accuracy"] == 0.75
    assert summary(answers)["spearman"] == pytest.approx(1.0)
