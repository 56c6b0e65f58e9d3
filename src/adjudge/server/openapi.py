"""The description of the API, made from the annotations of its routes."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from inspect import getdoc, getsource
from itertools import pairwise
from textwrap import dedent
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct, structs
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
    for record in _records(shapes):
        _add_texts(components[record.__name__]["properties"], record)
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
        _add_texts(schemas, shape)
        for field in structs.fields(shape):
            name, schema = field.encode_name, schemas[field.encode_name]
            _order_choices(schema, field.type)
            found.setdefault(name, {"name": name, "in": where, "required": field.required, "schema": schema})
    return list(found.values())


def _records(kinds: Iterable[Any]) -> set[type]:
    """Those that these types are made of."""
    found: set[type] = set()
    waiting = [*kinds]
    while waiting:
        kind = waiting.pop()
        if kind not in found and (is_dataclass(kind) or hasattr(kind, "__struct_fields__")):
            found.add(kind)
            waiting += get_type_hints(kind).values()
        waiting += get_args(kind)
    return found


def _add_texts(schemas: dict[str, Any], record: type) -> None:
    """What stands below a record's fields, as their descriptions."""
    names = (
        {each.name: each.encode_name for each in structs.fields(record)} if issubclass(record, Struct) else {}
    )
    for base in record.__mro__:
        for name, text in _field_texts(base):
            schemas[names.get(name, name)].setdefault("description", text)


def _field_texts(record: type) -> Iterator[tuple[str, str]]:
    try:
        source = getsource(record)
    except (OSError, TypeError):  # made by code, or installed without its source
        return
    (definition,) = ast.parse(dedent(source)).body
    assert isinstance(definition, ast.ClassDef)
    for field, below in pairwise(definition.body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, text


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
