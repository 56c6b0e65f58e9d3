"""Mustache: `{{x}}`, `{{{x}}}`, sections, comments; of Handlebars `#if`, `#unless`, `#each`, `else` and `this`."""

import re
from dataclasses import dataclass, field

from adjudge.expressions.syntax import MAX_DEPTH, Name, Step
from adjudge.templates.syntax import (
    Arm,
    Here,
    If,
    Node,
    Output,
    Section,
    Span,
    add_text,
    error_at,
    joined,
    line_of,
)
from adjudge.text import shorten

# The dot before a name is Go's way to write the same thing.
PATH = r"\.?[^\W\d][\w\-]*+(?:\.[\w\-]++)*+"
TRIPLE = re.compile(rf"\{{\{{\{{\s*+({PATH}|\.)\s*+\}}\}}\}}")
TAG = re.compile(rf"\{{\{{\s*+([\#^/&]?)\s*+({PATH}|\.)\s*+\}}\}}")
HELPER = re.compile(rf"\{{\{{\s*+\#\s*+(if|unless|each)\s++({PATH}|\.)\s*+\}}\}}")
HELPERS = ("if", "unless", "each")
MEANT = re.compile(r"\{\{\s*+\.?([^\W\d]|[#^/&>=])")
"""What follows the braces of a tag; JSON, numbers and nothing do not."""
LATEX_BEFORE = re.compile(r"(?:\\[A-Za-z]{1,30}|[\^_])\Z")


@dataclass(kw_only=True, slots=True)
class OpenSection:
    """A section that is open while its body is read."""

    kind: str
    """`root`, `#`, `^`, or the Handlebars helper."""
    subject: Name | Here = field(default_factory=Here)
    written: str = ""
    span: Span = (0, 0)
    body: list[Node] = field(default_factory=list)
    otherwise: list[Node] | None = None

    @property
    def nodes(self) -> list[Node]:
        return self.body if self.otherwise is None else self.otherwise


def parse(text: str) -> tuple[Node, ...]:
    frames = [OpenSection(kind="root")]
    position = 0
    scan = 0
    last_dashes = text.rfind("--}}")
    while (start := text.find("{{", scan)) >= 0:
        end = _read_tag(text, start, frames, position, last_dashes)
        if end is None:
            scan = start + 1
        else:
            position = scan = end
    if len(frames) > 1:
        open_frame = frames[-1]
        raise error_at(
            text,
            open_frame.span[0],
            f"the section `{_opening(open_frame)}` is never closed",
            f"add `{{{{/{_closing(open_frame)}}}}}` where it ends",
        )
    add_text(frames[0].body, text[position:])
    return joined(frames[0].body)


def _read_tag(
    text: str, start: int, frames: list[OpenSection], position: int, last_dashes: int
) -> int | None:
    """Read the tag at `start` into the innermost frame and return where it ends; None when it is plain text."""
    nodes = frames[-1].nodes
    if match := TRIPLE.match(text, start):
        add_text(nodes, text[position:start])
        nodes.append(Output(expression=_subject(match[1]), span=match.span()))
        return match.end()
    if text.startswith("{{!", start):
        end = _comment_end(text, start, last_dashes)
        add_text(nodes, text[position:start])
        return end
    if match := HELPER.match(text, start):
        add_text(nodes, text[position:start])
        _open(
            text,
            frames,
            OpenSection(kind=match[1], subject=_subject(match[2]), written=match[2], span=match.span()),
        )
        return match.end()
    if not (match := TAG.match(text, start)):
        _refuse_if_meant_as_tag(text, start)
        return None
    sigil, written = match[1], match[2]
    add_text(nodes, text[position:start])
    if sigil == "/":
        _close(text, frames, written, start)
    elif sigil in {"#", "^"}:
        _open(
            text,
            frames,
            OpenSection(kind=sigil, subject=_subject(written), written=written, span=match.span()),
        )
    elif written == "else" and frames[-1].kind in (*HELPERS, "#"):
        if frames[-1].otherwise is not None:
            raise error_at(text, start, "a second `{{else}}` in one block", "keep one")
        frames[-1].otherwise = []
    else:
        nodes.append(Output(expression=_subject(written), span=match.span()))
    return match.end()


def _comment_end(text: str, start: int, last_dashes: int) -> int:
    # A comment that opens with two dashes may hold `}}` and ends with two dashes.
    mark = "--}}" if text.startswith("{{!--", start) and last_dashes >= start + 5 else "}}"
    end = text.find(mark, start + (5 if mark == "--}}" else 3))
    if end < 0:
        raise error_at(text, start, "the comment `{{!` is never closed", "end it with `}}`")
    return end + len(mark)


def _subject(written: str) -> Name | Here:
    if written == ".":
        return Here()
    path: tuple[Step, ...] = tuple(written.removeprefix(".").split("."))
    return Here(path=path[1:]) if path[0] == "this" else Name(path=path)


def _open(text: str, frames: list[OpenSection], frame: OpenSection) -> None:
    if len(frames) > MAX_DEPTH:
        raise error_at(
            text, frame.span[0], f"sections nest deeper than {MAX_DEPTH}", "close the ones that are open"
        )
    frames.append(frame)


def _opening(frame: OpenSection) -> str:
    return (
        f"{{{{{frame.kind}{frame.written}}}}}"
        if frame.kind in "#^"
        else f"{{{{#{frame.kind} {frame.written}}}}}"
    )


def _closing(frame: OpenSection) -> str:
    return frame.kind if frame.kind in HELPERS else frame.written


def _close(text: str, frames: list[OpenSection], written: str, start: int) -> None:
    frame = frames[-1]
    if frame.kind == "root":
        raise error_at(
            text, start, f"`{{{{/{written}}}}}` closes a section that was not opened", "remove it, or open it"
        )
    if written != _closing(frame):
        raise error_at(
            text,
            start,
            f"found `{{{{/{written}}}}}` inside `{_opening(frame)}` of line {line_of(text, frame.span[0])}",
            f"close that one first with `{{{{/{_closing(frame)}}}}}`",
        )
    frames.pop()
    frames[-1].nodes.extend(_block(frame))


def _block(frame: OpenSection) -> list[Node]:
    body, otherwise = joined(frame.body), joined(frame.otherwise or ())
    if frame.kind == "if":
        return [If(arms=(Arm(test=frame.subject, body=body, span=frame.span),), otherwise=otherwise)]
    if frame.kind == "unless":
        return [If(arms=(Arm(test=frame.subject, body=otherwise, span=frame.span),), otherwise=body)]
    section = Section(subject=frame.subject, inverted=frame.kind == "^", body=body, span=frame.span)
    if not otherwise:
        return [section]
    return [section, Section(subject=frame.subject, inverted=True, body=otherwise, span=frame.span)]


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
            "write `{{name}}` or `{{a.b}}`; for filters set `dialect: jinja`, for expressions `dialect: promptl`",
        )
