"""The figures of a run: streamed, bounded, with what was left out beside them."""

import tracemalloc
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.summary.document import judge_facts
from adjudge.analysis.summary.figures import EXAMPLES_PER_KIND, MAX_EXAMPLE_CHARS, Tally
from adjudge.analysis.summary.report import Report
from adjudge.documents.document import plain
from adjudge.records import OUTCOME_KINDS, Place, Scale, Usage
from adjudge.stats.clusters import clustered_rate
from adjudge.stats.intervals import mean_interval, rate_interval

FIVE = Scale(low=0, high=5)
KINDS = tuple(kind for kind in OUTCOME_KINDS if kind != "judged")
"""Of a judge that has a score."""
kinds_and_scores = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5)), max_size=40)


def tally(judgements, judges):
    result = Tally(judges)
    for one in judgements:
        result.add(one)
    return result.summaries()


def outcome(build, kind, score):
    return {"scored": build.scored, "forced": build.forced}.get(kind, lambda _: build.failed(kind))(
        float(score)
    )


@given(kinds_and_scores)
def test_every_row_is_counted_once_and_the_mean_is_that_of_what_was_judged(build, rows):
    judgements = [build.judgement(outcome(build, kind, score)) for kind, score in rows]
    (summary,) = tally(judgements, [build.judge()])
    scores = [score for kind, score in rows if kind in {"scored", "forced"}]
    assert summary.asked == len(rows) == sum(summary.outcomes.values())
    assert summary.judged + summary.not_judged == summary.asked
    assert summary.judged == len(scores)
    assert summary.mean == mean_interval(scores, FIVE)
    only_scored = [score for kind, score in rows if kind == "scored"]
    expected = mean_interval(only_scored, FIVE) if summary.forced else None
    assert summary.mean_without_forced == expected


@given(kinds_and_scores.filter(bool))
def test_the_bounds_hold_the_intervals_at_both_ends_of_the_scale(build, rows):
    judgements = [build.judgement(outcome(build, kind, score)) for kind, score in rows]
    (summary,) = tally(judgements, [build.judge()])
    assert summary.bounds is not None
    assert 0 <= summary.bounds.low <= summary.bounds.high <= 5
    if summary.mean:
        assert summary.bounds.low <= summary.mean.value <= summary.bounds.high
    low, high = (
        mean_interval(
            [score if kind in {"scored", "forced"} else end for kind, score in rows], Scale(low=0, high=5)
        )
        for end in (0.0, 5.0)
    )
    assert (summary.bounds.low, summary.bounds.high) == pytest.approx((low.low, high.high))


@given(kinds_and_scores, st.randoms(use_true_random=False))
def test_order_changes_no_figure(build, rows, random):
    def figures(ordered):
        judgements = [
            build.judgement(
                outcome(build, kind, score), passed=score > 2, calls=(build.call(latency_ms=score),)
            )
            for kind, score in ordered
        ]
        return tally(judgements, [build.judge()])

    assert figures(rows) == figures(random.sample(rows, len(rows)))


@pytest.mark.parametrize("kind", OUTCOME_KINDS)
def test_every_outcome_is_counted_under_its_own_name(build, kind):
    (summary,) = tally([build.judgement(build.outcome(kind))], [build.judge()])
    assert summary.outcomes == {kind: 1}
    assert summary.asked == 1


def test_a_run_in_which_nothing_was_judged_has_no_mean_and_the_whole_scale_as_bounds(build):
    (summary,) = tally([build.judgement(build.failed("refused"))] * 3, [build.judge()])
    assert summary.mean is summary.pass_rate is summary.mean_without_forced is None
    assert (summary.bounds.low, summary.bounds.high) == (0, 5)
    assert summary.outcomes == {"refused": 3}


def test_without_a_scale_there_are_no_bounds(build):
    (summary,) = tally([build.judgement(build.scored(3.0))], [build.judge(scale=None)])
    assert summary.bounds is None
    assert summary.mean.value == 3.0


def test_a_judge_that_got_no_row_is_listed_with_nothing_asked(build):
    first, second = tally([build.judgement(build.scored(3.0))], [build.judge("other"), build.judge()])
    assert (first.judge, first.asked, first.mean, first.model, first.bounds) == ("other", 0, None, "", None)
    assert (second.judge, second.asked) == ("j", 1)


def test_judges_keep_the_order_they_were_given_in_and_models_are_sorted(build):
    rows = [
        build.judgement(build.scored(1.0), judge=judge, model=model)
        for judge, model in ("ab", "aa", "bb", "zz")
    ]
    judges = [build.judge("b"), build.judge("a")]
    assert [(s.judge, s.model) for s in tally(rows, judges)] == [
        ("b", "b"),
        ("a", "a"),
        ("a", "b"),
        ("z", "z"),
    ]


def test_the_pass_rate_is_of_rows_with_a_rule_and_bounded_by_the_others(build):
    rows = [build.judgement(build.scored(4.0), passed=True) for _ in range(3)]
    rows += [build.judgement(build.scored(1.0), passed=False), build.judgement(build.failed("unreadable"))]
    (summary,) = tally(rows, [build.judge()])
    assert summary.pass_rate == rate_interval(3, 4)
    low, high = rate_interval(3, 5), rate_interval(4, 5)
    assert (summary.pass_bounds.low, summary.pass_bounds.high) == pytest.approx((low.low, high.high))


def test_repeats_are_not_new_evidence(build):
    rows = [
        build.judgement(build.scored(float(score)), case_id=f"c{score}", repeat=repeat, passed=score > 2)
        for score in range(6)
        for repeat in range(3)
    ]
    (summary,) = tally(rows, [build.judge()])
    alone = mean_interval([0, 1, 2, 3, 4, 5], FIVE)
    assert (summary.mean.low, summary.mean.high) == pytest.approx((alone.low, alone.high))
    assert summary.mean.n == 18
    assert summary.repeats == 3
    assert summary.grouping == "case"
    assert summary.pass_rate == clustered_rate((score, score > 2) for score in range(6) for _ in range(3))


def test_cost_adds_up_what_is_known_and_counts_what_is_not(build):
    known = build.call(cost=Decimal("0.0100"), usage=Usage(input=10, output=2))
    stored = build.call(cost=Decimal(5), usage=Usage(input=1000), from_store=True, latency_ms=9e9)
    rows = [
        build.judgement(build.scored(1.0), calls=(known, known)),
        build.judgement(build.scored(1.0), calls=(known, build.call())),
        build.judgement(build.scored(1.0), calls=(stored,)),
        build.judgement(build.scored(1.0)),
    ]
    (summary,) = tally(rows, [build.judge()])
    assert summary.cost == Decimal("0.03")
    assert summary.cost_unknown == 1
    assert summary.from_store == 1
    assert summary.usage == Usage(input=30, output=6)
    assert summary.latency.n == 2
    (summary,) = tally([build.judgement(build.scored(1.0), calls=(build.call(),))], [build.judge()])
    assert (summary.cost, summary.cost_unknown) == (None, 1)
    (summary,) = tally([build.judgement(build.failed("bad_row"))], [build.judge()])
    assert (summary.cost, summary.cost_unknown, summary.latency) == (Decimal(0), 0, None)


def test_notes_are_counted_by_kind_once_a_row(build):
    rows = [build.judgement(build.scored(1.0), notes=("b:1", "b:2", "a"))] * 2
    (summary,) = tally([*rows, build.judgement(build.failed("refused"), notes=("a",))], [build.judge()])
    assert list(summary.notes.items()) == [("a", 3), ("b", 2)]


def test_failures_keep_the_first_different_messages_and_finer_kinds(build):
    messages = ["same", "same", *(f"m{number}" for number in range(20)), "x" * 10_000]
    rows = [
        build.judgement(build.failed("call_failed", message, "rate_limited"), place=Place(file="f", line=3))
        for message in messages
    ]
    (summary,) = tally([*rows, build.judgement(build.failed("bad_row"))], [build.judge()])
    assert [failure.message for failure in summary.failures["call_failed"]] == ["same", "m0", "m1"]
    assert summary.error_kinds == {"bad_row": {"bad_row": 1}, "call_failed": {"rate_limited": 23}}
    assert list(summary.failures) == ["bad_row", "call_failed"]


# ---- what is read first ----------------------------------------------------------------------------------


def test_the_lowest_scores_are_kept_the_worst_first_and_none_that_passed(build):
    rows = [
        build.judgement(build.scored(float(n % 6)), case_id=f"c{n:02}", passed=n % 6 > 2, reason=f"r{n}")
        for n in range(60)
    ]
    (summary,) = tally(rows, [build.judge()])
    assert [(row.score, row.case_id) for row in summary.worst] == [(0.0, f"c{n:02}") for n in range(0, 60, 6)]
    assert summary.worst[1].reason == "r6"
    (summary,) = tally(rows, [build.judge(better="lower")])
    assert {row.score for row in summary.worst} == {2.0}


# ---- labels ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (4, (1, 1)),
        (4.0, (1, 1)),
        ("4", (1, 1)),
        (" 4.0 ", (1, 1)),
        (3, (1, 0)),
        ({"j": 4, "other": 1}, (1, 1)),
        ({"other": 4}, None),
        (6, (0, 0)),
        (-1, (0, 0)),
        (True, (1, 1)),
        ("FALSE", (1, 0)),
        ("pass", (1, 1)),
        ("good", (0, 0)),
        ("4; drop", (0, 0)),
        (None, None),
        ([4], (0, 0)),
        ("", None),
        ("9" * 5000, (0, 0)),
        (float("inf"), (0, 0)),
    ],
    ids=range(19),
)
def test_a_label_counts_when_it_is_a_number_on_the_scale_or_a_truth_value(build, label, expected):
    row = build.judgement(build.scored(4.0), passed=True, label=label)
    (summary,) = tally([row], [build.judge(passes="score >= 3")])
    found = summary.agreement and (summary.agreement.judged, summary.agreement.equal)
    assert found == expected
    refused = summary.agreement is not None and summary.agreement.off_scale == 1
    assert refused is (expected == (0, 0))
    assert not refused or summary.agreement.rate is None


@pytest.mark.parametrize(("low", "labels"), [(1, [0, 1]), (0, [0, 1]), (1, [True, 7])])
def test_labels_on_another_scale_are_not_compared(build, low, labels):
    """37 of 171 agreed where people had said 0 and 1 and the judge 1 to 5: the zeros had vanished."""
    rows = [
        build.judgement(build.scored(float(1 + at % 5)), label=labels[at % 2], case_id=f"c{at}")
        for at in range(40)
    ]
    (summary,) = tally(rows, [build.judge(scale=Scale(low=low, high=5))])
    assert summary.agreement.rate is None
    (line,) = (plain(fact.text) for fact in judge_facts(summary) if fact.kind == "labels")
    assert line.startswith("not compared with labels: ")
    assert f"the judge's, {low} to 5" in line
    assert "--label-map" in line
    assert (
        Report(judges=(summary,)).to_json()["judges"][0]["agreement"]["off_scale"]
        == summary.agreement.off_scale
        > 0
    )


def test_on_a_scale_of_steps_the_share_within_one_is_there_too(build):
    rows = [
        build.judgement(build.scored(4.0), label=label, case_id=f"c{at}")
        for at, label in enumerate([4, 5, 3, 2, 0])
    ]
    (summary,) = tally(rows, [build.judge()])
    assert (summary.agreement.equal, summary.agreement.within_one.value) == (1, 0.6)
    (line,) = (plain(fact.text) for fact in judge_facts(summary) if fact.kind == "labels")
    assert (
        line
        == "within one step of your labels on 3 of 5: 60.0 % [23.1, 88.2]; equal on 1: 20.0 % [3.6, 62.4]"
    )
    assert Report(judges=(summary,)).to_json()["judges"][0]["agreement"]["within_one"]["value"] == 0.6
    rows.append(build.judgement(build.scored(3.5), label=3.5, case_id="half"))
    assert tally(rows, [build.judge()])[0].agreement.within_one is None
    assert tally(rows[:1], [build.judge(scale=Scale(low=3, high=4))])[0].agreement.within_one is None


def test_truth_values_are_ends_of_a_scale_of_0_to_1_where_no_rule_says_what_passes(build):
    unit, row = Scale(low=0, high=1), build.judgement(build.scored(1.0), label=True)
    assert tally([row], [build.judge(scale=unit)])[0].agreement.equal == 1
    assert tally([row], [build.judge()])[0].agreement.off_scale == 1


def test_labelled_rows_that_were_not_judged_are_counted_beside_those_that_were(build):
    rows = [build.judgement(build.scored(4.0), label=4), build.judgement(build.failed("refused"), label=4)]
    agreement = tally(rows, [build.judge()])[0].agreement
    assert (agreement.labelled, agreement.judged, agreement.equal) == (2, 1, 1)
    assert agreement.rate == rate_interval(1, 1)


# ---- memory ------------------------------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_number_of_rows(build):
    def grown(count):
        result = Tally([build.judge()])
        for number in range(count):
            text = f"{number}" * 50
            outcome = (
                build.scored(number / count * 5) if number % 2 else build.failed("unreadable", text, text)
            )
            call = build.call(latency_ms=float(number))
            result.add(build.judgement(outcome, case_id=text, notes=(text,), calls=(call,), label=number))
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        (copied,) = result.summaries()
        for number in range(count):
            text = f"more {number}" * 50
            result.add(build.judgement(build.failed("unreadable", text, text), case_id=text, notes=(text,)))
        after = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert copied.asked == count
        return after - before

    assert grown(4000) < 300_000
    assert EXAMPLES_PER_KIND * MAX_EXAMPLE_CHARS < 10_000
