"""`/runs/KEY/items` and `/api/runs/KEY/items`: the judgements of a run as a table."""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path
from fastapi.responses import StreamingResponse
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge.server.app_state import Served, swaps
from adjudge.server.items import ItemFilter, find_items, item_filter
from adjudge.server.keys import from_key, to_key
from adjudge.server.pages import page
from adjudge.server.run_files import MEDIA_TYPES, file_headers
from adjudge.server.shapes_items import ItemChoices, ItemPage
from adjudge.server.views_items import (
    COLUMNS,
    ORDERS,
    chips,
    export_items,
    item_choices,
    metadata_columns,
    shown_columns,
)
from adjudge.store import planned_judges

router = APIRouter()
Key = Annotated[str, Path(max_length=3_000, description="The `key` that the list of runs gives.")]
Wanted = Annotated[ItemFilter, Depends(item_filter)]
MOST_SHOWN = 100
"""Rows of one page in a browser."""


@router.get("/api/runs/{run}/items", tags=["items"])
def api_items(service: Served, run: Key, wanted: Wanted) -> ItemPage:
    """The judgements of a run that fit, a page of them."""
    return find_items(service, service.run(from_key(run)), wanted)


@router.get("/api/runs/{run}/items/choices", tags=["items"])
def api_item_choices(service: Served, run: Key) -> ItemChoices:
    """What the items of a run can be filtered by."""
    return item_choices(service, service.run(from_key(run)))


@router.get("/api/runs/{run}/items.{form}", tags=["items"], response_class=StreamingResponse)
def api_item_file(
    service: Served, run: Key, form: Literal["jsonl", "csv"], wanted: Wanted
) -> StreamingResponse:
    """All judgements that fit, as a file: the rows that `adjudge export` writes, in the order asked for."""
    record = service.run(from_key(run))
    suffix: Literal[".jsonl", ".csv"] = ".jsonl" if form == "jsonl" else ".csv"
    return StreamingResponse(
        export_items(service, record, wanted, suffix),
        media_type=MEDIA_TYPES[suffix],
        headers=file_headers(record, f"items{suffix}"),
    )


@router.get("/runs/{run}/items", include_in_schema=False)
def items_page(request: Request, service: Served, run: Key, wanted: Wanted) -> HTMLResponse:
    record = service.run(from_key(run))
    wanted = replace(wanted, size=min(wanted.size, MOST_SHOWN))
    found = find_items(service, record, wanted)
    # the filters stand outside the part that is swapped
    choices = None if swaps(request, "items") else item_choices(service, record)
    offered = (
        {(each.name, value.value) for each in choices.slices for value in each.values} if choices else set()
    )
    names = [name.rpartition("@")[0] or name for name in planned_judges(record.plan)]
    return page(
        request,
        "items.html",
        run=record,
        key=to_key(record.run_id),
        wanted=wanted,
        found=found,
        choices=choices,
        several=len(names) > 1,
        columns=shown_columns(wanted, len(names)),
        all_columns=COLUMNS,
        metadata_columns=metadata_columns(service, record),
        orders=ORDERS,
        chips=chips(wanted),
        offered=offered,
        live=record.state == "running",
    )
