"""One result row for every judgement, whatever became of it."""

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.documents.rows import FIELDS, result_row
from adjudge.records import (
    OUTCOME_KINDS,
    Call,
    Completion,
    Failed,
    Forced,
    Judgement,
    Message,
    Prompt,
    Request,
    Score,
    Scored,
    ScoreDistribution,
    Usage,
    Verdict,
)

AT = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)
ORDER = (
    "run, case_id, judge, judge_hash, model, model_snapshot, repeat, outcome, score, exact, normalized, passed, "
    "probability, reason, verdict, error, notes, usage, cost, latency_ms, calls, attempts, from_store, at, "
    "expected_score, distribution"
)


def call(**completion):
    request = Request(
        prompt=Prompt(messages=(Message(role="user", content="?"),)), schema=None, case_id="c", judge="j"
    )
    return Call(request=request, completion=Completion(text="!", **completion))


def judgement(outcome, **more):
    defaults = {"case_id": "c1", "judge": "j", "judge_hash": "abc", "model": "m", "repeat": 0, "at": AT}
    return Judgement(outcome=outcome, **{**defaults, **more})


def scored(value=4.0, exact=None, parts=None, completed=None):
    score = Score(value=value, exact=value if exact is None else exact, parts=completed)
    return Scored(verdict=Verdict(parts=parts or {"reason": "so", "score": 4}), score=score)


def outcome_of(kind):
    if kind == "scored":
        return scored()
    if kind == "forced":
        return Forced(score=Score(value=0.0, exact=0.0), reason="reference is absent")
    return Failed(kind=kind, message="why not")


def test_a_scored_row_has_every_field_in_order():
    row = result_row(
        judgement(
            scored(4.0, 3.625),
            reason="so",
            normalized=0.725,
            passed=True,
            distribution=ScoreDistribution(shares=((3.5, 0.25), (4.0, 0.75)), off_scale=0.125),
            notes=("tool_calls_unknown",),
            calls=(
                call(
                    usage=Usage(input=10, output=5),
                    cost=Decimal("0.01"),
                    latency_ms=1.5,
                    model_snapshot="m-1",
                ),
                call(
                    usage=Usage(input=1, output=2, cached=1), cost=Decimal("0.02"), latency_ms=2.0, attempts=2
                ),
            ),
        ),
        "r1",
    )
    assert list(row) == ORDER.split(", ")
    assert list(row) == list(FIELDS)
    assert row == {
        "run": "r1",
        "case_id": "c1",
        "judge": "j",
        "judge_hash": "abc",
        "model": "m",
        "model_snapshot": None,
        "repeat": 0,
        "outcome": "scored",
        "score": 4,
        "exact": 3.625,
        "normalized": 0.725,
        "passed": True,
        "probability": None,
        "reason": "so",
        "verdict": {"reason": "so", "score": 4},
        "error": None,
        "notes": ["tool_calls_unknown"],
        "usage": {"input": 11, "output": 7, "cached": 1},
        "cost": 0.03,
        "latency_ms": 3.5,
        "calls": 2,
        "attempts": 3,
        "from_store": False,
        "at": "2026-01-31T09:05:00.000Z",
        "expected_score": 3.875,
        "distribution": {"scores": {"3.5": 0.25, "4": 0.75}, "off_scale": 0.125},
    }


@pytest.mark.parametrize("kind", OUTCOME_KINDS)
def test_every_outcome_has_a_row_that_says_so(kind):
    row = result_row(judgement(outcome_of(kind), normalized=0.8, passed=True), "r")
    assert row["outcome"] == kind
    assert orjson.loads(orjson.dumps(row)) == row
    if kind in {"scored", "forced"}:
        assert row["score"] is not None
        assert row["error"] is None
    else:
        assert [row[name] for name in ("score", "exact", "normalized", "passed", "verdict")] == [None] * 5
        assert row["error"] == (None if kind == "abstained" else {"kind": kind, "message": "why not"})


def test_a_judge_that_abstained_has_a_verdict_and_no_error():
    said = Verdict(parts={"reason": "The page is missing.", "label": "cannot_tell"})
    row = result_row(
        judgement(Failed(kind="abstained", message="x", verdict=said), reason="The page is missing."), "r"
    )
    assert (row["outcome"], row["score"], row["passed"], row["error"]) == ("abstained", None, None, None)
    assert row["verdict"] == {"reason": "The page is missing.", "label": "cannot_tell"}
    assert row["reason"] == "The page is missing."


def test_the_errors_kind_is_the_finest_there_is():
    row = result_row(judgement(Failed(kind="call_failed", message="429", error_kind="rate_limited")), "r")
    assert row["error"] == {"kind": "rate_limited", "message": "429"}


def test_whole_scores_are_whole_and_others_stay():
    assert json.dumps(result_row(judgement(scored(4.0)), "r")["score"]) == "4"
    assert json.dumps(result_row(judgement(scored(3.5)), "r")["score"]) == "3.5"


def test_a_forced_row_gives_the_rules_reason():
    assert result_row(judgement(outcome_of("forced")), "r")["reason"] == "reference is absent"


def test_the_verdict_is_the_one_that_code_completed():
    row = result_row(judgement(scored(parts={"a": 1}, completed={"a": 1, "final_score": 1})), "r")
    assert row["verdict"] == {"a": 1, "final_score": 1}


def test_an_unknown_price_is_null_and_no_call_costs_nothing():
    assert result_row(judgement(scored(), calls=(call(),)), "r")["cost"] is None
    row = result_row(judgement(scored()), "r")
    assert (row["cost"], row["calls"], row["latency_ms"]) == (0.0, 0, None)


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (datetime(2026, 1, 31, 11, 5, tzinfo=timezone(timedelta(hours=2))), "2026-01-31T09:05:00.000Z"),
        (datetime(2026, 1, 31, 9, 5, 0, 123456), "2026-01-31T09:05:00.123Z"),  # noqa: DTZ001 - on purpose
    ],
)
def test_times_are_utc(at, shown):
    assert result_row(judgement(scored(), at=at), "r")["at"] == shown


hostile = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(hostile, st.text(st.characters(codec=None)))
def test_whatever_a_model_or_a_case_said_the_row_serialises(value, text):
    row = result_row(judgement(scored(parts={"x": value}), case_id=text, reason=text, notes=(text,)), text)
    assert orjson.loads(orjson.dumps(row)) == row


@pytest.mark.parametrize(
    "value", [2**70, -(2**70), 10**5000, float("nan"), float("inf"), "\ud800", "a\udfffb"], ids=range(7)
)
def test_values_that_json_writers_choke_on_are_made_harmless(value):
    row = result_row(judgement(scored(parts={"x": value})), "r")
    assert orjson.loads(orjson.dumps(row)) == row


def test_endless_nesting_is_cut():
    value = []
    for _ in range(5000):
        value = [value]
    row = result_row(judgement(scored(parts={"x": value})), "r")
    assert b"nested too deeply" in orjson.dumps(row)
