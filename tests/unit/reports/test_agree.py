"""Every figure of a judge beside people, and how it is written."""

import json
import re
import sys
from datetime import UTC, datetime

import orjson
import pytest

from adjudge.errors import InputError
from adjudge.records import Scale
from adjudge.reports.agree import Asked, Given, agree_report, with_reasons
from adjudge.reports.agree_figures import Pair, measure_passes
from adjudge.reports.agree_json import agree_json
from adjudge.reports.agree_labels import reading_of
from adjudge.reports.agree_rows import Label, collect_verdicts, merge_labels, own_labels, own_source
from adjudge.reports.agree_text import NAMES, agree_text
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.people import agree as people_agree
from adjudge.store import LabelDraw

FIVE = Scale(low=0, high=5)


@pytest.fixture
def report(build):
    """From scores by case and labels as (case, says) or (case, annotator, says)."""

    def make(scores, labels, *, rule="score >= 3", scale=FIVE, asked=None, failed=(), draws=(), **more):
        judge = build.judge(passes=rule, scale=scale)
        rows = [
            build.judgement(
                build.scored(float(score)),
                case_id=case_id,
                passed=None if rule is None else score >= float(rule.split()[-1]),
                metadata={"system": case_id[0]},
                **more,
            )
            for case_id, score in scores
        ]
        rows += [build.judgement(build.failed("unreadable"), case_id=case_id) for case_id in failed]
        verdicts = collect_verdicts(rows, [judge], judge=None, slices=asked.slices if asked else ())
        reading = reading_of("j", judge, [(v.score, v.passed) for v in verdicts.verdicts], {})
        said = [
            Label(case_id=label[0], annotator=label[1] if len(label) > 2 else "", says=label[-1])
            for label in labels
        ]
        given = Given(labels=said, draws=draws, source="labels.jsonl")
        return agree_report("r1", verdicts, given, reading, asked or Asked())

    return make


def names(count, start="c"):
    return [f"{start}{at:03}" for at in range(count)]


def test_passes_and_fails_have_their_figures_and_their_table(report):
    ids = names(100)
    scores = [(name, 4 if at < 60 else 1) for at, name in enumerate(ids)]
    found = report(scores, [(name, at < 50) for at, name in enumerate(ids)])
    (agreement,) = found.agreements
    assert (found.kind, agreement.confusion) == ("pass or fail", ((40, 0), (10, 50)))
    wanted = {"accuracy": 0.9, "precision": 5 / 6, "recall": 1.0, "kappa": 0.8}
    for name, value in wanted.items():
        figure = agreement.figures[name]
        assert figure.value == pytest.approx(value)
        assert figure.low <= figure.value <= figure.high
        assert figure.n == 100
    assert {"f1", "mcc", "alpha", "ac1"} <= agreement.figures.keys()


def test_scores_have_weighted_figures_and_correlations_and_passes_as_well(report):
    ids = names(60)
    scores = [(name, at % 6) for at, name in enumerate(ids)]
    found = report(scores, [(name, float(min(5, at % 6 + (at % 5 == 0)))) for at, name in enumerate(ids)])
    by_score, by_pass = found.agreements
    assert (found.kind, by_pass.kind, len(by_score.labels)) == ("score", "pass or fail", 6)
    assert {
        "kappa_linear",
        "kappa_quadratic",
        "ac2_linear",
        "alpha_ordinal",
        "pearson",
        "spearman",
        "kendall",
    } <= (by_score.figures.keys())
    assert 0 < by_score.figures["mean_absolute_error"].value < 0.2
    assert [means.of for means in found.means] == ["mean score", "pass rate"]


def test_measurements_are_correlated_and_not_counted(report):
    scores = [(name, at / 7) for at, name in enumerate(names(30))]
    found = report(scores, [(name, score + 0.1) for name, score in scores], rule=None)
    (agreement,) = found.agreements
    assert agreement.confusion == ()
    assert set(agreement.figures) == {"pearson", "spearman", "kendall", "mean_absolute_error"}
    assert found.better_threshold is None


def test_zeros_and_ones_with_a_rule_between_them_are_passes(report):
    scores = [(name, at % 2) for at, name in enumerate(names(20))]
    found = report(scores, [(n, float(s)) for n, s in scores], rule="score >= 1", scale=Scale(low=0, high=1))
    assert found.kind == "pass or fail"
    assert found.agreements[0].figures["accuracy"].value == 1.0
    assert found.agreements[0].figures["accuracy"].low < 1.0


def test_failed_cases_are_counted_beside_the_agreement(report):
    found = report([("a", 4), ("b", 4)], [("a", True), ("x", False), ("y", True)], failed=("x", "z"))
    assert (found.judged, found.not_judged, found.labelled, found.labelled_not_judged) == (
        2,
        {"unreadable": 2},
        1,
        1,
    )
    assert "not judged: 2 (2 unreadable); 1 of them have a label" in agree_text(found)


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([], [("a", True)]),
        ([("a", 4)], [("b", True)]),
        ([("a", 4)], [("a", True)]),
        ([("a", 4)], [("a", False)]),
        ([("a", 4), ("b", 4)], [("a", 4.0), ("b", 4.0)]),
        ([("a", 4), ("b", 1)], [("a", True), ("b", True)]),
    ],
)
def test_next_to_nothing_is_answered_not_crashed(report, scores, labels):
    found = report(scores, labels, failed=("z",))
    text = agree_text(found)
    assert "nan" not in text.lower().replace("annotator", "")
    assert "NaN" not in orjson.dumps(agree_json(found)).decode()
    for agreement in found.agreements:
        for figure in agreement.figures.values():
            assert isinstance(figure, Undefined) or figure.low < figure.high


def test_several_people_give_a_ceiling_and_the_alt_test(report):
    ids = names(60)
    scores = [(name, 4 if at % 2 else 1) for at, name in enumerate(ids)]
    labels = [
        (name, who, bool(at % 2) != (at % 9 == off))
        for off, who in enumerate(("anna", "ben", "cleo"))
        for at, name in enumerate(ids)
    ]
    found = report(scores, labels)
    assert found.people.ceiling.cases == 60
    assert 0.7 < found.people.ceiling.pairs_agreed.value < 0.9
    assert found.people.alt_test.passed
    assert found.agreements[0].rows == 180
    assert found.agreements[0].figures["accuracy"].clusters == 60
    text = agree_text(found)
    assert "by anna, ben, cleo" in text
    assert "(alt-test, epsilon 0.2)? yes" in text


def test_an_adjudicator_settles_the_label_and_is_not_among_the_people_compared(report):
    ids = names(40)
    labels = [(name, who, at % 2 == 0) for at, name in enumerate(ids) for who in ("anna", "bert")]
    labels += [(name, "chief", at % 4 == 0) for at, name in enumerate(ids[:20])]
    scores = [(name, 4 if at % 4 == 0 else 1) for at, name in enumerate(ids)]
    found = report(scores, labels, asked=Asked(adjudicators=("chief",)))
    assert found.adjudicators == ("chief",)
    assert found.annotators == ("anna", "bert", "chief")
    assert found.people.ceiling.annotators == 2
    assert found.people.ceiling.pairs_agreed.value == 1.0
    assert found.labels == 20 + 2 * 20  # one label where it was settled, else everybody's
    assert found.agreements[0].figures["accuracy"].value == pytest.approx((20 + 2 * 15) / 60)
    assert "by anna, bert; settled by chief" in agree_text(found)
    assert report(scores, labels).people.ceiling.annotators == 3
    with pytest.raises(InputError, match=r"gave no label[^\n]*\n\n.*anna, bert, chief"):
        report(scores, labels, asked=Asked(adjudicators=("Chief",)))


def test_two_people_are_told_why_there_is_no_alt_test(report):
    ids = names(40)
    labels = [(name, who, bool(at % 3)) for who in ("anna", "ben") for at, name in enumerate(ids)]
    found = report([(name, 4 if at % 3 else 1) for at, name in enumerate(ids)], labels)
    assert found.people.alt_test.why == "2 annotators: the alt-test needs 3"
    assert "not asked: 2 annotators" in agree_text(found)
    assert report([("a", 4)], [("a", True)]).people is None


def test_a_better_threshold_is_chosen_and_tried_on_different_cases(report):
    ids = names(240)
    scores = [(name, at % 6) for at, name in enumerate(ids)]
    found = report(scores, [(name, at % 6 >= 4) for at, name in enumerate(ids)])
    trial = found.better_threshold
    assert (trial.better, trial.proposed, trial.chosen_on + trial.tested_on) == (True, 3.5, 240)
    assert "`score >= 3.5` instead of `score >= 3`" in agree_text(found)
    same = report(scores, [(name, at % 6 >= 3) for at, name in enumerate(ids)])
    assert "A better pass rule: none found" in agree_text(same)


def test_disagreements_are_ranked_by_distance_then_by_how_sure_the_judge_was(report):
    scores = [("a", 5), ("b", 5), ("c", 3), ("d", 0)]
    found = report(scores, [("a", 4.0), ("b", 0.0), ("c", 3.0), ("d", 2.0)], asked=Asked(disagreements=2))
    assert [each.case_id for each in found.disagreements] == ["b", "d"]
    assert found.disagreeing == 3
    text = agree_text(with_reasons(found, {"b": "It is\nright.\x1b[31m"}))
    assert "b: judge 5; people 0" in text
    assert "judge: It is␊right.␛[31m" in text


def test_slices_have_figures_of_their_own_and_many_are_cut(report):
    scores = [(f"{chr(97 + at % 25)}{at}", 4) for at in range(200)]
    found = report(scores, [(name, name[0] != "a") for name, _ in scores], asked=Asked(slices=("system",)))
    by_value = {each.value: each.agreement.figures["accuracy"].value for each in found.slices}
    assert (by_value["a"], by_value["b"]) == (0.0, 1.0)
    assert (len(found.slices), found.slices_left_out) == (20, 5)
    assert "20 slices, 5 smaller ones left out; of 20 intervals one misses" in agree_text(found)


@pytest.fixture
def drawn(report):
    """Easy cases are judged right; of the doubtful half, 2 and 3, every second is not, and most of those are drawn."""
    scores = [(f"{'hard' if at % 2 else 'easy'}{at:03}", (2 + at // 2 % 2) if at % 2 else 5 * (at // 2 % 2)) for at in range(400)]  # fmt: skip
    people = {case_id: (score >= 3) ^ (case_id[0] == "h" and at % 8 < 4) for at, (case_id, score) in enumerate(scores)}  # fmt: skip
    chances = {case_id: 0.9 if case_id[0] == "h" else 0.1 for case_id in people}
    hard, easy = ([case_id for case_id in people if case_id[0] == kind] for kind in "he")
    chosen = (*hard[:180], *easy[:20])
    draw = LabelDraw(
        run_id="r1", judge="j", number=1, chosen=chosen, chances=chances, basis="doubt", uniform_share=0.1,
        seed=0, at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip

    def make(*, asked=None, more=()):
        said = [(case_id, people[case_id]) for case_id in (*chosen, *more)]
        return report(scores, said, draws=[draw], asked=asked)

    return make, people, dict(scores)


def test_after_a_draw_that_prefers_doubt_every_figure_is_of_the_whole_run(drawn):
    make, people, scores = drawn
    found = make(asked=Asked(slices=("system",)))
    true = people_agree([score >= 3 for score in scores.values()], list(people.values()), positive=True)
    (passes,) = found.agreements
    assert passes.weighted
    for name in ("accuracy", "kappa", "f1", "alpha", "ac1", "mcc", "precision", "recall"):
        assert passes.figures[name].value == pytest.approx(true.figures[name].value, abs=0.02), name
    assert sum(map(sum, passes.confusion)) == 200  # counts, as they stand
    assert {each.value: round(each.agreement.figures["accuracy"].value, 1) for each in found.slices} == {
        "h": 0.5,
        "e": 1.0,
    }
    assert "prefers doubtful cases" in found.better_threshold.why
    text = agree_text(found)
    assert "of the whole run: each label counts with one over its chance" in text
    assert "(counts of labelled cases, not weighted)" in text


def test_labels_of_unknown_choice_have_no_weight_and_are_in_no_weighted_figure(drawn):
    make, people, _ = drawn
    more = [case_id for case_id in people if case_id[0] == "h"][180:]
    plain, mixed = make(), make(more=more)
    assert mixed.agreements[0].rows == plain.agreements[0].rows == 200
    assert (
        "20 further labelled cases were chosen nobody knows how: they are in no figure below"
        in agree_text(mixed)
    )


def test_a_few_labels_that_carry_most_of_the_weight_are_warned_of():
    pairs = [
        Pair(str(at), at, judge=at % 2 == 0, person=at % 3 == 0, weight=50.0 if at < 4 else 1.0)
        for at in range(100)
    ]
    figures = measure_passes(pairs, seed=0).figures
    for name in ("accuracy", "kappa"):
        assert "100 labels are as sure as 9 of equal weight" in figures[name].warning
    plain = measure_passes([pair._replace(weight=1.0) for pair in pairs], seed=0).figures
    assert plain["accuracy"].warning is None


def test_without_numpy_a_weighted_accuracy_is_there_too(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    make, _, _ = drawn
    assert make().agreements[0].figures["accuracy"].value == pytest.approx(0.75, abs=0.02)


def test_scores_within_one_step_are_counted_beside_equal_ones(report):
    scores = [(name, at % 6) for at, name in enumerate(names(60))]
    found = report(scores, [(name, min(5, score + at % 3)) for at, (name, score) in enumerate(scores)])
    by_score = found.agreements[0].figures
    near = sum(min(5, score + at % 3) - score <= 1 for at, (_, score) in enumerate(scores)) / 60
    assert by_score["within_one_step"].value == pytest.approx(near)
    assert by_score["accuracy"].value < near
    assert "within one step" in agree_text(found)


def test_labels_of_the_store_and_of_the_cases_are_merged():
    def label(case_id, annotator, says):
        return Label(case_id=case_id, annotator=annotator, says=says)

    own = [label(name, "", 3.0) for name in names(150)]
    stored = [
        label("c000", "", 4.0),
        label("c001", "anna", 2.0),
        *(label(f"n{at}", "anna", 1.0) for at in range(8)),
    ]
    merged = merge_labels(stored, own)
    assert (len(merged.labels), merged.own, merged.replaced) == (159, 149, 1)
    assert [each.says for each in merged.labels if each.case_id == "c000"] == [4.0]
    assert {each.annotator for each in merged.labels if each.case_id == "c001"} == {"", "anna"}


def test_clusters_widen_the_intervals(report, build):
    ids = names(120)
    scores = [(name, 4) for name in ids]
    labels = [(name, (at // 10) % 3 > 0) for at, name in enumerate(ids)]
    alone = report(scores, labels).agreements[0].figures["accuracy"]
    judge = build.judge(passes="score >= 3")
    rows = [
        build.judgement(build.scored(4.0), case_id=name, passed=True, cluster=f"q{at // 10}")
        for at, name in enumerate(ids)
    ]
    verdicts = collect_verdicts(rows, [judge], judge=None)
    reading = reading_of("j", judge, [(4.0, True)], {})
    said = [Label(case_id=name, annotator="", says=says) for name, says in labels]
    given = Given(labels=said, draws=(), source="here")
    together = agree_report("r", verdicts, given, reading, Asked()).agreements[0].figures["accuracy"]
    assert (alone.clusters, together.clusters) == (120, 12)
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_without_numpy_plain_python_gives_what_it_can(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    ids = names(40)
    labels = [(name, who, float(at % 5)) for who in ("anna", "ben") for at, name in enumerate(ids)]
    found = report([(name, (at + (at % 7 == 0)) % 5) for at, name in enumerate(ids)], labels)
    by_score, by_pass = found.agreements
    assert set(by_score.figures) == {"accuracy", "mean_absolute_error"}
    assert set(by_pass.figures) == {"accuracy"}
    assert sum(map(sum, by_score.confusion)) == sum(map(sum, by_pass.confusion)) == 80
    assert all(isinstance(figure, Estimate) for each in found.agreements for figure in each.figures.values())
    assert found.means[0].ppi.estimate.value == pytest.approx(2.0)
    text = agree_text(found)
    assert (
        "more figures: agreement with people: needs the `stats` extra: pip install 'adjudge[stats]'" in text
    )


def test_scores_and_passes_together_are_read_by_the_rule_or_refused(report):
    found = report([("a", 4), ("b", 2)], [("a", 5.0), ("b", False)])
    assert found.kind == "pass or fail"
    assert found.agreements[0].confusion == ((1, 0), (0, 1))


def test_every_figure_has_a_name_for_people_and_the_json_holds_all(report):
    ids = names(60)
    found = report(
        [(name, at % 6) for at, name in enumerate(ids)],
        [(name, float(at % 5)) for at, name in enumerate(ids)],
    )
    said = json.loads(orjson.dumps(agree_json(found)))
    for agreement in found.agreements:
        assert agreement.figures.keys() <= NAMES.keys()
        for name in agreement.figures:
            figure = said["agreement"][agreement.kind]["figures"][name]
            assert {"value", "low", "high", "n", "method"} <= figure.keys() or "why" in figure
    assert said["selection"] == {
        "kind": "all",
        "known": 60,
        "unknown": 0,
        "drawn_without_label": 0,
        "not_in_the_draw": 0,
        "words": "every judged case has a label",
    }
    assert re.search(r"Cohen's kappa +0\.\d{3} \[", agree_text(found))


def test_a_judge_is_asked_for_where_there_are_several(build):
    rows = [build.judgement(build.scored(4.0), judge=name) for name in ("j", "k")]
    judges = [build.judge("j"), build.judge("k")]
    assert collect_verdicts(rows, judges, judge="k").judge == "k"
    assert collect_verdicts(rows, judges, judge="k@abc123").judge == "k"
    with pytest.raises(InputError, match="--only"):
        collect_verdicts(rows, judges, judge=None)
    with pytest.raises(InputError, match="the run's judges are j@abc123, k@abc123"):
        collect_verdicts(rows, judges, judge="other")


def test_a_case_that_failed_in_one_repeat_only_was_judged(build):
    rows = [
        build.judgement(build.failed("call_failed"), repeat=0),
        build.judgement(build.scored(4.0), repeat=1),
        build.judgement(build.failed("refused"), repeat=2),
    ]
    found = collect_verdicts(rows, [build.judge()], judge=None)
    assert (list(found.cases), found.failed) == (["c1"], {})


def test_the_cases_own_labels_are_read_for_this_judge_alone(build):
    judge = build.judge(passes="score >= 3")
    rows = [
        build.judgement(build.scored(4.0), case_id="a", passed=True, label={"j": 5, "other": "x"}),
        build.judgement(build.scored(4.0), case_id="b", passed=True, label={"other": "x"}),
        build.judgement(build.scored(4.0), case_id="c", passed=True, label="true"),
    ]
    verdicts = collect_verdicts(rows, [judge], judge=None)
    reading = reading_of("j", judge, [(4.0, True)], {})
    assert [(label.case_id, label.says) for label in own_labels(verdicts, reading)] == [
        ("a", 5.0),
        ("c", True),
    ]
    verdicts.own_labels["d"] = "great"
    with pytest.raises(InputError, match="label column: the labels `great` are not on the scale"):
        own_labels(verdicts, reading)


def test_what_several_people_said_goes_before_the_one_label_of_a_case(build):
    judge = build.judge(passes="score >= 3")
    rows = [
        build.judgement(
            build.scored(4.0), case_id="a", passed=True, label=1, annotators={"anna": 5, "bo": 2}
        ),
        build.judgement(build.scored(4.0), case_id="b", passed=True, label=1, annotators=[]),
        build.judgement(
            build.scored(4.0), case_id="c", passed=True, annotators={"anna": {"other": 1}, "bo": {"j": 3}}
        ),
    ]
    verdicts = collect_verdicts(rows, [judge], judge=None)
    reading = reading_of("j", judge, [(4.0, True)], {})
    assert [(label.case_id, label.annotator, label.says) for label in own_labels(verdicts, reading)] == [
        ("a", "anna", 5.0),
        ("a", "bo", 2.0),
        ("c", "bo", 3.0),
        ("b", "", 1.0),
    ]
    assert own_source(verdicts) == "the cases' own annotators and label columns"
    verdicts.own_annotators["d"] = ["great"]
    with pytest.raises(InputError, match="annotators column: the labels `great` are not on the scale"):
        own_labels(verdicts, reading)


def test_an_interval_that_may_cover_too_little_says_so_in_text_and_json(report):
    ids = names(100)
    labels = [(case, 1 + at % 5) for at, case in enumerate(ids)]
    found = report([(case, says if at else 5) for at, (case, says) in enumerate(labels)], labels)
    warning = "judge and people differ in 1 clusters: intervals of correlations and weighted figures"
    assert f"  warning: {warning}" in agree_text(found)
    shown = json.loads(orjson.dumps(agree_json(found)))["agreement"]["score"]["figures"]
    assert shown["kappa_quadratic"]["warning"].startswith(warning)
    assert shown["accuracy"]["warning"] is None
