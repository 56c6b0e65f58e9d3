"""CSV and TSV: header, cells, quoting, and cells that hold JSON."""

import csv

import pytest

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError
from adjudge.records import BadRow, Place


def read(tmp_path, text, suffix=".csv", **options):
    path = tmp_path / f"cases{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_cases(path, name="cases", **options))


def test_cells_are_text_and_empty_cells_are_absent(tmp_path):
    (case,) = read(tmp_path, "id,question,answer,reference\r\n7,2+2?,4,\r\n")
    assert case.case_id == "7"
    assert case.columns == {"id": "7", "question": "2+2?", "answer": "4"}
    assert case.fields == {"id": "7", "question": "2+2?", "response": "4"}


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".csv", "id,question\na,q; r\t\n"),
        (".csv", 'id;"the, question"\na;q\n'),
        (".csv", "id\tquestion\na\tq, r\n"),
        (".tsv", "id\tquestion\na\tq, r; s\n"),
        (".csv", "\ufeff\n\nid,question\na,q\n"),
        (".csv", " id , question \na,q\n"),
    ],
)
def test_the_delimiter_is_that_of_the_header(tmp_path, suffix, text):
    (case,) = read(tmp_path, text, suffix)
    assert case.case_id == "a"
    assert len(case.columns) == 2


def test_a_quoted_cell_may_hold_lines_and_rows_know_their_first_line(tmp_path):
    rows = read(tmp_path, 'id,answer\na,"one\r\ntwo\n\nthree ""quoted"""\nb,x\n\nc,y\n')
    assert [(row.case_id, row.place.line) for row in rows] == [("a", 2), ("b", 6), ("c", 8)]
    assert rows[0].columns["answer"] == 'one\r\ntwo\n\nthree "quoted"'


def test_short_and_long_rows_are_bad_and_the_rest_resumes(tmp_path):
    short, long, good = read(tmp_path, "a,b,c,d,e\n1,2,3,4\n1,2,3,4,5,6\n1,2,3,4,5\n")
    assert short == BadRow(
        case_id="line-2",
        place=Place(file="cases", line=2),
        found="4 cells",
        wanted="5 cells, as in the header",
    )
    assert (long.case_id, long.found) == ("line-3", "6 cells")
    assert good.columns == dict(zip("abcde", "12345", strict=True))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"a,b\nx,caf\xe9\nx,y\n", "bytes that are not UTF-8 in column 'b' (0xe9)"),
        (b'a,b\n"x"z,1\nx,y\n', "broken CSV (',' expected after '\""),
        (b"a,b\nx\rz,1\nx,y\n", "broken CSV (new-line character seen in unquoted field"),
    ],
)
def test_a_broken_row_costs_only_itself(tmp_path, text, found):
    bad, good = read(tmp_path, text)
    assert bad.found.startswith(found)
    assert bad.place.line == 2
    assert good.columns == {"a": "x", "b": "y"}


def test_a_quote_that_never_closes_does_not_pass_for_a_cell(tmp_path):
    first, bad = read(tmp_path, 'a,b\n1,2\n3,"4\n5,6\n7,8\n')
    assert first.columns == {"a": "1", "b": "2"}
    assert (bad.case_id, bad.found) == ("line-3", "broken CSV (the quote opened on line 3 is never closed)")


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        # the row begins on line 2, the quote that is never closed opens on line 4
        ('a,b\n"1\n""x"" 2\n3","4\n5,6\n', 2, "broken CSV (the quote opened on line 4 is never closed)"),
        # a quote inside a cell opens nothing
        ('a,b\n5" tall,x\n3,"4\n', 3, "broken CSV (the quote opened on line 3 is never closed)"),
        # the quote of another cell closes it
        (
            'a,b\n1,"two\n3,"four"\n',
            2,
            "broken CSV (',' expected after '\"'; the last quote opened on line 2)",
        ),
    ],
)
def test_a_quote_that_is_not_closed_is_named_by_the_line_on_which_it_opened(tmp_path, text, line, found):
    *_, bad = read(tmp_path, text)
    assert (bad.place.line, bad.found) == (line, found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b,a\n1,2,3\n", "the header has 'a' more than once"),
        ('a,"b\n', "the header is broken CSV (the quote opened on line 1 is never closed)"),
        (b"a,\xe9\n1,2\n", "the header is not UTF-8"),
        ("a,b\n", "contains no cases"),
        ("\n\n", "contains no cases"),
        (b"\xff\xfea\x00", "is UTF-16 text"),
    ],
)
def test_a_header_that_cannot_be_used_is_an_error(tmp_path, text, problem):
    with pytest.raises(DatasetError) as raised:
        read(tmp_path, text)
    assert raised.value.problem == problem


def test_an_unnamed_column_is_called_by_its_position(tmp_path):
    (case,) = read(tmp_path, ",question,\n0,q,\n")
    assert case.columns == {"column 1": "0", "question": "q"}


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('[{""name"": ""f"", ""arguments"": {""x"": 1}}]', [{"name": "f", "arguments": {"x": 1}}]),
        ("[]", []),
        ('{""a"": [1.5, null]}', {"a": [1.5, None]}),
        ('""text""', "text"),
        ("42", 42),
        ("1.50", "1.50"),
        ("1e3", "1e3"),
        ("plain words", "plain words"),
        ("[not JSON", "[not JSON"),
        ("[1, NaN]", [1, None]),
        ('{""a"": 1, ""a"": 2}', '{"a": 1, "a": 2}'),
        (" ", " "),
    ],
)
@pytest.mark.parametrize(
    "column", ["tool_calls", "toolCalls", "messages", "documents", "parameters", "metadata"]
)
def test_cells_of_json_fields_are_read_as_json_when_they_are_json(tmp_path, column, cell, value):
    (case,) = read(tmp_path, f'id,{column}\na,"{cell}"\n')
    assert case.columns[column] == value


def test_null_in_a_json_cell_is_absent(tmp_path):
    (case,) = read(tmp_path, "id,tool_calls\na,null\n")
    assert case.columns == {"id": "a"}


def test_cells_of_text_fields_stay_text(tmp_path):
    (case,) = read(tmp_path, 'question,reference,answer\n[1],"[""a""]",007\n')
    assert case.columns == {"question": "[1]", "reference": '["a"]', "answer": "007"}


def test_a_column_mapped_to_a_json_field_is_read_as_json(tmp_path):
    (case,) = read(tmp_path, 'id,found\na,"[""x""]"\n', maps={"retrieval_context": "found"})
    assert case.columns["found"] == ["x"]


def test_nul_bytes_are_text(tmp_path):
    (case,) = read(tmp_path, b"id,answer\na,x\x00y\n")
    assert case.columns["answer"] == "x\0y"


def test_a_field_of_50_megabytes_comes_through_and_the_limit_of_the_process_stays(tmp_path):
    limit = csv.field_size_limit()
    value = "word " * 10_000_000
    path = tmp_path / "cases.csv"
    path.write_text(f"id,answer\na,{value}\nb,x\n")
    cases = read_cases(path)
    assert next(cases).columns["answer"] == value
    assert csv.field_size_limit() == limit
    assert next(cases).case_id == "b"
