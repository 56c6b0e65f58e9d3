"""A verdict that a prompt gives as a JSON Schema."""

import json
import re
from collections.abc import Iterator, Mapping

from adjudge.judges.reading.parts import FoundContract, parts_of_schema
from adjudge.records import Json
from adjudge.schemas import object_schema, properties_of

LARGEST_CHARACTERS = 20_000
MOST_ATTEMPTS = 50
DEEPEST = 12

_OPENING = re.compile(
    r"\{\s{0,200}\"(?:properties|type|title|description|\$defs|\$schema|definitions|required|\w{1,60}\"\s?:\s?\{\s{0,80}\"(?:type|enum|description|title)\")"
)
_KEYWORDS = {"type", "enum", "anyOf", "allOf", "oneOf", "const", "$ref"}


def find_json_schema(text: str) -> FoundContract | None:
    """The fields of the last schema that stands in the text, with its `$ref`s resolved."""
    found = None
    for start, end, value in _objects(text):
        schema = _resolved(value, value)
        fields = properties_of(schema) if "properties" in schema else schema
        # A verdict may well have a field called `properties`; in a schema each one is itself a schema.
        if fields and all(isinstance(field, dict) and _KEYWORDS & set(field) for field in fields.values()):
            parts = parts_of_schema(object_schema(dict(fields)))
            found = FoundContract(form="json", parts=parts, start=start, end=end)
    return found


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Json]]]:
    """Valid JSON objects, outermost only."""
    decoder, position = json.JSONDecoder(), 0
    for _ in range(MOST_ATTEMPTS):
        match = _OPENING.search(text, position)
        if match is None:
            return
        position = match.start() + 1
        try:
            value, length = decoder.raw_decode(text[match.start() : match.start() + LARGEST_CHARACTERS])
        except (ValueError, RecursionError):
            continue
        position = match.start() + length
        yield match.start(), position, value


def _resolved(node: Json, root: Mapping[str, Json], depth: int = 0) -> dict[str, Json]:
    """A schema with what its `$ref`s point to in their place; one that holds itself ends after a few rounds."""
    assert isinstance(node, dict)
    definitions = root.get("$defs", root.get("definitions"))
    reference = node.get("$ref")
    if isinstance(reference, str) and isinstance(definitions, dict) and depth < DEEPEST:
        target = definitions.get(reference.rpartition("/")[2])
        if isinstance(target, dict):
            return _resolved(target, root, depth + 1)
    if depth >= DEEPEST:
        return {"type": "object"}
    return {
        name: _resolved(child, root, depth + 1) if isinstance(child, dict) else child
        for name, child in node.items()
    }
