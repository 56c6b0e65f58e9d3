"""Spearman's rank correlation in plain Python: scipy's value, and an interval that counts clusters."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.ranks import rank_correlation


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=60))
def test_it_is_scipys(pairs):
    stats = pytest.importorskip("scipy.stats")
    found = rank_correlation((row, x / 3, y) for row, (x, y) in enumerate(pairs))
    if len({x for x, _ in pairs}) < 2 or len({y for _, y in pairs}) < 2:
        assert isinstance(found, Undefined)
    else:
        assert isinstance(found, Estimate)
        assert found.value == pytest.approx(stats.spearmanr(*zip(*pairs, strict=True)).statistic)
        assert -1.0 <= found.low <= found.value <= found.high <= 1.0
        assert found.low < found.high
        assert (found.n, found.clusters) == (len(pairs), None)


def test_two_pairs_say_nothing():
    assert rank_correlation([(0, 1.0, 2.0), (1, 2.0, 3.0)]) == Undefined(why="fewer than three labels")


def test_the_interval_is_that_of_leaving_out_one_pair_at_a_time():
    """The standard error is the limit of the jackknife's, which is what scipy gives without each pair in turn."""
    stats = pytest.importorskip("scipy.stats")
    chance = random.Random(3)
    xs = [chance.gauss(0, 1) for _ in range(200)]
    ys = [round(x + chance.gauss(0, 1)) for x in xs]
    found = rank_correlation(zip(range(200), xs, ys, strict=True))
    assert isinstance(found, Estimate)
    without = [
        stats.spearmanr(xs[:left] + xs[left + 1 :], ys[:left] + ys[left + 1 :]).statistic
        for left in range(200)
    ]
    middle = sum(without) / 200
    error = (199 / 200 * sum((value - middle) ** 2 for value in without)) ** 0.5
    half = (found.high - found.low) / 2
    assert half == pytest.approx(1.97 * error, rel=0.05)


def test_repeats_of_the_same_cases_are_no_new_evidence():
    chance = random.Random(4)
    rows = [(case, chance.gauss(0, 1), chance.gauss(0, 1)) for case in range(30)]
    once = rank_correlation(rows)
    four_times = rank_correlation([(case, x, y) for case, x, y in rows for _ in range(4)])
    assert isinstance(once, Estimate)
    assert isinstance(four_times, Estimate)
    assert four_times.clusters == 30
    assert four_times.low == pytest.approx(once.low, abs=0.02)
    assert four_times.high == pytest.approx(once.high, abs=0.02)
