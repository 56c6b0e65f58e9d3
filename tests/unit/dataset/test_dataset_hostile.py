"""Whatever the bytes, reading ends, and gives rows that can be shown and sent, or an error a person can read."""

import contextlib
import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.dataset import READERS
from adjudge.dataset.read import read_cases
from adjudge.dataset.rows import Origin
from adjudge.errors import DatasetError
from adjudge.records import BadRow, Case

FRAGMENTS = st.sampled_from(
    [
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b",",
        b":",
        b"\n",
        b"\r",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"NaN",
        b"1e999",
        b'{"id": 1}',
        b'"\\ud800"',
        b"a,b",
        b'"a": ',
        b"null",
        b"\x1b[31m",
        b"PAR1",
        b";",
        b"\t",
        b" ",
    ]
)
BYTES = st.binary(max_size=40) | st.lists(FRAGMENTS, max_size=14).map(b"".join)


def check(rows):
    with contextlib.suppress(DatasetError):
        for row in rows:
            match row:
                case Case():
                    json.dumps([row.columns, row.fields], ensure_ascii=False, allow_nan=False).encode()
                    assert None not in row.columns.values()
                case BadRow():
                    row.message.encode()
                    assert row.message.isprintable()
                    assert len(row.message) < 300


@given(BYTES)
@example(b'{"a"\n"b": 1}')
@example(b"[,]")
@example(b'a\tb\n"x"y\tz\n')
def test_standard_input(data):
    check(read_cases("-", stdin=io.BytesIO(data)))


@pytest.mark.parametrize("suffix", READERS)
@given(BYTES)
def test_every_reader(suffix, data):
    with contextlib.suppress(DatasetError):
        for row in READERS[suffix](io.BytesIO(data), Origin(file="cases")):
            assert row.line >= 1
