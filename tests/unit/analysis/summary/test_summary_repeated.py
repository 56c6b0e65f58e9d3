"""What repeats say of the judge."""

import tracemalloc

import orjson
import pytest

from adjudge.analysis.summary.document import repeat_facts
from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import Report
from adjudge.documents.document import plain
from adjudge.stats.intervals import Undefined
from adjudge.stats.repeats import retest_kappa, retests_of, within_case_noise


def summary_of(build, cases, *, rule=3, judge=None, **options):
    tally = Tally([judge or build.judge()], **options)
    for case, scores in cases.items():
        for repeat, score in enumerate(scores):
            outcome = build.failed("refused") if score is None else build.scored(float(score))
            passed = None if score is None or rule is None else score >= rule
            tally.add(build.judgement(outcome, case_id=case, repeat=repeat, passed=passed))
    return tally.summaries()[0]


CASES = {"far": (5, 5, 5), "low": (0, 0, 1), "torn": (2, 3, 3), "near": (3, 3, 2), "lost": (4, None, 4)}
SCORES = {case: [score for score in scores if score is not None] for case, scores in CASES.items()}


def test_noise_flips_and_kappa_are_those_of_the_judged_repeats(build):
    repeated = summary_of(build, CASES, repeats=3).repeated
    passes = {case: [score >= 3 for score in scores] for case, scores in SCORES.items()}
    assert repeated.noise == within_case_noise(SCORES)
    assert repeated.flips == retests_of(passes).flips()
    assert repeated.kappa == retest_kappa(passes)
    assert repeated.compared == "passed"


def test_cases_whose_repeats_disagree_or_lie_within_the_noise_are_undecided(build):
    undecided = summary_of(build, CASES).repeated.undecided
    assert (undecided.count, undecided.of, undecided.threshold) == (2, 5, 2.5)
    assert undecided.case_ids == ("near", "torn")


def test_a_case_that_always_passed_is_decided_where_only_0_and_1_are_given(build):
    cases = {f"c{n}": (1, 1, 1) for n in range(20)} | {"odd": (1, 0, 1), "bad": (0, 0, 0)}
    undecided = summary_of(build, cases, rule=1).repeated.undecided
    assert undecided.case_ids == ("odd",)


def test_without_a_pass_rule_scores_are_compared_and_nothing_is_undecided(build):
    repeated = summary_of(build, CASES, rule=None).repeated
    assert (repeated.compared, repeated.undecided) == ("score", None)
    assert repeated.kappa == retest_kappa(SCORES)


def words(summary):
    return {fact.kind: plain(fact.text) for fact in repeat_facts(summary.repeated, summary.scale)}


def test_no_repeats_are_no_figures(build):
    assert summary_of(build, {"a": (1,), "b": (2,)}).repeated is None
    assert summary_of(build, {"a": (1,), "b": (2,)}, repeats=1).repeated is None


def test_what_the_data_do_not_have_is_said_and_not_a_number(build):
    same = summary_of(build, {"a": (4, 4), "b": (4, 4)})
    assert isinstance(same.repeated.kappa, Undefined)
    assert words(same)["retest"].startswith("test–retest κ on passing: none; only one verdict was given")
    lost = summary_of(build, {"a": (4, None), "b": (None, 4)})
    assert isinstance(lost.repeated.noise, Undefined)
    assert words(lost)["noise"].startswith("no case was judged more than once")
    assert "nan" not in orjson.dumps(Report(judges=(same, lost)).to_json()).decode().lower()


def test_the_report_says_it_in_words_and_json(build):
    cases = {f"c{n:02}": (2, 3) for n in range(30)} | {f"d{n}": (5, 5) for n in range(30)}
    summary = summary_of(build, cases)
    found = words(summary)
    assert found["noise"].startswith(
        "scores of one case have a standard deviation of 0.5 [0.417, 0.6], 10.0 % of the scale (pooled over 60 cases"
    )
    assert found["flips"].startswith("two judgements of a case differ on passing with probability 50.0 % [")
    assert found["undecided"].startswith("undecided at the pass threshold: 30 of 60 cases: c00, ")
    assert found["undecided"].endswith("c07, …")
    repeated = Report(judges=(summary,)).to_json()["judges"][0]["repeated"]
    assert repeated["noise"]["sd"] == pytest.approx(0.5)
    assert repeated["undecided"]["count"] == 30
    assert len(repeated["undecided"]["case_ids"]) == 20


def test_memory_hardly_grows_with_the_number_of_cases(build):
    """A list and a counter for each case would take a thousand bytes; two rows and an id of thirty letters to look up take 260."""

    def grown(cases):
        tally = Tally([build.judge()], repeats=2)
        tracemalloc.start()
        for case in range(cases):
            for repeat in range(2):
                score = float((case + repeat) % 6)
                outcome = build.scored(score)
                tally.add(build.judgement(outcome, case_id=f"{case:030}", repeat=repeat, passed=score >= 3))
        (summary,) = tally.summaries()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert summary.repeated.noise.cases == cases
        return peak

    assert grown(6000) - grown(2000) < 4000 * 300


def test_repeats_that_come_late_or_fail_are_still_of_their_case(build):
    tally = Tally([build.judge()], repeats=3)
    rows = [("a", 0, 1), ("b", 0, 5), ("b", 1, None), ("a", 2, 4), ("b", 2, 5), ("c", 0, None), ("a", 1, 1)]
    for case, repeat, score in rows:
        outcome = build.failed("refused") if score is None else build.scored(float(score))
        passed = None if score is None else score >= 3
        tally.add(build.judgement(outcome, case_id=case, repeat=repeat, passed=passed))
    repeated = tally.summaries()[0].repeated
    assert repeated.noise == within_case_noise({"a": [1.0, 4.0, 1.0], "b": [5.0, 5.0]})
    assert repeated.undecided.of == 2
