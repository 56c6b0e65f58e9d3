"""The cluster bootstrap, against scipy's BCa and against itself drawn another way."""

import numpy as np
import pytest
from scipy import stats

from adjudge.stats import samples
from adjudge.stats.bootstrap import Figure, resample
from adjudge.stats.intervals import Estimate
from adjudge.stats.people import agree, correlate
from adjudge.stats.samples import KindsOfClusters, SumsOfUnits, sample_of_cells, sample_of_sums

RATIO = Figure(of=lambda sums: sums[..., 1] / sums[..., 0], low=-np.inf, high=np.inf, why_undefined="nothing")


def ends(estimate):
    assert isinstance(estimate, Estimate)
    return estimate.low, estimate.high


def test_the_ends_are_scipys_bca():
    random = np.random.default_rng(1)
    values = random.exponential(size=300)
    rows = np.stack([np.ones(300), values], 1)
    ours = resample(
        sample_of_sums(rows, np.arange(300), seed=1), {"mean": RATIO}, n=300, seed=1, resamples=20_000
    )
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=random
    ).confidence_interval
    # t instead of z widens by 0.6 % at 300 clusters
    assert ends(ours["mean"]) == pytest.approx((theirs.low, theirs.high), abs=0.006)


def test_kinds_drawn_together_are_what_each_drawn_alone_is():
    random = np.random.default_rng(2)
    sums = np.stack([np.ones(400), random.integers(0, 3, 400)], 1).astype(float)
    kinds, counts = np.unique(sums, axis=0, return_counts=True)
    together = KindsOfClusters(kinds, counts.astype(float)).draw(4000, 1)[:, 1]
    alone = SumsOfUnits(sums, 400).draw(4000, 1)[:, 1]
    assert together.mean() == pytest.approx(alone.mean(), abs=1.5)
    assert together.std() == pytest.approx(alone.std(), rel=0.05)


def test_groups_of_clusters_say_what_clusters_say(monkeypatch):
    random = np.random.default_rng(3)
    judge = random.normal(size=3000)
    people = judge + random.normal(size=3000)
    alone = correlate(judge.tolist(), people.tolist(), resamples=1000)
    monkeypatch.setattr(samples, "_MOST_GROUPS", 500)
    grouped = correlate(judge.tolist(), people.tolist(), resamples=1000)
    for name in ("pearson", "mean_absolute_error"):
        assert ends(grouped[name]) == pytest.approx(ends(alone[name]), abs=0.004)
        assert "500 groups" in grouped[name].method


def test_repeating_rows_within_their_cluster_makes_nothing_surer():
    judge, people = [0, 1, 1, 0, 1] * 12, [0, 1, 0, 0, 1] * 12
    clusters = list(range(60))
    once = agree(judge, people, clusters=clusters).figures["kappa"]
    often = agree(judge * 4, people * 4, clusters=clusters * 4).figures["kappa"]
    assert ends(often) == pytest.approx(ends(once), abs=1e-9)


def test_clusters_that_agree_within_widen_the_interval():
    random = np.random.default_rng(5)
    right = np.repeat(random.random(40) < 0.7, 10)
    people = random.integers(0, 2, 400)
    judge = np.where(right, people, 1 - people)
    alone = agree(judge.tolist(), people.tolist()).figures["accuracy"]
    whole = agree(judge.tolist(), people.tolist(), clusters=np.repeat(np.arange(40), 10).tolist()).figures[
        "accuracy"
    ]
    ratio = (ends(whole)[1] - ends(whole)[0]) / (ends(alone)[1] - ends(alone)[0])
    assert ratio == pytest.approx(np.sqrt(10), rel=0.15)


def test_ranks_in_classes_give_the_interval_that_ranking_each_resample_gives():
    random = np.random.default_rng(6)
    judge = random.normal(size=150)
    people = judge + random.normal(size=150)
    ours = correlate(judge.tolist(), people.tolist(), seed=1)["spearman"]
    theirs = stats.bootstrap(
        (judge, people),
        lambda x, y: stats.spearmanr(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=999,
        method="BCa",
        rng=random,
    ).confidence_interval
    assert ends(ours) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_the_seed_decides():
    judge, people = [0, 1, 1, 0, 1, 0] * 10, [0, 1, 0, 0, 1, 1] * 10
    assert agree(judge, people, seed=1) == agree(judge, people, seed=1)
    assert agree(judge, people, seed=1).figures["kappa"] != agree(judge, people, seed=2).figures["kappa"]


def test_figures_that_many_resamples_lack_are_marked():
    found = agree([True] + [False] * 39, [True] + [False] * 39, positive=True).figures["precision"]
    assert isinstance(found, Estimate)
    assert found.warning is not None
    assert "resamples had no such figure" in found.warning


def test_cells_in_many_clusters_add_up():
    random = np.random.default_rng(7)
    cells, clusters = random.integers(0, 9, 500), np.arange(500) // 2
    sample = sample_of_cells(cells, clusters, 9, seed=0)
    assert sample.total.tolist() == np.bincount(cells, minlength=9).tolist()
    assert sum(float(counts @ sums.sum(1)) for sums, counts in sample.parts()) == 500
