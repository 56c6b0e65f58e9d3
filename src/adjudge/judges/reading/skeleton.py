"""JSON as prompts show it: with `<0-5>`, `true/false`, comments, ellipses and bare keys in place of values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from adjudge.patterns import lazy_pattern

MAX_CHARS = 20_000
MAX_ATTEMPTS = 200
MAX_DEPTH = 12

_OPENING = lazy_pattern(
    r"\{\s{0,200}(?:(?://|#)[^\n]{0,200}\n\s{0,200})?(?:[\"'“`][^\"'“”`\n{}]{1,60}[\"'”`]|[A-Za-z_]\w{0,59}\??)\s{0,20}:"
)
_REMARK = r"(?://|#)[^\n]*|/\*.{0,2000}?\*/"
_COMMENT = lazy_pattern(_REMARK, re.DOTALL)
_ELLIPSIS = lazy_pattern(r"\.\.\.+|…")
_KEY = lazy_pattern(
    rf"(?:[\"'“`](?P<quoted>[^\"'“”`\n{{}}]{{1,60}})[\"'”`]|(?P<bare>[A-Za-z_][\w-]{{0,59}}))\??\s{{0,20}}:(?:\s|{_REMARK})*+",
    re.DOTALL,
)
_BETWEEN = lazy_pattern(rf"(?:[\s,;…]|\.\.\.+|{_REMARK})*+", re.DOTALL)
# An apostrophe or an unescaped inner quote does not end a text: something JSON-like has to follow.
_ENDS = r"(?=[ \t]{0,40}(?:\Z|[,:;}\]\n|/)#(—]|or |<-|--))"
_QUOTED = lazy_pattern(
    rf"(?P<mark>\"|'|`)(?P=mark){{2}}.*?(?P=mark){{3}}|(?:(?P<same>[\"'`])|“)(?:\\.|[^\\]){{0,1000}}?(?(same)(?P=same)|”){_ENDS}",
    re.DOTALL,
)
_ALTERNATIVE = lazy_pattern(r"[ \t]{0,8}(?:[|/(]|or )")
_BARE = lazy_pattern(
    r"(?:\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|<[^<>\n]{0,400}>|\([^()\n]{0,400}\)|\{[^{}\n]{0,400}\}|\[[^\[\]\n]{0,400}\]|(?!//|[ ]#)[^,;\n}\]])*+"
)
"""A value as written, up to its comma, line end or bracket; quotes, `<…>` and `(…)` hold together."""
_ONE_VALUE = lazy_pattern(r"\d\s*[-–]\s*\d|/|\||\bor\b|\bto\b|\byour\b|\bhere\b")
"""`[1-5]` and `[Yes/No]` are places for one value; `[string]` and `[int, …]` are lists."""
_ARRAY_OF = lazy_pattern(r"(?:readonly )?(?:Array|List|list)[<\[]\s{0,8}(?=\{)")
_ARRAY_END = lazy_pattern(r"\s{0,8}[>\]]")
_ARRAY_MARK = lazy_pattern(r"\s{0,4}\[\s?\]")
"""TypeScript's lists of objects: `Array<{…}>` and `{…}[]`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Leaf:
    text: str
    quoted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ListNode:
    elements: tuple["Node", ...]
    open_ended: bool
    """An ellipsis stands in it: more of the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SkeletonEntry:
    name: str
    node: "Node"
    comment: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ObjectNode:
    entries: tuple[SkeletonEntry, ...]

    def __getitem__(self, name: str) -> "Node | None":
        return next((entry.node for entry in self.entries if entry.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.entries)


Node = Leaf | ListNode | ObjectNode


def inside(node: Node) -> Iterator[Node]:
    """The node and all that it holds."""
    yield node
    children = node.elements if isinstance(node, ListNode) else ()
    for child in [entry.node for entry in node.entries] if isinstance(node, ObjectNode) else children:
        yield from inside(child)


@dataclass(frozen=True, kw_only=True, slots=True)
class Skeleton:
    """An object that stands in the text."""

    node: ObjectNode
    start: int
    end: int
    in_list: bool
    """It is the element of a list at the top: the reply would be a list."""


class _NotJsonError(Exception):
    pass


def find_objects(text: str) -> list[Skeleton]:
    """Every JSON-like object that stands in the text, outermost only, in order."""
    found: list[Skeleton] = []
    position = 0
    for _ in range(MAX_ATTEMPTS):
        match = _OPENING.search(text, position)
        if match is None:
            break
        start = match.start()
        reader = _SkeletonReader(text[start : start + MAX_CHARS])
        try:
            node = reader.object(0)
        except _NotJsonError:
            position = start + 1
            continue
        position = start + reader.position
        follows = bool(found) and found[-1].in_list and text[found[-1].end : start].strip() == ","
        first = text[:start].rstrip()[-1:] == "["
        in_list = follows or (first and text[position : position + 200].lstrip()[:1] in {"]", ",", ".", "…"})
        found.append(Skeleton(node=node, start=start, end=position, in_list=in_list))
    return found


class _SkeletonReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return match

    def skip(self) -> str:
        """White space, separators, ellipses and comments, which are passed over."""
        match = self.take(_BETWEEN)
        return match[0] if match else ""

    def closes(self, mark: str) -> bool:
        closed = self.text.startswith(mark, self.position)
        self.position += closed
        return closed

    def object(self, depth: int) -> ObjectNode:
        self.position += 1
        entries: list[SkeletonEntry] = []
        while True:
            comment = " ".join(remark.strip("/#* \t\n") for remark in _COMMENT.findall(self.skip()))
            if comment and entries:
                entries[-1] = replace(entries[-1], comment=comment)
            if entries and self.closes("}"):
                return ObjectNode(entries=tuple(entries))
            key = self.take(_KEY)
            if key is None:
                raise _NotJsonError
            name = (key["quoted"] or key["bare"]).strip()
            entries.append(SkeletonEntry(name=name, node=self.value(depth + 1)))

    def value(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise _NotJsonError
        if _OPENING.match(self.text, self.position):
            node = self.object(depth)
            return ListNode(elements=(node,), open_ended=True) if self.take(_ARRAY_MARK) else node
        if self.take(_ARRAY_OF):
            node = self.object(depth)
            if self.take(_ARRAY_END) is None:
                raise _NotJsonError
            return ListNode(elements=(node,), open_ended=True)
        return self.list(depth) if self.text.startswith("[", self.position) else self.leaf()

    def list(self, depth: int) -> Node:
        start = self.position
        self.position += 1
        elements: list[Node] = []
        open_ended = _ELLIPSIS.search(self.skip()) is not None
        while not self.closes("]"):
            elements.append(self.value(depth + 1))
            open_ended |= _ELLIPSIS.search(self.skip()) is not None
        if self.text.startswith("]", self.position):  # `[[rating]]`: a place, not a list of lists
            raise _NotJsonError
        only = elements[0] if len(elements) == 1 else None
        if isinstance(only, Leaf) and not only.quoted and _ONE_VALUE.search(only.text):
            return Leaf(text=self.text[start : self.position], quoted=False)
        return ListNode(elements=tuple(elements), open_ended=open_ended)

    def leaf(self) -> Leaf:
        start = self.position
        quoted = self.take(_QUOTED)
        if quoted and not _ALTERNATIVE.match(self.text, self.position):
            return Leaf(text=quoted[0][1:-1], quoted=True)
        self.position = start
        bare = self.take(_BARE)
        text = bare[0].strip() if bare else ""
        if not text or self.position == len(self.text):
            raise _NotJsonError
        return Leaf(text=text, quoted=False)
