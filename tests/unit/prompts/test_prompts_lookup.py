"""Where a judge's input finds its value in a case, in which order, and what is said when it does not."""

import pytest

from adjudge.dataset import read_cases
from adjudge.errors import DatasetError
from adjudge.fields import ALIASES, CANONICAL, canonical_field, strip_namespace
from adjudge.prompts.lookup import Found, Missing, look_up, suggest_columns, unknown_maps
from adjudge.records import Case, Input, Place


def case_of(columns, contested=()):
    """A case as the dataset reader makes it, the contested fields named by hand."""
    fields = {CANONICAL[name]: value for name, value in columns.items() if name in CANONICAL}
    fields |= {name: columns[name] for name in ALIASES if name in columns}
    contests = {field: tuple(name for name in columns if CANONICAL.get(name) == field) for field in contested}
    return Case(
        case_id="a",
        columns=columns,
        fields={name: value for name, value in fields.items() if name not in contests},
        contested=contests,
        place=Place(file="cases.jsonl", line=7),
    )


def find(columns, name, *, contested=(), maps=None, sets=None, **about):
    item = Input(
        name=name,
        required=about.get("required", True),
        source=about.get("source", canonical_field(name) or strip_namespace(name)),
        default=about.get("default"),
    )
    case = columns if isinstance(columns, Case) else case_of(columns, contested)
    return look_up(case, item, maps=maps or {}, sets=sets or {}, current_date="2026-05-04")


EVERYTHING = {"ai_response": "own column", "response": "canonical", "other": "mapped", "third": "third"}


@pytest.mark.parametrize(
    ("columns", "maps", "sets", "value"),
    [
        (EVERYTHING, {"ai_response": "other"}, {"ai_response": "set"}, "mapped"),
        (EVERYTHING, {}, {"ai_response": "set"}, "set"),
        (EVERYTHING, {}, {}, "own column"),
        ({"response": "canonical", "other": "x"}, {}, {}, "canonical"),
        ({"output": "alias", "other": "x"}, {}, {}, "alias"),
        (EVERYTHING, {"response": "other"}, {}, "mapped"),
        (EVERYTHING, {}, {"response": "set"}, "set"),
        (EVERYTHING, {"response": "third", "ai_response": "other"}, {}, "mapped"),
        (EVERYTHING, {"response": "third"}, {"ai_response": "set"}, "set"),
    ],
)
def test_what_the_person_said_goes_before_the_column_and_that_before_what_it_stands_for(
    columns, maps, sets, value
):
    assert find(columns, "ai_response", maps=maps, sets=sets) == Found(value=value)


def test_a_canonical_map_serves_every_input_that_the_field_fills():
    columns = {"answer": "a", "output": "o"}
    for name in ("actualOutput", "item.output_text", "response", "sample.answer"):
        assert find(columns, name, contested=["response"], maps={"response": "answer"}) == Found(value="a")


@pytest.mark.parametrize("written", ["item.input", "input", "question"])
def test_an_input_may_be_written_with_its_prefix_without_it_or_by_its_field(written):
    columns = {"input": "i", "mine": "m"}
    assert find(columns, "item.input", maps={written: "mine"}) == Found(value="m")
    assert find(columns, "item.input", sets={written: "s"}) == Found(value="s")


@pytest.mark.parametrize("name", ["response_b", "item.response_b", "answer_b", "output_2", "completion_B"])
@pytest.mark.parametrize(
    "row",
    [{"response_a": "A", "response_b": "B"}, {"output_1": "A", "output_2": "B"}, {"responses": ["A", "B"]}],
)
def test_one_of_several_responses_is_found_by_any_of_its_names(row, name):
    (case,) = read_cases([row])
    assert look_up_source(case, name) == Found(value="B")
    assert look_up_source(case, "responses") == Found(value=["A", "B"])
    assert look_up_source(case, "response_c") == Missing(name="response_c", why="absent")
    assert look_up_source(case, "response") == Missing(name="response", why="absent")


def look_up_source(case, name):
    item = Input(name=name, required=True, source=canonical_field(name))
    return look_up(case, item, maps={}, sets={}, current_date="2026-05-04")


def test_a_map_may_lead_into_an_object():
    assert find({"mine": {"deep": ["m"]}}, "answer", maps={"answer": "mine.deep.0"}) == Found(value="m")


@pytest.mark.parametrize("required", [True, False])
def test_a_map_to_a_column_the_case_does_not_have_is_missing_and_says_so(required):
    found = find({"answer": "a"}, "answer", maps={"answer": "anwser"}, required=required)
    assert found == Missing(name="answer", why="absent", column="anwser")
    assert found.message == (
        "`answer` is absent: `--columns` takes it from `anwser`, which the case does not have"
    )


@pytest.mark.parametrize(
    ("columns", "name", "value"),
    [
        ({"input": "i"}, "item.input", "i"),
        ({"output_text": "o"}, "sample.output_text", "o"),
        ({"question": "q"}, "item.input", "q"),
        ({"item": {"input": "inside"}, "input": "outside"}, "item.input", "inside"),
        ({"sample": {"out": {"text": "deep"}}}, "sample.out.text", "deep"),
        ({"item": "a text", "input": "i"}, "item.input", "i"),
        ({"item.input": "flat", "input": "i"}, "item.input", "flat"),
        ({"metadata": {"topic": "t"}}, "metadata.topic", "t"),
        ({"item": {"input": {"text": "t"}}}, "item.input.text", "t"),
        ({"input": {"text": "t"}}, "item.input.text", "t"),
        ({"messages": [{"content": "hi"}]}, "messages.0.content", "hi"),
        ({"expected": {"text": "t"}}, "reference.text", "t"),
        ({"a.b": 1, "a": {"b": 2}}, "a.b", 1),
        ({"x": False}, "x", False),
        ({"x": 0}, "x", 0),
        ({"x": []}, "x", []),
    ],
)
def test_names_lead_to_columns_and_into_objects(columns, name, value):
    assert find(columns, name) == Found(value=value)


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ({"item": {"input": "i"}, "question": "q", "reference": "r"}, "item.reference"),
        ({"item": {"input": None}, "input": "outside"}, "item.input"),
        ({"metadata": {"topic": "t"}}, "metadata.title"),
        ({"metadata": "text"}, "metadata.topic"),
        ({"messages": [{"content": "hi"}]}, "messages.1.content"),
        ({"messages": []}, "messages." + "9" * 6000),
        ({"question": "q"}, "reference"),
        ({}, "anything"),
        ({"x": None}, "x"),
    ],
)
def test_a_name_that_leads_nowhere_is_absent(columns, name):
    found = find(columns, name)
    assert found == Missing(name=name, why="absent")
    assert found.message == f"`{name}` is absent"


def test_parameters_are_their_column_or_the_question_with_its_context():
    assert find({"parameters": {"k": 1}, "question": "q"}, "parameters") == Found(value={"k": 1})
    assert find({"input": "q", "documents": ["d"]}, "parameters") == Found(
        value={"question": "q", "context": ["d"]}
    )
    assert find({"question": "q"}, "parameters") == Found(value={"question": "q"})
    assert find({"context": "c", "question": " "}, "item.parameters") == Missing(name="question", why="blank")
    assert find({"response": "r"}, "parameters") == Missing(name="question", why="absent")


def test_the_parts_of_parameters_follow_maps_and_sets():
    columns = {"input": "a", "query": "b"}
    assert find(
        columns, "parameters", contested=["question"], maps={"question": "query"}, sets={"context": "c"}
    ) == Found(value={"question": "b", "context": "c"})
    assert find(columns, "parameters", sets={"parameters": "p"}) == Found(value="p")


@pytest.mark.parametrize("name", ["response", "actualOutput", "item.output_text"])
def test_a_contested_field_that_is_reached_names_the_place_the_columns_and_the_map(name):
    with pytest.raises(DatasetError) as raised:
        find({"answer": "a", "output": "o"}, name, contested=["response"])
    assert str(raised.value) == (
        "cases.jsonl line 7: `answer` and `output` could each be the response\n\n"
        "hint: say which: `--columns response=answer` or `--columns response=output`"
    )


def test_a_contested_field_that_is_not_reached_is_no_error():
    columns = {"answer": "a", "output": "o", "question": "q"}
    assert find(columns, "output", contested=["response"]) == Found(value="o")
    assert find(columns, "question", contested=["response"]) == Found(value="q")
    assert find(columns, "response", contested=["response"], sets={"response": "s"}) == Found(value="s")


@pytest.mark.parametrize(
    ("columns", "name", "value"),
    [
        ({"question": "q"}, "Question", "q"),
        ({"Question": "q"}, "question", "q"),
        ({"question": "q", "Question": "Q"}, "Question", "Q"),
        ({"QUESTION": "Q", "Question": "q"}, "Question", "q"),
        ({"answer": "a", "response": "r"}, "Answer", "a"),
        ({"gold": "g"}, "item.Gold", "g"),
        ({"Gold Answer": "g"}, "gold answer", "g"),
    ],
)
def test_a_column_in_another_case_serves_where_none_has_the_very_name(columns, name, value):
    assert find(columns, name) == Found(value=value)


def test_an_absent_value_under_the_very_name_is_not_looked_for_in_another_case():
    assert find({"Question": None, "question": "q"}, "Question", source="Question") == Missing(
        name="Question", why="absent"
    )


def test_two_columns_that_differ_by_case_alone_are_an_error_that_names_both():
    with pytest.raises(DatasetError) as raised:
        find({"GOLD": "a", "gold": "o"}, "Gold")
    assert str(raised.value) == (
        "cases.jsonl line 7: `GOLD` and `gold` could each be `Gold`\n\n"
        "hint: say which: `--columns Gold=GOLD` or `--columns Gold=gold`"
    )
    assert find({"GOLD": "a", "gold": "o"}, "Gold", maps={"Gold": "gold"}) == Found(value="o")


def test_a_contest_without_a_place_names_the_case():
    case = Case(
        case_id="x",
        columns={"answer": 1, "output": 2},
        fields={},
        contested={"response": ("answer", "output")},
    )
    with pytest.raises(DatasetError, match=r"^case 'x': `answer` and `output`"):
        find(case, "response")


@pytest.mark.parametrize("value", ["", " \n\t", [], ["", " "], [None, " "], "\u3000"])
@pytest.mark.parametrize("name", ["question", "user_input", "expected_output", "item.reference"])
def test_a_blank_question_or_reference_is_missing(name, value):
    found = find({strip_namespace(name): value}, name)
    assert found == Missing(name=name, why="blank")
    assert found.message == f"`{name}` is blank"
    assert find({"mine": value}, name, maps={name: "mine"}) == Missing(name=name, why="blank")


@pytest.mark.parametrize("value", ["x", ["", "x"], 0, False, {"a": ""}])
def test_what_says_something_is_not_blank(value):
    assert find({"reference": value}, "reference") == Found(value=value)


@pytest.mark.parametrize("name", ["response", "answer", "context", "focus"])
def test_a_blank_response_is_an_answer(name):
    assert find({name: "  "}, name) == Found(value="  ")


@pytest.mark.parametrize("name", ["label", "annotators", "item.label"])
def test_a_label_reaches_a_prompt_that_names_it(name):
    assert find({"label": 1, "annotators": 1}, name) == Found(value=1)


@pytest.mark.parametrize("source", ["label", "annotators"])
def test_a_label_reaches_no_other_input(source):
    found = find({"label": 1, "annotators": 1}, "hint", source=source)
    assert found == Missing(name="hint", why="absent")


@pytest.mark.parametrize(
    ("columns", "sets", "value"),
    [
        ({"current_date": "2020-01-01"}, {"current_date": "2021-01-01"}, "2020-01-01"),
        ({}, {"current_date": "2021-01-01"}, "2021-01-01"),
        ({}, {"current_date": "today"}, "2026-05-04"),
        ({}, {}, "2026-05-04"),
    ],
)
@pytest.mark.parametrize("default", ["today", None])
@pytest.mark.parametrize("name", ["current_date", "item.current_date"])
def test_the_date_is_the_cases_then_the_persons_then_the_runs(columns, sets, value, default, name):
    assert find(columns, name, sets=sets, default=default) == Found(value=value)


def test_the_date_may_be_mapped():
    assert find({"asked_on": "2019-01-01"}, "current_date", maps={"current_date": "asked_on"}) == Found(
        value="2019-01-01"
    )


def test_a_default_stands_in_for_what_is_absent_and_today_is_the_runs_date():
    assert find({}, "tone", default="formal") == Found(value="formal")
    assert find({"tone": "warm"}, "tone", default="formal") == Found(value="warm")
    assert find({}, "day", default="today") == Found(value="2026-05-04")
    assert find({}, "day", default="today", sets={"day": "today"}) == Found(value="2026-05-04")
    assert find({}, "day", sets={"day": "today"}) == Found(value="today")


def test_an_input_filled_from_another_field_or_column_finds_it():
    assert find({"response": "r"}, "text", source="response") == Found(value="r")
    assert find({"notes": {"first": "n"}}, "text", source="notes.first") == Found(value="n")


INPUTS = [
    Input(name="item.input", required=True, source="question"),
    Input(name="actualOutput", required=True, source="response"),
    Input(name="tone", required=False, source="tone"),
]


def test_maps_and_sets_that_something_answers_to_are_fine():
    maps = dict.fromkeys(
        ["item.input", "input", "question", "actualOutput", "response", "id", "metadata"], "c"
    )
    assert unknown_maps(INPUTS, maps, {"tone": "x", "current_date": "today"}) == []


def test_maps_and_sets_that_nothing_answers_to_are_named_with_what_comes_close():
    assert unknown_maps(INPUTS, {"actualOuput": "a", "answer": "b", "zzz": "c"}, {"tune": "x"}) == [
        "`--columns actualOuput=a`: no judge here has an input `actualOuput`; did you mean `actualOutput`?",
        "`--columns answer=b`: no judge here has an input `answer`; did you mean `response`?",
        "`--columns zzz=c`: no judge here has an input `zzz`",
        "`--variables tune=x`: no judge here has an input `tune`; did you mean `tone`?",
    ]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (
            ["Ticket", "User Question", "Bot Answer", "Gold Answer"],
            {"question": "User Question", "response": "Bot Answer", "reference": "Gold Answer"},
        ),
        (["CorrectAnswer", "modelAnswer"], {"response": "modelAnswer", "reference": "CorrectAnswer"}),
        (["qestion", "respnse"], {"question": "qestion", "response": "respnse"}),
        (["gold_answer"], {"reference": "gold_answer"}),
        (["Category of the question asked", "x" * 500], {}),
    ],
)
def test_a_column_is_suggested_once_and_an_expected_answer_never_as_the_response(columns, found):
    case = case_of(dict.fromkeys(columns, "x"))
    assert suggest_columns(case, ["question", "response", "reference"]) == found
