"""A few words -> the number or label they are, on one schema; never a guess between two."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from adjudge.patterns import lazy_pattern
from adjudge.records import Json
from adjudge.schemas import spell_option
from adjudge.text import is_finite

Number = int | float


@dataclass(frozen=True, slots=True)
class ValueProblem:
    """Why a value does not do, as the end of a sentence: `is 7, not between 0 and 5`."""

    text: str


DIGITS = {
    ord(str(n)) + offset: str(n)
    for n in range(10)
    for offset in (0xFF10 - 48, 0x0660 - 48, 0x06F0 - 48, 0x0966 - 48)
}
"""Full-width, Arabic-Indic, Persian and Devanagari digits."""
TRANSLATION = {
    **DIGITS,
    0xFF0F: "/",
    0xFF0E: ".",
    0xFF0C: ",",
    0x066B: ".",
    0x2212: "-",
    0xFE0F: None,
    0x20E3: None,
    0x200D: None,
    0x200C: None,
}
DRESSING = " \t\r\n\xa0*_`\"'“”‘’«»|#"
"""Markdown and quotes around a value; not `~`, `<` and `>`, which can change what it says."""
ENDINGS = ".,;:!。．"

NUMBER = lazy_pattern(
    r"(?<![\w.,])[-+]?(?:\d{1,40}(?:[.,]\d{1,40})*|\.\d{1,40})(?:[eE][-+]?\d{1,3})?(?![\w.]*\w)"
)
DENOMINATOR = lazy_pattern(
    r"[\s*_`]{0,8}(?:/|out\s{1,4}of\b|of\b|von\b|sur\b|de\b|из\b)[\s*_`]{0,8}(\d{1,9}(?:[.,]\d{1,9})?)(?![\w/])",
    re.IGNORECASE,
)
UNIT = lazy_pattern(r"\s?(?:(?:stars?|points?|pts)\b|[★⭐])", re.IGNORECASE)
ANOTHER = lazy_pattern(
    r"\s{0,8}(?:-|–|—|~|/|to\b|or\b|and\b|bis\b|oder\b|ou\b|至|或|&|,|\||\s)\s{0,8}\d", re.IGNORECASE
)
"""What makes a number one end of a range or one of two."""
FRACTION = lazy_pattern(r"\s?[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]")
NEGATION = lazy_pattern(
    r"(?:\b(?:not|no|never|nor|neither|hardly|barely|isn['’]?t|wasn['’]?t|ain['’]?t|cannot|without|nicht|kein\w{0,2}|pas|non)\b"
    r"|n['’]t\b|不|没|非)[\s\w]{0,12}$",
    re.IGNORECASE,
)
ALTERNATIVE = lazy_pattern(
    r"[\s\"'*_`)]{0,8}(?:/|,|\||&|-|–|or\b|and\b|oder\b|ou\b|to\b|vs\b)[\s\"'*_`(]{0,8}$", re.IGNORECASE
)
AFTER_LABEL = lazy_pattern(r"[\s*_`\"'”’]{0,8}(?:[.:;,()\]–—-]|\n|\Z)")
MAX_LISTED = 20
MAX_TEXT = 4000
"""A value is short; of longer text only this much is looked at for a second value."""


def show(value: Json) -> str:
    """A value in a message: numbers as they are, short plain words quoted, anything else by its kind only."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        text = f"{value:g}" if isinstance(value, float) else str(value)
        return text if len(text) <= 24 else "a number of many digits"
    if isinstance(value, str):
        if not value.strip():
            return "empty"
        return f"'{value.strip()}'" if re.fullmatch(r"[\w .,/%+-]{1,30}", value.strip()) else "other text"
    return "a list" if isinstance(value, list) else "an object"


def plain(text: str) -> str:
    """A label for comparison: case, underscores, hyphens and runs of white space aside."""
    return re.sub(r"[\s_-]+", " ", text.translate(TRANSLATION).casefold()).strip()


def undress(text: str) -> str:
    return text.translate(TRANSLATION).strip(DRESSING)


@dataclass(kw_only=True)  # not frozen: made for every value of a verdict, and that would take 1.5 µs more
class Allowed:
    """What one schema allows, as far as a scalar is concerned."""

    options: tuple[Json, ...] | None
    integer: bool
    number: bool
    low: float | None
    high: float | None
    low_open: bool
    high_open: bool
    words: Mapping[str, Json]

    @cached_property
    def maximum(self) -> float | None:
        if self.options:
            numbers = [n for n in map(as_number, self.options) if n is not None]
            return max(numbers) if numbers else None
        return self.high

    @cached_property
    def is_numeric(self) -> bool:
        return self.number or any(as_number(option) is not None for option in self.options or ())

    @cached_property
    def spelled_numbers(self) -> list[str]:
        """All there are, where they are few."""
        if self.options is not None:
            return [spell_option(each) for each in self.options if as_number(each) is not None]
        if not self.integer or self.low is None or self.high is None:
            return []
        if self.high - self.low >= MAX_LISTED:
            return []
        return [str(each) for each in range(math.ceil(self.low), math.floor(self.high) + 1)]

    @cached_property
    def has_fractions(self) -> bool:
        if self.options is None:
            return not self.integer
        numbers = [each for each in map(as_number, self.options) if each is not None]
        return any(number != int(number) for number in numbers)

    @cached_property
    def labels(self) -> dict[str, Json]:
        """Plain label -> value: the options that are text, and the words that stand for values."""
        found: dict[str, Json] = {
            plain(option): option
            for option in self.options or ()
            if isinstance(option, str) and plain(option)
        }
        return found | {plain(word): value for word, value in self.words.items()}

    def describe(self) -> str:
        if self.options:
            options = [show(o) if not isinstance(o, str) else f"'{o[:40]}'" for o in self.options[:12]]
            return "one of " + ", ".join(options)
        kind = "a whole number" if self.integer else "a number"
        if self.low is not None and self.high is not None:
            return f"{kind} between {self.low:g} and {self.high:g}"
        if self.low is not None:
            return f"{kind} of at least {self.low:g}"
        return f"{kind} of at most {self.high:g}" if self.high is not None else kind


def as_number(value: Json) -> Number | None:
    """A number, or text that is nothing but a number; booleans are not numbers."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if is_finite(value) else None
    return parse_number(undress(value)) if isinstance(value, str) else None


def parse_number(text: str) -> Number | None:
    """One number with a decimal point or comma; thousands separators could be either, so they are not read."""
    if not NUMBER.fullmatch(text):
        return None
    if text.count(",") + text.count(".") > 1:
        return None
    if re.search(r"[1-9]\d{0,2},\d{3}$", text):
        return None
    number = float(text.replace(",", "."))
    if not is_finite(number):
        return None
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else number


def allowed_by(schema: Mapping[str, Json], words: Mapping[str, Json]) -> Allowed:
    types = schema.get("type")
    kinds = set(types) if isinstance(types, list) else {types}
    options = schema.get("enum")
    bounds = [schema.get(key) for key in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")]
    low, low_open, high, high_open = (
        float(b) if isinstance(b, int | float) and not isinstance(b, bool) else None for b in bounds
    )
    return Allowed(
        options=tuple(options)
        if isinstance(options, list)
        else (schema["const"],)
        if "const" in schema
        else None,
        integer="integer" in kinds and "number" not in kinds,
        number="integer" in kinds or "number" in kinds,
        low=low_open if low is None else low,
        high=high_open if high is None else high,
        low_open=low is None and low_open is not None,
        high_open=high is None and high_open is not None,
        words=words,
    )


def fit_number(number: Number, allowed: Allowed) -> Json | ValueProblem:
    """The number as the schema has it, or why it is not on it. Nothing is clamped or rounded."""
    if allowed.options is not None:
        for option in allowed.options:
            if as_number(option) == number and not isinstance(option, bool):
                return option
        return ValueProblem(f"is {show(number)}, not {allowed.describe()}")
    if allowed.integer and number != int(number):
        return ValueProblem(f"is {show(number)}, not {allowed.describe()}")
    below = allowed.low is not None and (number < allowed.low or (allowed.low_open and number == allowed.low))
    above = allowed.high is not None and (
        number > allowed.high or (allowed.high_open and number == allowed.high)
    )
    if below or above:
        return ValueProblem(f"is {show(number)}, not {allowed.describe()}")
    return int(number) if allowed.integer else number


def trim(text: str) -> str:
    """A value without the brackets, quotes, Markdown and full stop around it."""
    return undress(text).rstrip(ENDINGS + DRESSING).lstrip("([{").rstrip(")]}").strip(DRESSING)


def exact_value(text: str, allowed: Allowed) -> Json | ValueProblem:
    """The value of text that is nothing else: a label, a number, or a number out of the maximum."""
    trimmed = trim(text[:MAX_TEXT])
    labels = allowed.labels
    if plain(trimmed) in labels:
        return labels[plain(trimmed)]
    leading = NUMBER.match(trimmed) if allowed.is_numeric else None
    if leading is not None and (
        leading.end() == len(trimmed) or DENOMINATOR.fullmatch(trimmed, leading.end())
    ):
        return read_value(trimmed, allowed)
    return ValueProblem(f"is {show(trimmed)}, not {allowed.describe()}")


def read_value(text: str, allowed: Allowed, *, strict_ending: bool = False) -> Json | ValueProblem:
    """The value that text begins with and does not take back.

    With `strict_ending` words may follow a number only after punctuation, as they may after a label.
    """
    bare = undress(text[:MAX_TEXT])
    trimmed = trim(bare)
    if not trimmed:
        return ValueProblem("is empty")
    labels = allowed.labels
    if plain(trimmed) in labels:
        return labels[plain(trimmed)]
    if allowed.is_numeric:
        number = parse_number(trimmed)
        if number is not None:
            return fit_number(number, allowed)
        leading = NUMBER.match(bare.lstrip("([{ "))
        if leading is not None:
            return _leading_number(bare.lstrip("([{ "), leading, allowed, strict_ending=strict_ending)
    return _leading_label(bare.lstrip("([{ "), allowed)


def _leading_number(
    text: str, leading: re.Match[str], allowed: Allowed, *, strict_ending: bool
) -> Json | ValueProblem:
    number = parse_number(leading[0].rstrip(".,"))
    rest = text[leading.end() : MAX_TEXT]
    if number is None or FRACTION.match(rest):
        return ValueProblem(f"is {show(leading[0])}, which is not one plain number")
    value = fit_number(number, allowed)
    over = DENOMINATOR.match(rest)
    if over is not None:
        if parse_number(over[1]) != allowed.maximum:
            return ValueProblem(f"is {show(number)} of {over[1]}, not {allowed.describe()}")
        rest = rest[over.end() :]
    if ANOTHER.match(rest):
        return ValueProblem("names two numbers, not one")
    if rest.lstrip().startswith("%"):
        if allowed.maximum != 100:
            return ValueProblem(f"is a percentage, not {allowed.describe()}")
        rest = rest.lstrip()[1:]
    if (unit := UNIT.match(rest)) is not None:
        rest = rest[unit.end() :]
    if isinstance(value, ValueProblem):
        return value
    if strict_ending and rest[:1] not in tuple(".:;,)]-–—\n") and rest.strip(DRESSING + ENDINGS):
        return ValueProblem(f"is followed by other words, not {allowed.describe()}")
    return ValueProblem("names two different values") if _other_value(rest, value, allowed) else value


def _other_value(rest: str, value: Json, allowed: Allowed) -> bool:
    counted = -1
    for mention in NUMBER.finditer(rest):
        if mention.start() < counted:
            continue
        number = parse_number(mention[0].rstrip(".,"))
        over = DENOMINATOR.match(rest, mention.end())
        counted = over.end() if over is not None else mention.end()
        if number is None or (over is not None and parse_number(over[1]) != allowed.maximum):
            continue  # `2 of 3 facts` counts something; it is no rating
        other = fit_number(number, allowed)
        if not isinstance(other, ValueProblem) and other != value:
            return True
    return _mentions_other(rest, value, allowed)


def _mentions_other(rest: str, value: Json, allowed: Allowed) -> bool:
    """Whether the rest names another label, as a whole word and not negated."""
    searched = plain(rest)
    for label, other in allowed.labels.items():
        if other == value or len(label) < 2:
            continue
        for mention in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", searched):
            before = searched[max(0, mention.start() - 40) : mention.start()]
            if not NEGATION.search(before):
                return True
    return False


def _leading_label(text: str, allowed: Allowed) -> Json | ValueProblem:
    """The longest label the text begins with as a whole word, alone or before punctuation.

    `correct: the sums match` is a label with its reason; `correct answers are missing` is prose.
    """
    folded = text[:MAX_TEXT].casefold()
    for label, value in sorted(allowed.labels.items(), key=lambda item: -len(item[0])):
        # On the raw text, where `correct-ish` and `correct_answer` are other words.
        begins = re.match(rf"(?:{_spelt(label)})(?![\w]|[-'’]\w)", folded)
        if begins is None:
            continue
        rest = folded[begins.end() :]
        if AFTER_LABEL.match(rest) is None:
            continue
        if _alternative(rest, value, allowed) or (allowed.number and _other_value(rest, value, allowed)):
            return ValueProblem("names two different values")
        return value
    return ValueProblem(f"is {show(text)}, not {allowed.describe()}")


def _spelt(label: str) -> str:
    return r"[\s_-]+".join(re.escape(part) for part in label.split(" "))


def _alternative(rest: str, value: Json, allowed: Allowed) -> bool:
    """Whether the very next thing said is another label: `A or B`, `correct/incorrect`."""
    searched = rest[:200]
    for label, other in allowed.labels.items():
        if other == value:
            continue
        for mention in re.finditer(rf"(?<!\w)(?:{_spelt(label)})(?!\w)", searched):
            if ALTERNATIVE.fullmatch(searched[: mention.start()]):
                return True
    return False
