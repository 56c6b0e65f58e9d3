"""What repeats say of the judge."""

import tracemalloc
from dataclasses import asdict

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudge.analysis.summary.document import repeat_facts
from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import Report
from adjudge.documents.document import plain
from adjudge.options import Repeats, parse_repeats
from adjudge.records import Criterion, Rating, Rubric, Scale, ScoreDistribution
from adjudge.runs.engine.repeats import could_change, standing
from adjudge.stats.intervals import Undefined
from adjudge.stats.repeats import retest_kappa, retests_of, within_case_noise


def summary_of(build, cases, *, rule=3, judge=None, **options):
    if "repeats" in options:
        options["repeats"] = parse_repeats(options["repeats"])
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
        "scores of one case have a standard deviation of 0.5, 10.0 % of the scale (pooled over 60 cases"
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
        tally = Tally([build.judge()], repeats=Repeats(most=2))
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
    tally = Tally([build.judge()], repeats=Repeats(most=3))
    rows = [("a", 0, 1), ("b", 0, 5), ("b", 1, None), ("a", 2, 4), ("b", 2, 5), ("c", 0, None), ("a", 1, 1)]
    for case, repeat, score in rows:
        outcome = build.failed("refused") if score is None else build.scored(float(score))
        passed = None if score is None else score >= 3
        tally.add(build.judgement(outcome, case_id=case, repeat=repeat, passed=passed))
    repeated = tally.summaries()[0].repeated
    assert repeated.noise == within_case_noise({"a": [1.0, 4.0, 1.0], "b": [5.0, 5.0]})
    assert repeated.undecided.of == 2


def test_with_auto_a_case_counts_once_with_what_most_of_its_repeats_say(build):
    cases = {"sure": (4, 4, 4), "torn": (2, 4, 2, 4, 4), "low": (1, 3, 1, 1)}
    summary = summary_of(build, cases, rule=3, repeats="auto")
    assert (summary.asked, summary.judged) == (3, 3)
    assert summary.pass_rate.n == 3
    assert summary.passed == 2
    assert summary.pass_rate.value == pytest.approx(2 / 3)
    # of `torn` the first that passes stands for it, of `low` the first that fails
    assert summary.mean.value == pytest.approx((4 + 4 + 1) / 3)
    assert summary.mean_repeats == pytest.approx(4.0)
    assert (summary.pass_bounds.low, summary.pass_bounds.high) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    # what repeats say of the judge is of the three that every case has
    first = {case: scores[:3] for case, scores in cases.items()}
    assert summary.repeated == summary_of(build, first, rule=3, repeats=3).repeated


OF_ALL_REPEATS = {
    "repeats", "mean_repeats", "repeats_not_scored", "repeated", "answered", "usage", "cost", "cost_unknown",
    "from_store", "latency", "temperatures",
    "failures",  # the first of them as they come
}  # fmt: skip


def rated(build, case, repeat, vote):
    """A row of a judge with criteria, ratings, expected scores and labels, in a slice; `?`: unreadable, `a`: abstained."""
    case_id = f"c{case}"
    label = {"j": True, "tone": 2} if case % 3 else None
    more = {"case_id": case_id, "repeat": repeat, "label": label, "calls": (build.call(),)}
    more |= {"metadata": {"topic": "odd" if case % 2 else "even"}, "notes": (f"said:{vote}",)}
    if vote in {"?", "a"}:
        return build.judgement(build.failed("unreadable" if vote == "?" else "abstained"), **more)
    score = float(vote)
    met = [{"criterion": "kind", "points": 1, "met": score > 2}]
    outcome = build.scored(score, completed={"criteria": met, "tone": score})
    expected = ScoreDistribution(shares=((score, 0.5), (score - 1, 0.5)))
    return build.judgement(outcome, passed=score > 2, distribution=expected, **more)


VOTE = st.sampled_from(["?", "a", 1, 2, 3, 4])


@given(
    st.lists(st.lists(VOTE, min_size=5, max_size=5), min_size=1, max_size=8),
    st.lists(st.booleans(), max_size=8),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_with_auto_every_figure_is_that_of_the_repeats_that_stand_for_their_cases(
    build, cases, stopped, order, shuffled
):
    judge = build.judge(
        abstain=("cannot_tell",),
        rubric=Rubric(criteria=(Criterion(criterion="kind", points=1),)),
        ratings=(Rating(name="tone", scale=Scale(low=0, high=5)),),
    )
    auto = Tally([judge], repeats=Repeats(most=5, auto=True), slices=["topic"])
    once = Tally([judge], repeats=Repeats(most=1), slices=["topic"])
    rows = []
    for case, votes in enumerate(cases):
        made = [rated(build, case, repeat, vote) for repeat, vote in enumerate(votes[:3])]
        while len(made) < 5 and could_change(made, 5):
            made.append(rated(build, case, len(made), votes[len(made)]))
        if case < len(stopped) and stopped[case]:
            del made[2:]  # the run was stopped here
        rows += made
        once.add(replace(standing(made), repeat=0))
    if shuffled:
        order.shuffle(rows)
    for at, row in enumerate(rows):
        auto.add(row)
        if at == len(rows) // 2:
            auto.summaries()  # a page that is looked at while the run goes on changes nothing
    found, wanted = (asdict(tally.summaries()[0]) for tally in (auto, once))
    for name in OF_ALL_REPEATS:
        found.pop(name)
        wanted.pop(name)
    for summary in (found, wanted):
        for each in summary["worst"]:
            each["repeat"] = 0
    assert _rounded(found) == _rounded(wanted)


def _rounded(value):
    """Counted in another order, sums differ in their last bits."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 9) if isinstance(value, float) else value


def test_with_auto_a_case_on_which_most_repeats_abstain_is_abstained(build):
    tally = Tally([build.judge(abstain=("cannot_tell",))], repeats=parse_repeats("auto"))
    for case, votes in enumerate((("a", "a", 4, "a"), (4, 4, 4), (1, "?", 1, 1))):
        for repeat, vote in enumerate(votes):
            tally.add(rated(build, case, repeat, vote))
    (summary,) = tally.summaries()
    assert summary.outcomes == {"scored": 2, "abstained": 1}
    assert (summary.asked, summary.judged, summary.passed, summary.pass_rate.n) == (3, 2, 1, 2)
    assert (summary.abstention_rate.value, summary.abstention_rate.n) == (pytest.approx(1 / 3), 3)
    assert summary.distribution == {"1": 1, "4": 1}
    assert summary.repeats_not_scored == 1
    text = " ".join(
        plain(block.text) for block in Report(judges=(summary,)).document().blocks if block.kind == "repeats"
    )
    assert text.endswith("a case counts once, with what most of its repeats say; 1 repeat had no verdict")
