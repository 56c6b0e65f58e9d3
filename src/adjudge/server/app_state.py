"""How routes get at the service they answer for."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from adjudge.server.service import Service


def get_service(request: Request) -> Service:
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


Served = Annotated[Service, Depends(get_service)]
