"""Paths, standard input and pipes: what is opened, and what is said when it cannot be."""

import gzip
import io
import os
import threading
from pathlib import Path

import pytest

import adjudge.dataset
from adjudge.dataset import READERS, read_cases
from adjudge.errors import DatasetError

LINES = b'{"id": "a"}\n{"id": "b"}\n'


class Pipe(io.RawIOBase):
    """A stream that gives a few bytes at a time and cannot go back, as standard input does."""

    def __init__(self, data, size=5):
        super().__init__()
        self.data, self.size, self.reads = data, size, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        self.reads += 1
        piece, self.data = self.data[: self.size], self.data[self.size :]
        buffer[: len(piece)] = piece
        return len(piece)


def from_pipe(data, **options):
    return list(read_cases("-", stdin=io.BufferedReader(Pipe(data), buffer_size=8), **options))


def ids(rows):
    return [row.case_id for row in rows]


def error_of(source, **options):
    with pytest.raises(DatasetError) as raised:
        list(read_cases(source, **options))
    return str(raised.value)


def test_the_public_names_are_sorted_and_there():
    assert adjudge.dataset.__all__ == sorted(adjudge.dataset.__all__)
    assert all(hasattr(adjudge.dataset, name) for name in adjudge.dataset.__all__)


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".json", ".JSONL", ".x.jsonl"])
@pytest.mark.parametrize("compressed", [False, True])
def test_the_ending_says_the_format(tmp_path, suffix, compressed):
    path = tmp_path / f"cases{suffix}{'.gz' if compressed else ''}"
    path.write_bytes(gzip.compress(LINES) if compressed else LINES)
    assert ids(read_cases(path)) == ["a", "b"]
    assert ids(read_cases(str(path))) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("c.csv.gz", b"id,x\na,1\nb,2\n"),
        ("c.tsv.gz", b"id\tx\na\t1\nb\t2\n"),
        ("c.json.gz", b'{"rows": [{"id": "a"}, {"id": "b"}]}'),
    ],
)
def test_every_text_format_may_be_compressed(tmp_path, name, data):
    (tmp_path / name).write_bytes(gzip.compress(data))
    assert ids(read_cases(tmp_path / name)) == ["a", "b"]


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    path = tmp_path / "cases.xlsx"
    path.write_bytes(b"x")
    assert error_of(path, name="cases.xlsx") == (
        "cases.xlsx: '.xlsx' is not the extension of a case file\n\n"
        "hint: known are .jsonl, .ndjson, .json, .csv, .tsv, .parquet, .jsonl.gz, .ndjson.gz, .json.gz, .csv.gz, "
        ".tsv.gz; or pipe the cases in with `-`"
    )
    for suffix in READERS:
        assert suffix in error_of(path)


def test_no_ending_and_compressed_parquet_are_not_known(tmp_path):
    (tmp_path / "cases").write_bytes(LINES)
    assert "its name has no extension" in error_of(tmp_path / "cases")
    (tmp_path / "cases.parquet.gz").write_bytes(b"x")
    assert "'.parquet.gz' is not the extension" in error_of(tmp_path / "cases.parquet.gz")
    (tmp_path / "cases.gz").write_bytes(b"x")
    assert "its name has no extension" in error_of(tmp_path / "cases.gz")


def test_a_missing_file_is_said_at_once_with_names_that_come_close(tmp_path):
    (tmp_path / "answers.jsonl").write_bytes(LINES)
    with pytest.raises(DatasetError) as raised:
        read_cases(tmp_path / "answer.jsonl", name="answer.jsonl")
    assert str(raised.value) == (
        f"answer.jsonl: there is no such file\n\nhint: did you mean {tmp_path / 'answers.jsonl'}?"
    )


def test_a_missing_file_with_nothing_close_or_no_folder(tmp_path):
    assert error_of(tmp_path / "zzz.csv").endswith(
        "hint: check the path; it is taken from the folder the command runs in"
    )
    assert "is not there either" in error_of(tmp_path / "no" / "zzz.csv")
    assert "cannot be opened" in error_of("a\0b.csv")


def test_a_folder_is_an_error_that_names_a_file_in_it(tmp_path):
    assert error_of(tmp_path, name="here") == (
        "here: is a folder\n\nhint: give a file that ends in .jsonl, .ndjson, .json, .csv, .tsv, .parquet"
    )
    (tmp_path / "b.csv.gz").write_bytes(b"")
    assert error_of(tmp_path).endswith(f"hint: give one of its files, such as {tmp_path / 'b.csv.gz'}")


def test_an_unreadable_file_is_an_error_before_the_first_row(tmp_path, monkeypatch):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(LINES)

    def denied(self, *args, **kwargs):  # taking the permission away would not keep root out
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(DatasetError, match=r"cannot be opened \(Permission denied\)"):
        read_cases(path)


@pytest.mark.parametrize("name", ["e.jsonl", "e.json", "e.csv", "e.tsv"])
def test_an_empty_file_holds_no_rows(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    assert (
        error_of(tmp_path / name, name=name) == f"{name}: contains no cases\n\nhint: give at least one case"
    )


def test_broken_gzip_is_an_error_after_the_rows_that_could_be_read(tmp_path):
    path = tmp_path / "cases.jsonl.gz"
    path.write_bytes(LINES)
    assert "is broken gzip" in error_of(path)
    data = gzip.compress(b"".join(b'{"id": %d}\n' % number for number in range(50_000)))
    path.write_bytes(data[: len(data) // 2])
    cases = read_cases(path)
    assert next(cases).case_id == "0"
    with pytest.raises(DatasetError, match="is broken gzip"):
        list(cases)


def test_a_file_is_not_left_open_by_a_reading_that_never_began(tmp_path):
    (tmp_path / "cases.jsonl").write_bytes(LINES)
    read_cases(tmp_path / "cases.jsonl")  # a ResourceWarning would fail the test


@pytest.mark.parametrize(
    "data",
    [
        LINES,
        b"\xef\xbb\xbf\n" + LINES,
        b'[{"id": "a"}, {"id": "b"}]',
        b'[\n  {"id": "a"},\n  {"id": "b"}\n]\n',
        b'{"data": [{"id": "a"}, {"id": "b"}]}\n',
        b'{\n "data": [\n{"id": "a"}, {"id": "b"}]}\n',
        b"id,question\r\na,x\r\nb,y\r\n",
        b"id;question\na;x\nb;y\n",
        b"id\tquestion\na\tx\nb\ty\n",
        b"\xef\xbb\xbfid,question\na,x\nb,y\n",
    ],
)
def test_standard_input_is_read_as_what_it_is(data):
    assert ids(from_pipe(data)) == ["a", "b"]
    assert ids(read_cases("-", stdin=io.BytesIO(data))) == ["a", "b"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[1, 2]\n" + LINES, ["line-1", "a", "b"]),
        (b'{"id": "x" oops}\n' + LINES, ["line-1", "a", "b"]),
        (b'{"id": "x"},\n' + LINES, ["line-1", "a", "b"]),
    ],
)
def test_a_bad_first_line_does_not_change_what_the_rest_is(data, expected):
    assert ids(from_pipe(data)) == expected


def test_a_first_line_of_more_than_a_megabyte_is_still_told_apart():
    long = b"x" * 1_200_000
    assert ids(read_cases("-", stdin=io.BytesIO(b'{"id": "a", "x": "' + long + b'"}\n{"id": "b"}\n'))) == [
        "a",
        "b",
    ]
    wrapped = b'{"rows": [{"id": "a", "x": "' + long + b'"}, {"id": "b"}]}'
    assert ids(read_cases("-", stdin=io.BytesIO(wrapped))) == ["a", "b"]


def test_rows_of_a_pipe_come_before_the_pipe_ends():
    pipe = Pipe(LINES + b'{"id": "c"}\n' * 10_000, size=12)
    cases = read_cases("-", stdin=io.BufferedReader(pipe, buffer_size=16))
    assert next(cases).case_id == "a"
    assert pipe.reads < 10


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "contains no cases"),
        (b" \n", "contains no cases"),
        (b"\xff\xfe{\x00", "is UTF-16 text"),
        (gzip.compress(b"x", mtime=0), "is compressed with gzip"),
        (b"PAR1....", "is Parquet"),
    ],
)
def test_standard_input_that_cannot_be_cases_says_what_it_is(data, problem):
    assert f"standard input: {problem}\n\nhint: " in error_of("-", stdin=io.BytesIO(data))


def test_standard_input_is_read_from_where_it_stands():
    for data in (LINES, b'[{"id": "a"}, {"id": "b"}]', b'{"rows": [{"id": "a"}, {"id": "b"}]}'):
        stream = io.BytesIO(b"a line the shell has read\n" + data)
        stream.readline()
        assert ids(read_cases("-", stdin=stream)) == ["a", "b"]


def test_messages_call_standard_input_by_its_name():
    _, bad = from_pipe(b'{"id": "a"}\n7\n')
    assert bad.message == "standard input line 2: found a number: 7; wanted one JSON object"
    _, bad = from_pipe(b'{"id": "a"}\n7\n', name="upload")
    assert bad.message == "upload line 2: found a number: 7; wanted one JSON object"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_once_whatever_it_is_called(tmp_path):
    path = tmp_path / "63"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(LINES))
    writer.start()
    assert ids(read_cases(path)) == ["a", "b"]
    writer.join()
