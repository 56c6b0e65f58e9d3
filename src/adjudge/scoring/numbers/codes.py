"""Ordinals, versions and identifiers: numbers that name and do not measure."""

import re
from dataclasses import dataclass
from typing import Literal

from adjudge.patterns import lazy_pattern
from adjudge.scoring.numbers.literals import ORDINALS, TENS, plain_characters
from adjudge.scoring.numbers.units import find_currency, find_scale, find_unit
from adjudge.scoring.text import fold
from adjudge.text import words

CodeKind = Literal["ordinal", "version", "identifier"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    kind: CodeKind
    keys: frozenset[str]
    """Two codes with a key in common name the same thing: `SKU 12345` is also `12345`."""

    @property
    def word(self) -> str:
        return f"{self.kind}s"


ORDINAL = lazy_pattern(
    r"(?:the )?(?P<number>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(?:st|nd|rd|th|º|ª)(?: [^\W\d_]+){0,4}"
)
RANKED = lazy_pattern(r"(?:#|№|no\.?|nr\.?|number|rank(?:ed)?) ?(?:#)?(?P<number>[0-9]{1,9})")
VERSION = lazy_pattern(
    r"(?P<name>(?:v|ver|version|release) ?\.? ?)?(?P<parts>[0-9]+(?:\.[0-9]+)*)(?P<suffix>(?:[-.+ ]?(?:a|b|rc|alpha|beta|dev|post|pre|preview|final)[-.]?[0-9]*)?)"
)
ADDRESS = lazy_pattern(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
DECADE = lazy_pattern(r"(?:the )?(?P<decade>[0-9]{2,3}0)'?s")
QUARTER = lazy_pattern(
    r"(?:q(?P<a>[1-4])|(?P<b>[1-4])q|(?P<year_first>[0-9]{4}) ?q(?P<c>[1-4]))(?: ?(?:of |fy ?)?'?(?P<year>[0-9]{4}|[0-9]{2}))?"
)
LABEL = lazy_pattern(
    r"(?:isbn(?:-1[03])?|issn|sku|doi|id|ref|reference|rfc|iso|article|section|chapter|page|room|flight|order|invoice|"
    r"case|ticket|model|part|serial|account|acct|zip|zipcode|postcode|postal code|port|phone|tel|telephone|fax|gate|"
    r"route|highway|bus|line|platform|apartment|apt|suite|error|code|status|http|patent|bill|act|item|option|question|"
    r"step|level|pp?|figure|fig|table|equation|issue|pr|commit|build)(?: (?:no|nr|number|code|id))?[.:#]? ?#?"
    r"(?P<code>[\w][\w ()./+-]*)"
)
NAME_AND_NUMBER = lazy_pattern(r"\A(?P<name>[A-Z][A-Za-z]{2,}) (?P<number>[0-9]{1,4}[A-Z]?)")
MEASURED_NAMES = words(
    """about approximately around roughly nearly almost over under exactly some total population revenue price cost count
    sum value amount average mean median profit income sales score number distance height weight length width age area
    speed temperature volume mass year years increase decrease growth rate minus negative plus between from only just
    at least most up the usd eur gbp"""
)
MIXED = lazy_pattern(r"\A(?=[^\s]*[A-Za-z])(?=[^\s]*[0-9])[A-Za-z0-9]+(?:[-_/.:#][A-Za-z0-9]+)*")
NUMBER_AND_LETTERS = lazy_pattern(r"[-+]?[0-9][0-9.,']*(?:[eE][-+]?[0-9]+)?(?P<letters>[A-Za-z]*)")
PHONE = lazy_pattern(r"(?:\+[0-9]{1,3}[ .-]?)?(?:\([0-9]{1,5}\)[ .-]?)?[0-9]{1,5}(?:[ .-][0-9]{2,5}){1,4}")
HYPHENATED = lazy_pattern(r"\A[0-9]+(?:-[0-9]+){2,}")
PHONE_SHORT = lazy_pattern(r"[0-9]{3}-[0-9]{4}")
LEADING_ZERO = lazy_pattern(r"0[0-9]+")
RATIO = lazy_pattern(r"(?P<a>[0-9]{1,6}) ?: ?(?P<b>[0-9]{1,6})")
SCORELINE = lazy_pattern(r"(?P<a>[0-9]{1,3})-(?P<b>[0-9]{1,3})")

QUANTITY = lazy_pattern(
    r"-?[$€£]?(?!0[0-9])[0-9]+(?:,[0-9]+)*(?:\.[0-9]+)?"
    r"(?: ?%| (?!(?:a|b|rc|alpha|beta|dev|post|pre|preview|final)$)[a-z]+(?: [a-z]+)*)?"
)
"""Digits as no code has them, alone or before words: most quantities, which this spares the rest."""


def code(kind: CodeKind, *keys: str) -> Code:
    return Code(kind=kind, keys=frozenset(keys))


def key_of(text: str) -> str:
    return "".join(character for character in fold(text) if character.isalnum())


def read_code(text: str) -> Code | None:
    """The ordinal, version or identifier that the whole text is; None when it is none."""
    en_dash = "–" in text
    plain = plain_characters(text).strip(" .,;")
    folded = plain.casefold()
    if not plain or len(plain) > 80 or QUANTITY.fullmatch(folded):
        return None
    return (
        read_ordinal(folded)
        or read_named_period(folded)
        or read_version(folded)
        or read_identifier(plain, folded, en_dash=en_dash)
    )


def read_ordinal(folded: str) -> Code | None:
    match = ORDINAL.fullmatch(folded) or RANKED.fullmatch(folded)
    if match:
        return code("ordinal", str(int(match["number"].replace(",", ""))))
    words = folded.removeprefix("the ").replace("-", " ").split()
    if words and words[0] in ORDINALS and len(words) <= 3 and not any(word.isdigit() for word in words):
        return code("ordinal", str(ORDINALS[words[0]]))
    if len(words) == 2 and words[0] in TENS and ORDINALS.get(words[1], 10) < 10:
        return code("ordinal", str(TENS[words[0]] + ORDINALS[words[1]]))
    return None


def read_named_period(folded: str) -> Code | None:
    decade = DECADE.fullmatch(folded)
    if decade:
        return code("identifier", f"{decade['decade']}s")
    quarter = QUARTER.fullmatch(folded)
    if quarter:
        year = quarter["year"] or quarter["year_first"] or ""
        year = f"20{year}" if len(year) == 2 else year
        return code("identifier", f"{year}q{quarter['a'] or quarter['b'] or quarter['c']}")
    return None


def version_key(parts: str, suffix: str = "") -> str:
    """3.11.0 is 3.11 and v2 is 2.0: zeros at the end say nothing."""
    numbers = [str(int(part[:30])) for part in parts.split(".")]
    while len(numbers) > 1 and numbers[-1] == "0":
        numbers.pop()
    return ".".join(numbers) + key_of(suffix)


def read_version(folded: str) -> Code | None:
    if ADDRESS.fullmatch(folded) and all(int(part) <= 255 for part in folded.split(".")):
        return code("identifier", folded)
    match = VERSION.fullmatch(folded)
    if match is None:
        return None
    parts = match["parts"].split(".")
    grouped = len(parts) > 2 and all(len(part) == 3 for part in parts[1:]) and len(parts[0]) <= 3
    if (
        match["name"]
        or (len(parts) > 2 and not grouped)
        or (len(parts) > 1 and match["suffix"] not in {"", "b", "a"})
    ):
        return code("version", version_key(match["parts"], match["suffix"]))
    return None


def read_identifier(plain: str, folded: str, *, en_dash: bool) -> Code | None:
    label = LABEL.fullmatch(folded)
    if label and any(character.isdigit() for character in label["code"]):
        return code("identifier", key_of(label["code"]), key_of(folded))
    if (
        LEADING_ZERO.fullmatch(plain)
        or HYPHENATED.fullmatch(plain)
        or (PHONE_SHORT.fullmatch(plain) and not en_dash)
    ):
        return code("identifier", key_of(plain))
    if is_phone(plain):
        return code("identifier", key_of(plain))
    named = NAME_AND_NUMBER.fullmatch(plain)
    if named and not measured(named["name"]):
        return code("identifier", key_of(named["number"]), key_of(plain))
    ratio = RATIO.fullmatch(plain)
    if ratio:
        return code("identifier", f"{int(ratio['a'])}:{int(ratio['b'])}")
    score = SCORELINE.fullmatch(plain)
    if score and int(score["a"]) >= int(score["b"]):
        return code("identifier", f"{int(score['a'])}-{int(score['b'])}")
    if MIXED.fullmatch(plain) and not is_number_with_unit(plain):
        return code("identifier", key_of(plain))
    return None


def measured(name: str) -> bool:
    """Whether the word before a number leads into a quantity instead of naming a thing."""
    return name.casefold() in MEASURED_NAMES or find_currency(name) is not None


def is_phone(plain: str) -> bool:
    digits = sum(character.isdigit() for character in plain)
    if not 7 <= digits <= 15 or PHONE.fullmatch(plain) is None:
        return False
    # `1 234 567` and `1.234.567` are numbers; a plus, parentheses or groups that are not threes make it a phone number.
    groups = re.split(r"[ .-]", plain.lstrip("+"))
    in_threes = all(len(group) == 3 for group in groups[1:]) and "-" not in plain
    return plain.startswith("+") or "(" in plain or (not in_threes and len(groups) > 2)


def is_number_with_unit(plain: str) -> bool:
    """`5km`, `20k`, `1.2e6`, `3x`, `10-year`, `USD5m`: a number and what it counts, not a name."""
    if plain[:3].isupper() and plain[:3].isalpha() and find_currency(plain[:3]) is not None:
        plain = plain[3:]
    if re.fullmatch(r"\A[0-9][0-9.,]*-[a-z]{3,}", plain):
        return True
    match = NUMBER_AND_LETTERS.fullmatch(plain)
    if match is None:
        return (
            "/" in plain
            and NUMBER_AND_LETTERS.match(plain) is not None
            and find_unit(plain.lstrip("0123456789.,")) is not None
        )
    letters = match["letters"]
    known = (
        find_scale(letters) is not None
        or find_unit(letters) is not None
        or find_currency(letters) is not None
    )
    return not letters or known or letters.casefold() in {"x", "s", "pp"} or scaled_code(letters)


def scaled_code(letters: str) -> bool:
    """`5mUSD`, `20kEUR`."""
    return len(letters) == 4 and find_scale(letters[0]) is not None and find_currency(letters[1:]) is not None
