"""Routes as typed functions: a request is decoded by their annotations, and what they return is the answer."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from adjudge.errors import InputError

Handler = TypeVar("Handler", bound=Callable[..., Any])
T = TypeVar("T")
Record = TypeVar("Record", bound=Struct)


class Query(Struct, frozen=True, kw_only=True):
    """Query parameters that belong together, each decoded by its field."""


class RequestBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a request may hold; a name that is not known is refused, so nothing is silently ignored."""


class From(NamedTuple):
    """`Annotated[T, From(read)]`: a parameter that is read from the request as a whole."""

    read: Callable[[Request], Awaitable[Any]]


class InvalidRequestError(InputError):
    """HTTP 422: a parameter or a body of the wrong type."""


class JsonResponse(Response):
    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return msgspec.json.encode(content)


class Operation:
    """One method of one path.

    A handler's parameters are those of the path, `Query` records, one `RequestBody`, what is annotated with `From`, and
    single query parameters, whose names may end in `_` where the bare word is Python's.
    """

    def __init__(
        self,
        method: str,
        path: str,
        handler: Callable[..., Any],
        *,
        tag: str,
        status: int,
        media_types: Sequence[str],
    ) -> None:
        self.method, self.path, self.handler = method, path, handler
        self.tag, self.status = tag, status
        self.media_types = media_types
        """Of a file that the route takes or gives."""
        self.queries: dict[str, type[Query]] = {}
        self.body: tuple[str, type[RequestBody]] | None = None
        self._readers: dict[str, Callable[[Request], Awaitable[Any]]] = {}
        hints = get_type_hints(handler, include_extras=True)
        self.returns: Any = hints["return"]
        in_path: list[tuple[str, Any]] = []
        single: list[tuple[str, Any] | tuple[str, Any, Any]] = []
        for parameter in signature(handler).parameters.values():
            name, kind = parameter.name, hints[parameter.name]
            reader = next((each for each in get_args(kind) if isinstance(each, From)), None)
            if reader is not None:
                self._readers[name] = reader.read
            elif kind is Request:
                self._readers[name] = _whole_request
            elif f"{{{name}}}" in path:
                in_path.append((name, kind))
            elif isinstance(kind, type) and issubclass(kind, RequestBody):
                self.body = (name, kind)
                self._readers[name] = _body_reader(kind)
            elif isinstance(kind, type) and issubclass(kind, Query):
                self.queries[name] = kind
            elif parameter.default is Parameter.empty:
                single.append((name, kind))
            else:
                single.append((name, kind, parameter.default))
        self.in_path = _record(in_path)
        self.single = _record(single)

    async def answer(self, request: Request) -> Response:
        values = msgspec.structs.asdict(validated("path", request.path_params, self.in_path))
        values |= msgspec.structs.asdict(_decode_query(request.query_params, self.single))
        for name, shape in self.queries.items():
            values[name] = _decode_query(request.query_params, shape)
        for name, read in self._readers.items():
            values[name] = await read(request)
        if iscoroutinefunction(self.handler):
            return self._response(await self.handler(**values))
        return await run_in_threadpool(lambda: self._response(self.handler(**values)))

    def _response(self, answer: Any) -> Response:
        return answer if isinstance(answer, Response) else JsonResponse(answer, status_code=self.status)


class RouteTable:
    """The routes of one module."""

    def __init__(self, tag: str = "") -> None:
        self._tag = tag
        self.operations: list[Operation] = []

    def get(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        return self._add("GET", path, **options)

    def post(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        return self._add("POST", path, **options)

    def delete(self, path: str, **options: Any) -> Callable[[Handler], Handler]:
        return self._add("DELETE", path, **options)

    def _add(
        self, method: str, path: str, *, tag: str = "", status: int = 200, media_types: Iterable[str] = ()
    ) -> Callable[[Handler], Handler]:
        def add(handler: Handler) -> Handler:
            self.operations.append(
                Operation(
                    method,
                    path,
                    handler,
                    tag=tag or self._tag,
                    status=status,
                    media_types=tuple(media_types),
                )
            )
            return handler

        return add


def routes_of(operations: Iterable[Operation]) -> list[Route]:
    return [Route(each.path, each.answer, methods=[each.method]) for each in operations]


def validated(where: str, values: Mapping[str, Any], shape: type[T]) -> T:
    """Texts of an address or a form as what they stand for."""
    return _checked(where, lambda: msgspec.convert(values, shape, strict=False), texts=True)


def _checked(where: str, decode: Callable[[], T], *, texts: bool = False) -> T:
    try:
        return decode()
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        problem, _, place = str(error).removeprefix("Object ").partition(" - at `$")
        if texts:
            problem = problem.replace(" | null`", "`").removesuffix(", got `str`")
        raise InvalidRequestError(
            where + place.removesuffix("`"), problem, "see /api/openapi.json for what is taken"
        ) from None


def _record(fields: Sequence[tuple[str, Any] | tuple[str, Any, Any]]) -> type[Struct]:
    return msgspec.defstruct(
        "Parameters", fields, frozen=True, kw_only=True, rename=lambda name: name.rstrip("_")
    )


def _decode_query(given: QueryParams, shape: type[Record]) -> Record:
    """Forms send their empty fields too: nothing is said by one that may be left out."""
    values: dict[str, Any] = {}
    for field in _query_fields(shape):
        texts = given.getlist(field.name)
        if not texts:
            continue
        if field.is_list:
            values[field.name] = [text for text in texts if text]
        elif texts[-1] or field.required:
            values[field.name] = texts[-1]
    return validated("query", values, shape)


class _QueryField(NamedTuple):
    name: str
    is_list: bool
    required: bool


@cache
def _query_fields(shape: type[Struct]) -> list[_QueryField]:
    return [
        _QueryField(each.encode_name, _is_list(each.type), each.required)
        for each in msgspec.structs.fields(shape)
    ]


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list or any(map(_is_list, get_args(kind)))


def _body_reader(shape: type[RequestBody]) -> Callable[[Request], Awaitable[RequestBody]]:
    decoder = msgspec.json.Decoder(shape)

    async def read(request: Request) -> RequestBody:
        data = await request.body()
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise InvalidRequestError("body", "is not JSON", "send it with `Content-Type: application/json`")
        return _checked("body", lambda: decoder.decode(data))

    return read


async def _whole_request(request: Request) -> Request:
    return request
