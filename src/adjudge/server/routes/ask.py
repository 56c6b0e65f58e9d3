"""`POST /api/judge` and `POST /api/runs`: adjudge as a service for other programs, and for the page that tries a judge."""

from fastapi import APIRouter
from starlette.status import HTTP_202_ACCEPTED

from adjudge.server.app_state import Served
from adjudge.server.keys import from_key, to_key
from adjudge.server.shapes_judges import Judged, Judging, Rendered, Rendering, RunBegun, RunWanted, Stopped
from adjudge.server.views_judges import judge_case, render_case, run_order

router = APIRouter(tags=["asking"])


@router.post("/api/render")
def api_render(service: Served, wanted: Rendering) -> Rendered:
    """The prompts that a judge would send about a case; nothing is sent."""
    return render_case(service, wanted.judge, wanted.case)


@router.post("/api/judge")
async def api_judge_case(service: Served, wanted: Judging) -> Judged:
    """Judge one case and wait for it. Nothing is kept: `POST /api/runs` keeps what it judges."""
    return await judge_case(service, wanted.judge, wanted.model, wanted.case)


@router.post("/api/runs", status_code=HTTP_202_ACCEPTED)
async def api_begin_run(service: Served, wanted: RunWanted) -> RunBegun:
    """Begin a run over these cases; it goes on by itself, and `GET /api/runs/{key}` says how far it is."""
    run = await service.asker.begin_run(run_order(service, wanted))
    return RunBegun(run=run, key=to_key(run))


@router.post("/api/runs/{run}/stop")
async def api_stop_run(service: Served, run: str) -> Stopped:
    """Take no further cases of a run that this server began; what is in flight is finished and kept."""
    return Stopped(stopped=await service.asker.stop_run(from_key(run)))
