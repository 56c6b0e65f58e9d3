"""One part of a verdict, as far as a prompt has told about it; to JSON Schema and back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.judges.schema import object_schema
from adjudge.judges.understand.kinds import UNKNOWN, Kind, Type
from adjudge.records import Form, Json, JsonSchema

_TYPES: dict[str, Type] = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "string": "string",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictPart:
    name: str
    kind: Kind = UNKNOWN
    shape: Mapping[str, Json] | None = None
    """A schema read whole (a nested object, a list of objects); `kind` is then not used."""
    says: str = ""
    """What the prompt says about it."""
    labels: tuple[str, ...] = ()
    """The words it stands under in text, lower case."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """Option -> what the prompt says it stands for."""
    number_as_text: bool = False
    """The prompt shows a number's place inside quotes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundContract:
    """An output contract read from a prompt, before its score is understood."""

    form: Form
    parts: tuple[VerdictPart, ...]
    start: int = 0
    """Where in the outline it was read."""
    end: int = 0

    def __getitem__(self, name: str) -> VerdictPart | None:
        return next((part for part in self.parts if part.name == name), None)


def as_number(value: float) -> int | float:
    """Whole numbers are written without a point."""
    return int(value) if value == int(value) else value


def part_schema(part: VerdictPart) -> dict[str, Json]:
    if part.shape is not None:
        return dict(part.shape)
    kind = part.kind
    schema: dict[str, Json]
    if kind.options:
        schema = {"enum": [*kind.options, None] if kind.nullable else list(kind.options)}
    elif kind.type == "array":
        schema = {"type": "array", "items": {"type": "string"}}
        if kind.count is not None:
            schema |= {"minItems": kind.count, "maxItems": kind.count}
    else:
        name = kind.type or "string"
        schema = {"type": [name, "null"] if kind.nullable else name}
        if kind.low is not None and kind.high is not None:
            schema |= {"minimum": as_number(kind.low), "maximum": as_number(kind.high)}
    return schema


def parts_schema(parts: tuple[VerdictPart, ...]) -> dict[str, Json]:
    return object_schema({part.name: part_schema(part) for part in parts})


def parts_of_schema(schema: JsonSchema) -> tuple[VerdictPart, ...]:
    """The parts of a declared verdict, so that the same rules find its score."""
    properties = schema.get("properties")
    assert isinstance(properties, dict)
    return tuple(_part_of(name, child) for name, child in properties.items())


def _part_of(name: str, schema: Json) -> VerdictPart:
    assert isinstance(schema, dict)
    description = schema.get("description")
    says = description if isinstance(description, str) else ""
    options = schema.get("enum")
    if isinstance(options, list):
        if set(map(str, options)) == {"True", "False"}:
            return VerdictPart(name=name, kind=Kind(type="boolean"), says=says)
        return VerdictPart(name=name, kind=Kind(type="string", options=tuple(options)), says=says)
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return VerdictPart(name=name, shape=schema, says=says)
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, int | float) and isinstance(high, int | float):
        return VerdictPart(
            name=name, kind=Kind(type=_TYPES[kind], low=float(low), high=float(high)), says=says
        )
    return VerdictPart(name=name, kind=Kind(type=_TYPES[kind]), says=says)
