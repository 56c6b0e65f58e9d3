"""How many cases a comparison needs."""

from math import sqrt
from random import Random

import pytest

from adjudge.analysis.comparison.matching import Pair
from adjudge.analysis.comparison.plan import (
    MIN_UNITS,
    DifferenceSpread,
    SpreadSource,
    find_need,
    in_clusters,
    plan_comparison,
    spread_of_pairs,
    spread_of_rates,
    spread_of_scores,
    spreads_of_rates,
)
from adjudge.errors import InputError, SettingsError
from adjudge.records import Scale
from adjudge.stats.paired import compare
from adjudge.stats.pairs import sample_size

UNIT = Scale(low=0, high=1)
GIVEN = SpreadSource(kind="sd")
HALF = DifferenceSpread(sd=0.5, source=GIVEN)


def pair(number, a, b, cluster=None):
    return Pair(str(number), cluster or (number,), a, b, None, None, ())


def test_the_answer_is_that_of_the_sample_size():
    need = find_need(0.02, HALF, power=0.8)
    assert (need.cases, need.clusters, need.at_least) == (sample_size(0.02, sd=0.5), None, False)
    assert find_need(0.02, HALF, power=0.9).cases > need.cases


def test_clusters_ask_for_more_cases():
    alone = find_need(0.1, HALF, power=0.8)
    together = find_need(0.1, in_clusters(HALF, size=4, correlation=0.5), power=0.8)
    assert together.cases == pytest.approx(2.5 * alone.cases, abs=3)
    assert together.clusters == -(-together.cases // 4)


def test_no_plan_is_smaller_than_the_test_can_do_with():
    """Five clusters that all moved alike have a p of 2 in 32, six one of 2 in 64."""
    assert not compare([(n, 1.0 + n / 100) for n in range(MIN_UNITS - 1)]).significant
    assert compare([(n, 1.0 + n / 100) for n in range(MIN_UNITS)]).significant
    need = find_need(
        1.0, in_clusters(DifferenceSpread(sd=0.01, source=GIVEN), size=3, correlation=0), power=0.8
    )
    assert (need.cases, need.clusters, need.at_least) == (18, 6, True)


def test_two_runs_give_the_spread_of_their_differences():
    spread = spread_of_pairs([pair(n, 0.0, float(n % 2)) for n in range(100)])
    assert spread.sd == pytest.approx(sqrt(0.25 * 100 / 99))
    assert (spread.source, spread.clustering) == (SpreadSource(kind="two_runs", cases=100), None)


def test_one_run_gives_its_own_spread_twice_unless_the_other_goes_along():
    scores = [(n, float(n % 2)) for n in range(100)]
    one = spread_of_scores(scores).sd
    assert one == pytest.approx(sqrt(2 * 0.25 * 100 / 99))
    assert spread_of_scores(scores, correlation=0.5).sd == pytest.approx(one / sqrt(2))


def test_clusters_of_a_run_set_the_design_effect():
    random = Random(3)
    moved = [random.choice((-1.0, 1.0)) for _ in range(40)]
    spread = spread_of_pairs([pair(n, 0.0, moved[n // 5], cluster=f"d{n // 5}") for n in range(200)])
    assert spread.clustering.design_effect == pytest.approx(5, rel=0.1)
    assert (spread.clustering.size, spread.clustering.clusters) == (5, 40)


def test_passes_are_planned_by_the_test_that_decides():
    """With every difference on one side a t test asks for 152 cases, and the score test finds it with 110."""
    need = find_need(0.05, spread_of_rates(0.0, 0.05), power=0.8)
    assert need.cases == 110
    random = Random(5)
    found = 0
    for _ in range(300):
        result = compare([(n, float(random.random() < 0.05)) for n in range(need.cases)], UNIT)
        found += result is not None and result.significant
    assert found / 300 == pytest.approx(0.8, abs=0.06)


def test_stored_passes_are_planned_by_the_test_that_decides():
    pairs = [pair(n, float(n % 2), float(n % 2 or n < 40)) for n in range(100)]
    assert spread_of_pairs(pairs).discordant == pytest.approx(0.2)
    assert spread_of_pairs([pair(n, 0.5, float(n % 2)) for n in range(100)]).discordant is None
    one_run = spread_of_scores([(n, float(n % 2)) for n in range(100)], correlation=0.5)
    assert one_run.discordant == pytest.approx(0.25)


@pytest.mark.parametrize("correlation", [0.7, -0.2])
def test_a_correlation_that_the_rates_do_not_allow_is_refused(correlation):
    with pytest.raises(SettingsError, match=r"from -0\.167 to 0\.667"):
        spread_of_rates(0.8, 0.9, correlation=correlation)


def test_rates_are_as_cautious_as_their_correlation():
    assert spread_of_rates(0.5, 0.5).sd == pytest.approx(sqrt(0.5))
    assert spread_of_rates(0.5, 0.5, correlation=0.8).sd == pytest.approx(sqrt(0.1))


@pytest.mark.parametrize("scores", [[], [(1, 2.0)], [(n, 2.0) for n in range(9)]])
def test_scores_that_do_not_differ_have_no_spread(scores):
    with pytest.raises(InputError, match="do not differ"):
        spread_of_scores(scores)


def test_a_plan_shows_more_power_and_runs_that_go_along():
    plan = plan_comparison(0.1, spreads_of_rates(None, None), power=0.8, guessed=True)
    assert [(other.power, other.spread.source.correlation) for other in plan.others] == [
        (0.9, 0.0),
        (0.8, 0.5),
        (0.8, 0.8),
    ]
    assert plan.need.spread.source == SpreadSource(kind="rates", rates=(0.5, 0.5), correlation=0.0)
    assert plan_comparison(0.1, [HALF], power=0.95).others == ()
    assert len(spreads_of_rates((0.8, 0.9), None)) == 2  # a correlation of 0.8 cannot be
