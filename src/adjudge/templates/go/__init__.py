"""Go's text/template: its grammar, read into the shared tree, and what is Go's own about values."""

from adjudge.templates.expressions import Scope
from adjudge.templates.syntax import Node


def parse(text: str) -> tuple[Node, ...]:
    from adjudge.templates.go.parser import parse_template  # noqa: PLC0415 - its patterns are slow to compile

    return parse_template(text)


def values_scope() -> type[Scope]:
    from adjudge.templates.go.scope import GoScope  # noqa: PLC0415 - as above

    return GoScope
