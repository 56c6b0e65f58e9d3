"""What a judge's job gives back, and the fields it is given."""

from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.records import Json, Measured
from adjudge.text import as_text

UNCERTAIN = 0.15
"""A probability this close to the threshold is noted: half of such decisions are little better than a coin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobReply:
    parts: Mapping[str, Json]
    """The verdict, as the judge's contract wants it."""
    measured: Measured | None = None
    notes: tuple[str, ...] = ()
    tokens: int = 0
    read: tuple[str, ...] = ()
    """What the model read; nothing where the job was done in code."""


def texts_of(fields: Mapping[str, Json], name: str) -> list[str]:
    """A field that may be a list of alternatives."""
    value = fields.get(name)
    listed = value if isinstance(value, list) else [value]
    return [as_text(each) for each in listed if each is not None and as_text(each).strip()]


def alternatives(fields: Mapping[str, Json], name: str) -> list[str]:
    """Every answer that will do: the entries of a list, and what ` / ` stands between in a text."""
    return [part.strip() for text in texts_of(fields, name) for part in text.split(" / ") if part.strip()]


def percent(probability: float) -> str:
    return f"{100 * probability:.0f} %"
