"""The report for a terminal, drawn with rich."""

import io
from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from adjudge.reports.format import show_count, show_mean, show_rate
from adjudge.reports.summary import Summary
from adjudge.reports.words import (
    cost,
    facts,
    failure_heading,
    failure_line,
    if_the_rest,
    judge_name,
    model_name,
    not_judged,
    reading_aids,
)

COLUMNS: dict[str, Callable[[Summary], str]] = {
    "Judge": judge_name,
    "Model": model_name,
    "Asked": lambda summary: show_count(summary.asked),
    "Judged": lambda summary: show_count(summary.judged),
    "Not judged": not_judged,
    "Mean": lambda summary: show_mean(summary.mean),
    "Pass rate": lambda summary: show_rate(summary.pass_rate),
    "If the rest": if_the_rest,
    "Cost": cost,
}
_ALIGNED_RIGHT = {"Asked", "Judged", "Cost"}


def render(summaries: Sequence[Summary], *, width: int, color: bool) -> str:
    """The whole report as text, with escapes of our own where colour is wanted and no others."""
    console = Console(
        file=io.StringIO(),
        width=max(width, 20),
        color_system="standard" if color else None,
        force_terminal=color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        _figures(console, summaries)
        for summary in summaries:
            _details(console, summary)
        for line in reading_aids(summaries):
            _line(console, line, "dim")
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


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
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold"
    )
    for name in columns:
        table.add_column(name, no_wrap=True, justify="right" if name in _ALIGNED_RIGHT else "left")
    for summary in summaries:
        # one kind to a line: a table as wide as all kinds side by side fits no terminal
        table.add_row(
            *(
                Text(show(summary).replace(", ", "\n")) if show is not_judged else Text(show(summary))
                for show in columns.values()
            )
        )
    if Measurement.get(console, console.options.update(max_width=10_000), table).maximum <= console.width:
        _line(console, "")
        console.print(table)
        _line(console, "")
        return
    _line(console, "")
    for summary in summaries:
        _line(console, judge_name(summary), "bold")
        for name, show in columns.items():
            if name != "Judge":
                _line(console, f"  {name + ':':<13}{show(summary)}")
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
