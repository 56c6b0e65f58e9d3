"""Jinja: jinja2's own parser and sandbox behind the same surface, with what a template may do bounded."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.templates.jinja.template import JinjaTemplate


def parse(text: str) -> "JinjaTemplate":
    from adjudge.templates.jinja.template import JinjaTemplate  # noqa: PLC0415 - jinja2 is slow to import

    return JinjaTemplate(text)
