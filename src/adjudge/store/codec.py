"""Records <-> compact JSON. What has its default value is left out; names are whole words, to be read in years."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeAlias, get_args

from msgspec import Struct

from adjudge.records import (
    NOTHING,
    Call,
    Case,
    Completion,
    Failed,
    FailureKind,
    Forced,
    Judged,
    Judgement,
    Measured,
    Message,
    Outcome,
    Place,
    Prompt,
    Request,
    Score,
    Scored,
    ScoreDistribution,
    TokenLogprob,
    Usage,
    Verdict,
)
from adjudge.store.packing import (
    DamagedError,
    JsonReader,
    dump_json,
    dump_struct,
    dump_texts,
    from_column,
    from_micros,
    load_json,
    to_micros,
    unpack,
)
from adjudge.store.records import Driver, JudgementKey

NOTHING_TO_PAY = Decimal(0)

Reference: TypeAlias = tuple[str, int]
"""A completion's key and version."""

EMPTY_PROMPT = Prompt(messages=())


def full_names_of(case_id: str, judge: str, model: str, full_names: bytes | None) -> tuple[str, str, str]:
    if full_names is None:
        return from_column(case_id), from_column(judge), from_column(model)
    full: list[str] = load_json(unpack(full_names))
    return full[0], full[1], full[2]


def dump_driver(driver: Driver) -> str:
    return dump_json([driver.host, driver.pid, to_micros(driver.since)]).decode()


def load_driver(text: str) -> Driver:
    host, pid, since = load_json(text.encode())
    return Driver(host=host, pid=pid, since=from_micros(since))


# ---- prompts, cases, judges, token probabilities: each a text of its own ----


def dump_prompt(prompt: Prompt) -> bytes:
    return dump_texts([[message.role, message.content] for message in prompt.messages])


def load_prompt(data: bytes) -> Prompt:
    return Prompt(messages=tuple(Message(role=role, content=content) for role, content in load_json(data)))


class StoredCase(Struct, frozen=True, kw_only=True):
    columns: dict[str, Any]
    fields: dict[str, str] = {}
    """Canonical field -> the column that stands for it."""
    more: dict[str, Any] = {}
    order: tuple[str, ...] | None = None
    contested: dict[str, tuple[str, ...]] = {}


_read_case = JsonReader(StoredCase)


def dump_case(case: Case) -> bytes:
    """Without id and place, which its judgements carry: equal rows of different files are then one text.

    A canonical field is nearly always one of the columns under another name, so only that column's name is kept.
    """
    column_of = {id(value): name for name, value in case.columns.items()}
    taken = {name: column_of[id(value)] for name, value in case.fields.items() if id(value) in column_of}
    plain: dict[str, Any] = {"columns": case.columns}
    if taken:
        plain["fields"] = taken
    if len(taken) < len(case.fields):
        plain["more"] = {name: value for name, value in case.fields.items() if name not in taken}
        plain["order"] = list(case.fields)
    if case.contested:
        plain["contested"] = case.contested
    return dump_json(plain)


def load_case(data: bytes, *, case_id: str, place: Place | None) -> Case:
    stored = _read_case(data)
    found = {name: stored.columns[column] for name, column in stored.fields.items()}
    found |= stored.more
    return Case(
        case_id=case_id,
        columns=stored.columns,
        fields={name: found[name] for name in (found if stored.order is None else stored.order)},
        contested=stored.contested,
        place=place,
    )


def dump_logprobs(logprobs: tuple[TokenLogprob, ...]) -> bytes:
    """Alternatives only where there are any."""
    return dump_json(
        [
            [item.token, item.logprob, *((item.alternatives,) if item.alternatives else ())]
            for item in logprobs
        ]
    )


def load_logprobs(data: bytes) -> tuple[TokenLogprob, ...]:
    return tuple(
        TokenLogprob(
            token=token,
            logprob=logprob,
            alternatives=tuple((word, value) for found in more for word, value in found),
        )
        for token, logprob, *more in load_json(data)
    )


def dump_measured(measured: Measured) -> str:
    return dump_json([measured.probability, measured.exact]).decode()


def load_measured(text: str) -> Measured:
    probability, exact = load_json(text.encode())
    return Measured(probability=probability, exact=exact)


# ---- judgements ----

Number: TypeAlias = int | float
"""As it was written: 4 and 4.0 are not the same in a report."""


class StoredOutcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    kind: str
    message: str = ""
    error_kind: str = ""
    attempts: int = 0
    maybe_billed: bool = False
    score: Number | None = None
    exact: Number | None = None
    """Only where it differs from `score`."""
    score_notes: tuple[str, ...] = ()
    score_parts: Mapping[str, Any] | bool | None = None
    """True where they are the verdict's."""
    verdict: Mapping[str, Any] = NOTHING
    verdict_notes: tuple[str, ...] = ()
    reason: str | None = None


class StoredCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a call was for and what it cost; `repeat`, `case_id` and `judge` only where the judgement has others."""

    step: str
    repeat: int | None = None
    shared: bool = False
    case_id: str | None = None
    judge: str | None = None
    finish: Any = "stop"
    structured: bool = False
    model_snapshot: str | None = None
    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cost: Decimal | None = None
    latency_ms: Number = 0.0
    attempts: int = 1
    notes: tuple[str, ...] = ()
    from_store: bool = False


class StoredJudgement(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judgement but for its id, judge, hash, model, repeat and moment, which are columns, and the texts of its calls."""

    outcome: StoredOutcome
    reason: str | None = None
    reason_part: str | None = None
    """The part of the verdict that is the reason, which is then not written twice."""
    normalized: Number | None = None
    passed: bool | None = None
    probability: Number | None = None
    distribution: tuple[tuple[Number, Number], ...] = ()
    off_scale: Number = 0.0
    notes: tuple[str, ...] | bool = ()
    """True where they are the score's."""
    place: tuple[str | int, ...] | None = None
    metadata: Mapping[str, Any] = NOTHING
    cluster: str | None = None
    label: Any = None
    annotators: Any = None
    calls: tuple[StoredCall, ...] = ()

    def all_notes(self) -> tuple[str, ...]:
        return self.outcome.score_notes if isinstance(self.notes, bool) else self.notes

    def whole_reason(self) -> str | None:
        return self.reason if self.reason_part is None else self.outcome.verdict.get(self.reason_part)


read_body = JsonReader(StoredJudgement)
FAILURE_KINDS = frozenset(get_args(FailureKind))


def dump_judgement(judgement: Judgement) -> bytes:
    place = judgement.place
    outcome = _flat_outcome(judgement.outcome)
    part = _part_with(judgement.reason, outcome.verdict)
    return dump_struct(
        StoredJudgement(
            outcome=outcome,
            reason=judgement.reason if part is None else None,
            reason_part=part,
            normalized=judgement.normalized,
            passed=judgement.passed,
            probability=judgement.probability,
            distribution=() if judgement.distribution is None else judgement.distribution.shares,
            off_scale=0.0 if judgement.distribution is None else judgement.distribution.off_scale,
            notes=True if judgement.notes and judgement.notes == outcome.score_notes else judgement.notes,
            place=None
            if place is None
            else (place.file,)
            if place.line is None
            else (place.file, place.line),
            metadata=judgement.metadata or NOTHING,
            cluster=judgement.cluster,
            label=judgement.label,
            annotators=judgement.annotators,
            calls=tuple(_flat_call(call, judgement) for call in judgement.calls),
        )
    )


def _part_with(reason: str | None, parts: Mapping[str, Any]) -> str | None:
    """The part that is this very text."""
    if reason is not None:
        for name, value in parts.items():
            if value is reason:
                return name
    return None


def load_judgement(
    data: bytes,
    key: JudgementKey,
    judge_hash: str,
    at: int,
    references: Mapping[int, Reference] | None = None,
) -> Judgement:
    """As it was, but its calls say only what they were for and what they cost.

    With `references`, position -> completion, it is being taken over from the store: so are its calls then, and what
    they cost is on the books of the run that made them.
    """
    stored = read_body(data)
    place: Any = stored.place
    return Judgement(
        case_id=key.case_id,
        judge=key.judge,
        judge_hash=judge_hash,
        model=key.model,
        repeat=key.repeat,
        outcome=_outcome(stored.outcome),
        reason=stored.whole_reason(),
        normalized=stored.normalized,
        passed=stored.passed,
        probability=stored.probability,
        distribution=ScoreDistribution(shares=stored.distribution, off_scale=stored.off_scale)
        if stored.distribution
        else None,
        notes=stored.all_notes(),
        calls=tuple(
            _call(call, key, None if references is None else references.get(position, (None, 0)))
            for position, call in enumerate(stored.calls)
        ),
        at=from_micros(at),
        place=None if not place else Place(file=place[0], line=place[1] if len(place) > 1 else None),
        metadata=stored.metadata,
        cluster=stored.cluster,
        label=stored.label,
        annotators=stored.annotators,
    )


def _flat_outcome(outcome: Outcome) -> StoredOutcome:
    if isinstance(outcome, Failed):
        return StoredOutcome(
            kind=outcome.kind,
            message=outcome.message,
            error_kind=outcome.error_kind,
            attempts=outcome.attempts,
            maybe_billed=outcome.maybe_billed,
            verdict=outcome.verdict.parts or NOTHING,
            verdict_notes=outcome.verdict.notes,
        )
    verdict = outcome.verdict
    if isinstance(outcome, Judged):
        return StoredOutcome(kind=outcome.kind, verdict=verdict.parts or NOTHING, verdict_notes=verdict.notes)
    score = outcome.score
    return StoredOutcome(
        kind=outcome.kind,
        score=score.value,
        # 0.0 and -0.0 are equal and do not print alike, nor do 1 and 1.0
        exact=None if repr(score.value) == repr(score.exact) else score.exact,
        score_notes=score.notes,
        score_parts=True if score.parts is not None and score.parts is verdict.parts else score.parts,
        verdict=verdict.parts or NOTHING,
        verdict_notes=verdict.notes,
        reason=outcome.reason if isinstance(outcome, Forced) else None,
    )


def _outcome(stored: StoredOutcome) -> Outcome:
    verdict = Verdict(parts=stored.verdict, notes=stored.verdict_notes)
    if stored.kind in FAILURE_KINDS:
        return Failed(
            kind=stored.kind,  # type: ignore[arg-type]  # one of `FAILURE_KINDS`
            message=stored.message,
            error_kind=stored.error_kind,
            attempts=stored.attempts,
            maybe_billed=stored.maybe_billed,
            verdict=verdict,
        )
    if stored.kind == "judged":
        return Judged(verdict=verdict)
    if stored.score is None or stored.kind not in {"scored", "forced"}:
        raise DamagedError("a judgement with parts missing")
    score = Score(
        value=stored.score,
        exact=stored.score if stored.exact is None else stored.exact,
        notes=stored.score_notes,
        parts=verdict.parts if isinstance(stored.score_parts, bool) else stored.score_parts,
    )
    if stored.kind == "forced":
        return Forced(score=score, reason=stored.reason or "", verdict=verdict)
    return Scored(verdict=verdict, score=score)


def _flat_call(call: Call, judgement: Judgement) -> StoredCall:
    request, completion = call.request, call.completion
    return StoredCall(
        step=request.step,
        repeat=None if request.repeat == judgement.repeat else request.repeat,
        shared=request.shared,
        case_id=None if request.case_id == judgement.case_id else request.case_id,
        judge=None if request.judge == judgement.judge else request.judge,
        finish=completion.finish,
        structured=completion.structured,
        model_snapshot=completion.model_snapshot,
        input=completion.usage.input,
        output=completion.usage.output,
        cached=completion.usage.cached,
        cost=completion.cost,
        latency_ms=completion.latency_ms,
        attempts=completion.attempts,
        notes=completion.notes,
        from_store=completion.from_store,
    )


def _call(stored: StoredCall, key: JudgementKey, taken_from: tuple[str | None, int] | None) -> Call:
    source, version = taken_from or (None, 0)
    return Call(
        request=Request(
            prompt=EMPTY_PROMPT,
            schema=None,
            case_id=key.case_id if stored.case_id is None else stored.case_id,
            judge=key.judge if stored.judge is None else stored.judge,
            step=stored.step,
            repeat=key.repeat if stored.repeat is None else stored.repeat,
            shared=stored.shared,
        ),
        completion=Completion(
            text="",
            finish=stored.finish,
            structured=stored.structured,
            model_snapshot=stored.model_snapshot,
            usage=Usage(input=stored.input, output=stored.output, cached=stored.cached),
            cost=stored.cost if taken_from is None else NOTHING_TO_PAY,
            latency_ms=stored.latency_ms,
            attempts=stored.attempts,
            notes=stored.notes,
            from_store=stored.from_store or taken_from is not None,
            key=source,
            version=version,
        ),
    )
