"""Mustache here and in npm's `mustache`: what one refuses, the other does."""

import random

import pytest
from template_values import drawn_values

from adjudge import templates
from adjudge.errors import TemplateError

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
