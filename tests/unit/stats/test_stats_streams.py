"""Quantiles and distributions of streams."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.records import Scale
from adjudge.stats.distribution import BINS, MAX_VALUES, Distribution, Quantiles


@given(st.lists(st.floats(0.001, 1e7), min_size=1, max_size=200), st.sampled_from([0.0, 0.5, 0.95, 1.0]))
def test_quantiles_are_right_to_one_percent(values, share):
    stream = Quantiles()
    for value in values:
        stream.add(value)
    exact = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    assert stream.at(share) == pytest.approx(exact, rel=0.0101)


@given(st.lists(st.floats(0, 1e7), min_size=1, max_size=50))
def test_quantiles_rise_and_stay_within_what_was_seen(values):
    stream = Quantiles()
    for value in values:
        stream.add(value)
    found = [stream.at(share / 10) for share in range(11)]
    assert found == sorted(found)
    assert min(values) <= found[0]
    assert found[-1] <= max(values)


def test_quantiles_take_any_magnitude_in_bounded_memory():
    stream = Quantiles()
    for exponent in range(-320, 308):
        stream.add(float(f"1e{exponent}"))
    assert len(stream._buckets) < 2200
    assert stream.at(1.0) is not None


def test_no_values_have_no_quantile_and_negative_ones_are_refused():
    assert Quantiles().at(0.5) is None
    with pytest.raises(ValueError, match="below 0"):
        Quantiles().add(-1)
    with pytest.raises(ValueError, match="below 0"):
        Quantiles().add(math.nan)
    with pytest.raises(ValueError, match="share"):
        Quantiles().at(1.1)


def test_few_values_are_counted_each_from_low_to_high():
    distribution = Distribution(Scale(low=0, high=5))
    for value in [4.0, 0.0, 4.0, 2.5]:
        distribution.add(value)
    assert distribution.counts() == {"0": 1, "2.5": 1, "4": 2}


@given(st.lists(st.floats(-0.5, 1.5), max_size=60), st.randoms(use_true_random=False))
def test_counts_add_up_stay_few_and_do_not_depend_on_order(values, random):
    counts = []
    for order in (values, random.sample(values, len(values))):
        distribution = Distribution(Scale(low=0, high=1))
        for value in order:
            distribution.add(value)
        counts.append(distribution.counts())
    assert counts[0] == counts[1]
    assert counts[0] is not None
    assert sum(counts[0].values()) == len(values)
    assert len(counts[0]) <= MAX_VALUES


def test_many_values_are_counted_by_tenths_of_the_scale():
    distribution = Distribution(Scale(low=0, high=100))
    for value in range(101):
        distribution.add(value)
    counts = distribution.counts()
    assert counts is not None
    assert list(counts) == [f"{start} to {start + 10}" for start in range(0, 100, 10)]
    assert list(counts.values()) == [10] * (BINS - 1) + [11]


def test_many_values_without_a_scale_are_not_listed():
    distribution = Distribution(None)
    for value in range(MAX_VALUES):
        distribution.add(value)
    assert distribution.counts() is not None
    distribution.add(0.5)
    assert distribution.counts() is None
