"""A verdict's JSON Schema, adapted to what each provider's structured output accepts; validation stays with the reader."""

from collections.abc import Callable, Mapping
from typing import Any

from adjudge.records import JsonSchema

STRICT_KEYWORDS = frozenset(
    {"type", "properties", "items", "enum", "anyOf", "$ref", "$defs", "description", "title"}
)
GEMINI_KEYWORDS = STRICT_KEYWORDS | {"format", "required", "additionalProperties"}
"""Without bounds of numbers and lists, with which a schema may have too many states for Gemini."""
OPENAPI_KEYWORDS = GEMINI_KEYWORDS - {"$ref", "$defs", "additionalProperties"}
SMALL_RANGE = 20
JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


def strict_schema(schema: JsonSchema) -> dict[str, Any]:
    """The subset OpenAI's strict mode and Anthropic's output format take: closed objects, every property required."""

    def finish(node: dict[str, Any]) -> dict[str, Any]:
        if "properties" in node:
            node["required"] = list(node["properties"])
            node["additionalProperties"] = False
        return node

    return _adapt(schema, STRICT_KEYWORDS, finish)


def gemini_schema(schema: JsonSchema) -> dict[str, Any]:
    """The subset Gemini's `responseJsonSchema` takes; properties come back in the order in which they are written."""

    def finish(node: dict[str, Any]) -> dict[str, Any]:
        if "properties" in node:
            node["required"] = list(node["properties"])
            node["propertyOrdering"] = list(node["properties"])
        return node

    return _adapt(schema, GEMINI_KEYWORDS, finish)


def openapi_schema(schema: JsonSchema) -> dict[str, Any]:
    """The older OpenAPI subset of Gemini's `responseSchema`: one type per node, enums of strings only."""

    def finish(node: dict[str, Any]) -> dict[str, Any]:
        if "properties" in node:
            node["required"] = list(node["properties"])
            node["propertyOrdering"] = list(node["properties"])
        if any(not isinstance(value, str) for value in node.get("enum", ())):
            del node["enum"]
        types = node.get("type")
        if isinstance(types, list):
            named = [name for name in types if name != "null"]
            if "null" in types:
                node["nullable"] = True
            node.pop("type")
            if len(named) == 1:
                node["type"] = named[0]
            elif named:
                node["anyOf"] = [{"type": name} for name in named]
        return node

    return _adapt(schema, OPENAPI_KEYWORDS, finish)


def _adapt(
    schema: Mapping[str, Any], keywords: frozenset[str], finish: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    def walk(found: Any) -> Any:
        if not isinstance(found, Mapping):
            return found
        source = _plainer(found)
        node: dict[str, Any] = {}
        for key, value in source.items():
            if key not in keywords:
                continue
            if key in {"properties", "$defs"} and isinstance(value, Mapping):
                node[key] = {name: walk(part) for name, part in value.items()}
            elif key == "anyOf" and isinstance(value, list | tuple):
                node[key] = [walk(part) for part in value]
            else:
                node[key] = walk(value) if key == "items" else value
        if "enum" in node and "type" not in node:
            names = list(dict.fromkeys(JSON_TYPES.get(type(value), "string") for value in node["enum"]))
            node["type"] = names[0] if len(names) == 1 else names
        return finish(node)

    adapted: dict[str, Any] = walk(schema)
    return adapted


def _plainer(node: Mapping[str, Any]) -> dict[str, Any]:
    """The same node in commoner words: `oneOf` as `anyOf`, `const` and short integer ranges as `enum`."""
    plain = dict(node)
    if "oneOf" in plain:
        plain.setdefault("anyOf", plain.pop("oneOf"))
    if "const" in plain:
        plain.setdefault("enum", [plain.pop("const")])
    low, high = plain.get("minimum"), plain.get("maximum")
    if (
        plain.get("type") == "integer"
        and "enum" not in plain
        and isinstance(low, int | float)
        and isinstance(high, int | float)
        and float(low).is_integer()
        and float(high).is_integer()
        and 0 <= high - low <= SMALL_RANGE
    ):
        plain["enum"] = list(range(int(low), int(high) + 1))
    return plain
