"""PromptL as far as prompts use it: `{{ if }}`, `{{ for }}`, expressions, message tags, `/* */` comments."""

import re
from dataclasses import dataclass, field

from adjudge.expressions.parse import Parser
from adjudge.expressions.syntax import MAX_DEPTH
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
    add_text,
    error_at,
    joined,
    line_of,
)

ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
MARK = re.compile(
    r"\{\{|/\*|<(?P<open>system|user|assistant|developer)(?:\s[^<>]{0,500})?>"
    r"|</(?P<close>system|user|assistant|developer)\s{0,20}>"
)
NOT_A_TAG = re.compile(
    r"\{\{(?:\s*+\}\}|\s*+[\"'][^\"'\n]{0,200}[\"']\s*+[:,]|\{|\s*+[^\w\s\"'`(\[!.\-#^/&>])"
)
"""`{{"score": 1}}`, `{{}}`, `{{{`: JSON and the like, sent as they are."""


@dataclass(kw_only=True, slots=True)
class OpenBlock:
    """A block or message tag that is open while its body is read."""

    kind: str
    """`root`, `if`, `for`, or the name of a message tag."""
    span: Span = (0, 0)
    nodes: list[Node] = field(default_factory=list)
    """Of the branch being read."""
    arms: list[Arm] = field(default_factory=list)
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


def parse(text: str) -> tuple[Node, ...]:
    reader = _PromptlReader(text)
    reader.read()
    return joined(reader.frames[0].nodes)


class _PromptlReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.frames = [OpenBlock(kind="root")]
        self.position = 0
        """Where the text that is not yet part of the tree begins."""
        self.last_comment_end = text.rfind("*/")
        self.last_close = {match["close"]: match.start() for match in MARK.finditer(text) if match["close"]}

    def read(self) -> None:
        scan = 0
        while match := MARK.search(self.text, scan):
            start = match.start()
            if match[0] == "{{":
                consumed = self._read_tag(start)
            elif match[0] == "/*":
                consumed = self._read_comment(start)
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

    def _read_comment(self, start: int) -> bool:
        if self.last_comment_end < start + 2 or _is_glob(self.text, start):
            return False
        end = self.text.find("*/", start + 2)
        self._take_text(start)
        self.position = end + 2
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
            self.frames[-1].nodes.append(MessageTag(role=ROLES[name], body=joined(frame.nodes)))
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
            if keyword.startswith("else"):
                self._branch(parser, span, chained=keyword == "elseif" or parser.takes("if"))
            else:
                self._close_block(keyword.removeprefix("end"), start)
        elif keyword and second.text == "=" and second.kind == "operator":
            parser.at = 2
            self.frames[-1].nodes.append(Assign(name=keyword, value=parser.expression(), span=span))
        else:
            self.frames[-1].nodes.append(Output(expression=parser.expression(), span=span))
        parser.expect_end()
        self.position = span[1]
        return True

    def _open_block(self, parser: Parser, keyword: str, span: Span) -> None:
        frame = OpenBlock(kind=keyword, span=span, test_span=span)
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
            frame.body = joined(frame.nodes)
        elif frame.test is not None:
            frame.arms.append(Arm(test=frame.test, body=joined(frame.nodes), span=frame.test_span))
        frame.nodes = []

    def _close_block(self, kind: str, start: int) -> None:
        frame = self.frames[-1]
        if frame.kind != kind:
            inside = (
                "outside of any block"
                if frame.kind == "root"
                else f"inside `{frame.opening}` of line {line_of(self.text, frame.span[0])}"
            )
            hint = "remove it" if frame.kind == "root" else f"close that one first with `{frame.closing}`"
            raise error_at(self.text, start, f"found `{{{{ end{kind} }}}}` {inside}", hint)
        self.frames.pop()
        otherwise: tuple[Node, ...] = ()
        if frame.has_else:
            otherwise = joined(frame.nodes)
        else:
            self._end_branch(frame)
        block: Node
        if frame.source is not None:
            block = For(
                item=frame.item,
                index=frame.index,
                source=frame.source,
                body=frame.body,
                otherwise=otherwise,
                span=frame.span,
            )
        else:
            block = If(arms=tuple(frame.arms), otherwise=otherwise)
        self.frames[-1].nodes.append(block)


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
