"""Clustered means and rates, against the matrices that define CR2 and against statsmodels."""

from math import inf

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from adjudge.records import Scale
from adjudge.stats.clusters import (
    ClusterKind,
    Clusters,
    NumberedClusters,
    clustered_mean,
    clustered_rate,
    degrees,
    spread_of,
)
from adjudge.stats.intervals import mean_interval, rate_interval

UNIT = Scale(low=0, high=1)
rows = st.lists(st.tuples(st.integers(0, 8), st.floats(0, 1)), min_size=2, max_size=40)


def by_definition(clusters, values):
    """CR2 and Satterthwaite's degrees of freedom from their matrices (Bell and McCaffrey 2002)."""
    clusters, y = np.asarray(clusters), np.asarray(values, dtype=float)
    n = len(y)
    x = np.ones((n, 1))
    hat = x @ x.T / n
    residuals = y - hat @ y
    columns, meat = [], 0.0
    for cluster in np.unique(clusters):
        here = clusters == cluster
        block = np.eye(here.sum()) - hat[np.ix_(here, here)]
        power, vectors = np.linalg.eigh(block)
        adjust = vectors @ np.diag(power**-0.5) @ vectors.T
        meat += (x[here].T @ adjust @ residuals[here]).item() ** 2
        columns.append((np.eye(n) - hat)[:, here] @ adjust @ x[here][:, 0] / n)
    shared = np.stack(columns, 1)
    eigenvalues = np.linalg.eigvalsh(shared.T @ shared)
    return meat / n**2, eigenvalues.sum() ** 2 / (eigenvalues**2).sum()


@pytest.mark.parametrize("seed", range(5))
def test_the_closed_form_is_cr2_with_satterthwaites_degrees_of_freedom(seed):
    random = np.random.default_rng(seed)
    clusters = random.integers(0, 7, 40)
    values = random.normal(size=40) + clusters * 0.3
    spread = Clusters(zip(clusters.tolist(), values.tolist(), strict=True)).spread()
    variance, df = by_definition(clusters, values)
    assert spread is not None
    assert (spread.variance, spread.df) == pytest.approx((variance, df), rel=1e-9)


def test_single_rows_are_statsmodels_hc2_and_students_t():
    values = np.random.default_rng(3).normal(size=25)
    fitted = sm.OLS(values, np.ones(25)).fit(cov_type="HC2", use_t=True)
    estimate = clustered_mean(enumerate(values.tolist()))
    alone = mean_interval(values.tolist())
    assert estimate is not None
    assert alone is not None
    assert (estimate.low, estimate.high) == pytest.approx(tuple(fitted.conf_int()[0]))
    assert (estimate.low, estimate.high) == pytest.approx((alone.low, alone.high))


def test_equal_clusters_are_a_t_interval_of_their_means():
    random = np.random.default_rng(4)
    values = random.normal(size=(12, 5)) + random.normal(size=(12, 1))
    estimate = clustered_mean((row, value) for row in range(12) for value in values[row].tolist())
    means = mean_interval(values.mean(1).tolist())
    assert estimate is not None
    assert means is not None
    assert (estimate.low, estimate.high) == pytest.approx((means.low, means.high))
    assert (estimate.n, estimate.clusters, estimate.warning) == (60, 12, None)


@given(rows)
def test_the_interval_holds_the_mean_stays_on_the_scale_and_has_a_width(pairs):
    estimate = clustered_mean(pairs, UNIT)
    assert estimate is not None
    assert 0 <= estimate.low <= estimate.value + 1e-12
    assert estimate.value - 1e-12 <= estimate.high <= 1
    assert estimate.low < estimate.high


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=40))
def test_a_rates_interval_holds_the_rate_and_has_a_width(pairs):
    estimate = clustered_rate(pairs)
    assert estimate is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.low < estimate.high


@given(st.lists(st.tuples(st.integers(0, 8), st.floats(0, 1)), min_size=1, max_size=20), st.integers(2, 4))
def test_repeating_rows_within_their_cluster_makes_nothing_surer(pairs, times):
    once, often = clustered_mean(pairs, UNIT), clustered_mean(pairs * times, UNIT)
    assert once is not None
    assert often is not None
    assert (often.low, often.high) == pytest.approx((once.low, once.high), abs=1e-6)


def test_independent_passes_are_near_wilsons_interval():
    passes = [(at, at % 4 == 0) for at in range(400)]
    estimate, plain = clustered_rate(passes), rate_interval(100, 400)
    assert estimate is not None
    assert plain is not None
    assert (estimate.low, estimate.high) == pytest.approx((plain.low, plain.high), abs=0.001)


def test_independent_passes_are_statsmodels_logit_but_for_the_degrees_of_freedom():
    passed = np.arange(60) % 5 == 0
    fitted = sm.Logit(passed.astype(float), np.ones(60)).fit(disp=False)
    estimate = clustered_rate(enumerate(passed.tolist()))
    assert estimate is not None
    degrees = 2 * 60 / (3.25 - 1)  # the kurtosis of passes at a fifth is 0.2**-1 + 0.8**-1 - 3
    margin = stats.t.ppf(0.975, degrees) * fitted.bse[0] * np.sqrt(60 / 59)
    ends = special.expit([fitted.params[0] - margin, fitted.params[0] + margin])
    assert (estimate.low, estimate.high) == pytest.approx(tuple(ends), rel=1e-6)


@pytest.mark.parametrize("passed", [True, False])
def test_a_share_of_none_or_all_counts_each_cluster_once(passed):
    estimate, clusters = (
        clustered_rate([(at % 12, passed) for at in range(60)]),
        rate_interval(12 * passed, 12),
    )
    assert estimate is not None
    assert clusters is not None
    assert estimate.value == clusters.value
    assert estimate.high - estimate.low == pytest.approx(clusters.high - clusters.low, rel=0.2)  # t for z


def test_few_clusters_are_marked():
    few, enough = (
        clustered_mean([(at, at / 9) for at in range(9)]),
        clustered_mean([(at, at / 9) for at in range(10)]),
    )
    assert few is not None
    assert enough is not None
    assert few.warning == "9 clusters: an interval over fewer than 10 is unreliable"
    assert enough.warning is None


@pytest.mark.parametrize("pairs", [[(0, 0.5), (1, 0.5)], [(0, 0.0), (0, 1.0), (1, 1.0), (1, 0.0)]])
def test_clusters_that_do_not_differ_are_bounded_by_the_scale(pairs):
    wide = Scale(low=-1, high=1)
    bounded, unbounded = clustered_mean(pairs, wide), clustered_mean(pairs)
    assert bounded is not None
    assert unbounded is not None
    assert bounded.method == "scale bound (all clusters equal)"
    assert -1 < bounded.low < 0.5 < bounded.high < 1
    assert clustered_mean(pairs, UNIT) == clustered_rate(Clusters(pairs))
    assert (unbounded.low, unbounded.high) == (-inf, inf)


def test_one_cluster_says_nothing_beyond_the_scale():
    mean, rate = clustered_mean([(0, 0.2), (0, 0.9)], UNIT), clustered_rate([(0, True), (0, False)])
    assert mean is not None
    assert rate is not None
    assert (mean.low, mean.high, rate.low, rate.high) == (0, 1, 0, 1)


def test_nothing_has_no_mean_and_what_is_no_score_is_refused():
    assert clustered_mean([]) is None
    assert clustered_rate([]) is None
    with pytest.raises(ValueError, match="not a score"):
        clustered_mean([(0, float("nan"))])
    with pytest.raises(ValueError, match="from 0 to 1"):
        clustered_rate(Clusters([(0, 2.0), (1, 0.0)]))


@given(rows)
def test_numbers_for_names_and_kinds_for_clusters_make_no_difference(pairs):
    named = Clusters((f"c{number}", value) for number, value in pairs)
    assert NumberedClusters(pairs).spread() == named.spread()
    kinds = [ClusterKind(rows=count, total=total, times=2) for count, total in named.sums()]
    twice = Clusters([*((f"a{n}", v) for n, v in pairs), *((f"b{n}", v) for n, v in pairs)]).spread()
    spread = named.spread()
    assert spread is not None
    found = spread_of(lambda: kinds, low=spread.low, high=spread.high)
    assert twice is not None
    assert found is not None
    assert (found.mean, found.variance, found.df) == pytest.approx((twice.mean, twice.variance, twice.df))
    assert (found.n, found.clusters) == (twice.n, twice.clusters)


def test_degrees_of_freedom_are_plain_numbers_and_left_out_where_they_are_many():
    assert degrees(2.345) == ", 2.35 degrees of freedom"
    assert degrees(28.44) == ", 28.4 degrees of freedom"
    assert degrees(999.6) == ", 1000 degrees of freedom"
    assert degrees(66_700.0) == ""
    many = clustered_mean((row // 2, float(row % 7)) for row in range(4000))
    assert many is not None
    assert many.method == "cluster-robust t (CR2)"
