"""Draws for labelling: as many as asked, with the chances that are stored."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.labelling import draw_for_labelling


@given(st.lists(st.floats(0, 10), min_size=1, max_size=80), st.integers(0, 40), st.integers(0, 99))
def test_as_many_are_drawn_as_asked_and_their_chances_add_up(uncertainties, n, seed):
    draw = draw_for_labelling(uncertainties, n, seed=seed)
    wanted = min(n, len(uncertainties))
    assert len(draw.chosen) == len(set(draw.chosen)) == wanted
    assert sum(draw.probabilities) == pytest.approx(wanted)
    assert all(0 <= chance <= 1 for chance in draw.probabilities)
    if wanted:
        assert min(draw.probabilities) >= min(1.0, 0.1 * wanted / len(uncertainties)) - 1e-12


def test_each_is_drawn_as_often_as_its_chance_says():
    uncertainties = [0.0, 0.1, 0.2, 0.5, 1.0, 1.0, 3.0, 0.0, 0.3, 0.7]
    counts = np.zeros(10)
    for seed in range(4000):
        counts[list(draw_for_labelling(uncertainties, 3, seed=seed).chosen)] += 1
    chances = np.array(draw_for_labelling(uncertainties, 3).probabilities)
    errors = np.sqrt(chances * (1 - chances) / 4000) + 1e-9
    assert (np.abs(counts / 4000 - chances) < 4 * errors).all()


def test_a_later_draw_adds_to_the_earlier_one():
    uncertainties = np.random.default_rng(1).random(200).tolist()
    counts, chances = np.zeros(200), np.zeros(200)
    for seed in range(1500):
        first = draw_for_labelling(uncertainties, 20, seed=seed)
        both = draw_for_labelling(uncertainties, 30, seed=seed + 10_000, earlier=first)
        assert set(first.chosen) < set(both.chosen)
        assert len(both.chosen) == 50
        counts[list(both.chosen)] += 1
        chances += both.probabilities
    # The second draw shares out what the first left, which differs a little with what the first took.
    assert np.abs(counts - chances).max() / 1500 < 0.05
    assert np.abs(counts - chances).mean() / 1500 < 0.015


def test_equal_cases_have_equal_probabilities_after_any_draws():
    first = draw_for_labelling([1.0] * 40, 24)
    both = draw_for_labelling([1.0] * 40, 8, seed=1, earlier=first)
    assert both.probabilities == pytest.approx((0.8,) * 40)
    assert set(draw_for_labelling([1.0] * 40, 8, seed=2, earlier=both).probabilities) == {1.0}


def test_the_stored_probabilities_of_three_draws_are_those_with_which_cases_are_drawn():
    doubts = [0.0] * 150 + [0.4] * 50 + [0.8] * 50
    drawn, stored, weight = np.zeros(250), np.zeros(250), 0.0
    for seed in range(0, 1200, 3):
        draw = None
        for step in range(3):
            draw = draw_for_labelling(doubts, 60, seed=seed + step, earlier=draw)
        chosen = list(draw.chosen)
        drawn[chosen] += 1 / 400
        stored += np.array(draw.probabilities) / 400
        weight += sum(1 / draw.probabilities[at] for at in chosen) / 250 / 400
    for group in (slice(0, 150), slice(150, 200), slice(200, 250)):
        assert drawn[group].mean() == pytest.approx(stored[group].mean(), abs=0.005)
    assert weight == pytest.approx(1.0, abs=0.01)


def test_the_draw_is_seeded_and_everything_may_be_drawn():
    assert draw_for_labelling([1.0] * 9, 4, seed=3) == draw_for_labelling([1.0] * 9, 4, seed=3)
    every = draw_for_labelling([0.0, 5.0, 1.0], 9)
    assert (every.chosen, every.probabilities) == ((0, 1, 2), (1.0, 1.0, 1.0))
    assert draw_for_labelling([1.0], 3, earlier=every) == every


def test_a_draw_without_a_uniform_part_is_refused():
    with pytest.raises(ValueError, match="uniform share"):
        draw_for_labelling([1.0], 1, uniform_share=0.05)
    with pytest.raises(ValueError, match="0 or more"):
        draw_for_labelling([-1.0], 1)
