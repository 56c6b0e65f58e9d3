"""Their columns to our fields: aliases, contests, and the person's `--columns`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.dataset import read_cases
from adjudge.fields import ALIASES, CANONICAL, strip_namespace


def only(row, **options):
    (case,) = read_cases([row], **options)
    return case


@pytest.mark.parametrize(
    ("field", "name"), [(field, name) for field, names in ALIASES.items() for name in (field, *names)]
)
def test_every_name_of_a_field_fills_it(field, name):
    case = only({name: "value", "other": 1})
    assert case.fields == {field: "value"}
    assert case.columns == {name: "value", "other": 1}
    assert case.contested == {}


def test_the_canonical_column_wins_over_aliases():
    case = only({"answer": "a", "output": "o", "response": "r"})
    assert case.fields == {"response": "r"}
    assert case.contested == {}


@pytest.mark.parametrize(
    ("row", "responses"),
    [
        ({"response_a": "A", "response_b": "B"}, ("A", "B")),
        ({"output_2": "B", "output_1": "A"}, ("A", "B")),
        ({"answer_A": "A", "completion_B": "B", "response": "R"}, ("A", "B")),
        ({"responses": ["A", "B", "C"]}, ("A", "B", "C")),
        ({"responses": ["A", "B"], "response_b": "own"}, ("A", "own")),
        ({"answer_a": None, "answer_b": "B"}, (None, "B")),
        ({"responses": [None, "", "C"]}, (None, "", "C")),
        ({"responses": [str(number) for number in range(9)]}, ()),
        ({"responses": 5}, ()),
        ({"response": "R"}, ()),
    ],
)
def test_several_responses_are_read_in_their_order(row, responses):
    case = only({"question": "q", **row})
    assert case.responses == responses
    assert case.fields.get("response") == row.get("response")
    assert case.case_id == only({"question": "q"}).case_id
    assert case.columns == {
        "question": "q",
        **{name: value for name, value in row.items() if value is not None},
    }


def test_a_map_names_one_of_several_responses_and_two_aliases_of_one_contest_it():
    case = only({"ours": "A", "theirs": "B"}, maps={"response_a": "ours", "response_b": "theirs"})
    assert case.responses == ("A", "B")
    case = only({"answer_a": "x", "output_1": "y", "responses": ["z", "B"]})
    assert case.contested == {"response_a": ("answer_a", "output_1")}
    assert case.responses == (None, "B")


def test_rows_that_differ_in_their_responses_only_have_one_id():
    first, second = (only({"system": "s", "output_1": text, "responses": [text]}) for text in "xy")
    assert first.case_id == second.case_id
    assert not first.answers_like(second)
    assert first.answers_like(only({"response_a": "x"}))


def test_two_aliases_contest_the_field_in_the_order_of_the_row():
    case = only({"output": "o", "question": "q", "answer": "a"})
    assert case.fields == {"question": "q"}
    assert case.contested == {"response": ("output", "answer")}


def test_an_absent_alias_does_not_contest():
    assert only({"output": None, "answer": "a"}).fields == {"response": "a"}


@pytest.mark.parametrize("name", ["response", "item.response", "sample.response"])
def test_a_map_of_the_canonical_field_decides(name):
    case = only({"output": "o", "answer": "a"}, maps={name: "answer"})
    assert case.fields == {"response": "a"}
    assert case.contested == {}


def test_a_map_wins_over_the_canonical_column_and_takes_any_column_or_path():
    row = {"response": "r", "mine": {"deep": "m"}}
    assert only(row, maps={"response": "mine.deep"}).fields == {"response": "m"}
    assert only({**row, "mine.deep": "flat"}, maps={"response": "mine.deep"}).fields == {"response": "flat"}


def test_a_map_to_a_column_that_is_not_there_leaves_the_field_absent():
    case = only({"response": "r", "output": "o"}, maps={"response": "answer"})
    assert case.fields == {}
    assert case.contested == {}


def test_a_map_of_a_judges_own_input_leaves_the_contest():
    assert only({"output": "o", "answer": "a"}, maps={"actualOutput": "answer"}).contested == {
        "response": ("output", "answer")
    }


def test_the_id_can_be_mapped():
    assert only({"qid": 7, "question": "q"}, maps={"id": "qid"}).case_id == "7"


def test_parameters_stand_for_context_only_when_nothing_else_does():
    assert only({"parameters": {"a": 1}}).fields == {"context": {"a": 1}}
    assert only({"parameters": {"a": 1}, "documents": ["d"]}).fields == {"context": ["d"]}
    assert only({"parameters": {"a": 1}, "context": None}).fields == {"context": {"a": 1}}
    contested = only({"parameters": 1, "documents": ["d"], "contexts": ["c"]})
    assert contested.contested == {"context": ("documents", "contexts")}


def test_references_are_never_split_and_other_types_are_kept():
    case = only({"reference": "a; b, c", "question": 4, "response": True})
    assert case.fields == {"reference": "a; b, c", "question": 4, "response": True}


NAMES = st.sampled_from(
    ["id", "question", "input", "query", "answer", "output", "context", "documents", "parameters", "other"]
)


def claimed(row, maps):
    """The rules, followed for one row: what fills each field, and what competes for it."""
    mapped = {
        strip_namespace(name): column for name, column in maps.items() if strip_namespace(name) in ALIASES
    }
    present = [name for name, value in row.items() if value is not None]
    names = {}
    for name in present:
        if name in CANONICAL:
            names.setdefault(CANONICAL[name], []).append(name)
    if "parameters" in present:
        names.setdefault("context", ["parameters"])
    free = {field: each for field, each in names.items() if field not in mapped}
    settled = {field: field if field in each else each[0] for field, each in free.items()}
    contested = {field: (*each,) for field, each in free.items() if field not in each and len(each) > 1}
    fields = [(field, row[name]) for field, name in settled.items() if field not in contested]
    return fields + [(field, row[name]) for field, name in mapped.items() if name in present], contested


@given(
    st.lists(
        st.dictionaries(NAMES, st.sampled_from(["a", "b", "", None]), max_size=6), min_size=1, max_size=4
    ),
    st.dictionaries(st.sampled_from(["question", "item.context", "response", "nothing"]), NAMES, max_size=2),
)
def test_rows_with_the_same_columns_and_with_others_each_have_their_own_fields(rows, maps):
    for row in rows:
        case = only(row, maps=maps)
        fields, contested = claimed(row, maps)
        assert [*case.fields.items()] == fields
        assert case.contested == contested
        assert case.columns == {name: value for name, value in row.items() if value is not None}
