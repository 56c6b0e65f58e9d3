"""One part of a verdict, as far as a prompt has told about it; to JSON Schema and back."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from adjudge.judges.reading.kinds import UNKNOWN, Type, ValueKind, read_kind
from adjudge.judges.reading.words import meanings_of
from adjudge.records import Form, Json, JsonSchema
from adjudge.schemas import as_number, object_schema, properties_of

_TYPES: dict[str, Type] = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "string": "string",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ContractPart:
    name: str
    kind: ValueKind = UNKNOWN
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
    parts: tuple[ContractPart, ...]
    start: int = 0
    """Where in the outline it was read."""
    end: int = 0
    listed: bool = False
    """The reply is a list of such verdicts, one for each of several things."""
    guess: bool = False
    """Its parts are named one here, one there."""

    def __getitem__(self, name: str) -> ContractPart | None:
        return next((part for part in self.parts if part.name == name), None)


def choice_part(
    name: str, options: tuple[str, ...], text: str, *, labels: tuple[str, ...], says: str = ""
) -> ContractPart:
    """A choice of labels, with what the prompt says that each stands for."""
    kind = ValueKind(type="string", options=options)
    return ContractPart(name=name, kind=kind, says=says, labels=labels, meanings=meanings_of(text, options))


def part_schema(part: ContractPart) -> dict[str, Json]:
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


def parts_schema(parts: tuple[ContractPart, ...]) -> dict[str, Json]:
    return object_schema({part.name: part_schema(part) for part in parts})


def parts_of_schema(schema: JsonSchema) -> tuple[ContractPart, ...]:
    """The parts of a declared verdict, so that the same rules find its score."""
    return tuple(_part_of(name, child) for name, child in properties_of(schema).items())


def _part_of(name: str, schema: Json) -> ContractPart:
    assert isinstance(schema, dict)
    description = schema.get("description")
    says = description if isinstance(description, str) else ""
    options = schema.get("enum")
    if isinstance(options, list):
        if set(map(str, options)) == {"True", "False"}:
            return ContractPart(name=name, kind=ValueKind(type="boolean"), says=says)
        return ContractPart(name=name, kind=ValueKind(type="string", options=tuple(options)), says=says)
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return ContractPart(name=name, shape=schema, says=says)
    low, high = schema.get("minimum"), schema.get("maximum")
    read = read_kind(says) if says and kind in {"integer", "number"} else UNKNOWN
    if isinstance(low, int | float) and isinstance(high, int | float):
        read = ValueKind(type="number", low=float(low), high=float(high))
    read = read if read.numeric and read.bounded else UNKNOWN
    return ContractPart(name=name, kind=replace(read, type=_TYPES[kind]), says=says)
