"""Strengths of systems from pairs: against an independent fit, in simulation, and where there is no best value."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import t

from adjudge.stats.several.ranking import Win, connected, rank_systems


def independent(wins, systems):
    """Davidson's likelihood, written out case by case and left to a general optimiser."""

    def negative(parameters):
        values, tie = np.append(parameters[:-1], 0.0), np.exp(parameters[-1])
        total = 0.0
        for win in wins:
            a, b = np.exp(values[win.first]), np.exp(values[win.second])
            drawn = tie * np.sqrt(a * b)
            chance = {1.0: a, 0.0: b, 0.5: drawn}[win.score] / (a + b + drawn)
            total -= np.log(chance)
        return total

    found = minimize(negative, np.zeros(systems), method="BFGS", options={"gtol": 1e-8}).x
    values = np.append(found[:-1], 0.0)
    return values - values.mean()


def strengths(wins, systems):
    ranked = rank_systems(wins, systems, seed=0, resamples=50).systems
    return [each.strength.value for each in sorted(ranked, key=lambda each: each.system)]


def clustered_wins(seed, systems, clusters, cases):
    """Equal systems, each of which is better or worse in whole clusters."""
    chance = random.Random(seed)
    wins = []
    for cluster in range(clusters):
        shift = [chance.gauss(0, 0.5) for _ in range(systems)]
        wins += [win._replace(case=str(cluster)) for win in drawn_wins(chance.random(), shift, cases)]
    return wins


def drawn_wins(seed, true, cases, tie=0.6):
    chance = random.Random(seed)
    wins = []
    for case in range(cases):
        for first, second in itertools.combinations(range(len(true)), 2):
            half = np.exp((true[first] - true[second]) / 2)
            total = half + 1 / half + tie
            score = chance.choices([1.0, 0.0, 0.5], [half / total, 1 / half / total, tie / total])[0]
            wins.append(Win(str(case), first, second, score))
    return wins


@pytest.mark.parametrize("seed", range(5))
def test_the_fit_equals_an_independent_one(seed):
    wins = drawn_wins(seed, [0.9, 0.2, -0.3, -0.8], 30)
    assert strengths(wins, 4) == pytest.approx(independent(wins, 4), abs=1e-4)
    assert not rank_systems(wins, 4, seed=0, resamples=50).separated


def test_two_systems_without_ties_have_the_odds_as_strength():
    wins = [Win(str(n), 0, 1, float(n < 30)) for n in range(40)]
    one, other = strengths(wins, 2)
    assert one - other == pytest.approx(np.log(30 / 10))
    # half of the width of a logit's interval, since the two strengths are its halves
    interval = rank_systems(wins, 2, seed=0, resamples=4_000).systems[0].strength
    assert (interval.high - interval.low) / 2 == pytest.approx(
        t.ppf(0.975, 39) * np.sqrt(1 / 30 + 1 / 10) / 2, rel=0.15
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_swapping_the_sides_of_every_pair_changes_nothing(results):
    sides = [(0, 1), (0, 2), (1, 2)]
    wins = [Win(str(n), *sides[pair], score) for n, (pair, score) in enumerate(results)]
    swapped = [Win(win.case, win.second, win.first, 1 - win.score) for win in wins]
    one, other = strengths(wins, 3), strengths(swapped, 3)
    assert one == pytest.approx(other)
    assert all(map(np.isfinite, one))
    assert sum(one) == pytest.approx(0, abs=1e-9)


def test_a_system_that_always_wins_is_ranked_first_with_a_finite_strength():
    wins = [Win(str(n), 0, 1, 1.0) for n in range(20)] + [Win(str(n), 1, 2, float(n % 2)) for n in range(20)]
    ranking = rank_systems(wins, 3, seed=1)
    assert ranking.separated
    assert ranking.systems[0].system == 0
    assert ranking.systems[0].ranks == (1, 1)
    assert {system.ranks for system in ranking.systems[1:]} == {(2, 3)}
    assert all(np.isfinite(system.strength.high) for system in ranking.systems)


def test_two_cases_that_agree_tell_nothing_apart():
    ranking = rank_systems([Win(str(n), 0, 1, 1.0) for n in range(2)], 2, seed=1)
    assert {system.ranks for system in ranking.systems} == {(1, 2)}
    assert ranking.systems[0].strength.low < 0 < ranking.systems[0].strength.high


def test_only_ties_leave_all_ranks_open():
    ranking = rank_systems([Win(str(n), 0, 1, 0.5) for n in range(9)], 2, seed=1)
    assert [system.strength.value for system in ranking.systems] == [0.0, 0.0]
    assert {system.ranks for system in ranking.systems} == {(1, 2)}


def test_systems_that_no_pair_connects_are_apart():
    wins = [Win("1", 0, 1, 1.0), Win("2", 3, 4, 0.5), Win("3", 4, 2, 0.0)]
    assert connected(wins, 6) == ((2, 3, 4), (0, 1), (5,))


def test_equal_systems_are_seldom_told_apart_and_unequal_ones_are():
    told = sum(
        any(
            system.ranks != (1, 3)
            for system in rank_systems(drawn_wins(seed, [0, 0, 0], 40), 3, seed=seed, resamples=300).systems
        )
        for seed in range(60)
    )
    assert told <= 7  # 5 % of 60 are 3; more than 7 has a chance of 1 in 100
    ranking = rank_systems(drawn_wins(7, [1.2, 0.0, -1.2], 60), 3, seed=7)
    assert [system.system for system in ranking.systems] == [0, 1, 2]
    assert [system.ranks for system in ranking.systems] == [(1, 1), (2, 2), (3, 3)]


def test_intervals_hold_the_true_strength():
    true = [0.6, 0.0, -0.6]
    held = [
        ranked.strength.low <= true[ranked.system] <= ranked.strength.high
        for seed in range(60)
        for ranked in rank_systems(drawn_wins(seed, true, 60), 3, seed=seed, resamples=300).systems
    ]
    assert sum(held) / len(held) > 0.88


def test_few_clusters_make_wide_intervals_and_a_warning():
    """Five clusters: percentiles of the bootstrap hold 0.86 of the true strengths and tell equal systems apart in 0.15."""
    rankings = [
        rank_systems(clustered_wins(seed, 3, 5, 20), 3, seed=seed, resamples=200) for seed in range(60)
    ]
    held = [each.strength.low <= 0 <= each.strength.high for ranking in rankings for each in ranking.systems]
    assert sum(held) / len(held) > 0.92
    assert sum(any(each.ranks != (1, 3) for each in ranking.systems) for ranking in rankings) <= 7
    assert (
        rankings[0].systems[0].strength.warning == "5 clusters: an interval over fewer than 10 is unreliable"
    )


@pytest.mark.parametrize("clusters", [2, 3, 4, 5])
def test_clusters_that_all_say_the_same_are_one_comparison_each(clusters):
    """Twenty comparisons of two documents, all won: every second pair of equal systems has that where documents decide."""
    wins = [Win(str(number), 0, 1, 1.0) for number in range(clusters) for _ in range(10)]
    ranking = rank_systems(wins, 2, seed=0)
    assert {each.ranks for each in ranking.systems} == {(1, 2)}
    alone = rank_systems([Win(str(number), 0, 1, 1.0) for number in range(clusters)], 2, seed=0)
    assert ranking.systems[0].strength.low == pytest.approx(alone.systems[0].strength.low)
    assert (ranking.clustered, alone.clustered) == (True, False)


def test_one_cluster_tells_nothing():
    ranking = rank_systems([Win("one", 0, 1, 1.0)] * 50, 2, seed=0)
    assert {each.ranks for each in ranking.systems} == {(1, 2)}
    assert ranking.systems[0].strength.high == float("inf")
