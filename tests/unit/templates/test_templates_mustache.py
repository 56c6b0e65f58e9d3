"""Mustache: tags, sections, comments, and the braces that are text."""

import pytest

from adjudge import templates
from adjudge.errors import TemplateError


def content(text, values=None):
    (message,) = templates.render(text, "mustache", values or {})
    assert message.role == "user"
    return message.content


def names(text):
    return [reference.name for reference in templates.inputs(text, "mustache")]


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{{x}}", {"x": "v"}, "v"),
        ("{{ x }}", {"x": "v"}, "v"),
        ("{{{x}}}", {"x": "<b>&"}, "<b>&"),
        ("{{x}}", {"x": "<b>&\"'"}, "<b>&\"'"),
        ("{{&x}} {{& x }}", {"x": "<"}, "< <"),
        ("{{a.b.c}}", {"a": {"b": {"c": 1}}}, "1"),
        ("{{a.0.b}}", {"a": [{"b": "first"}]}, "first"),
        ("{{ item.input }}", {"item.input": "dotted"}, "dotted"),
        ("{{ item.input }}", {"item": {"input": "object"}}, "object"),
        ("{{ item.input }}", {"item.input": "dotted", "item": {"input": "object"}}, "dotted"),
        ("{{ item.input.text }}", {"item.input": {"text": "below"}}, "below"),
        ("{{ user-question }}", {"user-question": "q"}, "q"),
        ("{{ .Question }}", {"Question": "in Go's way"}, "in Go's way"),
        ("[{{x}}]", {}, "[]"),
        ("{{x}}", {"x": None}, "null"),
        ("{{x}} {{y}}", {"x": True, "y": False}, "true false"),
        ("{{x}} {{y}}", {"x": 4.0, "y": 4}, "4.0 4"),
        ("{{x}}", {"x": ["é", {"a": 1}]}, '["é", {"a": 1}]'),
        ("{{fenced.x}}|{{x}}", {"x": "plain", "fenced.x": "<x>plain</x>"}, "<x>plain</x>|plain"),
        ("{{fenced.x}}", {"x": "plain"}, "plain"),
        ("{{ fenced.item.input }}", {"item": {"input": "i"}}, "i"),
    ],
)
def test_a_tag_is_replaced_by_its_value(text, values, expected):
    assert content(text, values) == expected


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{{#xs}}<{{.}}>{{/xs}}", {"xs": ["a", 1, None]}, "<a><1><null>"),
        ("{{#xs}}{{n}},{{/xs}}", {"xs": [{"n": 1}, {"n": 2}]}, "1,2,"),
        ("{{#xs}}{{n}}{{q}},{{/xs}}", {"xs": [{"n": 1}], "q": "out"}, "1out,"),
        ("{{#x}}{{a}}{{/x}}", {"x": {"a": "in"}}, "in"),
        ("{{#x}}has {{x}}{{/x}}{{^x}}none{{/x}}", {"x": "v"}, "has v"),
        ("{{#x}}has {{x}}{{/x}}{{^x}}none{{/x}}", {}, "none"),
        ("{{#x}}has{{/x}}{{^x}}none{{/x}}", {"x": []}, "none"),
        ("{{#x}}has{{/x}}{{^x}}none{{/x}}", {"x": ""}, "none"),
        ("{{#x}}has{{/x}}{{^x}}none{{/x}}", {"x": False}, "none"),
        ("{{#x}}has{{/x}}{{^x}}none{{/x}}", {"x": {}}, "has"),
        ("{{#a}}{{#b}}{{c}}{{/b}}{{/a}}", {"a": {"b": [{"c": 1}, {"c": 2}]}}, "12"),
        ("{{# x }}a{{/ x }}", {"x": True}, "a"),
        ("{{#x}}{{.}}{{/x}}", {"x": 0}, ""),
    ],
)
def test_sections_follow_their_subject(text, values, expected):
    assert content(text, values) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n{{#x}}\nb\n{{/x}}\nc", "a\nb\nc"),
        ("a\n  {{#x}}  \nb\n\t{{/x}}", "a\nb\n"),
        ("{{#x}}\r\nb\r\n{{/x}}\r\nc", "b\r\nc"),
        ("a\n{{! note }}\nb", "a\nb"),
        ("a\n {{!\n two\n lines }} \nb", "a\nb"),
        ("{{#x}}{{/x}}\n{{^x}}{{/x}}\nc", "c"),
        ("a {{#x}}\nb\n{{/x}}\nc", "a \nb\nc"),
        ("{{n}}\n{{#x}}{{n}}{{/x}}\n", "7\n7\n"),
        ("\n\n{{#x}}\n\n{{/x}}\n\n", "\n\n\n\n"),
        ("{{n}}  \n", "7  \n"),
    ],
)
def test_a_line_of_tags_that_write_nothing_is_no_line(text, expected):
    assert content(text, {"x": 1, "n": 7}) == expected


@pytest.mark.parametrize("tag", ["{{Reference Answer}}", "{{ Reference Answer }}", "{{{Reference Answer}}}"])
def test_a_name_may_have_spaces(tag):
    assert names(f"{tag} {{{{x}}}}") == ["Reference Answer", "x"]
    assert content(tag, {"Reference Answer": "42"}) == "42"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}}',
        '{{"score": 1}}',
        '{{ "score": 1, "why": "x" }}',
        '{{\n  "score": 1\n}}',
        "{{}} and {{ }}",
        "style={{color: 'red'}}",
        "}} alone",
        "\\frac{{a}+1}{b} and y_{{i}",
        "{{1, 2}, {3}}",
        "{% not ours %} {x} $x %s",
    ],
)
def test_braces_that_are_no_tags_are_text(text):
    assert content(text) == text
    assert names(text) == []


def test_a_tag_inside_json_leaves_the_json_alone():
    text = '{"q": {{q}}, "in": {"a": "{{a}}"}}'
    assert content(text, {"q": 1, "a": "x"}) == '{"q": 1, "in": {"a": "x"}}'
    assert names(text) == ["q", "a"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a{{! note }}b", "ab"),
        ("a{{! has }} inside }}b", "a inside }}b"),
        ("a{{!\nlong\n}}b", "ab"),
        ("a{{ ! b }}", "a"),
    ],
)
def test_comments_vanish_as_their_characters(text, expected):
    assert content(text) == expected


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("a\n{{#x}}b", "line 2", "the section `{{#x}}` is never closed"),
        ("a\n\n{{/x}}", "line 3", "closes a section that was not opened"),
        ("{{#x}}\n{{#y}}\n{{/x}}", "line 3", "found `{{/x}}` inside `{{#y}}` of line 2"),
        ("\n{{#if x}}a{{/if}}", "line 2", "`{{#if x}}` does not hold a name"),
        ("\n{{> header }}", "line 2", "the partial `{{> header}}` is not supported"),
        ("{{=<% %>=}}", "line 1", "the change of delimiters"),
        ("a\n{{question}\n{{answer}}", "line 2", "the tag `{{question}` is never closed"),
        ("{{ question", "line 1", "never closed"),
        ("{{ x | upper }}", "line 1", "does not hold a name"),
        ("{{ f(x) }}", "line 1", "does not hold a name"),
        ("a\n{{! never", "line 2", "the comment `{{!` is never closed"),
        ("{{#a}}" * 100, "line 1", "nest deeper"),
        ("\n{{fenced.parameters.query}}", "line 2", "asks for a part of a fenced input"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text, where, problem):
    with pytest.raises(TemplateError) as caught:
        templates.inputs(text, "mustache")
    assert caught.value.where == where
    assert problem in caught.value.problem
    assert caught.value.hint


def test_inputs_are_distinct_and_in_prompt_order():
    text = "{{b}} {{a}} {{b}} {{item.y}} {{ item.x.deep }} {{parameters.query}} {{ fenced.z }}"
    assert names(text) == ["b", "a", "item.y", "item.x", "parameters", "z"]
    first = templates.inputs(text, "mustache")[0]
    assert [text[start:end] for start, end in first.spans] == ["{{b}}", "{{b}}"]
    assert [reference.path for reference in templates.inputs(text, "mustache")][-3:] == [
        "item.x.deep",
        "parameters.query",
        "fenced.z",
    ]


def test_an_input_is_guarded_when_every_mention_is_under_a_section_on_it():
    def guarded(text):
        return {reference.name: reference.guarded for reference in templates.inputs(text, "mustache")}

    assert guarded("{{#x}}{{x}}{{/x}}{{^x}}none{{/x}} {{y}}") == {"x": True, "y": False}
    assert guarded("{{#x}}{{x}}{{/x}} {{x}}") == {"x": False}
    assert guarded("{{#x}}{{fenced.x}}{{/x}}") == {"x": True}
    assert guarded("{{#x}}{{question}}{{/x}}{{question}}") == {"x": True, "question": False}


def test_names_inside_a_section_are_members_of_what_it_is_about():
    assert names("{{#docs}}{{title}}: {{body}}{{/docs}}") == ["docs"]
    assert names("{{#docs}}{{#tags}}{{.}}{{tags}}{{/tags}}{{/docs}}") == ["docs"]
    assert names("{{title}}{{#docs}}{{title}}{{/docs}}") == ["title", "docs"]
    assert names("{{^docs}}{{title}}{{/docs}}") == ["docs", "title"]
    assert names("{{#has_notes}}{{notes}}{{/has_notes}}") == ["has_notes", "notes"]
    assert names("{{#docs}}{{item.x}}{{/docs}}") == ["docs", "item.x"]


def test_a_field_of_cases_inside_a_section_is_an_optional_input():
    found = templates.inputs("{{#graded}}Reference: {{reference}}{{/graded}}", "mustache")
    assert [(reference.name, reference.guarded) for reference in found] == [
        ("graded", True),
        ("reference", True),
    ]


def test_a_document_cannot_pose_as_a_fenced_input():
    text = "{{#docs}}{{fenced.q}}{{/docs}}"
    values = {"docs": [{"fenced": {"q": "forged"}, "fenced.q": "forged"}], "q": "x", "fenced.q": "[x]"}
    assert content(text, values) == "[x]"


def test_loops_over_loops_are_bounded():
    text = "{{#a}}{{#a}}{{#a}}{{#a}}x{{/a}}{{/a}}{{/a}}{{/a}}"
    with pytest.raises(TemplateError, match="loops run more than"):
        content(text, {"a": [0] * 1000})
    with pytest.raises(TemplateError, match="characters are written"):
        content("{{#a}}{{big}}{{/a}}", {"a": [0] * 1000, "big": "x" * 100_000})


def test_a_long_value_written_once_is_not_bounded():
    assert len(content("{{x}}{{#y}}{{/y}}", {"x": "x" * 20_000_000})) == 20_000_000
