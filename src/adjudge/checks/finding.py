"""What a check found, and how it says that it cannot tell."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from adjudge.records import Failed, FailureKind, Json
from adjudge.scoring.text import clipped
from adjudge.text import as_text

LONGEST_QUOTE = 80


class Finding(NamedTuple):
    score: Fraction
    """From 0 to 1."""
    reason: str
    """One sentence that says what was compared and how it came out."""
    details: tuple[tuple[str, str], ...] = ()
    """What was compared, by name, short."""

    def parts(self) -> dict[str, Json]:
        """The verdict that is stored."""
        return {"reason": self.reason, "score": float(self.score), "compared": dict(self.details)}


def passed(reason: str, **details: str) -> Finding:
    return Finding(Fraction(1), reason, tuple(details.items()))


def failed(reason: str, **details: str) -> Finding:
    return Finding(Fraction(0), reason, tuple(details.items()))


def not_checked(kind: FailureKind, message: str, name: str = "") -> Failed:
    return Failed(kind=kind, message=message, error_kind=name)


def quoted(text: str) -> str:
    """Text of a case inside a sentence of ours."""
    return f"`{clipped(text, LONGEST_QUOTE)}`"


def response_text(fields: Mapping[str, Json]) -> str:
    return as_text(fields.get("response", ""))


def expected_texts(fields: Mapping[str, Json], constant: Json) -> list[str]:
    """The file's own texts, else the case's references: a list of texts is several of them."""
    value = fields.get("reference") if constant is None else constant
    listed: Sequence[Json] = value if isinstance(value, list) else [value]
    return [text for each in listed if each is not None and (text := as_text(each)).strip()]
