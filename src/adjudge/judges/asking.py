"""The format message in our own words: the verdict's fields in order, what each of them holds, as JSON or as text."""

from collections.abc import Mapping

from adjudge.records import Form, Json

_NOUNS = {
    "string": ("a string", "strings"),
    "integer": ("an integer", "integers"),
    "number": ("a number", "numbers"),
    "boolean": ("true or false", "true or false values"),
    "null": ("null", "nulls"),
}


def ask_for(fields: Mapping[str, Json], *, called: Mapping[str, str] | None = None) -> str:
    """A message that gives every field its place; `called` has the prompt's own name for some of them."""
    return (
        "Give your answer as one JSON object and nothing else, with these fields in this order:\n"
        + _listed(fields, called or {})
    )


def ask_for_text(fields: Mapping[str, Json], rating: str, label: str, *, form: Form) -> str:
    """A message that gives the rating a line at the end of an answer in the prompt's own form."""
    line = f"{label[:1].upper()}{label[1:]}: <{said_of(fields[rating])}>"
    ending = f"End your answer with this line, filled in, and nothing after it:\n{line}"
    if form != "sections":
        return ending
    called = {} if label == rating else {rating: label}
    return (
        "Give your answer as text, in the sections that you were asked for and one for the rating, in this order:\n"
        f"{_listed(fields, called)}\n{ending}"
    )


def _listed(fields: Mapping[str, Json], called: Mapping[str, str]) -> str:
    return "\n".join(
        f'- "{name}": {said_of(schema)}' + (f" (the {called[name]})" if name in called else "")
        for name, schema in fields.items()
    )


def said_of(schema: Json) -> str:
    """What a value of this schema is, in words."""
    if not isinstance(schema, dict):
        return "any value"
    options = schema.get("enum")
    if isinstance(options, list):
        return "one of " + ", ".join(_spelled(option) for option in options)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(said_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"a list of {_several(schema.get('items'))}{_counted(schema)}"
    if kind == "object":
        return f"an object with {_fields(schema)}" if _properties(schema) else "an object"
    if isinstance(kind, str) and kind in _NOUNS:
        return _NOUNS[kind][0] + _bounds(schema)
    return "any value"


def _several(schema: Json) -> str:
    if not isinstance(schema, dict):
        return "values"
    kind = schema.get("type")
    if "enum" in schema:
        return f"values, each {said_of(schema)}"
    if kind == "object":
        return f"objects with {_fields(schema)}" if _properties(schema) else "objects"
    if isinstance(kind, str) and kind in _NOUNS:
        return _NOUNS[kind][1] + _bounds(schema)
    return f"values, each {said_of(schema)}"


def _fields(schema: Mapping[str, Json]) -> str:
    return ", ".join(f'"{name}" ({said_of(child)})' for name, child in _properties(schema).items())


def _properties(schema: Mapping[str, Json]) -> dict[str, Json]:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


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
