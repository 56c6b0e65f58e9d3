"""The figures of a comparison, held against the tests they are made with."""

from random import Random

import pytest

from adjudge.analysis.comparison.figures import MAX_SLICES, JudgedRun, NotComputed, compare_judge
from adjudge.analysis.comparison.matching import Matching
from adjudge.records import Scale
from adjudge.stats.intervals import mean_interval
from adjudge.stats.paired import compare
from adjudge.stats.pairs import holm, mcnemar, wilcoxon

SCALE = Scale(low=0, high=5)


@pytest.fixture
def compared(build):
    """`rows` are (a, b), with more about the case in a third place; a word is a failure."""

    def of(rows, *, columns=(), threshold=3, listed=10, **judge):
        matching = Matching(columns=columns)
        for number, (a, b, *about) in enumerate(rows):
            for side, value in (("a", a), ("b", b)):
                judged = not isinstance(value, str)
                matching.add(
                    side,
                    build.judgement(
                        build.scored(float(value)) if judged else build.failed(value),
                        case_id=f"c{number:03}",
                        passed=value >= threshold if judged and threshold is not None else None,
                        **(about[0] if about else {}),
                    ),
                )
        judged = JudgedRun(run_id="r", judge=build.judge(**judge))
        return compare_judge(matching, judged, judged, listed=listed)

    return of


def scores(count=60, shift=0.6, seed=1):
    random = Random(seed)
    return [
        (random.randint(0, 4), min(5, random.randint(0, 4) + (random.random() < shift))) for _ in range(count)
    ]


def test_the_primary_test_is_the_permutation_of_the_mean_paired_difference(compared):
    rows = scores()
    found = compared(rows)
    expected = compare([((f"c{n:03}",), float(b - a)) for n, (a, b) in enumerate(rows)], SCALE)
    assert found.comparison == expected
    assert found.comparison.difference.value == pytest.approx(found.b.mean.value - found.a.mean.value)
    assert (found.pairs, found.clusters) == (60, None)


def test_secondary_tests_are_those_of_independent_pairs(compared):
    rows = scores()
    found = compared(rows)
    only_a = sum(a >= 3 > b for a, b in rows)
    only_b = sum(b >= 3 > a for a, b in rows)
    assert (found.secondary.only_a_passed, found.secondary.only_b_passed) == (only_a, only_b)
    assert found.secondary.mcnemar == mcnemar(only_a, only_b)
    assert found.secondary.wilcoxon == wilcoxon([float(b - a) for a, b in rows])


def test_clusters_are_flipped_whole_and_leave_no_secondary_tests(compared):
    rows = [(a, b, {"cluster": f"d{n // 4}"}) for n, (a, b) in enumerate(scores())]
    found = compared(rows)
    assert found.clusters == found.comparison.difference.clusters == 15
    clustered = NotComputed(reason="clustered")
    assert (found.secondary.mcnemar, found.secondary.wilcoxon) == (clustered, clustered)
    assert "cluster-robust" in found.a.mean.method
    assert "cluster-robust" in found.a.pass_rate.method


def test_a_drop_on_a_scale_where_lower_is_better_is_an_improvement(compared):
    rows = [(4, 2 + n % 2) for n in range(20)]
    assert compared(rows).finding == "worse"
    turned = compared(rows, better="lower", threshold=None)
    assert turned.finding == "better"
    assert turned.comparison.difference.value == pytest.approx(1.5)
    assert turned.a.mean.value == 4.0
    assert turned.changes.improvements.cases[0].difference == 2.0


def test_an_interval_over_0_is_inconclusive_with_what_could_have_been_shown(compared):
    found = compared([(n % 3, (n + n // 3) % 3) for n in range(30)])
    assert found.finding == "inconclusive"
    assert found.comparison.difference.low < 0 < found.comparison.difference.high
    assert found.comparison.detectable > 0


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_bounds_take_what_was_lost_as_far_as_the_scale_goes(compared, better):
    rows = [(1, 2), ("refused", 3), (4, "unreadable"), ("refused", "refused")]
    found = compared(rows, better=better)
    scale = Scale(low=-5, high=5)
    least = mean_interval([1, 3 - 5, 0 - 4, 0 - 5], scale)
    most = mean_interval([1, 3 - 0, 5 - 4, 5 - 0], scale)
    expected = (-most.high, -least.low) if better == "lower" else (least.low, most.high)
    assert (found.bounds.low, found.bounds.high) == pytest.approx(expected)
    assert (found.matched, found.pairs, found.not_judged) == (4, 1, 3)
    assert compared(rows, scale=None).bounds is None


def test_slices_are_tested_together(compared):
    rows = [(a, b, {"metadata": {"topic": f"t{n % 3}"}}) for n, (a, b) in enumerate(scores(90))]
    found = compared(rows, columns=("topic",))
    assert [part.value for part in found.slices] == ["t0", "t1", "t2"]
    assert [part.p_holm for part in found.slices] == holm([part.comparison.p for part in found.slices])
    assert sum(part.comparison.difference.n for part in found.slices) == found.pairs


def test_a_column_of_many_values_is_cut_to_its_fullest(compared):
    rows = [(1, 2, {"metadata": {"id": n // 2 if n < 20 else n}}) for n in range(80)]
    found = compared(rows, columns=("id",))
    assert len(found.slices) == MAX_SLICES
    assert found.slices_omitted == {"id": 70 - MAX_SLICES}
    assert {part.value for part in found.slices} >= {str(n) for n in range(10)}


def test_regressions_and_improvements_are_listed_largest_first(compared):
    found = compared([(3, 2), (0, 5), (5, 0), (2, 3), (3, 4), (4, 3)], listed=1).changes
    assert (found.of, found.regressions.count, found.improvements.count) == ("pass", 2, 2)
    assert [case.case_id for case in found.cases] == ["c002", "c001"]
    assert [case.case_id for case in compared([(3, 2), (5, 0)]).changes.cases] == ["c001", "c000"]


def test_without_a_pass_rule_every_other_score_is_a_change(compared):
    found = compared([(3, 2), (1, 1), (3, 5)], threshold=None)
    assert [case.case_id for case in found.changes.cases] == ["c000", "c002"]
    assert (found.changes.of, found.changes.regressions.count) == ("score", 1)
    assert found.secondary.mcnemar == NotComputed(reason="no_pass_rule")
    assert found.a.pass_rate is None


def test_tests_that_have_nothing_to_count_say_so(compared):
    found = compared([(3, 3)] * 12).secondary
    assert found.mcnemar == NotComputed(reason="no_discordant_pairs")
    assert found.wilcoxon == NotComputed(reason="all_differences_zero")


@pytest.mark.parametrize("b", [1, 3])
def test_one_case_shows_nothing(compared, b):
    found = compared([(1, b)])
    assert found.finding == "inconclusive"
    assert (found.comparison.difference.low, found.comparison.difference.high) == (-5.0, 5.0)


def test_equal_runs_differ_by_nothing_with_an_interval_of_some_width(compared):
    found = compared([(n % 4, n % 4) for n in range(50)])
    assert (found.finding, found.comparison.p) == ("inconclusive", 1.0)
    assert found.comparison.difference.low < 0 < found.comparison.difference.high
    assert found.comparison.detectable is None


def test_nothing_judged_in_both_is_not_measured(compared):
    found = compared([("refused", 1), (2, "refused")])
    assert (found.finding, found.comparison, found.a.mean) == ("not_measured", None, None)
    assert found.bounds.low < found.bounds.high


@pytest.fixture
def sides(build):
    return [JudgedRun(run_id=run, judge=build.judge()) for run in ("before", "after")]


def test_repeats_that_are_tied_are_no_change_and_leave_mcnemar_out(build, sides):
    matching = Matching()
    for side, passes in (("a", (True, False)), ("b", (True, True))):
        for repeat, passed in enumerate(passes):
            judgement = build.judgement(
                build.scored(5.0 if passed else 0.0), case_id="x", repeat=repeat, passed=passed
            )
            matching.add(side, judgement)
    found = compare_judge(matching, *sides)
    assert found.changes.cases == ()
    assert found.secondary.mcnemar == NotComputed(reason="tied_repeats", cases=1)
    assert found.b.repeats == 2


def test_one_score_that_passes_on_one_side_only_tells_of_two_pass_rules(build, sides):
    matching = Matching()
    for number in range(4):
        for side, passed in (("a", True), ("b", number > 1)):
            matching.add(side, build.judgement(build.scored(3.0), case_id=str(number), passed=passed))
    assert compare_judge(matching, *sides).pass_rules_differ == 2
    other = JudgedRun(run_id="after", judge=build.judge("k"))
    assert compare_judge(matching, sides[0], other).pass_rules_differ == 0
