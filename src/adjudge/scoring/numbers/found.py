"""Numbers as they stand in free text, with sign, currency, scale word and unit."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from adjudge.scoring.numbers.literals import BIG, SMALL, TENS
from adjudge.scoring.numbers.units import find_unit

QUOTED = re.compile(
    r"""(?:(?:US|C|A|HK)?[$€£¥₹]\s?|\b(?:USD|EUR|GBP|INR|JPY|Rs\.?)\s?)?   # a currency before it
        (?<![\w.])[-−–(]?\s?[$€£¥₹]?
        [0-9]+(?:[,'][0-9]{3})*(?:[.,][0-9]+)?                             # the digits
        (?:[eE][+-]?[0-9]{1,3})?\)?
        (?:\s?(?:%|‰|°\s?[CF]?\b)|\s?-?(?:percent(?:age\s+points?)?|per\s+cent|trillion|billion|million|thousand|hundred
            |crore|lakh|tn|bn|mn|mm|[kKmMbB])\b)?
        (?:\s?(?:USD|EUR|GBP|dollars?|euros?|pounds?|[€£])(?!\w))?
        (?:\s(?P<unit>[A-Za-z]{1,12}(?:/[A-Za-z]{1,6})?)\b)?""",
    re.VERBOSE,
)
SPELT = re.compile(
    rf"\b(?:(?:{'|'.join((*SMALL, *TENS))})(?:[ -](?:and |{'|'.join((*SMALL, *TENS, *BIG, 'hundred'))})+)*)\b",
    re.IGNORECASE,
)
MAX_TEXT_CHARS = 20_000
MAX_NUMBERS = 200


class PlacedNumber(NamedTuple):
    start: int
    text: str


def placed_numbers(text: str) -> Iterator[PlacedNumber]:
    """Every number in digits, one after the other."""
    for match in QUOTED.finditer(text[:MAX_TEXT_CHARS]):
        quoted = match.group()
        unit = match["unit"]
        if unit is not None and find_unit(unit) is None:
            quoted = quoted[: match.start("unit") - match.start()]
        quoted = quoted.strip().strip("–")
        if ("(" in quoted) != (")" in quoted):  # one of the text's own
            quoted = quoted.partition(")")[0].lstrip("(").strip()
        if quoted:
            yield PlacedNumber(match.start(), quoted)


def placed_words(text: str) -> Iterator[PlacedNumber]:
    """Every number in words, one after the other."""
    for match in SPELT.finditer(text[:MAX_TEXT_CHARS]):
        yield PlacedNumber(match.start(), match.group())


def numbers_in(text: str) -> list[str]:
    """The different numbers that a text writes in digits."""
    return _different(placed_numbers(text))


def spelt_in(text: str) -> list[str]:
    """The different numbers that a text writes in words."""
    return _different(placed_words(text))


def _different(placed: Iterator[PlacedNumber]) -> list[str]:
    found: dict[str, None] = {}
    for number in placed:
        found[number.text] = None
        if len(found) >= MAX_NUMBERS:
            break
    return list(found)
