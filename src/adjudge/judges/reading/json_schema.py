"""A verdict that a prompt gives as a JSON Schema."""

import json
from collections.abc import Iterator, Mapping

from adjudge.judges.reading.parts import FoundContract, parts_of_schema
from adjudge.patterns import lazy_pattern
from adjudge.records import Json
from adjudge.schemas import object_schema, properties_of
from adjudge.text import words

MAX_CHARS = 20_000
MAX_ATTEMPTS = 50
MAX_DEPTH = 12

_OPENING = lazy_pattern(
    r"\{\s{0,200}\"(?:properties|type|title|description|\$defs|\$schema|definitions|required|\w{1,60}\"\s?:\s?\{\s{0,80}\"(?:type|enum|description|title)\")"
)
_USED = words("type enum description minimum maximum minLength maxLength minItems maxItems")
_KEYWORDS = {"type", "enum", "anyOf", "allOf", "oneOf", "const", "$ref"}


def find_json_schema(text: str) -> FoundContract | None:
    """The fields of the last schema that stands in the text, with its `$ref`s resolved."""
    found = None
    for start, end, value in _objects(text):
        fields = properties_of(value) if isinstance(value.get("properties"), dict) else value
        # A verdict may well have a field called `properties`; in a schema each one is itself a schema.
        if fields and all(isinstance(field, dict) and _KEYWORDS & set(field) for field in fields.values()):
            parts = parts_of_schema(object_schema(_fields(fields, value)))
            found = FoundContract(form="json", parts=parts, start=start, end=end)
    return found


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Json]]]:
    """Valid JSON objects, outermost only."""
    decoder, position = json.JSONDecoder(), 0
    for _ in range(MAX_ATTEMPTS):
        match = _OPENING.search(text, position)
        if match is None:
            return
        position = match.start() + 1
        try:
            value, length = decoder.raw_decode(text[match.start() : match.start() + MAX_CHARS])
        except (ValueError, RecursionError):
            continue
        position = match.start() + length
        yield match.start(), position, value


def _resolved(schema: Mapping[str, Json], root: Mapping[str, Json], depth: int = 0) -> dict[str, Json]:
    """What we use of a schema, with what its `$ref`s point to in their place; one that holds itself ends somewhere."""
    if depth > MAX_DEPTH:
        return {"type": "object"}
    definitions = root.get("$defs", root.get("definitions"))
    reference = schema.get("$ref")
    if isinstance(reference, str) and isinstance(definitions, dict):
        target = definitions.get(reference.rpartition("/")[2])
        return _resolved(target, root, depth + 1) if isinstance(target, dict) else {"type": "object"}
    found = {name: value for name, value in schema.items() if name in _USED}
    if isinstance(items := schema.get("items"), dict):
        found["items"] = _resolved(items, root, depth + 1)
    if isinstance(schema.get("properties"), dict):
        found |= object_schema(_fields(properties_of(schema), root, depth))
    return found


def _fields(fields: Mapping[str, Json], root: Mapping[str, Json], depth: int = 0) -> dict[str, Json]:
    return {
        name: _resolved(child, root, depth + 1) if isinstance(child, dict) else child
        for name, child in fields.items()
    }
