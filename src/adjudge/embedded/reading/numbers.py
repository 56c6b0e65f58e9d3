"""Numbers quoted from free text, and whether a response gives the one that was expected; the margins are the scorer's."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.scoring.correctness import MARGIN, QuotedPair, compare_pair
from adjudge.scoring.numbers.compare import read_name
from adjudge.scoring.numbers.found import numbers_in, spelt_in
from adjudge.scoring.numbers.moments import Moment
from adjudge.scoring.numbers.quantities import read_spans
from adjudge.scoring.numbers.units import find_unit
from adjudge.scoring.terms import STOPWORDS
from adjudge.text import words

WHEN = re.compile(r"\b(?:when|years?|date|what time|century|decade)\b", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+")
MAX_WORDS = 3
"""Words that a number may have around it and still be read whole."""
QUALIFIERS = words(
    """about approximately around roughly nearly almost over under exactly some total average median mean estimated only
    just least most more less than up per per cent percent percentage points times approx circa"""
)
RESTATING = 14
"""Words beside its number that a reference may have and still be that number: they restate the question."""


class NumberFound(NamedTuple):
    """What was expected, and the number of the response that comes closest to being it."""

    expected: str
    response: str | None
    agrees: bool
    how: str


def expected_number(question: str, reference: str) -> str | None:
    """The quantity that a reference amounts to; None where it says something else, or more than one.

    Dates, years and names with digits in them are none: how exactly they are wanted depends on the question.
    """
    whole = reference.strip().rstrip(".")
    if not any(character.isdigit() for character in whole) or names_something(whole, question):
        return None
    known = {word.casefold() for word in WORD.findall(question)} | STOPWORDS | QUALIFIERS
    numbers = numbers_in(whole)
    remainder = whole
    for number in numbers:
        remainder = remainder.replace(number, " ")
    others = [word.casefold() for word in WORD.findall(remainder)]
    if len(others) > RESTATING or any(word not in known and find_unit(word) is None for word in others):
        return None  # it says something else too, which has to be right as well
    if len(others) <= MAX_WORDS and read_spans(whole):
        return whole
    asked = numbers_in(question)
    new = [number for number in numbers if number not in asked]
    return new[0] if len(new) == 1 and read_spans(new[0]) else None


def names_something(text: str, question: str) -> bool:
    """Whether it is a date, a time or a code; four bare digits are a year only where the question wants one."""
    name = read_name(text, year_asked=False)
    if isinstance(name, Moment) and name.bare:
        return WHEN.search(question) is not None
    return name is not None


def find_number(question: str, expected: str, response: str) -> NumberFound:
    """The first number of the response that agrees with the expected one; else its last, which answers mostly end with.

    A number of the question is no answer to it, unless it is the expected one to the letter. What is more than one
    number, such as `24/7` or `4 out of 5`, is looked for whole.
    """
    asked = set(numbers_in(question))
    whole = expected not in numbers_in(expected) and stands_in(expected, response)
    candidates = [expected] if whole else []
    candidates += [number for number in numbers_in(response) if number not in asked or number == expected]
    candidates += spelt_in(response)
    last: NumberFound | None = None
    for candidate in candidates:
        compared = compare_pair(
            QuotedPair(expected=expected, response=candidate, critical=True), MARGIN, question
        )
        last = NumberFound(expected, candidate, compared.agrees, compared.how)
        if compared.agrees:
            return last
    return last or NumberFound(expected, None, agrees=False, how="not in the response")


def stands_in(expected: str, response: str) -> bool:
    """Word for word, and not as a part of a longer word, number or fraction."""
    pattern = r"\s+".join(map(re.escape, expected.split()))
    return re.search(rf"(?<![\w/])(?<!\d[.,]){pattern}(?![\w/])(?![.,]\d)", response) is not None


def any_number(question: str, expected: Sequence[str], response: str) -> NumberFound | None:
    """Over several expected answers, any of which will do; None unless each of them is a number."""
    wanted = [
        number for reference in expected if (number := expected_number(question, reference)) is not None
    ]
    if not wanted or len(wanted) < len(expected):
        return None
    found = [find_number(question, number, response) for number in wanted]
    return next((number for number in found if number.agrees), found[0])


def figures_agree(question: str, reference: str, response: str) -> float | None:
    """Of the amounts that a reference of more than a number gives, the share that the response gives too.

    Only amounts that show what they measure (a currency, a unit, a percentage), and to which the response has some
    counterpart; None where there is none.
    """
    asked = set(numbers_in(question))
    amounts = [(number, dimensions(number)) for number in numbers_in(response)]
    compared: list[bool] = []
    for number in numbers_in(reference):
        measured = dimensions(number)
        rivals = [candidate for candidate, others in amounts if measured & others]
        if number in asked or not measured or not rivals:
            continue
        pairs = [QuotedPair(expected=number, response=rival, critical=True) for rival in rivals]
        compared.append(any(compare_pair(pair, MARGIN, question).agrees for pair in pairs))
    return sum(compared) / len(compared) if compared else None


def dimensions(number: str) -> frozenset[str]:
    return frozenset(span.low.unit.dimension for span in read_spans(number) if span.low.unit is not None)
