"""What a run changes in its process while it is under way, and puts back."""

import gc

import pytest

from adjudge.runs.session import OBJECTS_BETWEEN_COLLECTIONS, fewer_collections


@pytest.fixture(autouse=True)
def _thresholds_as_they_were():
    usual = gc.get_threshold()
    yield
    gc.set_threshold(*usual)


@pytest.mark.parametrize(
    ("usual", "during"),
    [(700, OBJECTS_BETWEEN_COLLECTIONS), (0, 0), (50_000, 50_000)],
)
def test_cycles_are_looked_for_less_often_unless_the_program_has_chosen_so_itself(usual, during):
    gc.set_threshold(usual, 10, 10)
    with fewer_collections():
        assert gc.get_threshold() == (during, 10, 10)
    assert gc.get_threshold() == (usual, 10, 10)
