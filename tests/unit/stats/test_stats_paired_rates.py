"""Tango's interval of paired passes and fails: against published values, and its promise to agree with its test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from adjudge.records import Scale
from adjudge.stats.paired import compare
from adjudge.stats.paired_rates import score_interval, score_statistic, score_test_power

UNIT = Scale(low=0, high=1)


@pytest.mark.parametrize(
    ("only_a", "only_b", "n", "critical", "wanted"),
    [
        # Fagerland, Lydersen and Laake (2014), airway hyper-responsiveness before and after transplantation
        (7, 1, 21, 1.959964, (-0.517, -0.026)),
        # PropCIs::scoreci.mp(25, 28, 618, 0.90)
        (25, 28, 618, 1.644854, (-0.0148, 0.0247)),
    ],
)
def test_the_interval_is_the_published_one(only_a, only_b, n, critical, wanted):
    assert score_interval(only_a, only_b, n, critical=critical) == pytest.approx(wanted, abs=5e-4)


def test_the_statistic_at_no_difference_is_mcnemars():
    found = mcnemar([[0, 16], [6, 0]], exact=False, correction=False)
    assert score_statistic(16, 6, 161) ** 2 == pytest.approx(found.statistic)


def test_no_pair_that_differs_still_gives_a_width():
    low, high = score_interval(0, 0, 100)
    assert (low, high) == pytest.approx((-0.037, 0.037), abs=5e-4)
    assert score_interval(0, 100, 100) == pytest.approx((0.926, 1.0), abs=5e-4)


def test_few_discordant_pairs_are_covered():
    """Five cases in a hundred that only B passes: flips of the signs covered 87 % of such samples."""
    random = np.random.default_rng(4)
    limits = {count: score_interval(0, count, 100) for count in range(30)}
    covered = [
        limits[int(count)].low <= 0.05 <= limits[int(count)].high
        for count in random.binomial(100, 0.05, 4000)
    ]
    assert np.mean(covered) > 0.94
    found = compare([(at, float(at < 3)) for at in range(100)], UNIT)
    assert found is not None
    assert tuple(score_interval(0, 3, 100)) == (found.difference.low, found.difference.high)
    assert found.difference.high > 0.08
    assert "Tango" in found.difference.method


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 25), st.sampled_from([-4.0, 0.0, 4.0])), min_size=30, max_size=60))
def test_the_test_and_the_interval_agree_over_clusters_too(pairs):
    result = compare(pairs, Scale(low=1, high=5))
    assert result is not None
    assert result.significant == (not result.difference.low <= 0.0 <= result.difference.high)
    assert -4.0 <= result.difference.low <= result.difference.value <= result.difference.high <= 4.0
    assert result.difference.low < result.difference.high


def test_whole_clusters_that_go_along_count_as_little_more_than_one_case_each():
    alone = compare([(at, float(at < 60)) for at in range(300)], UNIT)
    together = compare([(at // 5, float(at < 60)) for at in range(300)], UNIT)
    sixty = compare([(at, float(at < 12)) for at in range(60)], UNIT)
    assert alone is not None
    assert together is not None
    assert sixty is not None
    widths = [each.difference.high - each.difference.low for each in (alone, together, sixty)]
    assert widths[1] > 2 * widths[0]
    assert widths[1] == pytest.approx(widths[2], rel=0.05)


@pytest.mark.parametrize(("difference", "discordant"), [(0.05, 0.05), (0.1, 0.3), (-0.05, 0.15)])
def test_the_power_is_that_of_the_test(difference, discordant):
    """Rejections of the test that decides, counted."""
    random = np.random.default_rng(9)
    n = 120
    shares = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
    drawn = random.multinomial(n, shares, 4000)
    rejected = [abs(score_statistic(a, b, n)) > 1.959964 for b, a, _ in drawn.tolist()]
    assert score_test_power(difference, discordant, n) == pytest.approx(np.mean(rejected), abs=0.02)


def test_the_power_is_continuous_where_the_exact_sum_ends():
    few, many = (score_test_power(0.05, 0.2, n) for n in (1999, 2003))
    assert few == pytest.approx(many, abs=0.01)
