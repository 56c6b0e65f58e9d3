"""Judges and judgements, made short."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from adjudge.records import (
    Call,
    Completion,
    Contract,
    Failed,
    FieldScore,
    Forced,
    Judge,
    Judged,
    Judgement,
    Message,
    Prompt,
    PromptMessage,
    Request,
    Scale,
    Score,
    Scored,
    Verdict,
)

AT = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)


def judge(name="j", **more):
    defaults = {
        "hash": "abc123",
        "messages": (PromptMessage(role="user", text="?", dialect="mustache"),),
        "dialect": "mustache",
        "inputs": (),
        "contract": Contract(
            schema={
                "type": "object",
                "properties": {"reason": {"type": "string"}, "score": {"type": "integer"}},
            },
            needs=("score",),
        ),
        "score": FieldScore(field="score"),
        "scale": Scale(low=0, high=5),
    }
    return Judge(name=name, **{**defaults, **more})


def call(**completion):
    request = Request(
        prompt=Prompt(messages=(Message(role="user", content="?"),)), schema=None, case_id="c", judge="j"
    )
    return Call(request=request, completion=Completion(text="!", **completion))


def scored(value, parts=None, completed=None):
    score = Score(value=value, exact=value, parts=completed)
    return Scored(verdict=Verdict(parts={} if parts is None else parts), score=score)


def forced(value=0.0, parts=None, reason="Not asked: reference is absent."):
    return Forced(score=Score(value=value, exact=value), reason=reason, verdict=Verdict(parts=parts or {}))


def failed(kind, message="why not", error_kind=""):
    return Failed(kind=kind, message=message, error_kind=error_kind)


def judgement(outcome, **more):
    defaults = {
        "case_id": "c1",
        "judge": "j",
        "judge_hash": "abc123",
        "model": "scripted:m",
        "repeat": 0,
        "at": AT,
    }
    return Judgement(outcome=outcome, **{**defaults, **more})


def outcome(kind):
    if kind == "judged":
        return Judged(verdict=Verdict(parts={"label": "good"}))
    return scored(4.0) if kind == "scored" else forced() if kind == "forced" else failed(kind)


@pytest.fixture(scope="session")
def build():
    return SimpleNamespace(
        judge=judge,
        call=call,
        scored=scored,
        forced=forced,
        failed=failed,
        judgement=judgement,
        outcome=outcome,
        replaced=replace,
    )
