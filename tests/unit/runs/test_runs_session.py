"""What a run changes in its process while it is under way, and puts back."""

import gc

import pytest

from adjudge.runs.session import GC_THRESHOLD, relaxed_gc


@pytest.fixture(autouse=True)
def _thresholds_as_they_were():
    usual = gc.get_threshold()
    yield
    gc.set_threshold(*usual)


@pytest.mark.parametrize(
    ("usual", "during"), [(700, GC_THRESHOLD), (0, 0), (5 * GC_THRESHOLD, 5 * GC_THRESHOLD)]
)
def test_cycles_are_looked_for_less_often_unless_the_program_has_chosen_so_itself(usual, during):
    gc.set_threshold(usual, 10, 10)
    with relaxed_gc():
        assert gc.get_threshold() == (during, 10, 10)
    assert gc.get_threshold() == (usual, 10, 10)
