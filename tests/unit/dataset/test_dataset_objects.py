"""Python rows and DataFrames."""

from dataclasses import dataclass

import pytest

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError
from adjudge.records import BadRow, Case, Place


def test_dicts_are_rows_known_by_their_number():
    cases = list(read_cases([{"id": 1, "question": "q"}, {"input": "r", "answer": None}]))
    assert cases[0] == Case(
        case_id="1",
        columns={"id": 1, "question": "q"},
        fields={"id": 1, "question": "q"},
        place=Place(file="cases", line=1),
    )
    assert cases[1].fields == {"question": "r"}


def test_a_generator_is_read_as_it_is_asked_for():
    given = []

    def rows():
        for number in range(3):
            given.append(number)
            yield {"id": number}

    cases = read_cases(rows())
    assert given == []
    assert next(cases).case_id == "0"
    assert given == [0]


def test_one_dict_is_one_case():
    assert [case.case_id for case in read_cases({"id": "a", "question": "q"})] == ["a"]


def test_a_dict_with_a_value_that_is_no_list_is_one_case():
    (case,) = read_cases({"question": "q", "context": ["a", "b"], "reference": ("x", "y")})
    assert case.columns == {"question": "q", "context": ["a", "b"], "reference": ["x", "y"]}


def test_a_dict_of_columns_is_as_many_cases():
    np, pd, pa = (pytest.importorskip(name) for name in ("numpy", "pandas", "pyarrow"))
    columns = {
        "id": ["a", "b"],
        "question": pd.Series(["q", None], index=[7, 3]),
        "n": np.array([1, 2]),
        "vectors": np.array([[1.0, 2.0], [3.0, 4.0]]),
        "context": [["x"], ["y", "z"]],
        "response": pa.array(["r", None]),
        "focus": PolarsSeries(),
    }
    first, second = read_cases(columns)
    assert first.columns == {
        "id": "a",
        "question": "q",
        "n": 1,
        "vectors": [1.0, 2.0],
        "context": ["x"],
        "response": "r",
        "focus": "f",
    }
    assert second.columns == {"id": "b", "n": 2, "vectors": [3.0, 4.0], "context": ["y", "z"], "focus": "g"}


class PolarsSeries:
    """The part of polars' Series that is used: it is not a Sequence, and has no `ndim`."""

    def __len__(self):
        return 2

    def __iter__(self):
        return iter("fg")

    def to_list(self):
        raise AssertionError("a column is not copied")


def test_a_numpy_value_that_is_no_array_is_not_a_column():
    np = pytest.importorskip("numpy")
    (case,) = read_cases({"question": np.str_("text"), "n": np.array(3)})
    assert case.columns == {"question": "text", "n": 3}


def test_columns_of_unequal_length_are_named_with_their_lengths():
    with pytest.raises(DatasetError) as raised:
        list(read_cases({"question": ["a", "b", "c"], "response": ["x", "y"]}))
    assert str(raised.value) == (
        "cases: the columns differ in length: 'question' has 3, 'response' has 2\n\n"
        "hint: give each column one value per case; one case whose values are lists goes into a list: `[case]`"
    )


def test_cases_and_bad_rows_pass_through():
    case = Case(case_id="a", columns={"x": 1}, fields={})
    bad = BadRow(case_id="line-9", place=Place(file="f", line=9), found="x", wanted="y")
    assert list(read_cases([case, bad])) == [case, bad]
    first, again = read_cases([case, case])
    assert first is case
    assert again.message == "cases line 2: found the id 'a' again, first on line 1; wanted each id once"


@dataclass
class Record:
    id: str
    question: str


class Model:
    """As pydantic's models and the SDKs' tool calls are."""

    def model_dump(self):
        return {"id": "m", "question": "q"}


def test_records_are_rows_too():
    assert [case.columns for case in read_cases([Record(id="d", question="q"), Model()])] == [
        {"id": "d", "question": "q"},
        {"id": "m", "question": "q"},
    ]


@pytest.mark.parametrize(
    ("row", "found", "wanted"),
    [
        ("text", "text: 'text'", "a dict of columns"),
        ([1], "an array: [1]", "a dict of columns"),
        (None, "null", "a dict of columns"),
        (object(), "a Python object", "a JSON value"),
        ({"x": object()}, "a Python object in column 'x'", "a JSON value"),
        ({"x": {1, 2}}, "a Python set in column 'x'", "a JSON value"),
        ({"x": [float("-inf")]}, "-Infinity in column 'x'", "a finite number"),
        ({"x": dict}, "a Python type in column 'x'", "a JSON value"),
    ],
)
def test_a_row_without_a_json_form_is_bad_and_the_rest_resumes(row, found, wanted):
    bad, good = read_cases([row, {"id": "b"}])
    assert (bad.case_id, bad.found, bad.wanted) == ("line-1", found, wanted)
    assert good.case_id == "b"


def test_a_pandas_frame_is_rows_with_its_gaps_absent():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "id": [3, None],
            "question": ["q", None],
            "n": pd.array([1, None], dtype="Int64"),
            "at": pd.to_datetime(["2026-01-02", None]),
            "calls": [[{"name": "f"}], []],
        }
    )
    first, second = read_cases(frame)
    assert first.case_id == "3"
    assert first.columns == {
        "id": 3.0,
        "question": "q",
        "n": 1,
        "at": "2026-01-02T00:00:00",
        "calls": [{"name": "f"}],
    }
    assert second.columns == {"calls": []}


def test_a_named_index_of_a_pandas_frame_is_the_id():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"question": ["q", "r"]}, index=pd.Index(["a", "b"], name="id"))
    assert [case.case_id for case in read_cases(frame)] == ["a", "b"]
    frame.index.name = "qid"
    found = list(read_cases(frame))
    assert [case.case_id for case in found] == ["a", "b"]
    assert found[0].columns == {"qid": "a", "question": "q", "id": "a"}
    frame.index = pd.Index(["x", "x"], name="topic")  # no id: a column
    assert [case.columns for case in read_cases(frame)] == [
        {"topic": "x", "question": "q"},
        {"topic": "x", "question": "r"},
    ]
    frame.index = pd.Index(["a", "b"])  # without a name it is a row's number, or what is left of a filter
    assert [case.columns for case in read_cases(frame)] == [{"question": "q"}, {"question": "r"}]
    pairs = pd.MultiIndex.from_tuples([("x", 1), ("x", 2)], names=["topic", "turn"])
    assert next(iter(read_cases(frame.set_index(pairs)))).columns == {
        "topic": "x",
        "turn": 1,
        "question": "q",
    }


def test_floats_of_32_bits_are_what_was_written():
    np, pd, pa, pl = (pytest.importorskip(name) for name in ("numpy", "pandas", "pyarrow", "polars"))
    values = np.array([0.1, 3.4028235e38, 1 / 3, -2.5, 16777216, 1e-45], dtype=np.float32)
    written = [float(str(value)) for value in values]
    sources = [
        pd.DataFrame({"x": values}),
        pl.DataFrame({"x": values}),
        pa.table({"x": values}),
        {"x": values},
        [{"x": value} for value in values],
    ]
    for source in sources:
        assert [case.columns["x"] for case in read_cases(source)] == written
    (case,) = read_cases([{"x": values}])
    assert case.columns["x"] == written


def test_every_form_of_arrow_is_rows(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    table = pa.table({"id": ["a", "b"], "question": ["q", "r"]})
    pq.write_table(table, tmp_path / "cases.parquet")
    (batch,) = table.to_batches()
    for source in (table, batch, table.to_reader(), ds.dataset(tmp_path / "cases.parquet")):
        assert [(case.case_id, case.columns["question"]) for case in read_cases(source)] == [
            ("a", "q"),
            ("b", "r"),
        ]


def test_a_dict_of_datasets_asks_for_one_of_them():
    pa, pd = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    columns = {"question": ["q"]}
    for make in (pa.table, pd.DataFrame):  # Hugging Face's DatasetDict is such a dict
        with pytest.raises(DatasetError, match=r"holds several datasets \('train', 'test'\)"):
            list(read_cases({"train": make(columns), "test": make(columns)}))


def test_numpy_values_become_json():
    np = pytest.importorskip("numpy")
    row = {
        "a": np.int64(3),
        "b": np.float32(0.5),
        "c": np.array([[1, 2]]),
        "d": np.bool_(True),
        "e": np.str_("x"),
    }
    (case,) = read_cases([{**row, "f": np.float64("nan")}])
    assert case.columns == {"a": 3, "b": 0.5, "c": [[1, 2]], "d": True, "e": "x"}
    assert [type(value) for value in case.columns.values()] == [int, float, list, bool, str]


def test_a_frame_with_two_columns_of_one_name_is_an_error():
    pd = pytest.importorskip("pandas")
    with pytest.raises(DatasetError, match="has the column 'a' more than once"):
        list(read_cases(pd.DataFrame([[1, 2]], columns=["a", "a"])))


class PolarsLike:
    """The part of polars' DataFrame that is used."""

    columns = ("id", "question")

    def iter_rows(self):
        return iter([("a", "q"), ("b", None)])

    def __iter__(self):
        raise AssertionError("would give columns")


def test_a_polars_frame_is_rows():
    assert [case.columns for case in read_cases(PolarsLike())] == [{"id": "a", "question": "q"}, {"id": "b"}]


def test_an_arrow_table_is_rows():
    pa = pytest.importorskip("pyarrow")
    cases = list(read_cases(pa.table({"id": ["a", "b"], "question": ["q", None]})))
    assert [case.columns for case in cases] == [{"id": "a", "question": "q"}, {"id": "b"}]


@pytest.mark.parametrize("source", [b'{"id": 1}', 42, None])
def test_other_things_are_no_source_of_cases(source):
    with pytest.raises(DatasetError, match="cases cannot be read from a Python"):
        list(read_cases(source))


def test_no_rows_are_an_error():
    with pytest.raises(DatasetError, match="contains no cases"):
        list(read_cases([]))
