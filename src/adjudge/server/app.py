"""Assembly: routes, errors and static files behind the door."""

from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from adjudge.errors import AdjudgeError, ExplainedError, InputError, ModelCallError, StoreError
from adjudge.server import compare_routes, judges_page, run_routes, runs_page
from adjudge.server.asker import BusyError
from adjudge.server.cases import routes as cases
from adjudge.server.labels import routes as labels
from adjudge.server.openapi import describe_api
from adjudge.server.pages import page
from adjudge.server.routing import InvalidRequestError, JsonResponse, routes_of
from adjudge.server.security import App, Door, Guard
from adjudge.server.service import NotFoundError, Service
from adjudge.server.shapes import ErrorAnswer
from adjudge.text import encodable

OPERATIONS = [
    operation
    for module in (runs_page, run_routes, cases, compare_routes, labels, judges_page)
    for operation in module.routes.operations
]
STATIC = Path(__file__).with_name("static")


def make_app(service: Service, door: Door) -> App:
    app = Starlette(
        routes=[
            *routes_of(OPERATIONS),
            Route("/api/openapi.json", _openapi),
            Mount("/static", _Static(directory=STATIC), name="static"),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)],
        exception_handlers={
            AdjudgeError: _handle_error,
            HTTPException: _handle_status,
            ClientDisconnect: _handle_disconnect,
            Exception: _handle_fault,
        },
    )

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": {**scope.get("state", {}), "service": service}}, receive, send)

    return Guard(serve, door)


@cache
def _description() -> dict[str, Any]:
    return describe_api(OPERATIONS)


async def _openapi(_: Request) -> Response:
    return JsonResponse(_description())


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
        case InvalidRequestError():
            status = 422
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


async def _handle_disconnect(_: Request, __: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


def _problem_response(
    request: Request, status: int, problem: str, hint: str, headers: dict[str, str] | None = None
) -> Response:
    problem, hint = encodable(problem), encodable(hint)  # an address can name half a surrogate pair
    if request.url.path.startswith(("/api/", "/static/")):
        return JsonResponse(ErrorAnswer(problem=problem, hint=hint), status_code=status, headers=headers)
    return page(
        request, "problem.html", status=status, problem=problem, hint=hint, again=status in {429, 503}
    )
