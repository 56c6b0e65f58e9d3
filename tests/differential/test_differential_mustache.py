"""Mustache here and in npm's `mustache`: the same templates and values, the same text."""

import random
import re

import pytest
from template_values import drawn_filler, drawn_values

from adjudge import templates
from adjudge.errors import TemplateError

PAIRS = 600
WRITTEN = (
    "question",
    "answer",
    "count",
    "zero",
    "empty",
    "person.name",
    "person.home.city",
    "two.0.title",
    "pair.1",
)
SECTIONS = {
    "yes": (), "no": (), "nothing": (), "zero": (), "empty": (), "count": (".",), "question": (".",),
    "words": (".",), "pair": (".",), "docs": ("title", "rank", "author.name"), "two": ("title", "author.age"),
    "person": ("name", "home.city"), "person.home": ("city",),
}  # fmt: skip
INSIDE = {
    "docs": {"hot": (), "tags": (".",), "author": ("name", "age")},
    "two": {"tags": (".",), "hot": (), "author": ("name",)},
    "person": {"tags": (".",), "home": ("city",)},
}


def tag(source, name):
    left, right = source.choice(("", " ", "  ", "\n")), source.choice(("", " ", "\n"))
    return source.choice((f"{{{{{left}{name}{right}}}}}", f"{{{{{{{left}{name}{right}}}}}}}", f"{{{{&{left}{name}{right}}}}}"))  # fmt: skip


def body(source, names, sections, depth):
    parts = [drawn_filler(source)]
    for _ in range(source.randrange(1, 5)):
        kind = source.random()
        if kind < 0.45 or depth == 0:
            parts.append(tag(source, source.choice(names)))
        elif kind < 0.55:
            parts.append(
                source.choice(("{{! a note }}", "{{!\n two\n lines }}", "{{!}}", "{{ ! with space }}"))
            )
        else:
            subject = source.choice(list(sections))
            sigil = source.choice("###^")
            inner = names if sigil == "^" else (*(name for name in names if name != "."), *sections[subject])
            if not sections[subject]:
                inner = names  # `.` is still what it was
            below = sections if sigil == "^" else {**sections, **INSIDE.get(subject, {})}
            gap = source.choice(("", " "))
            parts += [
                f"{{{{{sigil}{gap}{subject}{gap}}}}}",
                body(source, inner, below, depth - 1),
                f"{{{{/{gap}{subject}{gap}}}}}",
            ]
        parts.append(drawn_filler(source))
    return "".join(parts)


def test_generated_templates_give_the_text_that_mustache_gives(node_render):
    source = random.Random(13)
    pairs = [(body(source, WRITTEN, SECTIONS, 3), drawn_values(source)) for _ in range(PAIRS)]
    differ = []
    for (template, values), theirs in zip(pairs, node_render("mustache", pairs), strict=True):
        (ours,) = templates.render(template, "mustache", values)
        if theirs != {"text": ours.content}:
            differ.append((template, values, theirs, ours.content))
    assert not differ, (
        f"{len(differ)} of {len(pairs)} differ; the shortest: {min(differ, key=lambda d: len(d[0]))!r}"
    )


REFUSED = [
    "{{#docs}}", "{{^docs}}text", "{{/docs}}", "{{#docs}}{{/words}}", "{{#docs}}{{#words}}{{/docs}}{{/words}}", "{{question",
    "{{question}", "{{! never closed", "text {{#yes}}{{question}} text", "{{#docs}}{{title}}{{/docs}}{{/docs}}",
    "{{#person}}{{/person.name}}",
]  # fmt: skip


def test_what_mustache_refuses_is_refused_here(node_render):
    values = drawn_values(random.Random(1))
    for template, theirs in zip(
        REFUSED, node_render("mustache", [(text, values) for text in REFUSED]), strict=True
    ):
        assert "error" in theirs, template
        with pytest.raises(TemplateError):
            templates.inputs(template, "mustache")


def test_a_template_that_lost_a_section_tag_is_refused_by_both(node_render):
    source = random.Random(31)
    values = drawn_values(source)
    damaged = []
    while len(damaged) < PAIRS // 2:
        template = body(source, WRITTEN, SECTIONS, 2)
        tags = list(re.finditer(r"\{\{[#^/][^{}]*\}\}", template))
        if tags:
            lost = source.choice(tags)
            damaged.append(template[: lost.start()] + template[lost.end() :])
    for template, theirs in zip(
        damaged, node_render("mustache", [(text, values) for text in damaged]), strict=True
    ):
        assert "error" in theirs, template
        with pytest.raises(TemplateError):
            templates.inputs(template, "mustache")
