"""Records as JSON: what `--json` prints and the API answers."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING

from adjudge.text import encodable

if TYPE_CHECKING:  # printing needs no record
    from adjudge.records import Json

_MAX_DEPTH = 100  # JSON writers give up somewhere above 200 levels


def records_json(value: object, depth: int = 0) -> "Json":
    """Records as objects, by their fields, and all else as every JSON writer takes it: no NaN, no lone surrogates, no
    endless nesting, no outsized integers. The populations of a record's figures are beside them.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return value
        return (
            str(value) if value.bit_length() < 10_000 else hex(value)
        )  # Python refuses to print longer ones
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Decimal):
        return records_json(float(value))
    if isinstance(value, datetime):
        return value.isoformat()
    if depth >= _MAX_DEPTH:
        return "nested too deeply to show"
    names = field_names(value)
    if names is not None:
        return {name: records_json(getattr(value, name), depth + 1) for name in names} | _populations(value)
    if isinstance(value, Mapping):
        return {encodable(str(key)): records_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [records_json(item, depth + 1) for item in value]
    return encodable(str(value))


def _populations(record: object) -> "dict[str, Json]":
    """Which cases each figure of a record is of, and what it counts, where its fields state it."""
    if not is_dataclass(record):
        return {}
    stated = {
        each.name: records_json(each.metadata["population"])
        for each in fields(record)
        if "population" in each.metadata
    }
    return {"populations": stated} if stated else {}


def field_names(value: object) -> tuple[str, ...] | None:
    """A record's, be it a dataclass or a msgspec struct; None for all else."""
    if is_dataclass(value):
        return tuple(each.name for each in fields(value))
    names: tuple[str, ...] | None = getattr(type(value), "__struct_fields__", None)
    return names
