"""`/runs/KEY` and `/api/runs/KEY`: one run, how far it is, and the files made of it."""

import shlex
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from adjudge.analysis.comparison.alike import find_run_before
from adjudge.documents.records_json import records_json
from adjudge.models.secrets import MASK, Scrubber
from adjudge.records import Json
from adjudge.server.figures import AT_ONCE, MAX_COLUMNS, MAX_UNASKED, Figures
from adjudge.server.keys import RunKey, from_key
from adjudge.server.pages import page
from adjudge.server.routing import RouteTable
from adjudge.server.run_files import MEDIA_TYPES, file_headers, report_file, row_file
from adjudge.server.run_page import run_view, show_speed
from adjudge.server.runs_page import expected_judgements, run_row
from adjudge.server.service import Served, Service, swaps
from adjudge.server.shapes import RunDetail, RunProgress
from adjudge.store import RunRecord

routes = RouteTable(tag="runs")
Slices = Annotated[
    Annotated[list[Annotated[str, Meta(max_length=1_000)]], Meta(max_length=MAX_COLUMNS)] | None,
    Meta(description="Columns to slice by; see `columns`."),
]
MAX_TO_COMPARE = 100
LATEST = 200
"""Judgements that say how fast a run goes."""
_SECRET_NAMES = ("key", "token", "secret", "password", "authorization", "cookie", "credential")


@routes.get("/api/runs/{run}")
def api_run(service: Served, run: RunKey, slice_: Slices = None) -> RunDetail:
    """A run, its plan and its figures, over all judgements that the store has by now."""
    return run_detail(service, run, slice_ or ())


@routes.get("/api/runs/{run}/report.{form}")
def api_report_file(
    service: Served, run: RunKey, form: Literal["html", "md"], slice_: Slices = None
) -> Response:
    """The report as a file, as `adjudge report RUN -o FILE` writes it."""
    figures, suffix = service.figures.get(service.run(from_key(run)), slice_ or ()), f".{form}"
    return Response(
        report_file(figures.report, suffix),
        media_type=MEDIA_TYPES[suffix],
        headers=file_headers(figures.record, f"report{suffix}"),
    )


@routes.get("/api/runs/{run}/rows.{form}")
def api_row_file(service: Served, run: RunKey, form: Literal["jsonl", "csv"]) -> StreamingResponse:
    """The rows as a file, as `adjudge export RUN -o FILE` writes it."""
    record, suffix = service.run(from_key(run)), f".{form}"
    return StreamingResponse(
        row_file(service.store, record, suffix),
        media_type=MEDIA_TYPES[suffix],
        headers=file_headers(record, f"rows{suffix}"),
    )


@routes.get("/runs/{run}")
def run_page(
    *, request: Request, service: Served, run: RunKey, slice_: Slices = None, now: bool = False
) -> HTMLResponse:
    """A large run that nobody has looked at is shown without its figures; the page's script, or `now`, asks for them."""
    record, records = service.run(from_key(run)), service.store.runs()
    expected = expected_judgements(record, records)
    live = run_progress(service, record, expected)
    figures = None
    if (
        now
        or record.judgements <= AT_ONCE
        or swaps(request, "figures", "slices")
        or service.figures.known(record)
    ):
        figures = service.figures.get(record, slice_)
    path = record.plan.get("path")
    others = [each for each in records if each.run_id != record.run_id]
    others.sort(key=lambda run: run.plan.get("path") != path)  # stable: of each part the newest comes first
    return page(
        request,
        "run.html",
        run=run_row(record, figures, expected=expected),
        progress=live,
        rate=show_speed(live.per_second) if live and live.per_second else None,
        plan=masked_plan(record.plan),
        view=None
        if figures is None
        else run_view(service, record, figures, _known_before(service, record, records)),
        current_date=figures.report.current_date if figures else None,
        figures=figures,
        chosen=slice_ is not None,
        most_columns=MAX_COLUMNS,
        slow=record.judgements > MAX_UNASKED,
        report_command=shlex.join(["adjudge", "report", record.name or record.run_id]),
        others=others[:MAX_TO_COMPARE],
    )


def _known_before(service: Service, record: RunRecord, records: Sequence[RunRecord]) -> Figures | None:
    """The figures of the run of the same file before this one, unless counting them would take long."""
    found = find_run_before(service.store, record, records)
    return None if found is None or found.judgements > AT_ONCE else service.figures.get(found)


def run_detail(service: Service, key: str, slices: Sequence[str]) -> RunDetail:
    record = service.run(from_key(key))
    figures = service.figures.get(record, slices)
    expected = expected_judgements(record, service.store.runs())
    return RunDetail(
        run=run_row(record, figures, expected=expected),
        progress=run_progress(service, record, expected),
        plan=masked_plan(record.plan),
        report=figures.report.to_json(),
        columns=list(figures.columns),
        sliced=list(figures.sliced),
    )


# ---- progress ------------------------------------------------------------------------------------------


def run_progress(service: Service, record: RunRecord, expected: int | None) -> RunProgress | None:
    if record.state != "running":
        return None
    latest = [at.timestamp() for at in service.store.latest_times(record.run_id, LATEST)]
    return progress(latest, expected, record.judgements, time.time())


def progress(latest: Sequence[float], expected: int | None, judgements: int, now: float) -> RunProgress:
    """`latest` are the times of the latest judgements, the newest first."""
    span = now - latest[-1] if len(latest) > 1 else 0.0
    per_second = len(latest) / span if span > 0 else None
    left = None if expected is None or not per_second else max(0, expected - judgements) / per_second
    if left is not None and left > 366 * 86_400:  # it stands still
        left = None
    return RunProgress(
        per_second=per_second,
        seconds_left=left,
        ends_at=None if left is None else datetime.fromtimestamp(now, UTC) + timedelta(seconds=left),
    )


# ---- the plan ------------------------------------------------------------------------------------------


def masked_plan(plan: Mapping[str, Json]) -> dict[str, Any]:
    """Without anything that could be a key: parameters are what somebody typed."""
    return {str(name): _masked(str(name), value) for name, value in plan.items()}


def _masked(name: str, value: Json) -> Json:
    if isinstance(value, dict):
        return {str(key): _masked(str(key), each) for key, each in value.items()}
    if isinstance(value, list):
        return [_masked("", each) for each in value]
    if isinstance(value, str):
        named = any(part in name.lower() for part in _SECRET_NAMES)
        return MASK if named else records_json(_without_secrets(value))
    return records_json(value)


def _without_secrets(text: str) -> str:
    """Only a text that holds one is changed: messages are cut and put on one line."""
    scrubbed = Scrubber().message(text)
    return scrubbed if MASK in scrubbed or "://" in text else text
