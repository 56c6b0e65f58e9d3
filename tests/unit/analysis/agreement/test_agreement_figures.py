"""Every figure of a judge beside people, and how it is written."""

import json
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from adjudge.analysis.agreement.coefficients import LabelledVerdict, measure
from adjudge.analysis.agreement.document import COEFFICIENTS, agreement_document
from adjudge.analysis.agreement.figures import AgreementOptions, measure_agreement
from adjudge.analysis.agreement.stored_labels import LabelSource, RunLabels
from adjudge.analysis.agreement.verdicts import ScaledVerdicts, collect_verdicts
from adjudge.documents.document import CaseList, Gauge, plain
from adjudge.documents.markdown import render_markdown
from adjudge.documents.records_json import records_json
from adjudge.documents.terminal import render_terminal
from adjudge.errors import InputError, install_command
from adjudge.labels.label_scale import label_scale_of
from adjudge.labels.label_set import Label
from adjudge.records import LabelDraw, Scale
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.people import agree as people_agree

FIVE = Scale(low=0, high=5)


@pytest.fixture
def report(build):
    """From scores by case and labels as (case, says) or (case, annotator, says)."""

    def make(scores, labels, *, rule="score >= 3", scale=FIVE, options=None, failed=(), draws=(), **more):
        judge = build.judge(passes=rule, scale=scale)
        rows = [
            build.judgement(
                build.scored(float(score)),
                case_id=case_id,
                passed=None if rule is None else score >= float(rule.split()[-1]),
                metadata={"system": case_id[0], "long": case_id > "b"},
                **more,
            )
            for case_id, score in scores
        ]
        rows += [build.judgement(build.failed("unreadable"), case_id=case_id) for case_id in failed]
        verdicts = collect_verdicts(rows, [judge], judge=None, slices=options.slices if options else ())
        scale_of = label_scale_of("j", judge, [(v.score, v.passed) for v in verdicts.verdicts], {})
        said = [
            Label(case_id=label[0], annotator=label[1] if len(label) > 2 else "", meaning=label[-1])
            for label in labels
        ]
        sources = (LabelSource(kind="file", labels=len(said), file="labels.jsonl"),)
        known = RunLabels(labels=said, draws=draws, sources=sources)
        return measure_agreement(
            "r1", ScaledVerdicts(verdicts, scale_of), known, options or AgreementOptions()
        )

    return make


def words(found, kind):
    """What the document says of this kind."""
    return " | ".join(plain(fact.text) for fact in agreement_document(found).facts(kind))


def names(count, start="c"):
    return [f"{start}{at:03}" for at in range(count)]


def test_passes_and_fails_have_their_figures_and_their_table(report):
    ids = names(100)
    scores = [(name, 4 if at < 60 else 1) for at, name in enumerate(ids)]
    found = report(scores, [(name, at < 50) for at, name in enumerate(ids)])
    (agreement,) = found.agreement
    assert (found.kind, agreement.confusion) == ("passes", ((40, 0), (10, 50)))
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
    by_score, by_pass = found.agreement
    assert (found.kind, by_pass.kind, len(by_score.labels)) == ("scores", "passes", 6)
    assert {
        "kappa_linear",
        "kappa_quadratic",
        "alpha_ordinal",
        "pearson",
        "spearman",
        "kendall",
    } <= (by_score.figures.keys())
    assert 0 < by_score.figures["mean_absolute_error"].value < 0.2
    assert [means.of for means in found.means] == ["mean_score", "pass_rate"]


def test_measurements_are_correlated_and_not_counted(report):
    scores = [(name, at / 7) for at, name in enumerate(names(30))]
    found = report(scores, [(name, score + 0.1) for name, score in scores], rule=None)
    (agreement,) = found.agreement
    assert agreement.confusion == ()
    assert set(agreement.figures) == {"pearson", "spearman", "kendall", "mean_absolute_error"}
    assert found.threshold is None


def test_zeros_and_ones_with_a_rule_between_them_are_passes(report):
    scores = [(name, at % 2) for at, name in enumerate(names(20))]
    found = report(scores, [(n, float(s)) for n, s in scores], rule="score >= 1", scale=Scale(low=0, high=1))
    assert found.kind == "passes"
    assert found.agreement[0].figures["accuracy"].value == 1.0
    assert found.agreement[0].figures["accuracy"].low < 1.0


def test_failed_cases_are_counted_beside_the_agreement(report):
    found = report([("a", 4), ("b", 4)], [("a", True), ("x", False), ("y", True)], failed=("x", "z"))
    assert (found.judged, found.not_judged, found.labelled, found.labelled_not_judged) == (
        2,
        {"unreadable": 2},
        1,
        1,
    )
    assert words(found, "not_judged") == "2 (2 unreadable); 1 with a label, not used"


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
    text = render_terminal(agreement_document(found), verbose=True)
    assert "nan" not in text.lower().replace("annotator", "")
    assert render_markdown(agreement_document(found))
    assert "NaN" not in json.dumps(records_json(found))
    for agreement in found.agreement:
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
    assert found.among_people.ceiling.cases == 60
    assert 0.7 < found.among_people.ceiling.pairs_agreed.value < 0.9
    assert found.among_people.alt_test.passed
    assert found.agreement[0].rows == 180
    assert found.agreement[0].figures["accuracy"].clusters == 60
    assert words(found, "labels").endswith("from labels.jsonl, by anna, ben, cleo")
    assert words(found, "alt_test").startswith("the judge may replace a person (epsilon 0.2)")


def test_an_adjudicator_settles_the_label_and_is_not_among_the_people_compared(report):
    ids = names(40)
    labels = [(name, who, at % 2 == 0) for at, name in enumerate(ids) for who in ("anna", "bert")]
    labels += [(name, "chief", at % 4 == 0) for at, name in enumerate(ids[:20])]
    scores = [(name, 4 if at % 4 == 0 else 1) for at, name in enumerate(ids)]
    found = report(scores, labels, options=AgreementOptions(adjudicators=("chief",)))
    assert found.adjudicators == ("chief",)
    assert found.annotators == ("anna", "bert", "chief")
    assert found.among_people.ceiling.annotators == 2
    assert found.among_people.ceiling.pairs_agreed.value == 1.0
    assert found.labels == 20 + 2 * 20  # one label where it was settled, else everybody's
    assert found.agreement[0].figures["accuracy"].value == pytest.approx((20 + 2 * 15) / 60)
    assert words(found, "labels").endswith("by anna, bert; adjudicated by chief")
    assert report(scores, labels).among_people.ceiling.annotators == 3
    with pytest.raises(InputError, match=r"gave no label[^\n]*\n\n.*anna, bert, chief"):
        report(scores, labels, options=AgreementOptions(adjudicators=("Chief",)))


def test_two_people_are_told_why_there_is_no_alt_test(report):
    ids = names(40)
    labels = [(name, who, bool(at % 3)) for who in ("anna", "ben") for at, name in enumerate(ids)]
    found = report([(name, 4 if at % 3 else 1) for at, name in enumerate(ids)], labels)
    assert found.among_people.alt_test.why == "2 annotators: the alt-test needs 3"
    assert words(found, "alt_test") == "not computed: 2 annotators: the alt-test needs 3"
    assert report([("a", 4)], [("a", True)]).among_people is None


def test_a_better_threshold_is_chosen_and_tried_on_different_cases(report):
    ids = names(240)
    scores = [(name, at % 6) for at, name in enumerate(ids)]
    found = report(scores, [(name, at % 6 >= 4) for at, name in enumerate(ids)])
    search, trial = found.threshold, found.threshold.trial
    assert (search.kind, trial.proposed, trial.chosen_on + trial.tested_on) == ("better", 3.5, 240)
    assert (search.current, search.proposed) == ("score >= 3", "score >= 3.5")
    assert words(found, "threshold").startswith("`score >= 3.5` instead of `score >= 3`")
    same = report(scores, [(name, at % 6 >= 3) for at, name in enumerate(ids)])
    assert same.threshold.kind == "not_found"


def test_disagreements_are_ranked_by_distance_then_by_how_sure_the_judge_was(report):
    scores = [("a", 5), ("b", 5), ("c", 3), ("d", 0)]
    found = report(
        scores, [("a", 4.0), ("b", 0.0), ("c", 3.0), ("d", 2.0)], options=AgreementOptions(disagreements=2)
    )
    assert [each.case_id for each in found.disagreements] == ["b", "d"]
    assert found.disagreeing == 3
    listed = agreement_document(found).blocks
    (cases,) = [block for block in listed if isinstance(block, CaseList)]
    assert plain(cases.text) == "3, 2 shown, farthest apart first"
    assert [case.lines[0] for case in cases.cases] == [
        ("people: 0 · judge: 5", ""),
        ("people: 2 · judge: 0", ""),
    ]


def test_other_peoples_text_is_shown_and_not_obeyed(report):
    found = report([("b\x1b[2J", 5)], [("b\x1b[2J", "anna\n::error::x", 0.0)])
    told = replace(found.disagreements[0], reason="It is\nright.\x1b[31m", question="Why?\x07")
    text = render_terminal(agreement_document(replace(found, disagreements=(told,))))
    assert "It is right.␛[31m" in text
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "by anna␊::error::x" in text.replace("\n              ", " ")


def test_slices_have_figures_of_their_own_and_many_are_cut(report):
    scores = [(f"{chr(97 + at % 25)}{at}", 4) for at in range(200)]
    found = report(
        scores, [(name, name[0] != "a") for name, _ in scores], options=AgreementOptions(slices=("system",))
    )
    by_value = {each.value: each.coefficients.figures["accuracy"].value for each in found.slices}
    assert (by_value["a"], by_value["b"]) == (0.0, 1.0)
    assert (len(found.slices), found.slices_left_out) == (20, 5)
    assert words(found, "slices_left_out") == "5 smaller slices left out"


def test_a_slice_is_named_as_in_the_other_reports(report):
    found = report([("a1", 4), ("b1", 4)], [("a1", 4), ("b1", 4)], options=AgreementOptions(slices=("long",)))
    assert {each.value for each in found.slices} == {"true", "false"}


@pytest.fixture
def drawn(report):
    """Easy cases are judged right; of the doubtful half, 2 and 3, every second is not, and most of those are drawn."""
    scores = [(f"{'hard' if at % 2 else 'easy'}{at:03}", (2 + at // 2 % 2) if at % 2 else 5 * (at // 2 % 2)) for at in range(400)]  # fmt: skip
    people = {case_id: (score >= 3) ^ (case_id[0] == "h" and at % 8 < 4) for at, (case_id, score) in enumerate(scores)}  # fmt: skip
    chances = {case_id: 0.9 if case_id[0] == "h" else 0.1 for case_id in people}
    hard, easy = ([case_id for case_id in people if case_id[0] == kind] for kind in "he")
    chosen = (*hard[:180], *easy[:20])
    draw = LabelDraw(
        run_id="r1", judge="j", number=1, chosen=chosen, chances=chances, basis=("threshold",), uniform_share=0.1,
        seed=0, at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip

    def make(*, options=None, more=()):
        said = [(case_id, people[case_id]) for case_id in (*chosen, *more)]
        return report(scores, said, draws=[draw], options=options)

    return make, people, dict(scores)


def test_after_a_draw_that_prefers_doubt_every_figure_is_of_the_whole_run(drawn):
    make, people, scores = drawn
    found = make(options=AgreementOptions(slices=("system",)))
    true = people_agree([score >= 3 for score in scores.values()], list(people.values()), positive=True)
    (passes,) = found.agreement
    assert passes.weighted
    for name in ("accuracy", "kappa", "f1", "alpha", "ac1", "mcc", "precision", "recall"):
        assert passes.figures[name].value == pytest.approx(true.figures[name].value, abs=0.02), name
    assert sum(map(sum, passes.confusion)) == 200  # counts, as they stand
    assert {each.value: round(each.coefficients.figures["accuracy"].value, 1) for each in found.slices} == {
        "h": 0.5,
        "e": 1.0,
    }
    assert found.threshold.kind == "weighted_labels"
    assert "prefers uncertain cases" in words(found, "threshold")
    assert "one over its sampling probability" in words(found, "weighted")
    assert found.sample.weighted


def test_labels_of_unknown_choice_have_no_weight_and_are_in_no_weighted_figure(drawn):
    make, people, _ = drawn
    more = [case_id for case_id in people if case_id[0] == "h"][180:]
    plain, mixed = make(), make(more=more)
    assert mixed.agreement[0].rows == plain.agreement[0].rows == 200
    assert mixed.sample.unknown == 20
    assert words(mixed, "not_drawn") == "20 labelled cases chosen in another way: not used"


def test_a_few_labels_that_carry_most_of_the_weight_are_warned_of():
    pairs = [
        LabelledVerdict(str(at), at, judge=at % 2 == 0, person=at % 3 == 0, weight=50.0 if at < 4 else 1.0)
        for at in range(100)
    ]
    figures = measure(pairs, "passes", None, seed=0).figures
    for name in ("accuracy", "kappa"):
        assert "100 labels count for no more than 9 of equal weight" in figures[name].warning
    plain = measure([pair._replace(weight=1.0) for pair in pairs], "passes", None, seed=0).figures
    assert plain["accuracy"].warning is None


def test_without_numpy_a_weighted_accuracy_is_there_too(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    make, _, _ = drawn
    assert make().agreement[0].figures["accuracy"].value == pytest.approx(0.75, abs=0.02)


def test_scores_within_one_step_are_counted_beside_equal_ones(report):
    scores = [(name, at % 6) for at, name in enumerate(names(60))]
    found = report(scores, [(name, min(5, score + at % 3)) for at, (name, score) in enumerate(scores)])
    by_score = found.agreement[0].figures
    near = sum(min(5, score + at % 3) - score <= 1 for at, (_, score) in enumerate(scores)) / 60
    assert by_score["within_one_step"].value == pytest.approx(near)
    assert by_score["accuracy"].value < near
    gauges = [block for block in agreement_document(found).blocks if isinstance(block, Gauge)]
    assert [gauge.kind for gauge in gauges] == ["accuracy", "within_one_step", "accuracy"]
    assert gauges[1].counts == f"{round(near * 60)} of 60 agree"


def test_clusters_widen_the_intervals(report, build):
    ids = names(120)
    scores = [(name, 4) for name in ids]
    labels = [(name, (at // 10) % 3 > 0) for at, name in enumerate(ids)]
    alone = report(scores, labels).agreement[0].figures["accuracy"]
    judge = build.judge(passes="score >= 3")
    rows = [
        build.judgement(build.scored(4.0), case_id=name, passed=True, cluster=f"q{at // 10}")
        for at, name in enumerate(ids)
    ]
    verdicts = collect_verdicts(rows, [judge], judge=None)
    reading = label_scale_of("j", judge, [(4.0, True)], {})
    said = [Label(case_id=name, annotator="", meaning=says) for name, says in labels]
    found = measure_agreement(
        "r", ScaledVerdicts(verdicts, reading), RunLabels(labels=said, draws=()), AgreementOptions()
    )
    together = found.agreement[0].figures["accuracy"]
    assert (alone.clusters, together.clusters) == (120, 12)
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_without_numpy_plain_python_gives_what_it_can(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    ids = names(40)
    labels = [(name, who, float(at % 5)) for who in ("anna", "ben") for at, name in enumerate(ids)]
    found = report([(name, (at + (at % 7 == 0)) % 5) for at, name in enumerate(ids)], labels)
    by_score, by_pass = found.agreement
    assert set(by_score.figures) == {"accuracy", "mean_absolute_error"}
    assert set(by_pass.figures) == {"accuracy"}
    assert sum(map(sum, by_score.confusion)) == sum(map(sum, by_pass.confusion)) == 80
    assert all(isinstance(figure, Estimate) for each in found.agreement for figure in each.figures.values())
    assert found.means[0].ppi.estimate.value == pytest.approx(2.0)
    assert (by_score.missing_extra, found.among_people.missing_extra) == ("stats", "stats")
    assert f"more coefficients need the `stats` extra: {install_command('stats')}" in words(
        found, "missing_extra"
    )


def test_scores_and_passes_together_are_read_by_the_rule_or_refused(report):
    found = report([("a", 4), ("b", 2)], [("a", 5.0), ("b", False)])
    assert found.kind == "passes"
    assert found.agreement[0].confusion == ((1, 0), (0, 1))


def test_every_figure_has_a_name_for_people_and_the_json_holds_all(report):
    ids = names(60)
    found = report(
        [(name, at % 6) for at, name in enumerate(ids)],
        [(name, float(at % 5)) for at, name in enumerate(ids)],
    )
    encoded = json.loads(json.dumps(records_json(found)))
    for agreement, record in zip(found.agreement, encoded["agreement"], strict=True):
        assert agreement.figures.keys() <= COEFFICIENTS.keys()
        assert record["kind"] == agreement.kind
        for name in agreement.figures:
            figure = record["figures"][name]
            assert {"value", "low", "high", "n", "method"} <= figure.keys() or "why" in figure
    assert encoded["sample"] == {
        "kind": "all",
        "known": 60,
        "unknown": 0,
        "missing": 0,
        "outside": 0,
        "weighted": False,
        "basis": [],
        "uniform_share": 1.0,
        "probability": None,
        "responses": [],
    }
    assert re.search(r"Cohen's kappa +0\.\d{3}", render_terminal(agreement_document(found)))


def test_the_document_says_first_how_far_they_agree_then_the_matrix_the_cases_and_the_rest(report):
    ids = names(40)
    labels = [(name, who, at % 3 == 0) for at, name in enumerate(ids) for who in ("anna", "ben", "cleo")]
    found = report([(name, 4 if at % 4 == 0 else 1) for at, name in enumerate(ids)], labels)
    blocks = [block for block in agreement_document(found).blocks if not block.detail]
    order = [
        "accuracy",
        "labels",
        "confusion",
        "disagreements",
        "coefficients",
        "means",
        "annotators",
        "next",
    ]
    kinds = [block.kind for block in blocks if block.kind in order]
    assert list(dict.fromkeys(kinds)) == order
    assert (blocks[0].value, blocks[0].counts) == ("60.0 %", "72 of 120 labels agree")


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


def test_an_interval_that_may_cover_too_little_says_so_in_text_and_json(report):
    ids = names(100)
    labels = [(case, 1 + at % 5) for at, case in enumerate(ids)]
    found = report([(case, says if at else 5) for at, (case, says) in enumerate(labels)], labels)
    warning = "judge and people differ in 1 clusters: intervals of correlations and weighted figures"
    assert warning in words(found, "warning")
    figures = found.agreement[0].figures
    assert figures["kappa_quadratic"].warning.startswith(warning)
    assert figures["accuracy"].warning is None
