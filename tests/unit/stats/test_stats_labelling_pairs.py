"""One draw for two runs: whose doubts make it, and what it does to each run's own chances."""

import pytest

from adjudge.stats.labelling import chance_of_either, draw_for_labelling, either_doubt


def test_doubts_of_both_sides_add_up_by_their_squares_whatever_they_are_measured_in():
    assert either_doubt([3.0, 1.0], [40.0, 0.0]) == pytest.approx(((1.5**2 + 2**2) ** 0.5, 0.5))
    assert either_doubt([0.2, 0.4]) == pytest.approx((2 / 3, 4 / 3))
    assert either_doubt([0.0, 0.0], [1.0, 3.0]) == pytest.approx((1.25**0.5, 3.25**0.5))


def test_the_chance_of_either_is_how_often_one_of_the_two_draws_has_a_case():
    own_doubt, shared_doubt = [0.1, 0.5, 0.9, 0.3, 0.7] * 4, [0.8, 0.2, 0.4, 0.6, 0.1] * 4
    hits, rounds = [0] * 20, 3000
    for seed in range(rounds):
        alone = draw_for_labelling(own_doubt, 5, seed=seed)
        shared = draw_for_labelling(shared_doubt, 4, seed=seed + 100_000)
        for at in {*alone.chosen, *shared.chosen}:
            hits[at] += 1
    expected = [
        chance_of_either(own, 0.0, both)
        for own, both in zip(alone.probabilities, shared.probabilities, strict=True)
    ]
    assert [hit / rounds for hit in hits] == pytest.approx(expected, abs=0.035)


def test_a_second_shared_draw_adds_only_what_it_added():
    first = chance_of_either(0.3, 0.0, 0.2)
    assert chance_of_either(first, 0.2, 0.5) == pytest.approx(1 - 0.7 * 0.5)
    assert chance_of_either(0.4, 0.2, 0.2) == pytest.approx(0.4)
    assert chance_of_either(1.0, 1.0, 1.0) == 1.0
