"""Handlebars, and Dotprompt on top of it: `{{#if}}`, `{{#each}}`, `../x`, `@index`, `{{~ ~}}`, `{{role "system"}}`."""

from adjudge.templates.syntax import Node


def parse(text: str) -> tuple[Node, ...]:
    # its patterns are slow to compile
    from adjudge.templates.handlebars.blocks import build  # noqa: PLC0415
    from adjudge.templates.handlebars.space import strip_space  # noqa: PLC0415
    from adjudge.templates.handlebars.statements import read_statements  # noqa: PLC0415

    statements = read_statements(text)
    strip_space(statements)
    return build(text, statements)
