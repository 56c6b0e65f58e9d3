"""The report as one HTML file that opens offline: no script, nothing fetched, other people's text escaped everywhere."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from adjudge.documents.numbers import show_count, show_number, show_time
from adjudge.errors import MissingExtraError
from adjudge.reports.evidence_words import SLICE_HEADER, kinds_cell, mean_cell, rate_cell, slice_cells
from adjudge.reports.plots import need_plots, plot_distribution, plot_mean, plot_slices
from adjudge.reports.summary import Lowest, Summary
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
from adjudge.store import Partial
from adjudge.text import visible

HEADER = ("Judge", "Asked", "Judged", "Not judged", "Mean", "Pass rate", "If the rest", "Cost")
_NO_PLOTS = "Plots were left out, because what draws them is not installed: pip install 'adjudge[html]'."


def report_html(
    summaries: Sequence[Summary],
    *,
    run: str | None = None,
    current_date: str | None = None,
    partial: Partial | None = None,
    at: datetime | None = None,
) -> str:
    """`at` is when it is written. Without the `html` extra there are tables only, and the page says so."""
    style = _part("report.css")
    has_plots = _can_plot()
    aids = reading_aids(summaries)
    if current_date is not None:
        aids.append(f"Current date in the prompts: {visible(current_date)}.")
    if not has_plots:
        aids.append(_NO_PLOTS)
    return _template().render(
        title="Report" if run is None else f"Report of run {visible(run)}",
        subtitle=_subtitle(summaries, at),
        partial=None if partial is None else str(partial),
        style=Markup(style),  # noqa: S704 - a file of ours; its hash is what the page's policy lets through
        style_hash=f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}",
        header=HEADER,
        figures=[
            _figures(summary, with_model=len({each.model for each in summaries}) > 1) for summary in summaries
        ],
        judges=[
            _judge(summary, f"plot-{number}", has_plots=has_plots) for number, summary in enumerate(summaries)
        ],
        aids=aids,
        made_by="Made by adjudge. This page holds everything it shows: it loads nothing and runs nothing.",
    )


def _subtitle(summaries: Sequence[Summary], at: datetime | None) -> str:
    asked, judged = sum(each.asked for each in summaries), sum(each.judged for each in summaries)
    written = "" if at is None else f"; written {show_time(at)}"
    return f"{show_count(judged)} of {show_count(asked)} rows judged{written}"


def _figures(summary: Summary, *, with_model: bool) -> list[str]:
    return [
        f"{judge_name(summary)} {model_name(summary)}" if with_model else judge_name(summary),
        show_count(summary.asked),
        show_count(summary.judged),
        kinds_cell(summary),
        mean_cell(summary.mean),
        rate_cell(summary.pass_rate),
        if_the_rest(summary),
        cost(summary),
    ]


def _judge(summary: Summary, name: str, *, has_plots: bool) -> dict[str, object]:
    """What the page shows of one judge."""
    scale = summary.scale
    said = facts(summary)
    rest = " The pale band: had the rows that were not judged got the lowest, or the highest, score."
    return {
        "name": judge_name(summary),
        "model": model_name(summary),
        "scale": scale and f"scale {scale.low:g} to {scale.high:g}, {summary.better} is better",
        "warnings": [line for line in said if line.startswith("unreliable:")],
        "facts": [line for line in said if not line.startswith("unreliable:")],
        "mean_plot": _safe(plot_mean(summary, f"{name}-mean") if has_plots else None),
        "mean_caption": f"Mean {mean_cell(summary.mean)}, n {show_count(summary.judged)}."
        + (rest if summary.not_judged and summary.bounds else ""),
        "distribution_plot": _safe(
            plot_distribution(summary.distribution, f"{name}-scores")
            if has_plots and summary.distribution
            else None
        ),
        "failures": [
            [
                kind,
                failure_heading(kind, summary),
                "\n".join(failure_line(failure) for failure in summary.failures.get(kind, ())),
            ]
            for kind in summary.outcomes
            if kind not in {"scored", "forced"}
        ],
        "columns": [
            {
                "name": visible(column.column),
                "plot": _safe(plot_slices(column, summary, f"{name}-{at}") if has_plots else None),
                "header": (visible(column.column), *SLICE_HEADER),
                "rows": [[visible(part.value), *slice_cells(part)] for part in column.slices],
            }
            for at, column in enumerate(summary.slices)
        ],
        "lowest": [_lowest(row) for row in summary.lowest],
        "lowest_caption": f"The {show_count(len(summary.lowest))} lowest scores"
        if summary.better == "higher"
        else f"The {show_count(len(summary.lowest))} highest scores, where lower is better",
    }


def _lowest(row: Lowest) -> list[str]:
    repeat = f" (repeat {row.repeat})" if row.repeat else ""
    failed = "" if row.passed is None else ", not passed"
    return [f"{visible(row.case_id)}{repeat}", f"{show_number(row.score)}{failed}", visible(row.reason)]


def _safe(svg: str | None) -> Markup | None:
    return None if svg is None else Markup(svg)  # noqa: S704 - written as XML, so that its text is escaped


def _can_plot() -> bool:
    try:
        need_plots()
    except MissingExtraError:
        return False
    return True


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(_part("report.html.jinja"))


def _part(name: str) -> str:
    return (files("adjudge.reports") / "page" / name).read_text(encoding="utf-8")
