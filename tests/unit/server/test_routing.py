"""`routing.py` and `openapi.py`: what a route's annotations make of a request, and what is said of one that does not fit."""

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct, field
from starlette.applications import Starlette
from starlette.testclient import TestClient

from adjudge.server.openapi import describe_api
from adjudge.server.routing import (
    InvalidRequestError,
    JsonResponse,
    Query,
    RequestBody,
    RouteTable,
    routes_of,
)

table = RouteTable(tag="tests")


class Window(Query, frozen=True, kw_only=True):
    first: Annotated[int, Meta(ge=0)] = 0
    slices: list[str] = field(default_factory=list, name="slice")
    """Columns."""


class Body(RequestBody, frozen=True, kw_only=True):
    count: Annotated[int, Meta(ge=1)]
    name: str | None = None


class Answer(Struct, frozen=True, kw_only=True):
    said: list[Any]


@table.get("/api/{key}/part.{form}")
def read(
    key: Annotated[str, Meta(max_length=3)],
    form: Literal["z", "a"],
    window: Window,
    *,
    format_: Literal["long", "brief"] = "long",
    sure: bool = False,
    low: float | None = None,
) -> Answer:
    """Read a part."""
    return Answer(said=[key, form, window.first, window.slices, format_, sure, low])


@table.post("/api/{key}", status=201)
async def write(key: str, body: Body) -> Answer:
    """Write it."""
    return Answer(said=[key, body.count, body.name])


@pytest.fixture
def client():
    async def say(_, error):
        return JsonResponse([error.where, error.problem], status_code=422)

    app = Starlette(routes=routes_of(table.operations), exception_handlers={InvalidRequestError: say})
    with TestClient(app) as opened:
        yield opened


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/api/k/part.a", ["k", "a", 0, [], "long", False, None]),
        (
            "/api/k/part.z?first=3&slice=x&slice=&slice=y&format=brief&sure=1&low=0.5",
            ["k", "z", 3, ["x", "y"], "brief", True, 0.5],
        ),
        ("/api/k/part.a?first=1&first=2&low=&format=&unknown=1", ["k", "a", 2, [], "long", False, None]),
    ],
)
def test_parameters_are_read_by_their_annotations(client, address, said):
    assert client.get(address).json() == {"said": said}


@pytest.mark.parametrize(
    ("address", "where", "problem"),
    [
        ("/api/long/part.a", "path.key", "Expected `str` of length <= 3"),
        ("/api/k/part.b", "path.form", "Invalid enum value 'b'"),
        ("/api/k/part.a?first=-1", "query.first", "Expected `int` >= 0"),
        ("/api/k/part.a?low=five", "query.low", "Expected `float`"),
        ("/api/k/part.a?sure=perhaps", "query.sure", "Expected `bool`"),
    ],
)
def test_what_does_not_fit_is_refused_and_named(client, address, where, problem):
    answer = client.get(address)
    assert answer.status_code == 422
    assert answer.json() == [where, problem]


@pytest.mark.parametrize(
    ("body", "where", "problem"),
    [
        ('{"count": 0}', "body.count", ">= 1"),
        ('{"count": "1"}', "body.count", "got `str`"),
        ("{}", "body", "missing required field `count`"),
        ('{"count": 1, "base_url": "x"}', "body", "contains unknown field `base_url`"),
        ("{", "body", "truncated"),
        ('{"count": 1, "name": "\udcff"}', "body", "utf-8"),
        ("[" * 100_000, "body", ""),
        ('{"count": NaN}', "body", "malformed"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_and_named(client, body, where, problem):
    data = body.encode("utf-8", "surrogateescape")
    answer = client.post("/api/k", content=data, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()[0] == where
    assert problem in answer.json()[1]


def test_a_body_says_that_it_is_json(client):
    assert client.post("/api/k", json={"count": 2, "name": "n"}).json() == {"said": ["k", 2, "n"]}
    assert client.post("/api/k", json={"count": 2}).status_code == 201
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = client.post("/api/k", content=b'{"count": 2}', headers={"content-type": kind})
        assert answer.status_code == 422
        assert answer.json() == ["body", "is not JSON"]


def test_routes_are_described_by_the_same_annotations():
    paths = describe_api(table.operations)["paths"]
    described = paths["/api/{key}/part.{form}"]["get"]
    assert described["description"] == "Read a part."
    names = [(each["in"], each["name"], each["required"]) for each in described["parameters"]]
    assert names == [
        ("path", "key", True),
        ("path", "form", True),
        *(("query", name, False) for name in ("format", "sure", "low", "first", "slice")),
    ]
    assert described["parameters"][1]["schema"]["enum"] == ["z", "a"]  # as declared
    assert described["parameters"][-1]["schema"]["description"] == "Columns."
    assert paths["/api/{key}"]["post"]["requestBody"]["content"] == {
        "application/json": {"schema": {"$ref": "#/components/schemas/Body"}}
    }
    assert "201" in paths["/api/{key}"]["post"]["responses"]
