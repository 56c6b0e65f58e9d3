"""A document for a terminal of a given width: rich lays it out, and no escape but our own gets through."""

import io
import os
import re
import shutil
from collections.abc import Iterable
from typing import TextIO

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text as Styled

from adjudge.documents.document import (
    CaseEntry,
    CaseList,
    Command,
    Document,
    Fact,
    Gauge,
    Heading,
    Plot,
    Quote,
    Table,
    Text,
    Tone,
    plain,
    spans,
)
from adjudge.text import one_line, visible

WIDTH_WITHOUT_TERMINAL = 80
WIDEST = 120
"""Longer lines are hard to read."""
LABEL = 14
"""Cells of the column that labels stand in."""
BAR = 20
_STYLES: dict[Tone, str] = {"plain": "", "good": "green", "bad": "bold red", "warning": "yellow"}
_WORKFLOW_COMMAND = re.compile(r"^((?:\s|\x1b\[[\d;]*m)*+):(?=:)")
"""Build services obey `::` where a line begins; a line that was broken could begin with it."""
_PLAINER = str.maketrans(
    {"—": "-", "–": "-", "…": "...", "─": "-", "∞": "inf", "█": "#", "░": ".", "·": "|", "≥": ">=", "→": "->"}
)
"""For terminals and files that cannot write what we would like to, before the rest turns into `?`."""


def render_terminal(
    document: Document, *, width: int = WIDTH_WITHOUT_TERMINAL, colour: bool = False, verbose: bool = False
) -> str:
    """`verbose` shows details too."""
    console = Console(
        file=io.StringIO(),
        width=max(width, 40),
        color_system="standard" if colour else None,
        force_terminal=colour,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        if plain(document.banner):
            console.print(_styled(document.banner, "bold yellow"))
            console.print()
        _line(console, _styled(document.title, "bold"), _styled(document.aside, "dim"))
        label = ""
        for block in document.blocks:
            if block.detail and not verbose:
                continue
            match block:
                case Heading(text=text):
                    console.print()
                    console.print(_styled(text, "bold"))
                case Fact():
                    _fact(console, block, repeated=block.label == label)
                case Gauge():
                    _gauge(console, block)
                case Table():
                    _table(console, block)
                case CaseList():
                    _cases(console, block, verbose=verbose)
                case Plot():  # a terminal has the gauges
                    continue
            label = block.label if isinstance(block, Fact) else ""
    lines = (_WORKFLOW_COMMAND.sub(r"\1: ", line.rstrip()) for line in captured.get().splitlines())
    return "\n".join(lines) + "\n"


def print_terminal(
    document: Document, *, file: TextIO, colour: bool | None = None, verbose: bool = False
) -> None:
    """Colour and width are those of the terminal, when `file` is one, unless they are given."""
    is_terminal = file.isatty()
    if colour is None:
        colour = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns
    if is_terminal:
        width = min(width, WIDEST)
    file.write(
        encode_for(render_terminal(document, width=width, colour=colour, verbose=verbose), file.encoding)
    )


def encode_for(text: str, encoding: str | None) -> str:
    """As far as a stream's encoding can write it."""
    name = encoding or "utf-8"
    if name.lower().startswith("utf"):
        return text
    return text.translate(_PLAINER).encode(name, "replace").decode(name)


def _styled(text: Text, style: str = "") -> Styled:
    styled = Styled(style=style)
    for span in spans(text):
        match span:
            case Quote(text=quoted):
                styled.append(visible(quoted))
            case Command(text=typed):
                styled.append(visible(typed), "cyan")
            case str():
                styled.append(span)
    return styled


def _line(console: Console, left: Styled, right: Styled) -> None:
    """Both on one line where they fit, else one under the other."""
    room = console.width - left.cell_len - right.cell_len
    if not right.plain:
        console.print(left)
    elif room >= 2:
        console.print(Styled.assemble(left, " " * room, right), no_wrap=True)
    else:
        console.print(left)
        console.print(right)


def _fact(console: Console, fact: Fact, *, repeated: bool) -> None:
    style = _STYLES[fact.tone]
    if not fact.label:
        console.print(_styled(fact.text, style))
        return
    label = "" if repeated else fact.label
    _labelled(
        console,
        Styled(label, style="bold" if fact.tone == "plain" else style),
        _styled(fact.text, style),
        fact.aside,
    )


def _labelled(console: Console, label: Styled, text: Styled, aside: Text = "") -> None:
    """A label, then text that is broken to stay in its own column."""
    styled_aside = _styled(aside, "dim")
    room = console.width - LABEL - text.cell_len - styled_aside.cell_len
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=LABEL - 1)
    grid.add_column(overflow="fold")
    if styled_aside.plain and room >= 2:
        text = Styled.assemble(text, " " * room, styled_aside)
    grid.add_row(label, text)
    if styled_aside.plain and room < 2:
        grid.add_row("", styled_aside)
    console.print(grid)


def _gauge(console: Console, gauge: Gauge) -> None:
    """`correctness   71.3 %  ██████████████░░░░░░  63.6–78.0 (95 %)   107 of 150 passed`."""
    label = one_line(plain(gauge.label), max(LABEL - 1, console.width // 3))
    parts = [Styled(f"{gauge.value:>7}", style=f"bold {_STYLES[gauge.tone]}".strip())]
    if gauge.share is not None and console.width >= 80:
        filled = round(min(max(gauge.share, 0.0), 1.0) * BAR)
        parts.append(Styled("█" * filled + "░" * (BAR - filled), style=_STYLES[gauge.tone] or "blue"))
    parts += [Styled(gauge.interval), Styled(gauge.counts)]
    text = Styled("  ").join(part for part in parts if part.plain)
    if cell_len(label) >= LABEL:
        console.print(Styled(label, style="bold"))
        label = ""
    _labelled(console, Styled(label, style="bold"), text)


def _table(console: Console, table: Table) -> None:
    """A line for each row where that fits, else a block for each, under its first cell."""
    grid = Grid(
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold"
    )
    for number, name in enumerate(table.header):
        grid.add_column(_styled(name), no_wrap=True, justify="right" if number in table.numeric else "left")
    for row in table.rows:
        grid.add_row(*(_styled(cell) for cell in row))
    console.print()
    if table.caption:
        console.print(_styled(table.caption, "bold"))
    if Measurement.get(console, console.options.update(max_width=10_000), grid).maximum <= console.width:
        console.print(grid)
        return
    for row in table.rows:
        console.print(_styled(row[0], "bold"))
        for name, cell in zip(table.header[1:], row[1:], strict=True):
            if plain(cell):
                _labelled(console, _styled(("  ", *spans(name))), _styled(cell))


def _cases(console: Console, listed: CaseList, *, verbose: bool) -> None:
    style = _STYLES[listed.tone]
    _labelled(console, Styled(listed.label, style=style or "bold"), _styled(listed.text), listed.aside)
    wide = min(max((cell_len(visible(case.case_id)) for case in listed.cases), default=0), 16)
    for case in listed.cases:
        if cell_len(visible(case.case_id)) > wide:  # whole, to be copied, and on a line of its own
            console.print(Styled.assemble("  ", (visible(case.case_id), "cyan")), no_wrap=True, crop=False)
        for line in _case_lines(case, wide, console.width, verbose=verbose):
            console.print(line, no_wrap=True, overflow="ellipsis")


def _case_lines(case: CaseEntry, wide: int, width: int, *, verbose: bool) -> Iterable[Styled]:
    """The id, the question and what belongs to it: two to a line where there is room."""
    room = width - wide - 5
    lines = [f"{word} “{one_line(text, room)}”" if text else word for word, text in case.lines]
    first = [one_line(case.question, room)] if case.question else []
    if verbose and case.reason:
        lines.append(f"because {one_line(case.reason, room)}")
    if case.change:
        lines.insert(0, case.change)
    if case.marks:
        lines.append(" · ".join(case.marks))
    half = room // 2
    if first and lines and width >= 80 and cell_len(lines[0]) <= room - half - 2:
        first = [f"{set_cell_size(one_line(case.question or '', half), half)}  {lines.pop(0)}"]
    for number, text in enumerate([*first, *lines]):
        name = case.case_id if number == 0 and cell_len(visible(case.case_id)) <= wide else ""
        name = one_line(name, wide)
        yield Styled.assemble("  ", (set_cell_size(name, wide), "cyan"), "  ", text)
