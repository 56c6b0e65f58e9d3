"""Two quoted numbers -> whether they agree: quantities within a margin, what only names or dates exactly."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from adjudge.expressions import round_half_up
from adjudge.scoring.numbers.codes import Code, read_code, version_key
from adjudge.scoring.numbers.literals import Numeral
from adjudge.scoring.numbers.moments import Moment, read_moment, same_moment
from adjudge.scoring.numbers.quantities import MAX_CHARS, Amount, Span, read_spans
from adjudge.scoring.text import fold

NOTHING_OFF = Fraction(0)


class NumberComparison(NamedTuple):
    """What code decided about one pair, with all that it was decided from."""

    agrees: bool
    rule: Literal["exactly", "as text", "conventions", "units", "zero", "margin", "range", "absent"]
    """`conventions` and `units`: the two cannot be compared; `zero`: expected 0 wants 0; `range`: it lies inside."""
    names: tuple[Moment | Code | None, Moment | Code | None] = (None, None)
    """Expected and response, where they are compared exactly: None for what is compared with it as it stands."""
    word: str = ""
    """What they are compared exactly as: `years`, `versions`."""
    spans: tuple[Span, Span] | None = None
    """Expected and response as they were read, where they are quantities."""
    rescaled: bool = False
    """A span was read in the scale that the question asks for."""
    value: Fraction = Fraction(0)
    """The response in the unit of the expected number."""
    target: Fraction = Fraction(0)
    """The expected number, or the end of the expected range that the response was held against."""
    allowed: Fraction = Fraction(0)
    """How far off it may be, as a share of `target`."""
    outside: bool = False
    """The response is a single number outside the expected range."""

    @property
    def difference(self) -> Fraction | None:
        """|response - expected| / |expected|, the larger one of a range; None where no ratio makes sense."""
        if self.rule == "range" or (self.rule == "margin" and equal(self.value, self.target)):
            return NOTHING_OFF
        return abs(self.value - self.target) / abs(self.target) if self.rule == "margin" else None

    @property
    def how(self) -> str:
        """In words a note can carry: `off by 4 %, 4 % allowed`, `compared exactly as years`."""
        match self.rule:
            case "exactly":
                return f"compared exactly as {self.word}"
            case "as text":
                return "not read as numbers, compared as text"
            case "conventions":
                return "written in different conventions"
            case "units":
                assert self.spans is not None
                expected, response = (span.low.unit.name if span.low.unit else "none" for span in self.spans)
                return f"units differ ({response} against {expected})"
            case "absent":
                return "not in the response"
            case "range":
                return "inside the range"
            case "zero":
                text = "expected 0 wants 0"
            case "margin":
                off = self.difference
                assert off is not None
                text = f"off by {percent(off, self.allowed)}, {bound_text(self.allowed)} allowed"
        return f"outside the range, {text}" if self.outside else text


def compare_numbers(
    expected: str,
    response: str,
    margin: Fraction,
    *,
    year_asked: bool = False,
    scale_asked: Fraction | None = None,
) -> NumberComparison:
    """Whether the response's number is the expected one.

    Args:
        expected: as quoted from the reference.
        response: as quoted from the response.
        margin: how far off a quantity may be, as a share of the expected value.
        year_asked: the question wants a year, so bare digits are one.
        scale_asked: the question wants millions, so that `1577` may stand against `1,577 million`.

    """
    exactly = compare_exactly(expected, response, year_asked=year_asked)
    if exactly is not None:
        return exactly
    wanted, got = read_spans(expected), read_spans(response)
    if not wanted or not got:
        return same_text(expected, response)
    return compare_spans(wanted, got, margin, scale_asked)


def same_text(expected: str, response: str) -> NumberComparison:
    return NumberComparison(agrees=as_letters(expected) == as_letters(response), rule="as text")


def as_letters(text: str) -> str:
    return "".join(fold(text).split()).strip(".,;:")


def compare_exactly(expected: str, response: str, *, year_asked: bool) -> NumberComparison | None:
    """The verdict where one side is a moment or a code; None where both are quantities."""
    if len(expected) > MAX_CHARS or len(response) > MAX_CHARS:
        return None
    wanted, got = read_name(expected, year_asked=year_asked), read_name(response, year_asked=year_asked)
    if wanted is None and got is None:
        return None
    if isinstance(wanted, Moment) and isinstance(got, Moment):
        return exactly(wanted, got, wanted.word, agrees=same_moment(wanted, got))
    if isinstance(wanted, Code) and isinstance(got, Code):
        word = wanted.word if wanted.kind == got.kind else "identifiers"
        return exactly(wanted, got, word, agrees=bool(wanted.keys & got.keys))
    if wanted is not None and got is not None:
        year, code = (wanted, got) if isinstance(wanted, Moment) else (got, wanted)
        assert isinstance(year, Moment)
        assert isinstance(code, Code)
        return exactly(wanted, got, "identifiers", agrees=is_year(year, code))
    if shows_a_quantity(wanted, response) or shows_a_quantity(got, expected):
        return None
    name = wanted or got
    assert name is not None
    other = response if wanted is not None else expected
    return exactly(wanted, got, name.word, agrees=other_is(name, other))


def exactly(
    wanted: Moment | Code | None, got: Moment | Code | None, word: str, *, agrees: bool
) -> NumberComparison:
    return NumberComparison(agrees=agrees, rule="exactly", names=(wanted, got), word=word)


@lru_cache(maxsize=256)
def read_name(text: str, *, year_asked: bool) -> Moment | Code | None:
    """Kept as readings of quantities are."""
    return read_moment(text, year_asked=year_asked) or read_code(text)


def is_year(year: Moment, code: Code) -> bool:
    """Whether `#1998` stands against a bare 1998."""
    return year.bare and any(str(day[0]) in code.keys for day in year.days)


def shows_a_quantity(name: Moment | Code | None, other: str) -> bool:
    """Whether four bare digits stand against what has a unit, a separator or a noun: then they count something too."""
    if not (isinstance(name, Moment) and name.bare):
        return False
    return any(not span.low.bare for span in read_spans(other)) or any(
        span.low.bare and not 1000 <= span.low.value <= 9999 for span in read_spans(other)
    )


def other_is(name: Moment | Code, other: str) -> bool:
    """Whether plain digits on the other side are the year, place, version or identifier that this side names."""
    digits = "".join(other.split()).strip(".,;").lstrip("#")
    if isinstance(name, Moment):
        return digits.isdigit() and len(digits) <= 4 and name.days == frozenset({(int(digits), None, None)})
    if name.kind == "version":
        numeric = (
            digits.replace(".", "", 5).isdigit()
            and digits[0] != "."
            and digits[-1] != "."
            and ".." not in digits
        )
        return numeric and version_key(digits) in name.keys
    if name.kind == "ordinal":
        spans = read_spans(other)
        return any(
            span.high is None and span.low.unit is None and str(span.low.value) in name.keys for span in spans
        )
    return "".join(character for character in fold(other) if character.isalnum()) in name.keys


def compare_spans(
    wanted: Sequence[Span], got: Sequence[Span], margin: Fraction, scale_asked: Fraction | None = None
) -> NumberComparison:
    """The first pair of readings that agrees; else the likeliest pair, which says by how much they differ."""
    found: list[NumberComparison] = []
    for comparison in compare_all(wanted, got, margin, scale_asked):
        if comparison.agrees:
            return comparison
        found.append(comparison)
    measured = [comparison for comparison in found if comparison.difference is not None]
    return (
        measured or found or [NumberComparison(agrees=False, rule="conventions", spans=(wanted[0], got[0]))]
    )[0]


def compare_all(
    wanted: Sequence[Span], got: Sequence[Span], margin: Fraction, scale_asked: Fraction | None
) -> Iterator[NumberComparison]:
    for expected in wanted:
        for response in got:
            yield from compare_pair(expected, response, margin)
            if scale_asked is None or (expected.low.scaled and response.low.scaled):
                continue
            ours, theirs = rescaled(expected, scale_asked), rescaled(response, scale_asked)
            if expected.low.scaled != response.low.scaled:
                yield from compare_pair(ours, theirs, margin, rescaled=True)
            else:  # one of them may be in the scale that was asked for, and the other written out
                yield from compare_pair(ours, response, margin, rescaled=True)
                yield from compare_pair(expected, theirs, margin, rescaled=True)


def rescaled(span: Span, scale: Fraction) -> Span:
    """The span in the scale that the question asked for, unless it names a scale itself."""
    if span.low.scaled:
        return span
    low = span.low._replace(value=span.low.value * scale)
    return Span(
        low=low, high=None if span.high is None else span.high._replace(value=span.high.value * scale)
    )


def compare_pair(
    expected: Span, response: Span, margin: Fraction, *, rescaled: bool = False
) -> Iterator[NumberComparison]:
    spans = (expected, response)
    lows = in_unit_of(expected.low, response.low)
    if not lows:
        yield NumberComparison(agrees=False, rule="units", spans=spans, rescaled=rescaled)
        return
    target = expected.low.value
    allowed = NOTHING_OFF if less_likely(spans) else margin
    if expected.high is None and response.high is None:
        for low in lows:
            yield within(low, target, allowed, spans, rescaled=rescaled)
        return
    highs = lows if response.high is None else in_unit_of(expected.low, response.high)
    target_high = target if expected.high is None else in_one_unit(expected.low, expected.high)
    for low, high in zip(lows, highs, strict=False):
        if response.high is not None:
            yield worse(
                within(low, target, allowed, spans, rescaled=rescaled),
                within(high, target_high, allowed, spans, rescaled=rescaled),
            )
        elif target <= low <= target_high:
            yield NumberComparison(agrees=True, rule="range", spans=spans, rescaled=rescaled, value=low)
        else:  # a single number against a range whose ends are let out by the margin
            end = target if low < target else target_high
            yield within(low, end, allowed, spans, rescaled=rescaled, outside=True)


def less_likely(spans: tuple[Span, Span]) -> bool:
    """Whether digits are read in their less likely way: then they have to be equal."""
    expected, response = spans
    return expected.low.numeral.second or response.low.numeral.second


def in_one_unit(low: Amount, high: Amount) -> Fraction:
    """The upper end of an expected range in the unit of its lower end."""
    return next(iter(in_unit_of(low, high)), high.value)


def in_unit_of(expected: Amount, response: Amount) -> tuple[Fraction, ...]:
    """The response's value in the expected one's unit, each way it can be meant; nothing when they cannot be compared.

    A unit missing on one side is taken to be the other's. A percentage against a bare number may also be meant as the
    fraction it is: 4 % is 0.04.
    """
    if conventions_clash(expected.numeral, response.numeral):
        return ()
    ours, theirs = expected.unit, response.unit
    if ours is theirs:
        return (response.value,)
    if ours is not None and theirs is not None:
        if {ours.dimension, theirs.dimension} == {"angle", "temperature"}:
            return (response.value,)  # `70 degrees` does not say which
        if ours.dimension != theirs.dimension:
            return ()
        if ours.dimension == "money" and not ours.currencies & theirs.currencies:
            return ()
        if ours.factor == theirs.factor and ours.offset == theirs.offset:
            return (response.value,)
        return ((response.value * theirs.factor + theirs.offset - ours.offset) / ours.factor,)
    share = ours or theirs
    if share is None or share.dimension != "share":
        return (response.value,)
    as_share = response.value / share.factor if ours is not None else response.value * share.factor
    return (response.value, as_share)


def conventions_clash(expected: Numeral, response: Numeral) -> bool:
    """Whether one side is read in its unlikely way with nothing on the other side that speaks for it."""
    if not (expected.second or response.second) or expected.convention == response.convention:
        return False
    return (expected.second and not response.ambiguous) or (response.second and not expected.ambiguous)


def within(
    value: Fraction,
    target: Fraction,
    allowed: Fraction,
    spans: tuple[Span, Span],
    *,
    rescaled: bool,
    outside: bool = False,
) -> NumberComparison:
    return NumberComparison(
        agrees=equal(value, target) or abs(value - target) <= allowed * abs(target),
        rule="margin" if target else "zero",
        spans=spans,
        rescaled=rescaled,
        value=value,
        target=target,
        allowed=allowed,
        outside=outside,
    )


def equal(a: Fraction, b: Fraction) -> bool:
    """What is quoted in the same words on both sides is the same object, which is quicker to see."""
    return a is b or a == b


def bound_text(margin: Fraction) -> str:
    return _bound_text(margin.numerator, margin.denominator)


@lru_cache(maxsize=8)
def _bound_text(numerator: int, denominator: int) -> str:
    """Kept by two integers, because a fraction is slow to hash."""
    return percent(Fraction(numerator, denominator))


def worse(a: NumberComparison, b: NumberComparison) -> NumberComparison:
    if a.agrees != b.agrees:
        return b if a.agrees else a
    return b if (b.difference or 0) > (a.difference or 0) else a


def percent(share: Fraction, bound: Fraction | None = None) -> str:
    """`4 %`, `3.85 %`; with more digits where two would hide which side of the bound it is."""
    if not share:
        return "0 %"
    if share >= 1000:
        return "more than 100000 %"
    for digits in (2, 4, 6):
        rounded = round_half_up(share * 100, digits)
        if bound is None or (rounded > bound * 100) == (share > bound):
            break
    text = f"{float(rounded):.6f}".rstrip("0").rstrip(".")
    return f"{text} %"
