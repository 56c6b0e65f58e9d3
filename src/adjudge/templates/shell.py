"""Shell: `$x`, `${x}` and `{$x}`, with `$$` for a dollar; money, maths and JSON paths are text."""

import re

from adjudge.expressions.syntax import Name, Step
from adjudge.templates.syntax import Node, Output, add_text, joined

TAG = re.compile(
    # braces around a dollar belong to the tag
    r"(?P<double>\{)?\{\$(?P<wrapped>[^\W\d]\w*+(?:\.\w++)*+)\}(?(double)\})"
    r"|\$(?:(?P<escape>\$)"
    r"|\{[ \t]*+(?P<braced>[^\W\d]\w*+(?:\.\w++)*+)[ \t]*+\}"
    # `$x$` and `$x^2` are formulas, unless the second dollar opens a name of its own (`$a$b`)
    r"|(?P<bare>[^\W\d]\w*+)(?![\^\\]|\$(?![\w{$])))"
)


def parse(text: str) -> tuple[Node, ...]:
    nodes: list[Node] = []
    position = 0
    for match in TAG.finditer(text):
        add_text(nodes, text[position : match.start()])
        if match["escape"]:
            add_text(nodes, "$")
        else:
            path: tuple[Step, ...] = tuple((match["wrapped"] or match["braced"] or match["bare"]).split("."))
            nodes.append(Output(expression=Name(path=path), span=match.span()))
        position = match.end()
    add_text(nodes, text[position:])
    return joined(nodes)
