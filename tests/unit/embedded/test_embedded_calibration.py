"""Outputs become probabilities and scales."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.embedded.model.questions import Calibration, expected_value


def test_a_curve_is_logistic():
    curve = Calibration(slope=2.0, intercept=-1.0)
    assert curve.probability(0.5) == pytest.approx(0.5)
    assert curve.probability(1.0) == pytest.approx(0.7310585786)


@given(st.floats(-1e6, 1e6))
def test_extremes_stay_probabilities(output):
    assert 0.0 <= Calibration(slope=5.0).probability(output) <= 1.0


def test_a_scale_is_the_sum_of_its_steps():
    assert expected_value("helpful", [1.0, 0.5, 0.0]) == 2.5
    assert expected_value("relevant", [0.0] * 5) == 0.0
