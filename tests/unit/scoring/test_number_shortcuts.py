"""Shortcuts of the number comparison: each says no more than the slower way that it spares."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.scoring.correctness import (
    MARGIN,
    SCALE_QUESTION,
    YEAR_QUESTION,
    QuotedPair,
    compare_pair,
)
from adjudge.scoring.numbers.codes import (
    QUANTITY,
    read_code,
    read_identifier,
    read_named_period,
    read_ordinal,
    read_version,
)
from adjudge.scoring.numbers.compare import compare_numbers
from adjudge.scoring.numbers.literals import decimal_value, plain_characters
from adjudge.scoring.numbers.moments import BEGINS, MONTHS, NAMED_TIMES, read_moment, read_written
from adjudge.scoring.numbers.quantities import read_spans
from adjudge.scoring.numbers.units import find_scale
from adjudge.scoring.text import MAX_PLACES, NumberText, stands_as_quoted

PARTS = """
    0 1 5 05 12 31 100 1066 1999 2024 10000 1,000 1.5 1.234.567 5.1 1'234 .5 ½ ５ - / . : , ' % $ € # + ( ) – 年 月 日 ° º
    st nd th s s' of to through until at t on in the by year fy fiscal ad bc bce ce b.c. a.d. am pm a.m. noon midnight utc
    z est monday tues, jan january may sept. october q1 4q v version rc b a beta final post dev km kg million bn percent
    people k m first second twenty no. number ranked sku isbn page boeing a320 USD
    """
quoted_texts = st.lists(
    st.tuples(st.sampled_from(PARTS.split()), st.sampled_from(("", " "))), max_size=6
).map(lambda parts: "".join(part + space for part, space in parts))


@given(quoted_texts)
@example("2024.1/5")
@example("5 of May 2024, 5 pm")
def test_every_moment_begins_as_moments_do(text):
    plain = plain_characters(text).casefold().strip(" .,;")
    if not (plain.isascii() and plain.isdigit()) and read_written(plain) is not None:
        assert BEGINS.match(plain)


MOMENTS = """
    2024-01-05 | 2024.1.5 | 2024/1-5 | 2024.1/5 | 5th of may | 5-may-2024 | 2024 may 5 | 2024-01 | 1/2024 | 2024年1月5日
    | 1.3.2024 | 1/3/24 | fy24 | fiscal year 2024 | ad 79 | 79 ad | 44bc | 44 b.c.e. | 79 ce | 2019-20 | 2019 to 2020
    | 2019through2020 | 2019until2020 | 2019/20 | 3pm | 3 p.m. | 15:00 | 3:00:05 pm utc | 2024-01-05t10:00 | 5 may, 3 am
    | monday, 5 may | wed. 5 may | since 1066 | as of 5 may | circa 1066 | year 3000 | dated 5 may 2024 | around 1066
    """


@pytest.mark.parametrize(
    "text", [*NAMED_TIMES, *(f"5 {month} 2024" for month in MONTHS), *map(str.strip, MOMENTS.split("|"))]
)
def test_each_way_to_write_a_moment_is_still_read(text):
    assert read_moment(text) is not None


@given(quoted_texts, st.booleans())
@example("+1234.5678", False)
@example("3.5 b", False)
def test_no_code_is_written_as_a_quantity(text, en_dash):
    plain = plain_characters(text).strip(" .,;")
    folded = plain.casefold()
    if plain and QUANTITY.fullmatch(folded):
        assert read_ordinal(folded) is None
        assert read_named_period(folded) is None
        assert read_version(folded) is None
        assert read_identifier(plain, folded, en_dash=en_dash) is None


@pytest.mark.parametrize(
    "text",
    ["007", "+1234.5678", "3.5 b", "3.11 rc", "1,000th", "5th", "3-1", "4q", "2024 q1", "1990s", "b-52"],
)
def test_a_code_that_looks_like_a_quantity_is_still_read(text):
    assert read_code(text) is not None


PIECES = (
    *(
        "5",
        "15",
        "5 km",
        "1,000",
        "1.5",
        "-5",
        "$5",
        "5%",
        "a",
        "KM",
        "km",
        "é",
        "ſ",
        "½",
        "５",
        "…",
        "(",
        ")",
        "-",
    ),
    *(
        " ",
        "  ",
        "\n",
        "\t",
        "\x1c",
        "\x85",
        "\u00a0",
        "\u3000",
        "\u0301",
        "\u200b",
        "*",
        "`",
        "'",
        ".",
        ",",
        ":",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(texts, texts)
def test_a_number_found_as_it_stands_is_found_in_the_folded_text(text, quotation):
    for wanted in (quotation.strip(), *PIECES[:8]):
        if wanted and stands_as_quoted(wanted, text):
            assert NumberText(text).has_folded(wanted)


@pytest.mark.parametrize("before", ["15 km ", "15 KM ", "15", "\ufdfa"])
@pytest.mark.parametrize("count", [50, MAX_PLACES // 6, MAX_PLACES - 1, MAX_PLACES, MAX_PLACES + 1])
def test_a_number_is_looked_for_no_further_than_in_the_folded_text(before, count):
    text = before * count + " 5 km"
    if stands_as_quoted("5 km", text):
        assert NumberText(text).has_folded("5 km")


QUESTION = (
    *(
        "what",
        "which",
        "in what",
        "year",
        "YEAR",
        "Year was",
        "yeaR did",
        "in",
        "IN USD",
        "in U.S.",
        "millions",
    ),
    *("Thousands", "thouſands", "BILLIONS", "millİons", "mıllıons", "thou", " ", " ", "?", "é"),
)


@given(st.lists(st.sampled_from(QUESTION), max_size=8).map(" ".join))
@example("In what year?")
@example("What is it in USD millions?")
def test_what_a_question_wants_is_read_as_by_its_patterns(question):
    scale = SCALE_QUESTION.search(question)
    wanted = {
        "year_asked": YEAR_QUESTION.search(question) is not None,
        "scale_asked": None if scale is None else find_scale(scale[1]),
    }
    for expected, response in (("1066", "1050"), ("1577", "1,577 million"), ("2", "2 thousand")):
        pair = QuotedPair(expected, response, critical=True)
        assert compare_pair(pair, MARGIN, question) == compare_numbers(expected, response, MARGIN, **wanted)


@given(st.from_regex(r"[0-9]{0,12}", fullmatch=True), st.from_regex(r"[0-9]{0,12}", fullmatch=True))
@example("", "")
def test_a_decimal_number_has_the_value_of_its_text(whole, rest):
    assert decimal_value(whole, rest) == Fraction(f"{whole or '0'}.{rest or '0'}")


@pytest.mark.parametrize("text", ["1'234'5.6", "1_234_5.6", "1 234 5.6", "1'234,5'6", "12'34.5"])
def test_digits_with_a_stray_group_are_no_number_and_no_error(text):
    assert list(read_spans(text)) == []
