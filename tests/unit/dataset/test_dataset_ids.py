"""Ids: explicit ones, those made from what was asked, and what happens when they meet."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.dataset import read_cases
from adjudge.dataset.ids import Ids, LineTable, derived_id


def ids(rows, **options):
    return [row.case_id for row in read_cases(rows, **options)]


def id_of(row, **options):
    return ids([row], **options)[0]


@pytest.mark.parametrize(
    ("value", "expected"), [("a", "a"), (7, "7"), (3.0, "3"), (2.5, "2.5"), (" a ", " a "), (0, "0")]
)
@pytest.mark.parametrize("name", ["id", "case_id"])
def test_the_rows_own_id_is_its_id(name, value, expected):
    assert id_of({name: value, "question": "q"}) == expected


@pytest.mark.parametrize("value", [None, "", "  ", float("nan")])
def test_a_blank_id_counts_as_absent(value):
    assert id_of({"id": value, "question": "q"}) == id_of({"question": "q"})


@pytest.mark.parametrize("value", [True, [1], {"a": 1}])
def test_an_id_of_another_type_is_a_bad_row(value):
    (bad,) = read_cases([{"id": value, "question": "q"}])
    assert bad.found.startswith("an id that is ")
    assert bad.wanted == "text or a number"


def test_an_absent_id_is_16_hexadecimal_digits_of_what_was_asked():
    assert id_of({"question": "q"}) == "9896cd290376017b"
    assert derived_id({}, {"question": "q", "reference": "r", "context": ["c"]}) == "2f78a93908544d87"


ASKED = {"question": "q", "reference": ["r"], "context": {"k": [1]}}


@pytest.mark.parametrize(
    "more",
    [
        {"response": "x"},
        {"answer": "x", "output": "y"},
        {"tool_calls": []},
        {"label": 1},
        {"annotators": ["a"]},
        {"metadata": {"run": 2}},
        {"anything": "else"},
        {"id": ""},
    ],
)
def test_what_was_answered_and_graded_does_not_change_the_id(more):
    assert id_of({**ASKED, **more}) == id_of(ASKED)


@pytest.mark.parametrize(
    "other", [{"question": "p"}, {"reference": ["s"]}, {"reference": "r"}, {"context": {"k": [2]}}]
)
def test_what_was_asked_changes_the_id(other):
    assert id_of({**ASKED, **other}) != id_of(ASKED)


@pytest.mark.parametrize(
    "same",
    [
        {"context": {"k": [1]}, "expected": ["r"], "user_input": "q"},
        {"question": "q", "reference": ["r"], "parameters": {"k": [1]}},
        {"question": "q", "reference": ["r"], "context": {"k": [1.0], "filled": None}},
        {**ASKED, "input": "an alias beside the canonical column"},
    ],
)
def test_names_order_and_the_formats_habits_do_not_change_the_id(same):
    assert id_of(same) == id_of(ASKED)


def test_a_contested_field_counts_with_all_its_columns():
    base = {"input": "a", "query": "b", "reference": "r"}
    assert id_of(base) != id_of({**base, "query": "c"})
    assert id_of(base) != id_of({**base, "input": "c"})
    assert id_of(base, maps={"question": "query"}) == id_of({"question": "b", "reference": "r"})


def test_a_mapped_input_counts_as_what_it_stands_for():
    assert id_of({"gold": "r", "question": "q"}, maps={"expected_output": "gold"}) == id_of(
        {"reference": "r", "question": "q"}
    )


def test_without_question_reference_and_context_the_other_columns_count():
    row = {"topic": "t", "response": "x", "label": 1}
    assert id_of(row) == id_of({"topic": "t", "output": "y", "metadata": {"a": 1}})
    assert id_of(row) != id_of({**row, "topic": "u"})
    item = {"item": {"input": "q"}, "sample": {"output_text": "x"}}
    assert id_of(item) == id_of({**item, "sample": {"output_text": "y"}})


def test_with_nothing_else_the_whole_row_counts():
    assert id_of({"response": "x"}) != id_of({"response": "y"})
    assert len(id_of({})) == 16


def test_rows_that_ask_the_same_are_numbered_in_file_order():
    row = {"question": "q"}
    base = id_of(row)
    assert ids([row, {"question": "p"}, {**row, "response": "x"}, row]) == [
        base,
        id_of({"question": "p"}),
        f"{base}-2",
        f"{base}-3",
    ]


def test_an_explicit_id_twice_is_a_bad_row_that_names_both_lines(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "x": 1}\n{"id": "b"}\n\n{"case_id": "a", "x": 2}\n{"id": "c"}\n')
    rows = list(read_cases(path, name="cases.jsonl"))
    assert [row.case_id for row in rows] == ["a", "b", "line-4", "c"]
    assert (
        rows[2].message == "cases.jsonl line 4: found the id 'a' again, first on line 1; wanted each id once"
    )


def test_a_derived_id_steps_around_an_explicit_one():
    base = id_of({"question": "q"})
    assert ids([{"id": base}, {"id": f"{base}-2"}, {"question": "q"}]) == [base, f"{base}-2", f"{base}-3"]


def test_an_explicit_id_that_was_already_given_out_is_a_bad_row():
    base = id_of({"question": "q"})
    given, taken = read_cases([{"question": "q"}, {"id": base}])
    assert given.case_id == base
    assert taken.found == f"the id '{base}' again, first on line 1"


def test_a_bad_rows_id_is_its_own_too():
    assert ids([{"id": "line-2"}, 7, {"id": "x"}]) == ["line-2", "line-2-2", "x"]


def test_a_number_like_id_and_its_text_are_one_id():
    assert ids([{"id": 1}, {"id": "1"}]) == ["1", "line-2"]


def test_many_rows_that_ask_the_same_do_not_search_from_the_start():
    given = Ids()
    assert [given.next_free("a", line) for line in range(20_000)][-1] == "a-20000"


ROWS = [
    {"question": "What is 2+2?", "response": "4", "reference": "4", "context": ["sums", "tables"]},
    {"question": "Grüße, \n“two” lines", "response": "x", "reference": "", "context": "plain, text"},
    {"question": "n?", "response": "3", "reference": 7, "context": {"a": [1, 2.5], "b": None}},
    {"question": "n?", "response": "other", "reference": 7.0, "context": {"a": [1, 2.5]}},
    {"question": "no context", "response": "", "reference": 0.25, "context": None},
]


def test_the_same_rows_have_the_same_ids_in_every_format(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    expected = ids(ROWS)
    assert expected[3] == f"{expected[2]}-2"

    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "c.json").write_text(json.dumps(ROWS, indent=1))
    with (tmp_path / "c.csv").open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(ROWS[0])
        for row in ROWS:
            context = row["context"]
            cell = context if context is None or isinstance(context, str) else json.dumps(context)
            # As spreadsheets write a number: without the point when there is nothing behind it.
            reference = int(row["reference"]) if row["reference"] == 7 else row["reference"]
            writer.writerow([row["question"], row["response"], reference, cell])
    for name in ("c.jsonl", "c.json", "c.csv"):
        assert ids(tmp_path / name) == expected

    numbers = [row for row in ROWS if isinstance(row["context"], dict)]
    pq.write_table(pa.Table.from_pylist(numbers), tmp_path / "c.parquet")
    assert ids(tmp_path / "c.parquet") == ids(numbers)
    texts = [{**row, "context": ["c"], "reference": str(row["reference"])} for row in ROWS]
    pq.write_table(pa.Table.from_pylist(texts), tmp_path / "c.parquet")
    assert ids(tmp_path / "c.parquet") == ids(texts)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=400))
def test_the_table_of_lines_is_a_dict_that_keeps_the_first(keys):
    table, wanted = LineTable(size=2), {}
    for line, key in enumerate(keys, start=1):
        known = wanted.get(key or 1)
        assert table.put(key, line) == known
        wanted.setdefault(key or 1, line)
