"""A plan says what is wrong before the first call."""

import pytest

from adjudge.errors import InputError, JudgeFileError, SettingsError
from adjudge.judges import parse_judge
from adjudge.options import RunOptions
from adjudge.runs.plan import current_date, make_plan


def test_no_judge_is_an_error_that_says_what_to_type():
    with pytest.raises(SettingsError, match="--judge correctness"):
        make_plan([])


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        ({"jobs": 0}, "--jobs"),
        ({"jobs": 5000}, "--jobs"),
        ({"repeat": 0}, "--repeat"),
        ({"repeat": "auto"}, "--repeat"),
        ({"repeat": True}, "--repeat"),
        ({"first": 0}, "--first"),
        ({"sample": -1}, "--sample"),
        ({"first": 2, "sample": 2}, "--first and --sample"),
    ],
)
def test_numbers_out_of_range_are_named(numbers, named):
    with pytest.raises(SettingsError) as caught:
        make_plan(["correctness"], RunOptions(**numbers))
    assert caught.value.where == named


def test_a_judge_whose_reply_could_not_be_read_is_run_all_the_same():
    judge = parse_judge("Say something nice about {{response}}.", name="nice")
    assert make_plan([judge]).judges == (judge,)


def test_a_pass_rule_needs_a_score():
    with pytest.raises(JudgeFileError, match="needs a score"):
        make_plan(
            [parse_judge("Which is it? Answer only `red` or `blue`.\n{{response}}", name="colour")],
            RunOptions(passes="score >= 1"),
        )


def test_two_judges_of_one_name_are_an_error():
    with pytest.raises(InputError, match="two are called `correctness`"):
        make_plan(["correctness", "correctness"])


def test_a_map_for_an_input_nobody_has_is_an_error_with_a_suggestion():
    with pytest.raises(SettingsError, match="did you mean"):
        make_plan(["correctness"], RunOptions(columns={"refrence": "gold"}))


def test_a_prompt_with_a_filter_of_its_framework_is_run_with_its_input_as_it_is_unless_strict():
    judge = parse_judge("Rate {{ history | as_turns }} from 1 to 5.\nScore: <1-5>", name="turns")
    assert judge.unread == ("filter `as_turns` is not known here: its input is written as it is",)
    assert make_plan([judge]).judges == (judge,)
    with pytest.raises(JudgeFileError, match="a guess was made about inputs"):
        make_plan([judge], RunOptions(strict=True))


def placing(placeholder, dialect=""):
    head = f"---\ndialect: {dialect}\n---\n" if dialect else ""
    text = f"Does it fit?\n<a>{placeholder}</a><c>{placeholder.replace('response', 'criteria')}</c>\nScore: <1-5>"
    return parse_judge(head + text, name="fits")


@pytest.mark.parametrize(
    ("placeholder", "dialect", "value", "held"),
    [
        ("{{response}}", "", "Compare with {{response}}.", "{{response}}"),
        ("{{response}}", "", "Compare with {{ response }}.", "{{ response }}"),
        ("{{response}}", "", "Compare with {{Response}}.", "{{Response}}"),
        ("{{ response | trim }}", "jinja", "Compare with {{ response | trim }}.", "{{ response | trim }}"),
        ("{{.response}}", "go", "Compare with {{ .response }}.", "{{ .response }}"),
        ("{response}", "python", "Compare with {response}.", "{response}"),
        ("${response}", "shell", "Compare with ${response}.", "${response}"),
    ],
)
def test_a_value_with_a_placeholder_for_an_input_is_refused(placeholder, dialect, value, held):
    with pytest.raises(SettingsError) as caught:
        make_plan([placing(placeholder, dialect)], RunOptions(variables={"criteria": value}))
    assert str(caught.value).startswith(
        f"--variables: the value of `--variables criteria` holds `{held}`, and values are not templates"
    )


@pytest.mark.parametrize(
    "value", ["{{other}}", '{"response": 1}', "{{", "{{}}", "a {response} b", "\\frac{a}{b}"]
)
def test_other_braces_in_a_value_are_sent_as_they_are(value):
    plan = make_plan([placing("{{response}}")], RunOptions(variables={"criteria": value}))
    assert plan.settings.bindings.sets == {"criteria": value}


def test_temperature_is_zero_alone_and_the_providers_own_with_repeats():
    assert make_plan(["correctness"]).settings.temperature == 0.0
    assert make_plan(["correctness"], RunOptions(repeat=3)).settings.temperature is None
    assert make_plan(["correctness"], RunOptions(repeat=3, temperature=0.7)).settings.temperature == 0.7


def test_another_pass_rule_makes_another_judge():
    one, other = make_plan(["relevance"]), make_plan(["relevance"], RunOptions(passes="score >= 4"))
    assert one.judges[0].hash != other.judges[0].hash
    assert other.judges[0].passes == "score >= 4"


@pytest.mark.parametrize(
    ("sets", "environ", "day", "source"),
    [
        (
            {"current_date": "2020-02-03"},
            {"ADJUDGE_CURRENT_DATE": "2021-01-01"},
            "2020-02-03",
            "--variables current_date",
        ),
        ({}, {"ADJUDGE_CURRENT_DATE": "2021-01-01"}, "2021-01-01", "ADJUDGE_CURRENT_DATE"),
    ],
)
def test_the_current_date_is_said_with_who_said_it(sets, environ, day, source):
    found = current_date(sets, environ)
    assert (found.day, found.source) == (day, source)


def test_a_date_that_is_none_is_an_error():
    with pytest.raises(SettingsError, match="YYYY-MM-DD"):
        current_date({"current_date": "tomorrow"}, {})


def test_without_a_word_it_is_today_and_saying_today_renews_it():
    assert current_date({}, {}).source == "today, UTC"
    assert current_date({"current_date": "today"}, {}).source == "--variables current_date=today"
