"""The report for a terminal, drawn with rich."""

from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from adjudge.documents.numbers import show_count
from adjudge.reports.evidence_words import SLICE_HEADER, kinds_cell, mean_cell, rate_cell, slice_cells
from adjudge.reports.summary import Summary
from adjudge.reports.terminal import laid_out
from adjudge.reports.words import (
    cost,
    facts,
    failure_heading,
    failure_line,
    if_the_rest,
    judge_name,
    model_name,
    reading_aids,
)
from adjudge.text import visible

COLUMNS: dict[str, Callable[[Summary], str]] = {
    "Judge": judge_name,
    "Model": model_name,
    "Asked": lambda summary: show_count(summary.asked),
    "Judged": lambda summary: show_count(summary.judged),
    "Not judged": kinds_cell,
    "Mean": lambda summary: mean_cell(summary.mean),
    "Pass rate": lambda summary: rate_cell(summary.pass_rate),
    "If the rest": if_the_rest,
    "Cost": cost,
}
_ALIGNED_RIGHT = {"Asked", "Judged", "Cost"}


def render(summaries: Sequence[Summary], *, width: int, color: bool) -> str:
    """The whole report as text, with escapes of our own where colour is wanted and no others."""

    def write(console: Console) -> None:
        _figures(console, summaries)
        for summary in summaries:
            _details(console, summary)
            _slices(console, summary)
        for line in reading_aids(summaries):
            _line(console, line, "dim")

    return laid_out(write, width=width, color=color)


def _figures(console: Console, summaries: Sequence[Summary]) -> None:
    if not summaries:
        _line(console, "No judge was asked anything.")
        return
    models = {model_name(summary) for summary in summaries}
    if len(models) == 1:  # said once, it leaves the table room
        _line(console, f"Model: {models.pop()}")
        columns = {name: show for name, show in COLUMNS.items() if name != "Model"}
    else:
        columns = COLUMNS
    _line(console, "")
    _table(console, tuple(columns), [[show(summary) for show in columns.values()] for summary in summaries])


def _slices(console: Console, summary: Summary) -> None:
    for column in summary.slices:
        _line(console, f"{judge_name(summary)} by {visible(column.column)}", "bold")
        rows = [[visible(part.value), *slice_cells(part)] for part in column.slices]
        _table(console, (visible(column.column), *SLICE_HEADER), rows)


def _table(console: Console, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A line for each row where that fits the terminal, else a block for each, under its first cell."""
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold"
    )
    for name in names:
        table.add_column(Text(name), no_wrap=True, justify="right" if name in _ALIGNED_RIGHT else "left")
    for row in rows:
        # one kind to a line: a table as wide as all kinds side by side fits no terminal
        table.add_row(
            *(
                Text(cell.replace(", ", "\n") if name == "Not judged" else cell)
                for name, cell in zip(names, row, strict=True)
            )
        )
    if Measurement.get(console, console.options.update(max_width=10_000), table).maximum <= console.width:
        console.print(table)
        _line(console, "")
        return
    for row in rows:
        _line(console, row[0], "bold")
        for name, cell in zip(names[1:], row[1:], strict=True):
            _line(console, f"  {name + ':':<13}{cell}")
        _line(console, "")


def _details(console: Console, summary: Summary) -> None:
    """What failed, with what to do, then what is worth knowing."""
    lines = facts(summary)
    failed = [kind for kind in summary.outcomes if kind not in {"scored", "forced"}]
    if not lines and not failed:
        return
    _line(console, judge_name(summary), "bold")
    for kind in failed:
        _line(console, f"  {failure_heading(kind, summary)}", "yellow")
        for failure in summary.failures.get(kind, ()):
            _line(console, f"    {failure_line(failure)}")
    for line in lines:
        _line(console, f"  {line}")
    _line(console, "")


def _line(console: Console, text: str, style: str = "") -> None:
    # Never wrapped by us: a wrapped line could begin with words of somebody else that a build service obeys.
    console.print(Text(text, style=style), soft_wrap=True)
