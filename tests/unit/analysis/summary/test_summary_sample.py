"""Figures over rows, over clusters and over cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.summary.sample import ALONE, JudgedRow, RowSample
from adjudge.records import Scale
from adjudge.stats.clusters import clustered_mean, clustered_rate
from adjudge.stats.intervals import mean_interval, rate_interval

FIVE = Scale(low=0, high=5)


def sample(*rows):
    made = RowSample()
    for row in rows:
        made.add(
            JudgedRow(
                **{
                    "forced": False,
                    "passed": None,
                    "agrees": None,
                    "cluster": ALONE,
                    "case": ALONE,
                    "repeat": 0,
                    **row,
                }
            )
        )
    return made


SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=30)


@given(SCORES)
def test_rows_that_stand_alone_get_t_and_wilson(scores):
    made = sample(*({"score": score, "passed": score > 2} for score in scores))
    assert made.grouping is None
    assert made.mean(FIVE) == mean_interval(scores, FIVE)
    assert made.pass_rate() == rate_interval(sum(score > 2 for score in scores), len(scores))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5).map(float)), min_size=1, max_size=30))
def test_clusters_are_what_intervals_are_over(rows):
    made = sample(*({"score": score, "passed": score > 2, "cluster": cluster} for cluster, score in rows))
    assert made.grouping == "cluster"
    assert made.mean(FIVE) == clustered_mean(rows, FIVE)
    assert made.pass_rate() == clustered_rate((cluster, score > 2) for cluster, score in rows)


def test_rows_before_the_first_cluster_and_between_clusters_are_their_own():
    made = sample(
        {"score": 1.0},
        {"score": 2.0},
        {"score": 3.0, "cluster": 0},
        {"score": 5.0, "cluster": 0},
        {"score": 0.0},
    )
    assert made.mean(FIVE) == clustered_mean(
        [("a", 1.0), ("b", 2.0), ("c", 3.0), ("c", 5.0), ("d", 0.0)], FIVE
    )
    assert made.mean(FIVE).clusters == 4


def test_repeats_of_a_case_are_one_cluster_and_a_clusters_cases_are_too():
    rows = [
        {"score": float(case), "case": case, "repeat": repeat} for case in range(6) for repeat in range(2)
    ]
    assert sample(*rows).grouping == "case"
    assert sample(*rows).mean(FIVE).clusters == 6
    in_clusters = sample(*({**row, "cluster": row["case"] // 2} for row in rows))
    assert (in_clusters.grouping, in_clusters.mean(FIVE).clusters) == ("cluster", 3)
    some = sample(*({**row, "cluster": 0 if row["case"] < 2 else ALONE} for row in rows))
    assert some.mean(FIVE).clusters == 5


def test_cases_that_were_judged_once_are_rows_even_where_ids_are_kept():
    assert sample({"score": 1.0, "case": 0}, {"score": 2.0, "case": 1}).grouping is None


def test_few_clusters_are_marked_and_equal_scores_have_a_width():
    (few,) = [sample(*({"score": float(n), "cluster": n % 3} for n in range(6))).mean(FIVE)]
    assert "3 clusters" in few.warning
    equal = sample(*({"score": 4.0, "cluster": n % 12} for n in range(24))).mean(FIVE)
    assert equal.low < 4.0 < equal.high
    assert equal.method == "scale bound (all clusters equal)"
    assert equal.warning is None


def test_forced_rows_can_be_left_out_and_labels_are_counted():
    made = sample(
        {"score": 0.0, "forced": True}, {"score": 4.0, "agrees": True}, {"score": 2.0, "agrees": False}
    )
    assert made.mean(FIVE).value == 2.0
    assert made.mean(FIVE, forced=False).value == 3.0
    assert made.labelled() == (2, 1)
    assert made.agreement() == rate_interval(1, 2)


def test_nothing_judged_has_no_figures_and_the_whole_scale_as_bounds():
    empty = RowSample()
    assert empty.mean(FIVE) is empty.pass_rate() is empty.agreement() is empty.pass_bounds(3) is None
    bounds = empty.bounds(FIVE, 3)
    assert (bounds.low, bounds.high) == (0, 5)
    assert empty.bounds(FIVE, 0) is None


@pytest.mark.parametrize(
    ("passing", "failing", "threshold"),
    [
        ((3.0, 5.0), (1.0, 2.0), 2.5),
        ((0.0, 1.0), (2.0, 4.0), 1.5),
        ((1.0,), (), None),
        ((1.0, 3.0), (2.0,), None),
    ],
)
def test_the_threshold_lies_between_what_failed_and_what_passed(passing, failing, threshold):
    rows = [{"score": score, "passed": True} for score in passing]
    rows += [{"score": score, "passed": False} for score in failing]
    assert sample(*rows, {"score": 9.0}).threshold() == threshold
