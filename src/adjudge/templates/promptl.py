"""PromptL as far as prompts use it: `{{ if }}`, `{{ for }}`, expressions, message tags, `/* */` comments."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from adjudge.expressions.parse import Parser
from adjudge.expressions.syntax import MAX_DEPTH
from adjudge.patterns import lazy_pattern
from adjudge.records import Role
from adjudge.templates.expressions import PROMPTL
from adjudge.templates.syntax import (
    Arm,
    Assign,
    Expression,
    For,
    If,
    MessageTag,
    Node,
    Output,
    Span,
    Text,
    add_text,
    error_at,
    joined,
    line_of,
)

ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
MARK = lazy_pattern(
    r"\{\{|/\*|<!--|<(?P<open>system|user|assistant|developer)(?:\s[^<>]{0,500})?>"
    r"|</(?P<close>system|user|assistant|developer)\s{0,20}>"
)
NOT_A_TAG = lazy_pattern(
    r"\{\{(?:\s*+\}\}|\s*+[\"'][^\"'\n]{0,200}[\"']\s*+[:,]|\{|\s*+[^\w\s\"'`(\[!.\-#^/&>])"
)
"""`{{"score": 1}}`, `{{}}`, `{{{`: JSON and the like, sent as they are."""


SPACES = " \t\r\n"


class _Trims(NamedTuple):
    """Does white space, or an end of the text, stand before and after a block?"""

    start: bool
    end: bool


NOTHING_TRIMMED = _Trims(start=False, end=False)


class OpenBlock(Struct, kw_only=True):
    """A block or message tag that is open while its body is read."""

    kind: str
    """`root`, `if`, `for`, or the name of a message tag."""
    span: Span = (0, 0)
    opened: int = 0
    """Where its first tag begins."""
    nodes: list[Node] = []
    """Of the branch being read."""
    arms: list[Arm] = []
    test: Expression | None = None
    test_span: Span = (0, 0)
    has_else: bool = False
    item: str = ""
    index: str | None = None
    source: Expression | None = None
    body: tuple[Node, ...] = ()
    """Of a loop, once its `else` is being read."""

    @property
    def opening(self) -> str:
        return f"{{{{ {self.kind} }}}}" if self.kind in {"if", "for"} else f"<{self.kind}>"

    @property
    def closing(self) -> str:
        return f"{{{{ end{self.kind} }}}}" if self.kind in {"if", "for"} else f"</{self.kind}>"


def parse(text: str, *, trims: bool = True) -> tuple[Node, ...]:
    """The tree of a prompt; without `trims` blocks keep the white space around their branches, as a person sees them."""
    reader = _PromptlReader(text, trims=trims)
    reader.read()
    return _trimmed(reader.frames[0].nodes, NOTHING_TRIMMED)


class _PromptlReader:
    def __init__(self, text: str, *, trims: bool) -> None:
        self.text = text
        self.trims = trims
        self.frames = [OpenBlock(kind="root")]
        self.position = 0
        """Where the text that is not yet part of the tree begins."""
        self.last_end = {"*/": text.rfind("*/"), "-->": text.rfind("-->")}
        """Of comments, by what ends them."""
        self.last_close = {match["close"]: match.start() for match in MARK.finditer(text) if match["close"]}

    def read(self) -> None:
        scan = 0
        while match := MARK.search(self.text, scan):
            start = match.start()
            if match[0] == "{{":
                consumed = self._read_tag(start)
            elif match[0] in {"/*", "<!--"}:
                consumed = self._read_comment(start, match[0], "*/" if match[0] == "/*" else "-->")
            else:
                consumed = self._read_message_tag(match)
            scan = self.position if consumed else start + 1
        if len(self.frames) > 1:
            frame = self.frames[-1]
            raise error_at(
                self.text,
                frame.span[0],
                f"`{frame.opening}` is never closed",
                f"add `{frame.closing}` where it ends",
            )
        self._take_text(len(self.text))

    def _take_text(self, end: int) -> None:
        add_text(self.frames[-1].nodes, self.text[self.position : end])
        self.position = end

    def _open(self, frame: OpenBlock) -> None:
        if len(self.frames) > MAX_DEPTH:
            raise error_at(
                self.text, frame.span[0], f"blocks nest deeper than {MAX_DEPTH}", "close some first"
            )
        self.frames.append(frame)

    def _read_comment(self, start: int, opening: str, closing: str) -> bool:
        content = start + len(opening)
        if self.last_end[closing] < content or (opening == "/*" and _is_glob(self.text, start)):
            return False
        end = self.text.find(closing, content)
        self._take_text(start)
        self.frames[-1].nodes.append(
            Text(text="")
        )  # where a block's white space is trimmed, a comment ends it
        self.position = end + len(closing)
        return True

    def _read_message_tag(self, match: re.Match[str]) -> bool:
        start = match.start()
        quoted = self.text[start - 1 : start] in {"`", '"', "'"}
        name = match["open"] or match["close"]
        open_tag = next((frame for frame in self.frames if frame.kind in ROLES), None)
        if match["open"]:
            if quoted:
                return False
            if self.last_close.get(name, -1) < start:
                if _begins_line(self.text, start):
                    raise error_at(
                        self.text, start, f"`<{name}>` is never closed", f"add `</{name}>` where it ends"
                    )
                return False
            if open_tag:
                raise error_at(
                    self.text,
                    start,
                    f"found `<{name}>` inside `<{open_tag.kind}>` of line {line_of(self.text, open_tag.span[0])}",
                    f"close that one first with `</{open_tag.kind}>`",
                )
            self._take_text(start)
            self._open(OpenBlock(kind=name, span=match.span()))
        else:
            frame = self.frames[-1]
            if open_tag is None:
                return False
            if frame.kind != name:
                raise error_at(
                    self.text,
                    start,
                    f"found `</{name}>` inside `{frame.opening}` of line {line_of(self.text, frame.span[0])}",
                    f"close that one first with `{frame.closing}`",
                )
            self._take_text(start)
            self.frames.pop()
            self.frames[-1].nodes.append(
                MessageTag(role=ROLES[name], body=_trimmed(frame.nodes, NOTHING_TRIMMED))
            )
        self.position = match.end()
        return True

    def _read_tag(self, start: int) -> bool:
        if NOT_A_TAG.match(self.text, start):
            return False
        parser = Parser(self.text, PROMPTL, start + 2)
        tokens = parser.tokens
        self._take_text(start)
        span = (start, tokens[-1].end)
        first, second = tokens[0], tokens[min(1, len(tokens) - 1)]
        keyword = first.text if first.kind == "name" else ""
        # `if` is also a fair name for an input when it stands alone.
        if keyword in {"if", "for"} and second.kind != "end":
            parser.at = 1
            self._open_block(parser, keyword, span)
        elif keyword in {"else", "elseif", "endif", "endfor"}:
            parser.at = 1
            if keyword == "elseif":
                raise error_at(self.text, start, "found `elseif`", "write `{{ else if … }}`")
            if keyword == "else":
                self._branch(parser, span, chained=parser.takes("if"))
            else:
                self._close_block(keyword.removeprefix("end"), span)
        elif keyword and second.text == "=" and second.kind == "operator":
            parser.at = 2
            self.frames[-1].nodes.append(Assign(name=keyword, value=parser.expression(), span=span))
        else:
            self.frames[-1].nodes.append(Output(expression=parser.expression(), span=span))
        parser.expect_end()
        self.position = span[1]
        return True

    def _open_block(self, parser: Parser, keyword: str, span: Span) -> None:
        frame = OpenBlock(kind=keyword, span=span, opened=span[0], test_span=span)
        if keyword == "if":
            frame.test = parser.expression()
        else:
            frame.item = parser.expect_name("the loop's name")
            if parser.takes(","):
                frame.index = parser.expect_name("the index's name")
            parser.expect("in")
            frame.source = parser.expression()
        self._open(frame)

    def _branch(self, parser: Parser, span: Span, *, chained: bool) -> None:
        frame = self.frames[-1]
        if frame.kind not in {"if", "for"} or (chained and frame.kind == "for"):
            raise error_at(
                self.text,
                span[0],
                f"found `{{{{ {'else if' if chained else 'else'} }}}}` outside of `{{{{ if }}}}`",
                "remove it, or open the block it belongs to",
            )
        if frame.has_else:
            raise error_at(
                self.text, span[0], "found a branch after `{{ else }}`", "make `{{ else }}` the last branch"
            )
        self._end_branch(frame)
        if chained:
            frame.test, frame.test_span = parser.expression(), span
        else:
            frame.has_else = True

    def _end_branch(self, frame: OpenBlock) -> None:
        if frame.kind == "for":
            frame.body = tuple(frame.nodes)
        elif frame.test is not None:
            frame.arms.append(Arm(test=frame.test, body=tuple(frame.nodes), span=frame.test_span))
        frame.nodes = []

    def _close_block(self, kind: str, span: Span) -> None:
        frame = self.frames[-1]
        if frame.kind != kind:
            inside = (
                "outside of any block"
                if frame.kind == "root"
                else f"inside `{frame.opening}` of line {line_of(self.text, frame.span[0])}"
            )
            hint = "remove it" if frame.kind == "root" else f"close that one first with `{frame.closing}`"
            raise error_at(self.text, span[0], f"found `{{{{ end{kind} }}}}` {inside}", hint)
        self.frames.pop()
        before, after = self.text[frame.opened - 1 : frame.opened], self.text[span[1] : span[1] + 1]
        trims = NOTHING_TRIMMED
        if self.trims:
            trims = _Trims(
                start=not frame.opened or before.isspace(), end=span[1] == len(self.text) or after.isspace()
            )
        otherwise: tuple[Node, ...] = ()
        if frame.has_else:
            otherwise = tuple(frame.nodes)
        else:
            self._end_branch(frame)
        block: Node
        if frame.source is not None:
            block = For(
                item=frame.item,
                index=frame.index,
                source=frame.source,
                body=_trimmed(frame.body, trims),
                otherwise=_trimmed(otherwise, trims),
                span=frame.span,
            )
        else:
            arms = [replace(arm, body=_trimmed(arm.body, trims)) for arm in frame.arms]
            block = If(arms=tuple(arms), otherwise=_trimmed(otherwise, trims))
        self.frames[-1].nodes.append(block)


def _trimmed(nodes: Iterable[Node], trims: _Trims) -> tuple[Node, ...]:
    """A branch without the white space that only sets its tags apart, where white space stands around the block."""
    found = list(nodes)
    if trims.start and found and isinstance(found[0], Text):
        found[0] = Text(text=found[0].text.lstrip(SPACES))
    if trims.end and found and isinstance(found[-1], Text):
        found[-1] = Text(text=found[-1].text.rstrip(SPACES))
    return joined(node for node in found if not isinstance(node, Text) or node.text)


def _begins_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()


def _is_glob(text: str, start: int) -> bool:
    """Is this `/*` part of a path or a media type (`*/*`, `src/**/x`, `image/*;q=1`) rather than a comment?"""
    before, after = text[start - 1 : start] if start else "", text[start + 2 : start + 3]
    if before in {"*", "/"} and before:
        return True
    return (
        bool(before) and (before.isalnum() or before in "._-~:}") and not (after.isalnum() or after.isspace())
    )
