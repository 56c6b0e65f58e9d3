"""`length`: the response is neither too long nor too short."""

import re
from typing import Annotated, Literal, assert_never

from msgspec import Struct

from adjudge.checks.check import Check, ParameterError, one_of, whole_number
from adjudge.checks.finding import Fields, Finding, failed, passed, response_text
from adjudge.scoring.text import LETTERS_WITHOUT_SPACES
from adjudge.text import utf8_size, words

BYTES_PER_TOKEN = 4
ABBREVIATIONS = words(
    """mr mrs ms dr prof st jr sr vs eg ie etc fig no vol pp cf al inc ltd co corp dept approx est jan feb mar apr jun jul
    aug sep sept oct nov dec us uk am pm ca bzw zb usw nr"""
)
MAX_ABBREVIATION_CHARS = 12
_SENTENCE_END = re.compile(
    r"(?<![.!?…])(?:(?P<point>\.)(?![.!?…])|[.!?…]++)['\"”’»)\]*_]{0,4}(?:\s{1,4}(?![a-zß-ÿ\s])|$)|[。！？]['\"”’»」』）]{0,4}"
)
_LAST_WORD = re.compile(r"(?<![\w.])[\w.]+$")
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")

Unit = Literal["characters", "words", "sentences", "tokens"]


class Length(Struct, frozen=True, kw_only=True):
    unit: Annotated[Unit, one_of(Unit, "what is counted; tokens are estimated at four bytes each")] = "words"
    min: Annotated[int | None, whole_number("the least")] = None
    max: Annotated[int | None, whole_number("the most")] = None

    def __post_init__(self) -> None:
        if self.min is None and self.max is None:
            raise ParameterError("has neither `min` nor `max`", "write, say, `check: {length: {max: 100}}`")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ParameterError(f"has `min: {self.min}` above `max: {self.max}`", "swap the two")


def check_length(fields: Fields, parameters: Length) -> Finding:
    unit, least, most = parameters.unit, parameters.min, parameters.max
    size = count_units(response_text(fields), unit)
    about = "about " if unit == "tokens" else ""
    bounds = " and ".join(
        text for text, bound in ((f"at least {least}", least), (f"at most {most}", most)) if bound is not None
    )
    short = least is not None and size < least
    long = most is not None and size > most
    finding = failed if short or long else passed
    return finding(
        f"The response has {about}{size} {unit if size != 1 else unit.removesuffix('s')}; {bounds} allowed.",
        count=str(size),
        allowed=bounds,
    )


CHECK = Check(name="length", version=1, parameters=Length, run=check_length)


# ---- counting ----


def count_units(text: str, unit: Unit) -> int:
    match unit:
        case "characters":
            return len(text)
        case "words":
            return count_words(text)
        case "sentences":
            return count_sentences(text)
        case "tokens":
            return -(-utf8_size(text) // BYTES_PER_TOKEN)
        case _:
            assert_never(unit)


def count_words(text: str) -> int:
    """Runs of letters and digits; in scripts without spaces each character is one."""
    signs = len(LETTERS_WITHOUT_SPACES.findall(text))
    return signs + sum(1 for _ in _WORD.finditer(LETTERS_WITHOUT_SPACES.sub(" ", text)))


def count_sentences(text: str) -> int:
    """By their ends; each line apart, because an item of a list without a full stop is a sentence too.

    A point after an abbreviation, an initial or before a small letter ends none.
    """
    count = 0
    for line in text.splitlines():
        start = 0
        for end in _SENTENCE_END.finditer(line):
            before = _LAST_WORD.search(line[max(start, end.start() - MAX_ABBREVIATION_CHARS) : end.start()])
            word = "" if before is None else before[0].lower().replace(".", "")
            if end["point"] and (word in ABBREVIATIONS or (len(word) == 1 and word.isalpha())):
                continue
            count += _says_something(line[start : end.end()])
            start = end.end()
        count += _says_something(line[start:])
    return count


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))
