"""Outline and canonical form: what a prompt says without its values, and what identifies it."""

import pytest

from adjudge import templates


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("mustache", "a {{! no }}{{x}} {{#y}}in {{y}}{{/y}}{{^y}}out{{/y}}", "a ⟦x⟧ in ⟦y⟧out"),
        ("mustache", "{{#docs}}{{.}}{{title}}{{/docs}}", "⟦docs⟧⟦title⟧"),
        ("mustache", "{{ item.input }} {{fenced.x}} {{{z}}}", "⟦item.input⟧ ⟦x⟧ ⟦z⟧"),
        ("promptl", "{{ if x }}A {{ x }}{{ else if y }}B{{ else }}C{{ endif }}/* no */D", "A ⟦x⟧ | B | CD"),
        ("promptl", "{{ for d, i in docs }}{{ i }}{{ d.t }}{{ else }}none{{ endfor }}", "⟦i⟧⟦docs⟧none"),
        ("promptl", "{{ x ? 'yes' : 'no' }}{{ y ?? 'none' }}{{ a && b }}", "yesno⟦y⟧none⟦b⟧"),
        ("promptl", "{{ y = x }}{{ y }}{{ z = 1 }}{{ z }}", "⟦x⟧⟦z⟧"),
        ("promptl", "<system>S</system>\n<user>{{ q }}</user>", "S\n\n⟦q⟧\n"),
        (
            "jinja",
            "{# no #}{% if x %}A {{ x | upper }}{% else %}B{% endif %}{{ y | default('d') }}",
            "A ⟦x⟧ | B⟦y⟧d",
        ),
        ("jinja", "{% for d in docs %}{{ d.t }}{% endfor %}{% raw %}{{ r }}{% endraw %}", "⟦docs⟧{{ r }}"),
        ("printf", "100%% Question: %s (%d)", "100% Question: ⟦question⟧ (⟦arg2⟧)"),
        ("python", '{question!r} {{"score": 1}} {n:.2f}', '⟦question⟧ {"score": 1} ⟦n⟧'),
        ("shell", "$x costs $$5 or $5", "⟦x⟧ costs $5 or $5"),
    ],
)
def test_the_outline_is_the_text_with_its_inputs_shown(dialect, text, expected):
    assert templates.outline(text, dialect) == expected


SAME = [
    ("mustache", "a{{x}}b{{#y}}c{{/y}}", "a{{! note }}{{  x }}{{! two }}b{{# y }}{{!c}}c{{/ y }}"),
    ("mustache", "a{{x}}", "a{{{x}}}"),
    ("promptl", "a {{ if x?.length }}b{{ endif }}", "a /* n */{{if   x?.length}}b/*c*/{{endif}}"),
    ("promptl", "{{ x+1 }}{{ a.b }}", "{{ x + 1 }}{{ a['b'] }}"),
    ("jinja", "a{{ x }}b{% if y %}c{% endif %}", "a{# n #}{{x}}{# \n #}b{%   if y   %}{# n #}c{% endif %}"),
    ("jinja", "{% if y %}{% endif %}", "{% if y %}{# nothing #}{% endif %}"),
]
DIFFERENT = [
    ("mustache", "a{{x}}b", "a{{x}} b"),
    ("mustache", "a{{x}}", "a{{y}}"),
    ("mustache", "{{#x}}a{{/x}}", "{{^x}}a{{/x}}"),
    ("mustache", "{{a.b}}", "{{a.c}}"),
    ("promptl", "{{ if x }}a{{ endif }}", "{{ if !x }}a{{ endif }}"),
    ("promptl", "{{ if x == 1 }}a{{ endif }}", "{{ if x == '1' }}a{{ endif }}"),
    ("promptl", "{{ if x == 1 }}a{{ endif }}", "{{ if x == true }}a{{ endif }}"),
    ("promptl", "<user>a</user>", "<system>a</system>"),
    ("promptl", "{{ x > 1 }}", "{{ x >= 1 }}"),
    ("jinja", "a {{ x }}", "a{{ x }}"),
    ("jinja", "a {{ x }}", "a {{- x }}"),
    ("jinja", "{{ x | upper }}", "{{ x | lower }}"),
    ("jinja", "{{ 1 }}", "{{ '1' }}"),
    ("jinja", "{{ 1 }}", "{{ true }}"),
    ("printf", "Question: %s", "Query: %s"),
    ("printf", "x: %s", "x: %d"),
    ("python", "{x}", "{x!r}"),
    ("python", "{x:.1f}", "{x:.2f}"),
    ("shell", "$x", "$$x"),
]


@pytest.mark.parametrize(("dialect", "one", "other"), SAME)
def test_comments_and_white_space_inside_tags_do_not_change_the_canonical_form(dialect, one, other):
    assert templates.canonical(one, dialect) == templates.canonical(other, dialect)


@pytest.mark.parametrize(("dialect", "one", "other"), DIFFERENT)
def test_what_changes_what_is_sent_changes_the_canonical_form(dialect, one, other):
    assert templates.canonical(one, dialect) != templates.canonical(other, dialect)


def test_the_canonical_form_names_its_dialect():
    forms = {templates.canonical("no tags", dialect) for dialect in templates.DIALECTS}
    assert len(forms) == len(templates.DIALECTS)


def test_the_public_names_are_the_ones_listed():
    assert sorted(templates.__all__) == templates.__all__
    assert all(hasattr(templates, name) for name in templates.__all__)
    assert callable(templates.detect)
    assert callable(templates.outline)
