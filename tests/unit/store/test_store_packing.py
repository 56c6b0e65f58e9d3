"""Values keep their exact meaning on the way into columns and back."""

import math
import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.store.packing import (
    COLUMN_CHARS,
    DamagedError,
    bounded,
    bytes_text,
    dump_json,
    from_column,
    from_micros,
    is_shortened,
    load_json,
    pack,
    pack_onto,
    text_bytes,
    to_column,
    to_float,
    to_key,
    to_micros,
    to_name,
    unpack,
)

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=60)


@given(st.binary(max_size=3000))
def test_packed_bytes_come_back(data):
    assert unpack(pack(data)) == data


@given(st.binary(min_size=300, max_size=2000), st.binary(max_size=200))
def test_bytes_packed_onto_another_text_come_back(base, more):
    difference = pack_onto(base + more, base)
    assert difference is not None
    assert unpack(difference, base) == base + more


def test_a_filled_template_packed_onto_another_takes_a_tenth():
    template = " ".join(sha256(str(number).encode()).hexdigest() for number in range(60))
    first, second = (template + answer for answer in ("Paris is the capital.", "It is Rome, I think."))
    difference = pack_onto(second.encode(), first.encode())
    assert difference is not None
    assert len(difference) < len(pack(second.encode())) // 10


def test_a_text_unlike_its_base_is_not_packed_onto_it():
    assert pack_onto(bytes((n * 7919) % 251 for n in range(400)), b"nothing alike") is None


@pytest.mark.parametrize(
    "data", [b"", b"\x01not zlib", b"\x07??", b"\x02" + pack_onto(b"a" * 400, b"a" * 300)[1:]]
)
def test_damaged_bytes_are_said_to_be_so(data):
    with pytest.raises(DamagedError):
        unpack(data)


def test_a_difference_is_not_read_with_the_wrong_base():
    with pytest.raises(DamagedError):
        unpack(pack_onto(b"a" * 400, b"a" * 300), b"b" * 300)


@given(ANY_TEXT)
def test_any_text_survives_bytes_and_columns(text):
    assert bytes_text(text_bytes(text)) == text
    assert from_column(to_column(text)) == text


@given(ANY_TEXT)
def test_a_column_can_be_bound_by_a_database(text):
    column = to_column(text)
    assert "\0" not in column
    column.encode("utf-8")
    with_database = sqlite3.connect(":memory:")
    assert with_database.execute("SELECT ?", [column]).fetchone() == (column,)
    with_database.close()


@given(st.lists(st.sampled_from(["\\", "u0000", "\0", "a", "\\\\", "…", "\ud800"]), max_size=6).map("".join))
def test_escapes_written_by_hand_are_not_taken_for_ours(text):
    assert from_column(to_column(text)) == text


def test_names_too_long_for_an_index_stay_different_and_bounded():
    names = ["x" * 10_000 + tail for tail in ("", "a", "b")] + ["😀" * 10_000]
    columns = [to_name(name) for name in names]
    assert len(set(columns)) == len(names)
    assert all(len(column) <= COLUMN_CHARS for column in columns)
    assert all(is_shortened(column, name) for column, name in zip(columns, names, strict=True))
    # what looks like a shortened name is another name
    assert to_name(columns[0]) != columns[0]


def test_a_name_that_fits_is_not_shortened():
    for name in ("a", "x" * COLUMN_CHARS, "\\…" * (COLUMN_CHARS // 3)):
        assert not is_shortened(to_name(name), name)
        assert from_column(to_name(name)) == name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(ANY_TEXT, children, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_json_comes_back_exactly_with_infinities_large_numbers_and_half_surrogates(value):
    found = load_json(dump_json(value))
    assert found == value
    assert repr(found) == repr(value)  # 1 is not 1.0, 0.0 not -0.0, True not 1


def test_nan_stays_nan_and_null_stays_null():
    found = load_json(dump_json([float("nan"), None, {"a": [float("inf")]}]))
    assert math.isnan(found[0])
    assert found[1:] == [None, {"a": [math.inf]}]
    assert load_json(dump_json({"a": None})) == {"a": None}


def test_read_only_mappings_are_objects():
    assert load_json(dump_json(MappingProxyType({"a": MappingProxyType({"b": 1})}))) == {"a": {"b": 1}}
    assert load_json(dump_json(MappingProxyType({"a": "\ud800"}))) == {"a": "\ud800"}


def test_what_is_no_json_is_refused_not_changed():
    with pytest.raises(TypeError):
        dump_json({"a": object()})


@pytest.mark.parametrize("data", [b"", b"{", b" {", b"\xff", b" [" * 100_000])
def test_broken_json_is_said_to_be_damaged(data):
    with pytest.raises(DamagedError):
        load_json(data)


def test_keys_are_32_bytes_and_different():
    hexadecimal = "ab" * 32
    assert to_key(hexadecimal) == bytes.fromhex(hexadecimal)
    assert to_key(to_key("k1").hex()) == to_key("k1")
    assert len({to_key(key) for key in (hexadecimal, hexadecimal.upper(), "k1", "k2", "", "\ud800")}) == 6
    assert len(to_key("")) == 32


def test_moments_keep_their_microsecond_and_mean_utc():
    at = datetime(2026, 3, 1, 12, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert from_micros(to_micros(at)) == at
    assert from_micros(to_micros(datetime(1815, 1, 1, tzinfo=UTC))) == datetime(1815, 1, 1, tzinfo=UTC)
    assert to_micros(datetime(2026, 1, 1)) == to_micros(datetime(2026, 1, 1, tzinfo=UTC))  # noqa: DTZ001 - the point


def test_numbers_no_column_holds_are_unknown():
    assert bounded(2**63) is None
    assert bounded(2**63 - 1) == 2**63 - 1
    assert bounded(None) is None
    assert to_float(10**400) is None
    assert to_float(4) == 4.0
