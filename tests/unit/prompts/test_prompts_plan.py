"""Inputs filled by a plan, made once for cases with the same columns, are those that the rules find in each case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError
from adjudge.fields import canonical_field, strip_namespace
from adjudge.prompts import fill
from adjudge.prompts.fill import Bindings, fill_by_rules, fill_inputs
from adjudge.records import Case, Input

NAMES = [
    "question",
    "Question",
    "input",
    "query",
    "response",
    "output",
    "answer",
    "reference",
    "expected",
    "context",
    "parameters",
    "tool_calls",
    "current_date",
    "history",
    "transcript",
    "responses",
    "response_a",
    "label",
    "metadata",
    "item",
    "sample",
    "item.input",
    "reference.text",
    "other",
    "Other",
]
ASKED = [
    *NAMES,
    "item.query",
    "item.other",
    "sample.output",
    "metadata.system",
    "item.metadata.system",
    "conversation",
    "PARAMETERS",
]
TEXTS = st.sampled_from(["", "  ", "\n", "a", "Paris", "today"])
LEAVES = TEXTS | st.none() | st.booleans() | st.integers(0, 3) | st.just(2.5)
VALUES = (
    LEAVES
    | st.lists(LEAVES, max_size=3)
    | st.dictionaries(st.sampled_from(["text", "system", "input", "query"]), LEAVES, max_size=2)
)
ROWS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=7)
SETTINGS = st.dictionaries(st.sampled_from(ASKED), st.sampled_from([*ASKED, "today", "nowhere"]), max_size=2)


@st.composite
def inputs(draw):
    names = draw(st.lists(st.sampled_from(ASKED), min_size=1, max_size=4))
    return tuple(
        Input(
            name=name,
            required=draw(st.booleans()),
            source=draw(
                st.sampled_from([canonical_field(name) or strip_namespace(name), "transcript", "parameters"])
            )
            if draw(st.integers(0, 5)) == 0
            else canonical_field(name) or strip_namespace(name),
            default=draw(st.sampled_from([None, None, "today", "some", ""])),
        )
        for name in names
    )


def told(make, *arguments):
    """What comes back, with the order of its keys, or the error in its own words."""
    try:
        filled = make(*arguments)
    except DatasetError as error:
        return str(error)
    return (
        [*filled.values.items()],
        [*filled.fields.items()],
        filled.missing,
        filled.notes,
        repr(filled),  # tells 1 from True
    )


@given(st.lists(ROWS, min_size=1, max_size=4), inputs(), SETTINGS, SETTINGS, st.booleans())
def test_a_plan_fills_what_the_rules_find(rows, asked, maps, sets, noted):
    bindings = Bindings(maps=maps, sets=sets, current_date="2026-01-02")
    for row in [*rows, *rows]:  # the second time all plans are there
        for case in read_cases([row], maps=maps):
            assert isinstance(case, Case)
            notes = {"question": "cut"} if noted else {}
            with_null = Case(case_id="c", columns=row, fields=case.fields, noted=notes)
            for each in (case, with_null):
                by_plan = told(fill_inputs, asked, each, bindings)
                assert by_plan == told(fill_by_rules, asked, each, bindings)


def test_cases_with_the_same_columns_are_filled_by_one_plan():
    asked = (Input(name="question", required=True, source="question"),)
    bindings = Bindings(current_date="2026-01-02")
    rows = [{"input": f"What is {number}?", "response": "r"} for number in range(3)]
    cases = list(read_cases(rows))
    assert [fill_inputs(asked, case, bindings).values["question"] for case in cases] == [
        row["input"] for row in rows
    ]
    plans = {id(fill._plan_for(asked, case, bindings)): case for case in cases}
    assert len(plans) == 1
    assert fill._plan_for(asked, cases[0], bindings) is not None


def test_other_bindings_and_other_inputs_have_plans_of_their_own():
    case = next(iter(read_cases([{"question": "q", "gold": "g", "reference": "r"}])))
    asked = (Input(name="reference", required=True, source="reference"),)
    plain, mapped = (Bindings(maps=maps, current_date="2026-01-02") for maps in ({}, {"reference": "gold"}))
    assert fill_inputs(asked, case, plain).values == {"reference": "r"}
    assert fill_inputs(asked, case, mapped).values == {"reference": "g"}
    other = (Input(name="question", required=True, source="question"),)
    assert fill_inputs(other, case, plain).values == {"question": "q"}


def test_parameters_are_a_new_object_for_each_case_and_the_same_for_prompt_and_scorer():
    asked = (Input(name="parameters", required=True, source="parameters"),)
    bindings = Bindings(current_date="2026-01-02")
    one, two = (
        fill_inputs(asked, case, bindings) for case in read_cases([{"question": "1"}, {"question": "2"}])
    )
    assert one.values["parameters"] is one.fields["parameters"]
    assert (one.values["parameters"], two.values["parameters"]) == ({"question": "1"}, {"question": "2"})


def test_no_more_plans_are_kept_than_a_few():
    asked = (Input(name="question", required=False, source="question"),)
    bindings = Bindings(current_date="2026-01-02")
    for case in read_cases([{f"column {number}": 1} for number in range(2 * fill.MOST_PLANS)]):
        assert fill_inputs(asked, case, bindings).values == {}
    assert len(fill._plans) <= fill.MOST_PLANS


@pytest.mark.parametrize("name", ["item.input", "question", "Input"])
def test_a_plan_says_where_columns_compete(name):
    rows = [{"input": "a", "query": "b"}, {"QUESTION": "a", "Question": "b", "INPUT": "c", "iNPUT": "d"}]
    asked = (Input(name=name, required=True, source="question"),)
    bindings = Bindings(current_date="2026-01-02")
    for case in read_cases(rows):
        assert told(fill_inputs, asked, case, bindings) == told(fill_by_rules, asked, case, bindings)
