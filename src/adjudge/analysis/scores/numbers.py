"""Exact numbers as people read them, and a comparison of two of them line by line."""

from collections.abc import Iterator
from fractions import Fraction

from adjudge.expressions import exact_number
from adjudge.scoring.numbers.codes import Code
from adjudge.scoring.numbers.compare import NumberComparison, less_likely
from adjudge.scoring.numbers.moments import Moment
from adjudge.scoring.numbers.quantities import Amount, Span
from adjudge.scoring.steps import NumberStep
from adjudge.scoring.text import clipped

MAX_FRACTION = 10**5
MAX_DECIMALS = 10


def exact_text(value: Fraction | float) -> str:
    """`4`, `0.25`, `2/3`: without loss where that is short, else `≈ 0.123457`."""
    number = value if isinstance(value, Fraction) else exact_number(value) or Fraction(value)
    if number.denominator == 1:
        whole = int(number)
        return f"{whole:,}" if abs(whole) < 10**15 else approximate(number)
    shifted = abs(number) * 10**MAX_DECIMALS
    if shifted.denominator == 1:
        whole, rest = divmod(int(shifted), 10**MAX_DECIMALS)
        if whole < 10**15:
            digits = f"{rest:0{MAX_DECIMALS}d}".rstrip("0")
            return f"{'-' if number < 0 else ''}{whole:,}.{digits}"
    if abs(number.numerator) < MAX_FRACTION and number.denominator < MAX_FRACTION:
        return f"{number.numerator}/{number.denominator}"
    return f"≈ {approximate(number)}"


def approximate(number: Fraction) -> str:
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return "a number beyond 10³⁰⁸"


def number_text(value: float) -> str:
    """A stored score: `4`, `3.27`."""
    return exact_text(value).removeprefix("≈ ")


# ---- two numbers, compared ----


def comparison_details(number: NumberStep) -> Iterator[tuple[str, str]]:
    """The two as read, the difference and its bound."""
    comparison = number.comparison
    if comparison.rule == "exactly":
        for side, name, text in zip(
            ("expected", "response"),
            comparison.names,
            (number.expected, number.response or ""),
            strict=True,
        ):
            yield f"{side}, as read", name_text(name, text)
    if comparison.spans is None:
        return
    expected, response = comparison.spans
    scaled = ", in the scale that the question asks for" if comparison.rescaled else ""
    yield f"expected, as read{scaled}", span_text(expected)
    yield f"response, as read{scaled}", span_text(response)
    if comparison.rule in {"margin", "zero"}:
        yield from bound_details(comparison, expected, response)


def bound_details(comparison: NumberComparison, expected: Span, response: Span) -> Iterator[tuple[str, str]]:
    """`|7.4 − 7.5| = 0.1 ≤ 0.04 · 7.5 = 0.3`."""
    value, target, allowed = comparison.value, comparison.target, comparison.allowed
    ends = [amount.value for amount in (response.low, response.high) if amount is not None]
    if value not in ends:
        unit = expected.low.unit.name if expected.low.unit else ""
        yield "response, in the expected unit", f"{exact_text(value)} {unit}".strip()
    if less_likely((expected, response)):
        yield "margin", "none: digits are read in their less likely way, so they have to be equal"
    off, most = abs(value - target), allowed * abs(target)
    left = f"|{exact_text(value)} − {exact_text(target)}| = {exact_text(off)}"
    right = f"{exact_text(allowed)} · |{exact_text(target)}| = {exact_text(most)}"
    yield "difference", f"{left} {'≤' if off <= most else '>'} {right}"


def span_text(span: Span) -> str:
    low = amount_text(span.low)
    return low if span.high is None else f"{low} to {amount_text(span.high)}"


def amount_text(amount: Amount) -> str:
    unit = amount.unit
    if unit is None:
        return exact_text(amount.value)
    name = "/".join(sorted(unit.currencies)) if 0 < len(unit.currencies) <= 3 else unit.name
    return f"{exact_text(amount.value)} {name}"


def name_text(name: Moment | Code | None, text: str) -> str:
    if isinstance(name, Moment):
        return f"{name.word.removesuffix('s')} {clipped(text, 60)}: compared exactly"
    if isinstance(name, Code):
        return f"{name.kind} {clipped(text, 60)}: compared exactly"
    return clipped(text, 60)
