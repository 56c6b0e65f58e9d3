"""Mustache: `{{x}}`, `{{{x}}}`, `{{&x}}`, sections, inverted sections, comments; a line of such tags alone is no line."""

from msgspec import Struct

from adjudge.expressions.syntax import MAX_DEPTH, Name, Step
from adjudge.patterns import lazy_pattern
from adjudge.templates.syntax import (
    JS_SPACE,
    Here,
    Node,
    Output,
    Section,
    Span,
    Text,
    error_at,
    joined,
    line_of,
)
from adjudge.text import shorten

# The dot before a name is Go's way to write the same thing.
PATH = r"\.?[^\W\d][\w\-]*+(?:\.[\w\-]++)*+"
WORDS = r"[^\W\d][\w\-]*+(?:[ ][\w\-]++){1,6}+"
"""A name may have spaces: `{{Reference Answer}}`."""
TRIPLE = lazy_pattern(rf"\{{\{{\{{\s*+({PATH}|\.|{WORDS})\s*+\}}\}}\}}")
TAG = lazy_pattern(rf"\{{\{{\s*+(?:([\#^/])\s*+({PATH}|\.)|&?\s*+({WORDS}|{PATH}|\.))\s*+\}}\}}")
COMMENT = lazy_pattern(r"\{\{\s*+!")
MEANT = lazy_pattern(r"\{\{\s*+\.?([^\W\d]|[#^/&>=])")
"""What follows the braces of a tag; JSON, numbers and nothing do not."""
LATEX_BEFORE = lazy_pattern(r"(?:\\[A-Za-z]{1,30}|[\^_])\Z")
PIECE = lazy_pattern(r"[^\n]*+\n|[^\n]++")


class OpenSection(Struct, kw_only=True):
    """A section that is open while its body is read."""

    kind: str
    """`root`, `#` or `^`."""
    subject: Name | Here = Here()
    written: str = ""
    span: Span = (0, 0)
    nodes: "list[Node | OpenSection]" = []


def parse(text: str) -> tuple[Node, ...]:
    return _MustacheReader(text).read()


class _MustacheReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.frames = [OpenSection(kind="root")]
        self.blanks: list[tuple[list[Node | OpenSection], int]] = []
        """The white space of the current line, by where it stands."""
        self.has_tag = False
        self.has_content = False
        """The current line has something beside white space and tags that write nothing."""

    def read(self) -> tuple[Node, ...]:
        position = scan = 0
        while (start := self.text.find("{{", scan)) >= 0:
            end = self._read_tag(position, start)
            if end is None:
                scan = start + 1
            else:
                position = scan = end
        if len(self.frames) > 1:
            frame = self.frames[-1]
            raise error_at(
                self.text,
                frame.span[0],
                f"the section `{_opening(frame)}` is never closed",
                f"add `{{{{/{frame.written}}}}}` where it ends",
            )
        self._take_text(position, len(self.text))
        self._end_line()
        return _finished(self.frames[0].nodes)

    def _take_text(self, position: int, end: int) -> None:
        nodes = self.frames[-1].nodes
        for piece in PIECE.findall(self.text, position, end):
            if piece.strip(JS_SPACE):
                self.has_content = True
            else:
                self.blanks.append((nodes, len(nodes)))
            nodes.append(Text(text=piece))
            if piece.endswith("\n"):
                self._end_line()

    def _end_line(self) -> None:
        """Take a line away that has nothing but white space and tags that write nothing."""
        if self.has_tag and not self.has_content:
            for nodes, index in self.blanks:
                nodes[index] = Text(text="")
        self.blanks.clear()
        self.has_tag = self.has_content = False

    def _read_tag(self, position: int, start: int) -> int | None:
        """Read the tag at `start` and the text before it; where it ends, or None when it is plain text."""
        text = self.text
        if match := TRIPLE.match(text, start):
            self._take_text(position, start)
            self._write(match[1], match.span())
            return match.end()
        if COMMENT.match(text, start):
            end = text.find("}}", start)
            if end < 0:
                raise error_at(text, start, "the comment `{{!` is never closed", "end it with `}}`")
            self._take_text(position, start)
            self.has_tag = True
            return end + 2
        if not (match := TAG.match(text, start)):
            _refuse_if_meant_as_tag(text, start)
            return None
        self._take_text(position, start)
        if match[3] is not None:
            self._write(match[3], match.span())
        elif match[1] == "/":
            self._close(match[2], start)
        else:
            self._open(
                OpenSection(kind=match[1], subject=_subject(match[2]), written=match[2], span=match.span())
            )
        self.has_tag = True
        return match.end()

    def _write(self, written: str, span: Span) -> None:
        self.frames[-1].nodes.append(Output(expression=_subject(written), span=span))
        self.has_tag = self.has_content = True

    def _open(self, frame: OpenSection) -> None:
        if len(self.frames) > MAX_DEPTH:
            raise error_at(
                self.text,
                frame.span[0],
                f"sections nest deeper than {MAX_DEPTH}",
                "close the ones that are open",
            )
        self.frames[-1].nodes.append(frame)
        self.frames.append(frame)

    def _close(self, written: str, start: int) -> None:
        frame = self.frames[-1]
        if frame.kind == "root":
            raise error_at(
                self.text,
                start,
                f"`{{{{/{written}}}}}` closes a section that was not opened",
                "remove it, or open it",
            )
        if written != frame.written:
            raise error_at(
                self.text,
                start,
                f"found `{{{{/{written}}}}}` inside `{_opening(frame)}` of line {line_of(self.text, frame.span[0])}",
                f"close that one first with `{{{{/{frame.written}}}}}`",
            )
        self.frames.pop()


def _finished(nodes: list[Node | OpenSection]) -> tuple[Node, ...]:
    return joined(
        Section(subject=node.subject, inverted=node.kind == "^", body=_finished(node.nodes), span=node.span)
        if isinstance(node, OpenSection)
        else node
        for node in nodes
    )


def _subject(written: str) -> Name | Here:
    if written == ".":
        return Here()
    path: tuple[Step, ...] = tuple(written.removeprefix(".").split("."))
    return Name(path=path)


def _opening(frame: OpenSection) -> str:
    return f"{{{{{frame.kind}{frame.written}}}}}"


def _refuse_if_meant_as_tag(text: str, start: int) -> None:
    """Raise when `{{` at `start` was meant as a tag that we cannot read; return when it is plain text.

    JSON examples (`{{"score": 1}}`), object literals (`style={{color: red}}`) and LaTeX groups are text.
    """
    first = MEANT.match(text, start)
    if first is None or LATEX_BEFORE.search(text, max(0, start - 32), start):
        return
    following = text.find("{{", start + 2)
    end = text.find("}}", start + 2, len(text) if following < 0 else following)
    closed = end >= 0
    inner = text[start + 2 : end].strip() if closed else text[start + 2 : start + 60].strip().split("\n")[0]
    excerpt = shorten(inner, 40)
    if first[1] in ">=":
        if closed and "\n" not in inner and (first[1] == ">" or inner.endswith("=")):
            what = "partial" if first[1] == ">" else "change of delimiters"
            raise error_at(
                text,
                start,
                f"the {what} `{{{{{excerpt}}}}}` is not supported",
                "write its text in its place" if first[1] == ">" else "write tags as `{{name}}`",
            )
    elif not closed:
        raise error_at(text, start, f"the tag `{{{{{excerpt}` is never closed", "end it with `}}`")
    elif not any(mark in inner for mark in "\n:;{}"):
        raise error_at(
            text,
            start,
            f"`{{{{{excerpt}}}}}` does not hold a name",
            "write `{{name}}` or `{{a.b}}`; for `{{#if x}}` and helpers set `dialect: handlebars`, for filters "
            "`dialect: jinja`, for expressions `dialect: promptl`",
        )
