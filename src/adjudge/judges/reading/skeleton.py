"""JSON as prompts show it: with `<0-5>`, `true/false`, comments, ellipses and bare keys in place of values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LARGEST_CHARACTERS = 20_000
MOST_ATTEMPTS = 200
DEEPEST = 12

_OPENING = re.compile(
    r"\{\s{0,200}(?:(?://|#)[^\n]{0,200}\n\s{0,200})?(?:[\"'“`][^\"'“”`\n{}]{1,60}[\"'”`]|[A-Za-z_]\w{0,59}\??)\s{0,20}:"
)
_KEY = re.compile(
    r"(?:[\"'“`](?P<quoted>[^\"'“”`\n{}]{1,60})[\"'”`]|(?P<bare>[A-Za-z_][\w-]{0,59}))\??\s{0,20}:"
)
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.{0,2000}?\*/", re.DOTALL)
_ELLIPSIS = re.compile(r"\.\.\.+|…")


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

    def all_names(self) -> Iterator[str]:
        """Its own names and those of the objects inside it."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ObjectNode):
                yield from node.names
                waiting += [entry.node for entry in node.entries]
            elif isinstance(node, ListNode):
                waiting += node.elements

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.entries)


Node = Leaf | ListNode | ObjectNode


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
    position, attempts = 0, 0
    while attempts < MOST_ATTEMPTS and (match := _OPENING.search(text, position)):
        attempts += 1
        reader = _SkeletonReader(text[match.start() : match.start() + LARGEST_CHARACTERS])
        try:
            node = reader.object(0)
        except _NotJsonError:
            position = match.start() + 1
            continue
        end = match.start() + reader.position
        before = text[: match.start()].rstrip()[-1:]
        after = text[end : end + 200].lstrip()[:1]
        follows = bool(found) and found[-1].in_list and text[found[-1].end : match.start()].strip() == ","
        found.append(
            Skeleton(
                node=node,
                start=match.start(),
                end=end,
                in_list=follows or (before == "[" and after in {"]", ",", ".", "…"}),
            )
        )
        position = end
    return found


class _SkeletonReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def peek(self) -> str:
        if self.position >= len(self.text):
            raise _NotJsonError
        return self.text[self.position]

    def skip(self, *, also: str = ",;") -> str:
        """Pass over white space, separators and comments; the comments are returned."""
        comments: list[str] = []
        while self.position < len(self.text):
            character = self.text[self.position]
            if character.isspace() or character in also:
                self.position += 1
            elif match := _COMMENT.match(self.text, self.position):
                comments.append(match[0].strip("/#* \t\n"))
                self.position = match.end()
            else:
                break
        return " ".join(comments)

    def object(self, depth: int) -> ObjectNode:
        if depth > DEEPEST:
            raise _NotJsonError
        self.position += 1
        entries: list[SkeletonEntry] = []
        while True:
            comment = self.skip()
            if comment and entries and not entries[-1].comment:
                entries[-1] = SkeletonEntry(name=entries[-1].name, node=entries[-1].node, comment=comment)
            if self.peek() == "}":
                self.position += 1
                if not entries:
                    raise _NotJsonError
                return ObjectNode(entries=tuple(entries))
            if ellipsis := _ELLIPSIS.match(self.text, self.position):
                self.position = ellipsis.end()
                continue
            key = _KEY.match(self.text, self.position)
            if key is None:
                raise _NotJsonError
            self.position = key.end()
            self.skip(also="")
            name = (key["quoted"] or key["bare"]).strip()
            entries.append(SkeletonEntry(name=name, node=self.value(depth + 1)))

    def value(self, depth: int) -> Node:
        character = self.peek()
        if character == "{":
            if not _OPENING.match(self.text, self.position):
                return self.leaf()
            return self.object(depth)
        if character == "[":
            return self.list(depth)
        return self.leaf()

    def list(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise _NotJsonError
        start = self.position
        self.position += 1
        elements: list[Node] = []
        open_ended = False
        while True:
            self.skip()
            if self.peek() == "]":
                self.position += 1
                break
            if ellipsis := _ELLIPSIS.match(self.text, self.position):
                self.position = ellipsis.end()
                open_ended = True
                continue
            before = self.position
            elements.append(self.value(depth + 1))
            if self.position == before:
                raise _NotJsonError
        if self.text.startswith("]", self.position):  # `[[rating]]`: a place, not a list of lists
            raise _NotJsonError
        if len(elements) == 1 and isinstance(elements[0], Leaf) and not elements[0].quoted:
            # `[1-5]` and `[Yes/No]` are places for one value; `[string]` and `[int, …]` are lists.
            inner = elements[0].text
            if re.search(r"\d\s*[-–]\s*\d|/|\||\bor\b|\bto\b|\byour\b|\bhere\b", inner):
                return Leaf(text=self.text[start : self.position], quoted=False)
        return ListNode(elements=tuple(elements), open_ended=open_ended)

    def leaf(self) -> Leaf:
        """A value as written, up to its comma, line end or bracket; quotes, `<…>` and `(…)` hold together."""
        start = self.position
        quoted_end = self.quoted()
        if quoted_end is not None:
            following = self.text[quoted_end : quoted_end + 8].lstrip(" \t")
            if not following.startswith(("|", "/", "or ", "(")):
                self.position = quoted_end
                return Leaf(text=self.text[start + 1 : quoted_end - 1], quoted=True)
        closing = {"<": ">", "(": ")", "{": "}", "[": "]"}
        awaited: list[str] = []
        while True:
            character = self.peek()
            if awaited and character == awaited[-1]:
                awaited.pop()
            elif character in '"“' and (end := self.quoted()) is not None:
                self.position = end
                continue
            elif character in closing and len(awaited) < 8 and self._closes(closing[character]):
                awaited.append(closing[character])
            elif not awaited and (character in ",;\n}]" or self.text.startswith(("//", " #"), self.position)):
                break
            self.position += 1
        text = self.text[start : self.position].strip()
        if not text:
            raise _NotJsonError
        return Leaf(text=text, quoted=False)

    def _closes(self, mark: str) -> bool:
        line_end = self.text.find("\n", self.position)
        return self.text.find(mark, self.position, line_end if line_end >= 0 else len(self.text)) > 0

    def quoted(self) -> int | None:
        """Where the quoted text that starts here ends, if it does."""
        mark = self.text[self.position]
        closing = {'"': '"', "'": "'", "“": "”", "`": "`"}.get(mark)
        if closing is None:
            return None
        if self.text.startswith(mark * 3, self.position):
            end = self.text.find(mark * 3, self.position + 3)
            return None if end < 0 else end + 3
        index = self.position + 1
        while index < len(self.text):
            character = self.text[index]
            if character == "\\":
                index += 2
                continue
            if character == closing and self._ends_here(index):
                return index + 1
            index += 1
        return None

    def _ends_here(self, index: int) -> bool:
        """An apostrophe or an unescaped inner quote does not end the text: something JSON-like has to follow."""
        rest = self.text[index + 1 : index + 40].lstrip(" \t")
        return not rest or rest[0] in ",:;}]\n|/)#" or rest.startswith(("or ", "(", "<-", "--", "—"))
