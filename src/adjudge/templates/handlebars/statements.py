"""Tags -> blocks within blocks: which tag opens, divides and closes what."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from adjudge.errors import TemplateError
from adjudge.expressions.syntax import MAX_DEPTH
from adjudge.templates.handlebars.tags import BraceTag, Constant, Content, Invocation, read_pieces
from adjudge.templates.syntax import Span, error_at, line_of


class Strip(NamedTuple):
    """Does a tag take away the white space before it, and that after it?"""

    left: bool
    right: bool


NO_STRIP = Strip(left=False, right=False)


@dataclass(kw_only=True, slots=True)
class BlockStatement:
    expression: Invocation
    names: tuple[str, ...]
    span: Span
    open_strip: Strip
    close_strip: Strip = NO_STRIP
    inverse_strip: Strip = NO_STRIP
    """Of the `{{else}}`."""
    program: "list[Statement] | None" = None
    """What is written when the block's condition holds; None for `{{^x}}` without `{{else}}`."""
    inverse: "list[Statement] | None" = None
    chained: bool = False
    """`inverse` is one block, of an `{{else if}}`, which this block's closing tag closes too."""


Statement: TypeAlias = Content | BraceTag | BlockStatement


@dataclass(kw_only=True, slots=True)
class UnclosedBlock:
    """A block that is open while its statements are read."""

    tag: BraceTag
    expression: Invocation
    first: list[Statement] = field(default_factory=list)
    second: list[Statement] | None = None
    """After its `{{else}}`."""
    divider: BraceTag | None = None

    @property
    def statements(self) -> list[Statement]:
        return self.first if self.second is None else self.second


def read_statements(text: str) -> list[Statement]:
    return _StatementReader(text).read(read_pieces(text))


class _StatementReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.root: list[Statement] = []
        self.open: list[UnclosedBlock] = []

    def error(self, tag: BraceTag, problem: str, hint: str) -> TemplateError:
        return error_at(self.text, tag.span[0], problem, hint)

    def read(self, pieces: Iterator[Content | BraceTag]) -> list[Statement]:
        for piece in pieces:
            if isinstance(piece, Content) or piece.kind in {"write", "comment"}:
                (self.open[-1].statements if self.open else self.root).append(piece)
            elif piece.kind in {"open", "open_inverse"}:
                self._open(piece)
            elif piece.kind == "close":
                self._close(piece)
            else:
                self._divide(piece)
        if self.open:
            tag = next(block.tag for block in reversed(self.open) if block.tag.kind != "else_chain")
            raise self.error(
                tag, f"`{self._written(tag)}` is never closed", f"add `{_closing(tag)}` where it ends"
            )
        return self.root

    def _written(self, tag: BraceTag) -> str:
        return self.text[tag.span[0] : min(tag.span[1], tag.span[0] + 60)]

    def _open(self, tag: BraceTag) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise self.error(tag, f"blocks nest deeper than {MAX_DEPTH}", "close the ones that are open")
        assert tag.expression is not None
        self.open.append(UnclosedBlock(tag=tag, expression=tag.expression))

    def _divide(self, tag: BraceTag) -> None:
        written = self._written(tag)
        if not self.open:
            raise self.error(tag, f"`{written}` stands outside of any block", "remove it, or open its block")
        block = self.open[-1]
        if block.second is not None:
            raise self.error(
                tag, f"`{written}` comes after `{{{{else}}}}`", "make `{{else}}` the last branch"
            )
        block.divider, block.second = tag, []
        if tag.kind == "else_chain":
            if block.tag.kind == "open_inverse":
                raise self.error(
                    tag, f"`{written}` in a `{{{{^…}}}}` block", "write `{{else}}` and a block inside it"
                )
            self._open(tag)

    def _close(self, tag: BraceTag) -> None:
        if not self.open:
            raise self.error(
                tag, f"`{self._written(tag)}` closes a block that was not opened", "remove it, or open it"
            )
        chain: list[UnclosedBlock] = []
        while self.open[-1].tag.kind == "else_chain":
            chain.append(self.open.pop())
        block = self.open[-1]
        assert tag.expression is not None
        if _name(tag.expression) != _name(block.expression):
            raise self.error(
                tag,
                f"found `{self._written(tag)}` inside `{self._written(block.tag)}` of line "
                f"{line_of(self.text, block.tag.span[0])}",
                f"close that one first with `{_closing(block.tag)}`",
            )
        self.open.pop()
        inner: BlockStatement | None = None
        for member in chain:
            # Handlebars gives an `{{else if}}` the white-space marks of the tag that follows it.
            chained = _made(member, inner)
            chained.close_strip = chained.inverse_strip
            if inner is not None:
                inner.close_strip = chained.inverse_strip
            inner = chained
        made = _made(block, inner)
        made.close_strip = _strip(tag)
        if inner is not None:
            inner.close_strip = made.close_strip
        (self.open[-1].statements if self.open else self.root).append(made)


def _made(block: UnclosedBlock, chained: BlockStatement | None) -> BlockStatement:
    made = BlockStatement(
        expression=block.expression,
        names=block.tag.names,
        span=block.tag.span,
        open_strip=_strip(block.tag),
        program=block.first,
        inverse=block.second if chained is None else [chained],
        chained=chained is not None,
    )
    if block.divider is not None:
        made.inverse_strip = _strip(block.divider)
    if block.tag.kind == "open_inverse":
        made.program, made.inverse = block.second, block.first
    return made


def _strip(tag: BraceTag) -> Strip:
    return Strip(left=tag.left, right=tag.right)


def _name(expression: Invocation) -> str:
    head = expression.head
    return str(head.value) if isinstance(head, Constant) else head.written


def _closing(tag: BraceTag) -> str:
    assert tag.expression is not None
    return f"{{{{/{_name(tag.expression)}}}}}"
