"""Sentences on what the figures rest on: clusters, repeats, slices, and intervals that are not to be relied on."""

from collections.abc import Iterable, Sequence

from adjudge.documents.numbers import NOTHING_TO_SHOW, show_count, show_mean, show_number, show_rate
from adjudge.records import Scale
from adjudge.reports.repeated import Repeated, Undecided
from adjudge.reports.sample import Bounds
from adjudge.reports.slices import Slice, SliceColumn
from adjudge.reports.summary import Summary
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.repeats import Noise
from adjudge.text import visible

IDS_SHOWN = 8


def mean_cell(estimate: Estimate | None) -> str:
    """`3.42 [3.10, 3.74]`, and a word where the interval may well be too narrow."""
    return show_mean(estimate) + _mark(estimate)


def rate_cell(estimate: Estimate | None) -> str:
    return show_rate(estimate) + _mark(estimate)


def rest_cell(bounds: Bounds | None, not_judged: int) -> str:
    """`3.10 to 3.60`; nothing to show when nothing was left out or there is no scale."""
    if bounds is None or not not_judged:
        return NOTHING_TO_SHOW
    return f"{show_number(bounds.low)} to {show_number(bounds.high)}"


def kinds_cell(part: Summary | Slice) -> str:
    """What was not judged: `2 unreadable, 1 refused`."""
    kinds = [
        f"{show_count(n)} {kind}" for kind, n in part.outcomes.items() if kind not in {"scored", "forced"}
    ]
    return ", ".join(kinds) or NOTHING_TO_SHOW


def _mark(estimate: Estimate | None) -> str:
    return " unreliable" if estimate is not None and estimate.warning else ""


# ---- clusters and repeats ----


def grouping_facts(summary: Summary) -> list[str]:
    lines = []
    clusters = summary.mean.clusters if summary.mean else None
    if summary.grouping == "cluster" and clusters is not None:
        lines.append(
            f"rows come in {show_count(clusters)} clusters (column `cluster`; a row without one is its own); "
            "intervals are over clusters, not rows"
        )
    if summary.repeats > 1:
        counted = "" if summary.grouping == "cluster" else "; intervals count a case once"
        lines.append(f"each case was judged {summary.repeats} times{counted}")
    estimates = (summary.mean, summary.pass_rate, summary.agreement and summary.agreement.rate)
    warnings = dict.fromkeys(estimate.warning for estimate in estimates if estimate and estimate.warning)
    lines += [f"unreliable: {warning}" for warning in warnings]
    return lines + (repeat_facts(summary.repeated, summary.scale) if summary.repeated else [])


def repeat_facts(repeated: Repeated, scale: Scale | None) -> list[str]:
    if isinstance(repeated.noise, Undefined):
        return [f"repeats: {repeated.noise.why}"]
    what = "on passing" if repeated.compared == "passed" else "in their score"
    flips = repeated.flips
    lines = [_noise(repeated.noise, scale)]
    if isinstance(flips, Estimate):
        lines.append(
            f"two judgements of a case differ {what} with a chance of {show_rate(flips)} "
            f"(n {show_count(flips.n)} pairs; {flips.method})"
        )
    kappa = repeated.kappa
    if isinstance(kappa, Undefined):
        lines.append(f"test–retest κ {what}: none; {kappa.why}")
    else:
        lines.append(
            f"test–retest κ {what}: {mean_cell(kappa)} (n {show_count(kappa.n)} cases; {kappa.method})"
        )
    return lines + ([_undecided(repeated.undecided)] if repeated.undecided else [])


def _noise(noise: Noise, scale: Scale | None) -> str:
    share = (
        f", {noise.sd / (scale.high - scale.low):.1%} of the scale"
        if scale and scale.high > scale.low
        else ""
    )
    return (
        f"noise: scores of one case have a standard deviation of {noise.sd:.3g}{share} "
        f"(pooled over {show_count(noise.cases)} cases, {show_count(noise.df)} degrees of freedom)"
    )


def _undecided(found: Undecided) -> str:
    if not found.count:
        return f"UNDECIDED at the pass threshold: none of {show_count(found.of)} cases"
    named = ", ".join(visible(case) for case in found.case_ids[:IDS_SHOWN])
    more = ", …" if found.count > IDS_SHOWN else ""
    return (
        f"UNDECIDED at the pass threshold: {show_count(found.count)} of {show_count(found.of)} cases, whose repeats "
        f"disagree or whose mean lies within the noise of it: {named}{more}"
    )


# ---- slices ----

SLICE_HEADER = ("Asked", "Judged", "Not judged", "Mean", "Pass rate", "If the rest")


def slice_cells(part: Slice) -> tuple[str, ...]:
    """The cells under `SLICE_HEADER`."""
    return (
        show_count(part.asked),
        show_count(part.judged),
        kinds_cell(part),
        mean_cell(part.mean),
        rate_cell(part.pass_rate),
        rest_cell(part.bounds, part.not_judged),
    )


def slices_aid(summaries: Sequence[Summary]) -> list[str]:
    """How the slices' intervals were made, and what looking at many of them does."""
    columns = [column for summary in summaries for column in summary.slices]
    count = sum(len(column.slices) for column in columns)
    if not count:
        return []
    means = _short_methods(part.mean for part in _parts(columns))
    rates = _short_methods(part.pass_rate for part in _parts(columns))
    made = "; ".join(
        f"{what} by {methods}" for what, methods in (("mean", means), ("pass rate", rates)) if methods
    )
    missed = (
        f"Slices: {made or 'nothing was judged'}. Each interval is a 95 % interval of its own: of {show_count(count)} "
        f"slices looked at, about {count * 0.05:.1f} miss their true value by chance, so one that stands out is a "
        "question and no finding yet."
    )
    return [missed]


def _parts(columns: Iterable[SliceColumn]) -> Iterable[Slice]:
    return (part for column in columns for part in column.slices)


def _short_methods(estimates: Iterable[Estimate | None]) -> str:
    """Without what differs from slice to slice, such as degrees of freedom."""
    return ", ".join(dict.fromkeys(each.method.partition(" (")[0] for each in estimates if each))
