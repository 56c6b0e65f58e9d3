"""Intervals: against published values, and by property."""

import math
import statistics
from fractions import Fraction
from math import inf, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.records import Scale
from adjudge.stats.intervals import mean_interval, moments_of, rate_interval

FIVE = Scale(low=0, high=5)
on_five = st.lists(st.floats(0, 5), min_size=1, max_size=60)


def test_t_interval_of_students_own_sleep_data():
    gains = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    estimate = mean_interval(gains)
    assert estimate is not None
    assert estimate.value == pytest.approx(1.58)
    assert (estimate.low, estimate.high) == pytest.approx((0.7001142, 2.4598858), abs=1e-7)
    assert (estimate.n, estimate.method) == (10, "t")


# Newcombe 1998, Statistics in Medicine 17:857-872, table I, method 3
@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_interval_is_the_published_one(passed, n, low, high):
    estimate = rate_interval(passed, n)
    assert estimate is not None
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)
    assert (estimate.value, estimate.n, estimate.method) == (passed / n, n, "Wilson")


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_on_a_scale_of_0_and_1_mean_and_pass_rate_have_one_interval(counts):
    passed, n = counts
    values = [1.0] * passed + [0.0] * (n - passed)
    mean, rate = mean_interval(values, Scale(low=0, high=1)), rate_interval(passed, n)
    assert mean is not None
    assert rate is not None
    assert (mean.low, mean.high) == pytest.approx((rate.low, rate.high))
    assert mean.method == rate.method


def test_near_the_end_of_a_scale_the_interval_leans_away_from_it():
    """One score of 1 and four of 4 among 95 of 5: t lies within 0.12 of the mean on both sides."""
    found = mean_interval([1.0, *[4.0] * 4, *[5.0] * 95], Scale(low=1, high=5))
    assert found is not None
    assert found.value - found.low > 2 * (found.high - found.value)
    assert found.high < 5
    assert found.method == "t on the logit scale"


def test_nothing_has_no_mean_and_no_rate():
    assert mean_interval([]) is None
    assert rate_interval(0, 0) is None


@pytest.mark.parametrize(("passed", "n"), [(2, 1), (-1, 3), (0, -1)])
def test_what_is_no_share_is_refused(passed, n):
    with pytest.raises(ValueError, match="not a share"):
        rate_interval(passed, n)


@given(on_five)
def test_the_interval_holds_the_mean_has_a_width_and_stays_on_the_scale(values):
    estimate = mean_interval(values, FIVE)
    assert estimate is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 5
    assert estimate.low < estimate.high


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_rates_interval_holds_the_rate_and_has_a_width(counts):
    estimate = rate_interval(*counts)
    assert estimate is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.low < estimate.high


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n))))
def test_one_more_pass_never_lowers_the_rates_interval(counts):
    passed, n = counts
    fewer, more = rate_interval(passed, n), rate_interval(passed + 1, n)
    assert fewer is not None
    assert more is not None
    assert fewer.low <= more.low
    assert fewer.high <= more.high


@given(st.floats(0, 5), st.integers(2, 500))
def test_equal_values_are_bounded_by_the_scale_more_tightly_the_more_there_are(value, n):
    fewer, more = mean_interval([value] * n, FIVE), mean_interval([value] * (n + 1), FIVE)
    assert fewer is not None
    assert more is not None
    assert fewer.method == "scale bound (all values equal)"
    assert 0 < more.high - more.low < fewer.high - fewer.low


def test_equal_values_leave_room_for_as_many_others_as_clopper_and_pearson_do():
    estimate = mean_interval([5.0] * 20, Scale(low=4, high=5))
    assert estimate is not None
    assert estimate.low == pytest.approx(5 - 0.1684, abs=5e-5)  # published upper limit for 0 of 20
    assert estimate.high == 5.0


@pytest.mark.parametrize("values", [[0.1 + 0.2, 0.3], [0.0, 8.6e-223]])
def test_values_that_differ_by_rounding_alone_are_equal(values):
    estimate = mean_interval(values, FIVE)
    assert estimate is not None
    assert estimate.method == "scale bound (all values equal)"
    assert estimate.high - estimate.low > 1


def test_one_value_says_nothing_beyond_the_scale():
    estimate = mean_interval([3.0], FIVE)
    assert estimate is not None
    assert (estimate.low, estimate.high, estimate.method) == (0, 5, "the whole scale (one case)")


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0, 3.0]])
def test_without_a_scale_equal_values_bound_nothing(values):
    estimate = mean_interval(values)
    assert estimate is not None
    assert (estimate.value, estimate.low, estimate.high) == (3.0, -inf, inf)
    assert "no scale" in estimate.method


def test_values_off_the_scale_are_not_left_out_of_their_own_interval():
    estimate = mean_interval([7.0, 8.0, 9.0], FIVE)
    assert estimate is not None
    assert estimate.low <= 8.0 <= estimate.high
    estimate = mean_interval([7.0, 7.0], FIVE)
    assert estimate is not None
    assert estimate.low < 7.0 <= estimate.high


def test_a_scale_of_one_point_gives_no_width_to_hide_behind():
    estimate = mean_interval([1.0, 1.0], Scale(low=1, high=1))
    assert estimate is not None
    assert (estimate.low, estimate.high) == (-inf, inf)


@given(on_five, st.randoms(use_true_random=False))
def test_order_changes_nothing(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    assert mean_interval(values, FIVE) == mean_interval(shuffled, FIVE)


@given(st.lists(st.floats(-1e100, 1e100), min_size=2, max_size=30))
def test_mean_and_variance_are_the_exact_ones_to_the_last_digits(values):
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    variance = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
    sample = moments_of(values)
    reach = max(map(abs, values))
    assert sample.mean == pytest.approx(float(mean), rel=1e-15, abs=reach * 1e-15)
    assert sample.variance == pytest.approx(float(variance), rel=1e-14, abs=(reach * 1e-15) ** 2)


def test_nothing_cancels_far_from_zero():
    values = [1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.3]
    assert moments_of(values).variance == pytest.approx(statistics.variance(values), rel=1e-12)
    assert moments_of([1e16, 1.0, -1e16]).mean == 1 / 3


@pytest.mark.parametrize("values", [[math.nan], [1.0, math.inf], [-math.inf], [math.inf, -math.inf]])
def test_what_is_no_number_is_refused(values):
    with pytest.raises((ValueError, OverflowError)):
        moments_of(values)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.floats(0.001, 100))
def test_a_higher_value_gives_a_higher_mean(values, more):
    before, after = mean_interval(values), mean_interval([values[0] + more, *values[1:]])
    assert before is not None
    assert after is not None
    assert after.value > before.value or isclose(after.value, before.value, rel_tol=1e-12)
