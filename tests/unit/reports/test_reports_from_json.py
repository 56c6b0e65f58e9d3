"""A report read back from its JSON says what it said before, in every form."""

from decimal import Decimal

import orjson
import pytest

from adjudge.records import OUTCOME_KINDS, Place, Scale, Usage
from adjudge.reports.from_json import report_from_json
from adjudge.reports.report import Report
from adjudge.reports.summary import Tally
from adjudge.reports.words import facts, failure_heading, failure_line


@pytest.fixture(scope="module")
def report(build):
    """Repeats, clusters, slices, labels, costs, notes, failures; a judge without a scale, and one that got no row."""
    call = build.call(cost=Decimal("0.0012"), latency_ms=1500.0, usage=Usage(input=1200, output=7, cached=4))
    rows = [
        build.judgement(
            build.failed("unreadable", message=f"odd {number}") if number == 9 else build.scored(number % 6),
            case_id=f"c{number}",
            repeat=repeat,
            passed=None if number == 9 else number % 6 >= 3,
            notes=("planted_verdict", "number: 3 against 4"),
            label=number % 4,
            calls=(call,),
            cluster=f"k{number % 7}",
            metadata={"topic": "art" if number % 3 else "<b>law</b>", "level": number % 2},
            place=Place(file="cases.jsonl", line=number + 1),
        )
        for number in range(20)
        for repeat in range(2)
    ]
    rows += [
        build.judgement(build.outcome(kind), judge="open", judge_hash="def", case_id=f"o-{kind}")
        for kind in OUTCOME_KINDS
    ]
    rows.append(build.judgement(build.scored(2.5), judge="lone", judge_hash="aaa"))
    judges = [
        build.judge(),
        build.judge("open", hash="def", scale=Scale(low=0, high=1)),
        build.judge("lone", hash="aaa", scale=None),
        build.judge("idle", hash="bbb"),
    ]
    tally = Tally(judges, slices=["topic", "level"])
    for row in rows:
        tally.add(row)
    return Report(summaries=tally.summaries(), current_date="2026-01-31 (today, UTC)", run="r")


@pytest.fixture(scope="module")
def again(report):
    return report_from_json(orjson.loads(orjson.dumps(report.to_json())))


def test_the_json_of_what_was_read_back_is_the_same(report, again):
    assert again.to_json() == report.to_json()


def test_every_form_is_the_same(report, again):
    assert again.to_markdown() == report.to_markdown()
    assert again.to_html() == report.to_html()


def test_every_sentence_is_the_same(report, again):
    for before, after in zip(report.summaries, again.summaries, strict=True):
        assert facts(after) == facts(before)
        for kind, failures in before.failures.items():
            assert failure_heading(kind, after) == failure_heading(kind, before)
            assert [failure_line(each) for each in after.failures[kind]] == [
                failure_line(each) for each in failures
            ]


def test_an_end_that_nothing_bounds_comes_back_unbounded(report, again):
    (lone,) = (each for each in again.summaries if each.judge == "lone")
    assert lone.mean is not None
    assert lone.mean.low == -lone.mean.high == float("-inf")
