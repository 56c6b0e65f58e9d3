"""The sign-flip comparison: against all flips by hand, and its agreement with its own interval."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from adjudge.records import Scale
from adjudge.stats.clusters import Clusters, clustered_mean
from adjudge.stats.paired import compare, detectable_difference, effect_size

UNIT = Scale(low=0, high=1)
few = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from([-1.0, -0.5, 0.0, 0.1, 0.5, 1.0])), min_size=1, max_size=20
)


def p_by_hand(pairs, shift=0.0):
    sums = {}
    for cluster, value in pairs:
        sums[cluster] = sums.get(cluster, 0.0) + value - shift
    seen = abs(sum(sums.values()))
    flips = [
        abs(sum(sign * value for sign, value in zip(signs, sums.values(), strict=True)))
        for signs in product((1, -1), repeat=len(sums))
    ]
    return sum(flip >= seen - 1e-9 for flip in flips) / len(flips)


@pytest.mark.parametrize("seed", range(6))
def test_p_is_the_share_of_all_flips_that_are_as_extreme(seed):
    random = np.random.default_rng(seed)
    pairs = list(zip(random.integers(0, 9, 30).tolist(), random.normal(0.3, 1, 30).tolist(), strict=True))
    result = compare(pairs)
    assert result is not None
    assert result.exact
    assert result.p == pytest.approx(p_by_hand(pairs))


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_is_all_differences_that_the_test_does_not_reject(seed):
    random = np.random.default_rng(seed)
    pairs = list(zip(range(9), random.normal(0.5, 1, 9).tolist(), strict=True))
    result = compare(pairs)
    assert result is not None
    low, high = result.difference.low, result.difference.high
    assert p_by_hand(pairs, low + 1e-6) > 0.05
    assert p_by_hand(pairs, high - 1e-6) > 0.05
    assert p_by_hand(pairs, low - 1e-6) <= 0.05
    assert p_by_hand(pairs, high + 1e-6) <= 0.05


@settings(deadline=None)
@given(few)
def test_the_test_and_the_interval_agree(pairs):
    result = compare(pairs, UNIT)
    assert result is not None
    assert result.significant == (not result.difference.low <= 0.0 <= result.difference.high)
    assert result.difference.low <= result.difference.value + 1e-12
    assert result.difference.high >= result.difference.value - 1e-12
    assert result.difference.low < result.difference.high


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 50), st.sampled_from([14, 60, 300]), st.booleans())
def test_the_test_and_the_interval_agree_on_a_sample_of_flips(seed, clusters, whole):
    random = np.random.default_rng(seed)
    values = random.integers(-2, 4, clusters).astype(float) if whole else random.normal(0.15, 1, clusters)
    result = compare(enumerate(values.tolist()), seed=seed)
    assert result is not None
    assert not result.exact
    assert result.significant == (not result.difference.low <= 0.0 <= result.difference.high)


@pytest.mark.parametrize("whole", [True, False])
def test_many_clusters_give_what_cr2_gives(whole):
    random = np.random.default_rng(8)
    values = random.normal(0.05, 1, 6000)
    pairs = list(enumerate((np.round(values) if whole else values).tolist()))
    flipped, robust = compare(pairs, seed=2), clustered_mean(pairs)
    assert flipped is not None
    assert robust is not None
    assert (flipped.difference.low, flipped.difference.high) == pytest.approx(
        (robust.low, robust.high), abs=0.002
    )


def test_the_seed_decides_and_is_said():
    pairs = [(at, float(np.sin(at))) for at in range(40)]
    first, again, other = compare(pairs, seed=1), compare(pairs, seed=1), compare(pairs, seed=2)
    assert first is not None
    assert other is not None
    assert first == again
    assert first.p != other.p
    assert first.difference.method == "paired permutation test, 9,999 permutations, seed 1"
    assert first.p_error == pytest.approx((first.p * (1 - first.p) / 10_000) ** 0.5)


def test_equal_differences_get_a_width_and_a_p_that_agrees():
    result = compare([(at, 0.4) for at in range(30)], UNIT)
    assert result is not None
    assert result.significant
    assert 0 < result.difference.low < 0.4 < result.difference.high
    assert result.effect_size is None
    nothing = compare([(at, 0.0) for at in range(30)], UNIT)
    assert nothing is not None
    assert (nothing.p, nothing.significant) == (1.0, False)
    assert nothing.difference.low < 0 < nothing.difference.high


def test_no_pairs_and_one_pair_are_answered():
    assert compare([]) is None
    one = compare([(0, 0.5)], UNIT)
    assert one is not None
    assert (one.p, one.difference.low, one.difference.high) == (1.0, -1.0, 1.0)


def test_effect_size_is_in_standard_deviations():
    assert effect_size([0.0, 1.0, 2.0]) == pytest.approx(1.0)


def test_the_detectable_difference_is_statsmodels_to_a_percent():
    values = np.random.default_rng(1).normal(size=200)
    spread = Clusters(enumerate(values.tolist())).spread()
    assert spread is not None
    wanted = TTestPower().solve_power(nobs=200, power=0.8, alpha=0.05) * values.std(ddof=1)
    assert detectable_difference(spread) == pytest.approx(wanted, rel=0.01)
