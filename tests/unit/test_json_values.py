"""Values as JSON, and how a message names one that cannot be."""

from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from types import MappingProxyType
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.json_values import UnusableError, explicit_id, json_in_text, short_repr, to_json


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, "a"), [1, "a"]),
        (MappingProxyType({2: 1, True: 3, None: 4}), {"2": 1, "true": 3, "null": 4}),
        (Colour.RED, "red"),
        (date(2026, 1, 2), "2026-01-02"),
        (Decimal("1.5"), 1.5),
        (Decimal("NaN"), None),
        (b"x", "x"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (range(3), [0, 1, 2]),
    ],
)
def test_python_values_become_json(value, expected):
    assert to_json(value) == expected


@pytest.mark.parametrize("value", [Decimal("1E+999999999"), Decimal("Infinity")])
def test_a_decimal_too_large_for_a_number_is_refused_and_not_written_out(value):
    with pytest.raises(UnusableError, match="Infinity"):
        to_json(value)


def test_a_list_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(UnusableError, match="nested more than 200 levels"):
        to_json(loop)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"tone": 3}', {"tone": 3}),
        ("[1, 2]", [1, 2]),
        ("[good", "[good"),
        ("[1, NaN", "[1, NaN"),
        ("3", "3"),
    ],
)
def test_lists_and_objects_in_text_are_read_and_nothing_else_is(text, value):
    assert json_in_text(text) == value


@pytest.mark.parametrize(
    ("value", "case_id"), [("a", "a"), (3.0, "3"), (3.5, "3.5"), (" ", None), (None, None)]
)
def test_an_id_is_text_or_a_number(value, case_id):
    assert explicit_id(value) == case_id


@pytest.mark.parametrize("value", [True, ["a"], {"a": 1}])
def test_other_values_are_no_ids(value):
    with pytest.raises(UnusableError, match="found an id that is"):
        explicit_id(value)


@given(st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.binary()) | st.integers())
def test_what_is_shown_of_a_value_is_short_and_printable(value):
    assert len(short_repr(value)) <= 80
    assert short_repr(value).isprintable()


def test_what_is_shown_of_a_large_value_is_short():
    for value in ("x" * 10**7, ["y" * 10**7] * 10, {"k" * 10**7: 1}, 10**3000, b"z" * 10**7):
        assert len(short_repr(value)) <= 80
