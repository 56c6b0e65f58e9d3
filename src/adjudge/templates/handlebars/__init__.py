"""Handlebars, and Dotprompt on top of it: `{{#if}}`, `{{#each}}`, `../x`, `@index`, `{{~ ~}}`, `{{role "system"}}`."""

from adjudge.templates.handlebars.blocks import build
from adjudge.templates.handlebars.space import strip_space
from adjudge.templates.handlebars.statements import read_statements
from adjudge.templates.syntax import Node

__all__ = ["parse"]


def parse(text: str) -> tuple[Node, ...]:
    statements = read_statements(text)
    strip_space(statements)
    return build(text, statements)
