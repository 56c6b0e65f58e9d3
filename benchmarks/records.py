"""Frozen dataclasses against msgspec structs for the records that every judgement makes: `python benchmarks/records.py`.

Encoding and decoding are as in a store: a judgement without the texts of its calls, a case without its id.
"""

import sys
from collections.abc import Callable
from dataclasses import make_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from timeit import repeat
from typing import Any

from msgspec.structs import asdict

from adjudge.records import (
    Call,
    Case,
    Completion,
    Judgement,
    Message,
    Place,
    Prompt,
    Request,
    Score,
    Scored,
    Usage,
    Verdict,
)
from adjudge.store.codec import dump_case, dump_judgement, load_case, load_judgement
from adjudge.store.packing import to_micros
from adjudge.store.records import JudgementKey

TIMES = 20_000
RUNS = 5
AT = datetime(2026, 5, 1, tzinfo=UTC)
WIDTHS = (38, 12, 12, 8)


COMPLETION = Completion(
    text='{"reason": "It names the capital.", "score": 4}',
    structured=True,
    model_snapshot="gpt-x-2026-01-01/fp_abc",
    usage=Usage(input=812, output=64),
    cost=Decimal("0.00031"),
    latency_ms=734.25,
    key="0" * 64,
    version=1,
)
REQUEST = Request(
    prompt=Prompt(messages=(Message(role="user", content="Rate it. " * 200),)),
    schema={"type": "object"},
    case_id="case-000001",
    judge="relevance",
    temperature=0.0,
)
CASE = Case(
    case_id="case-000001",
    columns={
        "question": "What is the capital of France? " * 3,
        "answer": "Paris. " * 40,
        "topic": "geography",
    },
    fields={},
    place=Place(file="cases.jsonl", line=1),
)
CASE = Case(
    case_id=CASE.case_id,
    columns=CASE.columns,
    fields={"question": CASE.columns["question"], "response": CASE.columns["answer"]},
    place=CASE.place,
)
JUDGEMENT = Judgement(
    case_id="case-000001",
    judge="relevance",
    judge_hash="abcdef123456",
    model="openai:gpt-x",
    repeat=0,
    outcome=Scored(
        verdict=Verdict(parts={"reason": "It names the capital.", "score": 4}),
        score=Score(value=4.0, exact=4.0),
    ),
    reason="It names the capital.",
    normalized=0.8,
    passed=True,
    calls=(Call(request=REQUEST, completion=COMPLETION),),
    at=AT,
    place=CASE.place,
    metadata={"topic": "geography"},
)


def main() -> int:
    print(
        f"{'microseconds':<{WIDTHS[0]}}{'dataclass':>{WIDTHS[1]}}{'msgspec':>{WIDTHS[2]}}{'ratio':>{WIDTHS[3]}}"
    )
    for record in (JUDGEMENT, CASE, COMPLETION):
        compare(f"make a {type(record).__name__}", *makers(record))
    compare("make one, with its call and outcome", *map(make_all, (False, True)))
    body, row, at = dump_judgement(JUDGEMENT), dump_case(CASE), to_micros(AT)
    key = JudgementKey(JUDGEMENT.case_id, JUDGEMENT.judge, JUDGEMENT.model, JUDGEMENT.repeat)
    for name, work in {
        "encode a Judgement": lambda: dump_judgement(JUDGEMENT),
        "decode a Judgement": lambda: load_judgement(body, key, JUDGEMENT.judge_hash, at),
        "encode a Case": lambda: dump_case(CASE),
        "decode a Case": lambda: load_case(row, case_id="c", place=None),
    }.items():
        print(f"{name:<{WIDTHS[0]}}{'':{WIDTHS[1]}}{micros(work):>{WIDTHS[2]}.2f}")
    return 0


def makers(record: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Both take every field by name, as the pipeline does."""
    kind, values = type(record), asdict(record)
    plain = make_dataclass(kind.__name__, list(values), frozen=True, kw_only=True, slots=True)
    return lambda: plain(**values), lambda: kind(**values)


def make_all(structs: bool) -> Callable[[], Any]:  # noqa: FBT001 - the only one
    assert isinstance(JUDGEMENT.outcome, Scored)
    outcome, call = JUDGEMENT.outcome, JUDGEMENT.calls[0]
    parts = (JUDGEMENT, outcome, outcome.score, outcome.verdict, call, call.request, call.completion)
    made = [makers(part)[structs] for part in (*parts, call.completion.usage)]
    return lambda: [make() for make in made]


def micros(work: Callable[[], Any]) -> float:
    return min(repeat(work, number=TIMES, repeat=RUNS)) / TIMES * 1e6


def compare(name: str, *ways: Callable[[], Any]) -> None:
    old, new = map(micros, ways)
    print(f"{name:<{WIDTHS[0]}}{old:>{WIDTHS[1]}.2f}{new:>{WIDTHS[2]}.2f}{old / new:>{WIDTHS[3]}.1f}")


if __name__ == "__main__":
    sys.exit(main())
