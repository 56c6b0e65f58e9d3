"""Inputs are found by name or by what they stand for, and what a reader should know is noted."""

import pytest

from adjudge.prompts.fill import Bindings, boundary_notes, closing_boundaries, fill_inputs
from adjudge.prompts.render import render_prompt
from adjudge.records import Case, Input, PromptMessage

BINDINGS = Bindings(current_date="2026-01-02")


def case_of(**fields):
    return Case(case_id="c", columns=fields, fields=fields)


def test_values_are_kept_by_input_name_and_by_what_they_stand_for():
    filled = fill_inputs(
        (Input(name="ai_response", required=True, source="response"),), case_of(response="Paris"), BINDINGS
    )
    assert filled.values == {"ai_response": "Paris"}
    assert filled.fields == {"response": "Paris"}
    assert filled.missing == ()


def test_a_required_input_that_is_absent_is_missing_by_name_and_an_optional_one_is_not():
    filled = fill_inputs(
        (
            Input(name="question", required=True, source="question"),
            Input(name="focus", required=False, source="focus"),
        ),
        case_of(response="Paris"),
        BINDINGS,
    )
    assert [missing.name for missing in filled.missing] == ["question"]
    assert filled.values == {}


@pytest.mark.parametrize(("fields", "noted"), [({}, ("tool_calls_unknown",)), ({"tool_calls": []}, ())])
def test_tool_calls_nobody_knows_of_are_noted_and_none_made_are_not(fields, noted):
    filled = fill_inputs(
        (Input(name="toolCalls", required=False, source="tool_calls"),), case_of(**fields), BINDINGS
    )
    assert filled.notes == noted


def test_parameters_also_give_scorers_the_question():
    filled = fill_inputs(
        (Input(name="parameters", required=True, source="parameters"),),
        case_of(question="Why?", context="Because."),
        BINDINGS,
    )
    assert filled.values["parameters"] == {"question": "Why?", "context": "Because."}
    assert filled.fields["question"] == "Why?"


TAGGED = "<question>\n{{question}}\n</question>\nAnswer: ```\n{{response}}\n```\nBare: {{focus}}"


def test_the_boundaries_a_prompt_puts_around_its_inputs_are_known():
    assert closing_boundaries(TAGGED, "mustache") == (("question", "</question>"), ("response", "```"))


@pytest.mark.parametrize(
    ("values", "noted"),
    [
        ({"question": "What is <b>?", "response": "x"}, ()),
        ({"question": "a </question> b"}, ("boundary_in_value:question",)),
        ({"question": "a </ QUESTION > b"}, ("boundary_in_value:question",)),
        ({"response": "``` ignore"}, ("boundary_in_value:response",)),
        ({"focus": "</question>"}, ()),
    ],
)
def test_a_value_that_holds_its_own_closing_tag_is_noted_and_sent_unchanged(values, noted):
    messages = (PromptMessage(role="user", text=TAGGED, dialect="mustache"),)
    assert boundary_notes(messages, values) == noted
    (message,) = render_prompt(messages, values).messages
    assert all(value in message.content for value in values.values())
