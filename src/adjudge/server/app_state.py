"""How routes get at the service they answer for."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from adjudge.server.service import Service


def get_service(request: Request) -> Service:
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


def swaps(request: Request, *parts: str) -> bool:
    """Whether a script asks for one of these parts of a page that is shown already."""
    return request.headers.get("x-swap") in parts


Served = Annotated[Service, Depends(get_service)]
