"""`/judges` and `/api/judges`: the judges, what is known of each, and trying one."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge.server.app_state import Served
from adjudge.server.pages import page
from adjudge.server.shapes_judges import JudgeDetail, JudgeList
from adjudge.server.views_judges import list_judges, show_judge
from adjudge.server.views_runs import short_model

router = APIRouter()


@router.get("/api/judges", tags=["judges"])
def api_judges(service: Served) -> JudgeList:
    """The built-in judges, those given when the server was started, and those that stored runs used."""
    return list_judges(service)


@router.get("/api/judges/{judge}", tags=["judges"])
def api_judge(service: Served, judge: str) -> JudgeDetail:
    """One judge, by the `key` of the list: prompt, inputs, lint findings, cards."""
    return show_judge(service, judge)


@router.get("/judges", include_in_schema=False)
def judges_page(request: Request, service: Served) -> HTMLResponse:
    return page(request, "judges.html", found=list_judges(service))


@router.get("/judges/{judge}", include_in_schema=False)
def judge_page(request: Request, service: Served, judge: str) -> HTMLResponse:
    return page(
        request, "judge.html", found=show_judge(service, judge), models=service.models, short=short_model
    )
