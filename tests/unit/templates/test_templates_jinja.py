"""Jinja: jinja2's language without files, escaping, chance or unbounded work."""

import subprocess
import sys

import pytest

from adjudge import templates
from adjudge.errors import TemplateError


def content(text, values=None):
    (message,) = templates.render(text, "jinja", values or {})
    assert message.role == "user"
    return message.content


def found(text):
    return {r.name: (r.guarded, [text[a:b] for a, b in r.spans]) for r in templates.inputs(text, "jinja")}


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{{ x }}", {"x": "<b>&\"' {{ y }} {% if %}"}, "<b>&\"' {{ y }} {% if %}"),
        ("[{{ x }}{{ x.y.z }}{{ x['a'] }}]", {}, "[]"),
        ("{{ x }} {{ y }} {{ z }}", {"x": True, "y": None, "z": 4.0}, "True None 4.0"),
        ("{{ x }}", {"x": ["é", {"a": None}]}, '["é", {"a": null}]'),
        ("{{ x }}\n", {"x": "v"}, "v\n"),
        ("a\r\n{{ x }}\r\nb\rc\n", {"x": "v\r\n"}, "a\r\nv\r\n\r\nb\rc\n"),
        ("{% if x %}\r\n{{ '\r\n' }}{% endif %}", {"x": 1}, "\r\n\r\n"),
        ("{% if x is defined %}a{% else %}b{% endif %}", {}, "b"),
        ("{% if x is none %}a{% endif %}{% if x == none %}b{% endif %}", {}, "ab"),
        ("{% if x > 1 %}a{% else %}b{% endif %}", {}, "b"),
        ("{{ 'Q: ' + x }}|{{ x + 1 }}|{{ x.split(',') }}", {}, "Q: ||"),
        (
            "{% for d in ds %}{{ loop.index }}{{ d.t }};{% else %}none{% endfor %}",
            {"ds": [{"t": "a"}]},
            "1a;",
        ),
        ("{% for k, v in m.items() %}{{ k }}={{ v }};{% endfor %}", {"m": {"items": 1}}, "items=1;"),
        ("{{ m.items }} {{ m.get('b', 'no') }}", {"m": {"items": [1]}}, "[1] no"),
        ("{{ x | upper | replace('A', 'b') }}", {"x": "aa"}, "bb"),
        ("{{ xs | join(', ') }}", {"xs": ["a", {"b": 1}]}, 'a, {"b": 1}'),
        ("{{ xs | map(attribute='t') | join(' ') }}", {"xs": [{"t": 1}, {"t": 2}]}, "1 2"),
        ("{{ xs | join('-', attribute='t') }}", {"xs": [{"t": 1}, {"t": 2}]}, "1-2"),
        ("{{ x | e }}{{ x | escape }}{{ x | safe }}", {"x": "<"}, "<<<"),
        ("{{ x | safe + y }}", {"x": "<", "y": ">"}, "<>"),
        ("{{ x | tojson }} {{ y | tojson }}", {"x": "<é>"}, '"<é>" null'),
        ("{{ x ~ [1] ~ y }}", {"x": "a"}, "a[1]"),
        ("{{ x | default('none') }}", {}, "none"),
        ("{{ '%.1f' | format(x) }} {{ '%s' % x }}", {"x": 2.0}, "2.0 2.0"),
        ("{{ ','.join(xs) }}{{ 'aa'.replace('a', 'b') }}", {"xs": ["a", 1]}, "a,1bb"),
        ("{{ x | indent(2) }}", {"x": "a\nb"}, "a\n  b"),
        ("{{ range(3) | list }}", {}, "[0, 1, 2]"),
        ("{% macro q(t, n=1) %}<{{ t }}{{ n }}>{% endmacro %}{{ q(x) }}", {"x": "v"}, "<v1>"),
        (
            "{% macro w() %}[{{ caller() }}]{% endmacro %}{% call w() %}{{ x }}{% endcall %}",
            {"x": "v"},
            "[v]",
        ),
        ("{% set y %}{{ x }}!{% endset %}{{ y }}{% with z = x %}{{ z }}{% endwith %}", {"x": "v"}, "v!v"),
        ("{% raw %}{{ x }}{% endraw %}{# {{ x }} #}", {"x": "v"}, "{{ x }}"),
        ("a  {{- x -}}  b", {"x": "v"}, "avb"),
        ("{{ item.input }}{{ item.output }}", {"item.input": "i", "item": {"output": "o"}}, "io"),
        ("{{ parameters.q }}", {"parameters.q": "p"}, "p"),
        ("{{ fenced.x }}{{ fenced.item.y }}", {"x": 1, "fenced.x": "[1]", "item": {"y": 2}}, "[1]2"),
        (
            "{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}",
            {},
            "3",
        ),
        ("{% for i in [1, 2] %}{{ loop.cycle('a', 'b') }}{% endfor %}", {}, "ab"),
        ("{{ x.__class__ }}{{ x.upper() }}", {"x": "v"}, "V"),
    ],
)
def test_rendering(text, values, expected):
    assert content(text, values) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
        "{% for a in xs %}{% for b in xs %}{% for c in xs %}{% endfor %}{% endfor %}{% endfor %}",
        "{{ 'a' * 10**9 }}",
        "{{ [0] * 10**9 }}",
        "{{ 10**(10**10) }}",
        "{{ 99999 ** 99999 }}",
        "{{ range(10**9) | list }}",
        "{{ '%999999999d' % 1 }}",
        "{{ '%*d' % (999999999, 1) }}",
        "{{ '%999999999d' | format(1) }}",
        "{{ '{:999999999}'.format(1) }}",
        "{{ 'a'.ljust(999999999) }}",
        "{{ 'a' | center(999999999) }}",
        "{{ [1] | batch(999999999, 0) | list }}",
        "{{ big.replace('a', big) }}",
        "{{ big | replace('a', big) }}",
        "{{ big.join(xs * 100) }}",
        "{{ (xs * 100) | join(big) }}",
        "{{ big.replace('a', '\\n') | indent(100000) }}",
        "{% set ns = namespace(x='a') %}{% for i in range(100) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x='a') %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{% for i in range(9999) %}{{ big }}{% endfor %}",
        "{% set y %}{% for i in range(99999) %}" + "long text " * 1000 + "{% endfor %}{% endset %}",
        "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(40) }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% for x in [1] recursive %}{% if loop.depth < 20 %}{{ loop([1, 2, 3, 4]) }}{% endif %}{% endfor %}",
        "{% for i in range(99999) %}{{ big | upper | length }}{% endfor %}",
    ],
)
def test_bombs_are_stopped(text):
    with pytest.raises(TemplateError) as caught:
        content(text, {"xs": list(range(1000)), "big": "a" * 100_000})
    assert caught.value.where == "line 1"


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("a\n{% include 'x' %}", "line 2", "`include` reads other files"),
        ("{% import 'x' as y %}", "line 1", "`import` reads other files"),
        ("{% from 'x' import y %}", "line 1", "reads other files"),
        ("{% extends 'x' %}", "line 1", "`extends` reads other files"),
        ("{% autoescape true %}{{ x }}{% endautoescape %}", "line 1", "`autoescape` is not supported"),
        ("a\n\n{{ x", "line 3", "not well-formed Jinja"),
        ("{% if x %}", "line 1", "not well-formed Jinja"),
        ("\n{{ x is nosuch }}", "line 2", "No test named 'nosuch'"),
        ("\n{{ lipsum() }}", "line 2", "found a call of `lipsum`"),
        ("{{ fenced.a.b }}", "line 1", "asks for a part of a fenced input"),
        ("{{ " + "(" * 5000 + "x" + ")" * 5000 + " }}", "line 1", "nests too deep"),
        ("{% for a in x %}" * 30 + "{% endfor %}" * 30, "line 1", "nests too deep"),
    ],
)
def test_what_cannot_be_used_is_said_when_it_is_read(text, where, problem):
    with pytest.raises(TemplateError) as caught:
        templates.inputs(text, "jinja")
    assert caught.value.where == where
    assert problem in caught.value.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\n{{ 1 / 0 }}", "division by zero"),
        ("a\n{{ x | round }}", "cannot be rendered with these values"),
        ("a\n{{ x + 1 }}", "cannot be rendered with these values"),
        ("a\n{{ xs.append(1) }}", "the method `append` is not available here"),
        ("a\n{{ x.format(1) }}", "the method `format` is not available here"),
        ("a\n{{ x() }}", "found a call of `x`"),
    ],
)
def test_what_fails_while_rendering_names_its_line(text, problem):
    with pytest.raises(TemplateError) as caught:
        content(text, {"x": "words", "xs": [1]})
    assert caught.value.where == "line 2"
    assert problem in caught.value.problem


def test_inputs_are_what_the_template_does_not_bind_itself():
    text = (
        "{{ q }}{% for d in docs %}{{ loop.index }}{{ d.title }}{% endfor %}{% set s = a.b %}{{ s }}"
        "{% macro m(p) %}{{ p }}{{ outer }}{% endmacro %}{{ m(arg) }}{% with w = 1 %}{{ w }}{% endwith %}"
        "{{ item.input }}{{ range(3) | list }}{# {{ not_me }} #}{% raw %}{{ nor_me }}{% endraw %}"
    )
    assert list(found(text)) == ["q", "docs", "a", "outer", "arg", "item.input"]
    assert found(text)["docs"] == (False, ["{{ d.title }}"])
    assert found(text)["q"] == (False, ["{{ q }}"])
    assert found(text)["item.input"] == (False, ["{{ item.input }}"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ x }}", {"x": False}),
        ("{% if x %}{{ x }}{% else %}none{% endif %}", {"x": True}),
        ("{% if x is defined and x %}{{ fenced.x }}{% endif %}", {"x": True}),
        ("{% if x %}{{ x }}{% endif %}{{ x }}", {"x": False}),
        ("{% if x %}{{ y }}{% elif y %}{{ x }}{% endif %}", {"x": True, "y": False}),
        ("{{ x | default('none') }}{{ y | d('') | upper }}", {"x": True, "y": True}),
        ("{{ x or 'none' }}{{ y if y else 'none' }}", {"x": True, "y": True}),
        ("{% for d in docs %}{{ d }}{% endfor %}", {"docs": False}),
        ("{% for d in docs %}{{ d }}{% else %}none{% endfor %}", {"docs": True}),
        ("{% if docs %}{% for d in docs %}{{ d }}{% endfor %}{% endif %}", {"docs": True}),
        ("{% for d in docs or [] %}{{ d }}{% endfor %}", {"docs": True}),
        ("{% for d in docs | default([]) %}{{ d }}{% endfor %}", {"docs": True}),
        ("{{ x | upper }}", {"x": False}),
        ("{% set x = x or 'none' %}{{ x }}", {"x": True}),
        ("{% set y = x %}{{ y }}", {"x": False}),
        (
            "{% for item in docs %}{{ item.t }}{% endfor %}{{ item.input }}",
            {"docs": False, "item.input": False},
        ),
    ],
)
def test_guarded_means_that_absence_can_be_expressed(text, expected):
    assert {name: guarded for name, (guarded, _) in found(text).items()} == expected


def test_a_tag_that_only_tests_an_input_is_its_span_when_nothing_writes_it():
    assert found("{% if x %}a{% endif %}")["x"] == (True, ["{% if x %}"])


def test_jinja2_is_not_imported_before_it_is_needed():
    code = (
        "import sys; from adjudge import templates; templates.render('{{x}}', 'mustache', {}); "
        "templates.detect('{% if x %}'); sys.exit('jinja2' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "written", "unknown"),
    [
        ("{{ x | transcript }}", "a b", ["transcript"]),
        ("{{ x | transcript(2, to=x) | upper }}", "A B", ["transcript"]),
        ("{{ xs | turns }}", '[1, "b"]', ["turns"]),
        ("{% filter shout %}{{ x }}{% endfilter %}", "a b", ["shout"]),
        ("{{ xs | map('shout') | join }}", "1b", ["shout"]),
        (
            "{% for y in xs | shuffled %}{{ y | bold }}{{ y | bold }}{% endfor %}",
            "11bb",
            ["shuffled", "bold"],
        ),
        ("{{ xs | random }}", '[1, "b"]', ["random"]),
        ("{% if no %}{{ x | never }}{% endif %}", "", ["never"]),
    ],
)
def test_a_filter_nobody_knows_leaves_its_input_as_it_is_and_is_told(text, written, unknown):
    (message,) = templates.render(text, "jinja", {"x": "a b", "xs": [1, "b"]})
    assert message.content == written
    assert templates.unread(text, "jinja") == tuple(
        f"filter `{name}` is not known here: its input is written as it is"
        for name in sorted(unknown, key=text.index)
    )
    assert templates.unread("{{ x | upper }}", "jinja") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ x | dump }}", '"a \\"b\\""'),
        ("{{ d | dump }}", '{"a":[1,"é"],"b":{}}'),
        ("{{ d | dump(1) }}", '{\n "a": [\n  1,\n  "é"\n ],\n "b": {}\n}'),
        ("{{ missing | dump }}", "null"),
        ("{{ 'a\\nb\\r\\nc' | nl2br }}", "a<br />\nb<br />\nc"),
    ],
)
def test_filters_of_nunjucks(text, expected):
    (message,) = templates.render(text, "jinja", {"x": 'a "b"', "d": {"a": [1, "é"], "b": {}}})
    assert message.content == expected


def test_the_arms_of_a_condition_on_one_line_stay_apart_in_the_outline():
    text = 'Verdict: {% if more %}"Yes" "No" or "n/a"{% else %}"Yes" or "No"{% endif %}\n'
    assert templates.outline(text, "jinja") == 'Verdict: "Yes" "No" or "n/a" | "Yes" or "No"\n'
