"""Shell: `$x` and `${x}`; money, formulas and JSON paths are text."""

import pytest

from adjudge import templates


def content(text, values=None):
    (message,) = templates.render(text, "shell", values or {})
    return message.content


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("$x", {"x": "v"}, "v"),
        ("${x}y", {"x": "v"}, "vy"),
        ("${ x }", {"x": "v"}, "v"),
        ("$x.", {"x": "v"}, "v."),
        ("${item.input}", {"item": {"input": "i"}}, "i"),
        ("$a$b", {"a": 1, "b": 2}, "12"),
        ("<q>{$QUESTION}</q>", {"QUESTION": "v"}, "<q>v</q>"),
        ("{{$x}} and {$x.y}", {"x": {"y": 1}}, '{"y": 1} and 1'),
        ('{"a": $x}', {"x": "v"}, '{"a": v}'),
        ("{$x", {"x": "v"}, "{v"),
        ("($a)($b)", {"a": 1, "b": 2}, "(1)(2)"),
        ("$$x $$5", {"x": 1}, "$x $5"),
        ("[$x]", {}, "[]"),
        ("$x", {"x": "$y ${x} $$"}, "$y ${x} $$"),
        ("$x", {"x": [1, {"a": None}]}, '[1, {"a": null}]'),
    ],
)
def test_names_are_replaced(text, values, expected):
    assert content(text, values) == expected


@pytest.mark.parametrize(
    "text",
    [
        "$5",
        "$1,000",
        "US$ 20",
        "$.path[0]",
        "$",
        "${}",
        "${1}",
        "${x:-y}",
        "$x$ is small",
        "$x^2",
        "$\\alpha",
        "$(",
    ],
)
def test_dollars_that_begin_no_name_are_text(text):
    assert content(text, {"x": "never"}) == text
    assert templates.inputs(text, "shell") == ()


def test_inputs_in_order():
    found = templates.inputs("$b ${a} $b ${item.x} $5", "shell")
    assert [(reference.name, len(reference.spans), reference.guarded) for reference in found] == [
        ("b", 2, False),
        ("a", 1, False),
        ("item.x", 1, False),
    ]
