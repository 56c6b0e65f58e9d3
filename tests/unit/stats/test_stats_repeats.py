"""Repeats of a case: noise, test-retest kappa, and what stays undecided."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.repeats import Retests, retest_kappa, retests_of, undecided, within_case_noise

REPEATS = [
    [1, 1, 1],
    [0, 1, 0],
    [0, 0, 0],
    [0, 1, 0],
    [1, 1, 1],
    [1, 1, 1],
    [1, 0, 1],
    [1, 1, 1],
    [1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
    [1, 0, 1],
    [1, 1, 1],
    [1, 1, 1],
    [1, 0, 1],
    [1, 1, 1],
    [1, 1, 1],
    [1, 1, 1],
    [0, 0, 0],
    [1, 1, 1],
    [1, 0, 1],
    [1, 1, 1],
    [1, 0, 1],
    [1, 0, 1],
    [1, 0, 1],
]
IRRCAC_FLEISS = 0.26901


def named(rows):
    return {str(at): row for at, row in enumerate(rows)}


def test_kappa_of_repeats_is_fleisss():
    found = retest_kappa(named(REPEATS))
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(IRRCAC_FLEISS, abs=1e-5)
    assert found.value == pytest.approx(fleiss_kappa(aggregate_raters(np.array(REPEATS))[0]))
    assert found.low < found.value < found.high


def test_kappa_that_is_perfect_has_a_width_and_one_verdict_has_none():
    found = retest_kappa(named([[0, 0], [1, 1]] * 10))
    assert isinstance(found, Estimate)
    assert found.low < found.value == found.high == 1.0
    assert isinstance(retest_kappa(named([[1, 1], [1, 1]])), Undefined)
    assert isinstance(retest_kappa(named([[1], [0]])), Undefined)
    alone = retest_kappa(named([[0, 1]]))
    assert isinstance(alone, Estimate)
    assert (alone.low, alone.high) == (-1.0, 1.0)


def test_noise_is_pooled_by_degrees_of_freedom():
    found = within_case_noise({"a": [1.0, 3.0], "b": [2.0, 2.0, 2.0], "c": [5.0]})
    assert not isinstance(found, Undefined)
    assert (found.sd, found.df, found.cases) == (pytest.approx(np.sqrt(2 / 3)), 3, 2)
    assert isinstance(within_case_noise({"a": [1.0]}), Undefined)


def test_flips_are_counted_over_pairs_of_repeats():
    found = retests_of({"a": [1, 1, 0], "b": [1, 1], "c": [0]}).flips()
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(2 / 4)
    assert isinstance(retests_of({"a": [1]}).flips(), Undefined)


def test_undecided_are_the_cases_within_noise_of_the_threshold():
    scores = {"far": [5.0, 4.8], "near": [3.1, 2.9], "low": [1.0, 1.2], "once": [3.05]}
    assert undecided(scores, 3.0) == ["near", "once"]
    assert undecided({"a": [3.0, 3.0]}, 3.0) == []
    assert isinstance(undecided({"a": [3.0]}, 3.0), Undefined)


def test_the_order_of_the_cases_changes_nothing_and_alike_ones_take_no_more_room():
    turned = Retests()
    for row in reversed(REPEATS * 40):
        turned.add_scores(row)
        turned.add_verdicts(row)
    whole = named(REPEATS * 40)
    assert turned.noise() == within_case_noise(whole)
    for found, wanted in (
        (turned.kappa(), retest_kappa(whole)),
        (turned.flips(), retests_of(whole).flips()),
    ):
        assert isinstance(found, Estimate)
        assert isinstance(wanted, Estimate)
        assert (found.value, found.low, found.high) == pytest.approx((wanted.value, wanted.low, wanted.high))
        assert found.n == wanted.n
    assert len(turned.kinds) == 4


def test_the_jackknife_over_kinds_is_the_one_over_cases():
    def kappa_of(rows):
        return fleiss_kappa(aggregate_raters(np.array(rows), n_cat=2)[0])

    without = np.array([kappa_of(REPEATS[:at] + REPEATS[at + 1 :]) for at in range(len(REPEATS))])
    n = len(REPEATS)
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    found = retest_kappa(named(REPEATS))
    assert isinstance(found, Estimate)
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, n - 1) * error)
