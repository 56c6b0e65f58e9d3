"""The report as Markdown, for a pull request or a page."""

import re
from collections.abc import Sequence

from adjudge.documents.numbers import show_count
from adjudge.reports.evidence_words import SLICE_HEADER, kinds_cell, mean_cell, rate_cell, slice_cells
from adjudge.reports.slices import SliceColumn
from adjudge.reports.summary import Summary
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

_HEADER = ("Judge", "Model", "Asked", "Judged", "Not judged", "Mean", "Pass rate", "If the rest", "Cost")
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$&@]")
_TICKS = re.compile(r"`+")


def report_markdown(summaries: Sequence[Summary]) -> str:
    """A table with a line for each judge, then what failed, what to do, and what is worth knowing."""
    if not summaries:
        return "No judge was asked anything.\n"
    lines = [_table_line(_HEADER), _table_line(["---"] * len(_HEADER))]
    lines += [
        _table_line(
            [
                quoted(judge_name(summary)),
                quoted(model_name(summary)),
                show_count(summary.asked),
                show_count(summary.judged),
                escaped(kinds_cell(summary)),
                mean_cell(summary.mean),
                rate_cell(summary.pass_rate),
                if_the_rest(summary),
                escaped(cost(summary)),
            ],
        )
        for summary in summaries
    ]
    for summary in summaries:
        details = _details(summary)
        if details:
            lines += ["", f"**{quoted(judge_name(summary))}**", "", *details]
        for column in summary.slices:
            lines += [
                "",
                f"**{quoted(judge_name(summary))} by {quoted(column.column)}**",
                "",
                *_slices(column),
            ]
    for line in reading_aids(summaries):
        lines += ["", escaped(line)]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Other people's text as a code span: no markup, link, mention or HTML in it comes to life."""
    shown = visible(text)
    fence = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    space = " " if shown.startswith("`") or shown.endswith("`") or not shown.strip() else ""
    return f"{fence}{space}{shown}{space}{fence}"


def escaped(text: str) -> str:
    """Our own words, some of which look like markup."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _details(summary: Summary) -> list[str]:
    lines = []
    for kind in summary.outcomes:
        if kind not in {"scored", "forced"}:
            lines.append(f"- {escaped(failure_heading(kind, summary))}")
            lines += [f"  - {quoted(failure_line(failure))}" for failure in summary.failures.get(kind, ())]
    return lines + [f"- {escaped(line)}" for line in facts(summary)]


def _slices(column: SliceColumn) -> list[str]:
    header = (quoted(column.column), *SLICE_HEADER)
    return [
        _table_line(header),
        _table_line(["---"] * len(header)),
        *(
            _table_line([quoted(part.value), *(escaped(cell) for cell in slice_cells(part))])
            for part in column.slices
        ),
    ]


def _table_line(cells: Sequence[str]) -> str:
    # A bar ends a cell even inside a code span, and what a backslash before it does depends on who draws the table.
    return f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} |"
