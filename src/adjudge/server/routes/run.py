"""`/runs/KEY` and `/api/runs/KEY`: one run, and the files made of it."""

import asyncio
import time
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from adjudge.reports.words import reading_aids
from adjudge.server.app_state import Served
from adjudge.server.keys import from_key
from adjudge.server.pages import page
from adjudge.server.run_files import MEDIA_TYPES, file_headers, report_file, row_file
from adjudge.server.run_page import judge_parts, shown_rate, slice_tables, slices_sentence
from adjudge.server.service import NotReadyError
from adjudge.server.shapes import RunDetail
from adjudge.server.views_run import (
    MOST_COLUMNS,
    row_of,
    run_detail,
    run_figures,
    run_progress,
    shown_plan,
)
from adjudge.server.views_runs import short_model

router = APIRouter()
Key = Annotated[str, Path(max_length=3_000, description="The `key` that the list of runs gives.")]
Slices = Annotated[
    list[Annotated[str, Query(max_length=1_000)]] | None,
    Query(alias="slice", max_length=MOST_COLUMNS, description="Columns to slice by; see `columns`."),
]
MOST_TO_COMPARE = 100


@router.get("/api/runs/{run}", tags=["runs"])
async def api_run(
    service: Served,
    run: Key,
    slices: Slices = None,
    wait: Annotated[
        float, Query(ge=0, le=60, description="Seconds to wait at most for slices to be counted.")
    ] = 10.0,
) -> RunDetail:
    """A run, its plan and its figures; with `slice`, as soon as those are counted, or with `counting`."""
    until = time.monotonic() + wait
    while True:
        detail = await run_in_threadpool(run_detail, service, run, slices or ())
        if not detail.counting or time.monotonic() >= until:
            return detail
        await asyncio.sleep(0.05)  # no thread is held meanwhile


@router.get("/api/runs/{run}/report.{form}", tags=["runs"], response_class=Response)
async def api_report_file(
    service: Served, run: Key, form: Literal["html", "md"], slices: Slices = None
) -> Response:
    """The report as a file, as `adjudge report RUN -o FILE` writes it."""
    until = time.monotonic() + 60
    while True:
        figures = await run_in_threadpool(run_figures, service, run, slices or ())
        if not figures.counting:
            break
        if time.monotonic() >= until:
            raise NotReadyError(f"run {run}", "its slices are being counted", "ask again in a moment")
        await asyncio.sleep(0.1)
    record, suffix = figures.followed.record, f".{form}"
    body = await run_in_threadpool(report_file, figures.by_slices or figures.report, suffix)
    return Response(body, media_type=MEDIA_TYPES[suffix], headers=file_headers(record, f"report{suffix}"))


@router.get("/api/runs/{run}/rows.{form}", tags=["runs"], response_class=StreamingResponse)
def api_row_file(service: Served, run: Key, form: Literal["jsonl", "csv"]) -> StreamingResponse:
    """The rows as a file, as `adjudge export RUN -o FILE` writes it."""
    record, suffix = service.run(from_key(run)), f".{form}"
    return StreamingResponse(
        row_file(service.store, record, suffix),
        media_type=MEDIA_TYPES[suffix],
        headers=file_headers(record, f"rows{suffix}"),
    )


@router.get("/runs/{run}", include_in_schema=False)
def run_page(request: Request, service: Served, run: Key, slices: Slices = None) -> HTMLResponse:
    wanted = None if slices is None else [each for each in slices if each]
    figures = run_figures(service, run, wanted)
    followed, report = figures.followed, figures.report
    record = followed.record
    row = row_of(service, followed)
    going = run_progress(service, followed)
    summaries = figures.by_slices.summaries if figures.by_slices else ()
    others = [each for each in service.follower.runs() if each.run_id != record.run_id][:MOST_TO_COMPARE]
    return page(
        request,
        "run.html",
        run=row,
        progress=going,
        rate=shown_rate(going.per_second) if going and going.per_second else None,
        plan=shown_plan(record.plan),
        short=short_model,
        judges=judge_parts(service, followed, report.summaries),
        aids=reading_aids(report.summaries),
        current_date=report.current_date,
        figures=figures,
        tables=slice_tables(followed, summaries),
        sentence=slices_sentence(summaries),
        chosen=wanted is not None,
        most_columns=MOST_COLUMNS,
        others=others,
    )
