"""One part of a verdict, as far as a prompt has told about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.judges.schema import object_schema
from adjudge.judges.understand.kinds import UNKNOWN, Kind
from adjudge.records import Form, Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
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
class Found:
    """An output contract read from a prompt, before its score is understood."""

    form: Form
    parts: tuple[Part, ...]
    start: int = 0
    """Where in the outline it was read."""
    end: int = 0

    def __getitem__(self, name: str) -> Part | None:
        return next((part for part in self.parts if part.name == name), None)


def as_number(value: float) -> int | float:
    """Whole numbers are written without a point."""
    return int(value) if value == int(value) else value


def part_schema(part: Part) -> dict[str, Json]:
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


def parts_schema(parts: tuple[Part, ...]) -> dict[str, Json]:
    return object_schema({part.name: part_schema(part) for part in parts})
