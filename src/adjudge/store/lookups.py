"""Rows -> records for a person who looks at one case: where else it was judged, and under what settings."""

from collections.abc import Mapping
from operator import itemgetter

from adjudge.records import Json
from adjudge.store.labels import read_label
from adjudge.store.packing import from_column, from_micros, load_json, to_name, unpack
from adjudge.store.reading import full_names_of
from adjudge.store.records import JudgementLine, KeptLabel
from adjudge.store.sql import MOST_KEYS, Session, chunks, in_list


def same_case(session: Session, case_id: str, most_runs: int) -> list[JudgementLine]:
    """Run by run, because that is how judgements are indexed: each run is one look-up."""
    runs = [
        row[0]
        for row in session.query(
            "SELECT run_id FROM runs ORDER BY started_at DESC, run_id DESC LIMIT ?", [most_runs]
        )
    ]
    found: dict[str, list[tuple[int, JudgementLine]]] = {}
    for chunk in chunks(runs, MOST_KEYS):
        sql = (
            "SELECT made, run_id, case_id, judge, judge_hash, repeat, outcome, score, passed, case_hash, at, full_names"  # noqa: S608 - placeholders only
            f" FROM judgements WHERE run_id IN {in_list(len(chunk))} AND case_id = ?"
        )
        for row in session.query(sql, [*chunk, to_name(case_id)]):
            (
                made,
                run_id,
                case_column,
                judge,
                judge_hash,
                repeat,
                outcome,
                score,
                passed,
                case_hash,
                at,
                full,
            ) = row
            line = JudgementLine(
                run_id=from_column(run_id),
                judge=full_names_of(case_column, judge, full)[1],
                judge_hash=from_column(judge_hash),
                repeat=repeat,
                outcome=outcome,
                score=score,
                passed=None if passed is None else bool(passed),
                case_hash=None if case_hash is None else bytes(case_hash).hex(),
                at=from_micros(at),
            )
            found.setdefault(run_id, []).append((made, line))
    return [line for run in runs for _, line in sorted(found.get(run, ()), key=itemgetter(0))]


def case_labels(session: Session, run_id: str, case_id: str, judge: str) -> list[KeptLabel]:
    """Those of `labels` that are about one case."""
    rows = session.query(
        "SELECT l.body, l.draw, l.probability, l.at FROM labels l WHERE l.judge = ? AND l.case_id = ? AND EXISTS ("
        "SELECT 1 FROM judgements j WHERE j.run_id = ? AND j.case_id = l.case_id AND j.judge = l.judge"
        " AND j.case_hash = l.case_hash)",
        [to_name(judge), to_name(case_id), to_name(run_id)],
    )
    return sorted(map(read_label, rows), key=lambda label: label.annotator)


def judge_settings(session: Session, judge_hash: str) -> Mapping[str, Json] | None:
    rows = session.query("SELECT described FROM judges WHERE hash = ?", [to_name(judge_hash)])
    if not rows:
        return None
    described = load_json(unpack(rows[0][0]))
    return described if isinstance(described, dict) else None
