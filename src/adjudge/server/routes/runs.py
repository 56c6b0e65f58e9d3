"""`/` and `/api/runs`: the list of runs, and the choice of two of them to compare."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from adjudge.errors import InputError
from adjudge.server.app_state import Served, swaps
from adjudge.server.keys import from_key, to_key
from adjudge.server.pages import page, query
from adjudge.server.shapes import RunList
from adjudge.server.views_runs import judge_lines, list_runs, short_model

router = APIRouter()
State = Literal["", "running", "finished", "interrupted"]
PAGE = 50


@router.get("/api/runs", tags=["runs"])
def api_runs(
    service: Served,
    q: Annotated[str, Query(max_length=200, description="Looked for in name, judges, model and file.")] = "",
    state: State = "",
    first: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    size: Annotated[int, Query(ge=1, le=500)] = 100,
) -> RunList:
    """The runs of this store, the latest first, each with its figures; large runs that nobody has looked at without."""
    return list_runs(service, q=q, state=state, first=first, size=size)


@router.get("/", include_in_schema=False)
def runs_page(
    request: Request,
    service: Served,
    q: str = "",
    state: State = "",
    first: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> HTMLResponse:
    # large runs that nobody has looked at are counted one by one, when the page is shown and asks again
    found = list_runs(
        service, q=q[:200], state=state, first=first, size=PAGE, at_least=int(swaps(request, "runs"))
    )
    return page(
        request,
        "runs.html",
        found=found,
        lines=judge_lines(service, found),
        short=short_model,
        q=q[:200],
        state=state,
        first=first,
        size=PAGE,
    )


@router.get("/compare-chosen", include_in_schema=False)
def compare_chosen(
    service: Served,
    run: Annotated[list[Annotated[str, Query(max_length=3_000)]] | None, Query(max_length=500)] = None,
) -> Response:
    """Two runs ticked in the list: the earlier one is what the later one is compared with."""
    chosen = [service.run(from_key(each)) for each in dict.fromkeys(run or ())]
    if len(chosen) != 2:
        raise InputError("compare", f"{len(chosen)} runs were chosen", "tick two in the list of runs")
    before, after = sorted(chosen, key=lambda record: record.started_at)
    ways = {"a": to_key(before.run_id), "b": to_key(after.run_id)}
    return RedirectResponse(f"/compare{query(ways)}", status_code=303)
