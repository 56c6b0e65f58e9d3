"""Parquet: batches, nulls, and types JSON has no name for."""

import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError, MissingExtraError, install_command

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(tmp_path, table):
    path = tmp_path / "cases.parquet"
    pq.write_table(table, path)
    return path


def columns_of(tmp_path, column):
    (case,) = read_cases(write(tmp_path, pa.table({"id": ["a"], "x": column})))
    return case.columns


def test_rows_come_in_order_over_many_batches_and_row_groups(tmp_path):
    path = tmp_path / "cases.parquet"
    table = pa.table({"id": list(range(500)), "question": [f"q{i}" for i in range(500)]})
    pq.write_table(table, path, row_group_size=150)
    cases = list(read_cases(path))
    assert [case.case_id for case in cases] == [str(i) for i in range(500)]
    assert [case.place.line for case in cases] == list(range(1, 501))
    assert cases[499].fields["question"] == "q499"


def test_null_and_nan_are_absent_and_empty_is_not(tmp_path):
    table = pa.table(
        {
            "id": ["a"],
            "question": pa.array([None], pa.string()),
            "score": [float("nan")],
            "answer": [""],
            "tool_calls": pa.array([[]], pa.list_(pa.string())),
        }
    )
    (case,) = read_cases(write(tmp_path, table))
    assert case.columns == {"id": "a", "answer": "", "tool_calls": []}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (pa.array([datetime(2026, 1, 2, 3, 4, 5)]), "2026-01-02T03:04:05"),  # noqa: DTZ001  # none in the file
        (
            pa.array([1_700_000_000_123_456_789], pa.timestamp("ns", "UTC")),
            "2023-11-14T22:13:20.123456+00:00",
        ),
        (pa.array([datetime(2026, 1, 2, tzinfo=UTC)]), "2026-01-02T00:00:00+00:00"),
        (pa.array([date(2026, 1, 2)]), "2026-01-02"),
        (pa.array([time(3, 4)]), "03:04:00"),
        (pa.array([3_000_000_001], pa.time64("ns")), "00:00:03"),
        (pa.array([timedelta(seconds=90)]), 90.0),
        (pa.array([90_000_000_001], pa.duration("ns")), 90.0),
        (pa.array([Decimal("12.50")]), 12.5),
        (pa.array([Decimal(12)]), 12),
        (pa.array([b"caf\xc3\xa9"]), "café"),
        (pa.array([b"\xff\x00"]), "/wA="),
        (pa.array([{"a": [1, None], "b": {"c": "d"}}]), {"a": [1, None], "b": {"c": "d"}}),
        (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), {"k": 1}),
        (pa.array(["x"]).dictionary_encode(), "x"),
        (pa.array([2.5], pa.float32()), 2.5),
        (pa.array([True]), True),
    ],
    ids=str,
)
def test_every_type_becomes_a_json_value(tmp_path, column, value):
    assert columns_of(tmp_path, column) == {"id": "a", "x": value}


def test_values_without_a_json_form_cost_only_their_row(tmp_path):
    table = pa.table(
        {
            "id": ["a", "b", "c"],
            "x": [1.0, float("inf"), 2.0],
            "at": pa.array([0, 1, 300_000_000_000], pa.timestamp("s")),
        }
    )
    first, bad, far = read_cases(write(tmp_path, table))
    assert first.columns == {"id": "a", "x": 1.0, "at": "1970-01-01T00:00:00"}
    assert (bad.case_id, bad.found, bad.wanted) == ("line-2", "Infinity in column 'x'", "a finite number")
    assert far.found == "a timestamp[ms] that cannot be read ('date value out of range')"


def test_two_columns_of_one_name_are_an_error(tmp_path):
    path = write(tmp_path, pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(DatasetError, match="has the column 'a' more than once"):
        list(read_cases(path))


def test_a_file_that_is_not_parquet_is_an_error(tmp_path):
    path = tmp_path / "cases.parquet"
    path.write_text("question\nq\n")
    with pytest.raises(DatasetError, match="cannot be read as Parquet"):
        list(read_cases(path))


def test_a_table_without_rows_is_an_error(tmp_path):
    path = write(tmp_path, pa.table({"id": pa.array([], pa.string())}))
    with pytest.raises(DatasetError, match="contains no cases"):
        list(read_cases(path))


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    path = write(tmp_path, pa.table({"id": ["a"]}))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError) as raised:
        list(read_cases(path, name="cases.parquet"))
    assert str(raised.value) == (
        f"cases.parquet: needs the `parquet` extra\n\nhint: {install_command('parquet')}"
    )
