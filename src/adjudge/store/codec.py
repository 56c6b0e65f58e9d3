"""Records <-> compact JSON. What has its default value is left out; names are whole words, to be read in years."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from adjudge.records import (
    NOTHING,
    Call,
    Case,
    Completion,
    Failed,
    Forced,
    Json,
    Judgement,
    Measured,
    Message,
    Outcome,
    Place,
    Prompt,
    Request,
    Score,
    Scored,
    TokenLogprob,
    Usage,
    Verdict,
)
from adjudge.store.packing import DamagedError, dump_json, from_micros, load_json, to_micros
from adjudge.store.records import Driver

NOTHING_TO_PAY = Decimal(0)

Plain: TypeAlias = dict[str, Any]
"""An object on its way to or from JSON."""
Reference: TypeAlias = tuple[str, int]
"""A completion's key and version."""

EMPTY_PROMPT = Prompt(messages=())


def dump_driver(driver: Driver) -> str:
    return dump_json([driver.host, driver.pid, to_micros(driver.since)]).decode()


def load_driver(text: str) -> Driver:
    host, pid, since = load_json(text.encode())
    return Driver(host=host, pid=pid, since=from_micros(since))


# ---- prompts, cases, judges, token probabilities: each a text of its own ----


def dump_prompt(prompt: Prompt) -> bytes:
    return dump_json([[message.role, message.content] for message in prompt.messages])


def load_prompt(data: bytes) -> Prompt:
    return Prompt(messages=tuple(Message(role=role, content=content) for role, content in load_json(data)))


def dump_case(case: Case) -> bytes:
    """Without id and place, which its judgements carry: equal rows of different files are then one text.

    A canonical field is nearly always one of the columns under another name, so only that column's name is kept.
    """
    column_of = {id(value): name for name, value in case.columns.items()}
    taken = {name: column_of[id(value)] for name, value in case.fields.items() if id(value) in column_of}
    plain: Plain = {"columns": case.columns}
    if taken:
        plain["fields"] = taken
    if len(taken) < len(case.fields):
        plain["more"] = {name: value for name, value in case.fields.items() if name not in taken}
        plain["order"] = list(case.fields)
    if case.contested:
        plain["contested"] = case.contested
    return dump_json(plain)


def load_case(data: bytes, *, case_id: str, place: Place | None) -> Case:
    plain: Plain = load_json(data)
    columns: dict[str, Json] = plain["columns"]
    found = {name: columns[column] for name, column in plain.get("fields", {}).items()}
    found |= plain.get("more", {})
    return Case(
        case_id=case_id,
        columns=columns,
        fields={name: found[name] for name in plain.get("order", found)},
        contested={name: tuple(names) for name, names in plain.get("contested", {}).items()},
        place=place,
    )


def dump_record(record: Any) -> bytes:
    """Any record of ours, for people to read again: tuples become lists, and there is no way back."""
    return dump_json(_plain(record))


def dump_logprobs(logprobs: tuple[TokenLogprob, ...]) -> bytes:
    return dump_json([[item.token, item.logprob] for item in logprobs])


def load_logprobs(data: bytes) -> tuple[TokenLogprob, ...]:
    return tuple(TokenLogprob(token=token, logprob=logprob) for token, logprob in load_json(data))


def dump_measured(measured: Measured) -> str:
    return dump_json([measured.probability, measured.exact]).decode()


def load_measured(text: str) -> Measured:
    probability, exact = load_json(text.encode())
    return Measured(probability=probability, exact=exact)


# ---- judgements ----


def dump_judgement(judgement: Judgement) -> bytes:
    """All but id, judge, its hash, model, repeat and moment, which are columns, and the texts of its calls."""
    plain: Plain = {"outcome": _outcome(judgement.outcome)}
    if judgement.reason is not None:
        plain["reason"] = judgement.reason
    if judgement.normalized is not None:
        plain["normalized"] = judgement.normalized
    if judgement.passed is not None:
        plain["passed"] = judgement.passed
    if judgement.probability is not None:
        plain["probability"] = judgement.probability
    if judgement.notes:
        plain["notes"] = judgement.notes
    if judgement.place is not None:
        plain["place"] = [judgement.place.file]
        if judgement.place.line is not None:
            plain["place"].append(judgement.place.line)
    if judgement.metadata:
        plain["metadata"] = judgement.metadata
    if judgement.cluster is not None:
        plain["cluster"] = judgement.cluster
    if judgement.label is not None:
        plain["label"] = judgement.label
    if judgement.annotators is not None:
        plain["annotators"] = judgement.annotators
    if judgement.calls:
        plain["calls"] = [_call(call, judgement) for call in judgement.calls]
    return dump_json(plain)


def load_judgement(
    data: bytes,
    *,
    case_id: str,
    judge: str,
    judge_hash: str,
    model: str,
    repeat: int,
    at: int,
    references: Mapping[int, Reference] | None = None,
) -> Judgement:
    """As it was, but its calls say only what they were for and what they cost.

    With `references`, position -> completion, it is being taken over from the store: so are its calls then, and what
    they cost is on the books of the run that made them.
    """
    plain: Plain = load_json(data)
    try:
        place = plain.get("place")
        return Judgement(
            case_id=case_id,
            judge=judge,
            judge_hash=judge_hash,
            model=model,
            repeat=repeat,
            outcome=_read_outcome(plain["outcome"]),
            reason=plain.get("reason"),
            normalized=plain.get("normalized"),
            passed=plain.get("passed"),
            probability=plain.get("probability"),
            notes=tuple(plain.get("notes", ())),
            calls=tuple(
                _read_call(
                    call,
                    case_id,
                    judge,
                    repeat,
                    None if references is None else references.get(position, (None, 0)),
                )
                for position, call in enumerate(plain.get("calls", ()))
            ),
            at=from_micros(at),
            place=None if place is None else Place(file=place[0], line=place[1] if len(place) > 1 else None),
            metadata=plain.get("metadata", NOTHING),
            cluster=plain.get("cluster"),
            label=plain.get("label"),
            annotators=plain.get("annotators"),
        )
    except (AttributeError, KeyError, TypeError, IndexError):
        raise DamagedError("a judgement with parts missing") from None


def _outcome(outcome: Outcome) -> Plain:
    plain: Plain = {"kind": outcome.kind}
    if isinstance(outcome, Failed):
        plain["message"] = outcome.message
        if outcome.error_kind:
            plain["error_kind"] = outcome.error_kind
        if outcome.attempts:
            plain["attempts"] = outcome.attempts
        if outcome.maybe_billed:
            plain["maybe_billed"] = True
        return plain
    score, verdict = outcome.score, outcome.verdict
    plain["score"] = score.value
    if _differ(score.value, score.exact):
        plain["exact"] = score.exact
    if score.notes:
        plain["score_notes"] = score.notes
    if score.parts is not None:
        plain["score_parts"] = score.parts
    if verdict.parts:
        plain["verdict"] = verdict.parts
    if verdict.notes:
        plain["verdict_notes"] = verdict.notes
    if isinstance(outcome, Forced):
        plain["reason"] = outcome.reason
    return plain


def _read_outcome(plain: Plain) -> Outcome:
    kind = plain["kind"]
    if kind not in {"scored", "forced"}:
        return Failed(
            kind=kind,
            message=plain["message"],
            error_kind=plain.get("error_kind", ""),
            attempts=plain.get("attempts", 0),
            maybe_billed=plain.get("maybe_billed", False),
        )
    value: float = plain["score"]
    score = Score(
        value=value,
        exact=plain.get("exact", value),
        notes=tuple(plain.get("score_notes", ())),
        parts=plain.get("score_parts"),
    )
    verdict = Verdict(parts=plain.get("verdict", NOTHING), notes=tuple(plain.get("verdict_notes", ())))
    if kind == "forced":
        return Forced(score=score, reason=plain["reason"], verdict=verdict)
    return Scored(verdict=verdict, score=score)


def _differ(value: float, exact: float) -> bool:
    """0.0 and -0.0 are equal and do not print alike, nor do 1 and 1.0."""
    return repr(value) != repr(exact)


def _call(call: Call, judgement: Judgement) -> Plain:
    request, completion = call.request, call.completion
    plain: Plain = {"step": request.step}
    if request.repeat != judgement.repeat:
        plain["repeat"] = request.repeat
    if request.shared:
        plain["shared"] = True
    if request.case_id != judgement.case_id:
        plain["case_id"] = request.case_id
    if request.judge != judgement.judge:
        plain["judge"] = request.judge
    if completion.finish != "stop":
        plain["finish"] = completion.finish
    if completion.structured:
        plain["structured"] = True
    if completion.model_snapshot is not None:
        plain["model_snapshot"] = completion.model_snapshot
    usage = completion.usage
    if usage.input is not None:
        plain["input"] = usage.input
    if usage.output is not None:
        plain["output"] = usage.output
    if usage.cached is not None:
        plain["cached"] = usage.cached
    if completion.cost is not None:
        plain["cost"] = str(completion.cost)
    if completion.latency_ms:
        plain["latency_ms"] = completion.latency_ms
    if completion.attempts != 1:
        plain["attempts"] = completion.attempts
    if completion.notes:
        plain["notes"] = completion.notes
    if completion.from_store:
        plain["from_store"] = True
    return plain


def _read_call(
    plain: Plain, case_id: str, judge: str, repeat: int, taken_from: tuple[str | None, int] | None
) -> Call:
    cost = plain.get("cost")
    return Call(
        request=Request(
            prompt=EMPTY_PROMPT,
            schema=None,
            case_id=plain.get("case_id", case_id),
            judge=plain.get("judge", judge),
            step=plain["step"],
            repeat=plain.get("repeat", repeat),
            shared=plain.get("shared", False),
        ),
        completion=Completion(
            text="",
            finish=plain.get("finish", "stop"),
            structured=plain.get("structured", False),
            model_snapshot=plain.get("model_snapshot"),
            usage=Usage(input=plain.get("input"), output=plain.get("output"), cached=plain.get("cached")),
            cost=NOTHING_TO_PAY if taken_from is not None else None if cost is None else Decimal(cost),
            latency_ms=plain.get("latency_ms", 0.0),
            attempts=plain.get("attempts", 1),
            notes=tuple(plain.get("notes", ())),
            from_store=taken_from is not None or plain.get("from_store", False),
            key=None if taken_from is None else taken_from[0],
            version=0 if taken_from is None else taken_from[1],
        ),
    )


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
