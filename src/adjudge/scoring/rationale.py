"""Coverage counts -> the exact score and the five lines that explain it, and back from the lines to the counts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from adjudge.expressions import round_half_up
from adjudge.patterns import lazy_pattern
from adjudge.records import Json

FORCED_RATIONALE = (
    "Fact: Evaluation not possible due to missing input.",
    "Conclusion: N/A",
    "Terminology: N/A",
    "Organization: N/A",
    "Score: 0 = forced due to missing context",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """How much of a checklist an output has."""

    facts: int
    matched_facts: int
    conclusions: int
    matched_conclusions: int
    terms: int
    matched_terms: int
    organized: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CoverageScore:
    """Counts, weighed, summed and rounded."""

    counts: Counts
    summands: tuple["Weighed", ...]
    exact: Fraction
    rounded: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Weighed:
    """One summand of the formula: a ratio and its weight as it is written."""

    name: str
    ratio: Fraction
    weight: str


def ratio(matched: int, total: int) -> Fraction:
    """A ratio over nothing is 1: nothing was asked for, so nothing is missing."""
    return Fraction(matched, total) if total else Fraction(1)


def formula(counts: Counts) -> tuple[Weighed, ...]:
    """The summands that apply.

    With facts asked for and none matched, conclusions and organization count for nothing, whatever else holds. The score
    stays monotone across that border: the first matched fact brings in summands, all of them at least 0, and takes
    none away; below it, matching a conclusion or the order changes nothing.
    """
    facts, terms = ratio(counts.matched_facts, counts.facts), ratio(counts.matched_terms, counts.terms)
    organization = Weighed(name="organization_ratio", ratio=Fraction(int(counts.organized)), weight="0.09")
    weighed_terms = Weighed(name="terms_ratio", ratio=terms, weight="0.21")
    if counts.facts >= 1 and counts.matched_facts == 0:
        return (Weighed(name="facts_ratio", ratio=facts, weight="0.7"), weighed_terms)
    if counts.conclusions:
        conclusions = ratio(counts.matched_conclusions, counts.conclusions)
        return (
            Weighed(name="facts_ratio", ratio=facts, weight="0.4"),
            Weighed(name="conclusions_ratio", ratio=conclusions, weight="0.3"),
            weighed_terms,
            organization,
        )
    return (Weighed(name="facts_ratio", ratio=facts, weight="0.7"), weighed_terms, organization)


def coverage_score(counts: Counts) -> CoverageScore:
    summands = formula(counts)
    exact = 5 * sum((part.ratio * Fraction(part.weight) for part in summands), Fraction(0))
    return CoverageScore(counts=counts, summands=summands, exact=exact, rounded=int(round_half_up(exact)))


def decimals(value: Fraction) -> str:
    """One to four decimals, half up, no trailing zero beyond the first: 5.0, 0.6667, 1.5."""
    rounded = round_half_up(value, 4)
    whole, rest = divmod(int(rounded * 10**4), 10**4)
    digits = f"{rest:04d}".rstrip("0")
    return f"{whole}.{digits or '0'}"


def rationale(score: CoverageScore) -> tuple[str, str, str, str, str]:
    """The five lines of the contract, in order; the formula shown is the one used."""
    counts = score.counts
    summands = " + ".join(f"{part.name} {decimals(part.ratio)} * {part.weight}" for part in score.summands)
    return (
        f"Fact: {counts.matched_facts} of {counts.facts} facts correctly matched.",
        f"Conclusion: {counts.matched_conclusions} of {counts.conclusions} conclusions correctly matched.",
        f"Terminology: {counts.matched_terms} of {counts.terms} terms correctly matched.",
        f"Organization: {'matched' if counts.organized else 'mismatched'}",
        f"Score: {score.rounded} ≈ {decimals(score.exact)} = 5 * ({summands})",
    )


K_OF_N = r"\s*:\s*([0-9]{1,6})\s+(?:out\s+)?of\s+([0-9]{1,6})\b"
LINES = (
    lazy_pattern(r"\A[\s>*\"'-]*+facts?\W{0,4}" + K_OF_N, re.IGNORECASE),
    lazy_pattern(r"\A[\s>*\"'-]*+conclusions?\W{0,4}" + K_OF_N, re.IGNORECASE),
    lazy_pattern(r"\A[\s>*\"'-]*+(?:terminology|terms?)\W{0,4}" + K_OF_N, re.IGNORECASE),
    lazy_pattern(
        r"\A[\s>*\"'-]*+organi[sz]ation\W{0,4}\s*:\s*(mis-?matched|not matched|matched)\b(?!\s*/)",
        re.IGNORECASE,
    ),
)
"""With and without the noun after the numbers; the noun is not looked at."""
MAX_LINE_CHARS = 500


def read_rationale(lines: Json | Sequence[str]) -> Counts | None:
    """The counts that the first four of the five lines give; None when they do not give them, or say 3 of 2."""
    if isinstance(lines, str) or not isinstance(lines, Sequence) or len(lines) < 4:
        return None
    found = [
        pattern.match(line[:MAX_LINE_CHARS]) if isinstance(line, str) else None
        for pattern, line in zip(LINES, lines, strict=False)
    ]
    facts, conclusions, terms, organization = found
    if facts is None or conclusions is None or terms is None or organization is None:
        return None
    counts = Counts(
        facts=int(facts[2]),
        matched_facts=int(facts[1]),
        conclusions=int(conclusions[2]),
        matched_conclusions=int(conclusions[1]),
        terms=int(terms[2]),
        matched_terms=int(terms[1]),
        organized=organization[1].casefold() == "matched",
    )
    possible = (
        counts.matched_facts <= counts.facts
        and counts.matched_conclusions <= counts.conclusions
        and counts.matched_terms <= counts.terms
    )
    return counts if possible else None
