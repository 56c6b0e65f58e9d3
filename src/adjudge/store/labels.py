"""What people said of cases, and which cases were drawn for them: rows <-> records, each over one open transaction.

A label belongs to a case as it stood (its hash) and to a judge's name. So it is found again by every run over the same
case, whatever the model or the version of the judge, and by none in which the answer is another.
"""

from collections.abc import Sequence

from adjudge.records import Json, LabelDraw
from adjudge.store.packing import (
    dump_json,
    from_micros,
    load_json,
    pack,
    to_micros,
    to_name,
    unpack,
)
from adjudge.store.records import KeptLabel
from adjudge.store.sql import MAX_KEYS, Row, SqlSession, Value, chunks, in_list, insert

LABELS = (
    "judge", "case_id", "case_hash", "annotator", "seen_verdict", "run_id", "body", "draw", "probability", "at",
)  # fmt: skip
LABEL_COLUMNS = "l.body, l.draw, l.probability, l.seen_verdict, l.at"
DRAWS = ("run_id", "judge", "number", "body", "at")


def keep_labels(session: SqlSession, run_id: str, labels: Sequence[KeptLabel]) -> int:
    """How many were new; one that the annotator had given before takes the new one's place."""
    hashes = _case_hashes(session, run_id, sorted({label.case_id for label in labels}))
    rows: list[Row] = []
    replaced = 0
    for label in labels:
        case_hash = hashes.get(to_name(label.case_id))
        if case_hash is None:
            continue
        key = (
            to_name(label.judge), to_name(label.case_id), case_hash, to_name(label.annotator), label.seen_verdict,
        )  # fmt: skip
        replaced += session.change(
            "DELETE FROM labels WHERE judge = ? AND case_id = ? AND case_hash = ? AND annotator = ?"
            " AND seen_verdict = ?",
            key,
        )
        body: list[Json] = [
            label.case_id,
            label.judge,
            label.annotator,
            label.label,
            label.explanation,
            label.run_id,
        ]
        if label.tuning or label.parts:
            body.append(label.tuning)
        if label.parts:
            body.append(dict(label.parts))
        rows.append(
            (
                *key,
                to_name(label.run_id),
                pack(dump_json(body)),
                label.draw,
                label.probability,
                to_micros(label.at),
            )
        )
    return insert(session, "labels", LABELS, rows) - replaced


def labels(session: SqlSession, run_id: str, judge: str, *, seen_verdict: bool) -> list[KeptLabel]:
    """Those of the cases of a run as they stand in it, in the order of their ids."""
    rows = session.query(
        f"SELECT {LABEL_COLUMNS} FROM labels l WHERE l.judge = ? AND l.seen_verdict = ? AND EXISTS ("  # noqa: S608 - columns of ours
        "SELECT 1 FROM judgements j WHERE j.run_id = ? AND j.case_id = l.case_id AND j.judge = l.judge"
        " AND j.case_hash = l.case_hash)",
        [to_name(judge), seen_verdict, to_name(run_id)],
    )
    # sorted here, because databases differ in how they order text
    return sorted((read_label(row) for row in rows), key=lambda label: (label.case_id, label.annotator))


def labels_mark(session: SqlSession, judge: str) -> str:
    rows = session.query("SELECT count(*), max(at) FROM labels WHERE judge = ?", [to_name(judge)])
    return f"{rows[0][0]}-{rows[0][1]}"


def remove_labels(
    session: SqlSession,
    run_id: str,
    judge: str,
    *,
    annotator: str | None,
    case_id: str | None,
    seen_verdict: bool | None,
) -> int:
    """Those of a run's cases: of one annotator, of one case, blind or not, or of all; how many went."""
    condition, values = "", list[Value]([to_name(judge), to_name(run_id)])
    if annotator is not None:
        condition, values = " AND annotator = ?", [*values, to_name(annotator)]
    if case_id is not None:
        condition, values = f"{condition} AND case_id = ?", [*values, to_name(case_id)]
    if seen_verdict is not None:
        condition, values = f"{condition} AND seen_verdict = ?", [*values, seen_verdict]
    return session.change(
        "DELETE FROM labels WHERE judge = ? AND EXISTS (SELECT 1 FROM judgements j WHERE j.run_id = ?"  # noqa: S608 - a condition of ours
        " AND j.case_id = labels.case_id AND j.judge = labels.judge AND j.case_hash = labels.case_hash)"
        f"{condition}",
        values,
    )


def keep_draw(session: SqlSession, draw: LabelDraw) -> bool:
    """Whether it was kept: not when another process has made a draw of its number meanwhile."""
    body = [
        draw.run_id,
        draw.judge,
        list(draw.chosen),
        list(draw.chances),
        list(draw.chances.values()),
        list(draw.basis),
        draw.uniform_share,
        draw.seed,
    ]
    row = (to_name(draw.run_id), to_name(draw.judge), draw.number, pack(dump_json(body)), to_micros(draw.at))
    return insert(session, "draws", DRAWS, [row]) == 1


def draws(session: SqlSession, run_id: str, judge: str) -> list[LabelDraw]:
    """In the order in which they were made."""
    rows = session.query(
        "SELECT number, body, at FROM draws WHERE run_id = ? AND judge = ? ORDER BY number",
        [to_name(run_id), to_name(judge)],
    )
    return [_draw(row) for row in rows]


def _case_hashes(session: SqlSession, run_id: str, case_ids: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for chunk in chunks(case_ids, MAX_KEYS):
        sql = (
            "SELECT DISTINCT case_id, case_hash FROM judgements WHERE case_hash IS NOT NULL"  # noqa: S608 - placeholders only
            f" AND run_id = ? AND case_id IN {in_list(len(chunk))}"
        )
        rows = session.query(sql, [to_name(run_id), *map(to_name, chunk)])
        found |= {case_id: bytes(case_hash) for case_id, case_hash in rows}
    return found


def read_label(row: Row) -> KeptLabel:
    """Of `LABEL_COLUMNS`."""
    body, draw, probability, seen_verdict, at = row
    case_id, judge, annotator, label, explanation, run_id, *more = load_json(unpack(body))
    return KeptLabel(
        case_id=case_id,
        judge=judge,
        annotator=annotator,
        label=label,
        explanation=explanation,
        run_id=run_id,
        draw=draw,
        probability=probability,
        tuning=bool(more and more[0]),
        seen_verdict=bool(seen_verdict),
        parts=more[1] if len(more) > 1 else None,
        at=from_micros(at),
    )


def _draw(row: Row) -> LabelDraw:
    number, body, at = row
    run_id, judge, chosen, cases, chances, basis, uniform_share, seed = load_json(unpack(body))
    return LabelDraw(
        run_id=run_id,
        judge=judge,
        number=number,
        chosen=tuple(chosen),
        chances=dict(zip(cases, chances, strict=True)),
        basis=tuple(basis),
        uniform_share=uniform_share,
        seed=seed,
        at=from_micros(at),
    )
