"""What is counted under a label of a distribution can be found again by its ends."""

from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.records import Scale
from adjudge.stats.distribution import BINS, Distribution, label_ends

ENDS = st.sampled_from([(0.0, 5.0), (0.0, 1.0), (1.0, 4.0), (-1.0, 1.0), (0.1, 0.7), (0.0, 100.0)])


def counted(values, scale):
    distribution = Distribution(scale)
    for value in values:
        distribution.add(value)
    return distribution.counts()


def within(values, ends):
    low, high = ends
    return [each for each in values if (low is None or each >= low) and (high is None or each <= high)]


@given(ends=ENDS, values=st.lists(st.floats(-200, 200), min_size=30, max_size=60, unique=True))
def test_each_range_holds_what_was_counted_under_it(ends, values):
    scale = Scale(low=ends[0], high=ends[1])
    counts = counted(values, scale)
    assert {label: len(within(values, label_ends(label, scale))) for label in counts} == counts


@given(ends=ENDS, position=st.integers(0, BINS))
def test_values_at_an_edge_and_beside_it_are_in_one_range_each(ends, position):
    low, high = ends
    scale = Scale(low=low, high=high)
    edge = low + (high - low) * position / BINS
    values = [nextafter(edge, -inf), edge, nextafter(edge, inf)]
    counts = counted([*values, *(low + (high - low) * share / 37 for share in range(37))], scale)
    found = [label for value in values for label in counts if within([value], label_ends(label, scale))]
    assert len(found) == len(values)


@pytest.mark.parametrize(
    ("label", "scale", "ends"),
    [
        ("3", Scale(low=0, high=5), (3.0, 3.0)),
        ("-0.5", None, (-0.5, -0.5)),
        ("below 0", Scale(low=0, high=5), (None, nextafter(0.0, -inf))),
        ("above 5", Scale(low=0, high=5), (nextafter(5.0, inf), None)),
        ("4.5 to 5", Scale(low=0, high=5), (4.5, 5.0)),
    ],
)
def test_what_labels_stand_for(label, scale, ends):
    assert label_ends(label, scale) == ends
