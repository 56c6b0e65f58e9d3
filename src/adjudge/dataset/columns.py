"""Their columns -> our fields."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from adjudge.dataset.conversations import speaker_of
from adjudge.fields import ALIASES, CANONICAL, RESPONSES, canonical_field, strip_namespace
from adjudge.records import Json

ASKED = ("question", "reference", "context")
"""What two systems' files have in common, whatever the systems answered."""


class Fields(NamedTuple):
    values: dict[str, Json]
    contested: dict[str, tuple[str, ...]]


def to_fields(columns: Mapping[str, Json], maps: Mapping[str, str]) -> Fields:
    """The canonical fields of a row that holds no absent value.

    The person's `--columns` decides; else the canonical column; else the only alias. Between two aliases nobody
    can choose but the person, so the field is contested. A list of `responses` fills `response_a`, `response_b` ….
    """
    chosen, contested = _choose(tuple(columns))
    values = {field: columns[name] for field, name in chosen}
    contested = contested.copy()
    if maps:
        mapped = {
            field: column for name, column in maps.items() if (field := strip_namespace(name)) in ALIASES
        }
        for field, column in mapped.items():
            values.pop(field, None)
            contested.pop(field, None)
            value = _column(columns, column)
            if value is not None:
                values[field] = value
    listed = values.get("responses")
    if isinstance(listed, list) and len(listed) <= len(RESPONSES):
        for field, value in zip(RESPONSES, listed, strict=False):
            if value is not None and field not in contested:
                values.setdefault(field, value)
    return Fields(values, contested)


class _Choice(NamedTuple):
    chosen: tuple[tuple[str, str], ...]
    """Fields, each with the column that fills it."""
    contested: dict[str, tuple[str, ...]]


@lru_cache(maxsize=256)
def _choose(columns: tuple[str, ...]) -> _Choice:
    """Kept, because the rows of a file have the same columns."""
    claims: dict[str, list[str]] = {}
    for name in columns:
        field = CANONICAL.get(name)
        if field is not None:
            claims.setdefault(field, []).append(name)
    if "parameters" in columns and "context" not in claims:
        claims["context"] = ["parameters"]
    settled = {field: field if field in names else names[0] for field, names in claims.items()}
    contested = {
        field: tuple(names) for field, names in claims.items() if field not in names and len(names) > 1
    }
    return _Choice(tuple(item for item in settled.items() if item[0] not in contested), contested)


def asked(columns: Mapping[str, Json], fields: Fields, maps: Mapping[str, str]) -> dict[str, Json]:
    """What was asked, by canonical field: the part of a row that its id is made from."""
    found: dict[str, Json] = {}
    for field in ASKED:
        if field in fields.values:
            found[field] = fields.values[field]
        elif field in fields.contested:
            found[field] = {name: columns[name] for name in fields.contested[field]}
    messages = fields.values.get("messages")
    if "question" not in found and isinstance(messages, list):
        # what a user said last was asked; what follows it is the answer
        spoken = [at for at, each in enumerate(messages, start=1) if speaker_of(each) == "user"]
        if spoken:
            found["messages"] = messages[: spoken[-1]]
    for name, column in maps.items():
        # `--columns expected_output=gold` leaves `reference` unset, and still says where it stands.
        field = canonical_field(name) or ""
        value = _column(columns, column)
        if field in ASKED and field not in found and value is not None:
            found[field] = value
    return found


def _column(columns: Mapping[str, Json], name: str) -> Json:
    """The column of that name, or what its dotted path leads to; None when there is neither."""
    if name in columns:
        return columns[name]
    value: Json = dict(columns)
    for step in name.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value
