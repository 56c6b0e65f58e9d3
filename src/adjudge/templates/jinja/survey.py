"""jinja2's syntax tree -> inputs, outline, a form for hashing."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from jinja2 import nodes

from adjudge.errors import TemplateError
from adjudge.expressions.syntax import Step
from adjudge.records import Json
from adjudge.templates.outlining import placeholder
from adjudge.templates.survey import Mention, check_path, gather
from adjudge.templates.syntax import Span, TemplateInput, dotted, input_name

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


class Survey:
    """One walk over the tree: the mentions of inputs, and the local names that stand for them."""

    def __init__(self, text: str, tree: nodes.Template) -> None:
        self.text = text
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]
        """Where each line starts."""
        self.mentions: list[Mention] = []
        self.aliases: dict[str, str] = {}
        """The local names in reach -> the input behind each, empty when there is none."""
        self.ever: dict[str, set[str]] = {}
        """Every local name of the template -> the inputs that were ever behind it."""
        self.covered: set[str] = set()
        """Local names bound to an expression that already says what to do when its input is absent."""
        for macro in tree.find_all(nodes.Macro):
            self.aliases[macro.name] = ""
        self.visit(tree, frozenset(), tested=False)

    def references(self) -> tuple[TemplateInput, ...]:
        by_name: dict[str, list[Tag]] = {}
        for tag in tags(self.text):
            found = {name for path in tag.paths for name in (input_name(path), *self.ever.get(path[0], ()))}
            for name in found:
                by_name.setdefault(name, []).append(tag)
        references = []
        for reference in gather(self.mentions):
            own = by_name.get(reference.name, [])
            spans = tuple(tag.span for tag in ([tag for tag in own if tag.written] or own))
            references.append(replace(reference, spans=spans))
        return tuple(references)

    def _source(self, path: tuple[Step, ...]) -> str:
        root = str(path[0])
        if root in self.aliases:
            return self.aliases[root]
        return "" if root in BUILT_IN else input_name(path)

    def sources(self, node: nodes.Node | None) -> list[str]:
        """The inputs behind an expression, in its order."""
        if node is None:
            return []
        path = path_of(node)
        if path is not None:
            return [name] if (name := self._source(path)) else []
        return [name for child in node.iter_child_nodes() for name in self.sources(child)]

    def outline_names(self, node: nodes.Node) -> list[str]:
        """What an outline calls the names in an expression, wherever in the template it stands."""
        path = path_of(node)
        if path is None:
            return [name for child in node.iter_child_nodes() for name in self.outline_names(child)]
        name, root = input_name(path), str(path[0])
        if root not in self.ever or any(mention.name == name for mention in self.mentions):
            return [name]
        return [min(self.ever[root], default=root)]

    def _bind(self, target: nodes.Node, source: nodes.Node | None, *, covered: bool = False) -> None:
        behind = self.sources(source)
        for name in [target] if isinstance(target, nodes.Name) else target.find_all(nodes.Name):
            self.aliases[name.name] = behind[0] if behind else ""
            self.ever.setdefault(name.name, set()).update(behind[:1])
            (self.covered.add if covered else self.covered.discard)(name.name)

    def _visit_value(self, node: nodes.Node, governed: frozenset[str], *, tested: bool = False) -> bool:
        """Visit what a name is bound to; does it foresee the absence of its inputs?"""
        before = len(self.mentions)
        self.visit(node, governed, tested=tested)
        return all(mention.guarded for mention in self.mentions[before:])

    def visit(self, node: nodes.Node, governed: frozenset[str], *, tested: bool) -> None:
        path = path_of(node)
        if path is not None:
            self._mention(path, node.lineno, governed, tested=tested)
            return
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
            case nodes.If():
                self.visit(node.test, governed, tested=True)
                inside = governed | set(self.sources(node.test))
                self._visit_all(node.body, inside)
                for branch in node.elif_:
                    self.visit(branch.test, governed, tested=True)
                    inside |= set(self.sources(branch.test))
                    self._visit_all(branch.body, inside)
                self._visit_all(node.else_, inside)
            case nodes.For():
                # Only a loop that says what to write when there is nothing foresees that there is nothing.
                foreseen = self._visit_value(node.iter, governed, tested=bool(node.else_))
                inside = governed | set(self.sources(node.iter)) if foreseen else governed
                outer = dict(self.aliases)
                self._bind(node.target, node.iter)
                if node.test is not None:
                    self.visit(node.test, inside, tested=True)
                self._visit_all(node.body, inside)
                self.aliases = outer
                self._visit_all(node.else_, inside)
            case nodes.Assign():
                covered = self._visit_value(node.node, governed)
                self._bind(node.target, node.node, covered=covered)
            case nodes.AssignBlock():
                self._visit_all(node.body, governed)
                self._bind(node.target, None)
            case nodes.With():
                outer = dict(self.aliases)
                for target, value in zip(node.targets, node.values, strict=True):
                    covered = self._visit_value(value, governed)
                    self._bind(target, value, covered=covered)
                self._visit_all(node.body, governed)
                self.aliases = outer
            case nodes.Macro() | nodes.CallBlock():
                for default in node.defaults:
                    self.visit(default, governed, tested=False)
                if isinstance(node, nodes.CallBlock):
                    self.visit(node.call, governed, tested=False)
                outer = dict(self.aliases)
                for parameter in node.args:
                    self._bind(parameter, None)
                self._visit_all(node.body, governed)
                self.aliases = outer
            case nodes.CondExpr():
                self.visit(node.test, governed, tested=True)
                inside = governed | set(self.sources(node.test))
                self.visit(node.expr1, inside, tested=tested)
                if node.expr2 is not None:
                    self.visit(node.expr2, inside, tested=tested)
            case nodes.Or() | nodes.And():
                self.visit(node.left, governed, tested=True)
                self.visit(node.right, governed | set(self.sources(node.left)), tested=tested)
            case nodes.Filter() if node.name in SUBSTITUTES and node.node is not None:
                self.visit(node.node, governed, tested=True)
                for argument in node.args:
                    self.visit(argument, governed, tested=tested)
            case nodes.Call():
                self._check_call(node)
                for child in node.iter_child_nodes():
                    if child is not node.node or not isinstance(child, nodes.Name):
                        self.visit(child, governed, tested=tested)
            case _:
                for child in node.iter_child_nodes():
                    self.visit(child, governed, tested=tested)

    def _visit_all(self, body: list[nodes.Node], governed: frozenset[str]) -> None:
        for node in body:
            self.visit(node, governed, tested=False)

    def _check_call(self, node: nodes.Call) -> None:
        if isinstance(node.node, nodes.Name) and node.node.name not in (*BUILT_IN, *self.aliases):
            raise TemplateError(
                f"line {node.lineno}",
                f"found a call of `{node.node.name}`, which is not known here",
                "use a filter, or define a macro of that name",
            )

    def _mention(self, path: tuple[Step, ...], line: int, governed: frozenset[str], *, tested: bool) -> None:
        name = self._source(path)
        if not name:
            return
        own = str(path[0]) not in self.aliases
        offset = self.lines[min(line, len(self.lines)) - 1]
        check_path(self.text, path, (offset, offset))
        self.mentions.append(
            Mention(
                name=name,
                path=dotted(path) if own else name,
                span=(offset, offset),
                written=not tested,
                guarded=tested or name in governed or (not own and path[0] in self.covered),
            )
        )


def outline_of(tree: nodes.Template, survey: Survey) -> str:
    """The literal text of every branch in order, each input shown."""
    parts: list[str] = []

    def written(node: nodes.Node) -> None:
        match node:
            case nodes.TemplateData():
                parts.append(node.data)
            case nodes.Const():
                parts.append(str(node.value))
            case nodes.CondExpr():
                written(node.expr1)
                if node.expr2 is not None:
                    written(node.expr2)
            case nodes.Or() | nodes.Add():
                written(node.left)
                written(node.right)
            case nodes.Concat():
                for joined in node.nodes:
                    written(joined)
            case nodes.Filter() if node.name in SUBSTITUTES and node.node is not None:
                written(node.node)
                if node.args:
                    written(node.args[0])
            case _:
                parts.extend(placeholder(name) for name in survey.outline_names(node))

    def walk(node: nodes.Node) -> None:
        if isinstance(node, nodes.Output):
            for part in node.nodes:
                written(part)
        else:
            for child in node.iter_child_nodes():
                walk(child)

    walk(tree)
    return "".join(parts)


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
