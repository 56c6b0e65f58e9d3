"""The records of a score worked out step by step, and how exact numbers are written in them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from adjudge.expressions import exact_number
from adjudge.records import Json
from adjudge.reports.format import plain_json
from adjudge.scoring.rationale import decimals

StepKind = Literal[
    "fact", "conclusion", "term", "organization", "reference",  # what was looked for, and whether it was found
    "ratio", "formula", "exact", "rounding",
    "number", "flag", "margin",
    "field", "points", "values", "expression",
    "measured", "rule", "said", "score", "stored",
    "normalized", "passes", "probability",
    "what", "next",
]  # fmt: skip

Decider = Literal["model", "rule", "code"]
"""Who decided what a verdict's parts say: the model; a rule over the probability it gives; code, the model not asked."""

LONGEST_FRACTION = 10**5
MOST_DECIMALS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step of the way from a verdict to its score, each text as a person reads it; texts of a case are untouched."""

    kind: StepKind
    label: str
    value: str
    explanation: str = ""
    number: float | None = None
    """The value, where it is a number."""
    holds: bool | None = None
    """Matched, agrees, passes; None where it is neither so nor not so."""
    details: tuple[tuple[str, str], ...] = ()
    """What it was decided from, by name: `quote`, `evidence`, `why`, `expected`, `as read` …"""

    def as_json(self) -> dict[str, Json]:
        return {
            "kind": self.kind,
            "label": plain_json(self.label),
            "value": plain_json(self.value),
            "explanation": plain_json(self.explanation),
            "number": plain_json(self.number),
            "holds": self.holds,
            "details": [[name, plain_json(text)] for name, text in self.details],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Worked:
    """How a judgement came to its score, or why it has none."""

    steps: tuple[Step, ...]
    """In order; the number of the last one is the stored score. Of a failure: what happened and what to do."""
    after: tuple[Step, ...] = ()
    """Where the score stands on its scale, and whether it passes."""
    agrees: bool | None = None
    """Whether today's rules give the score that is stored; None where they give none."""

    def as_json(self) -> dict[str, Json]:
        return {
            "steps": [step.as_json() for step in self.steps],
            "after": [step.as_json() for step in self.after],
            "agrees": self.agrees,
        }


def exact_text(value: Fraction | float) -> str:
    """`4`, `0.25`, `2/3`: without loss where that is short, else `≈ 0.123457`."""
    number = value if isinstance(value, Fraction) else exact_number(value) or Fraction(value)
    if number.denominator == 1:
        whole = int(number)
        return f"{whole:,}" if abs(whole) < 10**15 else approximate(number)
    shifted = abs(number) * 10**MOST_DECIMALS
    if shifted.denominator == 1:
        whole, rest = divmod(int(shifted), 10**MOST_DECIMALS)
        if whole < 10**15:
            digits = f"{rest:0{MOST_DECIMALS}d}".rstrip("0")
            return f"{'-' if number < 0 else ''}{whole:,}.{digits}"
    if abs(number.numerator) < LONGEST_FRACTION and number.denominator < LONGEST_FRACTION:
        return f"{number.numerator}/{number.denominator}"
    return f"≈ {approximate(number)}"


def approximate(number: Fraction) -> str:
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return "a number beyond 10³⁰⁸"


def fraction_text(matched: int, total: int) -> str:
    """`2/3 ≈ 0.6667`, `1/2 = 0.5`."""
    ratio = Fraction(matched, total)
    short = decimals(ratio)
    return f"{matched}/{total} {'=' if Fraction(short) == ratio else '≈'} {short}"


def number_text(value: float) -> str:
    """A stored score: `4`, `3.27`."""
    return exact_text(value).removeprefix("≈ ")
