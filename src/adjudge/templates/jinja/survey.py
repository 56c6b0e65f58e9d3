"""jinja2's syntax tree -> the shared one, which inputs and outline are read from; and -> a form for hashing."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jinja2 import nodes
from msgspec.structs import replace

from adjudge.errors import TemplateError
from adjudge.expressions import syntax as expressions
from adjudge.expressions.syntax import Chain, ListOf, Literal, Name, Step, Ternary
from adjudge.records import Json
from adjudge.templates.survey import Mention
from adjudge.templates.syntax import Arm, Assign, For, If, Node, Output, Span, TemplateInput, Text, input_name

NOTHING = Literal(value="")
OPERATORS: dict[type, str] = {nodes.Or: "||", nodes.And: "&&", nodes.Add: "+"}
BUILT_IN = frozenset(
    {"range", "dict", "namespace", "cycler", "joiner", "loop", "caller", "varargs", "kwargs", "self", "super"}
)
SUBSTITUTES = frozenset({"default", "d"})
"""Filters that say what to write for a value that is absent."""

TAG_OPEN = re.compile(r"\{\{|\{%-?\s*raw\s*-?%\}|\{%|\{#")
STRING = r"\"(?:[^\"\\]|\\.)*+(?:\"|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z)"
"""One that is never closed goes on to the end: no tag of jinja2's has such a string."""
INSIDE = re.compile(rf"{STRING}|[\[({{]|\}}\}}|%\}}|[\])}}]", re.DOTALL)
WORDS = re.compile(rf"{STRING}|(?<![\w.|])([^\W\d]\w*+(?:\.[^\W\d]\w*+)*+)", re.DOTALL)
END_RAW = re.compile(r"\{%-?\s*endraw\s*-?%\}")


class Tag(NamedTuple):
    span: Span
    written: bool
    paths: tuple[tuple[str, ...], ...]


def tags(text: str) -> Iterator[Tag]:
    """Where the template's tags stand, and the names in them; jinja2 itself remembers only lines."""
    position = 0
    while match := TAG_OPEN.search(text, position):
        start = match.start()
        if match[0] == "{#":
            end = text.find("#}", start)
            position = len(text) if end < 0 else end + 2
        elif len(match[0]) > 2:
            raw = END_RAW.search(text, match.end())
            position = raw.end() if raw else len(text)
        else:
            position = _tag_end(text, match.end(), "}}" if match[0] == "{{" else "%}")
            inner = text[start + 2 : position - 2]
            found = tuple(tuple(word[1].split(".")) for word in WORDS.finditer(inner) if word[1])
            yield Tag((start, position), match[0] == "{{", found)


def _tag_end(text: str, position: int, closing: str) -> int:
    depth = 0
    while match := INSIDE.search(text, position):
        found = match[0]
        if found == closing and depth <= 0:
            return match.end()
        if found in "[({":
            depth += 1
        elif found[-1] in "])}" and found != "%}":
            depth -= 1
            position = match.start() + 1
            continue
        position = match.end()
    return len(text)


class Translation:
    """jinja2's tree as the one that the other dialects share, as far as inputs and outline go."""

    def __init__(self, text: str, tree: nodes.Template) -> None:
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]
        """Where each line starts."""
        names = [node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"]
        macros = [macro.name for macro in tree.find_all(nodes.Macro)]
        self.callable = BUILT_IN | {*names, *macros}
        self.nodes = self.body(tree.body)
        self.locals = dict.fromkeys((*BUILT_IN, *macros), "")
        """Names that no input stands behind."""

    def span(self, node: nodes.Node) -> Span:
        offset = self.lines[min(node.lineno or 1, len(self.lines)) - 1]
        return offset, offset

    def body(self, found: Iterable[nodes.Node]) -> tuple[Node, ...]:
        return tuple(part for node in found for part in self.statement(node))

    def statement(self, node: nodes.Node) -> Iterator[Node]:
        match node:
            case nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Extends():
                raise TemplateError(
                    f"line {node.lineno}",
                    f"`{type(node).__name__.lower()}` reads other files and is not supported",
                    "write the text in its place",
                )
            case nodes.EvalContextModifier():
                raise TemplateError(
                    f"line {node.lineno}",
                    "`autoescape` is not supported",
                    "remove it: prompts are never escaped",
                )
            case nodes.Output():
                for part in node.nodes:
                    if isinstance(part, nodes.TemplateData):
                        yield Text(text=part.data)
                    else:
                        yield Output(expression=self.expression(part), span=self.span(part))
            case nodes.If():
                arms = [self.arm(branch.test, branch.body) for branch in (node, *node.elif_)]
                yield If(arms=tuple(arms), otherwise=self.body(node.else_))
            case nodes.For():
                tested = [] if node.test is None else [If(arms=(self.arm(node.test),))]
                first, *others = _targets(node.target) or [""]
                yield For(
                    item=first,
                    index=None,
                    source=self.expression(node.iter),
                    body=(*self.bind(others, Name(path=(first,)), node), *tested, *self.body(node.body)),
                    otherwise=self.body(node.else_),
                    span=self.span(node),
                )
            case nodes.Assign():
                yield from self.bind(_targets(node.target), self.expression(node.node), node)
            case nodes.AssignBlock():
                yield from self.body(node.body)
                yield from self.bind(_targets(node.target), NOTHING, node)
            case nodes.With():
                bound = [
                    part
                    for target, value in zip(node.targets, node.values, strict=True)
                    for part in self.bind(_targets(target), self.expression(value), node)
                ]
                yield self.scope((*bound, *self.body(node.body)), node)
            case nodes.Macro() | nodes.CallBlock():
                for default in node.defaults:
                    yield from self.bind([], self.expression(default), node)
                if isinstance(node, nodes.CallBlock):
                    yield from self.bind([], self.expression(node.call), node)
                parameters = [parameter.name for parameter in node.args]
                yield self.scope((*self.bind(parameters, NOTHING, node), *self.body(node.body)), node)
            case nodes.Stmt():
                for child in node.iter_child_nodes():
                    yield from self.statement(child)
            case _:
                yield from self.bind([], self.expression(node), node)

    def arm(self, test: nodes.Node, body: Iterable[nodes.Node] = ()) -> Arm:
        return Arm(test=self.expression(test), body=self.body(body), span=self.span(test))

    def bind(self, names: list[str], value: expressions.Node, node: nodes.Node) -> tuple[Node, ...]:
        """Each name bound to a value; a value that no name is bound to is mentioned all the same."""
        return tuple(Assign(name=name, value=value, span=self.span(node)) for name in names or [""])

    def scope(self, body: tuple[Node, ...], node: nodes.Node) -> Node:
        """What is bound in here is not bound after it."""
        return For(item="", index=None, source=NOTHING, body=body, otherwise=(), span=self.span(node))

    def expression(self, node: nodes.Node) -> expressions.Node:
        path = path_of(node)
        if path is not None:
            return Name(path=path)
        match node:
            case nodes.Const():
                return Literal(value=str(node.value))
            case nodes.CondExpr():
                otherwise = NOTHING if node.expr2 is None else self.expression(node.expr2)
                return Ternary(
                    test=self.expression(node.test), then=self.expression(node.expr1), otherwise=otherwise
                )
            case nodes.Or() | nodes.And() | nodes.Add():
                return self.chain(OPERATORS[type(node)], [node.left, node.right])
            case nodes.Concat():
                return self.chain("+", node.nodes)
            case nodes.Filter() if node.name in SUBSTITUTES and node.node is not None:
                return self.chain("??", [node.node, *node.args[:1]])
            case nodes.Call():
                called = node.node
                if isinstance(called, nodes.Name) and called.name not in self.callable:
                    raise TemplateError(
                        f"line {node.lineno}",
                        f"found a call of `{called.name}`, which is not known here",
                        "use a filter, or define a macro of that name",
                    )
        return ListOf(items=tuple(map(self.expression, node.iter_child_nodes())))

    def chain(self, operator: str, operands: list[nodes.Expr]) -> expressions.Node:
        first, *rest = map(self.expression, operands)
        return Chain(first=first, rest=tuple((operator, operand) for operand in rest or [NOTHING]))


def _targets(target: nodes.Node) -> list[str]:
    if isinstance(target, nodes.Name):
        return [target.name]
    return [name.name for name in target.find_all(nodes.Name)]


def path_of(node: nodes.Node) -> tuple[Step, ...] | None:
    """The path that a chain of members spells, from the name at its root."""
    match node:
        case nodes.Name():
            return (node.name,)
        case nodes.Getattr():
            target = path_of(node.node)
            return target and (*target, node.attr)
        case nodes.Getitem(arg=nodes.Const(value=str() | int() as key)):
            target = path_of(node.node)
            return target and (*target, key)
        case _:
            return None


def with_spans(
    text: str, references: Iterable[TemplateInput], mentions: list[Mention]
) -> tuple[TemplateInput, ...]:
    """The inputs with the tags that name them, or a local name that stands for them."""
    behind: dict[str, set[str]] = {}
    for mention in mentions:
        behind.setdefault(mention.alias, set()).add(mention.name)
    by_name: dict[str, list[Tag]] = {}
    for tag in tags(text):
        for name in {name for path in tag.paths for name in (input_name(path), *behind.get(path[0], ()))}:
            by_name.setdefault(name, []).append(tag)
    found = []
    for reference in references:
        own = by_name.get(reference.name, [])
        spans = tuple(tag.span for tag in ([tag for tag in own if tag.written] or own))
        found.append(replace(reference, spans=spans))
    return tuple(found)


def plain(node: object) -> Json:
    """A node as JSON, without its line; literal text that a comment divides is one text."""
    if isinstance(node, nodes.Output):
        children: list[Json] = []
        for child in node.nodes:
            if not isinstance(child, nodes.TemplateData):
                children.append(plain(child))
            elif children and isinstance(children[-1], str):
                children[-1] += child.data
            elif child.data:
                children.append(child.data)
        return ["Output", children]
    if isinstance(node, nodes.Node):
        return [type(node).__name__, *(plain(getattr(node, field)) for field in node.fields)]
    if isinstance(node, list | tuple):
        return [plain(item) for item in node if not (isinstance(item, nodes.Output) and _is_empty(item))]
    if node is None or isinstance(node, str | bool | int | float):
        return node
    return repr(node)


def _is_empty(output: nodes.Output) -> bool:
    return all(isinstance(child, nodes.TemplateData) and not child.data for child in output.nodes)
