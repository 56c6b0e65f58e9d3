"""A prompt's own marks: `{$x}`, `<<x>>`, `[ANSWER]`, `<question>`, `$INST$`.

`{$x}` and `<<x>>` are marks wherever they stand. The others are also how people write headings, tags and the blanks of a reply, so a
mark counts only where a value would stand: alone on its line below a label, a heading or an opening tag, or after a label
on its line. In brackets and dollars the name is in capitals; in angles it is one that prompts give to what is judged, and
the text has no closing tag of that name. What is asked for in a reply (`Score: <score>`) is no mark, nor what stands beside it.
"""

import re
from typing import NamedTuple

from adjudge.expressions.syntax import Name
from adjudge.fields import canonical_field
from adjudge.patterns import lazy_pattern
from adjudge.templates.shell import TAG as SHELL_TAG
from adjudge.templates.syntax import Node, Output, Span, add_text, joined

WRAPPED = lazy_pattern(
    r"(?<!\{)\{\$(?P<name>[^\W\d]\w{0,60})\}(?!\})|<<(?!SYS>)(?P<doubled>[^\W\d]\w{0,60})>>"
)
"""`{$x}` and `<<x>>`, which mean nothing else; `<<SYS>>` is a model's own mark."""
MARK = lazy_pattern(
    r"\[(?P<bracket>[A-Z][A-Z0-9_]{1,60})\]|\$(?P<dollar>[A-Z][A-Z0-9_]{1,60})\$|<(?P<angle>[A-Za-z][\w-]{0,60})>"
)
LABEL = lazy_pattern(r"[^\n:\[\]<>{}$]{1,80}:[ \t]{0,8}(?=[\[<$])")
OPENS = lazy_pattern(r":[*_]{0,3}\Z|\A(?:#{1,6} |```|\"\"\"|\'\'\'|---|===|\*\*\*)|\A<[^<>/][^<>]{0,80}>\Z")
CLOSES = lazy_pattern(r"\A(?:```|\"\"\"|\'\'\'|---|===|\*\*\*|</[^<>]{0,80}>|<\|[^<>]{0,80}>)")
REPLY = lazy_pattern(
    r"\b(?:format|template|respond|reply|return|output|answer with|structure|follows?)\b.{0,200}:\Z",
    re.IGNORECASE,
)
JUDGED = lazy_pattern(
    r"question|query|answer|response|input|output|reference|context|prompt|completion|document|passage|article|summary"
    r"|conversation|transcript|dialog|history|source|claim|statement|instruction|task|expected|truth|candidate|knowledge",
    re.IGNORECASE,
)
ASKED_FOR = lazy_pattern(
    r"score|rating|reason|verdict|label|grade|explan|rationale|feedback|justif|analysis|result|value|thought|thinking|your",
    re.IGNORECASE,
)


CLOSED = lazy_pattern(
    r"</(?P<tag>[A-Za-z][\w-]{0,60})|\[(?:/|END[_ ]|BEGIN[_ ])(?P<part>[A-Z][A-Z0-9_]{1,60})\]"
)
"""A name that has a beginning and an end encloses something, and stands for nothing."""


class PromptMark(NamedTuple):
    name: str
    span: Span
    angle: bool = False


def is_wrapped(text: str) -> bool:
    """Whether the text writes names as `{$x}` or `<<x>>`, and no other name with a dollar."""
    return WRAPPED.search(text) is not None and not any(
        match["braced"] or match["bare"] for match in SHELL_TAG.finditer(text)
    )


def parse(text: str) -> tuple[Node, ...]:
    nodes: list[Node] = []
    position = 0
    for mark in find_marks(text):
        add_text(nodes, text[position : mark.span[0]])
        nodes.append(Output(expression=Name(path=(mark.name,)), span=mark.span))
        position = mark.span[1]
    add_text(nodes, text[position:])
    return joined(nodes)


def find_marks(text: str) -> tuple[PromptMark, ...]:
    """The marks of a text, in its order."""
    wrapped = tuple(
        PromptMark(match["name"] or match["doubled"], match.span()) for match in WRAPPED.finditer(text)
    )
    if wrapped:
        return wrapped
    closed = frozenset(match["tag"] or match["part"] for match in CLOSED.finditer(text))
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[PromptMark] = []
    block: list[tuple[int, PromptMark | None]] = []
    for number, line in enumerate(lines):
        if not line.strip():
            found += _accepted(lines, block)
            block = []
            continue
        mark = _mark_on(line, starts[number])
        block.append((number, None if mark is None or mark.name in closed else mark))
    found += _accepted(lines, block)
    return tuple(found)


def _mark_on(line: str, start: int) -> PromptMark | None:
    """The mark that a line has in the place of a value: the whole line, or what follows its label, or its first word."""
    stripped = line.strip()
    offset = start + len(line) - len(line.lstrip())
    label = LABEL.match(stripped)
    mark = MARK.match(stripped, label.end() if label else 0)
    if mark is None:
        return None
    after = stripped[mark.end() :]
    if after and (label or mark["angle"] is None or not after.startswith(" ")):
        return None
    name = mark["bracket"] or mark["dollar"] or mark["angle"]
    return PromptMark(name, (offset + mark.start(), offset + mark.end()), mark["angle"] is not None)


def _accepted(lines: list[str], block: list[tuple[int, PromptMark | None]]) -> list[PromptMark]:
    """The marks of a block of lines; none where the block is the shape of a reply."""
    marks = [(number, mark) for number, mark in block if mark is not None]
    if not marks or any(ASKED_FOR.search(mark.name) for _, mark in marks):
        return []
    first = block[0][0]
    lead = [_neighbour(lines, first, -1), *(lines[number].strip() for number in range(first, marks[0][0]))]
    if any(REPLY.search(line[-300:]) for line in lead):
        return []
    known = [mark for number, mark in marks if _stands_for_value(lines, number, mark)]
    if not known:
        return []
    # beside one that is known, a name in angles that nothing closes is another
    return [mark for number, mark in marks if mark in known or mark.angle]


def _stands_for_value(lines: list[str], number: int, mark: PromptMark) -> bool:
    line = lines[number].strip()
    if mark.angle and not _is_judged(mark.name):
        return False
    if len(line) > mark.span[1] - mark.span[0]:
        return LABEL.match(line) is not None
    below = lines[number + 1].strip() if number + 1 < len(lines) else ""
    return bool(OPENS.search(_neighbour(lines, number, -1)[-300:])) and (
        not below or bool(CLOSES.search(below))
    )


def _is_judged(name: str) -> bool:
    return canonical_field(name.lower()) is not None or JUDGED.search(name) is not None


def _neighbour(lines: list[str], number: int, step: int) -> str:
    """The nearest line that is not blank, at most two away."""
    for other in (number + step, number + 2 * step):
        if 0 <= other < len(lines) and lines[other].strip():
            return lines[other].strip()
    return ""
