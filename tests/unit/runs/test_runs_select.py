"""The first so many rows, or a sample that a seed repeats."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.runs.plan import sample_rows, select_rows


def test_all_rows_unless_told_otherwise():
    assert list(select_rows(range(5))) == [0, 1, 2, 3, 4]


def test_the_first_rows_are_taken_without_reading_further():
    endless = itertools.count()
    assert list(select_rows(endless, first=3)) == [0, 1, 2]
    assert next(endless) == 3


@given(total=st.integers(0, 60), count=st.integers(1, 60), seed=st.integers())
def test_a_sample_is_in_file_order_without_repeats_and_the_seed_repeats_it(total, count, seed):
    sample = sample_rows(range(total), count, seed)
    assert sample == sorted(set(sample))
    assert len(sample) == min(total, count)
    assert sample == sample_rows(range(total), count, seed)


def test_every_row_is_equally_likely():
    counts = [0] * 10
    for seed in range(2000):
        for row in sample_rows(range(10), 3, seed):
            counts[row] += 1
    assert all(count == pytest.approx(600, abs=100) for count in counts)
