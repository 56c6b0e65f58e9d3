"""JSON documents: arrays, objects around them, single objects; read element by element."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.dataset import read_cases
from adjudge.dataset.window import Window
from adjudge.errors import DatasetError
from adjudge.records import BadRow, Case

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def read(tmp_path, text, **options):
    path = tmp_path / "cases.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_cases(path, name="cases.json", **options))


def short(rows):
    return [
        (row.case_id, row.place.line)
        if isinstance(row, Case)
        else (row.case_id, f"{row.found}; wanted {row.wanted}")
        for row in rows
    ]


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": "a"}, {"id": "b"}]',
        '\ufeff \n[{"id": "a"},{"id": "b"}]\n',
        '{"data": [{"id": "a"}, {"id": "b"}]}',
        '{"version": 3, "tags": ["x"], "cases": [{"id": "a"}, {"id": "b"}], "metadata": {"by": "us"}}',
        '{\n  "rows": [\n    {"id": "a"},\n    {"id": "b"}\n  ]\n}\n',
        '{"id": "a"}\n{"id": "b"}\n',
        '{\n"id": "a"\n}\n{\n"id": "b"\n}',
        '[{"id": "a"}, {"id": "b"},]',
    ],
)
def test_the_rows_are_found_in_every_shape(tmp_path, text):
    assert [row.case_id for row in read(tmp_path, text)] == ["a", "b"]


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "question": "q", "context": ["x", "y"]},
        {"id": "a", "question": "q", "tool_calls": [{"name": "f"}]},
        {"tool_calls": [{"name": "f"}], "id": "a"},
        {"id": "a", "docs": ["x"]},
        {"id": "a"},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_is_one_case_whatever_lists_it_holds(tmp_path, row, indent):
    (case,) = read(tmp_path, json.dumps(row, indent=indent))
    assert case.case_id == "a"
    assert case.columns == row


def test_two_lists_of_objects_are_not_chosen_between(tmp_path):
    with pytest.raises(DatasetError) as raised:
        read(tmp_path, '{"train": [{"id": 1}], "test": [{"id": 2}]}')
    assert str(raised.value) == (
        "cases.json: holds 2 lists of objects ('train', 'test') and does not say which are the cases\n\n"
        "hint: keep one list in the file, or write one case a line as .jsonl"
    )


def test_a_case_knows_the_line_it_begins_on(tmp_path):
    rows = read(tmp_path, '[\n  {"id": "a",\n   "x": "1\\n2"},\n\n  {"id": "b"},  {"id": "c"}\n]')
    assert short(rows) == [("a", 2), ("b", 5), ("c", 5)]


WANTED = "wanted one JSON object"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[{"id": "a"}, {"id": }, 7, "x", {"id": "b"}]',
            [
                ("a", 1),
                ("line-1", f"broken JSON (Expecting value at column 8) (element 2 of the array); {WANTED}"),
                ("line-1-2", f"a number: 7 (element 3 of the array); {WANTED}"),
                ("line-1-3", f"text: 'x' (element 4 of the array); {WANTED}"),
                ("b", 1),
            ],
        ),
        (
            '[{"id": "a"}\n{"id": "b"}, {"id": "c"}]',
            [
                ("a", 1),
                (
                    "line-2",
                    "no comma before it (element 2 of the array); wanted a comma between two elements",
                ),
                ("c", 2),
            ],
        ),
        (
            '[{"id": "a"},\n,{"id": "c"}]',
            [("a", 1), ("line-2", f"a comma with no element before it; {WANTED}"), ("c", 2)],
        ),
        (
            '[{"id": "a"}},\n{"id": "c"}]',
            [("a", 1), ("line-1", f"a stray }} (element 2 of the array); {WANTED}"), ("c", 2)],
        ),
        (
            '[{"id": "a"},\n{"id": "b", "x": "cut he',
            [
                ("a", 1),
                ("line-2", f"broken JSON (the file ends inside it) (element 2 of the array); {WANTED}"),
            ],
        ),
        (
            '[{"id": "a"},\n',
            [("a", 1), ("line-2", "the end of the file inside the array; wanted a closing ]")],
        ),
        (
            '{"rows": [{"id": "a"},\n',
            [("a", 1), ("line-2", "the end of the file inside the array; wanted a closing ]")],
        ),
        (
            '[{"id": "a"}]\n{"id": "b"}',
            [("a", 1), ("line-2", "text after the end of the JSON; wanted the end of the file")],
        ),
        (
            '{"id":\n"a"', [("line-1", f"broken JSON (the file ends inside it); {WANTED}")],
        ),
        (
            '{"id":\n}', [("line-1", f"broken JSON (Expecting value at line 2 column 1); {WANTED}")],
        ),
    ],
)  # fmt: skip
def test_what_is_broken_costs_only_itself(tmp_path, text, expected):
    assert short(read(tmp_path, text)) == expected


def test_bytes_that_are_not_utf8_cost_only_their_element(tmp_path):
    first, bad, last = read(tmp_path, b'[{"id": "a"}, {"id": "\xff"}, {"id": "c"}]')
    assert (first.case_id, last.case_id) == ("a", "c")
    assert bad.found == "bytes that are not UTF-8 (0xff at byte 9) (element 2 of the array)"


def test_an_id_given_twice_in_an_array_names_the_first_line_and_the_element(tmp_path):
    first, again = read(tmp_path, '[\n{"id": "a"},\n{"id": "a"}]')
    assert first.place.line == 2
    assert again.message == (
        "cases.json line 3: found the id 'a' again, first on line 2 (element 2 of the array); wanted each id once"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("question,answer\n1,2\n", "holds no JSON object or array: it begins 'question,answer\\n1,2\\n'"),
        ("", "contains no cases"),
        ("[]", "contains no cases"),
        (" \n ", "contains no cases"),
        (b"\xff\xfe[\x00]\x00", "is UTF-16 text"),
        (b"PK\x03\x04xxxx", "is a ZIP archive or a spreadsheet"),
    ],
)
def test_a_file_that_is_no_json_at_all_is_an_error(tmp_path, text, problem):
    with pytest.raises(DatasetError) as raised:
        read(tmp_path, text)
    assert raised.value.problem == problem


@given(st.lists(JSON, max_size=6), st.integers(1, 9), st.sampled_from([None, 1]), st.booleans())
def test_the_window_finds_every_value_whatever_the_chunks(values, chunk_bytes, indent, escaped):
    text = json.dumps(values, indent=indent, ensure_ascii=escaped).encode()
    window = Window(io.BytesIO(text), chunk_bytes=chunk_bytes)
    assert window.take() == ord("[")
    found = []
    while window.peek() != ord("]"):
        piece = window.value()
        assert piece.whole
        found.append(json.loads(piece.text))
        if window.peek() == ord(","):
            window.take()
    assert found == values
    window.take()
    assert window.line == 1 + text.count(b"\n")


@given(st.binary(max_size=60), st.integers(1, 5))
def test_no_bytes_at_all_make_the_reader_fail_or_loop(tail, chunk_bytes):
    for row in read_cases("-", stdin=io.BytesIO(b'[{"id": "first"}, ' + tail)):
        assert isinstance(row, Case | BadRow)
    window = Window(io.BytesIO(tail), chunk_bytes=chunk_bytes)
    window.value()


def test_a_megabyte_of_brackets_or_quotes_stays_linear(tmp_path):
    for hostile in ("[" * 1_000_000, '"' * 100_001, '"' + '\\"' * 500_000, "{" * 500_000 + "}" * 500_000):
        rows = read(tmp_path, '[{"id": "a"}, ' + hostile)
        assert rows[0].case_id == "a"
        assert all(isinstance(row, BadRow) for row in rows[1:])
