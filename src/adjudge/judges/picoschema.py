"""Dotprompt's `input` and `output`: what their Picoschema or JSON Schema says of a judge's inputs and verdict.

A schema that cannot be used (a named one, a list) gives None: the file is another tool's, and the prompt still speaks.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from adjudge.judges.front_matter import Located
from adjudge.judges.reading.kinds import find_ranges
from adjudge.records import Json
from adjudge.schemas import object_schema

_KEY = re.compile(
    r"(?P<name>[^?()]{1,200})(?P<optional>\?)?"
    r"(?:\((?P<kind>array|object|enum)(?:,\s*(?P<says>[^)]{0,2000}))?\))?"
)
_SCALARS = {"string", "integer", "number", "boolean", "null"}
_TYPES = {*_SCALARS, "object", "array"}
_KEPT = ("description", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_REST = "(*)"
"""Picoschema: other fields may be there; a verdict has the fields it names."""


class FieldKey(NamedTuple):
    """A key of Picoschema: `name?(array, what it is)`."""

    name: str
    optional: bool
    kind: str | None
    says: str | None


class SchemaInput(NamedTuple):
    required: bool
    line: int


def schema_inputs(schema: Located) -> dict[str, SchemaInput] | None:
    """The inputs that a schema names: every one is required, unless it is marked as optional."""
    if not schema.entries:
        return None
    if _is_json_schema(schema):
        properties = schema.entries.get("properties")
        required = schema.entries.get("required")
        needed = {element.written for element in required.elements} if required is not None else set()
        return {
            name: SchemaInput(name in needed, entry.line)
            for name, entry in (properties.entries if properties is not None else {}).items()
        }
    found: dict[str, SchemaInput] = {}
    for written, entry in schema.entries.items():
        if written == _REST:
            continue
        key = _read_key(written)
        if key is None:
            return None
        found[key.name] = SchemaInput(not key.optional, entry.line)
    return found


def schema_verdict(schema: Located) -> dict[str, Json] | None:
    """The verdict that a schema describes, as our subset of JSON Schema: every field is asked for, in its order."""
    found = _of_json_schema(schema) if _is_json_schema(schema) else _of_fields(schema)
    return found if found is not None and found.get("type") == "object" else None


def _is_json_schema(schema: Located) -> bool:
    kind = schema.entries.get("type")
    properties = schema.entries.get("properties")
    if kind is not None and kind.value in _TYPES:
        return True
    return kind is None and properties is not None and bool(properties.entries)


def _read_key(written: str) -> FieldKey | None:
    match = _KEY.fullmatch(written.strip())
    if match is None:
        return None
    says = match["says"]
    return FieldKey(
        match["name"].strip(), match["optional"] is not None, match["kind"], says and says.strip()
    )


# ---- Picoschema ----------------------------------------------------------------------------------------


def _of_fields(schema: Located) -> dict[str, Json] | None:
    properties: dict[str, Json] = {}
    for written, entry in schema.entries.items():
        if written == _REST:
            continue
        key = _read_key(written)
        found = None if key is None else _of_field(key, entry)
        if key is None or found is None:
            return None
        properties[key.name] = found
    return object_schema(properties) if properties else None


def _of_field(key: FieldKey, entry: Located) -> dict[str, Json] | None:
    found: dict[str, Json] | None
    if key.kind == "enum":
        options = [element.value for element in entry.elements]
        plain = all(isinstance(option, str | int | float) for option in options)
        found = {"enum": options} if options and plain else None
        if found is not None and key.optional:
            found = {"enum": [*options, None]}
    else:
        found = _of_fields(entry) if entry.entries else _of_scalar(entry)
        if found is not None and key.kind == "array":
            found = {"type": "array", "items": found}
        elif found is None or (key.kind == "object" and found.get("type") != "object"):
            return None
        if key.optional and isinstance(found.get("type"), str):
            found = {**found, "type": [found["type"], "null"]}
    if found is not None and key.says:
        found = {**found, "description": key.says}
    return found


def _of_scalar(entry: Located) -> dict[str, Json] | None:
    """`string, what it is`."""
    if not isinstance(entry.value, str | None):
        return None
    kind, _, says = entry.written.partition(",")
    kind = kind.strip()
    if kind not in {*_SCALARS, "any"}:
        return None
    found: dict[str, Json] = {"type": "string" if kind == "any" else kind}
    return _bounded({**found, "description": says.strip()}) if says.strip() else found


def _bounded(schema: dict[str, Json]) -> dict[str, Json]:
    """A number with the range that its description gives: `number, from 0 to 1`."""
    if schema.get("type") not in {"number", "integer"} or "minimum" in schema or "maximum" in schema:
        return schema
    ranges = find_ranges(str(schema.get("description", "")))
    if len(ranges) != 1:
        return schema
    whole = schema["type"] == "integer"
    low, high = ranges[0].low, ranges[0].high
    return {**schema, "minimum": int(low) if whole else low, "maximum": int(high) if whole else high}


# ---- JSON Schema ---------------------------------------------------------------------------------------


def _of_json_schema(schema: Located) -> dict[str, Json] | None:
    """The part of a schema that a verdict can hold to; other keywords are left out."""
    entries = schema.entries
    says = entries.get("description")
    about: dict[str, Json] = (
        {"description": says.value} if says is not None and isinstance(says.value, str) else {}
    )
    options = entries.get("enum")
    if options is not None:
        plain = all(isinstance(element.value, str | int | float | None) for element in options.elements)
        return {"enum": [element.value for element in options.elements], **about} if plain else None
    kinds = _kinds(entries)
    if kinds is None:
        return None
    found: dict[str, Json] = {"type": kinds[0] if len(kinds) == 1 else list(kinds)}
    if "object" in kinds:
        properties = entries.get("properties")
        read = {
            name: _of_json_schema(entry)
            for name, entry in (properties.entries if properties is not None else {}).items()
        }
        fields: dict[str, Json] = {name: field for name, field in read.items() if field is not None}
        if not fields or len(fields) < len(read):
            return None
        found |= object_schema(fields) | {"type": found["type"]}
    if "array" in kinds:
        items = entries.get("items")
        element: dict[str, Json] | None = {"type": "string"}
        if items is not None:
            element = _of_json_schema(items)
        if element is None:
            return None
        found["items"] = element
    for keyword in _KEPT:
        entry = entries.get(keyword)
        if entry is not None and isinstance(entry.value, str if keyword == "description" else int | float):
            found[keyword] = entry.value
    return _bounded(found)


def _kinds(entries: Mapping[str, Located]) -> list[Json] | None:
    kind = entries.get("type")
    if kind is None:
        return ["object"] if "properties" in entries else None
    words = [element.written for element in kind.elements or (kind,)]
    return list(words) if words and set(words) <= _TYPES else None
