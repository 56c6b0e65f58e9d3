"""Python's format fields, its escapes, and the braces that are JSON, code or formulas."""

import pytest

from adjudge import templates


def names(text):
    return [reference.name for reference in templates.inputs(text, "python")]


def content(text, values=None):
    (message,) = templates.render(text, "python", values or {})
    return message.content


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{x}", {"x": "v"}, "v"),
        ("{x.y}", {"x": {"y": 1}}, "1"),
        ("{x[0]}", {"x": ["a"]}, "a"),
        ("{x[key]}", {"x": {"key": "k"}}, "k"),
        ("{x[0][name].z}", {"x": [{"name": {"z": 5}}]}, "5"),
        ("{item.input}", {"item.input": "i"}, "i"),
        ("{score:.2f}", {"score": 1}, "1.00"),
        ("{score:.2f}", {"score": "high"}, "high"),
        ("{score:>5}|", {"score": 1}, "    1|"),
        ("{n:,}", {"n": 12345}, "12,345"),
        ("{x!r}", {"x": "a"}, "'a'"),
        ("{x!s}", {"x": "a"}, "a"),
        ("{x:.3}", {"x": "abcdef"}, "abc"),
        ("[{x}{y:.2f}{z!r}]", {}, "[]"),
        ("{x}", {"x": {"a": [1]}}, '{"a": [1]}'),
        ("{x}", {"x": True}, "true"),
        ("{x}", {"x": "{y} {{z}}"}, "{y} {{z}}"),
        ('{{"score": 1}}', {}, '{"score": 1}'),
        ('{{"a": {{"b": {x}}}}}', {"x": 3}, '{"a": {"b": 3}}'),
        ('{{"a": {"b": 1}}}', {}, '{"a": {"b": 1}}'),
        ("{{{x}}}", {"x": 1}, "{1}"),
        ("{{x}}", {"x": 1}, "{x}"),
        ("\\frac{{a}}{{b}}", {}, "\\frac{a}{b}"),
        ('{"q": "{x}", "in": {"b": {x}}}', {"x": 1}, '{"q": "1", "in": {"b": 1}}'),
    ],
)
def test_fields_and_escapes(text, values, expected):
    assert content(text, values) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 1}',
        '{ "a": {"b": {"c": 1}}}',
        '{\n  "a": [{"b": 1}, {"c": {"d": 2}}]\n}',
        "{}",
        "{0-5}",
        "{1, 2}",
        "{a, b, c}",
        "{score: int, reason: str}",
        "{a:1}",
        "{ x }",
        "{yes|no}",
        "{'a': 1}",
        "function f() { return {a: 1}; }",
        "\\frac{a}{b} + \\text{score} + \\sqrt[3]{x} and x_{i}^{n}",
        "one } or { alone",
        "{x y}",
        "{x.}",
        "{…}",
        "{<score>}",
        "{x:99999999999}",
    ],
)
def test_braces_that_are_no_fields_are_left_alone(text):
    assert content(text) == text
    assert names(text) == []


def test_inputs_in_order_with_their_spans():
    text = 'Q {question}\nA {answer!r} {question} {{"score": {n:.1f}}} {parameters.query[0]}'
    assert names(text) == ["question", "answer", "n", "parameters"]
    question = templates.inputs(text, "python")[0]
    assert [text[start:end] for start, end in question.spans] == ["{question}", "{question}"]
    assert templates.inputs(text, "python")[-1].path == "parameters.query.0"


def test_attributes_of_python_objects_are_out_of_reach():
    assert content("{x.__class__.__mro__}{x.upper}", {"x": "v"}) == ""


def test_counted_places_are_named_from_the_label_before_them():
    text = "User query: {0}\nReply: {1}\nIs {1} fine? {2}"
    assert templates.detect(text) == "python"
    assert [reference.name for reference in templates.inputs(text, "python")] == [
        "user_query",
        "reply",
        "arg3",
    ]
    values = {"user_query": "q", "reply": "{0}", "arg3": "!"}
    assert templates.render(text, "python", values)[0].content == "User query: q\nReply: {0}\nIs {0} fine? !"


def test_empty_places_that_have_a_label_are_named_from_it():
    text = 'Question: {}\nResponse: """{}"""\nReply as {{"score": 1}}.'
    assert templates.detect(text) == "python"
    rendered = templates.render(text, "python", {"question": "{}", "response": "r"})
    assert rendered[0].content == 'Question: {}\nResponse: """r"""\nReply as {"score": 1}.'


@pytest.mark.parametrize(
    "text", ['"details": {}', "Question: {}\nor {} alone", "f() {}", "Question: {}\nNumber: {0}"]
)
def test_empty_braces_are_text_where_one_may_be_an_object(text):
    assert "{}" in templates.render(text, "python", {"question": "q", "number": "n"})[0].content


@pytest.mark.parametrize("written", ["{item[a b]}", "{item['a b']}", '{item["a b"]}'])
def test_a_member_may_stand_in_quotes(written):
    text = f"Answer: {written}"
    assert [reference.path for reference in templates.inputs(text, "python")] == ["item.a b"]
    assert templates.render(text, "python", {"item": {"a b": "{0}"}})[0].content == "Answer: {0}"


@pytest.mark.parametrize("text", ["a{3}b", "x_{0}", "only {1} and {2}", "\\d{0}", "{{0}}"])
def test_a_digit_in_braces_is_text_unless_places_are_counted_from_zero(text):
    assert templates.inputs(text, "python") == ()
