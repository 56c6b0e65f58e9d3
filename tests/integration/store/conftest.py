"""Stores to test with, and what goes into them."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from types import SimpleNamespace

import pytest

from adjudge.records import (
    Call,
    Case,
    Completion,
    Judge,
    Judgement,
    Message,
    Place,
    Prompt,
    PromptMessage,
    Request,
    Score,
    Scored,
    Usage,
    Verdict,
)
from adjudge.store import KeepCompletion, KeepJudge, KeepJudgement, RunRecord, StartRun, open_store
from adjudge.store.records import UNPLACED


@pytest.fixture
def store(where):
    with closing(open_store(where)) as store:
        yield store


AT = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def key_of(name):
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def make_run(run_id="r1", *, name=None, started=0, state="running", plan=None):
    return StartRun(
        run=RunRecord(
            run_id=run_id, name=name, state=state, plan=plan or {}, started_at=AT + timedelta(seconds=started)
        )
    )


def make_judge(name="relevance", text="Rate {{response}}", judge_hash="abcdef123456"):
    return KeepJudge(
        judge=Judge(
            name=name,
            hash=judge_hash,
            messages=(PromptMessage(role="user", text=text, dialect="mustache"),),
            dialect="mustache",
            inputs=(),
            contract=None,
            score=None,
            scale=None,
            text=text,
        )
    )


def make_pair(
    case_id="c1", *, run_id="r1", judge="relevance", repeat=0, version=1, reply=None, key=None, **more
):
    """A completion and the judgement made from it."""
    model = more.pop("model", "openai:m")
    key = key or key_of(f"{case_id}/{judge}/{repeat}" if model == "openai:m" else f"{case_id}/{model}")
    request = Request(
        prompt=Prompt(
            messages=(
                Message(role="system", content="You grade answers. " * 40),
                Message(role="user", content=f"The answer of {case_id}: Paris."),
            )
        ),
        schema={"type": "object", "properties": {"score": {"type": "integer"}}},
        case_id=case_id,
        judge=judge,
        repeat=repeat,
        temperature=0.0,
        max_output_tokens=500,
        parameters={"seed": 7},
    )
    completion = Completion(
        text=reply if reply is not None else f'{{"score": 4, "of": "{case_id}"}}',
        model_snapshot="m-2026",
        usage=Usage(input=200, output=20),
        cost=Decimal("0.00012"),
        latency_ms=150.5,
        notes=("left_out:seed",),
        key=key,
        version=version,
    )
    judgement = Judgement(
        case_id=case_id,
        judge=judge,
        judge_hash="abcdef123456",
        model=model,
        repeat=repeat,
        outcome=more.pop(
            "outcome", Scored(verdict=Verdict(parts={"score": 4}), score=Score(value=4.0, exact=4.0))
        ),
        reason="it says Paris",
        normalized=0.8,
        passed=True,
        calls=(Call(request=request, completion=completion),),
        at=AT,
        place=Place(file="cases.jsonl", line=3),
    )
    case = Case(
        case_id=case_id,
        columns={"output": f"Paris, says {case_id}"},
        fields={"response": f"Paris, says {case_id}"},
        place=judgement.place,
    )
    return [
        KeepCompletion(
            key=key,
            version=version,
            request=request,
            completion=completion,
            model=model,
            base_url=None,
            at=AT,
        ),
        KeepJudgement(
            run_id=run_id,
            judgement=judgement,
            case=case,
            calls=((key, version),),
            reuse_key=more.pop("reuse_key", key_of(f"reuse {case_id}/{judge}/{repeat}")),
            position=more.pop("position", UNPLACED),
        ),
    ]


@pytest.fixture(scope="session")
def make():
    """Writes to store: `make.run()`, `make.judge()`, `make.pair("c1")`; `make.key("x")` is a key as they are."""
    return SimpleNamespace(run=make_run, judge=make_judge, pair=make_pair, key=key_of, at=AT)
