"""A better threshold is chosen on one half and believed only from the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.intervals import Undefined
from adjudge.stats.thresholds import best_threshold, try_threshold


def scores_and_labels(seed, n, cut):
    random = np.random.default_rng(seed)
    scores = random.random(n)
    return scores.tolist(), (scores + random.normal(0, 0.05, n) >= cut).tolist()


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=30))
def test_the_best_threshold_agrees_with_most_labels(pairs):
    labelled = [(float(score), label) for score, label in pairs]

    def agreed(threshold):
        return sum((score >= threshold) == label for score, label in labelled)

    chosen = best_threshold(labelled, 3.0)
    low, high = min(labelled)[0], max(labelled)[0]
    cuts = [
        cut / 2 for cut in range(13) if low < cut / 2 <= high
    ]  # no threshold that passes or fails everything
    assert agreed(chosen) == max(agreed(cut) for cut in (*cuts, 3.0))


def test_a_threshold_that_is_off_is_found_and_shown_to_be_better():
    trial = try_threshold(*scores_and_labels(1, 400, 0.7), 0.5, seed=1)
    assert not isinstance(trial, Undefined)
    assert trial.better
    assert trial.proposed == pytest.approx(0.7, abs=0.08)
    assert trial.chosen_on + trial.tested_on == 400


def test_a_threshold_that_is_right_is_seldom_beaten():
    trials = [try_threshold(*scores_and_labels(seed, 200, 0.5), 0.5, seed=seed) for seed in range(40)]
    assert sum(not isinstance(trial, Undefined) and trial.better for trial in trials) <= 4


def test_no_cluster_is_on_both_sides():
    scores, labels = scores_and_labels(2, 200, 0.8)
    trial = try_threshold(scores, labels, 0.5, clusters=[at // 50 for at in range(200)])
    assert not isinstance(trial, Undefined)
    assert (trial.chosen_on, trial.tested_on) == (100, 100)
    assert trial.gain.difference.clusters == 2


def test_what_cannot_be_tried_says_why():
    few = try_threshold([0.1] * 10, [True] * 10, 0.5)
    assert isinstance(few, Undefined)
    assert "40" in few.why
    same = try_threshold([0.1, 0.9] * 30, [True] * 60, 0.5)
    assert isinstance(same, Undefined)
    assert "one of the two labels" in same.why
    with pytest.raises(ValueError, match="same length"):
        try_threshold([0.1], [], 0.5)
