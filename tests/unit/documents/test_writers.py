"""Rows to files: live, safe to open, and never over a file that a failed run should have left alone."""

import csv
import importlib
import io
import os
import sys
from pathlib import Path

import orjson
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.documents import parquet
from adjudge.documents.rows import FIELDS, result_row
from adjudge.documents.sinks import StreamSink
from adjudge.documents.writers import LineWriter, csv_cell, csv_row, json_line, open_writer
from adjudge.errors import MissingExtraError, SettingsError, StoreError
from adjudge.records import OUTCOME_KINDS

needs_full_disk = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs /dev/full, a disk that is always full"
)
SUFFIXES = (".jsonl", ".csv", ".parquet")


@pytest.fixture
def row(build):
    return result_row(
        build.judgement(build.scored(4.0, {"reason": "so", "score": 4}), reason="so, then"), "r"
    )


def names(folder):
    return [path.name for path in folder.iterdir()]


def write_and_interrupt(path, row):
    with open_writer(str(path)) as writer:
        writer.write(row)
        raise KeyboardInterrupt


def write_often(path, row, times):
    with open_writer(str(path)) as writer:
        for _ in range(times):
            writer.write(row)


def read_csv(path):
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode())))


# ---- forms -------------------------------------------------------------------------------------------------


def test_jsonl_holds_the_rows_as_they_are(tmp_path, row):
    path = tmp_path / "out.jsonl"
    with open_writer(str(path)) as writer:
        writer.write(row)
        writer.write(row)
    assert [orjson.loads(line) for line in path.read_bytes().splitlines()] == [row, row]


def test_csv_has_a_header_and_nested_values_as_json(tmp_path, row):
    path = tmp_path / "out.CSV"
    with open_writer(str(path)) as writer:
        writer.write(row)
    (read,) = read_csv(path)
    assert list(read) == list(FIELDS)
    assert orjson.loads(read["verdict"]) == row["verdict"]
    assert (read["score"], read["passed"], read["from_store"], read["reason"]) == (
        "4",
        "",
        "false",
        "so, then",
    )


def test_parquet_holds_typed_columns(tmp_path, row, build):
    path = tmp_path / "out.parquet"
    failed = result_row(build.judgement(build.failed("refused", "no", "policy")), "r")
    with open_writer(str(path)) as writer:
        writer.write(row)
        writer.write(failed)
    first, second = pyarrow.parquet.read_table(path).to_pylist()
    assert list(first) == list(FIELDS)
    assert orjson.loads(first.pop("verdict")) == row.pop("verdict")
    assert first == row
    assert second == failed
    assert names(tmp_path) == ["out.parquet"]


def test_parquet_is_written_in_groups_of_bounded_size(tmp_path, row, monkeypatch):
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 10)
    path = tmp_path / "out.parquet"
    with open_writer(str(path)) as writer:
        for _ in range(35):
            writer.write(row)
    file = pyarrow.parquet.ParquetFile(path)
    assert (file.metadata.num_rows, file.num_row_groups) == (35, 4)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_outcome_can_be_written(tmp_path, build, suffix):
    path = tmp_path / f"out{suffix}"
    with open_writer(str(path)) as writer:
        for kind in OUTCOME_KINDS:
            writer.write(result_row(build.judgement(build.outcome(kind)), "r"))
    if suffix == ".parquet":
        outcomes = pyarrow.parquet.read_table(path)["outcome"].to_pylist()
    elif suffix == ".csv":
        outcomes = [row["outcome"] for row in read_csv(path)]
    else:
        outcomes = [orjson.loads(line)["outcome"] for line in path.read_bytes().splitlines()]
    assert outcomes == list(OUTCOME_KINDS)


def test_a_dash_is_jsonl_on_standard_output_which_stays_open(row):
    stdout = io.BytesIO()
    with open_writer("-", stdout=stdout) as writer:
        writer.write(row)
    assert orjson.loads(stdout.getvalue()) == row


# ---- live, and careful with what was there ---------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_a_row_is_on_disk_as_soon_as_it_is_written(tmp_path, row, suffix):
    path = tmp_path / f"out{suffix}"
    writer = open_writer(str(path))
    writer.write(row)
    assert b"so, then" in path.read_bytes()
    writer.close()
    writer.close()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_old_file_stays_until_the_first_row_or_a_good_end(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), open_writer(str(path)):
        raise RuntimeError
    assert path.read_bytes() == b"old"
    with open_writer(str(path)):
        assert path.read_bytes() == b"old"
    assert path.read_bytes() != b"old"
    assert names(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_run_that_fails_before_its_first_row_leaves_no_file(tmp_path, suffix):
    with pytest.raises(KeyboardInterrupt), open_writer(str(tmp_path / f"out{suffix}")):
        raise KeyboardInterrupt
    assert names(tmp_path) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_interrupt_keeps_the_rows_that_came_before_it(tmp_path, row, suffix):
    path = tmp_path / f"out{suffix}"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_and_interrupt(path, row)
    if suffix == ".parquet":
        assert pyarrow.parquet.read_table(path).num_rows == 1
    else:
        assert b"so, then" in path.read_bytes()
        assert b"old" not in path.read_bytes()
    assert names(tmp_path) == [path.name]


# ---- what goes wrong -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "said"), [("out.xlsx", "`.xlsx` is not a row format"), ("out", "no suffix")]
)
def test_an_unknown_suffix_lists_those_there_are(path, said):
    with pytest.raises(SettingsError, match=said) as caught:
        open_writer(path)
    assert ".jsonl, .csv, .parquet" in caught.value.hint


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_folder_that_is_not_there_is_said_before_anything_is_asked(tmp_path, suffix):
    with pytest.raises(SettingsError, match="cannot be written: No such file or directory"):
        open_writer(str(tmp_path / "missing" / f"out{suffix}"))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_folder_in_the_place_of_the_file_is_said(tmp_path, suffix):
    (tmp_path / f"out{suffix}").mkdir()
    with pytest.raises(SettingsError, match="cannot be written"):
        open_writer(str(tmp_path / f"out{suffix}"))


@needs_full_disk
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_is_store_trouble(tmp_path, row, suffix):
    path = tmp_path / f"out{suffix}"
    (tmp_path / "out.parquet.part" if suffix == ".parquet" else path).symlink_to("/dev/full")
    with pytest.raises(StoreError, match="the disk is full"), open_writer(str(path)) as writer:
        writer.write(row)
    assert not (tmp_path / "out.parquet.part").is_symlink()


@needs_full_disk
def test_a_full_disk_in_the_middle_of_a_parquet_file_is_store_trouble_once(tmp_path, row, monkeypatch):
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 2)
    (tmp_path / "out.parquet.part").symlink_to("/dev/full")
    with pytest.raises(StoreError, match="the disk is full"):
        write_often(tmp_path / "out.parquet", row, 10)
    assert names(tmp_path) == []


@needs_full_disk
def test_a_disk_too_full_for_a_header_is_store_trouble(tmp_path):
    (tmp_path / "out.csv").symlink_to("/dev/full")
    with pytest.raises(StoreError, match="the disk is full"), open_writer(str(tmp_path / "out.csv")):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a Unix thing")
def test_half_a_row_does_not_stay(tmp_path, row):
    import resource
    import signal

    path = tmp_path / "out.jsonl"
    writer = open_writer(str(path))
    writer.write(row)
    size = path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
    try:
        with pytest.raises(StoreError, match="could not be written to"):
            writer.write(row)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    writer.abandon()
    assert path.stat().st_size == size


def test_a_closed_pipe_stays_what_it_is(row):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as pipe, pytest.raises(BrokenPipeError):
        StreamSink(pipe).append(json_line(row))


def test_parquet_without_its_extra_says_what_to_type(tmp_path, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[parquet\]"):
        open_writer(str(tmp_path / "out.parquet"))


# ---- spreadsheets and terminals ----------------------------------------------------------------------------------

FORMULAS = [
    "=1+1",
    "=cmd|'/C calc'!A0",
    '=HYPERLINK("http://x","y")',
    "+1+1",
    "-1+1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1,1)",
    "|calc",
    " |calc",
    "%0A=1+1",
    "\t%1",
    "｜calc",
    "％1",
    " =1+1",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "\n\n  =1+1",
    "\xa0=1+1",
    "\u3000=1+1",
    "\ufeff=1+1",
    "\u200b=1+1",
    "\x00=1+1",
    "\x1b=1+1",
    "\ttext",
    "\rtext",
    "\ntext",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    "-",
    "=",
    "-3.5 apples",
    "-1e5x",
    "+٣",
    "--1",
    "=" * 1_000_000,
    " " * 1_000_000 + "=1",
]


@pytest.mark.parametrize("text", FORMULAS, ids=range(len(FORMULAS)))
def test_no_cell_is_a_formula(text):
    assert csv_cell(text).startswith("'")


@pytest.mark.parametrize(
    "text",
    [
        "-3.5",
        "+1",
        "-1e5",
        "-.5",
        "1",
        "4.",
        "plain",
        "a=b",
        "a\n=b",
        "",
        "'=1",
        "{=1}",
        " plain",
        " " * 1_000_000,
    ],
)
def test_plain_text_and_plain_numbers_are_left_alone(text):
    assert csv_cell(text) == text


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (-3.5, "-3.5"),
        (-3, "-3"),
        (None, ""),
        (True, "true"),
        (["=1"], '["=1"]'),
        ({"a": "\x1b"}, '{"a":"\\u001b"}'),
    ],
)
def test_values_are_written_as_they_are(value, cell):
    assert csv_cell(value) == cell


@given(st.text())
def test_a_cell_never_begins_as_a_formula_or_holds_a_terminal_escape(text):
    cell = csv_cell(text)
    assert not any(ord(character) < 0x20 and character not in "\t\r\n" for character in cell)
    assert "\x9b" not in cell
    if cell.lstrip()[:1] in set("=+-@") and cell:
        float(cell)


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_csv_rows_come_back_cell_by_cell(build, texts):
    path_rows = [
        result_row(build.judgement(build.scored(1.0), case_id=text, reason=text), "r") for text in texts
    ]
    stdout = io.BytesIO()
    with LineWriter(StreamSink(stdout), csv_row) as writer:
        for row in path_rows:
            writer.write(row)
    read = list(csv.reader(io.StringIO(stdout.getvalue().decode(), newline="")))
    assert [line[1] for line in read] == [csv_cell(row["case_id"]) for row in path_rows]


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_jsonl_holds_no_control_character_and_reads_back_the_same(text):
    line = json_line({"reason": text})
    shown = line.decode()
    assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in shown[:-1])
    assert orjson.loads(line) == {"reason": text}
