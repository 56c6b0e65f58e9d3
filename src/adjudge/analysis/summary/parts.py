"""The parts of a figure: by criterion, by rating, by slice."""

from collections.abc import Iterator
from math import isfinite

from adjudge.analysis.summary.fields import FieldFigures
from adjudge.analysis.summary.figures import RatingFigures, Summary
from adjudge.analysis.summary.headline import is_pass_or_fail, judge_name
from adjudge.analysis.summary.sample import Bounds
from adjudge.analysis.summary.slices import Slice, SliceColumn
from adjudge.documents.document import (
    Block,
    Fact,
    Intervals,
    Plot,
    PlottedInterval,
    Quote,
    Table,
    Text,
    spans,
)
from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    show_count,
    show_error,
    show_mean,
    show_number,
    show_percent_range,
    show_rate,
)
from adjudge.stats.intervals import Estimate
from adjudge.text import shorten

MAX_CRITERIA = 20
MAX_SLICED_FIELDS = 4


def criteria_tables(summary: Summary) -> Iterator[Table]:
    """How often each criterion is met, and how often people say the same; what each rating and each label comes to."""
    yield from _field_tables(summary)
    if summary.ratings:
        yield _ratings_table(summary)
    if summary.claims:
        yield Table(
            kind="claims",
            caption=("Claims of ", Quote(summary.title), f", {show_count(summary.claims[0].share.n)} in all"),
            header=("Verdict", "Share"),
            rows=tuple((each.verdict.replace("_", " "), show_rate(each.share)) for each in summary.claims),
            numeric=(1,),
        )
    if not summary.criteria:
        return
    compared = any(each.agreement for each in summary.criteria)
    rows: list[tuple[Text, ...]] = [
        (
            Quote(shorten(" ".join(each.criterion.split()), 60)),
            f"{each.points:g}",
            show_count(each.met.n),
            show_rate(each.met),
            *((show_rate(each.agreement),) if compared else ()),
        )
        for each in summary.criteria[:MAX_CRITERIA]
    ]
    left = len(summary.criteria) - len(rows)
    more = f", the {MAX_CRITERIA} most frequent of {show_count(len(summary.criteria))}" if left else ""
    header = ("Criterion", "Points", "n", "Met", *(("Agreement",) if compared else ()))
    yield Table(
        kind="criteria",
        caption=("Criteria of ", Quote(summary.title), more),
        header=header,
        rows=tuple(rows),
        numeric=tuple(range(1, len(header))),
    )


def _field_tables(summary: Summary) -> Iterator[Table]:
    """Labels by their shares, and numbers by their means, of a judge without a score."""
    for each in summary.fields:
        if each.labels:
            yield Table(
                kind="shares",
                caption=(
                    Quote(each.name),
                    " of ",
                    Quote(summary.title),
                    ", entries of the lists" if "[]" in each.name else "",
                ),
                header=("Label", "n", "Share"),
                rows=tuple(
                    (
                        Quote(one.label),
                        f"{show_count(round(one.share.value * one.share.n))} of {show_count(one.share.n)}",
                        marked(show_rate(one.share), one.share),
                    )
                    for one in each.labels
                ),
                numeric=(1, 2),
            )
    numbers = [each for each in summary.fields if each.mean is not None]
    if numbers:
        yield Table(
            kind="numbers",
            caption=("Numbers of ", Quote(summary.title), ", means over the judged cases that give them"),
            header=("Field", "n", "Mean"),
            rows=tuple(
                (Quote(each.name), show_count(each.mean.n), marked(show_mean(each.mean), each.mean))
                for each in numbers
                if each.mean is not None
            ),
            numeric=(1, 2),
        )


def _ratings_table(summary: Summary) -> Table:
    ruled = any(each.pass_rate for each in summary.ratings)
    compared = any(each.agreement or each.absolute_error for each in summary.ratings)
    rows: list[tuple[Text, ...]] = [
        (
            Quote(each.name),
            f"{each.scale.low:g}–{each.scale.high:g}",
            show_mean(each.mean),
            *((show_rate(each.pass_rate),) if ruled else ()),
            *((_compared_cell(each),) if compared else ()),
        )
        for each in summary.ratings
    ]
    header = (
        "Rating", "Scale", "Mean", *(("Pass rate",) if ruled else ()), *(("Agreement",) if compared else ())
    )  # fmt: skip
    return Table(
        kind="ratings",
        caption=("Ratings of ", Quote(summary.title)),
        header=header,
        rows=tuple(rows),
        numeric=tuple(range(1, len(header))),
    )


def _compared_cell(rating: RatingFigures) -> str:
    return show_error(rating.absolute_error) if rating.agreement is None else show_rate(rating.agreement)


def slice_tables(summary: Summary) -> Iterator[Block]:
    header = slice_header(summary)

    def quoted(cells: tuple[str, ...]) -> tuple[Text, ...]:
        return tuple(map(Quote, cells)) if summary.fields else cells  # names and labels are the prompt's

    for column in summary.slices:
        yield Table(
            kind="slices",
            caption=(*spans(judge_name(summary)), " by ", Quote(column.column)),
            header=(Quote(column.column), *quoted(header)),
            rows=tuple((Quote(part.value), *quoted(slice_cells(part, summary))) for part in column.slices),
        )
        yield from _slice_plot(column, summary)
    if any(_is_unreliable(part) for column in summary.slices for part in column.slices):
        yield Fact(
            kind="slices unreliable",
            text="* an interval over fewer than 10 clusters, or over few cases: unreliable",
        )


def _is_unreliable(part: Slice) -> bool:
    shown = (part.mean, *(each.mean for each in part.fields))
    shares = (label.share for each in part.fields for label in each.labels)
    return any(each is not None and each.warning for each in (*shown, *shares))


def slice_header(summary: Summary) -> tuple[str, ...]:
    if summary.fields:
        return ("Judged", *(each.name for each in summary.fields[:MAX_SLICED_FIELDS]))
    figures = ("Pass rate",) if is_pass_or_fail(summary) else ("Mean", "Passed")
    return ("Scored", *figures, "With the unscored")


def slice_cells(part: Slice, summary: Summary) -> tuple[str, ...]:
    """The cells under `slice_header`."""
    scored = f"{show_count(part.judged)} of {show_count(part.asked)}"
    if summary.fields:
        given = {each.name: each for each in part.fields}
        return (
            scored,
            *(field_cell(given.get(each.name)) for each in summary.fields[:MAX_SLICED_FIELDS]),
        )
    if is_pass_or_fail(summary):
        bounds, rate = part.pass_bounds if part.not_judged else None, part.pass_rate
        known = NOTHING_TO_SHOW if bounds is None else f"{show_percent_range(bounds.low, bounds.high)} %"
        return (scored, marked(show_rate(rate), rate), known)
    passed = NOTHING_TO_SHOW if part.pass_rate is None else show_rate(part.pass_rate)
    return (scored, marked(show_mean(part.mean), part.mean), passed, range_cell(part.bounds, part.not_judged))


def field_cell(figures: FieldFigures | None) -> str:
    """The shares of a label's values that occur, or the mean of a number."""
    if figures is None:
        return NOTHING_TO_SHOW
    if figures.mean is not None:
        return marked(show_mean(figures.mean), figures.mean)
    shares = (each for each in figures.labels if each.share.value)
    return ", ".join(f"{each.label} {marked(show_rate(each.share), each.share)}" for each in shares)


def marked(cell: str, estimate: Estimate | None) -> str:
    return f"{cell}*" if estimate is not None and estimate.warning else cell


def range_cell(bounds: Bounds | None, not_judged: int) -> str:
    if bounds is None or not not_judged:
        return NOTHING_TO_SHOW
    return f"{show_number(bounds.low)}–{show_number(bounds.high)}"


def _slice_plot(column: SliceColumn, summary: Summary) -> Iterator[Plot]:
    rows = tuple(
        PlottedInterval(
            name=part.value,
            value=part.mean.value,
            low=part.mean.low,
            high=part.mean.high,
            outer=(part.bounds.low, part.bounds.high) if part.bounds and part.not_judged else None,
        )
        for part in column.slices
        if part.mean and isfinite(part.mean.low) and isfinite(part.mean.high)
    )
    if rows:
        axis = (summary.scale.low, summary.scale.high) if summary.scale else None
        mean = summary.mean.value if summary.mean else None
        caption = "Mean of each slice with its 95 % interval; the dashed line is the mean of all cases."
        yield Plot(kind="slices", figure=Intervals(rows=rows, axis=axis, zero=mean), caption=caption)
