"""What a check found, and how it says that it cannot tell."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from adjudge.records import Failed, FailureKind, Json
from adjudge.scoring.text import clipped
from adjudge.text import as_text

MAX_QUOTE_CHARS = 80

Fields: TypeAlias = Mapping[str, Json]
"""A case as a check sees it: its inputs by name."""


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
    return f"`{clipped(text, MAX_QUOTE_CHARS)}`"


def response_text(fields: Fields) -> str:
    return as_text(fields.get("response", ""))
