"""What votes are worth: against numbers worked by hand, other implementations and simulation."""

import random
from collections import Counter
from itertools import combinations
from math import sqrt
from statistics import correlation, pvariance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.records import Scale
from adjudge.stats.agreement import cohen_kappa
from adjudge.stats.several.jury import (
    PairGroups,
    PairSums,
    effective_votes,
    gain_on_best,
    group_of,
    kappa_of_counts,
    mean_correlation,
    mean_of_known,
    pair_kappa,
)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_kappa_equals_the_other_implementation(pairs):
    table = np.zeros((4, 4))
    for a, b in pairs:
        table[a, b] += 1
    wanted = float(cohen_kappa(table))
    found = kappa_of_counts(Counter(pairs))
    assert (found is None and np.isnan(wanted)) or found == pytest.approx(wanted)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=40))
def test_correlation_equals_the_standard_librarys(pairs):
    sums = PairSums()
    for a, b in pairs:
        sums.add(a, b)
    a, b = zip(*pairs, strict=True)
    if pvariance(a) == 0 or pvariance(b) == 0:
        assert sums.correlation is None
    else:
        assert sums.correlation == pytest.approx(correlation(a, b), abs=1e-9)


@pytest.mark.parametrize(
    ("raters", "rho", "votes"),
    [(3, 0, 3), (3, 1, 1), (3, 0.57, 1.4019), (6, 0.5, 12 / 7), (1, 0.9, 1), (4, -0.2, 4)],
)
def test_effective_votes(raters, rho, votes):
    assert effective_votes(raters, rho) == pytest.approx(votes, abs=1e-4)


def test_as_many_independent_votes_leave_as_much_error():
    """The variance of the mean of five raters with a common error is that of so many independent ones."""
    chance, common, own = random.Random(4), 1.0, 1.5
    rows = []
    for _ in range(20_000):
        shared = chance.gauss(0, common)
        rows.append([shared + chance.gauss(0, own) for _ in range(5)])
    rho = common**2 / (common**2 + own**2)
    single, averaged = pvariance([row[0] for row in rows]), pvariance([sum(row) / 5 for row in rows])
    assert single / averaged == pytest.approx(effective_votes(5, rho), rel=0.05)


def test_the_gain_on_the_best_is_the_least_gain_with_ends_that_allow_for_the_choice():
    rows = range(200)
    gains = {
        "far": [(n, 0.5 + (n % 2)) for n in rows],
        "near": [(n, 0.1 + (n % 2) - 0.5) for n in rows],
        "twin": [(n, 0.11 + ((n + 1) % 2) - 0.5) for n in rows],
    }
    best, gain = gain_on_best(gains)
    assert (best, gain.value, gain.n) == ("near", pytest.approx(0.1), 200)
    alone = {name: gain_on_best({name: values})[1] for name, values in gains.items()}
    assert gain.low == alone["near"].low
    assert gain.high > alone["near"].high
    assert gain_on_best({}) is None
    assert gain_on_best({"near": gains["near"]})[1].high == pytest.approx(alone["near"].high)


def test_among_equals_a_jury_is_rarely_said_to_beat_or_to_lose_to_the_best():
    """Four raters and a jury that are all right on seven of ten: the true gain on the best is 0."""
    chance, beats, loses = random.Random(8), 0, 0
    for _ in range(400):
        jury = [chance.random() < 0.7 for _ in range(120)]
        gains = {
            f"m{r}": [(n, float(own) - float(chance.random() < 0.7)) for n, own in enumerate(jury)]
            for r in range(4)
        }
        _, gain = gain_on_best(gains, Scale(low=-1, high=1))
        beats += gain.low > 0
        loses += gain.high < 0
    assert beats <= 12
    assert loses <= 18


def test_the_empty_mean_is_none():
    assert mean_of_known([None, 1.0, 2.0]) == 1.5
    assert mean_of_known([None]) is None


def correlated(chance, cases, raters, rate, rho):
    """Errors of raters, any two of which correlate by `rho`."""
    for case in range(cases):
        common = chance.random() < rate
        yield (
            f"c{case}",
            [common if chance.random() < sqrt(rho) else chance.random() < rate for _ in range(raters)],
        )


def test_intervals_of_correlation_and_kappa_hold_what_is_true():
    chance = random.Random(11)
    held = kappas = 0
    for sample in range(150):
        pairs = {pair: PairGroups() for pair in combinations(range(3), 2)}
        for case, wrong in correlated(chance, 100, 3, 0.3, 0.3):
            for (a, b), groups in pairs.items():
                groups.add(
                    group_of(f"{sample}-{case}"), float(wrong[a]), float(wrong[b]), (wrong[a], wrong[b])
                )
        found, kappa = mean_correlation(list(pairs.values())), pair_kappa(pairs[0, 1])
        held += found.low <= 0.3 <= found.high
        kappas += kappa.low <= 0.3 <= kappa.high
        assert (found.n, kappa.n) == (100, 100)
    assert held >= 135
    assert kappas >= 135


def test_raters_that_never_differ_have_an_interval_below_one_and_those_that_never_vary_none():
    same, flat = PairGroups(), PairGroups()
    for case in range(40):
        same.add(group_of(f"c{case}"), case % 2, case % 2, (case % 2, case % 2))
        flat.add(group_of(f"c{case}"), 1.0, 1.0, (1, 1))
    assert mean_correlation([same]).value == 1.0
    assert 0.7 < mean_correlation([same]).low < 1.0
    assert 0.7 < pair_kappa(same).low < 1.0
    assert mean_correlation([flat]) is None
    assert pair_kappa(flat) is None
