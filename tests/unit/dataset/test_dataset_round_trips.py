"""Whatever is written in a format comes back as the same case, absent values aside."""

import csv
import io
import json
import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.dataset import read_cases

FLOATS = st.floats(allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
NAMES = st.text(min_size=1).filter(lambda name: name not in {"id", "case_id"})
ROWS = st.lists(st.dictionaries(NAMES, JSON, max_size=5), min_size=1, max_size=4)


def present(value):
    """As a reader sees it: NaN is null, and a null column is no column."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, list):
        return [present(item) for item in value]
    if isinstance(value, dict):
        return {key: present(item) for key, item in value.items()}
    return value


def columns(row):
    return {name: value for name, value in present(row).items() if value is not None}


def read(text, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"cases{suffix}"
        path.write_bytes(text)
        return [case.columns for case in read_cases(path)]


@given(ROWS, st.booleans(), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_json_lines(rows, escaped, end):
    text = "".join(json.dumps(row, ensure_ascii=escaped) + end for row in rows)
    assert read(text.encode(), ".jsonl") == [columns(row) for row in rows]


@given(ROWS, st.booleans(), st.sampled_from([None, 2]))
def test_json_arrays(rows, escaped, indent):
    text = json.dumps(rows, ensure_ascii=escaped, indent=indent).encode()
    assert read(text, ".json") == [columns(row) for row in rows]
    wrapped = b'{"rows": ' + text + b"}"
    if any(rows[:1]):
        assert [case.columns for case in read_cases("-", stdin=io.BytesIO(wrapped))] == [
            columns(row) for row in rows
        ]


@given(ROWS)
def test_python_rows(rows):
    assert [case.columns for case in read_cases(rows)] == [columns(row) for row in rows]


def test_a_csv_name_that_resumes_over_the_line_does_not_choose_the_delimiter():
    assert read(b'";\n0","b"\n"1","2"\n', ".csv") == [{";\n0": "1", "b": "2"}]


# csv.writer quotes a lone carriage return only from Python 3.13 on; quoting everything is the same on all.
@given(
    st.lists(
        st.text().map(str.strip).filter(lambda name: name not in {"", "id", "case_id", "metadata"}),
        min_size=2,
        max_size=5,
        unique=True,
    ),
    st.data(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_csv_with_text_cells_and_json_cells(names, data, end):
    cells = st.fixed_dictionaries(
        {**dict.fromkeys(names, st.text()), "metadata": st.dictionaries(st.text(), JSON, max_size=3)}
    )
    rows = data.draw(st.lists(cells, min_size=1, max_size=4))
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerow([*names, "metadata"])
    for row in rows:
        writer.writerow([*(row[name] for name in names), json.dumps(row["metadata"])])
    expected = [
        {
            name: present(value)
            for name, value in row.items()
            if value != "" and (name == "metadata" or not is_json_column(name))
        }
        for row in rows
    ]
    found = [
        {name: value for name, value in row.items() if name == "metadata" or not is_json_column(name)}
        for row in read(out.getvalue().encode(), ".csv")
    ]
    assert found == expected


def is_json_column(name):
    return name in {"context", "tool_calls", "messages", "parameters", "metadata"}


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "question": st.none() | st.text(),
                "n": st.none() | st.integers(-(2**63), 2**63 - 1),
                "x": st.none() | FLOATS,
                "yes": st.none() | st.booleans(),
                "reference": st.none() | st.lists(st.text(), max_size=3),
                "tool_calls": st.none()
                | st.lists(
                    st.fixed_dictionaries({"name": st.text(), "n": st.none() | st.integers(0, 9)}), max_size=2
                ),
            }
        ),
        min_size=1,
        max_size=4,
    )
)
def test_parquet(rows):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    calls = pa.list_(pa.struct([("name", pa.string()), ("n", pa.int64())]))
    schema = pa.schema(
        [
            ("question", pa.string()),
            ("n", pa.int64()),
            ("x", pa.float64()),
            ("yes", pa.bool_()),
            ("reference", pa.list_(pa.string())),
            ("tool_calls", calls),
        ]
    )
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), out)
    assert read(out.getvalue(), ".parquet") == [columns(row) for row in rows]
