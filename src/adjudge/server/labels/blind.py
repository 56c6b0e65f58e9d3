"""Labelling, blind: whose turn it is, what is shown of a case, what is kept. Nothing of a verdict is shown on the way."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from typing import cast

from adjudge.analysis.agreement.document import drawn_how
from adjudge.analysis.agreement.label_files import with_draws
from adjudge.analysis.agreement.labelling_task import store_draw
from adjudge.analysis.agreement.verdicts import asked_criteria, criteria_in, judged_in, part_verdicts
from adjudge.analysis.chosen_model import usual_model
from adjudge.analysis.scores.figures import case_fields
from adjudge.documents.records_json import records_json
from adjudge.errors import InputError
from adjudge.labels.blank_rows import fields_to_label
from adjudge.labels.draws import DrawRequest
from adjudge.labels.label_scale import LabelScale, Meaning, label_scale_of, off_scale_error
from adjudge.labels.parts import read_parts
from adjudge.records import Case, Criterion, Json, Judge, LabelDraw
from adjudge.server.keys import to_key
from adjudge.server.labels.choices import choices_of, parts_of
from adjudge.server.labels.shapes import (
    EVERY_CASE,
    BlindCase,
    DrawBody,
    DrawMade,
    JudgeToLabel,
    Kept,
    LabelBody,
    Labeller,
    LabelState,
    Mine,
    Parts,
    Removed,
    Turn,
    TurnQuery,
)
from adjudge.server.service import NotFoundError, Service
from adjudge.store import KeptLabel, RunRecord, planned_judges
from adjudge.text import encodable


@dataclass(frozen=True, kw_only=True, slots=True)
class RunJudge:
    """A judge of a run, as far as people who label need it."""

    record: RunRecord
    name: str
    """Labels belong to a judge's name, whatever its version."""
    reference: str
    judge: Judge | None
    """None where the store has not got its file."""
    judged: int


def subjects(service: Service, run: str) -> list[RunJudge]:
    """The judges of a run, in the order of its plan."""
    record = service.run(run)
    figures = service.figures.get(record)
    sources = {(each.name, each.hash): each for each in figures.judges}
    pairs = [each.rpartition("@")[::2] for each in planned_judges(record.plan)]
    names = Counter(name for name, _ in pairs)
    judged = Counter[tuple[str, str]]()
    for summary in figures.report.judges:
        judged[summary.judge, summary.judge_hash] += summary.judged
    return [
        RunJudge(
            record=record,
            name=name,
            reference=name if names[name] == 1 else f"{name}@{judge_hash}",
            judge=sources.get((name, judge_hash)),
            judged=judged[name, judge_hash],
        )
        for name, judge_hash in pairs
    ]


def find_subject(service: Service, run: str, judge: str) -> RunJudge:
    """By name or `name@hash`; the only one where none is named."""
    everyone = subjects(service, run)
    found = [each for each in everyone if not judge or judge in (each.reference, each.name, _full(each))]
    if len(found) == 1:
        return found[0]
    named = ", ".join(each.reference for each in everyone) or "none"
    run_id = service.run(run).run_id
    if not found:
        raise NotFoundError(f"run {run_id}", f"has no judge {judge}", f"its judges are {named}")
    raise InputError(f"run {run_id}", f"has several judges: {named}", "say which one with `judge`")


def label_scale_for(service: Service, subject: RunJudge) -> LabelScale:
    """How labels are read, without a look at the verdicts: whether passes are told apart is in the run's figures."""
    summaries = service.figures.get(subject.record).report.judges
    has_rule = any(each.judge == subject.name and each.pass_rate is not None for each in summaries)
    return label_scale_of(subject.name, subject.judge, has_rule=has_rule)


# ---- whose turn ----


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelQueue:
    """The drawn cases that are one annotator's to label, in an order that tells nothing."""

    order: Mapping[str, int]
    """Case id -> the draw that chose it."""
    tickets: Mapping[str, str]
    """Ticket -> case id."""
    mine: Mapping[str, KeptLabel]
    """This annotator's labels of them."""

    @property
    def left(self) -> int:
        return len(self.order) - len(self.mine)

    def find(self, case: str) -> str | None:
        """By its ticket or its id."""
        return self.tickets.get(case, case if case in self.order else None)

    def after(self, case_id: str | None) -> str | None:
        """The next one without a label, going round; the same again only when no other is left."""
        ids = list(self.order)
        start = ids.index(case_id) + 1 if case_id is not None else 0
        return next((each for each in ids[start:] + ids[:start] if each not in self.mine), None)


def label_queue(
    subject: RunJudge,
    annotator: str,
    overlap: float,
    draws: Sequence[LabelDraw],
    labels: Sequence[KeptLabel],
    *,
    seen: Sequence[KeptLabel] = (),
) -> LabelQueue:
    """Of the cases that others have labelled, those that this annotator labelled too and a share of the rest.

    Without those that this annotator labelled after seeing the verdict (`seen`): a second label would not be blind.

    That share is the same for all annotators, so that what several label, all do. The earlier draw comes first:
    the chances of a later one count as soon as one of its cases has a label.
    """
    mine = {label.case_id: label for label in labels if label.annotator == annotator}
    others = {label.case_id for label in labels if label.annotator != annotator}
    no_longer_blind = {label.case_id for label in seen if label.annotator == annotator} - mine.keys()
    order: dict[str, int] = {}
    for draw in draws:
        offered = [
            case_id
            for case_id in draw.chosen
            if case_id not in no_longer_blind
            if case_id in mine or case_id not in others or _is_shared(subject, case_id, overlap)
        ]
        for case_id in sorted(offered, key=lambda case_id: _place(subject, annotator, case_id)):
            order.setdefault(case_id, draw.number)
    return LabelQueue(
        order=order,
        tickets={ticket(subject, case_id): case_id for case_id in order},
        mine={case_id: mine[case_id] for case_id in order if case_id in mine},
    )


def _labels(service: Service, subject: RunJudge) -> tuple[list[KeptLabel], list[KeptLabel]]:
    """Blind ones, and those given after seeing the verdict."""
    run_id, name = subject.record.run_id, subject.name
    return service.store.labels(run_id, name), service.store.labels(run_id, name, seen_verdict=True)


def take_turn(service: Service, run: str, wanted: TurnQuery) -> Turn:
    """That case, or the next one without a label of this annotator's after `after`, or the first."""
    annotator, case, after = wanted.annotator, wanted.case, wanted.after
    subject = find_subject(service, run, wanted.judge)
    run_id = subject.record.run_id
    draws = service.store.draws(run_id, subject.name)
    labels, seen = _labels(service, subject)
    queue = label_queue(subject, annotator, wanted.overlap, draws, labels, seen=seen)
    if case:
        current = queue.find(case)
        if current is None:
            raise NotFoundError(
                f"case {case[:100]}", "is none of those drawn for you", "begin at the label page"
            )
    else:
        current = queue.after(queue.find(after) if after else None)
    case_shown = None if current is None else service.store.case(run_id, current)
    criteria = () if current is None else _criteria(service, subject, current)
    latest = max(queue.mine.values(), key=lambda label: label.at, default=None)
    return Turn(
        run=run_id,
        key=to_key(run_id),
        judge=subject.reference,
        annotator=annotator,
        overlap=wanted.overlap,
        labelled=len(queue.mine),
        total=len(queue.order),
        choices=choices_of(
            subject.judge,
            label_scale_for(service, subject),
            parts=parts_of(subject.judge, criteria),
        ),
        description=encodable(subject.judge.description) if subject.judge else "",
        prompt=encodable(subject.judge.body.strip()) if subject.judge else "",
        case=None if current is None else _blind(subject, queue, current, case_shown),
        undo=None if latest is None else ticket(subject, latest.case_id),
    )


def _blind(subject: RunJudge, queue: LabelQueue, case_id: str, case: Case | None) -> BlindCase:
    ids = list(queue.order)
    place = ids.index(case_id)
    mine = queue.mine.get(case_id)
    return BlindCase(
        case_id=encodable(case_id),
        ticket=ticket(subject, case_id),
        shown=dict(_plain(fields_to_label(case, subject.judge))) if case else {},
        draw=queue.order[case_id],
        place=place + 1,
        previous=ticket(subject, ids[place - 1]) if place else None,
        following=ticket(subject, ids[place + 1]) if place + 1 < len(ids) else None,
        mine=None
        if mine is None
        else Mine(
            label=mine.label,
            parts=shown_parts(mine),
            explanation=encodable(mine.explanation or ""),
            at=mine.at,
        ),
    )


def _criteria(service: Service, subject: RunJudge, case_id: str) -> Sequence[Criterion]:
    """Of a rubric in the cases, what the judge was asked is read from its verdict, and nothing of its answers; of a
    case without one from the case.
    """
    judge, record = subject.judge, subject.record
    if judge is None or judge.rubric is None or judge.rubric.column is None:
        return asked_criteria(judge, ())
    stored = service.store.judgement(record.run_id, case_id, subject.name, usual_model(record))
    found = (asked_criteria(judge, part_verdicts(judge, each.verdict)) for each in stored)
    case = service.store.case(record.run_id, case_id)
    fields = None if case is None else case_fields(judge, case, record.plan)
    return next(filter(None, found), None) or criteria_in(judge, fields)


def shown_parts(label: KeptLabel) -> Parts | None:
    return None if label.parts is None else {encodable(name): each for name, each in label.parts.items()}


def ticket(subject: RunJudge, case_id: str) -> str:
    """Any text is an id, and neither an address nor a form brings every text back as it was."""
    return _digest(subject, f"ticket\0{case_id}").hex()


def _plain(fields: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for name, value in fields.items():
        yield encodable(name), records_json(value)


def _place(subject: RunJudge, annotator: str, case_id: str) -> bytes:
    """Another order for every annotator, the same on every day, and nothing of the verdict in it."""
    return _digest(subject, f"{annotator}\0{case_id}")


def _is_shared(subject: RunJudge, case_id: str, overlap: float) -> bool:
    return int.from_bytes(_digest(subject, case_id)[:8]) < overlap * 2**64


def _digest(subject: RunJudge, text: str) -> bytes:
    key = sha256(f"{subject.record.run_id}\0{subject.name}".encode("utf-8", "surrogatepass")).digest()
    return blake2b(text.encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest()


def _full(subject: RunJudge) -> str:
    return f"{subject.name}@{subject.judge.hash}" if subject.judge else subject.reference


# ---- what is said ----


def keep_label(service: Service, run: str, body: LabelBody) -> Kept:
    """In the store, for good, before this returns; what the annotator said of the case before is replaced.

    A label given after seeing the verdict stands apart from a blind one, and belongs to no draw.
    """
    subject = find_subject(service, run, body.judge)
    run_id, store = subject.record.run_id, service.store
    draws, before = store.draws(run_id, subject.name), store.labels(run_id, subject.name)
    case_id = _known_id(service, subject, body.case_id, draws)
    meaning, parts = _read(service, subject, case_id, body)
    label = KeptLabel(
        case_id=case_id,
        judge=subject.name,
        label=meaning,
        parts=parts,
        run_id=run_id,
        annotator=body.annotator,
        explanation=body.explanation.strip() or None,
        seen_verdict=body.seen_verdict,
        at=datetime.now(UTC),
    )
    store.keep_labels(run_id, [label] if label.seen_verdict else with_draws([label], draws, before))
    drawn = {case for draw in draws for case in draw.chosen}
    mine = {each.case_id for each in before if each.annotator == body.annotator}
    if not label.seen_verdict:
        mine.add(case_id)
    return Kept(
        case_id=encodable(case_id),
        judge=subject.reference,
        annotator=body.annotator,
        label=meaning,
        parts=shown_parts(label),
        explanation=label.explanation or "",
        seen_verdict=label.seen_verdict,
        at=label.at,
        labelled=len(mine & drawn),
    )


def _read(
    service: Service, subject: RunJudge, case_id: str, body: LabelBody
) -> tuple[Meaning | None, Mapping[str, Meaning] | None]:
    """What it says of the whole, and by part where it names parts."""
    where, label = f"case {body.case_id[:100]}", cast("Json", body.label)
    if isinstance(label, list | dict):
        found = read_parts(where, label, subject.judge, _criteria(service, subject, case_id))
        if found is not None and found.parts:
            return found
        if found is not None:
            raise InputError(where, "nothing was said of it", "answer one of the questions, or skip the case")
    scale = label_scale_for(service, subject)
    meaning = scale.place(label)
    if meaning is None or isinstance(meaning, str):
        raise off_scale_error(where, [label], scale)
    return meaning, None


def remove_label(
    service: Service, run: str, *, judge: str, annotator: str, case_id: str, seen_verdict: bool = False
) -> Removed:
    subject = find_subject(service, run, judge)
    run_id = subject.record.run_id
    known = _known_id(service, subject, case_id, service.store.draws(run_id, subject.name))
    removed = service.store.remove_labels(
        run_id, subject.name, annotator=annotator, case_id=known, seen_verdict=seen_verdict
    )
    return Removed(removed=removed)


def _known_id(service: Service, subject: RunJudge, case: str, draws: Sequence[LabelDraw]) -> str:
    """Of an id or a ticket; an error where the run has no such case."""
    run_id = subject.record.run_id
    for draw in draws:
        for case_id in draw.chosen:
            if ticket(subject, case_id) == case:
                return case_id
    if service.store.case(run_id, case) is None:
        raise NotFoundError(f"case {case[:100]}", f"is not in run {run_id}", "take what `next` gave")
    return case


# ---- draws, and how far everybody is ----


def make_draw(service: Service, run: str, body: DrawBody) -> DrawMade:
    """As `adjudge agree RUN --next N` draws."""
    subject = find_subject(service, run, body.judge)
    record, store = subject.record, service.store
    judged = judged_in(store, record, judge=body.judge or None, model=usual_model(record))
    draw = store_draw(
        store,
        record.run_id,
        judged.verdicts,
        DrawRequest(count=body.count, uniform_share=body.uniform_share, seed=body.seed, at=datetime.now(UTC)),
    )
    return DrawMade(
        run=record.run_id,
        judge=subject.reference,
        number=draw.number,
        drawn=len(draw.chosen),
        judged=len(draw.chances),
        seed=draw.seed,
        uniform_share=draw.uniform_share,
        how=drawn_how(draw.basis, draw.uniform_share),
    )


def label_state(
    service: Service, run: str, *, annotator: str = "", overlap: float = EVERY_CASE
) -> LabelState:
    """What there is to label in a run, and how far this annotator and the others are."""
    record = service.run(run)
    found = []
    for subject in subjects(service, run):
        draws = service.store.draws(record.run_id, subject.name)
        labels, seen = _labels(service, subject)
        queue = label_queue(subject, annotator, overlap, draws, labels, seen=seen)
        counts = Counter(label.annotator for label in labels)
        found.append(
            JudgeToLabel(
                judge=subject.name,
                reference=subject.reference,
                judged=subject.judged,
                draws=len(draws),
                drawn=sum(len(draw.chosen) for draw in draws),
                mine=len(queue.mine) if annotator else 0,
                left=queue.left if annotator else 0,
                annotators=[
                    Labeller(name=encodable(name), labelled=count) for name, count in sorted(counts.items())
                ],
            )
        )
    return LabelState(
        run=record.run_id,
        key=to_key(record.run_id),
        name=record.name,
        state=record.state,
        annotator=annotator,
        overlap=overlap,
        judges=found,
    )
