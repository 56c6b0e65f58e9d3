"""The syntax tree that five of the six dialects share, and what is said of a template's inputs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from adjudge.errors import TemplateError
from adjudge.expressions import syntax as expressions
from adjudge.expressions.syntax import Name, Step
from adjudge.fields import NAMESPACES
from adjudge.records import Role

Span: TypeAlias = tuple[int, int]

MAX_STEPS = 64
"""Members asked of members: `a.b.c` has three."""

FENCED = "fenced"
"""`fenced.x` is input `x` inside a boundary, when the caller supplies one under the key `fenced.x`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateInput:
    """One input of a template, over all the places that mention it."""

    name: str
    path: str
    """As first written, with the members asked of it: `parameters.query`."""
    guarded: bool
    """Every mention is in, or governed by, a condition on this input: its absence can be expressed."""
    spans: tuple[Span, ...]
    """The tags that write it, as offsets into the text; those that test it when none writes it."""


# ---- expressions ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Here:
    """What the innermost section is about (`.`), or a member of it."""

    path: tuple[Step, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Formatted:
    """A value written in a format: `%.2f`, `{x:.2f}`, `{x!r}`."""

    value: Name
    style: str
    """`printf` or `python`: whose rules `spec` follows."""
    spec: str
    conversion: str = ""


Expression: TypeAlias = expressions.Node | Here | Formatted


# ---- nodes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Sent as it is; escapes are already resolved."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Output:
    expression: Expression
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Arm:
    test: Expression
    body: tuple["Node", ...]
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class If:
    arms: tuple[Arm, ...]
    otherwise: tuple["Node", ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class For:
    item: str
    index: str | None
    source: Expression
    body: tuple["Node", ...]
    otherwise: tuple["Node", ...]
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """Mustache: once per element of a list, once in the context of an object, once for a truthy scalar."""

    subject: Name | Here
    inverted: bool
    body: tuple["Node", ...]
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Assign:
    name: str
    value: Expression
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageTag:
    role: Role
    body: tuple["Node", ...]


Node: TypeAlias = Text | Output | If | For | Section | Assign | MessageTag


# ---- shared by the parsers -----------------------------------------------------------------------------


def add_text(nodes: list[Node], text: str) -> None:
    """Append literal text; `joined` then makes one text of what a comment or an escape divides."""
    if text:
        nodes.append(Text(text=text))


def joined(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes with neighbouring texts made one, so that a comment between the two leaves no trace."""
    found: list[Node] = []
    texts: list[str] = []
    for node in nodes:
        if isinstance(node, Text):
            texts.append(node.text)
            continue
        if texts:
            found.append(Text(text="".join(texts)))
            texts = []
        found.append(node)
    if texts:
        found.append(Text(text="".join(texts)))
    return tuple(found)


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def error_at(text: str, offset: int, problem: str, hint: str) -> TemplateError:
    return TemplateError(f"line {line_of(text, offset)}", problem, hint)


def input_name(path: tuple[Step, ...]) -> str:
    """The root of a path; the first two segments of `item.x` and `sample.x`; what follows `fenced.`."""
    if path[0] == FENCED and len(path) > 1:
        return input_name(path[1:])
    if path[0] in NAMESPACES and len(path) > 1 and isinstance(path[1], str):
        return f"{path[0]}.{path[1]}"
    return str(path[0])


def dotted(path: tuple[Step, ...]) -> str:
    return ".".join(str(step) for step in path)
