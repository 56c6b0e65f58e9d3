"""A declared JSON Schema -> parts, so that the same rules find the score in a declared verdict."""

from adjudge.judges.understand.kinds import Kind, Type
from adjudge.judges.understand.parts import Part
from adjudge.records import Json, JsonSchema

_TYPES: dict[str, Type] = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "string": "string",
}


def parts_of_schema(schema: JsonSchema) -> tuple[Part, ...]:
    properties = schema.get("properties")
    assert isinstance(properties, dict)
    return tuple(_part(name, child) for name, child in properties.items())


def _part(name: str, schema: Json) -> Part:
    assert isinstance(schema, dict)
    description = schema.get("description")
    says = description if isinstance(description, str) else ""
    options = schema.get("enum")
    if isinstance(options, list):
        if set(map(str, options)) == {"True", "False"}:
            return Part(name=name, kind=Kind(type="boolean"), says=says)
        return Part(name=name, kind=Kind(type="string", options=tuple(options)), says=says)
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return Part(name=name, shape=schema, says=says)
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, int | float) and isinstance(high, int | float):
        return Part(name=name, kind=Kind(type=_TYPES[kind], low=float(low), high=float(high)), says=says)
    return Part(name=name, kind=Kind(type=_TYPES[kind]), says=says)
