"""`numeric`: a number of the response against the expected one, read and compared as the correctness judge does."""

import re
from fractions import Fraction
from typing import Annotated, Literal

from msgspec import Struct

from adjudge.checks.check import QUESTION, REFERENCE, RESPONSE, Check, non_negative_number, one_of, one_text
from adjudge.checks.expected_text import expected_texts
from adjudge.checks.finding import Fields, Finding, failed, not_checked, passed, quoted, response_text
from adjudge.expressions import exact_number
from adjudge.records import Failed
from adjudge.scoring.correctness import LOOKED_AT, QuotedPair, compare_pair
from adjudge.scoring.numbers.compare import NumberComparison, read_name
from adjudge.scoring.numbers.found import MAX_NUMBERS, MAX_TEXT_CHARS, placed_numbers, placed_words
from adjudge.scoring.numbers.quantities import MAX_CHARS, read_spans
from adjudge.scoring.text import text_of

CITATION = re.compile(r"\[[0-9]{1,3}(?:, ?[0-9]{1,3}){0,9}\]")

Which = Literal["last", "first", "any"]


class Numeric(Struct, frozen=True, kw_only=True):
    tolerance: Annotated[
        float, non_negative_number("how far off it may be, as a share of the expected number")
    ] = 0.04
    which: Annotated[Which, one_of(Which, "which number of the response is compared")] = "last"
    number: Annotated[str | None, one_text("the expected number, with its unit")] = None


def check_numeric(fields: Fields, parameters: Numeric) -> Finding | Failed:
    which = parameters.which
    expected: list[str] = []
    for wanted in expected_texts(fields, None if parameters.number is None else [parameters.number]):
        found_number = expected_number(wanted, which)
        if found_number is None:
            return not_checked(
                "missing_input", f"there is no number in the reference {quoted(wanted)}", "reference"
            )
        expected.append(found_number)
    if not expected:
        return not_checked("missing_input", "`reference` is blank", "reference")
    response = response_text(fields)
    if which == "any" and len(response) > MAX_TEXT_CHARS:
        return not_checked(
            "too_long",
            f"`response` has {len(response)} characters; {MAX_TEXT_CHARS} at most are searched for any number",
            "response",
        )
    found = numbers_of(response, which)
    if len(found) > MAX_NUMBERS:
        return not_checked(
            "too_long",
            f"the response has more than {MAX_NUMBERS} numbers; any of them could agree",
            "response",
        )
    tolerance = exact_number(parameters.tolerance)
    assert tolerance is not None
    return _compare(expected, found, which, tolerance, text_of(fields, "question")[:LOOKED_AT])


CHECK = Check(
    name="numeric",
    version=1,
    parameters=Numeric,
    run=check_numeric,
    inputs=(RESPONSE, REFERENCE, QUESTION),
    main="tolerance",
    constant="number",
)


def _compare(
    expected: list[str], found: list[str], which: Which, tolerance: Fraction, question: str
) -> Finding:
    if not found:
        return failed(f"There is no number in the response; {quoted(expected[0])} was expected.")
    compared: list[tuple[str, str, NumberComparison]] = []
    for wanted in expected:
        for number in found:
            pair = QuotedPair(expected=wanted, response=number, critical=True)
            compared.append((wanted, number, compare_pair(pair, tolerance, question)))
    agreeing = [each for each in compared if each[2].agrees]
    wanted, number, comparison = agreeing[0] if agreeing else compared[-1]
    place = "a number of the response" if which == "any" else f"the response's {which} number"
    verb = "agrees" if agreeing else "does not agree"
    reason = f"{quoted(number)}, {place}, {verb} with the expected {quoted(wanted)}: {comparison.how}."
    if which == "any" and not agreeing:
        reason = (
            f"None of the {len(found)} numbers in the response agrees with the expected {quoted(wanted)}."
        )
    finding = passed if agreeing else failed
    return finding(reason, expected=quoted(wanted), response=quoted(number), how=comparison.how)


def expected_number(text: str, which: Which) -> str | None:
    """The whole text where it is one number or date, else the one number of it that counts."""
    whole = text.strip().rstrip(".")
    if len(whole) <= MAX_CHARS and (read_spans(whole) or read_name(whole, year_asked=False)):
        return whole
    found = numbers_of(text, "last" if which == "any" else which)
    return found[0] if found else None


def numbers_of(text: str, which: Which) -> list[str]:
    """All the different numbers for `any`; else the one that stands first, or last. `[2]` cites a source."""
    head = text[-MAX_TEXT_CHARS:] if which == "last" else text[:MAX_TEXT_CHARS]
    return _placed(CITATION.sub(" ", head), which) or _placed(head, which)


def _placed(head: str, which: Which) -> list[str]:
    placed = sorted((*placed_numbers(head), *placed_words(head)))
    if which == "any":
        return list(dict.fromkeys(number.text for number in placed))
    return [placed[-1 if which == "last" else 0].text] if placed else []
