"""Digits and number words -> exact values, with the conventions they were written in."""

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from adjudge.patterns import lazy_pattern

Convention = Literal["point", "comma", ""]
"""Which sign is the decimal one: what a literal shows, or `` where it shows nothing."""

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
SUPERSCRIPT_RUN = lazy_pattern(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
MAX_EXPONENT = 400


class Numeral(NamedTuple):
    """One way to read the digits."""

    value: Fraction
    convention: Convention = ""
    second: bool = False
    """A less likely reading (`1.234` as one thousand …): it counts only beside text that shows the same convention."""
    ambiguous: bool = False


def plain_characters(text: str) -> str:
    """The text with ASCII digits, one kind of minus, `^` for superscripts and `1/2` for ½."""
    if text.isascii():
        return " ".join(text.split())
    text = SUPERSCRIPT_RUN.sub(lambda run: "^" + run.group().translate(SUPERSCRIPTS), text)
    characters: list[str] = []
    for character in text:
        if unicodedata.category(character) == "No" and "⁄" in unicodedata.normalize("NFKC", character):
            characters.append(" " + unicodedata.normalize("NFKC", character).replace("⁄", "/"))
        elif character in "−‒–—―﹣－‐‑":
            characters.append("-")
        elif character in "’ʼ‘′":
            characters.append("'")
        elif character in "“”″":
            characters.append('"')
        elif character == "٫":
            characters.append(".")
        elif character == "٬":
            characters.append(",")
        elif unicodedata.category(character) == "Nd":
            characters.append(str(unicodedata.decimal(character)))
        elif unicodedata.category(character) == "Cf":
            continue
        else:
            characters.append(character)
    normal = unicodedata.normalize("NFKC", "".join(characters))
    return " ".join(normal.replace("⁄", "/").split())


GROUPS = {
    ",": lazy_pattern(r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}"),
    ".": lazy_pattern(r"[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]{1,2}(?:\.[0-9]{2})+\.[0-9]{3}"),
}
"""Thousands in threes, or the Indian way: three, then twos."""
EVERYWHERE = lazy_pattern(r"[0-9]{1,3}(?:[ '_][0-9]{3})+(?![0-9])")


def read_numeral(literal: str) -> list[Numeral]:
    """Every way to read a run of digits and separators, the likeliest first; [] when it is no number."""
    if "'" in literal or " " in literal or "_" in literal:
        head = EVERYWHERE.match(literal)
        rest = "" if head is None else literal[head.end() :]
        if head is None or any(sign in rest for sign in " '_"):
            return []
        literal = re.sub(r"[ '_]", "", head.group()) + rest
    points, commas = literal.count("."), literal.count(",")
    if points == 0 and commas == 0:
        return [Numeral(Fraction(int(literal)))] if literal.isascii() and literal.isdigit() else []
    if points and commas:
        decimal: Literal[".", ","] = "." if literal.rfind(".") > literal.rfind(",") else ","
        return with_decimal_sign(literal, decimal, grouped="," if decimal == "." else ".")
    sign: Literal[".", ","] = "." if points else ","
    if points + commas > 1:
        if GROUPS[sign].fullmatch(literal) is None:
            return []
        return [Numeral(Fraction(int(literal.replace(sign, ""))), "comma" if points else "point")]
    whole, _, rest = literal.partition(sign)
    as_decimal = decimal_value(whole, rest)
    if len(rest) == 3 and GROUPS[sign].fullmatch(literal) and not whole.startswith("0"):
        as_group = Fraction(int(whole + rest))
        if sign == ",":
            return [
                Numeral(value=as_group, convention="point", ambiguous=True),
                Numeral(value=as_decimal, convention="comma", second=True, ambiguous=True),
            ]
        return [
            Numeral(value=as_decimal, convention="point", ambiguous=True),
            Numeral(value=as_group, convention="comma", second=True, ambiguous=True),
        ]
    return [Numeral(as_decimal, "point" if sign == "." else "comma")]


def decimal_value(whole: str, rest: str) -> Fraction:
    """The value of `whole.rest`; a fraction reads text with a pattern, which two integers spare it."""
    return Fraction(int(whole + rest or "0"), 10 ** len(rest))


def with_decimal_sign(
    literal: str, decimal: Literal[".", ","], *, grouped: Literal[".", ","]
) -> list[Numeral]:
    whole, _, rest = literal.rpartition(decimal)
    if decimal in whole or GROUPS[grouped].fullmatch(whole) is None or not rest.isdigit():
        return []
    value = decimal_value(whole.replace(grouped, ""), rest)
    return [Numeral(value, "point" if decimal == "." else "comma")]


ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
SMALL = {word: value for value, word in enumerate(ONES.split())}
TENS = {
    word: 10 * value
    for value, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2
    )
}
BIG = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "lakh": 10**5,
    "crore": 10**7,
}
PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10,
}  # fmt: skip
ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS = {word: value for value, word in enumerate(ORDINAL_WORDS.split(), 1)} | {
    "thirtieth": 30,
    "fortieth": 40,
    "fiftieth": 50,
    "hundredth": 100,
    "thousandth": 1000,
}


def read_words(words: Sequence[str]) -> tuple[Fraction, int] | None:
    """The number that the words spell from the first on, and how many words that takes: `two and a half million` is 2.5 million."""
    total, current = Fraction(0), Fraction(0)
    used = at = 0
    seen = False
    while at < len(words):
        word = words[at].casefold()
        after = words[at + 1].casefold() if at + 1 < len(words) else ""
        if word in SMALL:
            if seen and not (
                current % 100 == 0 or (current % 10 == 0 and current % 100 >= 20 and 0 < SMALL[word] < 10)
            ):
                break
            current += SMALL[word]
        elif word in TENS:
            if seen and current % 100 != 0:
                break
            current += TENS[word]
        elif word == "hundred" and seen and 0 < current < 100:
            current *= 100
        elif word == "dozen" and (not seen or current):
            current = (current or Fraction(1)) * 12
        elif word in BIG and (seen or at == 1) and current:
            total += current * BIG[word]
            current = Fraction(0)
        elif word == "half" and not seen:
            current = Fraction(1, 2)
            if after in {"a", "an"}:
                at += 1
        elif word in PARTS and seen and current and PARTS[word] > 1 and word != "half":
            current /= PARTS[word]
        elif (
            word in {"a", "an"}
            and not seen
            and after in {"hundred", "dozen", "couple", "pair", "half", *BIG, *PARTS}
        ):
            if after in PARTS:
                current, at = Fraction(1, PARTS[after]), at + 1
            elif after in {"couple", "pair"}:
                current, at = Fraction(2), at + 1
            else:
                current = Fraction(1)
        elif word == "point" and seen and SMALL.get(after, 10) < 10:
            digits = spoken_digits(words[at + 1 :])
            current += Fraction(int(digits), 10 ** len(digits))
            at += len(digits)
        elif word == "and" and seen and after in {"a", "one"} and next_is_part(words, at + 2):
            current += Fraction(1, PARTS[words[at + 2].casefold()])
            at += 2
        elif word == "and" and seen and (after in SMALL or after in TENS) and (total or current >= 100):
            at += 1
            continue
        else:
            break
        seen = True
        at += 1
        used = at
    return (total + current, used) if seen else None


def spoken_digits(words: Sequence[str]) -> str:
    """`one four one six apples` -> `1416`."""
    digits = ""
    for word in words:
        if SMALL.get(word.casefold(), 10) >= 10:
            break
        digits += str(SMALL[word.casefold()])
    return digits


def next_is_part(words: Sequence[str], at: int) -> bool:
    return at < len(words) and words[at].casefold() in PARTS
