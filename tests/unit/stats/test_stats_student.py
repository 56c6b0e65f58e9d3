"""Student's t against published tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.student import incomplete_beta, t_quantile, t_tail

TABLE = [
    # p, df, t: percentage points of the t distribution, as standard tables and R's qt print them
    (0.975, 1, 12.7062047362),
    (0.975, 2, 4.3026527297),
    (0.975, 3, 3.1824463053),
    (0.975, 4, 2.7764451052),
    (0.975, 5, 2.5705818356),
    (0.975, 6, 2.4469118511),
    (0.975, 7, 2.3646242516),
    (0.975, 8, 2.3060041352),
    (0.975, 9, 2.2621571628),
    (0.975, 10, 2.2281388520),
    (0.975, 15, 2.1314495456),
    (0.975, 20, 2.0859634473),
    (0.975, 29, 2.0452296421),
    (0.975, 30, 2.0422724563),
    (0.975, 60, 2.0002978220),
    (0.975, 100, 1.9839715185),
    (0.975, 120, 1.9799304051),
    (0.975, 1000, 1.9623390808),
    (0.95, 1, 6.3137515147),
    (0.95, 5, 2.0150483733),
    (0.95, 10, 1.8124611228),
    (0.995, 1, 63.6567411629),
    (0.995, 2, 9.9248432009),
    (0.995, 5, 4.0321429836),
    (0.995, 10, 3.1692726726),
    (0.995, 30, 2.7499956536),
    (0.999, 3, 10.2145318524),
    (0.9995, 10, 4.5868938587),
]


@pytest.mark.parametrize(("p", "df", "expected"), TABLE)
def test_quantiles_are_those_of_the_tables(p, df, expected):
    assert t_quantile(p, df) == pytest.approx(expected, abs=1e-6)
    assert t_quantile(1 - p, df) == pytest.approx(-expected, abs=1e-6)


def test_many_degrees_of_freedom_are_the_normal_distribution():
    assert t_quantile(0.975, 1e9) == pytest.approx(1.959963984540054, abs=1e-8)


@given(st.floats(0.501, 0.9999), st.floats(1.5, 999))
def test_quantile_and_tail_undo_each_other(p, df):
    assert t_tail(t_quantile(p, df), df) == pytest.approx(1 - p, rel=1e-9)


def test_the_series_meets_the_iteration_where_one_takes_over_from_the_other():
    below, above = t_quantile(0.975, 999.999999), t_quantile(0.975, 1000.0)
    assert below == pytest.approx(above, abs=1e-10)
    assert t_tail(above, 1000.0) == pytest.approx(0.025, rel=1e-9)


@given(st.integers(1, 3000))
def test_more_evidence_gives_a_smaller_quantile(df):
    assert t_quantile(0.975, df + 1) < t_quantile(0.975, df)


def test_the_middle_is_zero():
    assert t_quantile(0.5, 7) == 0.0


@pytest.mark.parametrize(
    ("p", "df"), [(0.0, 3), (1.0, 3), (float("nan"), 3), (0.9, 0), (0.9, -1), (0.9, float("nan"))]
)
def test_what_is_no_probability_or_no_degrees_of_freedom_is_refused(p, df):
    with pytest.raises(ValueError, match="must"):
        t_quantile(p, df)


def test_a_negative_t_is_refused_where_the_tail_above_is_meant():
    with pytest.raises(ValueError, match="0 or more"):
        t_tail(-1.0, 3)


@given(st.floats(0.1, 50), st.floats(0.1, 50), st.floats(0.01, 0.99))
def test_incomplete_beta_is_symmetric(a, b, x):
    assert incomplete_beta(a, b, x) == pytest.approx(1 - incomplete_beta(b, a, 1 - x), abs=1e-10)


def test_incomplete_beta_ends_at_0_and_1():
    assert incomplete_beta(2, 3, 0.0) == 0.0
    assert incomplete_beta(2, 3, 1.0) == 1.0
    assert incomplete_beta(1, 1, 0.3) == pytest.approx(0.3)
