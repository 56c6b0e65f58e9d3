"""The syntax tree that every dialect but Jinja shares, and what is said of a template's inputs."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from adjudge.errors import TemplateError
from adjudge.expressions import syntax as expressions
from adjudge.expressions.syntax import Name, Step
from adjudge.fields import NAMESPACES
from adjudge.records import Role

Span: TypeAlias = tuple[int, int]

MAX_STEPS = 64
"""Members asked of members: `a.b.c` has three."""

JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""White space as JavaScript has it."""

FENCED = "fenced"
"""`fenced.x` is input `x` inside a boundary, when the caller supplies one under the key `fenced.x`."""


class TemplateInput(Struct, frozen=True, kw_only=True):
    """One input of a template, over all the places that mention it."""

    name: str
    path: str
    """As first written, with the members asked of it: `parameters.query`."""
    guarded: bool
    """Every mention is in, or governed by, a condition on this input: its absence can be expressed."""
    spans: tuple[Span, ...]
    """The tags that write it, as offsets into the text; those that test it when none writes it."""


# ---- expressions ---------------------------------------------------------------------------------------


class Here(Struct, frozen=True, kw_only=True):
    """What the innermost section is about (`.`), or a member of it."""

    path: tuple[Step, ...] = ()


class Outer(Struct, frozen=True, kw_only=True):
    """Handlebars: what a block around the innermost one is about (`../x`), or the inputs themselves."""

    path: tuple[Step, ...]
    up: int


class Root(Struct, frozen=True, kw_only=True):
    """Handlebars: an input, whatever block this is in (`@root.x`)."""

    path: tuple[Step, ...]


class LoopFact(Struct, frozen=True, kw_only=True):
    """Handlebars: where a loop stands (`@index`, `@key`, `@first`, `@last`)."""

    name: str
    up: int = 0
    """Loops further out: `@../index` has 1."""


class HelperCall(Struct, frozen=True, kw_only=True):
    """Handlebars: a helper that gives a value, or the test that a block makes."""

    function: Literal["lookup", "json", "filled", "filled_or_zero", "equal"]
    arguments: tuple["Expression", ...]
    indent: int | None = None
    """Of `json`."""


class Formatted(Struct, frozen=True, kw_only=True):
    """A value written in a format: `%.2f`, `{x:.2f}`, `{x!r}`."""

    value: Name
    style: str
    """`printf` or `python`: whose rules `spec` follows."""
    spec: str
    conversion: str = ""


Expression: TypeAlias = expressions.Node | Here | Outer | Root | LoopFact | HelperCall | Formatted


# ---- nodes ---------------------------------------------------------------------------------------------


class Text(Struct, frozen=True, kw_only=True):
    """Sent as it is; escapes are already resolved."""

    text: str


class Output(Struct, frozen=True, kw_only=True):
    expression: Expression
    span: Span


class Arm(Struct, frozen=True, kw_only=True):
    test: Expression
    body: tuple["Node", ...]
    span: Span


class If(Struct, frozen=True, kw_only=True):
    arms: tuple[Arm, ...]
    otherwise: tuple["Node", ...] = ()


class For(Struct, frozen=True, kw_only=True):
    item: str
    index: str | None
    source: Expression
    body: tuple["Node", ...]
    otherwise: tuple["Node", ...]
    span: Span


class Section(Struct, frozen=True, kw_only=True):
    """Mustache: once per element of a list, once in the context of an object, once for a truthy scalar."""

    subject: Name | Here
    inverted: bool
    body: tuple["Node", ...]
    span: Span


class ContextBlock(Struct, frozen=True, kw_only=True):
    """Handlebars: `{{#each}}`, `{{#with}}` or a block of any other name; names inside belong to what it is about."""

    kind: Literal["each", "with", "section"]
    subject: Expression
    names: tuple[str, ...]
    """`as |item index|`: local names for the value, and in a loop for its index or key."""
    body: tuple["Node", ...]
    otherwise: tuple["Node", ...]
    span: Span


class Assign(Struct, frozen=True, kw_only=True):
    name: str
    value: Expression
    span: Span


class MessageTag(Struct, frozen=True, kw_only=True):
    role: Role
    body: tuple["Node", ...]


class RoleChange(Struct, frozen=True, kw_only=True):
    """Dotprompt: what follows, up to the next one, is a message of this role."""

    role: Role


Node: TypeAlias = Text | Output | If | For | Section | ContextBlock | Assign | MessageTag | RoleChange


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
        add_text(found, "".join(texts))
        texts = []
        found.append(node)
    add_text(found, "".join(texts))
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
