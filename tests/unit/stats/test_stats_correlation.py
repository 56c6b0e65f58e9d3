from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.agreement import spearman_of_counts


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=60))
def test_it_is_scipys(pairs):
    stats = pytest.importorskip("scipy.stats")
    found = spearman_of_counts(Counter((float(x), float(y)) for x, y in pairs))
    if len({x for x, _ in pairs}) < 2 or len({y for _, y in pairs}) < 2:
        assert found is None
    else:
        assert found == pytest.approx(stats.spearmanr(*zip(*pairs, strict=True)).statistic)


def test_two_pairs_say_nothing():
    assert spearman_of_counts({(1.0, 2.0): 1, (2.0, 3.0): 1}) is None
