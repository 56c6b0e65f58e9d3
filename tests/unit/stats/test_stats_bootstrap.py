"""The cluster bootstrap, against scipy's BCa and against itself drawn another way."""

import numpy as np
import pytest
from scipy import stats

from adjudge.stats import agreement, samples
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
    monkeypatch.setattr(samples, "_MAX_GROUPS", 500)
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
    assert "resamples had no defined value" in found.warning


def test_cells_in_many_clusters_add_up():
    random = np.random.default_rng(7)
    cells, clusters = random.integers(0, 9, 500), np.arange(500) // 2
    sample = sample_of_cells(cells, clusters, 9, seed=0)
    assert sample.total.tolist() == np.bincount(cells, minlength=9).tolist()
    assert sum(float(counts @ sums.sum(1)) for sums, counts in sample.parts()) == 500


def test_the_end_nearer_to_chance_allows_for_three_rows_that_were_not_seen():
    random = np.random.default_rng(6)
    people = random.integers(0, 5, 100)
    judge = np.where(random.random(100) < 0.8, people, random.integers(0, 5, 100))
    sample = sample_of_cells(judge * 5 + people, np.arange(100), 25, seed=1)

    def kappa(sums):
        return agreement.cohen_kappa(sums.reshape(*sums.shape[:-1], 5, 5), "quadratic")

    def turned(sums):
        return -kappa(sums)

    found = resample(
        sample,
        {
            name: Figure(of=of, low=-1.0, high=1.0, why_undefined="", unseen_rows=rows)
            for name, of, rows in (
                ("plain", kappa, 0),
                ("moved", kappa, 3),
                ("against", turned, 3),
                ("turned", turned, 0),
            )
        },
        n=100,
        seed=1,
    )
    plain, moved, against, reverse = (found[name] for name in ("plain", "moved", "against", "turned"))
    by = plain.value * 3 / 103
    assert (moved.low, moved.high) == (pytest.approx(plain.low - by), plain.high)
    assert (against.low, against.high) == (reverse.low, pytest.approx(reverse.high + by))
    assert moved.method.endswith("seed 1; correlations and weighted figures allow for up to 3 unseen rows)")


def test_a_figure_that_nothing_moves_says_nothing_unless_it_is_at_an_end():
    one_label = agree([True] * 5 + [False] * 95, [False] * 100, labels=(False, True)).figures["kappa"]
    assert (one_label.value, one_label.low, one_label.high) == (0.0, -1.0, 1.0)
    alike = agree([True, False] * 50, [True, False] * 50).figures["kappa"]
    assert (alike.value, alike.high) == (1.0, 1.0)
    assert 0.8 < alike.low < 1.0


def test_few_disagreements_are_warned_of_where_each_may_move_a_figure_far():
    people = [1, 2, 3, 4, 5] * 40

    def warnings(wrong, clusters=None):
        judge = [6 - label if at < wrong and label != 3 else label for at, label in enumerate(people)]
        found = agree(judge, people, labels=range(1, 6), ordered=True, clusters=clusters).figures
        found = {**found, **correlate(judge, people, clusters=clusters)}
        return {name for name, figure in found.items() if figure.warning}

    weighted = {"kappa_linear", "kappa_quadratic", "alpha_ordinal"}
    weighted |= {"pearson", "spearman", "kendall"}
    assert warnings(5) == weighted  # 4 of them differ
    assert warnings(10) == set()  # 8
    assert warnings(0) == set()
    assert warnings(40, clusters=[at // 4 for at in range(200)]) == set()
    assert warnings(16, clusters=[at // 4 for at in range(200)]) == weighted  # 13 rows in 4 clusters


def test_few_wrong_passes_or_misses_are_warned_of_where_precision_and_recall_count():
    people = [True, False] * 100

    def warned(wrong):
        judge = [not label if at < wrong else label for at, label in enumerate(people)]
        found = agree(judge, people, labels=(False, True), positive=True).figures
        return {name for name, figure in found.items() if figure.warning}

    assert warned(9) == {"precision", "recall"}
    assert warned(10) == set()


def test_a_label_that_was_hardly_given_is_warned_of_where_chance_counts():
    people = [True] * 4 + [False] * 96
    judge = [True] * 3 + [False] * 87 + [True] * 10
    found = agree(judge, people, labels=(False, True), positive=True).figures
    warned = {name for name, figure in found.items() if figure.warning}
    assert warned == {"kappa", "alpha", "mcc"}
    assert "in 4 clusters" in found["kappa"].warning
    never = agree(judge, [False] * 100, labels=(False, True), positive=True).figures
    assert "in 0 clusters" in never["alpha"].warning
    more = agree(judge + [True] * 5, people + [True] * 5, labels=(False, True), positive=True).figures
    assert not any(figure.warning for figure in more.values())
