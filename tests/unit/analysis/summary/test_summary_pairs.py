"""What comparisons of two answers come to, worked by hand."""

import pytest

from adjudge.analysis.summary.pairs import PairTally
from adjudge.analysis.summary.sample import ALONE, JudgedRow
from adjudge.stats.intervals import rate_interval


def row(score=1.0, *, cluster=ALONE, case=ALONE, repeat=0):
    return JudgedRow(
        score=score, forced=False, passed=None, agrees=None, cluster=cluster, case=case, repeat=repeat
    )


def verdict(a_first, b_first, longer="a"):
    winner = a_first if a_first == b_first else "tie"
    return {"winner": winner, "a_first": a_first, "b_first": b_first, "longer": longer}


def figures(*verdicts, compares=True, rows=None):
    tally = PairTally(compares=compares)
    for number, each in enumerate(verdicts):
        tally.add(each, rows[number] if rows else row())
    return tally.figures()


def test_wins_ties_and_flips_are_counted_apart():
    found = figures(
        verdict("a", "a"),
        verdict("a", "a", "b"),
        verdict("b", "b", "b"),
        verdict("tie", "tie"),
        verdict("a", "b"),
        verdict("a", "tie"),
        {"winner": "a"},
        {"winner": "b"},
    )
    assert (found.wins, found.losses, found.ties, found.inconsistent) == (2, 1, 1, 2)
    assert (found.by_rule, found.wins_by_rule) == (2, 1)
    assert found.consistent == rate_interval(4, 6)
    assert found.longer == rate_interval(2, 3)
    # shown first and preferred: a, a (A first) and b (B first), and both of the flip, and a of the last
    assert found.first.value == pytest.approx(6 / 9)
    assert (found.first.n, found.first.clusters) == (9, 5)


def test_a_judge_that_always_prefers_the_first_is_seen():
    found = figures(*[verdict("a", "b", "tie")] * 20)
    assert (found.inconsistent, found.consistent.value, found.first.value) == (20, 0, 1)
    assert found.first.low > 0.5
    assert found.longer is None


def test_repeats_and_clusters_are_one_piece_of_evidence():
    verdicts = [verdict("a", "a"), verdict("a", "b")] * 6
    alone = figures(*verdicts)
    repeated = figures(*verdicts, rows=[row(case=number // 2, repeat=number % 2) for number in range(12)])
    clustered = figures(*verdicts, rows=[row(cluster=number % 3) for number in range(12)])
    assert alone.consistent.clusters is None
    assert (repeated.consistent.clusters, clustered.consistent.clusters) == (6, 3)
    assert {each.consistent.value for each in (alone, repeated, clustered)} == {0.5}


def test_another_judges_field_of_that_name_is_no_comparison():
    assert figures({"winner": "a"}, {"winner": "Paris"}, {}, compares=False) is None
    assert figures(verdict("a", "a"), compares=False).wins == 1
    assert figures({"winner": ["a"]}) is None
