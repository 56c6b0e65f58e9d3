"""`/` and `/api/runs`: the list of runs, and the choice of two of them to compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta, convert
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from adjudge.analysis.comparison.alike import find_run_before
from adjudge.analysis.summary.figures import Summary
from adjudge.analysis.summary.headline import gauge
from adjudge.analysis.summary.run import repeats_of
from adjudge.documents.document import Gauge
from adjudge.documents.records_json import records_json
from adjudge.errors import InputError
from adjudge.server.figures import AT_ONCE, MAX_UNASKED, Figures
from adjudge.server.keys import from_key, to_key
from adjudge.server.pages import page, query
from adjudge.server.routing import RouteTable
from adjudge.server.run_page import Chip, change_since
from adjudge.server.service import Served, Service, swaps
from adjudge.server.shapes import FigureInterval, Headline, RunList, RunRow
from adjudge.stats.intervals import Estimate
from adjudge.store import RunRecord, model_names, planned_judges

routes = RouteTable(tag="runs")
State = Literal["", "running", "finished", "interrupted", "limit_reached"]
PAGE = 50


@routes.get("/api/runs")
def api_runs(
    service: Served,
    q: Annotated[str, Meta(max_length=200, description="Looked for in name, judges, model and file.")] = "",
    state: State = "",
    first: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
    size: Annotated[int, Meta(ge=1, le=500)] = 100,
) -> RunList:
    """The runs of this store, the latest first, each with its figures; large runs that nobody has looked at without."""
    return list_runs(service, service.store.runs(), q=q, state=state, first=first, size=size)


@routes.get("/")
def runs_page(
    request: Request,
    service: Served,
    q: str = "",
    state: State = "",
    first: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
) -> HTMLResponse:
    # large runs that nobody has looked at are counted one by one, when the page is shown and asks again
    records = service.store.runs()
    found = list_runs(
        service, records, q=q[:200], state=state, first=first, size=PAGE, at_least=int(swaps(request, "runs"))
    )
    return page(
        request,
        "runs.html",
        found=found,
        lines=judge_lines(service, found, records),
        q=q[:200],
        state=state,
        first=first,
        size=PAGE,
        most_unasked=MAX_UNASKED,
    )


@routes.get("/compare-chosen")
def compare_chosen(
    service: Served,
    run: Annotated[list[Annotated[str, Meta(max_length=3_000)]], Meta(max_length=500)] = [],  # noqa: B006 - never changed
) -> Response:
    """Two runs ticked in the list: the earlier one is what the later one is compared with."""
    chosen = [service.run(from_key(each)) for each in dict.fromkeys(run)]
    if len(chosen) != 2:
        raise InputError("compare", f"{len(chosen)} runs were chosen", "tick two in the list of runs")
    before, after = sorted(chosen, key=lambda record: record.started_at)
    ways = {"a": to_key(before.run_id), "b": to_key(after.run_id)}
    return RedirectResponse(f"/compare{query(ways)}", status_code=303)


def list_runs(
    service: Service,
    records: Sequence[RunRecord],
    *,
    q: str = "",
    state: str = "",
    first: int = 0,
    size: int = 100,
    at_once: int = AT_ONCE,
    at_least: int = 0,
) -> RunList:
    """Of these, the latest first; `q` is looked for in name, id, judges, model and file.

    Of what was not counted before, `at_once` judgements are counted, and `at_least` so many runs, but no very large one.
    """
    wanted = q.casefold()
    found = [
        record
        for record in records
        if (not state or record.state == state) and wanted in _searched(record).casefold()
    ]
    rows, left, trouble = [], at_once, None
    for record in found[first : first + size]:
        figures = service.figures.known(record)
        due = record.judgements <= left or (at_least > 0 and record.judgements <= MAX_UNASKED)
        if figures is None and due:
            left, at_least = left - record.judgements, at_least - 1
            try:
                figures = service.figures.get(record)
            except InputError as error:  # of one run; the others can be read
                trouble = f"run {record.run_id}: {error}"
        rows.append(run_row(record, figures, expected=expected_judgements(record, records)))
    return RunList(runs=rows, total=len(found), trouble=trouble)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeLine:
    """One judge of a run, in the list."""

    summary: Summary
    gauge: Gauge
    change: Chip | None
    """Since the run of the same file before this one, where that was counted."""


def judge_lines(service: Service, found: RunList, records: Sequence[RunRecord]) -> dict[str, list[JudgeLine]]:
    """Run -> its judges, of the runs that are counted."""
    by_id = {record.run_id: record for record in records}
    known = {
        row.run: service.figures.known(by_id[row.run]) for row in found.runs if row.headlines is not None
    }
    lines = {}
    for run, figures in known.items():
        if figures is not None:
            earlier = find_run_before(service.store, by_id[run], records)
            before = None if earlier is None else service.figures.known(earlier)
            lines[run] = [
                JudgeLine(
                    summary=each, gauge=gauge(each), change=change_since(service, each, before, to_key(run))
                )
                for each in figures.report.judges
            ]
    return lines


def run_row(record: RunRecord, figures: Figures | None, *, expected: int | None = None) -> RunRow:
    plan = record.plan
    return RunRow(
        run=record.run_id,
        key=to_key(record.run_id),
        name=record.name,
        state=record.state,
        cases=_text(plan.get("path")),
        judges=planned_judges(record.plan),
        model=", ".join(model_names(plan)) or None,
        started_at=record.started_at,
        finished_at=record.finished_at,
        judgements=record.judgements,
        expected=expected,
        partial=None if record.partial is None else str(record.partial),
        headlines=[headline(each) for each in figures.report.judges] if figures else None,
    )


def expected_judgements(record: RunRecord, records: Sequence[RunRecord]) -> int | None:
    """How many an unfinished run will have: as its plan limits the cases, or as another run over the same file found."""
    if record.state == "finished":
        return record.judgements
    if record.expected is not None:
        return max(record.expected, record.judgements)
    cases = _limit(record)
    for other in records:
        if (
            other.state == "finished"
            and other.plan.get("cases") == record.plan.get("cases") is not None
            and _limit(other) is None
        ):
            whole = other.judgements // _times(other)
            cases = whole if cases is None else min(cases, whole)
            break
    return None if cases is None else max(cases * _times(record), record.judgements)


def _limit(record: RunRecord) -> int | None:
    """`-n`, or `--sample`."""
    rows = record.plan.get("rows")
    limits = [each for each in rows[:2] if isinstance(each, int)] if isinstance(rows, list) else []
    return min(limits, default=None)


def _times(record: RunRecord) -> int:
    """How often a case is judged."""
    repeats = repeats_of(record)
    return (
        max(1, len(planned_judges(record.plan)))
        * max(1, len(model_names(record.plan)))
        * (1 if repeats is None else repeats)
    )


def headline(summary: Summary) -> Headline:
    return Headline(
        judge=summary.judge,
        judge_hash=summary.judge_hash,
        model=summary.model or None,
        asked=summary.asked,
        judged=summary.judged,
        outcomes=dict(summary.outcomes),
        mean=interval(summary.mean),
        scale=None if summary.scale is None else (summary.scale.low, summary.scale.high),
        pass_rate=interval(summary.pass_rate),
        cost=None if summary.cost is None else float(summary.cost),
        cost_unknown=summary.cost_unknown,
    )


def interval(figure: Estimate | None) -> FigureInterval | None:
    return None if figure is None else convert(records_json(figure), FigureInterval)


def _searched(record: RunRecord) -> str:
    plan = record.plan
    names = (*planned_judges(plan), *model_names(plan))
    texts = (record.run_id, record.name, *names, plan.get("path"))
    return " ".join(text for text in texts if isinstance(text, str))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
