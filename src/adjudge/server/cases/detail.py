"""One case: why it has its score, and everything that it was made from."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, convert

from adjudge.analysis.outcomes import NOTES
from adjudge.analysis.scores import ScoreRows, case_fields, explain_score, score_rows
from adjudge.analysis.summary.stored import judges_of
from adjudge.documents.records_json import records_json
from adjudge.documents.rows import result_row
from adjudge.fields import ALIASES, RESPONSES
from adjudge.labels.label_scale import LabelScale, label_scale_of
from adjudge.records import Call, Case, Failed, Json, Judge, Judgement, Message, is_jury
from adjudge.server.cases.find import CaseFilter, neighbours
from adjudge.server.cases.shapes import (
    CallDetail,
    CaseDetail,
    CaseField,
    ListPosition,
    NoteDetail,
    OtherJudgement,
)
from adjudge.server.keys import to_key
from adjudge.server.labels.choices import choices_of
from adjudge.server.labels.files import stored_label
from adjudge.server.routing import Query
from adjudge.server.service import NotFoundError, Service
from adjudge.store import JudgementKey, JudgementLine, RunRecord
from adjudge.text import encodable

FIELDS = (
    "question", "response", *RESPONSES, "reference", "context", "tool_calls", "expected_tool_calls", "messages", "history",
    "transcript",
    "focus", "current_date",
)  # fmt: skip
MAX_OTHERS = 200
MAX_COMPARED = 24
"""Other wordings of a case that are read to see whether the response differs."""


class JudgementName(Query, frozen=True, kw_only=True):
    """What a request says of the judgement that it wants: the first one of the case where it says nothing more."""

    case: Annotated[str, Meta(max_length=20_000)] = ""
    """The case's id."""
    judge: Annotated[str, Meta(max_length=500)] = ""
    """The first of the case's judges when left out."""
    model: Annotated[str, Meta(max_length=2_000)] = ""
    """The first of the case's models when left out."""
    repeat: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    """The first one when left out."""


def case_detail(service: Service, reference: str, name: JudgementName, wanted: CaseFilter) -> CaseDetail:
    """`reference` is the run's; `wanted` the filter of the list that the case stands in."""
    record = service.run(reference)
    judged = service.store.judgement(record.run_id, name.case, name.judge or None, name.model or None)
    found = [each for each in judged if name.repeat is None or each.repeat == name.repeat]
    if not found:
        raise NotFoundError(
            f"case {name.case}",
            f"is not in run {record.run_id}"
            if not name.judge
            else f"was not judged so in run {record.run_id}",
            "the run's cases list all there are",
        )
    judgement = min(found, key=lambda each: not is_jury(each.model))  # a jury stands for its votes
    repeats = [each for each in judged if (each.judge, each.model) == (judgement.judge, judgement.model)]
    case = service.store.case(record.run_id, judgement.case_id)
    used = _judge(service, record, judgement)
    filled = case_fields(used, case, record.plan) if case is not None and used is not None else None
    others, left_out = _others(service, record, judgement, case)
    key = JudgementKey(judgement.case_id, judgement.judge, judgement.model, judgement.repeat)
    return CaseDetail(
        run=record.run_id,
        key=to_key(record.run_id),
        run_name=record.name,
        case_id=encodable(judgement.case_id),
        place=None if judgement.place is None else encodable(str(judgement.place)),
        bad_row=isinstance(judgement.outcome, Failed) and judgement.outcome.kind == "bad_row",
        scale=(used.scale.low, used.scale.high) if used is not None and used.scale is not None else None,
        row=dict(result_row(judgement, record.run_id)),
        fields=_fields(case, filled),
        columns={} if case is None else _object(case.columns),
        metadata=_object(judgement.metadata),
        scoring=convert(
            score_rows(explain_score(judgement, used, filled, judgements=repeats)).as_json(), ScoreRows
        ),
        notes=[_note(note) for note in judgement.notes],
        calls=[_call(call) for call in judgement.calls],
        labels=[
            stored_label(each)
            for each in service.store.case_labels(record.run_id, judgement.case_id, judgement.judge)
        ],
        own_label=records_json(judgement.label),
        annotators=records_json(judgement.annotators),
        choices=None if case is None else choices_of(used, _label_scale(judgement, used)),
        others=others,
        others_left_out=left_out,
        in_list=neighbours(service, record, wanted, key),
        among_failed=_among_failed(service, record, wanted, key),
    )


def _among_failed(
    service: Service, record: RunRecord, wanted: CaseFilter, key: JudgementKey
) -> ListPosition | None:
    if wanted.passed == "no":
        return None
    found = neighbours(service, record, CaseFilter(judge=wanted.judge, passed="no", sort=wanted.sort), key)
    return found if found is not None and found.total else None


def _judge(service: Service, record: RunRecord, judgement: Judgement) -> Judge | None:
    name = (judgement.judge, judgement.judge_hash)
    return next(
        (judge for judge in judges_of(service.store, record) if (judge.name, judge.hash) == name), None
    )


def _object(values: Mapping[str, Json]) -> dict[str, Any]:
    plain = records_json(dict(values))
    assert isinstance(plain, dict)
    return plain


# ---- the case ----


def _fields(case: Case | None, filled: Mapping[str, Json] | None) -> list[CaseField]:
    """What the judge was given, in the order in which a person reads it; what it was not given comes from the case."""
    if case is None:
        return []
    values = {**case.fields, **(filled or {})}
    column_of = {id(value): name for name, value in case.columns.items()}
    found = []
    for name in (*FIELDS, *(each for each in values if each not in ALIASES and each != "parameters")):
        value = values.get(name)
        if value is None:
            continue
        column = column_of.get(id(value)) if isinstance(value, str | list | dict) else None
        found.append(
            CaseField(
                name=encodable(name),
                column=None if column in (None, name) else encodable(str(column)),
                value=records_json(value),
            )
        )
    return found


# ---- the judgement ----


def _note(note: str) -> NoteDetail:
    kind = note.partition(":")[0]
    return NoteDetail(note=encodable(note), kind=encodable(kind), means=NOTES.get(kind))


def _call(call: Call) -> CallDetail:
    request, completion = call.request, call.completion
    usage = completion.usage
    return CallDetail(
        step=encodable(request.step),
        messages=[
            Message(role=message.role, content=encodable(message.content))
            for message in request.prompt.messages
        ],
        reply=encodable(completion.text),
        finish=completion.finish,
        shared=request.shared,
        from_store=completion.from_store,
        attempts=completion.attempts,
        model_snapshot=None if completion.model_snapshot is None else encodable(completion.model_snapshot),
        input_tokens=usage.input,
        output_tokens=usage.output,
        cached_tokens=usage.cached,
        cost=None if completion.cost is None else float(completion.cost),
        latency_ms=completion.latency_ms,
        temperature=request.temperature,
        max_output_tokens=request.max_output_tokens,
        parameters=_object(request.parameters),
        notes=[encodable(note) for note in completion.notes],
    )


def _label_scale(judgement: Judgement, judge: Judge | None) -> LabelScale:
    return label_scale_of(judgement.judge, judge, has_rule=judgement.passed is not None)


# ---- where else it stands ----


def _others(
    service: Service, record: RunRecord, judgement: Judgement, case: Case | None
) -> tuple[list[OtherJudgement], int]:
    """The run's own other judges and repeats first, then other runs, the latest first; and how many more there are."""
    lines = service.store.same_case(judgement.case_id)

    def is_this(line: JudgementLine) -> bool:
        names = (line.run_id, line.judge, line.model, line.repeat)
        return names == (record.run_id, judgement.judge, judgement.model, judgement.repeat)

    ours = next(filter(is_this, lines), None)
    rest = [line for line in lines if not is_this(line)]
    rest.sort(key=lambda line: line.run_id != record.run_id)  # stable: the latest stay first
    listed = rest[:MAX_OTHERS]
    runs = {each.run_id: each for each in (record, *service.store.runs())}
    same = _compared(service, listed, judgement.case_id, ours, case)
    return [_other(line, runs.get(line.run_id), same) for line in listed], len(rest) - len(listed)


Same = Literal["same", "same_response", "another_response", "unknown"]


def _compared(
    service: Service,
    lines: Sequence[JudgementLine],
    case_id: str,
    ours: JudgementLine | None,
    case: Case | None,
) -> dict[str, Same]:
    """Case hash -> how that case differs from this one."""
    known: dict[str, Same] = {}
    if ours is None or ours.case_hash is None or case is None:
        return known
    known[ours.case_hash] = "same"
    for line in lines:
        if line.case_hash is None or line.case_hash in known or len(known) > MAX_COMPARED:
            continue
        other = service.store.case(line.run_id, case_id)
        if other is not None:
            known[line.case_hash] = "same_response" if other.answers_like(case) else "another_response"
    return known


def _other(line: JudgementLine, run: RunRecord | None, same: Mapping[str, Same]) -> OtherJudgement:
    return OtherJudgement(
        run=encodable(line.run_id),
        key=to_key(line.run_id),
        name=run.name if run else None,
        judge=encodable(line.judge),
        judge_hash=line.judge_hash,
        model=encodable(line.model),
        repeat=line.repeat,
        outcome=line.outcome,
        score=line.score,
        passed=line.passed,
        at=line.at,
        case="unknown" if line.case_hash is None else same.get(line.case_hash, "unknown"),
    )
