"""Frozen dataclasses against msgspec structs for the records that every judgement makes: `python benchmarks/records.py`.

Needs `pip install -r requirements/bench.txt`. Encoding and decoding are as in a store: a judgement without the texts of
its calls, a case without its id. The structs hold what the stored JSON holds, so old stores could be read with them.
"""

import math
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from decimal import Decimal
from timeit import repeat
from typing import Any

import msgspec

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
from adjudge.store.packing import dump_json, load_json, to_micros

TIMES = 20_000
RUNS = 5
AT = datetime(2026, 5, 1, tzinfo=UTC)
WIDTHS = (34, 12, 12, 8)


class StoredOutcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    kind: str
    message: str = ""
    error_kind: str = ""
    attempts: int = 0
    maybe_billed: bool = False
    score: float | None = None
    exact: float | None = None
    score_notes: tuple[str, ...] = ()
    score_parts: dict[str, Any] | None = None
    verdict: dict[str, Any] = {}
    verdict_notes: tuple[str, ...] = ()
    reason: str | None = None


class StoredCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    step: str
    repeat: int | None = None
    shared: bool = False
    case_id: str | None = None
    judge: str | None = None
    finish: str = "stop"
    structured: bool = False
    model_snapshot: str | None = None
    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cost: Decimal | None = None
    latency_ms: float = 0.0
    attempts: int = 1
    notes: tuple[str, ...] = ()
    from_store: bool = False


class StoredJudgement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    outcome: StoredOutcome
    reason: str | None = None
    normalized: float | None = None
    passed: bool | None = None
    probability: float | None = None
    notes: tuple[str, ...] = ()
    place: tuple[str | int, ...] | None = None
    metadata: dict[str, Any] = {}
    cluster: str | None = None
    label: Any = None
    annotators: Any = None
    calls: tuple[StoredCall, ...] = ()


class StoredCase(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    columns: dict[str, Any]
    fields: dict[str, str] = {}
    more: dict[str, Any] = {}
    order: list[str] | None = None
    contested: dict[str, tuple[str, ...]] = {}


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
    print(f"{'microseconds':<{WIDTHS[0]}}{'now':>{WIDTHS[1]}}{'msgspec':>{WIDTHS[2]}}{'ratio':>{WIDTHS[3]}}")
    for record in (JUDGEMENT, CASE, COMPLETION):
        compare(f"make a {type(record).__name__}", *makers(record))
    compare("make one, with its call and outcome", *map(make_all, (JUDGEMENT, JUDGEMENT), (False, True)))
    body = dump_judgement(JUDGEMENT)
    stored = msgspec.json.decode(body, type=StoredJudgement)
    assert load_json(msgspec.json.encode(stored)) == load_json(body)
    decode = msgspec.json.Decoder(StoredJudgement).decode
    names = {name: getattr(JUDGEMENT, name) for name in ("case_id", "judge", "judge_hash", "model", "repeat")}
    at = to_micros(AT)
    encode = msgspec.json.Encoder().encode
    compare("encode a Judgement", lambda: dump_judgement(JUDGEMENT), lambda: encode(stored))
    compare("decode a Judgement", lambda: load_judgement(body, **names, at=at), lambda: decode(body))
    row = dump_case(CASE)
    case = msgspec.json.decode(row, type=StoredCase)
    decode_case = msgspec.json.Decoder(StoredCase).decode
    compare("encode a Case", lambda: dump_case(CASE), lambda: encode(case))
    compare("decode a Case", lambda: load_case(row, case_id="c", place=None), lambda: decode_case(row))
    print("\nwhat a store holds and gives back as it was    now  msgspec")
    for name, value in {"NaN": math.nan, "2**80": 2**80, "a lone surrogate": "\ud800"}.items():
        found = [kept(value, *codec) for codec in ((dump_json, load_json), (encode, msgspec.json.decode))]
        print(f"{name:<44}{'  '.join(f'{each!s:>6}' for each in found)}")
    return 0


def makers(record: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Both take every field by name, as the pipeline does."""
    kind = type(record)
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    struct = msgspec.defstruct(kind.__name__, [(name, Any) for name in values], frozen=True, kw_only=True)
    return lambda: kind(**values), lambda: struct(**values)


def make_all(judgement: Judgement, structs: bool) -> Callable[[], Any]:  # noqa: FBT001 - the only one
    assert isinstance(judgement.outcome, Scored)
    outcome, call = judgement.outcome, judgement.calls[0]
    parts = (judgement, outcome, outcome.score, outcome.verdict, call, call.request, call.completion)
    made = [makers(part)[structs] for part in (*parts, call.completion.usage)]
    return lambda: [make() for make in made]


def compare(name: str, now: Callable[[], Any], struct: Callable[[], Any]) -> None:
    old, new = (min(repeat(each, number=TIMES, repeat=RUNS)) / TIMES * 1e6 for each in (now, struct))
    print(f"{name:<{WIDTHS[0]}}{old:>{WIDTHS[1]}.2f}{new:>{WIDTHS[2]}.2f}{old / new:>{WIDTHS[3]}.1f}")


def kept(value: Any, dump: Callable[[Any], bytes], load: Callable[[bytes], Any]) -> bool:
    with suppress(Exception):
        return repr(load(dump([value]))) == repr([value])
    return False


if __name__ == "__main__":
    sys.exit(main())
