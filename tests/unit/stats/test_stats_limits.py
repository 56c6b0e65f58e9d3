"""Exact limits of shares: against scipy, over clusters, and as differences."""

import pytest
from scipy import stats

from adjudge.stats.limits import Tails, beta_quantile, exact_share, excess, fewest_above, fewest_below


@pytest.mark.parametrize(("count", "n"), [(0, 30), (1, 30), (7, 30), (30, 30), (3, 400)])
@pytest.mark.parametrize("tail", [0.025, 0.05 / 11])
def test_independent_trials_have_clopper_and_pearsons_limits(count, n, tail):
    found = exact_share([(number, number < count) for number in range(n)], Tails.both(tail))
    limits = stats.binomtest(count, n).proportion_ci(1 - 2 * tail, "exact")
    assert (found.low, found.high) == (pytest.approx(limits.low), pytest.approx(limits.high))


def test_each_limit_has_its_own_tail():
    pairs = [(number, number < 7) for number in range(30)]
    wide, mixed = exact_share(pairs, Tails.both(0.01)), exact_share(pairs, Tails(low=0.01, high=0.05))
    assert mixed.low == wide.low
    assert mixed.high < wide.high


def test_trials_of_one_answer_are_not_independent_evidence():
    tails = Tails.both(0.025)
    alike = exact_share([(answer, answer < 2) for answer in range(10) for _ in range(10)], tails)
    apart = exact_share([(number, number < 20) for number in range(100)], tails)
    ten = exact_share([(number, number < 2) for number in range(10)], tails)
    assert alike.value == apart.value == 0.2
    assert alike.high - alike.low > 2 * (apart.high - apart.low)
    assert alike.high == pytest.approx(ten.high, abs=0.15)
    assert exact_share([], tails) is None


@pytest.mark.parametrize("went_wrong", [False, True])
def test_where_all_trials_go_one_way_each_answer_counts_once(went_wrong):
    """0 of 330 on 16 answers is what 0 of 16 is."""
    tails = Tails.both(0.025)
    many = exact_share([(answer, went_wrong) for answer in range(16) for _ in range(20)], tails)
    once = exact_share([(answer, went_wrong) for answer in range(16)], tails)
    assert (many.low, many.high) == (once.low, once.high)
    one = exact_share([("a", went_wrong)] * 20, tails)
    assert (one.low, one.high) == (0.0, 1.0)


def test_what_one_share_exceeds_another_by():
    tails = Tails.both(0.025)
    many, few = (exact_share([(n, n < count) for n in range(100)], tails) for count in (30, 10))
    found = excess(many, few)
    assert found.value == pytest.approx(0.2)
    assert found.low < many.low - few.value
    assert found.high > many.high - few.value
    assert excess(many, None) is many
    none = exact_share([(n, False) for n in range(100)], tails)
    assert (
        excess(none, none).high == none.high
    )  # nothing seen at either: the bound on unseen ones is all there is


@pytest.mark.parametrize(
    ("allowed", "tail"), [(0.05, 0.05 / 11), (0.2, 0.05 / 11), (0.15, 0.05), (0.5, 0.25)]
)
def test_as_many_as_are_needed_are_enough_and_one_less_is_not(allowed, tail):
    def high(n):
        return exact_share([(number, False) for number in range(n)], Tails.both(tail)).high

    needed = fewest_below(allowed, tail)
    assert high(needed) <= allowed + 1e-9 < high(needed - 1)

    def low(n, *, exceeding):
        every, none = (
            exact_share([(number, wrong) for number in range(n)], Tails.both(tail)) for wrong in (True, False)
        )
        return (excess(every, none) if exceeding else every).low

    for exceeding in (False, True):
        needed = fewest_above(allowed, tail, exceeding=exceeding)
        assert low(needed, exceeding=exceeding) > allowed
        assert (
            needed == 2 or low(needed - 1, exceeding=exceeding) <= allowed + 1e-9
        )  # one answer alone says nothing


def test_quantiles_are_scipys():
    for p, a, b in ((0.01, 0.5, 30.0), (0.995, 8.3, 200.7), (0.5, 2.0, 2.0)):
        assert beta_quantile(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), rel=1e-8)
