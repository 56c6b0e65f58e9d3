"""A store with as many judgements as a test or a benchmark wants, written through the store's own `write`.

Everything about a row follows from its number, so that a test can say what it should find.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

from adjudge.judges import built_in_judges
from adjudge.records import (
    Call,
    Case,
    Completion,
    Failed,
    Judge,
    Judgement,
    Message,
    Outcome,
    Place,
    Prompt,
    Request,
    Score,
    Scored,
    Usage,
    Verdict,
)
from adjudge.store import (
    EndRun,
    KeepCompletion,
    KeepJudge,
    KeepJudgement,
    RunRecord,
    StartRun,
    Write,
    open_store,
)

AT = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
BATCH = 2_000
WITH_TEXTS = 200
"""Judgements whose prompt and reply are stored, too; the rest remember what their calls took and cost."""
MODEL = "openai:seeded-1"

TOPICS = ("billing", "delivery", "returns", "accounts", "hardware", "privacy", "travel", "other")
LANGUAGES = ("en", "de", "fr", "ja")
SYSTEMS = ("ours", "baseline")
FAILURES = ("unreadable", "refused", "call_failed", "truncated", "missing_input")
NOTES = ("planted_verdict", "left_out:temperature", "boundary_in_value", "tool_calls_unknown")
RARE = "zanzibar"
"""A word in one case of 10,000."""
PHRASE = "second working day"
"""In one case of ten; its words are in more."""


def seed_store(
    where: str | Path,
    rows: int = 100_000,
    *,
    judges: Sequence[str] = ("correctness", "relevance"),
    run_id: str = "seeded",
    name: str | None = "Seeded",
    state: str = "finished",
    repeats: int = 1,
) -> str:
    """`rows` judgements of built-in judges; each case goes to every judge, `repeats` times. The run's id."""
    with closing(open_store(where)) as store:
        known = {judge.name: judge for judge in built_in_judges()}
        used = [known[each] for each in judges]
        run = RunRecord(
            run_id=run_id,
            name=name,
            state="running",
            plan={
                "judges": [f"{judge.name}@{judge.hash}" for judge in used],
                "model": MODEL,
                "repeats": repeats,
                "path": "cases.jsonl",
                "current_date": "2026-05-01",
            },
            started_at=AT,
        )
        store.write([StartRun(run=run), *(KeepJudge(judge=judge) for judge in used)])
        batch: list[Write] = []
        for number in range(rows):
            batch += make_row(number, used, run_id=run_id, repeats=repeats)
            if len(batch) >= BATCH:
                store.write(batch)
                batch = []
        if state != "running":
            batch.append(EndRun(run_id=run_id, state=state, at=AT + timedelta(hours=1)))  # type: ignore[arg-type]  # a test's own words
        store.write(batch)
    return run_id


def make_row(number: int, judges: Sequence[Judge], *, run_id: str, repeats: int = 1) -> Iterator[Write]:
    """The judgement of this number and, for the first ones, the completion behind it."""
    judge = judges[number % len(judges)]
    repeat = number // len(judges) % repeats
    case = make_case(number // len(judges) // repeats)
    outcome = _outcome(number, judge)
    metadata = case.columns["metadata"]
    label = _label(number, judge)
    assert isinstance(metadata, dict)
    key = sha256(f"{run_id}/{number}".encode()).hexdigest()
    request = Request(
        prompt=Prompt(
            messages=(Message(role="user", content=f"Judge {case.case_id}: {case.columns['response']}"),)
        )
        if number < WITH_TEXTS
        else Prompt(messages=()),
        schema=None,
        case_id=case.case_id,
        judge=judge.name,
        repeat=repeat,
        temperature=0.0,
    )
    completion = Completion(
        text=f'{{"reason": "{_reason(number)}", "score": 1}}' if number < WITH_TEXTS else "",
        usage=Usage(input=200 + number % 50, output=20),
        cost=None if number % 97 == 0 else Decimal(number % 1_000) / 1_000_000,
        latency_ms=float(50 + number * 7919 % 9_973),
        key=key,
        version=1,
    )
    scored = isinstance(outcome, Scored)
    score = outcome.score.value if isinstance(outcome, Scored) else None
    scale = judge.scale
    judgement = Judgement(
        case_id=case.case_id,
        judge=judge.name,
        judge_hash=judge.hash,
        model=MODEL,
        repeat=repeat,
        outcome=outcome,
        reason=_reason(number) if scored else None,
        normalized=(score - scale.low) / (scale.high - scale.low) if score is not None and scale else None,
        passed=None if score is None else score >= (1 if judge.name == "correctness" else 3),
        probability=None if number % 3 else round(number * 31 % 997 / 997, 4),
        notes=(NOTES[number // 11 % len(NOTES)],) if number % 11 == 0 else (),
        calls=(Call(request=request, completion=completion),),
        at=AT + timedelta(milliseconds=number * 20),
        place=case.place,
        metadata=metadata,
        cluster=f"document-{number // 50}",
        label=label,
    )  # fmt: skip
    if number < WITH_TEXTS:
        yield KeepCompletion(
            key=key, version=1, request=request, completion=completion, model=MODEL, base_url=None, at=AT
        )
    yield KeepJudgement(
        run_id=run_id,
        judgement=judgement,
        case=case,
        calls=((key, 1),) if number < WITH_TEXTS else (),
        reuse_key=None,
    )


def make_case(number: int) -> Case:
    topic = TOPICS[number % len(TOPICS)]
    phrase = PHRASE if number % 10 == 0 else "second day, a working one"
    rare = f" The parcel went by way of {RARE}." if number % 10_000 == 42 else ""
    columns = {
        "id": f"case-{number:06}",
        "question": f"What happens to order {number} about {topic}, and when will the customer hear of it?",
        "response": f"Order {number} is looked at by the {topic} team on the {phrase}. "
        f"The customer gets a message with the reference {number * 7919 % 1_000_003}, and may answer it.{rare} "
        "Nothing is charged before that, and what was paid twice is given back.",
        "reference": f"The {topic} team answers order {number} within two days.",
        "metadata": {
            "topic": topic,
            "language": LANGUAGES[number // 3 % len(LANGUAGES)],
            "system": SYSTEMS[number % 2],
            "order": number,
        },
    }
    fields = {name: columns[name] for name in ("question", "response", "reference")}
    return Case(
        case_id=str(columns["id"]),
        columns=columns,
        fields=fields,
        place=Place(file="cases.jsonl", line=number + 1),
    )


def _outcome(number: int, judge: Judge) -> Outcome:
    if number % 21 == 13:
        kind = FAILURES[number // 21 % len(FAILURES)]
        return Failed(kind=kind, message=f"it said nothing that is a verdict ({kind})")  # type: ignore[arg-type]  # one of `FAILURES`
    value = float(number * 7 % 5 != 0) if judge.name == "correctness" else float(number * 7 % 6)
    return Scored(verdict=Verdict(parts={"score": value}), score=Score(value=value, exact=value))


def _label(number: int, judge: Judge) -> bool | float | None:
    if number % 5:
        return None
    return number % 3 > 0 if judge.name == "correctness" else float(number * 11 % 6)


def _reason(number: int) -> str:
    return f"The answer names the team and the day, as asked; the charge of order {number} is left out."
