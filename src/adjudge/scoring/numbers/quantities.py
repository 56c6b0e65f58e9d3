"""A quoted quantity -> every sensible reading of it: value, unit, range."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from adjudge.patterns import lazy_pattern
from adjudge.scoring.numbers.literals import (
    MAX_EXPONENT,
    SMALL,
    TENS,
    Numeral,
    plain_characters,
    read_numeral,
    read_words,
)
from adjudge.scoring.numbers.units import Unit, find_currency, find_scale, find_unit

ONE = Fraction(1)
MAX_CHARS = 200
"""Characters; a quoted number is short, and a longer text is compared as text."""


class Amount(NamedTuple):
    """One reading of one number."""

    value: Fraction
    """In the written unit, scale words applied."""
    unit: Unit | None
    numeral: Numeral
    bare: bool
    """Nothing but an unsigned run of digits."""
    scaled: bool = False
    """A scale word (`million`, `k`) stands with it."""


class Span(NamedTuple):
    """One amount, or a range from the first to the second."""

    low: Amount
    high: Amount | None = None


TOKEN = lazy_pattern(
    r"""(?P<number>(?:[0-9]{1,3}(?:[ ][0-9]{3})+(?![0-9])(?:[.,][0-9]+)?|[0-9]+(?:[.,'_][0-9]+)*|\.[0-9]+))
        (?P<exponent>[eE][+-]?[0-9]{1,4}(?![0-9A-Za-z]))?
      | (?P<sign>[a-zA-Z]{0,2}[$]|[€£¥₹₩₽₺₪₫₴₦₱฿₿¢%‰])
      | (?P<word>(?:[^\W\d_]|[°º])+(?:\.[^\W\d_]+)*(?:\^-?[0-9]+)?)
      | (?P<power>\^[+-]?[0-9]{1,4})
      | (?P<other>\S)""",
    re.VERBOSE,
)
APPROXIMATE = frozenset("~≈≃≅<>≤≥=±+")
YEAR_AT_THE_END = lazy_pattern(
    r"(?<![ ,])[ ,]++(?:in|by|as of|during|for|since|at the end of)(?: the)?(?: fiscal)?(?: year)?(?: fy)? ?(?:1[5-9]|20)[0-9]{2}$",
    re.IGNORECASE,
)
FEET_AND_INCHES = lazy_pattern(r"\b([0-9]{1,3}) ?' ?([0-9]{1,2}(?:\.[0-9]+)?) ?(?:\"|'')")
IN_PARENTHESES = lazy_pattern(
    r"(?P<before>[^\d()]{0,6}?)\((?P<inside>[^()0-9]*+[0-9][^()]*+)\)(?P<after>[^\d()]{0,30})"
)


class NumberToken(NamedTuple):
    kind: str
    text: str
    exponent: int = 0


def tokenize(text: str) -> list[NumberToken]:
    tokens: list[NumberToken] = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind == "exponent":
            tokens.append(NumberToken("number", match["number"], int(match["exponent"][1:])))
        else:
            tokens.append(NumberToken(kind, match.group()))
    return tokens


def read_spans(text: str) -> Sequence[Span]:
    """The readings of a quoted quantity or range, the likeliest first; none when it is no quantity."""
    return () if len(text) > MAX_CHARS else _read_spans(text)


@lru_cache(maxsize=256)
def _read_spans(text: str) -> tuple[Span, ...]:
    """Kept, because a right answer is mostly quoted in the same words on both sides."""
    plain = plain_characters(text)
    if "'" in plain:
        plain = FEET_AND_INCHES.sub(r"\1 ft \2 in", plain)
    if plain[-1:].isdigit():
        plain = YEAR_AT_THE_END.sub("", plain) or plain
    single = [Span(amount) for amount in read_amounts(plain)]
    return tuple(single or read_range(plain))


RANGE_WORDS = lazy_pattern(
    r"(?<=[\w%°\"')$€£])\s*(?:\bto\b|\band\b|\buntil\b|\bthrough\b|\.\.\.?|…|-|~)\s*", re.IGNORECASE
)
AND = lazy_pattern(r"\A\s*and\s*", re.IGNORECASE)


def read_range(text: str) -> list[Span]:
    """`5-10 km`, `between 5 and 10`, `$5 to $10 million`: what only the second number shows is meant for both."""
    between = re.match(r"\A\s*(?:about |roughly |approximately )?between\b", text, re.IGNORECASE) is not None
    spans: list[Span] = []
    for match in RANGE_WORDS.finditer(text):
        if AND.fullmatch(match.group()) and not between:
            continue
        for high in read_amounts(text[match.end() :]):
            for low in read_amounts(text[: match.start()]):
                shared = share(low, high)
                if ascends(shared):
                    spans.append(shared)
        if spans:
            break
    return spans


def ascends(span: Span) -> bool:
    """Whether the ends measure the same thing and the second is the larger."""
    if span.high is None or span.low.unit is None or span.high.unit is None:
        return span.high is not None and span.low.value < span.high.value
    low, high = span.low.unit, span.high.unit
    if low.dimension != high.dimension or low.currencies.isdisjoint(high.currencies) != (not low.currencies):
        return False
    return span.low.value * low.factor + low.offset < span.high.value * high.factor + high.offset


def share(low: Amount, high: Amount) -> Span:
    if high.scaled and not low.scaled and high.numeral.value:
        low = low._replace(value=low.value * (high.value / high.numeral.value), scaled=True)
    if low.unit is None:
        low = low._replace(unit=high.unit)
    elif high.unit is None:
        high = high._replace(unit=low.unit)
    return Span(low=low, high=high)


def read_amounts(text: str) -> list[Amount]:
    """The readings of one number with what stands around it; [] when there is none, or more than one."""
    negative = False
    in_parentheses = IN_PARENTHESES.fullmatch(text.strip()) if "(" in text else None
    if in_parentheses:
        text = f"{in_parentheses['before']}{in_parentheses['inside']}{in_parentheses['after']}"
        negative = True
    tokens = tokenize(text)
    bare = len(tokens) == 1 and not negative and tokens[0].text.isdigit() and not tokens[0].exponent
    head = read_head(tokens)
    if head is None:
        return []
    at, currency, sign = head
    amounts: list[Amount] = []
    for numeral, after in of_how_many(tokens, read_number(tokens, at)):
        for scale, unit, scaled, end in read_tail(tokens, after, currency):
            value = numeral.value * scale if scaled else numeral.value
            amount = Amount(-value if sign ^ negative else value, unit, numeral, bare, scaled)
            whole = finish(tokens, end, amount)
            if whole is not None:
                amounts.append(whole)
    return amounts


def read_head(tokens: list[NumberToken]) -> tuple[int, Unit | None, bool] | None:
    """Where the number starts, the currency before it, and whether it is negative."""
    currency: Unit | None = None
    negative = False
    for at, token in enumerate(tokens):
        if token.kind == "number" or (token.kind == "word" and read_words(word_run(tokens, at)) is not None):
            return at, currency, negative
        if token.text == "-" or token.text.casefold() in {"minus", "negative"}:
            negative = True
        elif (found := find_currency(token.text)) is not None and (
            token.kind == "sign" or token.text.isupper() or token.text.casefold().startswith("rs")
        ):
            currency = found
        elif token.kind == "word" or token.text in APPROXIMATE or token.text in ":,.'\"":
            negative = negative and token.text not in {":", ","}
        elif token.kind == "power" or token.text in {"(", ")"}:
            return None
    return None


def word_run(tokens: list[NumberToken], at: int) -> list[str]:
    """The words from here on; a hyphen inside `twenty-one` does not end them."""
    run: list[str] = []
    for token in tokens[at : at + 16]:
        if token.kind == "word":
            run.append(token.text)
        elif token.text != "-":
            break
    return run


def read_number(tokens: list[NumberToken], at: int) -> list[tuple[Numeral, int]]:
    """The number that starts here, with where it ends: digits, words, fractions, powers of ten."""
    if tokens[at].kind not in {"word", "number"}:
        return []
    if tokens[at].kind == "word":
        spelled = read_words(word_run(tokens, at))
        if spelled is None:
            return []
        value, words = spelled
        while words:
            words -= tokens[at].kind == "word"
            at += 1
        return [(Numeral(value=value), at)]
    token = tokens[at]
    numerals = read_numeral(token.text)
    at += 1
    if abs(token.exponent) > MAX_EXPONENT:
        return []
    if token.exponent:
        numerals = [numeral._replace(value=times_ten(numeral.value, token.exponent)) for numeral in numerals]
    if not numerals:
        return []
    if at == len(tokens) or (tokens[at].kind == "word" and tokens[at].text.casefold() not in {"x", "and"}):
        return [(numeral, at) for numeral in numerals]
    first = numerals[0].value
    power = power_of_ten(tokens, at)
    if power is not None:
        return [
            (numeral._replace(value=times_ten(numeral.value, power[0])), power[1]) for numeral in numerals
        ]
    if token.text == "10" and kind_at(tokens, at) == "power":
        exponent = int(tokens[at].text[1:])
        return (
            []
            if abs(exponent) > MAX_EXPONENT
            else [(Numeral(value=times_ten(Fraction(1), exponent)), at + 1)]
        )
    if text_at(tokens, at) == "/" and kind_at(tokens, at + 1) == "number":
        below = read_numeral(tokens[at + 1].text)
        if not below or below[0].value == 0:
            return []
        return [(Numeral(value=first / below[0].value), at + 2)]
    if (
        kind_at(tokens, at) == "number"
        and text_at(tokens, at + 1) == "/"
        and kind_at(tokens, at + 2) == "number"
    ):
        above, below = read_numeral(tokens[at].text), read_numeral(tokens[at + 2].text)
        if above and below and below[0].value > above[0].value and first.denominator == 1:
            return [(Numeral(value=first + above[0].value / below[0].value), at + 3)]
        return []
    if tokens[at].text.casefold() == "and" and words_at(tokens, at + 1, 2) in (
        ["a", "half"],
        ["one", "half"],
    ):
        return [(Numeral(value=first + Fraction(1, 2)), at + 3)]
    return [(numeral, at) for numeral in numerals]


def of_how_many(tokens: list[NumberToken], numbers: list[tuple[Numeral, int]]) -> list[tuple[Numeral, int]]:
    """`1 in 5` and `three out of five` are shares; every other number stays as it is."""
    shares: list[tuple[Numeral, int]] = []
    for numeral, at in numbers:
        first = text_at(tokens, at).casefold()
        skip = 2 if first == "out" and words_at(tokens, at + 1, 1) == ["of"] else int(first == "in")
        if not skip or at + skip >= len(tokens):
            continue
        for whole, end in read_number(tokens, at + skip):
            if 0 < numeral.value <= whole.value and read_unit(tokens, end, None)[0] is None:
                shares.append((Numeral(value=numeral.value / whole.value), end))
    return shares or numbers


def times_ten(value: Fraction, exponent: int) -> Fraction:
    return value * Fraction(10) ** exponent


def power_of_ten(tokens: list[NumberToken], at: int) -> tuple[int, int] | None:
    """`× 10^6`, `x 10^6`, `* 10**6`, `·10^6`: the exponent and where it ends."""
    if text_at(tokens, at) not in {"×", "x", "X", "*", "·", "⋅"} or text_at(tokens, at + 1) != "10":
        return None
    if kind_at(tokens, at + 2) == "power":
        exponent, end = int(tokens[at + 2].text[1:]), at + 3
    elif text_at(tokens, at + 2) == text_at(tokens, at + 3) == "*" and text_at(tokens, at + 4).isdigit():
        exponent, end = int(text_at(tokens, at + 4)[:5]), at + 5
    else:
        return None
    return None if abs(exponent) > MAX_EXPONENT else (exponent, end)


def text_at(tokens: list[NumberToken], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""


def kind_at(tokens: list[NumberToken], at: int) -> str:
    return tokens[at].kind if at < len(tokens) else ""


def words_at(tokens: list[NumberToken], at: int, count: int) -> list[str]:
    return [token.text.casefold() for token in tokens[at : at + count]]


DOLLARS_OF = {"us": "USD", "u.s": "USD", "american": "USD", "canadian": "CAD", "australian": "AUD"}
POWERS = {"square": "^2", "sq": "^2", "cubic": "^3", "cu": "^3"}
Tail = tuple[Fraction, Unit | None, bool, int]


def read_tail(tokens: list[NumberToken], at: int, currency: Unit | None) -> list[Tail]:
    """Scale words and unit after the number, each way they can be read; the scale is 1 without a scale word."""
    if text_at(tokens, at) == "±" and kind_at(tokens, at + 1) == "number":
        at += 2
    readings: list[Tail] = []
    scale, scaled, after = ONE, False, at
    while kind_at(tokens, after) == "word" and (found := find_scale(tokens[after].text)) is not None:
        scale, scaled, after = scale * found, True, after + 1
    if scaled:
        if text_at(tokens, after).casefold() in {"of", "us"} and find_currency(text_at(tokens, after + 1)):
            after += 1
        unit, end = read_unit(tokens, after, currency)
        readings.append((scale, unit, True, end))
    if not scaled or len(tokens[at].text) <= 2:
        unit, end = read_unit(tokens, at, currency)
        if not scaled or (unit is not None and currency is None):
            readings.insert(0 if not scaled else len(readings), (ONE, unit, False, end))
    pounds = text_at(tokens, at).casefold() in {"pound", "pounds"} or (
        scaled and text_at(tokens, after).casefold() in {"pound", "pounds"}
    )
    if pounds and currency is None:
        where = after if scaled else at
        readings.append((scale, find_currency("pounds"), scaled, where + 1))
    return readings


def read_unit(tokens: list[NumberToken], at: int, currency: Unit | None) -> tuple[Unit | None, int]:
    """The unit that starts here, longest first; a currency before the number stays."""
    if text_at(tokens, at) == "-":
        at += 1 if kind_at(tokens, at + 1) == "word" else 0
    if currency is not None:
        same = find_currency(text_at(tokens, at))
        if same is not None and same.currencies & currency.currencies:
            return replace(same, currencies=same.currencies & currency.currencies), at + 1
        return currency, at
    first = text_at(tokens, at)
    folded = first.casefold()
    if folded in DOLLARS_OF and find_currency(text_at(tokens, at + 1)):
        return find_currency(DOLLARS_OF[folded]), at + 2
    if first in {"'", '"'}:
        return find_unit("ft" if first == "'" else "inch"), at + 1
    power = POWERS.get(folded)
    if power:
        skip = 2 if text_at(tokens, at + 1) == "." else 1
        base = find_unit(text_at(tokens, at + skip))
        unit = find_unit(f"{base.name}{power}") if base else None
        return (unit, at + skip + 1) if unit else (None, at)
    for length in range(min(3, len(tokens) - at), 1, -1):
        several = tokens[at : at + length]
        if all(token.kind != "number" for token in several):
            unit = find_unit("".join(token.text for token in several))
            if unit is not None:
                return unit, at + length
    base = find_unit(first)
    if base is not None and text_at(tokens, at + 1).casefold() in {"/", "per", "an", "a"}:
        below = find_unit(text_at(tokens, at + 2))
        ratio = find_unit(f"{base.name}/{below.name}") if below else None
        if ratio is not None:
            return ratio, at + 3
    if (
        base is not None
        and kind_at(tokens, at + 1) == "number"
        and text_at(tokens, at + 1) in {"2", "3"}
        and at + 2 == len(tokens)
    ):
        powered = find_unit(f"{base.name}^{text_at(tokens, at + 1)}")
        if powered is not None:
            return powered, at + 2
    if base is not None and folded not in {"in", "a", "d"}:
        return base, at + 1
    if folded == "in" and at + 1 == len(tokens):
        return find_unit("inch"), at + 1
    if (found := find_currency(first)) is not None:
        return found, at + 1
    return None, at


def finish(tokens: list[NumberToken], at: int, amount: Amount) -> Amount | None:
    """The amount with what follows: a smaller part (`1 h 30 min`) is added, words are let be, another number is not."""
    rest = tokens[at:]
    if not rest:
        return amount
    if not any(starts_number(rest, position) for position in range(len(rest))):
        return amount if not any(token.text in "×*^()/-" for token in rest[:1]) or is_words(rest) else None
    while rest and rest[0].text.casefold() in {",", "and"}:
        rest = rest[1:]
    if (
        amount.unit is None
        or amount.unit.dimension not in {"length", "time", "mass"}
        or not rest
        or rest[0].kind != "number"
    ):
        return None
    for numeral, after in read_number(rest, 0):
        unit, end = read_unit(rest, after, None)
        if unit is None and amount.unit.name == "ft" and end == len(rest):
            unit = find_unit("inch")
        if unit is not None and unit.dimension == amount.unit.dimension and unit.factor < amount.unit.factor:
            more = numeral.value * unit.factor / amount.unit.factor
            total = amount.value - more if amount.value < 0 else amount.value + more
            return finish(rest, end, amount._replace(value=total))
    return None


def starts_number(tokens: list[NumberToken], at: int) -> bool:
    if tokens[at].kind == "number":
        return True
    word = tokens[at].text.casefold()
    return tokens[at].kind == "word" and (word in SMALL or word in TENS) and word != "one"


def is_words(tokens: list[NumberToken]) -> bool:
    """Whether what follows is `/share` or `- a record`: words behind a sign."""
    return len(tokens) > 1 and tokens[0].text in "/-" and all(token.kind == "word" for token in tokens[1:])
