"""`verdict:` in a judge file to JSON Schema: a shorthand for people, checked with line numbers."""

from collections.abc import Iterable, Mapping

from adjudge.errors import JudgeFileError
from adjudge.judges.front_matter import Located
from adjudge.records import Json
from adjudge.schemas import object_schema
from adjudge.text import did_you_mean, is_finite

MAX_NUMBER = 1e12
"""Of a scale, a range, points: beyond it squares and sums lose what people mean by a score."""
TYPES = ("string", "number", "integer", "boolean", "list", "object", "null")
_TYPE_WORDS: Mapping[str, str] = {
    "string": "string",
    "str": "string",
    "text": "string",
    "number": "number",
    "float": "number",
    "integer": "integer",
    "int": "integer",
    "boolean": "boolean",
    "bool": "boolean",
    "list": "array",
    "array": "array",
    "object": "object",
    "null": "null",
}
_KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "enum": (),
    "type": (),
    "description": (),
    "minimum": ("number", "integer"),
    "maximum": ("number", "integer"),
    "minLength": ("string",),
    "maxLength": ("string",),
    "items": ("array",),
    "minItems": ("array",),
    "maxItems": ("array",),
    "properties": ("object",),
    "required": ("object",),
    "additionalProperties": ("object",),
}


def read_verdict(located: Located, *, where: str) -> dict[str, Json]:
    """The JSON Schema object for a `verdict:` mapping: every property required, none besides, in the order given."""
    if not located.entries:
        raise _error(
            where,
            located.line,
            "`verdict` has no fields",
            "write one line per field, such as `reason: string` and `score: {type: integer, minimum: 1, maximum: 5}`",
        )
    return _object(located, where)


def _object(located: Located, where: str) -> dict[str, Json]:
    properties: dict[str, Json] = {name: _property(entry, where) for name, entry in located.entries.items()}
    return object_schema(properties)


def _property(located: Located, where: str) -> Json:
    value = located.value
    if isinstance(value, str):
        return _named_type(value, located.line, where)
    if isinstance(value, list):
        return _list(located, where)
    if not isinstance(value, dict) or not value:
        raise _error(
            where,
            located.line,
            f"`{located.written or value}` is not a type",
            "write one of " + ", ".join(TYPES) + ", a list such as [string], or {enum: [a, b]}",
        )
    if "type" in value or "enum" in value:
        return _keywords(located, where)
    return _object(located, where)


def _named_type(word: str, line: int, where: str) -> dict[str, Json]:
    name = word.strip()
    if name.endswith("[]"):
        return {"type": "array", "items": _named_type(name[:-2], line, where)}
    if name.lower() not in _TYPE_WORDS:
        raise _error(where, line, f"`{word}` is not a type", _near(name, TYPES))
    kind = _TYPE_WORDS[name.lower()]
    if kind == "array":
        return {"type": "array", "items": {"type": "string"}}
    return {"type": kind}


def _list(located: Located, where: str) -> dict[str, Json]:
    if len(located.elements) != 1:
        raise _error(
            where,
            located.line,
            f"a list type has one element, not {len(located.elements)}",
            "write [string], [number] or [{name: string, …}]; for a choice write {enum: [a, b]}",
        )
    return {"type": "array", "items": _property(located.elements[0], where)}


def _keywords(located: Located, where: str) -> dict[str, Json]:
    if "enum" in located.entries:
        return _enum(located, where)
    kind_at = located.entries["type"]
    kinds = _types(kind_at, where)
    schema: dict[str, Json] = {"type": kinds[0] if len(kinds) == 1 else list(kinds)}
    for keyword, entry in located.entries.items():
        if keyword == "type":
            continue
        if keyword not in _KEYWORDS:
            raise _error(
                where,
                located.key_lines[keyword],
                f"`{keyword}` is not supported in a verdict",
                _near(keyword, list(_KEYWORDS)),
            )
        fits = _KEYWORDS[keyword]
        if fits and not set(fits) & set(kinds):
            raise _error(
                where,
                located.key_lines[keyword],
                f"`{keyword}` does not apply to a {kinds[0]}",
                f"it belongs to {' or '.join(fits)}",
            )
        schema[keyword] = _keyword_value(keyword, entry, where)
    for low, high in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        bounds = schema.get(low), schema.get(high)
        if (
            isinstance(bounds[0], int | float)
            and isinstance(bounds[1], int | float)
            and bounds[0] > bounds[1]
        ):
            raise _error(
                where,
                located.line,
                f"`{low}` {bounds[0]} is above `{high}` {bounds[1]}",
                "swap the two",
            )
    if "array" in kinds:
        schema.setdefault("items", {"type": "string"})
    if "object" in kinds:
        if "properties" not in schema:
            raise _error(where, located.line, "an object needs `properties`", "name its fields")
        properties = _mapping(schema["properties"])
        schema.setdefault("required", list(properties))
        schema["additionalProperties"] = False
        _validate_required(located, properties, where)
    return schema


def _validate_required(located: Located, properties: Mapping[str, Json], where: str) -> None:
    for element in located.entries["required"].elements if "required" in located.entries else ():
        if element.written not in properties:
            raise _error(
                where,
                element.line,
                f"`required` names `{element.written}`, which is not a property",
                _near(element.written, list(properties)),
            )


def _types(located: Located, where: str) -> tuple[str, ...]:
    words = located.elements or (located,)
    kinds: list[str] = []
    for word in words:
        written = word.written
        if not isinstance(word.value, str | None) or written.lower() not in _TYPE_WORDS:
            raise _error(where, word.line, f"`{written}` is not a type", _near(written, TYPES))
        kinds.append(_TYPE_WORDS[written.lower()])
    return tuple(kinds)


def _enum(located: Located, where: str) -> dict[str, Json]:
    entry = located.entries["enum"]
    for keyword in located.entries:
        if keyword not in {"enum", "type", "description"}:
            raise _error(
                where,
                located.key_lines[keyword],
                f"`{keyword}` is not supported next to `enum`",
                "the enum already lists every value",
            )
    values = entry.value
    if not isinstance(values, list) or not values:
        raise _error(where, entry.line, "`enum` is not a list", "write {enum: [correct, incorrect]}")
    for element in entry.elements:
        if element.value is not None and not isinstance(element.value, str | int | float):
            raise _error(where, element.line, "an enum value is a list or a mapping", "use words or numbers")
        if isinstance(element.value, int | float) and abs(element.value) > MAX_NUMBER:
            raise too_large(where, element, "an enum value")
    if len(set(values)) < len(values):
        raise _error(where, entry.line, "`enum` lists a value twice", "list each once")
    schema: dict[str, Json] = {"enum": values}
    if "description" in located.entries:
        schema["description"] = located.entries["description"].written
    return schema


def _keyword_value(keyword: str, entry: Located, where: str) -> Json:
    value = entry.value
    if keyword == "description":
        if not isinstance(value, str):
            raise _error(where, entry.line, "`description` is not text", "quote it")
        return value
    if keyword == "items":
        return _property(entry, where)
    if keyword == "properties":
        if not entry.entries:
            raise _error(where, entry.line, "`properties` has no fields", "name at least one")
        return {name: _property(child, where) for name, child in entry.entries.items()}
    if keyword == "required":
        if not isinstance(value, list):
            raise _error(
                where, entry.line, "`required` is not a list", "list property names, or leave it out"
            )
        return [element.written for element in entry.elements]
    if keyword == "additionalProperties":
        if value is not False:
            raise _error(
                where,
                entry.line,
                "a verdict has the fields it names and no others",
                "write false, or leave it out",
            )
        return False
    if keyword in {"minimum", "maximum"}:
        if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
            raise _error(where, entry.line, f"`{keyword}` is not a number", "write a number, such as 0")
    elif isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _error(where, entry.line, f"`{keyword}` is not a count", "write a whole number")
    if abs(value) > MAX_NUMBER:
        raise too_large(where, entry, f"`{keyword}`")
    return value


def too_large(where: str, entry: Located, what: str) -> JudgeFileError:
    return _error(
        where,
        entry.line,
        f"{what} is {entry.written}, beyond {MAX_NUMBER:.0f}",
        "choose a smaller number: scores on a scale such as 0 to 100 say as much",
    )


def _mapping(value: Json) -> Mapping[str, Json]:
    assert isinstance(value, dict)
    return value


def _near(word: str, known: Iterable[str]) -> str:
    return did_you_mean(word, known, f"known: {', '.join(known)}")


def _error(where: str, line: int, problem: str, hint: str) -> JudgeFileError:
    return JudgeFileError(f"{where} line {line}", problem, hint)
