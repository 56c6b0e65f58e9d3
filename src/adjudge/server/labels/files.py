"""Labels in and out of the store as files, and what they say of the judge: the part of labelling that is not blind."""

import io
from typing import Literal

from adjudge.analysis.agreement.document import note_text
from adjudge.analysis.agreement.figures import AgreementOptions, AgreementReport, agreement_of
from adjudge.analysis.agreement.label_files import FileNote, take_labels
from adjudge.analysis.agreement.stored_labels import stored_labels
from adjudge.analysis.agreement.verdicts import judged_in
from adjudge.analysis.chosen_model import usual_model
from adjudge.dataset.read import read_table
from adjudge.documents.writers import csv_table, json_line
from adjudge.errors import InputError
from adjudge.labels.label_rows import read_labels
from adjudge.records import Json
from adjudge.server.labels.blind import find_subject, shown_parts
from adjudge.server.labels.shapes import Imported, ImportNote, LabelList, StoredLabel
from adjudge.server.service import Service
from adjudge.store import KeptLabel
from adjudge.text import encodable

MAX_FILE_BYTES = 8 * 1024 * 1024
FILE = "the labels"
COLUMNS = (
    "case_id",
    "label",
    "annotator",
    "explanation",
    "seen_verdict",
    "judge",
    "at",
    "draw",
    "probability",
)
Form = Literal["jsonl", "csv"]


def list_labels(
    service: Service, run: str, *, judge: str, annotator: str | None, first: int, size: int
) -> LabelList:
    found = _labels(service, run, judge, annotator)
    return LabelList(labels=[stored_label(each) for each in found[first : first + size]], total=len(found))


def write_labels(service: Service, run: str, *, judge: str, annotator: str | None, form: Form) -> bytes:
    """A file that `adjudge agree RUN FILE` reads, and this server too."""
    rows = (_exported(each) for each in _labels(service, run, judge, annotator))
    return csv_table(COLUMNS, rows) if form == "csv" else b"".join(json_line(row) for row in rows)


def import_labels(service: Service, run: str, data: bytes, *, judge: str, annotator: str) -> Imported:
    """As `adjudge agree RUN FILE` reads and stores them; `annotator` is who gave those that name nobody."""
    if len(data) > MAX_FILE_BYTES:
        most = MAX_FILE_BYTES // (1024 * 1024)
        raise InputError(FILE, f"are more than {most} MiB", "send them in parts, or use `adjudge agree`")
    subject = find_subject(service, run, judge)
    rows = read_labels(*read_table("-", stdin=io.BytesIO(data), name=FILE))
    judged = judged_in(service.store, subject.record, judge=judge or None, model=usual_model(subject.record))
    stored = take_labels(
        service.store, subject.record.run_id, judged, rows, file=FILE, annotator=annotator or None
    )
    notes = list(stored.notes)
    if stored.elsewhere:
        notes.append(FileNote(kind="unknown_cases", rows=stored.elsewhere))
    return Imported(
        labels=len(stored.labels),
        new=stored.new,
        notes=[ImportNote(kind=note.kind, text=encodable(note_text(note, FILE))) for note in notes],
    )


def agreement(
    service: Service, run: str, *, judge: str, slices: tuple[str, ...] = (), disagreements: int = 5
) -> AgreementReport:
    """What `adjudge agree RUN` tells of."""
    subject = find_subject(service, run, judge)
    run_id = subject.record.run_id
    judged = judged_in(
        service.store,
        subject.record,
        judge=judge or None,
        model=usual_model(subject.record),
        slices=slices,
    )
    labels = stored_labels(service.store, run_id, judged)
    options = AgreementOptions(slices=slices, disagreements=disagreements)
    return agreement_of(service.store, run_id, judged, labels, options)


def _labels(service: Service, run: str, judge: str, annotator: str | None) -> list[KeptLabel]:
    subject = find_subject(service, run, judge)
    kept = [
        label
        for seen_verdict in (False, True)
        for label in service.store.labels(subject.record.run_id, subject.name, seen_verdict=seen_verdict)
    ]
    return [label for label in kept if annotator is None or label.annotator == annotator]


def stored_label(label: KeptLabel) -> StoredLabel:
    """As the API gives it."""
    return StoredLabel(
        case_id=encodable(label.case_id),
        judge=encodable(label.judge),
        annotator=encodable(label.annotator),
        label=label.label,
        parts=shown_parts(label),
        explanation=None if label.explanation is None else encodable(label.explanation),
        seen_verdict=label.seen_verdict,
        at=label.at,
        draw=label.draw,
        probability=label.probability,
    )


def _exported(label: KeptLabel) -> dict[str, Json]:
    row = stored_label(label)
    return {
        **{name: getattr(row, name) for name in COLUMNS},
        "label": row.label if row.parts is None else dict(row.parts),
        "at": row.at.isoformat(),
    }
