"""Labels in and out of the store as files, and what they say of the judge: the part of labelling that is not blind."""

import csv
import io
from collections.abc import Iterable
from typing import Any, Literal

from adjudge.dataset.labels import read_labels
from adjudge.documents.writers import csv_cell, json_line
from adjudge.errors import InputError
from adjudge.records import Json
from adjudge.reports.agree import Asked
from adjudge.reports.agree_given import judged_in, report_on, store_labels, stored_labels
from adjudge.reports.agree_json import agree_json
from adjudge.reports.format import plain_json
from adjudge.server.service import Service
from adjudge.server.shapes_label import Imported, LabelList, LabelRow
from adjudge.server.views_label import find_subject, shown_id
from adjudge.store import KeptLabel

MOST_FILE_BYTES = 8 * 1024 * 1024
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
    return LabelList(labels=[_row(each) for each in found[first : first + size]], total=len(found))


def write_labels(service: Service, run: str, *, judge: str, annotator: str | None, form: Form) -> bytes:
    """A file that `adjudge agree RUN FILE` reads, and this server too."""
    rows = (_exported(each) for each in _labels(service, run, judge, annotator))
    return _csv(rows) if form == "csv" else b"".join(json_line(row) for row in rows)


def import_labels(service: Service, run: str, data: bytes, *, judge: str, annotator: str) -> Imported:
    """As `adjudge agree RUN FILE` reads and stores them; `annotator` is who gave those that name nobody."""
    if len(data) > MOST_FILE_BYTES:
        most = MOST_FILE_BYTES // (1024 * 1024)
        raise InputError(FILE, f"are more than {most} MiB", "send them in parts, or use `adjudge agree`")
    subject = find_subject(service, run, judge)
    rows = read_labels("-", stdin=io.BytesIO(data), name=FILE)
    said: list[str] = []
    judged = judged_in(service.store, subject.record, judge=judge or None)
    stored = store_labels(
        service.store,
        subject.record.run_id,
        judged,
        rows,
        file=FILE,
        annotator=annotator or None,
        say=said.append,
    )
    if stored.elsewhere:
        said.append(f"{stored.elsewhere} labels of cases that this run does not have left out")
    return Imported(labels=stored.labels, new=stored.new, said=[str(plain_json(each)) for each in said])


def agreement(
    service: Service, run: str, *, judge: str, slices: tuple[str, ...] = (), disagreements: int = 5
) -> dict[str, Any]:
    """What `adjudge agree RUN --json` prints."""
    subject = find_subject(service, run, judge)
    judged = judged_in(service.store, subject.record, judge=judge or None, slices=slices)
    given = stored_labels(service.store, subject.record.run_id, judged)
    asked = Asked(slices=slices, disagreements=disagreements)
    found = agree_json(report_on(service.store, subject.record.run_id, judged, given, asked))
    assert isinstance(found, dict)
    return found


def _labels(service: Service, run: str, judge: str, annotator: str | None) -> list[KeptLabel]:
    subject = find_subject(service, run, judge)
    kept = [
        label
        for seen_verdict in (False, True)
        for label in service.store.labels(subject.record.run_id, subject.name, seen_verdict=seen_verdict)
    ]
    return [label for label in kept if annotator is None or label.annotator == annotator]


def _row(label: KeptLabel) -> LabelRow:
    return LabelRow(
        case_id=shown_id(label.case_id),
        judge=str(plain_json(label.judge)),
        annotator=str(plain_json(label.annotator)),
        label=label.label,
        explanation=None if label.explanation is None else str(plain_json(label.explanation)),
        seen_verdict=label.seen_verdict,
        at=label.at,
        draw=label.draw,
        probability=label.probability,
    )


def _exported(label: KeptLabel) -> dict[str, Json]:
    row = _row(label)
    return {**{name: getattr(row, name) for name in COLUMNS}, "at": row.at.isoformat()}


def _csv(rows: Iterable[dict[str, Json]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([csv_cell(row[name]) for name in COLUMNS] for row in rows)
    return text.getvalue().encode()
