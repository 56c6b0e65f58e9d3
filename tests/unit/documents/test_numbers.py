"""One format for numbers, and text that cannot act."""

import re
import unicodedata
from decimal import Decimal
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.documents.numbers import (
    show_duration,
    show_mean,
    show_money,
    show_number,
    show_percent,
    show_percent_range,
    show_rate,
    whole,
)
from adjudge.documents.records_json import records_json
from adjudge.stats.intervals import Estimate
from adjudge.text import shorten, visible, without_controls


def test_a_mean_stands_before_its_interval():
    assert show_mean(Estimate(value=3.42, low=3.1, high=3.744, n=9, method="t")) == "3.42 [3.10, 3.74]"
    assert show_mean(Estimate(value=3, low=-inf, high=inf, n=1, method="none")) == "3.00 [-∞, ∞]"
    assert show_mean(None) == "—"


def test_a_rate_is_in_percent_with_one_decimal():
    assert (
        show_rate(Estimate(value=0.85, low=0.701, high=0.9323, n=9, method="Wilson")) == "85.0 % [70.1, 93.2]"
    )
    assert show_percent(0.713) == "71.3 %"
    assert show_percent(0.95, 0) == "95 %"
    assert show_percent(-0.0001) == "0.0 %"
    assert show_percent_range(0.636, 0.78) == "63.6–78.0"
    assert show_rate(None) == "—"


def test_no_module_writes_percentages_in_another_form():
    source = Path(adjudge.__file__).parent
    found = [path.name for path in source.rglob("*.py") if re.search(r":\+?\.\d%\}", path.read_text())]
    assert found == []


def test_no_number_is_minus_zero():
    assert show_number(-0.001) == "0.00"


@pytest.mark.parametrize(
    ("cost", "unknown", "shown"),
    [
        (Decimal("0.0123"), 0, "$0.0123"),
        (Decimal(0), 0, "$0"),
        (Decimal("0.00001"), 0, "<$0.0001"),
        (Decimal("1234.5"), 0, "$1,234.5000"),
        (Decimal("0.0123"), 3, "$0.0123 + 3 unknown"),
        (None, 3, "cost unknown"),
        (Decimal(0), 196, "cost unknown"),
    ],
)
def test_money(cost, unknown, shown):
    assert show_money(cost, unknown) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, "0 ms"),
        (999.4, "999 ms"),
        (999.6, "1.00 s"),
        (59_990, "59.99 s"),
        (59_999, "1 min 00 s"),
        (125_000, "2 min 05 s"),
        (None, "—"),
    ],
)
def test_durations(milliseconds, shown):
    assert show_duration(milliseconds) == shown


def test_whole_numbers_lose_their_point():
    assert [repr(whole(value)) for value in (4.0, 3.5, -0.0, inf, 1e300)] == [
        "4",
        "3.5",
        "0",
        "inf",
        repr(int(1e300)),
    ]


def test_long_text_is_cut_to_the_length_asked_for():
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abcd", 4) == "abcd"


ANSI = [
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://x\x07link\x1b]8;;\x07",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H",
    "\x9b31m",
    "\x9d0;t\x9c",
    "a\rb",
    "a\nb",
    "a\x08b",
    "\x00",
    "\x7f",
    "\x1bP+q\x1b\\",
    "\u202eevil",
    "\u2066x\u2069",
    "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg",
    "\u200bhidden\ufeff",
    "\U000e0041tag",
    "\ud800",
]


@pytest.mark.parametrize("text", ANSI, ids=range(len(ANSI)))
def test_nothing_shown_moves_the_cursor_or_hides(text):
    shown = visible(text)
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in shown)
    assert not any(unicodedata.bidirectional(character) in {"RLO", "LRI", "PDI"} for character in shown)
    assert len(shown.splitlines()) == 1
    assert shown != text
    shown.encode()


@given(st.text(st.characters(codec=None)))
def test_shown_text_is_one_line_without_controls(text):
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(character) == "Cc" for character in shown)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters="#:")))
def test_plain_text_is_shown_as_it_is(text):
    assert visible(text) == text


def test_joiners_that_scripts_are_written_with_stay():
    assert visible("👩‍🔬 می‌خواهم") == "👩‍🔬 می‌خواهم"


@pytest.mark.parametrize(
    "text", ["::error::x", "  ::set-output name=a::b", "a ##[command]b", "##vso[task.x]y", "###[error]"]
)
def test_build_services_find_no_command(text):
    shown = visible(text)
    assert not shown.lstrip().startswith("::")
    assert "##[" not in shown
    assert "##vso[" not in shown


def test_a_megabyte_of_anything_is_shown_in_linear_time():
    for text in ("\x1b" * 1_000_000, " " * 1_000_000, "#" * 1_000_000, ":" * 1_000_000):
        assert visible(text)


def test_files_keep_lines_and_tabs_and_lose_other_controls():
    assert without_controls("a\tb\r\nc\x1b[31m\x9b") == "a\tb\r\nc␛[31m\\u009b"


def test_surrogate_pairs_become_their_character_and_lone_ones_a_mark():
    assert records_json("\ud83d\ude00 \ud83d") == "😀 \ufffd"


def test_keys_and_odd_values_become_json():
    assert records_json({1: (Decimal("0.5"), {2}, float("nan"), True)}) == {"1": [0.5, "{2}", None, True]}
