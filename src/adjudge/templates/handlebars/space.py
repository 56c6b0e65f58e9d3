"""White space that tags take away: what `~` asks for, and the rest of a line on which a block tag stands alone.

These are Handlebars' own rules, in its order; the comparison with it in `tests/differential` holds them in place.
"""

from adjudge.templates.handlebars.statements import BlockStatement, Statement, Strip
from adjudge.templates.handlebars.tags import Content
from adjudge.templates.syntax import JS_SPACE


def strip_space(statements: list[Statement]) -> None:
    _strip_program(statements, root=True)


def _strip_program(body: list[Statement], *, root: bool) -> None:
    for index, statement in enumerate(body):
        if isinstance(statement, Content):
            continue
        opens = closes = alone = False
        if isinstance(statement, BlockStatement):
            opens, closes = _strip_block(statement)
            strip = Strip(left=statement.open_strip.left, right=statement.close_strip.right)
        else:
            alone = statement.kind == "comment"
            strip = Strip(left=statement.left, right=statement.right)
        line_begins = _line_begins_before(body, index, root=root)
        line_ends = _line_ends_after(body, index, root=root)
        if strip.right:
            _omit_right(body, index + 1, every=True)
        if strip.left:
            _omit_left(body, index - 1, every=True)
        if alone and line_begins and line_ends:
            _omit_right(body, index + 1)
            _omit_left(body, index - 1)
        if isinstance(statement, BlockStatement):
            first = statement.inverse if statement.program is None else statement.program
            last = statement.program if statement.inverse is None else statement.inverse
            assert first is not None
            assert last is not None
            if opens and line_begins:
                _omit_right(first, 0)
                _omit_left(body, index - 1)
            if closes and line_ends:
                _omit_right(body, index + 1)
                _omit_left(last, len(last) - 1)


def _strip_block(block: BlockStatement) -> tuple[bool, bool]:
    """Strip inside a block; whether its opening tag ends its line, and its closing tag begins one."""
    for body in (block.program, block.inverse):
        if body is not None:
            _strip_program(body, root=False)
    program = block.inverse if block.program is None else block.program
    assert program is not None
    inverse = None if block.program is None else block.inverse
    first = last = inverse
    if inverse is not None and block.chained:
        first = _chained(block).program
        chained = block
        while chained.chained:
            chained = _chained(chained)
        last = chained.program
    opens = _line_ends_after(program, -1, root=False)
    closes = _line_begins_before(
        program if first is None else first, len(program if first is None else first), root=False
    )
    if block.open_strip.right:
        _omit_right(program, 0, every=True)
    if first is None or last is None:
        if block.close_strip.left:
            _omit_left(program, len(program) - 1, every=True)
        return opens, closes
    if block.inverse_strip.left:
        _omit_left(program, len(program) - 1, every=True)
    if block.inverse_strip.right:
        _omit_right(first, 0, every=True)
    if block.close_strip.left:
        _omit_left(last, len(last) - 1, every=True)
    if _line_begins_before(program, len(program), root=False) and _line_ends_after(first, -1, root=False):
        _omit_left(program, len(program) - 1)
        _omit_right(first, 0)
    return opens, closes


def _chained(block: BlockStatement) -> BlockStatement:
    assert block.inverse is not None
    (inner,) = block.inverse
    assert isinstance(inner, BlockStatement)
    return inner


def _line_begins_before(body: list[Statement], index: int, *, root: bool) -> bool:
    """Is there nothing but white space between the statement at `index` and the beginning of its line?"""
    if index == 0:
        return root
    before = body[index - 1]
    if not isinstance(before, Content):
        return False
    space = before.original[len(before.original.rstrip(JS_SPACE)) :]
    return "\n" in space or (root and index == 1 and len(space) == len(before.original))


def _line_ends_after(body: list[Statement], index: int, *, root: bool) -> bool:
    if index + 1 >= len(body):
        return root
    after = body[index + 1]
    if not isinstance(after, Content):
        return False
    space = after.original[: len(after.original) - len(after.original.lstrip(JS_SPACE))]
    return "\n" in space or (root and index + 2 == len(body) and len(space) == len(after.original))


def _omit_right(body: list[Statement], index: int, *, every: bool = False) -> None:
    """Take white space from the beginning of the text at `index`: all of it, or the rest of the line."""
    content = body[index] if 0 <= index < len(body) else None
    if not isinstance(content, Content) or (content.right_stripped and not every):
        return
    before = content.text
    if every:
        content.text = before.lstrip(JS_SPACE)
    else:
        content.text = before.lstrip(" \t").removeprefix("\r\n")
        if content.text == before.lstrip(" \t"):
            content.text = content.text.removeprefix("\n")
    content.right_stripped = content.text != before


def _omit_left(body: list[Statement], index: int, *, every: bool = False) -> None:
    content = body[index] if 0 <= index < len(body) else None
    if not isinstance(content, Content) or (content.left_stripped and not every):
        return
    before = content.text
    content.text = before.rstrip(JS_SPACE if every else " \t")
    content.left_stripped = content.text != before
