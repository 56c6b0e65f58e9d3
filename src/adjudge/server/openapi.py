"""The description of the API, made from the annotations of its routes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import getdoc
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec import Struct
from starlette.responses import Response

from adjudge import __version__
from adjudge.server.routing import Operation
from adjudge.server.shapes import ErrorAnswer

REFERENCES = "#/components/schemas/{name}"
PROBLEMS: Mapping[int, str] = {
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
}


def describe_api(operations: Iterable[Operation]) -> dict[str, Any]:
    described = [each for each in operations if each.path.startswith("/api/")]
    shapes = [ErrorAnswer, *(kind for each in described for kind in _shapes(each))]
    _, components = msgspec.json.schema_components(shapes, ref_template=REFERENCES)
    paths: dict[str, Any] = {}
    for each in described:
        paths.setdefault(each.path, {})[each.method.lower()] = _describe(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "adjudge",
            "description": "Judgements, figures and labels of one store; and a judge as a service.",
            "version": __version__,
        },
        "paths": paths,
        "components": {"schemas": components},
    }


def _shapes(operation: Operation) -> Iterator[Any]:
    if operation.body is not None:
        yield operation.body[1]
    if not _is_file(operation):
        yield operation.returns


def _is_file(operation: Operation) -> bool:
    return isinstance(operation.returns, type) and issubclass(operation.returns, Response)


def _describe(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "tags": [operation.tag],
        "description": getdoc(operation.handler),
        "operationId": operation.handler.__name__,
        "parameters": [
            *_parameters("path", [operation.in_path]),
            *_parameters("query", [operation.single, *operation.queries.values()]),
        ],
    }
    files: dict[str, Any] = {kind.partition(";")[0]: {} for kind in operation.media_types}
    if operation.body is not None:
        described["requestBody"] = {"content": _json(operation.body[1]), "required": True}
    elif operation.method == "POST" and files:
        described["requestBody"] = {"content": files, "required": True}
    good: dict[str, Any] = {"description": "Successful response"}
    if not _is_file(operation):
        good["content"] = _json(operation.returns)
    elif files:
        good["content"] = files
    described["responses"] = {str(operation.status): good} | {
        str(status): {"description": text, "content": _json(ErrorAnswer)} for status, text in PROBLEMS.items()
    }
    return described


def _parameters(where: str, shapes: Sequence[type[Struct]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for shape in shapes:
        _, components = msgspec.json.schema_components([shape])
        schemas = components[shape.__name__]["properties"]
        for field in msgspec.structs.fields(shape):
            name, schema = field.encode_name, schemas[field.encode_name]
            _order_choices(schema, field.type)
            found.setdefault(name, {"name": name, "in": where, "required": field.required, "schema": schema})
    return list(found.values())


def _order_choices(schema: dict[str, Any], kind: Any) -> None:
    """As they are declared; msgspec sorts them."""
    if get_origin(kind) is Literal:
        for place in (schema, schema.get("items", {})):
            if set(place.get("enum", ())) == set(get_args(kind)):
                place["enum"] = list(get_args(kind))
    for each in get_args(kind):
        _order_choices(schema, each)


def _json(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REFERENCES)
    return {"application/json": {"schema": schema}}
