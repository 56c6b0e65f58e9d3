"""The comparison for a terminal, drawn with rich."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from adjudge.reports.compare import Compared, Flips, Side
from adjudge.reports.compare_corrected_words import corrected_lines
from adjudge.reports.compare_plan import FEWEST_UNITS
from adjudge.reports.compare_words import (
    evidence,
    facts,
    finding,
    flip_line,
    flips_heading,
    how,
    model_of,
    people_lines,
    reason_line,
    show_interval,
    show_p,
    slice_name,
    slices_line,
)
from adjudge.reports.format import NOTHING_TO_SHOW, show_count, show_mean, show_rate, visible
from adjudge.reports.terminal import laid_out
from adjudge.stats.clusters import FEWEST_CLUSTERS
from adjudge.stats.intervals import Undefined
from adjudge.stats.paired import Comparison

_STYLES = {"better": "green", "worse": "red", "inconclusive": "yellow", "not measured": "yellow"}
_ALIGNED_RIGHT = {"Cases", "Compared"}


def comparison_text(
    comparisons: Sequence[Compared],
    *,
    notes: Sequence[str] = (),
    margin: float | None = None,
    width: int = 140,
    color: bool = False,
) -> str:
    """Each judge's finding first, then its figures, slices and flips; `notes` are of the two runs."""

    def write(console: Console) -> None:
        for note in notes:
            if note.startswith("PARTIAL"):  # the figures are of a part: said before them
                _line(console, visible(note), "bold")
        for compared in comparisons:
            _judge(console, compared, margin)
        for note in notes:
            if not note.startswith("PARTIAL"):
                _line(console, visible(f"note: {note}"), "dim")
        _line(console, "[low, high] is a 95 % interval. Differences are of cases matched by id.", "dim")

    return laid_out(write, width=width, color=color)


def _judge(console: Console, compared: Compared, margin: float | None) -> None:
    names = dict.fromkeys((compared.a.judge, compared.b.judge))
    _line(console, visible(" against ".join(names)), "bold")
    _line(console, finding(compared, margin), _STYLES[compared.finding])
    if compared.comparison is not None:
        _line(console, f"  over {evidence(compared)}; {how(compared.comparison)}")
    _line(console, "")
    console.print(_sides(compared))
    _line(console, "")
    for line in facts(compared):
        _line(console, f"  {line}")
    _line(console, "")
    if compared.people is not None:
        _line(console, "People", "bold")
        for line in people_lines(compared.people, one_judge=compared.one_judge):
            _line(console, f"  {line}")
        _line(console, "")
    if compared.corrected is not None:
        _line(console, "What people would say", "bold")
        for line in corrected_lines(compared.corrected):
            _line(console, f"  {line}")
        _line(console, "")
    if compared.slices:
        _line(console, "Slices", "bold")
        console.print(_slices(compared))
        _line(console, f"  {slices_line(compared.slices, compared.slices_left_out)}")
        _line(console, "")
    _flips(console, compared, compared.flips)


def _sides(compared: Compared) -> Table:
    table = _table("", "Run", "Model", "Cases", "Compared", "Mean", "Pass rate")
    for name, side in (("A", compared.a), ("B", compared.b)):
        table.add_row(
            *map(
                Text,
                (
                    name,
                    visible(side.run),
                    model_of(side),
                    show_count(side.cases),
                    show_count(compared.pairs),
                    show_mean(side.mean),
                    _rate(side),
                ),
            )
        )
    return table


def _rate(side: Side) -> str:
    return NOTHING_TO_SHOW if side.pass_rate is None else show_rate(side.pass_rate)


def _slices(compared: Compared) -> Table:
    table = _table("Slice", "Compared", "Difference", "p (Holm)", "Detectable", "")
    for part in compared.slices:
        difference = part.comparison.difference
        units = difference.clusters or difference.n
        remark = "too few to rely on" if units < FEWEST_CLUSTERS else ""
        if part.significant:
            remark = f"B is {'better' if difference.value > 0 else 'worse'}"
        table.add_row(
            *map(
                Text,
                (
                    slice_name(part),
                    show_count(difference.n),
                    show_interval(difference),
                    show_p(part.adjusted),
                    _detectable(part.comparison, units),
                    remark,
                ),
            )
        )
    return table


def _detectable(comparison: Comparison, units: int) -> str:
    least = comparison.detectable
    return NOTHING_TO_SHOW if isinstance(least, Undefined) or units < FEWEST_UNITS else f"{least:.3f}"


def _flips(console: Console, compared: Compared, flips: Flips) -> None:
    if not compared.pairs:
        return
    _line(console, flips_heading(compared), "bold")
    for flip in flips.shown:
        _line(console, f"  {flip_line(flip)}")
        for reason in (reason_line("A", flip.reason_a), reason_line("B", flip.reason_b)):
            if reason is not None:
                _line(console, f"      {reason}")
    _line(console, "")


def _table(*columns: str) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold"
    )
    for name in columns:
        table.add_column(name, justify="right" if name in _ALIGNED_RIGHT else "left", overflow="fold")
    return table


def _line(console: Console, text: str, style: str = "") -> None:
    # Never wrapped by us: a wrapped line could begin with words of somebody else that a build service obeys.
    console.print(Text(text, style=style), soft_wrap=True)
