"""Assembly: routes, errors and static files behind the door."""

from functools import cache
from pathlib import Path
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from adjudge import __version__
from adjudge.errors import AdjudgeError, ExplainedError, InputError, ModelCallError, StoreError
from adjudge.server import compare_routes, judges_page, run_routes, runs_page
from adjudge.server.asker import BusyError
from adjudge.server.cases import routes as cases
from adjudge.server.labels import routes as labels
from adjudge.server.pages import page
from adjudge.server.security import App, Door, Guard
from adjudge.server.service import NotFoundError, Service
from adjudge.server.shapes import ErrorAnswer
from adjudge.text import encodable

ROUTERS = tuple(each.router for each in (runs_page, run_routes, cases, compare_routes, labels, judges_page))
STATIC = Path(__file__).with_name("static")
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": description}
    for status, description in {
        400: "Invalid request; the answer says what is wrong and what to do.",
        401: "The token is missing or wrong.",
        403: "A request that changes something came from another origin.",
        404: "Not found.",
        413: "The body is too large.",
        421: "The request names another host.",
        422: "A parameter has the wrong type.",
        429: "Too many requests at once.",
        502: "The model did not answer.",
        503: "The store cannot be read.",
    }.items()
}


def make_app(service: Service, door: Door) -> App:
    app = _application()

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": {**scope.get("state", {}), "service": service}}, receive, send)

    return Guard(serve, door)


@cache
def _application() -> FastAPI:
    """One for all servers of a process: FastAPI takes a tenth of a second to make the routes of each."""
    app = FastAPI(
        title="adjudge",
        version=__version__,
        description="Judgements, figures and labels of one store; and a judge as a service.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        responses=PROBLEMS,
    )
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", _Static(directory=STATIC), name="static")
    app.add_exception_handler(AdjudgeError, _handle_error)
    app.add_exception_handler(HTTPException, _handle_status)
    app.add_exception_handler(Exception, _handle_fault)
    app.add_exception_handler(RequestValidationError, _handle_invalid)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)
    return app


class _Static(StaticFiles):
    """Files of the package. Asked for anew each time, at the price of a 304: scripts import each other by plain names."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "private, no-cache"
        return response


async def _handle_error(request: Request, error: Exception) -> Response:
    problem, hint, status = str(error), "", 500
    if isinstance(error, ExplainedError):
        problem, hint = error.told, error.hint
    match error:
        case NotFoundError():
            status = 404
        case BusyError():
            status = 429
        case StoreError():
            status = 503
        case InputError():
            status = 400
        case ModelCallError():
            status = 502
    return _problem_response(request, status, problem, hint)


async def _handle_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {
        404: ("page not found", "start from the list of runs"),
        413: ("the request is too large", "send less at once"),
    }
    problem, hint = words.get(error.status_code, (str(error.detail).lower(), ""))
    return _problem_response(request, error.status_code, problem, hint, headers=dict(error.headers or {}))


async def _handle_fault(request: Request, _: Exception) -> Response:
    """A bug of ours: the log has its traceback, the answer nothing of what it met."""
    return _problem_response(
        request, 500, "internal error in adjudge", "the terminal of `adjudge view` has the traceback"
    )


async def _handle_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return _problem_response(
        request, 422, f"{where}: {first['msg']}", "see /api/openapi.json for what is taken"
    )


def _problem_response(
    request: Request, status: int, problem: str, hint: str, headers: dict[str, str] | None = None
) -> Response:
    problem, hint = encodable(problem), encodable(hint)  # an address can name half a surrogate pair
    if request.url.path.startswith(("/api/", "/static/")):
        body = orjson.dumps({"problem": problem, "hint": hint})
        return Response(body, status_code=status, media_type="application/json", headers=headers)
    return page(
        request, "problem.html", status=status, problem=problem, hint=hint, again=status in {429, 503}
    )
