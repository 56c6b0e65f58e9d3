"""Jinja here, in Python's jinja2 and, as far as both have it, in npm's nunjucks: the same text, the same refusals."""

import json
import random

import jinja2
import pytest
from template_values import drawn_filler, drawn_values

from adjudge import templates
from adjudge.errors import TemplateError

PAIRS = 800

TEXTS = ["question", "answer", "empty", "person.name", "person.home.city", "person['name']", "pair[0]", "two[0].title", '"lit \\"x\\""', "'it'"]  # fmt: skip
NUMBERS = [
    "count",
    "zero",
    "person.age",
    "pair[1]",
    "two[1].rank",
    "3",
    "-2",
    "words | length",
    "docs | length",
]
TRUTHS = ["yes", "no", "true", "false", "two[0].hot"]
LISTS = ["words", "pair", "person.tags", "two[0].tags"]
WORDS = "'two little words'"

BOTH = {
    "text": [
        "trim", "upper", "lower", "capitalize", "replace('a', 'bb')", "default('none')", "d('none', true)", "string",
        "list | join('-')", "nl2br" , "center(20)",
    ],
    "count": ["length"],
    "number": ["abs", "int", "string", "default(1)"],
    "list": ["join", "join(', ')", "length", "first", "last", "reverse | list | join('/')", "list | join"],
    "documents": [
        "join(',', 'title')", "length", "sum('rank')", "selectattr('hot') | list | length",
        "rejectattr('hot') | list | length", "batch(2) | list | length", "slice(2) | list | length", "(first).title", "(last).rank",
    ],
    "object": ["dictsort | length"],
}  # fmt: skip
ONLY_JINJA2 = {
    "text": [
        "truncate(5)", "truncate(9, true, '..')", "indent", "indent(2, true)", "indent(width=3, first=false, blank=true)", "striptags",
        "title", "urlencode", "wordwrap(6)", "format", "first", "last", "reverse", "safe", "list | unique | join", "list | sort | join", "replace('a', 'b', 1)",
        "map('upper') | join", "batch(3, '-') | map('join') | join('|')",
    ],
    "count": ["count", "wordcount"],
    "number": ["round", "round(1)", "float", "round | int", "round(-1, 'floor')"],
    "list": [
        "map('string') | map('upper') | join(' ')", "map('string') | sort | join", "map('string') | sort(reverse=true) | join", "map('string') | unique | join",
        "select('string') | join", "reject('number') | join", "select('number') | sum", "select('number') | list | length",
        "map('string') | max", "map('string') | min", "batch(2) | map('join') | join('|')", "slice(2) | map('join') | join('|')",
        "map('int', 5) | sum", "map('default', 'x') | join", "tojson | length > 0",
    ],
    "documents": [
        "map(attribute='title') | join", "map(attribute='author.name') | join", "sum(attribute='rank')", "groupby('hot') | length", "sort(attribute='rank') | map(attribute='rank') | join(',')",
        "selectattr('rank', 'gt', 1) | map(attribute='title') | join", "rejectattr('rank', 'odd') | list | length", "map(attribute='rank') | max",
        "map(attribute='rank') | min", "unique(attribute='rank') | list | length", "sort(attribute='title,rank', reverse=true) | map(attribute='title') | join",
    ],
    "object": ["items | list | length", "dictsort | map('first') | join", "list | sort | join", "length"],
}  # fmt: skip
ONLY_NUNJUCKS = {"text": ["dump", "nl2br"], "number": ["dump", "string"], "list": [], "documents": [], "object": [], "count": []}  # fmt: skip


class JinjaDraw:
    """Draws a template from what an engine has."""

    def __init__(self, source, *only, everything):
        self.source = source
        self.everything = everything
        self.filters = {kind: [name for table in (BOTH, *only) for name in table[kind]] for kind in BOTH}
        if everything:
            self.filters["text"].remove("nl2br")
        self.names = {"text": list(TEXTS), "number": list(NUMBERS), "list": list(LISTS)}

    def one(self, *choices):
        return self.source.choice(choices)

    def filtered(self, value, kind):
        name = self.source.choice(self.filters[kind])
        return f"({value} | {name[1:]}" if name.startswith("(") else f"{value} | {name}"

    def text(self):
        value = self.source.choice(self.names["text"])
        for _ in range(self.source.randrange(3)):
            value = self.filtered(value, "text")
        return value

    def number(self):
        value = self.source.choice(self.names["number"])
        draw = self.source.random()
        if draw < 0.2:
            return self.filtered(f"({value})", "number")
        if draw < 0.4:
            return f"({value}) {self.one('+', '-', '*')} {self.source.choice(NUMBERS[:6])}"
        return self.filtered(self.source.choice(TEXTS[:4]), "count") if draw < 0.5 else value

    def written(self):
        draw = self.source.random()
        if draw < 0.35:
            return self.text()
        if draw < 0.55:
            return self.number()
        if draw < 0.7:
            return self.filtered(self.source.choice(self.names["list"]), "list")
        if draw < 0.8:
            return self.filtered("two", "documents")
        if draw < 0.85:
            return self.filtered("person", "object") if self.everything else f"{WORDS} | title"
        if draw < 0.93:
            return f"{self.source.choice(TEXTS)} ~ {self.source.choice(NUMBERS[:4])}"
        return f"{self.source.choice(TEXTS)} if {self.test()} else {self.source.choice(NUMBERS[:4])}"

    def test(self):
        a, b = self.source.choice(NUMBERS[:7]), self.source.choice(NUMBERS[:7])
        tests = [
            f"({a}) {self.one('==', '!=', '<', '<=', '>', '>=')} {b}",
            f"{self.source.choice(TEXTS)} == {self.source.choice(TEXTS)}",
            self.source.choice(TRUTHS),
            f"not {self.source.choice(TRUTHS)}",
            f"{self.source.choice(TRUTHS)} {self.one('and', 'or')} {self.source.choice(TRUTHS)}",
            f"{self.source.choice(TEXTS)}",
            "missing is defined",
            "question is defined",
            "'a' in answer",
            f"({self.one(3, 'two[0].tags | length')}) is {self.one('odd', 'even')}",
        ]
        if self.everything:
            tests += ["nothing", "words", "question is string", "count is number", "person is mapping", "pair[1] in [0, 1]", "0 < count < 9"]  # fmt: skip
        return self.source.choice(tests)

    def statement(self, depth):
        left, right = self.one("{%", "{%-"), self.one("%}", "-%}")

        def tag(inner):
            return f"{left} {inner} {right}"

        draw = self.source.random()
        if not depth or draw < 0.5:
            return f"{self.one('{{', '{{-')} {self.written()} {self.one('}}', '-}}')}"
        if draw < 0.7:
            parts = [tag(f"if {self.test()}"), self.body(depth)]
            if self.source.random() < 0.4:
                parts += [tag(f"elif {self.test()}"), self.body(depth)]
            if self.source.random() < 0.6:
                parts += [tag("else"), self.body(depth)]
            return "".join([*parts, tag("endif")])
        if draw < 0.9:
            return self.loop(depth, tag)
        if draw < 0.95:
            return tag(f"set kept = {self.text()}") + "{{ kept }}"
        return self.one("{# note #}", "{#- note -#}", "{% raw %}{{ x }}{% endraw %}")

    def loop(self, depth, tag):
        inside = self.one("loop.index", "loop.index0", "loop.length", "loop.revindex")
        doc = f"doc{depth}"
        if self.source.random() < 0.5:
            head, own = f"for {doc} in {self.one('docs', 'two')}", {"text": [f"{doc}.title", f"{doc}.author.name"], "number": [f"{doc}.rank", inside]}  # fmt: skip
        else:
            head, own = f"for word in {self.source.choice(LISTS)}", {"text": ["word"], "number": [inside]}
        before = self.names
        self.names = {
            **before,
            **{kind: before[kind] * (kind == "number") + names * 3 for kind, names in own.items()},
        }
        if "word" in own["text"]:  # a string or a number: written as it is
            self.names = {**self.names, "text": ["word | string"]}
        body = self.body(depth) + "{{ ', ' if not loop.last }}"
        self.names = before
        otherwise = tag("else") + self.body(depth) if self.source.random() < 0.4 else ""
        return tag(head) + body + otherwise + tag("endfor")

    def body(self, depth):
        return drawn_filler(self.source) + self.statement(depth - 1) + drawn_filler(self.source)

    def template(self):
        return "".join(
            self.statement(2) + drawn_filler(self.source) for _ in range(self.source.randrange(1, 5))
        )


def drawn_pairs(*only, everything):
    pairs = []
    for seed in range(PAIRS):
        source = random.Random(seed)
        pairs.append((JinjaDraw(source, *only, everything=everything).template(), drawn_values(source)))
    return pairs


def ours(template, values):
    (message,) = templates.render(template, "jinja", values)
    return message.content


def jinja2_text(template, values):
    """What jinja2 writes; None when it stops at these values."""
    environment = jinja2.Environment(autoescape=False, keep_trailing_newline=True, newline_sequence="\n")
    try:
        return environment.from_string(template).render(values)
    except (TypeError, ValueError, jinja2.UndefinedError):
        return None


def test_jinja2_and_we_write_the_same_text():
    compared = 0
    for template, values in drawn_pairs(ONLY_JINJA2, everything=True):
        theirs = jinja2_text(template.replace("\r\n", "\n"), values)
        if theirs is None:
            continue
        assert ours(template.replace("\r\n", "\n"), values) == theirs, (template, values)
        compared += 1
    assert compared > PAIRS * 0.9


def test_nunjucks_and_we_write_the_same_text(node_render):
    # JavaScript counts a character beyond the first 65,536 as two, Python and we as one.
    pairs = [
        (template, json.loads(json.dumps(values, ensure_ascii=False).replace("😀", "e")))
        for template, values in drawn_pairs(ONLY_NUNJUCKS, everything=False)
    ]
    compared = 0
    for (template, values), theirs in zip(pairs, node_render("nunjucks", pairs), strict=True):
        if "error" in theirs:
            continue
        assert ours(template, values) == theirs["text"], (template, values)
        compared += 1
    assert compared > PAIRS * 0.9


REFUSED = [
    "{{ question", "{{ }}", "{% if yes %}", "{% if %}{% endif %}", "{% endif %}", "{% for x in words %}", "{% for x of words %}{% endfor %}",
    "{% else %}", "{{ question | }}", "{{ (question }}", "{{ question) }}", "{{ 'open }}", "{{ a b }}", "{% unknown %}", "{% if yes %}{% endfor %}",
    "{{ [1, 2 }}", "{{ {'a': } }}", "{{ question..name }}", "{% set = 1 %}", "{% set x %}", "{{ a + }}", "{{ * a }}", "{% for %}{% endfor %}",
    "{{ words[ }}",
]  # fmt: skip


@pytest.mark.parametrize("template", REFUSED)
def test_what_jinja2_cannot_parse_is_refused_here(template):
    with pytest.raises(jinja2.TemplateSyntaxError):
        jinja2.Environment(autoescape=False).parse(template)
    with pytest.raises(TemplateError):
        templates.inputs(template, "jinja")
