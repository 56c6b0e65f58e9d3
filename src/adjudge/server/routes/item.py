"""`/runs/KEY/item` and `/api/runs/KEY/item`: one judgement, and why it came out as it did."""

import shlex
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge.server.app_state import Served
from adjudge.server.item_texts import Style, make_parts, verdict_parts
from adjudge.server.items import ItemFilter, carried_filter
from adjudge.server.keys import from_key
from adjudge.server.pages import page, query
from adjudge.server.shapes_item import ItemDetail
from adjudge.server.shapes_items import Neighbour
from adjudge.server.views_item import show_item

router = APIRouter()

Key = Annotated[str, Path(max_length=3_000, description="The `key` that the list of runs gives.")]
CaseId = Annotated[str, Query(max_length=20_000, description="The case's id.")]
JudgeName = Annotated[str, Query(max_length=500, description="The first of the case's judges when left out.")]
ModelName = Annotated[
    str, Query(max_length=2_000, description="The first of the case's models when left out.")
]
Repeat = Annotated[int | None, Query(ge=0, le=1_000_000, description="The first one when left out.")]
Carried = Annotated[ItemFilter, Depends(carried_filter)]


@router.get("/api/runs/{run}/item", tags=["items"])
def api_item(
    service: Served,
    *,
    run: Key,
    wanted: Carried,
    case: CaseId = "",
    judge: JudgeName = "",
    model: ModelName = "",
    repeat: Repeat = None,
) -> ItemDetail:
    """One judgement whole: the case, the verdict, how the score was computed step by step, every prompt and reply, labels,
    and the same case elsewhere. The filter of the items says what comes before and after it.
    """
    return show_item(
        service, from_key(run), case_id=case, judge=judge, model=model, repeat=repeat, wanted=wanted
    )


@router.get("/runs/{run}/item", include_in_schema=False)
def item_page(
    request: Request,
    service: Served,
    *,
    run: Key,
    wanted: Carried,
    case: CaseId = "",
    judge: JudgeName = "",
    model: ModelName = "",
    repeat: Repeat = None,
    style: Annotated[Style, Query(alias="as")] = "markdown",
    show: Annotated[list[Annotated[str, Query(max_length=1_000)]] | None, Query(max_length=50)] = None,
) -> HTMLResponse:
    detail = show_item(
        service, from_key(run), case_id=case, judge=judge, model=model, repeat=repeat, wanted=wanted
    )
    carried = {"as": "" if style == "markdown" else style}
    row = detail.row
    return page(
        request,
        "item.html",
        item=detail,
        row=row,
        parts=make_parts(detail, style=style, show=show or ()),
        verdict=verdict_parts(row["verdict"] or {}),
        style=style,
        here={**wanted.item_values(detail.case_id, row["judge"], row["model"], row["repeat"]), **carried},
        show=show or [],
        links=_links(detail, wanted, carried),
        back=_back(detail, wanted),
        command=shlex.join(["adjudge", "show", detail.run_name or detail.run, detail.case_id]),
        narrows=wanted.without("judge").narrows,
    )


def _links(detail: ItemDetail, wanted: ItemFilter, carried: dict[str, Any]) -> dict[str, str]:
    """`previous` and `next`, where there are any."""
    found: dict[str, Neighbour | None] = {"previous": detail.beside.previous, "next": detail.beside.next}
    return {
        name: f"/runs/{detail.key}/item{query(wanted.item_values(each.case_id, each.judge, each.model, each.repeat), **carried)}"
        for name, each in found.items()
        if each is not None
    }


def _back(detail: ItemDetail, wanted: ItemFilter) -> str:
    """The list at the page on which this item stands."""
    at = detail.beside.position
    first = 0 if at is None else (at - 1) // wanted.size * wanted.size
    return f"/runs/{detail.key}/items{query(replace(wanted, first=first).values())}"
