"""JSON Schemas of verdicts: made, looked into, and put into the words that a model is told.

The words are part of the message that some judges send, and so of their hash: they change only on purpose.
"""

from collections.abc import Mapping

from adjudge.records import NOTHING, Json

_NOUNS = {
    "string": ("a string", "strings"),
    "integer": ("an integer", "integers"),
    "number": ("a number", "numbers"),
    "boolean": ("true or false", "true or false values"),
    "null": ("null", "nulls"),
}


def object_schema(properties: Mapping[str, Json]) -> dict[str, Json]:
    """An object that has these properties, all of them and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def properties_of(schema: Mapping[str, Json]) -> dict[str, Json]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def choices_of(schema: Json) -> tuple[str, ...]:
    """The labels that a value of this schema may be, as front matter spells them; none where any value goes."""
    if not isinstance(schema, dict):
        return ()
    if schema.get("type") == "boolean":
        return ("true", "false")
    options = schema.get("enum")
    return tuple(map(spell_option, options)) if isinstance(options, list) else ()


def spell_option(option: Json) -> str:
    if isinstance(option, bool):
        return "true" if option else "false"
    return "null" if option is None else str(option)


def as_number(value: float) -> int | float:
    """Whole numbers are written without a point."""
    return int(value) if value == int(value) else value


def fields_in_words(fields: Mapping[str, Json], about: Mapping[str, Json] = NOTHING) -> str:
    """One line for each field, in order; `about` has what to add to some of them."""
    return "\n".join(
        f'- "{name}": {kind_in_words(schema)}{about.get(name, "")}' for name, schema in fields.items()
    )


def kind_in_words(schema: Json) -> str:
    """What a value of this schema is, in words."""
    if not isinstance(schema, dict):
        return "any value"
    options = schema.get("enum")
    if isinstance(options, list):
        return "one of " + ", ".join(_spelled(option) for option in options)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(kind_in_words({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"a list of {_several(schema.get('items'))}{_counted(schema)}"
    if kind == "object":
        return f"an object with {_fields(schema)}" if properties_of(schema) else "an object"
    if isinstance(kind, str) and kind in _NOUNS:
        return _NOUNS[kind][0] + _bounds(schema)
    return "any value"


def _several(schema: Json) -> str:
    if not isinstance(schema, dict):
        return "values"
    kind = schema.get("type")
    if "enum" in schema:
        return f"values, each {kind_in_words(schema)}"
    if kind == "object":
        return f"objects with {_fields(schema)}" if properties_of(schema) else "objects"
    if isinstance(kind, str) and kind in _NOUNS:
        return _NOUNS[kind][1] + _bounds(schema)
    return f"values, each {kind_in_words(schema)}"


def _fields(schema: Mapping[str, Json]) -> str:
    return ", ".join(f'"{name}" ({kind_in_words(child)})' for name, child in properties_of(schema).items())


def _bounds(schema: Mapping[str, Json]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" from {_spelled(low)} to {_spelled(high)}"
    if low is not None:
        return f" of at least {_spelled(low)}"
    return "" if high is None else f" of at most {_spelled(high)}"


def _counted(schema: Mapping[str, Json]) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if least is None and most is None:
        return ""
    if least == most:
        return f", exactly {least}"
    if most is None:
        return f", at least {least}"
    return f", at most {most}" if least is None else f", {least} to {most}"


def _spelled(value: Json) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return (
        str(int(value))
        if isinstance(value, float) and value == int(value) and abs(value) >= 2
        else str(value)
    )
