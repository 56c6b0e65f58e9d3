"""The difference that people would find, beside the judge's own."""

from datetime import UTC, datetime
from random import Random
from statistics import fmean

import pytest

from adjudge.analysis.comparison.corrected import NotCorrected, SideLabels, correct_difference
from adjudge.analysis.comparison.labels_document import correction_facts
from adjudge.analysis.comparison.matching import Pair
from adjudge.documents.document import plain
from adjudge.errors import InputError
from adjudge.labels.label_scale import label_scale_of
from adjudge.labels.label_set import Label
from adjudge.records import LabelDraw, Scale
from adjudge.stats.intervals import Undefined
from adjudge.stats.paired import compare

COUNT = 300


def people_of(seed=1):
    random = Random(seed)
    return [(random.randint(0, 3), min(5, random.randint(0, 3) + random.randint(0, 2))) for _ in range(COUNT)]


def judged(people):
    """The judge gives B one too many in every third case."""
    return [(a, min(5, b + (at % 3 == 0))) for at, (a, b) in enumerate(people)]


def pairs_of(scores):
    return [
        Pair(
            case_id=f"c{at}", cluster=(f"c{at}",), a=float(a), b=float(b),
            passed_a=float(a >= 3), passed_b=float(b >= 3), slices=(),
        )
        for at, (a, b) in enumerate(scores)
    ]  # fmt: skip


def drawn(chosen, chance=None, *, whole=COUNT):
    chance = len(chosen) / whole if chance is None else chance
    chances = {f"c{at}": chance for at in range(whole)}
    ids = tuple(f"c{at}" for at in chosen)

    def of(run):
        return LabelDraw(
            run_id=run, judge="j", number=1, chosen=ids, chances=chances, basis=(), uniform_share=1.0, seed=0,
            at=datetime(2026, 1, 1, tzinfo=UTC),
        )  # fmt: skip

    return [of("a")], [of("b")]


def labels_of(values, chosen):
    return [Label(case_id=f"c{at}", annotator="", meaning=values[at]) for at in chosen]


@pytest.fixture
def label_scale(build):
    scores = {(float(score), score >= 3) for score in range(6)}
    return label_scale_of("j", build.judge(passes="score >= 3", scale=Scale(low=0, high=5)), scores, {})


@pytest.fixture
def corrected(label_scale):
    def of(chosen, *, draws=None, says=float, **more):
        people = people_of()
        scores = judged(people)
        pairs = pairs_of(scores)
        of_a, of_b = draws or drawn(chosen)
        return correct_difference(
            pairs,
            SideLabels(labels=labels_of([says(a) for a, _ in people], chosen), draws=of_a),
            SideLabels(labels=labels_of([says(b) for _, b in people], chosen), draws=of_b),
            label_scale,
            primary=compare([(pair.cluster, pair.b - pair.a) for pair in pairs], label_scale.scale),
            **more,
        )

    return of


def words(correction):
    """Kind -> what is said."""
    found = {}
    for fact in correction_facts(correction):
        found.setdefault(fact.kind, []).append(plain(fact.text))
    return found


def test_labels_of_one_draw_for_both_correct_the_difference_of_scores_and_of_pass_rates(corrected):
    found = corrected(range(0, COUNT, 2))
    scores, passes = found.differences
    truth = fmean(b - a for a, b in people_of())
    judge = fmean(b - a for a, b in judged(people_of()))
    assert (scores.of, passes.of) == ("mean score", "pass rate")
    assert scores.naive.value == pytest.approx(judge)
    assert scores.ppi.estimate.low < truth < scores.ppi.estimate.high
    assert scores.ppi.estimate.high < judge
    assert (scores.quote, scores.why) == ("ppi", "drawn")
    assert (found.selection.used, found.labelled.both) == (150, 150)
    assert "the judge's own lies outside its interval" in words(found)["quote"][0]
    assert scores.naive.method.startswith("paired permutation test")


def test_passes_and_fails_correct_the_pass_rate_alone(corrected):
    found = corrected(range(0, COUNT, 2), says=lambda score: score >= 3)
    (passes,) = found.differences
    truth = fmean((b >= 3) - (a >= 3) for a, b in people_of())
    assert passes.of == "pass rate"
    assert passes.ppi.estimate.low < truth < passes.ppi.estimate.high


def test_where_lower_is_better_scores_are_turned_and_pass_rates_are_not(corrected):
    plain, turned = corrected(range(0, COUNT, 2)), corrected(range(0, COUNT, 2), lower_is_better=True)
    assert turned.differences[0].ppi.estimate.value == pytest.approx(-plain.differences[0].ppi.estimate.value)
    assert turned.differences[1] == plain.differences[1]


def test_labels_for_every_case_give_the_peoples_own_difference(corrected):
    found = corrected(range(COUNT), draws=([], []))
    assert found.differences[0].ppi.estimate.value == pytest.approx(fmean(b - a for a, b in people_of()))
    assert found.differences[0].why == "all_labelled"


def test_the_frame_is_what_could_have_been_drawn(corrected):
    found = corrected(range(0, 100, 2), draws=drawn(range(0, 100, 2), whole=100))
    assert found.differences[0].naive.value == pytest.approx(
        fmean(b - a for a, b in judged(people_of())[:100])
    )
    assert found.selection.outside == 200
    (left_out,) = words(found)["correction_left_out"]
    assert "200 not there when the draw was made" in left_out


def test_unknown_selection_and_few_labels_are_told(corrected):
    unknown = corrected(range(100), draws=([], []))
    assert isinstance(unknown, NotCorrected)
    assert (unknown.reason, unknown.labelled.a, unknown.labelled.b) == ("selection_unknown", 100, 100)
    (fact,) = correction_facts(unknown)
    assert plain(fact.text) == (
        "not by people's labels: how the labelled cases were chosen is not known for both runs "
        "(labels of 100 of A's answers and 100 of B's, of both for 100 cases); "
        "adjudge agree A --next 100 --uniform 1 and adjudge agree B --next 100 --uniform 1 draw the same cases"
    )
    few = corrected(range(6))
    assert (few.differences[0].quote, few.differences[0].why) == ("naive", "few_labels")
    assert "6 cases labelled on both sides are too few" in words(few)["quote"][0]
    two = corrected(range(2))
    assert isinstance(two.differences[0].ppi, Undefined)
    assert words(two)["quote"][0].startswith("quote the judge's own difference")


def test_what_is_printed_has_both_figures_what_they_rest_on_and_which_to_quote(corrected):
    found = words(corrected(range(0, COUNT, 2)))
    assert found["corrected"][0].startswith("mean score +")
    assert " by people's labels, +" in found["corrected"][0]
    assert "PPI++ (lambda " in found["correction_method"][0]
    assert "how much better people would rate B" in found["correction_method"][0]
    assert found["quote"][0].startswith("quote the corrected difference: it holds whatever errors")
    assert "150 of A's answers and 150 of B's, of both for 150 cases" in found["correction_labels"][0]
    assert "the gates are of the judge's own difference" in found["correction_conditions"][0]


def test_scores_and_passes_in_one_are_read_by_the_rule_or_refused(label_scale, build):
    pairs = pairs_of([(0, 5)] * 20)
    a = SideLabels(labels=[Label(case_id=f"c{at}", annotator="", meaning=0.0) for at in range(20)])
    b = SideLabels(labels=[Label(case_id=f"c{at}", annotator="", meaning=True) for at in range(20)])
    (found,) = correct_difference(pairs, a, b, label_scale, primary=None).differences
    assert (found.of, found.ppi.estimate.value) == ("pass rate", 1.0)
    no_rule = label_scale_of("j", build.judge(), {(0.0, None)}, {})
    with pytest.raises(InputError, match="some are scores and some are passes"):
        correct_difference(pairs, a, b, no_rule, primary=None)
