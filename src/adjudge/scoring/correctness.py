"""`correctness`: 1 when nothing contradicts, nothing critical is missing and every critical number agrees, else 0."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from adjudge.records import Json, Scale, Verdict
from adjudge.scoring.numbers.compare import NumberComparison, compare_numbers
from adjudge.scoring.numbers.units import find_scale
from adjudge.scoring.rules import on_scale, with_steps
from adjudge.scoring.scorer import Invalid, Scorer, Scoring
from adjudge.scoring.steps import FlagStep, MarginStep, NumberStep, VetoStep
from adjudge.scoring.text import NumberText, clipped, looks_english
from adjudge.text import as_text

MARGIN = Fraction(4, 100)
CALCULATION_MARGIN = Fraction(2, 100)
PASSES, FAILS = Fraction(1), Fraction(0)
MAX_NUMBERS = 300
MAX_NOTES = 20
LOOKED_AT = 4000
"""Characters of a question that are read for what it wants."""
SCALE_QUESTION = re.compile(
    r"\bin (?:[A-Za-z$€£.]{1,12} ){0,3}(thousands|millions|billions)\b", re.IGNORECASE
)
YEAR_QUESTION = re.compile(
    r"\b(?:what|which|in what|in which) year\b|\byear (?:was|did|were|is)\b", re.IGNORECASE
)
QUOTABLE = (str, int, float)


class QuotedPair(NamedTuple):
    """One entry of the verdict's `numbers`."""

    expected: str
    response: str | None
    critical: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectnessScorer(Scorer):
    scale: Scale | None
    whole_points: ClassVar[bool] = True

    def explain(
        self, verdict: Verdict, fields: Mapping[str, Json], items: Mapping[str, Json] | None
    ) -> Scoring | Invalid:
        del items
        parts = verdict.parts
        for name in ("contradicts", "misses_critical", "calculation"):
            if not isinstance(parts.get(name), bool):
                return Invalid(why=f"`{name}` has to be true or false")
        pairs = read_pairs(parts.get("numbers"))
        if isinstance(pairs, Invalid):
            return pairs
        unquoted = find_unquoted(pairs, fields)
        if unquoted is not None:
            return unquoted
        flags = [FlagStep(name, parts[name] is True) for name in ("contradicts", "misses_critical")]
        margin = CALCULATION_MARGIN if parts["calculation"] else MARGIN
        question = as_text(fields.get("question") or "")[:LOOKED_AT]
        numbers = [NumberStep(*pair, compare_pair(pair, margin, question)) for pair in pairs]
        critical = [number for number in numbers if number.critical]
        vetoes: tuple[FlagStep | NumberStep, ...] = (
            *[flag for flag in flags if flag.value],
            *[number for number in critical if not number.comparison.agrees],
        )
        scored = on_scale(
            self.scale,
            FAILS if vetoes else PASSES,
            "`final_score`",
            notes=(*number_notes(numbers), *reason_notes(parts.get("reason"))),
            parts={
                **parts,
                "numbers": [as_json(number) for number in numbers],
                "final_score": float(not vetoes),
            },
        )
        margins = (MarginStep(margin, calculation=parts["calculation"] is True),) if numbers else ()
        return with_steps(scored, *flags, *margins, *numbers, VetoStep(vetoes, len(critical)))


def read_pairs(rows: Json) -> list[QuotedPair] | Invalid:
    if rows is None:
        return []
    if not isinstance(rows, list):
        return Invalid(why="`numbers` has to be a list")
    if len(rows) > MAX_NUMBERS:
        return Invalid(
            why=f"`numbers` has {len(rows)} entries; list at most {MAX_NUMBERS}, the ones that matter"
        )
    pairs: list[QuotedPair] = []
    for position, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            return Invalid(
                why=f"number {position} has to be an object with `expected`, `response` and `critical`"
            )
        expected, response, critical = (
            quoted_text(row.get("expected")),
            row.get("response"),
            row.get("critical"),
        )
        if not expected:
            return Invalid(
                why=f"`expected` of number {position} has to quote a number from the expected output"
            )
        quoted = None if response is None else quoted_text(response)
        if quoted is None and response is not None:
            return Invalid(
                why=f"`response` of number {position} has to quote a number from the response, or be null"
            )
        if not isinstance(critical, bool):
            return Invalid(why=f"`critical` of number {position} has to be true or false")
        pairs.append(QuotedPair(expected, quoted or None, critical))
    return pairs


def quoted_text(value: Json) -> str | None:
    """A number as the verdict quotes it, as text or as a number; None where it is neither."""
    if isinstance(value, bool) or not isinstance(value, QUOTABLE):
        return None
    return as_text(value).strip()


def find_unquoted(pairs: list[QuotedPair], fields: Mapping[str, Json]) -> Invalid | None:
    """The first quotation that does not stand in its text."""
    if not pairs:
        return None
    reference = fields.get("reference")
    listed = reference if isinstance(reference, list) else [reference]
    references = [NumberText(as_text(each)) for each in listed if each is not None]
    value = fields.get("response")
    response = NumberText("" if value is None else as_text(value))
    for pair in pairs:
        if not any(text.has(pair.expected) for text in references):
            return Invalid(
                why=f"the number `{clipped(pair.expected)}` does not occur in the expected output; quote it as it stands there"
            )
        if pair.response is not None and not response.has(pair.response):
            return Invalid(
                why=f"the number `{clipped(pair.response)}` does not occur in the response; quote it as it stands "
                "there, or give null when the response has none"
            )
    return None


def compare_pair(pair: QuotedPair, margin: Fraction, question: str) -> NumberComparison:
    if pair.response is None:
        return NumberComparison(agrees=False, rule="absent")
    # the patterns are slow: they run where the letters stand that they cannot do without
    letters = question.lower()
    scale = SCALE_QUESTION.search(question) if "llion" in letters or "thou" in letters else None
    return compare_numbers(
        pair.expected,
        pair.response,
        margin,
        year_asked="year" in letters and YEAR_QUESTION.search(question) is not None,
        scale_asked=None if scale is None else find_scale(scale[1]),
    )


def as_json(number: NumberStep) -> dict[str, Json]:
    difference = number.comparison.difference
    if difference is not None and difference.numerator >= 10**6 * difference.denominator:
        difference = None
    return {
        "expected": number.expected,
        "response": number.response,
        "critical": number.critical,
        "agrees": number.comparison.agrees,
        "difference": None if difference is None else float(difference),
    }


def number_notes(numbers: list[NumberStep]) -> tuple[str, ...]:
    """`number: 1.04 against 1: off by 4 %, 4 % allowed, agrees`, one per pair; `(not critical)` where it did not decide."""
    notes = [
        f"number: {clipped(number.response, 40) if number.response is not None else 'nothing'} against "
        f"{clipped(number.expected, 40)}: {number.comparison.how}, "
        f"{'agrees' if number.comparison.agrees else 'does not agree'}{'' if number.critical else ' (not critical)'}"
        for number in numbers
    ]
    return (
        tuple(notes)
        if len(notes) <= MAX_NOTES
        else (*notes[:MAX_NOTES], f"numbers_left_out:{len(notes) - MAX_NOTES}")
    )


def reason_notes(reason: Json) -> tuple[str, ...]:
    return () if not isinstance(reason, str) or looks_english(reason) else ("reason_not_english",)
