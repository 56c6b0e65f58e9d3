"""No value can change the template: it is written once, as it is, and nothing else moves."""

import json
from itertools import product

import pytest
from hostile_shapes import cpu_seconds
from hypothesis import given
from hypothesis import strategies as st

from adjudge import templates
from adjudge.errors import TemplateError
from adjudge.records import Message

PLAIN = {
    "mustache": [
        "{{x}}",
        "{{ x }}",
        "{{{x}}}",
        "{{&x}}",
        "{{#x}}{{x}}{{/x}}{{^x}}{{x}}{{/x}}",
        "{{#y}}{{! c }}{{fenced.x}}{{/y}}",
    ],
    "handlebars": [
        "{{x}}",
        "{{{ x }}}",
        "{{&x}}",
        "{{this.x}}",
        "{{[x]}}",
        "{{#if x}}{{x}}{{else}}{{x}}{{/if}}",
        "{{#unless x}}{{x}}{{else}}{{x}}{{/unless}}",
        "{{#each w}}{{../x}}{{/each}}",
        "{{#each w as |v|}}{{@root.x}}{{/each}}",
        "{{#with o}}{{inner}}{{/with}}",
        "{{#x}}{{this}}{{else}}{{x}}{{/x}}",
        '{{lookup o "inner"}}',
        "{{#ifEquals x y}}{{x}}{{else}}{{x}}{{/ifEquals}}",
        "{{media url=x}}",
    ],
    "jinja": [
        "{{ x }}",
        "{{ x | default(x) }}",
        "{% if x %}{{ x }}{% else %}{{ x }}{% endif %}",
        "{{ x | e }}",
        "{{ x ~ '' }}",
    ],
    "promptl": [
        "{{ x }}",
        "{{ if x }}{{ x }}{{ else }}{{ x }}{{ endif }}",
        "{{ x ?? y }}",
        "{{ x + '' }}",
        "{{ y = x }}{{ y }}",
    ],
    "go": [
        "{{.x}}",
        "{{ $.x }}",
        "{{with .x}}{{.}}{{else}}{{.x}}{{end}}",
        "{{$y := .x}}{{$y}}",
        '{{.x | printf "%s"}}',
        '{{printf "%v" (print .x)}}',
        "{{/* c */}}{{.fenced.x}}",
    ],
    "printf": ["%(x)s"],
    "python": ["{x}", "{x!s}"],
    "shell": ["${x}", "${ x }"],
    "custom": ["{$x}"],
}

SYNTAX = st.sampled_from(
    [
        "{{x}}", "{{{x}}}", "{{#x}}", "{{#if x}}", "{{/if}}", "{{#each x}}", "{{/each}}", "{{else}}", "{{this}}", "{{../x}}",
        "{{~x~}}", "{{@index}}", "{{!--", "--}}", "\\{{x}}", '{{role "system"}}', "{{history}}", "{{/x}}", "{{^x}}", "{{!", "{{", "}}", "{%", "%}", "{% if x %}", "{% endif %}",
        "{#", "#}", "{{ endif }}", "{{ else }}", "{{.x}}", "{{end}}", "{{- ", " -}}", "{{/*", "%d", "{{ endfor }}", "{x}", "{", "}", "%s", "%(x)s", "%", "%%", "$x", "${x}",
        "$$", "$", "<system>", "</system>", "<user>", "</user>", "<assistant>", "</assistant>", "/*", "*/", "\0", "\r\n",
        "\r", "\n", "<b>&amp;\"'", "⟦x⟧", "\ud800", "\x0b", "\x1c", "\u2028", "\\", "x", " ",
    ]
)  # fmt: skip
HOSTILE = st.lists(st.one_of(SYNTAX, st.text(max_size=8)), max_size=12).map("".join)


@pytest.mark.parametrize("dialect", PLAIN)
@given(value=HOSTILE)
def test_a_value_is_written_verbatim_once_and_nothing_else_changes(dialect, value):
    around = [("A", "B"), ("", "")]
    if dialect != "promptl":  # which takes white space from the ends of its own text
        around.append((" \r\n A: ", "\t\n"))
    values = {"x": value, "y": "no", "w": [1], "o": {"inner": value}}
    for tag, (before, after) in product(PLAIN[dialect], around):
        assert templates.render(before + tag + after, dialect, values) == (
            Message(role="user", content=before + value + after),
        ), tag


@given(first=HOSTILE, second=HOSTILE)
def test_two_values_do_not_mix(first, second):
    tags = {
        "mustache": "{{%s}}",
        "handlebars": "{{%s}}",
        "jinja": "{{ %s }}",
        "promptl": "{{ %s }}",
        "go": "{{.%s}}",
        "python": "{%s}",
        "shell": "${%s}",
        "custom": "{$%s}",
        "printf": "%%(%s)s",
    }
    for dialect in PLAIN:
        tag = tags[dialect]
        text = f"<{tag % 'x'}|{tag % 'y'}|{tag % 'x'}>"
        (message,) = templates.render(text, dialect, {"x": first, "y": second})
        assert message.content == f"<{first}|{second}|{first}>", dialect


@given(question=HOSTILE, answer=HOSTILE)
def test_no_value_makes_moves_or_ends_a_message(question, answer):
    text = "<system>\nJudge.\n</system>\n<user>\n{{ q }}\n</user>\n{{ if a }}<assistant>{{ a }}</assistant>{{ endif }}\nEnd {{ q }}."
    messages = templates.render(text, "promptl", {"q": question, "a": answer})
    expected = [("system", "Judge."), ("user", question)]
    if answer:
        expected.append(("assistant", answer))
    expected.append(("user", f"End {question}."))
    assert [(message.role, message.content) for message in messages] == expected


@given(question=HOSTILE, answer=HOSTILE)
def test_no_value_makes_moves_or_ends_a_role(question, answer):
    text = '{{role "system"}}\nJudge {{q}}.\n{{role "user"}}\n{{q}}\n{{#if a}}\n{{role "model"}}{{a}}\n{{/if}}\n{{role "user"}}\nEnd {{q}}.'
    messages = templates.render(text, "handlebars", {"q": question, "a": answer})
    expected = [("system", f"Judge {question}.")]
    if question:
        expected.append(("user", question))
    if answer:
        expected.append(("assistant", answer))
    expected.append(("user", f"End {question}."))
    assert [(message.role, message.content) for message in messages] == expected


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | HOSTILE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=8,
)


@given(value=st.lists(JSON_VALUES, max_size=3) | st.dictionaries(HOSTILE, JSON_VALUES, max_size=3))
def test_lists_and_objects_are_written_as_json(value):
    texts = {
        "mustache": "{{x}}",
        "handlebars": "{{x}}",
        "jinja": "{{ x }}",
        "promptl": "{{ x }}",
        "go": "{{.x}}",
        "python": "{x}",
        "shell": "$x",
        "custom": "{$x}",
        "printf": "%(x)s",
    }
    for dialect in PLAIN:
        (message,) = templates.render(texts[dialect], dialect, {"x": value})
        assert message.content == json.dumps(value, ensure_ascii=False), dialect


@given(value=JSON_VALUES)
def test_any_value_can_be_tested_looped_over_and_computed_with(value):
    promptl = (
        "{{ if x == 1 || x < 'a' && x?.y[0] }}{{ -x * 2 % 3 / x }}{{ endif }}{{ for d, i in x }}{{ d.t + i }}{{ endfor }}"
        "{{ x === null ? x.length : x + x }}"
    )
    mustache = "{{#x}}{{.}}{{a.b}}{{/x}}{{^x}}none{{/x}}{{#x.length}}{{x.0}}{{/x.length}}"
    handlebars = (
        "{{#each x as |v k|}}{{@key}}{{@last}}{{v.a}}{{k}}{{#with ../x}}{{this}}{{/with}}{{else}}none{{/each}}"
        "{{#x}}{{.}}{{a.b}}{{^}}none{{/x}}{{#if x.length}}{{x.[0]}}{{lookup x x}}{{/if}}{{json x indent=2}}"
        "{{#ifEquals x 1}}one{{/ifEquals}}{{#unless x includeZero=true}}{{/unless}}"
    )
    go = (
        '{{if and (eq .x 1) (lt .x "a")}}{{end}}{{range $i, $y := .x}}{{$i}}{{$y.a}}{{.}}{{else}}{{len .x}}{{end}}'
        '{{index .x 0}}{{slice .x 1}}{{printf "%d %5.2f %q %x %v" .x .x .x .x .x}}{{print .x .x}}{{html .x}}'
    )
    for dialect, text in (
        ("promptl", promptl),
        ("mustache", mustache),
        ("handlebars", handlebars),
        ("go", go),
        ("python", "{x:.2f}{x!r:>5}{x[0]}"),
        ("printf", "%(x)d %(x).2f"),
    ):
        (message,) = templates.render(text, dialect, {"x": value})
        assert message.role == "user"


def read(text, dialect):
    """The inputs of a template; None when it is refused, as it should be, with its line."""
    try:
        return templates.inputs(text, dialect)
    except TemplateError as error:
        if not error.where.startswith("line "):
            pytest.fail(f"no line in {error.where!r}")
        return None


@given(text=HOSTILE)
def test_any_text_can_be_looked_at_as_a_template(text):
    """A template is read, or refused with its line; never an error of another kind."""
    assert templates.detect(text) in templates.DIALECTS
    for dialect in templates.DIALECTS:
        references = read(text, dialect)
        if references is None:
            continue
        assert templates.canonical(text, dialect) == templates.canonical(text, dialect)
        assert isinstance(templates.outline(text, dialect), str)
        for reference in references:
            assert reference.spans
            assert all(0 <= start < end <= len(text) for start, end in reference.spans)


COMMENTS = {
    "mustache": "{{! %s }}",
    "handlebars": "{{!-- %s --}}",
    "jinja": "{# %s #}",
    "promptl": " /* %s */",
    "go": "{{/* %s */}}",
}


@pytest.mark.parametrize("dialect", COMMENTS)
@given(note=st.text(st.characters(exclude_characters="{}%#*/", exclude_categories=["Cs"]), max_size=20))
def test_a_comment_changes_neither_the_form_nor_what_is_sent(dialect, note):
    space = " " if dialect == "promptl" else ""
    tag = "{{ .x }}" if dialect == "go" else "{{ x }}"
    commented, bare = f"a {COMMENTS[dialect] % note}b {tag}", f"a {space}b {tag}"
    assert templates.canonical(commented, dialect) == templates.canonical(bare, dialect)
    assert templates.render(commented, dialect, {"x": 1}) == templates.render(bare, dialect, {"x": 1})
    assert templates.outline(commented, dialect) == templates.outline(bare, dialect)


PIECES = (
    "{{", "{", "}}", "%", "%s", "$", "$x", "/*", "<user>", "{%", "{#", "  ", "{{ ", "{{!a}}b", "{{#if x}}", "{{else if x}}", "{{~", "../", "{{x ", "\\{{", "{{[", '{{"', "{{#x}}\n{{/x}} ", "{{!--x}}", "{{/*", "{{.x -}} {{- ", "{{> a\n", "{{ a\n}}", "$$", "%%", '{"', "\\a{",
)  # fmt: skip
LINEAR_SECONDS = 3.0
"""Of processor time, several times what the slowest needs: what grows with the square takes longer at 20,000 characters."""


def monotonous(piece):
    return piece * (20_000 // len(piece))


@pytest.mark.parametrize("piece", PIECES)
def test_the_dialect_of_long_monotonous_text_is_found_in_linear_time(piece):
    found = []
    assert (
        cpu_seconds(lambda: found.append(templates.detect(monotonous(piece))), at_most=LINEAR_SECONDS)
        < LINEAR_SECONDS
    )
    assert found[0] in templates.DIALECTS


@pytest.mark.parametrize("dialect", templates.DIALECTS)
@pytest.mark.parametrize("piece", PIECES)
def test_long_monotonous_text_is_read_in_linear_time(dialect, piece):
    text = monotonous(piece)

    def work():
        if read(text, dialect) is not None:
            assert templates.canonical(text, dialect)

    assert cpu_seconds(work, at_most=LINEAR_SECONDS) < LINEAR_SECONDS
