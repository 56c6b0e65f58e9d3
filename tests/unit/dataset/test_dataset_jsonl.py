"""JSON lines: what each line becomes."""

import json

import pytest

from adjudge.dataset import read_cases
from adjudge.dataset.count import count_rows
from adjudge.errors import DatasetError
from adjudge.records import BadRow, Case, Place

HALF_A_SMILE = '"\\ud83d"'


def read(tmp_path, text, **options):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_cases(path, **options))


def only(rows):
    assert len(rows) == 1
    return rows[0]


def test_a_line_is_a_case_with_its_columns_and_its_fields(tmp_path):
    row = '{"id": "a", "input": "2+2?", "answer": "4", "expected": ["4", "four"], "note": null, "extra": {"k": null}}'
    assert read(tmp_path, row) == [
        Case(
            case_id="a",
            columns={
                "id": "a",
                "input": "2+2?",
                "answer": "4",
                "expected": ["4", "four"],
                "extra": {"k": None},
            },
            fields={"id": "a", "question": "2+2?", "response": "4", "reference": ["4", "four"]},
            place=Place(file=str(tmp_path / "cases.jsonl"), line=1),
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        b'\xef\xbb\xbf{"id": "a"}\n\n{"id": "b"}',
        b'{"id": "a"}\r\n   \r\n{"id": "b"}\r\n',
        b'{"id": "a"}\n\t\n\xef\xbb\xbf{"id": "b"}\n',
    ],
    ids=["BOM", "CRLF", "a BOM in the middle"],
)
def test_marks_line_ends_and_blank_lines_are_not_content(tmp_path, text):
    cases = read(tmp_path, text)
    assert [(case.case_id, case.place.line) for case in cases] == [("a", 1), ("b", 3)]


@pytest.mark.parametrize(
    ("line", "found", "wanted"),
    [
        (
            '{"id": "x", "a" 1}',
            "broken JSON (Expecting ':' delimiter at column 17)",
            "one JSON object",
        ),
        ('{"a": 1} {"b": 2}', "broken JSON (Extra data at column 10)", "one JSON object"),
        ("[1, 2]", "an array: [1, 2]", "one JSON object"),
        ('"text\\u001b[31m"', "text: 'text\\x1b[31m'", "one JSON object"),
        ("42", "a number: 42", "one JSON object"),
        ("null", "null", "one JSON object"),
        ("true", "true", "one JSON object"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' twice in one object", "each key once"),
        ('{"a": {"b": 2, "b" : 3}}', "the key 'b' twice in one object", "each key once"),
        ('{"a": Infinity}', "Infinity in column 'a'", "a finite number"),
        ('{"a": [-1e999]}', "-Infinity in column 'a'", "a finite number"),
        (
            f'{{"a": {HALF_A_SMILE}}}',
            "half a character (the lone surrogate \\ud83d) in column 'a'",
            "whole Unicode characters; text cut in the middle of an emoji looks like this",
        ),
        (
            '{"\\udead": 1}',
            "half a character (the lone surrogate \\udead) in a column's name",
            "whole Unicode characters; text cut in the middle of an emoji looks like this",
        ),
        (
            b'{"a": "caf\xe9"}',
            "bytes that are not UTF-8 (0xe9 at byte 11)",
            "UTF-8 text: save the file as UTF-8",
        ),
        (
            '{"a": ' + "[" * 300 + "]" * 300 + "}",
            "a value nested more than 200 levels deep",
            "a shallower one",
        ),
        (
            '{"a": ' + "[" * 9000 + "]" * 9000 + "}",
            "a value nested more than 200 levels deep",
            "a shallower one",
        ),
        ('{"id": [1]}', "an id that is an array: [1]", "text or a number"),
    ],
)
def test_a_bad_line_says_what_was_found_and_wanted_and_the_rest_resumes(tmp_path, line, found, wanted):
    line = line if isinstance(line, bytes) else line.encode()
    first, bad, last = read(tmp_path, b'{"id": "before"}\n' + line + b'\n{"id": "after"}\n')
    place = Place(file=str(tmp_path / "cases.jsonl"), line=2)
    assert bad == BadRow(case_id="line-2", place=place, found=found, wanted=wanted)
    assert (first.case_id, last.case_id) == ("before", "after")


def test_strict_stops_at_the_first_bad_line_with_file_and_line(tmp_path):
    cases = read_cases(self_written(tmp_path), strict=True)
    assert next(cases).case_id == "a"
    with pytest.raises(DatasetError) as raised:
        next(cases)
    assert str(raised.value) == (
        f"{tmp_path / 'two.jsonl'} line 2: found a number: 7; wanted one JSON object\n\n"
        "hint: fix or drop the line, or leave out `--strict` to judge the rest"
    )


def self_written(tmp_path):
    path = tmp_path / "two.jsonl"
    path.write_text('{"id": "a"}\n7\n{"id": "b"}\n')
    return path


def test_nan_is_absent_as_a_column_and_null_inside_one(tmp_path):
    case = only(read(tmp_path, '{"id": "a", "answer": NaN, "context": [NaN, {"x": NaN}, 1.5]}'))
    assert case.columns == {"id": "a", "context": [None, {"x": None}, 1.5]}


def test_absent_is_not_empty(tmp_path):
    case = only(read(tmp_path, '{"id": "a", "response": "", "tool_calls": [], "context": null}'))
    assert case.columns == {"id": "a", "response": "", "tool_calls": []}
    assert case.fields == {"id": "a", "response": "", "tool_calls": []}


def test_whole_numbers_beyond_64_bits_keep_every_digit(tmp_path):
    case = only(read(tmp_path, '{"id": 123456789012345678901234567890, "answer": -98765432109876543210}'))
    assert case.case_id == "123456789012345678901234567890"
    assert case.columns["answer"] == -98765432109876543210


def test_a_number_of_more_digits_than_python_reads_is_a_bad_row(tmp_path):
    bad = only(read(tmp_path, '{"a": ' + "9" * 5000 + "}"))
    assert bad.found.startswith("a number that cannot be read (")
    assert len(bad.message) < 400


def test_nul_and_other_control_characters_may_stand_in_text(tmp_path):
    escaped, raw = read(tmp_path, b'{"a": "x\\u0000y"}\n{"a": "x\x00\x07y"}\n')
    assert escaped.columns == {"a": "x\0y"}
    assert raw.columns == {"a": "x\0\x07y"}


def test_text_that_looks_like_keys_is_text(tmp_path):
    value = '{"a": 1, "a": 2} "b" : "b":'
    assert only(read(tmp_path, json.dumps({"a": value}))).columns == {"a": value}


def test_line_separators_of_unicode_do_not_end_a_line(tmp_path):
    text = "one\u2028two\x85three\x0bfour"
    assert only(read(tmp_path, json.dumps({"a": text}, ensure_ascii=False))).columns == {"a": text}


def test_nested_tool_calls_come_through(tmp_path):
    calls = [{"function": {"name": "f", "arguments": {"x": [1, {"y": None}]}}}]
    assert only(read(tmp_path, json.dumps({"toolCalls": calls}))).fields == {"tool_calls": calls}


def test_a_field_of_50_megabytes_comes_through(tmp_path):
    value = '\\":é' * 10_000_000
    case = only(read(tmp_path, json.dumps({"id": "a", "response": value}, ensure_ascii=False)))
    assert case.fields["response"] == value


def test_a_hostile_value_is_cut_short_in_a_message(tmp_path):
    bad = only(read(tmp_path, json.dumps("\x1b]0;x\x07\u202e" + "A" * 5_000_000)))
    assert len(bad.message) < 300
    assert "\x1b" not in bad.message
    assert "\x07" not in bad.message
    assert "\u202e" not in bad.message


ROWS = [{"id": "a", "turns": [{"x": 1}]}, {"id": "b", "note": "[\n{"}]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2),
        "[\n" + ",\n".join(map(json.dumps, ROWS)) + "\n]\n",
        "[" + ",\n".join(map(json.dumps, ROWS)) + "]",
        json.dumps({"rows": ROWS}, indent=1),
        json.dumps({"id": "a", "question": "q"}, indent=2) + "\n" + json.dumps(ROWS[1], indent=2),
    ],
    ids=[
        "array",
        "pretty array",
        "array by line",
        "array ends lines",
        "object around an array",
        "pretty rows",
    ],
)
def test_a_json_document_under_a_jsonl_name_is_read_as_one(tmp_path, text):
    cases = read(tmp_path, text)
    assert [(type(case), case.case_id) for case in cases] == [(Case, "a"), (Case, "b")]
    assert count_rows(tmp_path / "cases.jsonl") is None  # its lines are not its rows


@pytest.mark.parametrize(
    "broken",
    ['{"id": "a", "question":', '{"id": "a", ', "[1, 2", '[{"id": "a"}', "[1, 2]", "text"],
)
def test_a_broken_first_line_costs_one_row(tmp_path, broken):
    rows = read(tmp_path, f'{broken}\n{{"id": "b"}}\n{{"id": "c"}}\n')
    assert [row.case_id for row in rows] == ["line-1", "b", "c"]


def test_a_first_line_that_is_an_object_is_a_row_whatever_it_holds(tmp_path):
    (case,) = read(tmp_path, json.dumps({"turns": [{"role": "user"}]}))
    assert case.columns == {"turns": [{"role": "user"}]}
    assert count_rows(tmp_path / "cases.jsonl") == 1
