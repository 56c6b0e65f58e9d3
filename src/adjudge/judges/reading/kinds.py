"""What a few words say a value is: a range, a choice, a type.

`<0-5>`, `"0.0 or 1.0"`, `An integer between 0 and 5`, `yes|no`, `either "correct" or "incorrect"`.
"""

import itertools
import re
from dataclasses import dataclass, replace
from typing import Literal

from adjudge.judges.reading.vocabulary import in_english
from adjudge.judges.reading.words import word_choices
from adjudge.patterns import lazy_pattern
from adjudge.records import Json

Type = Literal["integer", "number", "boolean", "string", "array"]

NUMBER = r"-?\d{1,6}(?:\.\d{1,4})?"
_NUMBER_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_ANY = rf"(?:{NUMBER}|{'|'.join(_NUMBER_WORDS)})"
_ASIDE = r"(?:\s{0,2}\([^()\n]{0,60}\))?"
_START = r"(?<![A-Za-z0-9_.±$€£/-])"
_END = r"(?![A-Za-z0-9_/])(?!\.\d)(?!,\d)"

RANGES = (
    lazy_pattern(
        rf"\bbetween\s+(?P<low>{_ANY}){_ASIDE}\s*(?:and|to|-|–|—)\s*(?P<high>{_ANY}){_END}", re.IGNORECASE
    ),
    lazy_pattern(
        rf"{_START}(?P<low>{_ANY}){_ASIDE}\s{{0,2}}(?:-|–|—|−|\bto\b|-to-|\.\.\.?|…|\bthrough\b|~)"
        rf"\s{{0,2}}(?P<high>{_ANY}){_END}",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"\b(?:range|interval|scale|in)\b(?: of| from| is|:)?\s{{0,2}}\[\s{{0,2}}(?P<low>{NUMBER})\s{{0,2}},\s{{0,2}}(?P<high>{NUMBER})\s{{0,2}}\]",
        re.IGNORECASE,
    ),
    lazy_pattern(rf"(?P<low>{NUMBER})\s*(?:<=|≤|<)\s*\w{{1,30}}\s*(?:<=|≤)\s*(?P<high>{NUMBER})"),
    lazy_pattern(
        rf"{_START}(?P<low>{NUMBER})\s+(?:being|is|means|meaning|indicates|indicating|represents|denotes|for)\b"
        rf"[^.\n]{{1,90}}?\b(?P<high>{NUMBER})\s+(?:being|is|means|meaning|indicates|indicating|represents|denotes|for)\b",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"{_START}(?P<low>{NUMBER})\s{{0,2}}[=:]\s{{0,2}}[^,;\n()=:]{{1,50}}[,;](?:\s(?:and|or))?\s{{0,2}}"
        rf"(?:{NUMBER}\s{{0,2}}[=:]\s{{0,2}}[^,;\n()=:]{{1,50}}[,;](?:\s(?:and|or))?\s{{0,2}}){{0,12}}"
        rf"(?P<high>{NUMBER})\s{{0,2}}[=:]",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"\b(?:(?P<high>\d{{1,3}}|{'|'.join(_NUMBER_WORDS)})[- ]point\b(?!s)|(?P<stars>\d{{1,2}})[- ]stars?\b)",
        re.IGNORECASE,
    ),
    lazy_pattern(
        rf"\b(?P<low>out)\s+of\s+(?P<high>\d{{1,3}}|{'|'.join(_NUMBER_WORDS)})\b(?!\.\d)", re.IGNORECASE
    ),
)
_PERCENTS = lazy_pattern(
    rf"(?P<low>{NUMBER})\s?%\s{{0,2}}(?:-|–|—|to|and|bis|à|a|~)\s{{0,2}}(?P<high>100)\s?%", re.IGNORECASE
)
"""`0% to 100%`: of a share both ends are given; `10%-20%` is a tolerance."""
_COUNTED = lazy_pattern(
    r"\s{0,2}(?:%(?!\s*(?:scale|score))|percent|words?\b|sentences?\b|bullets?\b|bullet points?\b|paragraphs?\b|lines?\b|characters?\b|"
    r"tokens?\b|examples?\b|items?\b|steps?\b|criteria\b|years?\b|minutes?\b|seconds?\b|days?\b|(?:\w{1,40}\s){0,2}(?:strengths|weaknesses|"
    r"reasons|areas|ways|sentences|words|improvements|issues|points\s+(?:that|for|of)|examples|suggestions|facts|claims|questions))",
    re.IGNORECASE,
)
_NUMBER_IF = lazy_pattern(
    rf"{_START}(?P<value>{NUMBER})(?=,?\s{{1,2}}(?:if|when|otherwise|unless|for)\b)", re.IGNORECASE
)
_NUMBER_LIST = lazy_pattern(
    rf"{_START}{NUMBER}(?:\s{{0,2}}(?:,\s{{0,2}}(?:or|and)?|\||/|\bor\b)\s{{0,2}}(?:(?:\.\.\.|…)\s{{0,2}},\s{{0,2}}(?:or|and)?\s{{0,2}})?{NUMBER}){{1,20}}{_END}"
)
_DECIMALS = lazy_pattern(
    r"\b(?:float|floating|continuous|double|decimals?|fraction(?:al)?|real number|half[- ](?:points?|marks?|stars?)|halves|increments? of 0?\.\d+|steps? of 0?\.\d+|"
    r"one decimal|two decimal)\b",
    re.IGNORECASE,
)
WHOLE = lazy_pattern(r"\b(?:integers?|int|whole numbers?|binary|discrete)\b", re.IGNORECASE)
_NUMERIC = lazy_pattern(
    r"\b(?:number|numeric(?:al)?|numerical score|float|double|percentage|real)\b", re.IGNORECASE
)
_BOOLEAN = lazy_pattern(
    r"\b(?:bool|boolean)\b|\btrue\b\W{0,4}(?:/|\||or|,)\W{0,4}\bfalse\b|\bfalse\b\W{0,4}(?:/|\||or|,)\W{0,4}\btrue\b|"
    r"^\W*(?:true|false)\W*$",
    re.IGNORECASE,
)
_LIST = lazy_pattern(
    r"^\W*(?:an?\s+)?(?:list|array)\b|\b(?:list|array) of\b|\b(?:str|string|text|int|number)\[\]|^\W*(?:list|array)\[|"
    r"\bexactly \d+ (?:ordered )?(?:bullets|lines|items|strings|entries|elements)\b|\b\(?(?:list|array)\)?\s*:",
    re.IGNORECASE,
)
_STRING = lazy_pattern(
    r"^\W*(?:str|string|text)\b|^\W*(?:an?|the|your|brief|short|concise|detailed|one|step)\b.{0,80}"
    r"\b(?:explanation|reason(?:ing)?|rationale|justification|analysis|feedback|summary|critique|sentence|description|comment)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ValueKind:
    """What is known about a value; every part may be unknown."""

    type: Type | None = None
    low: float | None = None
    high: float | None = None
    options: tuple[Json, ...] = ()
    count: int | None = None
    """Exactly so many elements of a list."""
    nullable: bool = False
    assumed: bool = False
    """Only the name of the part says so."""
    choice: bool = False
    """Numbers that stand for things and are no scale: `1` for the first answer, `2` for the second."""
    guess: bool = False
    """Likely, but said in so many words nowhere."""

    @property
    def known(self) -> bool:
        return self.type is not None or bool(self.options)

    @property
    def bounded(self) -> bool:
        return self.low is not None or bool(self.options)

    @property
    def numeric(self) -> bool:
        if self.options:
            return not self.choice and all(
                isinstance(option, int | float) and not isinstance(option, bool) for option in self.options
            )
        return self.type in {"integer", "number"}

    @property
    def decides(self) -> bool:
        """A number, a truth or a choice: what a score can be read from."""
        return self.numeric or self.type == "boolean" or bool(self.options)


UNKNOWN = ValueKind()


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberRange:
    low: float
    high: float
    decimals: bool
    start: int
    end: int


def to_number(written: str) -> float:
    return float(_NUMBER_WORDS.index(written.lower()) if written.isalpha() else written)


def find_ranges(text: str) -> list[NumberRange]:
    """Every range of numbers in the text that is not a count of sentences, words and the like."""
    found: list[NumberRange] = []
    for match in itertools.chain.from_iterable(pattern.finditer(text) for pattern in RANGES):
        ends = match.groupdict()
        first, last = ends.get("low", "1"), ends["high"] or ends["stars"]
        low, high = sorted((to_number("0" if first == "out" else first), to_number(last)))
        taken = any(match.start() < other.end and other.start < match.end() for other in found)
        counted = "low" in ends and _COUNTED.match(text, match.end())
        if not (taken or counted or low == high or high - low > 1000 or abs(low) > 100):
            found.append(
                NumberRange(
                    low=low, high=high, decimals="." in first + last, start=match.start(), end=match.end()
                )
            )
    for match in _PERCENTS.finditer(text):
        if float(match["low"]) in {0.0, 1.0} and not any(
            match.start() < other.end and other.start < match.end() for other in found
        ):
            span = NumberRange(
                low=float(match["low"]), high=100.0, decimals=False, start=match.start(), end=match.end()
            )
            found.append(span)
    return sorted(found, key=lambda item: item.start)


def number_choices(text: str) -> tuple[float | int, ...]:
    """The numbers of a written choice (`0.0 or 1.0`; `0, 1, 2, or 3`), else nothing."""
    plain = re.sub(r"\((?!\s*-?\d)[^()\n]{0,80}\)", "", text)  # `0 (wrong), 1 (right)`
    for match in _NUMBER_LIST.finditer(plain):
        if _COUNTED.match(plain, match.end()):
            continue
        written = re.findall(NUMBER, match[0])
        fraction = "/" in match[0] and len(written) == 2 and set(map(float, written)) != {0.0, 1.0}
        open_ended = "..." in match[0] or "…" in match[0]
        if not fraction and not open_ended and len(set(map(float, written))) == len(written):
            return _numbers(written)
    return ()


def conditional_numbers(text: str) -> tuple[float | int, ...]:
    """The numbers that each have a condition of their own: `1 if it holds, 0 otherwise`."""
    written = dict.fromkeys(match["value"] for match in _NUMBER_IF.finditer(text))
    values = sorted(written, key=float)
    return _numbers(values) if len(set(map(float, values))) == len(values) > 1 else ()


def _numbers(written: list[str]) -> tuple[float | int, ...]:
    return tuple(map(float if "." in "".join(written) else int, written))


def read_kind(text: str, *, whole: bool = False, booleans: bool = True) -> ValueKind:
    """What the words say of a value; `whole` when they stand in the value's place and say nothing else."""
    kind = _read_kind(text, whole=whole, booleans=booleans)
    if not kind.known and re.search(r"\d", text):
        foreign = _read_kind(in_english(text), whole=whole, booleans=booleans)
        kind = foreign if foreign.numeric else kind
    if re.search(r"\b(?:or|\|)\s*null\b|\bnullable\b|\|\s*null\b", text, re.IGNORECASE):
        kind = replace(kind, nullable=True)
    return kind


def _read_kind(text: str, *, whole: bool, booleans: bool) -> ValueKind:
    lowered = text.lower()
    if _LIST.search(text):
        exact = re.search(r"\bexactly\s+(\d{1,2}|" + "|".join(_NUMBER_WORDS) + r")\b", lowered)
        return ValueKind(type="array", count=int(to_number(exact[1])) if exact else None)
    if booleans and _BOOLEAN.search(text):
        return ValueKind(type="boolean")
    decimals, whole_number = bool(_DECIMALS.search(text)), bool(WHOLE.search(text))
    choices = number_choices(text)
    ranges = find_ranges(text)
    if ranges and not (choices and text.find(str(choices[0])) < ranges[0].start):
        first = ranges[0]
        return ranged(first, decimals=decimals, whole=whole_number)
    if len(choices) < 2:
        choices = conditional_numbers(text)
    if len(choices) >= 2:
        return chosen(choices)
    if whole and re.fullmatch(r"\A[\s<>\[\]\"'`]*" + NUMBER + r"[\s<>\[\]\"'`]*", text):
        return ValueKind(type="number" if "." in text else "integer")
    if whole and re.fullmatch(r"\A[\s<>\[\]\"'`]*\d?\.[xX]+[\s<>\[\]\"'`]*", text):
        return ValueKind(type="number")
    words = word_choices(text, whole=whole)
    if words:
        return ValueKind(type="string", options=words)
    if whole_number:
        return ValueKind(type="integer")
    if decimals or _NUMERIC.search(text):
        return ValueKind(type="number")
    if _STRING.search(text):
        return ValueKind(type="string")
    return UNKNOWN


def ranged(span: NumberRange, *, decimals: bool, whole: bool) -> ValueKind:
    """Whole numbers unless the words allow others; from 0 to 1 whole numbers have to be asked for."""
    fractional = (span.decimals or decimals or span.high - span.low <= 1) and not whole
    return ValueKind(type="number" if fractional else "integer", low=span.low, high=span.high)


def chosen(values: tuple[float | int, ...]) -> ValueKind:
    """A choice of numbers; consecutive whole numbers are a range."""
    ordered = sorted(values)
    whole = all(isinstance(value, int) for value in values)
    if whole and len(values) > 2 and ordered == list(range(int(ordered[0]), int(ordered[-1]) + 1)):
        return ValueKind(type="integer", low=ordered[0], high=ordered[-1])
    return ValueKind(type="integer" if whole else "number", options=tuple(ordered))
