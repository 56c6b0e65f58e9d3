"""A template as a shared syntax tree, rendered: the tree, values -> messages."""

import re
from collections.abc import Mapping, Sequence
from typing import assert_never

from adjudge.errors import TemplateError
from adjudge.records import Dialect, Json, Message, Role
from adjudge.templates.expressions import Scope
from adjudge.templates.outlining import outline_of, serialise
from adjudge.templates.survey import find_mentions, gather
from adjudge.templates.syntax import (
    Assign,
    ContextBlock,
    For,
    If,
    MessageTag,
    Node,
    Output,
    RoleChange,
    Section,
    TemplateInput,
    Text,
    line_of,
)
from adjudge.templates.values import ABSENT, Value, is_filled, is_true

UNINDENTED = re.compile(r"^\S", re.MULTILINE)
LAID_OUT: frozenset[Dialect] = frozenset({"promptl"})
"""Dialects whose messages lose the indentation and the white space at both ends that lay out a template."""


class TreeTemplate:
    """A parsed prompt of any dialect but Jinja."""

    unread: tuple[str, ...] = ()

    def __init__(
        self,
        text: str,
        dialect: Dialect,
        nodes: tuple[Node, ...],
        scope: type[Scope] = Scope,
        outlined: tuple[Node, ...] | None = None,
    ) -> None:
        """`outlined` is the tree to outline, where that is not the one to render."""
        self.dialect = dialect
        self.nodes = nodes
        self.outlined = nodes if outlined is None else outlined
        self.text = text
        self.scope = scope
        self.references: tuple[TemplateInput, ...] = gather(find_mentions(text, nodes, scope.known))
        self._lays_out = dialect in LAID_OUT
        self._tagged = any(_has_message(node) for node in nodes)

    def render(self, values: Mapping[str, Json]) -> tuple[Message, ...]:
        writer = TreeRendering(self.text, self.scope(values), lays_out=self._lays_out)
        try:
            writer.write_nodes(self.nodes)
        except RecursionError as error:
            raise TemplateError("line 1", "a list is nested too deep to be written", "nest less") from error
        if self._tagged:
            return writer.messages()
        parts = _trim(writer.parts, writer.literal, lays_out=True) if self._lays_out else writer.parts
        return (Message(role="user", content="".join(parts)),)

    def outline(self) -> str:
        return outline_of(self.outlined, self.scope.known)

    def canonical(self) -> str:
        # what is sent of the same tree changes with the layout, so the form says which it is
        return serialise(f"{self.dialect}, laid out" if self._lays_out else self.dialect, self.nodes)


def _has_message(node: Node) -> bool:
    match node:
        case MessageTag() | RoleChange():
            return True
        case If(arms=arms, otherwise=otherwise):
            return any(map(_has_message, [*(n for arm in arms for n in arm.body), *otherwise]))
        case For(body=body, otherwise=otherwise) | ContextBlock(body=body, otherwise=otherwise):
            return any(map(_has_message, [*body, *otherwise]))
        case Section(body=body):
            return any(map(_has_message, body))
        case _:
            return False


def _outdent(parts: list[str], literal: list[bool]) -> None:
    """Take the indentation that all lines share from those that the template itself begins."""
    if parts and UNINDENTED.search(parts[0]):
        return
    text = "".join(parts)
    if UNINDENTED.search(text):
        return
    lines = text.split("\n")
    shared = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    if not shared:
        return
    begins = True
    for index, part in enumerate(parts):
        if literal[index]:
            first, *others = part.split("\n")
            kept = [_without_indent(first, shared) if begins else first]
            parts[index] = "\n".join(kept + [_without_indent(line, shared) for line in others])
        begins = part.endswith("\n") if part else begins


def _without_indent(line: str, width: int) -> str:
    return line[min(width, len(line) - len(line.lstrip())) :]


def _trim(parts: list[str], literal: list[bool], *, lays_out: bool) -> list[str]:
    """What is left of the parts without the white space that lays out the template."""
    if lays_out:
        _outdent(parts, literal)
    first, last = 0, len(parts)
    while first < last and (literal[first] or not parts[first]):
        parts[first] = parts[first].lstrip()
        if parts[first]:
            break
        first += 1
    while last > first and (literal[last - 1] or not parts[last - 1]):
        parts[last - 1] = parts[last - 1].rstrip()
        if parts[last - 1]:
            break
        last -= 1
    return parts[first:last]


class TreeRendering:
    """One rendering of one tree."""

    def __init__(self, text: str, scope: Scope, *, lays_out: bool = False) -> None:
        self.text = text
        self.scope = scope
        self.lays_out = lays_out
        self.parts: list[str] = []
        self.literal: list[bool] = []
        """Beside each part: was it the template's own text? Only that is ever trimmed."""
        self.role: Role = "user"
        """Of the text outside message tags."""
        self.done: list[Message] = []

    def messages(self) -> tuple[Message, ...]:
        self._end_message(self.role, keep_blank=not self.done)
        return tuple(self.done)

    def _end_message(self, role: Role, *, keep_blank: bool) -> None:
        """Turn the parts so far into a message, without the white space that lays out the template's tags."""
        parts = _trim(self.parts, self.literal, lays_out=self.lays_out)
        self.parts, self.literal = [], []
        if keep_blank or any(parts):
            self.done.append(Message(role=role, content="".join(parts)))

    def _write(self, text: str, *, literal: bool) -> None:
        if self.scope.loops:
            self.scope.write(text)
        self.parts.append(text)
        self.literal.append(literal)

    def write_nodes(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            match node:
                case Text(text=text):
                    self._write(text, literal=True)
                case Output(expression=expression):
                    self._write(self.scope.text_of(self.scope.value_of(expression)), literal=False)
                case If(arms=arms, otherwise=otherwise):
                    for arm in arms:
                        if self.scope.holds(self.scope.value_of(arm.test)):
                            self.write_nodes(arm.body)
                            break
                    else:
                        self.write_nodes(otherwise)
                case For():
                    self._write_loop(node)
                case Section():
                    self._write_section(node)
                case ContextBlock():
                    self._write_block(node)
                case Assign(name=name, value=value):
                    self.scope.names[name] = self.scope.value_of(value)
                case RoleChange(role=role):
                    self._end_message(self.role, keep_blank=False)
                    self.role = role
                case MessageTag(role=role, body=body):
                    self._end_message("user", keep_blank=False)
                    self.write_nodes(body)
                    self._end_message(role, keep_blank=True)
                case _:
                    assert_never(node)

    def _write_loop(self, node: For) -> None:
        entries = list(self.scope.entries(self.scope.value_of(node.source)))
        if not entries:
            self.write_nodes(node.otherwise)
            return
        names = self.scope.names
        loop_names = [name for name in (node.item, node.index) if name]
        outer = self._hide(loop_names)
        where = f"line {line_of(self.text, node.span[0])}"
        self.scope.loops += 1
        for place, item in entries:
            self.scope.iterate(where)
            names[node.item] = item
            if node.index:
                names[node.index] = place
            self.write_nodes(node.body)
        self.scope.loops -= 1
        self._uncover(loop_names, outer)

    def _write_section(self, node: Section) -> None:
        subject = self.scope.value_of(node.subject)
        present = bool(subject) if isinstance(subject, list) else is_true(subject)
        if node.inverted:
            if not present:
                self.write_nodes(node.body)
            return
        if not present:
            return
        contexts = self.scope.contexts
        if subject is True:
            self.write_nodes(node.body)
            return
        if not isinstance(subject, list):
            contexts.append(subject)
            self.write_nodes(node.body)
            contexts.pop()
            return
        where = f"line {line_of(self.text, node.span[0])}"
        self.scope.loops += 1
        for item in subject:
            self.scope.iterate(where)
            contexts.append(item)
            self.write_nodes(node.body)
            contexts.pop()
        self.scope.loops -= 1

    def _write_block(self, node: ContextBlock) -> None:
        subject = self.scope.value_of(node.subject)
        if isinstance(subject, list) and node.kind != "with":
            self._write_each(node, list(enumerate(subject)))
        elif node.kind == "each":
            self._write_each(node, list(subject.items()) if isinstance(subject, dict) else [])
        elif node.kind == "section" and subject is True:
            self.write_nodes(node.body)
        elif is_filled(subject, zero=True) or (node.kind == "section" and subject == ""):
            self._write_inside(node, subject)  # to a block of no helper, empty text is something
        else:
            self.write_nodes(node.otherwise)

    def _write_inside(self, node: ContextBlock, subject: Value) -> None:
        outer = self._hide(node.names)
        self.scope.names.update(zip(node.names, (subject, ABSENT), strict=False))
        entered = self.scope.enter(subject)
        self.write_nodes(node.body)
        if entered:
            self.scope.contexts.pop()
        self._uncover(node.names, outer)

    def _write_each(self, node: ContextBlock, entries: Sequence[tuple[str | int, Json]]) -> None:
        if not entries:
            self.write_nodes(node.otherwise)
            return
        scope, names = self.scope, node.names
        where = f"line {line_of(self.text, node.span[0])}"
        outer = self._hide(names)
        frame: dict[str, Value] = {}
        scope.frames.append(frame)
        scope.loops += 1
        last = len(entries) - 1
        for position, (key, item) in enumerate(entries):
            scope.iterate(where)
            frame["index"], frame["key"] = position, key
            frame["first"], frame["last"] = position == 0, position == last
            if names:
                scope.names.update(zip(names, (item, key), strict=False))
            entered = scope.enter(item)
            self.write_nodes(node.body)
            if entered:
                scope.contexts.pop()
        scope.loops -= 1
        scope.frames.pop()
        self._uncover(names, outer)

    def _hide(self, names: Sequence[str]) -> dict[str, Value]:
        """The values of names that a block is about to give others to."""
        return {name: self.scope.names[name] for name in names if name in self.scope.names}

    def _uncover(self, names: Sequence[str], outer: Mapping[str, Value]) -> None:
        for name in names:
            self.scope.names.pop(name, None)
        self.scope.names.update(outer)
