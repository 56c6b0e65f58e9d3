"""Python's `{x}`, `{x.y}`, `{x[0]}`, `{x:.2f}`, with `{{` and `}}` as escapes; JSON's own braces are left alone.

`{0}`, `{1}` are named from the label before them, as printf's are; `{}` where each one has such a label. `{x['y']}` is how
f-strings write `{x[y]}`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from adjudge.expressions.syntax import Name, Step
from adjudge.patterns import lazy_pattern
from adjudge.templates.printf import label_before
from adjudge.templates.syntax import Expression, Formatted, Node, Output, add_text, joined

FIELD = lazy_pattern(
    r"\{(?P<path>\d?(?=\})|[^\W\d]\w*+(?:\.\w++|\[(?P<quote>[\"']?)[^\[\]{}\n\"']{1,80}(?P=quote)\])*+)"
    r"(?:!(?P<conversion>[rsa]))?"
    r"(?::(?P<spec>(?:[^{}\n]?[<>=^])?[-+]?#?0?\d{0,3}[,_]?(?:\.\d{1,2})?[bcdeEfFgGnosxX%]?))?\}"
)
STEP = lazy_pattern(r"\.(\w+)|\[[\"']?([^\[\]\"']+)[\"']?\]")
BRACES = lazy_pattern(r"[{}]")
LATEX = lazy_pattern(r"\\[A-Za-z]{1,30}(?:\[[^\[\]{}\n]{0,40}\])?\Z")
POSITION = lazy_pattern(r"(?<![\w\\^{}$)\]])\{(\d?)\}(?!\})")
"""A quantifier, a subscript and an escape are no places."""
KEY = lazy_pattern(r"[\"']\s*+:\s*+\Z")
"""Before an empty object: `"details": {}`."""
SUBSCRIPT = lazy_pattern(r"[_^]\{\w\}")


class FormatPiece(NamedTuple):
    """Literal text, or a field with the number of open braces around it."""

    text: str
    field: re.Match[str] | None = None
    depth: int = 0


def parse(text: str) -> tuple[Node, ...]:
    nodes: list[Node] = []
    named = places(text)
    for piece in pieces(text):
        add_text(nodes, piece.text)
        if piece.field:
            nodes.append(Output(expression=_expression(piece.field, named), span=piece.field.span()))
    return joined(nodes)


def pieces(text: str) -> Iterator[FormatPiece]:
    """Read a prompt whose braces may be fields, escapes, JSON, code or formulas.

    Open braces are remembered with how they were written, so that the `}}` that ends two JSON objects stays
    two braces while the one that ends an escaped object becomes one.
    """
    open_braces: list[str] = []
    named = places(text)
    position = scan = latex_end = 0
    while brace := BRACES.search(text, scan):
        start = brace.start()
        double = text.startswith(brace[0] * 2, start)
        opened = open_braces[-1] if open_braces else ""
        if brace[0] == "{":
            formula = start == latex_end > 0 or bool(LATEX.search(text, max(0, start - 80), start))
            field = None if formula or double else read_field(text, start, named)
            if double:
                open_braces.append("{{")
                yield FormatPiece(text[position : start + 1])
                position = scan = start + 2
            elif field:
                yield FormatPiece(text[position:start], field, len(open_braces))
                position = scan = field.end()
            else:
                open_braces.append("\\" if formula else "{")
                scan = start + 1
            continue
        if double and opened in {"{{", ""}:
            yield FormatPiece(text[position : start + 1])
            position = scan = start + 2
        else:
            scan = start + 1
            if opened == "\\":
                latex_end = scan  # `\frac{a}{b}`: the next group belongs to the same command
        if open_braces:
            open_braces.pop()
    yield FormatPiece(text[position:])


def places(text: str) -> dict[int, str]:
    """Where `{0}`, `{1}`, …, or `{}`, `{}`, … stand, each with its name; empty unless they are counted from 0 without a gap.

    `{}` is an empty object as well, so all of them need a label before them.
    """
    found = list(POSITION.finditer(text))
    numbered = [place for place in found if place[1]]
    names: dict[str, str] = {}
    named: dict[int, str] = {}
    end = 0
    for index, place in enumerate(numbered or found):
        number = place[1] or str(index)
        if number not in names:
            line_start = max(text.rfind("\n", end, place.start()) + 1, end)
            label = label_before(text, line_start, place.start())
            if not numbered and (not label or KEY.search(text, line_start, place.start())):
                return {}
            names[number] = label if label and label not in names.values() else f"arg{int(number) + 1}"
        named[place.start()] = names[number]
        end = place.end()
    return named if set(names) == {str(index) for index in range(len(names))} else {}


def read_field(text: str, start: int, named: Mapping[int, str]) -> re.Match[str] | None:
    """The replacement field at `start`; None when the brace there is text."""
    field = FIELD.match(text, start)
    if field and (not field["path"] or field["path"].isdigit()):
        return field if start in named else None
    if field is None or SUBSCRIPT.match(text, max(0, start - 1)):
        return None
    spec = field["spec"]
    # `{a:1}` is an object in somebody's code; a bare width is no way to write a value in a prompt
    return None if spec is not None and (not spec or spec.isdigit()) else field


def _expression(field: re.Match[str], named: Mapping[int, str]) -> Expression:
    if field.start() in named:
        return Name(path=(named[field.start()],))
    root, *_ = re.split(r"[.\[]", field["path"], maxsplit=1)
    steps: list[Step] = [root]
    for dot, bracket in STEP.findall(field["path"]):
        steps.append(
            int(bracket) if bracket.isascii() and bracket.isdigit() and len(bracket) < 10 else dot or bracket
        )
    value = Name(path=tuple(steps))
    conversion = "" if field["conversion"] == "s" else field["conversion"] or ""
    if not conversion and not field["spec"]:
        return value
    return Formatted(value=value, style="python", spec=field["spec"] or "", conversion=conversion)
