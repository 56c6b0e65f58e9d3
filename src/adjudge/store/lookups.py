"""Rows -> records for a person who looks at one case: where else it was judged, and under what settings."""

from collections.abc import Mapping
from operator import itemgetter

from adjudge.records import NOTHING, Json
from adjudge.store.codec import full_names_of, load_case, read_body
from adjudge.store.labels import LABEL_COLUMNS, read_label
from adjudge.store.packing import from_column, from_micros, load_json, to_name, unpack
from adjudge.store.reading import PAGE
from adjudge.store.records import JudgementLine, KeptLabel, ListedJudgement
from adjudge.store.sql import MAX_KEYS, Row, SqlSession, chunks, in_list


def same_case(session: SqlSession, case_id: str, most_runs: int) -> list[JudgementLine]:
    """Run by run, because that is how judgements are indexed: each run is one look-up."""
    runs = [
        row[0]
        for row in session.query(
            "SELECT run_id FROM runs ORDER BY started_at DESC, run_id DESC LIMIT ?", [most_runs]
        )
    ]
    found: dict[str, list[tuple[int, JudgementLine]]] = {}
    for chunk in chunks(runs, MAX_KEYS):
        sql = (
            "SELECT made, run_id, case_id, judge, model, judge_hash, repeat, outcome, score, passed, case_hash, at, full_names"  # noqa: S608 - placeholders only
            f" FROM judgements WHERE run_id IN {in_list(len(chunk))} AND case_id = ?"
        )
        for row in session.query(sql, [*chunk, to_name(case_id)]):
            (
                made,
                run_id,
                case_column,
                judge,
                model,
                judge_hash,
                repeat,
                outcome,
                score,
                passed,
                case_hash,
                at,
                full,
            ) = row
            _, judge_name, model_name = full_names_of(case_column, judge, model, full)
            line = JudgementLine(
                run_id=from_column(run_id),
                judge=judge_name,
                judge_hash=from_column(judge_hash),
                model=model_name,
                repeat=repeat,
                outcome=outcome,
                score=score,
                passed=None if passed is None else bool(passed),
                case_hash=None if case_hash is None else bytes(case_hash).hex(),
                at=from_micros(at),
            )
            found.setdefault(run_id, []).append((made, line))
    return [line for run in runs for _, line in sorted(found.get(run, ()), key=itemgetter(0))]


def listed(session: SqlSession, run_id: str, after: int, *, with_cases: bool) -> list[ListedJudgement]:
    """Without making whole judgements of them."""
    data, join = ("t.data", " LEFT JOIN texts t ON t.hash = j.case_hash") if with_cases else ("NULL", "")
    rows = session.query(
        f"SELECT j.made, j.case_id, j.judge, j.model, j.judge_hash, j.repeat, j.outcome, j.score, j.passed, j.at, j.body,"  # noqa: S608 - columns of ours
        f" j.full_names, {data} FROM judgements j{join} WHERE j.run_id = ? AND j.made > ? ORDER BY j.made LIMIT ?",
        [to_name(run_id), after, PAGE],
    )
    return [_listed(row) for row in rows]


def _listed(row: Row) -> ListedJudgement:
    (
        number,
        case_column,
        judge_column,
        model_column,
        judge_hash,
        repeat,
        outcome,
        score,
        passed,
        at,
        body,
        full_names,
        case_data,
    ) = row
    case_id, judge, model = full_names_of(case_column, judge_column, model_column, full_names)
    stored = read_body(unpack(body))
    costs = [call.cost for call in stored.calls]
    known = [float(cost) for cost in costs if cost is not None]
    unknown = len(known) < len(costs) or stored.outcome.maybe_billed
    return ListedJudgement(
        number=number,
        at=from_micros(at),
        case_id=case_id,
        judge=judge,
        judge_hash=from_column(judge_hash),
        model=model,
        repeat=repeat,
        outcome=outcome,
        score=score,
        passed=None if passed is None else bool(passed),
        probability=stored.probability,
        cost=None if unknown else sum(known),
        latency_ms=sum(call.latency_ms for call in stored.calls),
        reason=stored.outcome.message or stored.whole_reason() or stored.outcome.reason or "",
        notes=stored.all_notes(),
        metadata=stored.metadata,
        label=stored.label,
        columns=NOTHING
        if case_data is None
        else load_case(unpack(case_data), case_id=case_id, place=None).columns,
    )


def case_labels(session: SqlSession, run_id: str, case_id: str, judge: str) -> list[KeptLabel]:
    """Of one case, blind ones first."""
    rows = session.query(
        f"SELECT {LABEL_COLUMNS} FROM labels l WHERE l.judge = ? AND l.case_id = ? AND EXISTS ("  # noqa: S608 - columns of ours
        "SELECT 1 FROM judgements j WHERE j.run_id = ? AND j.case_id = l.case_id AND j.judge = l.judge"
        " AND j.case_hash = l.case_hash)",
        [to_name(judge), to_name(case_id), to_name(run_id)],
    )
    return sorted(map(read_label, rows), key=lambda label: (label.seen_verdict, label.annotator))


def judge_settings(session: SqlSession, judge_hash: str) -> Mapping[str, Json] | None:
    rows = session.query("SELECT described FROM judges WHERE hash = ?", [to_name(judge_hash)])
    if not rows:
        return None
    described = load_json(unpack(rows[0][0]))
    return described if isinstance(described, dict) else None
