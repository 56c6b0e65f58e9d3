"""The judge's mean beside what people would say, and which to quote."""

import random
from datetime import UTC, datetime

import pytest

from adjudge.analysis.agreement.corrected_means import SplitCases, pass_rate_means, score_means
from adjudge.analysis.agreement.verdicts import CaseVerdict
from adjudge.labels.label_set import Label
from adjudge.records import LabelDraw, Scale
from adjudge.stats.corrected import Corrected
from adjudge.stats.intervals import Undefined
from adjudge.stats.selection import Selection, select

FIVE = Scale(low=0, high=5)


def verdict(case_id, score, passed=None, repeat=0):
    return CaseVerdict(
        case_id=case_id,
        repeat=repeat,
        score=score,
        passed=passed,
        probability=None,
        cluster=case_id,
        slices=(),
    )


def passes(judge, people):
    cases = {f"c{at}": [verdict(f"c{at}", float(said), said)] for at, said in enumerate(judge)}
    labels = {
        f"c{at}": [Label(case_id=f"c{at}", annotator="", meaning=said)]
        for at, said in enumerate(people)
        if said is not None
    }
    return cases, labels


def random_draw(cases, labels):
    return select(cases, labels, [], random_sample=True)


@pytest.fixture
def lenient():
    """600 cases, 60 % pass; the judge passes a third of the rest too. The first 200 have labels."""
    random.seed(1)
    truth = [random.random() < 0.6 for _ in range(600)]
    judge = [said or random.random() < 1 / 3 for said in truth]
    return passes(judge, [said if at < 200 else None for at, said in enumerate(truth)])


def test_corrected_means_find_what_people_say_where_the_judge_is_lenient(lenient):
    cases, labels = lenient
    means = pass_rate_means(cases, labels, random_draw(cases, labels))
    assert means.naive.estimate.value == pytest.approx(0.73, abs=0.04)
    for found in (means.rogan_gladen, means.ppi):
        assert found.estimate.low < 0.6 < found.estimate.high < means.naive.estimate.value
        assert found.target == "people"
    assert means.naive.target == "judge"
    assert (means.quote, means.reason) == ("ppi", "known_chances")
    assert means.naive_outside


def test_labels_of_unknown_selection_correct_nothing(lenient):
    cases, labels = lenient
    means = pass_rate_means(cases, labels, select(cases, labels, []))
    assert isinstance(means.ppi, Undefined)
    assert isinstance(means.rogan_gladen, Undefined)
    assert (means.quote, means.reason) == ("naive", "not_correctable")
    assert "not known" in means.ppi.why


def test_while_drawn_cases_lack_labels_nothing_is_quoted_and_there_are_bounds():
    """The first 50 of 100 drawn cases, in the order of the run, are the ones that pass."""
    truth = [at < 600 for at in range(1000)]
    cases, every = passes([said or at % 3 == 0 for at, said in enumerate(truth)], truth)
    draw = LabelDraw(
        run_id="r", judge="j", number=1, chosen=tuple(f"c{at}" for at in range(0, 1000, 10)),
        chances=dict.fromkeys(cases, 0.1), basis=(), uniform_share=1.0, seed=0, at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    labels = {case_id: every[case_id] for case_id in draw.chosen[:50]}
    means = pass_rate_means(cases, labels, select(cases, labels, [draw]))
    assert means.ppi.estimate.low > 0.6
    assert (means.quote, means.reason) == ("none", "labels_missing")
    low, high = means.if_missing.low, means.if_missing.high
    assert low.low < 0.6 < high.high
    assert low.value < means.ppi.estimate.value <= high.value
    whole = {case_id: every[case_id] for case_id in draw.chosen}
    complete = pass_rate_means(cases, whole, select(cases, whole, [draw]))
    assert (complete.quote, complete.if_missing) == ("ppi", None)
    scores = score_means(cases, labels, select(cases, labels, [draw]), None)
    assert scores.if_missing == "no_scale"


def test_labels_for_every_case_make_the_peoples_own_mean():
    people = [True] * 30 + [False] * 20
    cases, labels = passes([True] * 50, people)
    means = pass_rate_means(cases, labels, select(cases, labels, []))
    assert means.ppi.estimate.value == pytest.approx(0.6)
    assert means.reason == "all_labelled"


def test_a_handful_of_labels_is_no_ground_to_move_a_mean():
    cases, labels = passes([True, False] * 20, [True, False] * 4)
    means = pass_rate_means(cases, labels, random_draw(cases, labels))
    assert (means.quote, means.reason, means.ppi.labels) == ("naive", "few_labels", 8)


def test_rogan_gladen_is_not_for_split_votes_or_repeats():
    cases, labels = passes([True, False] * 20, [True, False] * 10)
    selection = random_draw(cases, labels)
    labels["c0"] = [*labels["c0"], Label(case_id="c0", annotator="ben", meaning=False)]
    found = pass_rate_means(cases, labels, selection)
    assert found.rogan_gladen == SplitCases(by="people", cases=1)
    assert isinstance(found.ppi, Corrected)
    cases["c1"] = [*cases["c1"], verdict("c1", 1.0, passed=True, repeat=1)]
    found = pass_rate_means(cases, labels, selection)
    assert found.rogan_gladen == SplitCases(by="repeats", cases=1)


def test_scores_are_corrected_on_their_scale():
    cases = {f"c{at}": [verdict(f"c{at}", float(at % 4 + 2))] for at in range(200)}
    labels = {
        f"c{at}": [Label(case_id=f"c{at}", annotator="", meaning=float(at % 4 + 1))]
        for at in range(0, 200, 3)
    }
    means = score_means(cases, labels, random_draw(cases, labels), FIVE)
    assert means.rogan_gladen is None
    assert means.naive.estimate.value == pytest.approx(3.5)
    assert means.ppi.estimate.value == pytest.approx(2.5, abs=0.01)


def test_only_cases_that_could_be_drawn_are_in_the_means():
    cases, labels = passes([True, False] * 20, [True, False] * 10)
    chosen = frozenset(labels)
    selection = Selection(
        kind="draw", chances=dict.fromkeys(chosen, 0.5), frame=chosen | {"c30"}, unknown=0, outside=19
    )
    assert pass_rate_means(cases, labels, selection).naive.estimate.n == 21


def test_a_run_without_verdicts_or_rule_has_no_such_mean():
    nothing = select({}, {}, [])
    assert pass_rate_means({}, {}, nothing) is None
    assert score_means({}, {}, nothing, FIVE) is None
    cases = {"a": [verdict("a", 1.0)]}
    assert pass_rate_means(cases, {}, select(cases, {}, [])) is None
