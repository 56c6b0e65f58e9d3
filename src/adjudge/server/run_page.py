"""The run page's parts: each judge's figures in the report's own words, and each bar with the way to its items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from adjudge.analysis.outcomes import NOTES
from adjudge.analysis.summary.document import (
    advice,
    example_text,
    judge_facts,
    marked,
    methods,
    range_cell,
    slice_cells,
    slice_header,
)
from adjudge.analysis.summary.figures import Summary
from adjudge.analysis.summary.sample import Bounds
from adjudge.analysis.summary.slices import OTHERS, Slice, SliceColumn
from adjudge.documents.document import Fact, plain
from adjudge.documents.numbers import NOTHING_TO_SHOW, show_count, show_mean, show_percent, show_rate
from adjudge.probes.shelf import find_card, shelf_of
from adjudge.probes.text import card_line, no_card_line
from adjudge.records import Scale
from adjudge.server.items import ItemFilter
from adjudge.server.keys import to_key
from adjudge.server.pages import query
from adjudge.server.service import Service
from adjudge.stats.distribution import label_ends
from adjudge.stats.intervals import Estimate
from adjudge.store import RunRecord
from adjudge.text import visible

PERCENT = Scale(low=0.0, high=1.0)
REPEATS = ("noise", "flips", "retest", "undecided", "repeats")
LISTED = ("forced", "near", "card", "temperature", "clusters", "from store")
"""The kinds of facts that have no part of their own on this page."""
LONGEST_ID = 200
"""As the report cuts them: a longer one has no link."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    text: str
    href: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """So many rows; the bar leads to them."""

    label: str
    count: int
    share: float
    href: str
    look: str
    """`solid`, `dotted` or `hatched`: told apart without colour."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """A dot and its interval on a scale."""

    value: float
    low: float
    high: float
    scale: Scale | None
    percent: bool = False
    rest: Bounds | None = None
    """What the rows that were not judged could have made of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    name: str
    shown: str
    n: int
    method: str
    rest: str
    plot: Plot | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Failures:
    kind: str
    count: int
    heading: str
    href: str
    examples: tuple[Link, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    kind: str
    count: int
    meaning: str
    href: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LowRow:
    case: Link
    repeat: int
    score: float
    passed: bool | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgePart:
    summary: Summary
    name: str
    card: str
    items: str
    figures: tuple[Figure, ...]
    warnings: tuple[str, ...]
    facts: tuple[str, ...]
    repeats: tuple[str, ...]
    undecided: tuple[Link, ...]
    labels: str | None
    outcomes: tuple[Bar, ...]
    scores: tuple[Bar, ...]
    notes: tuple[Note, ...]
    failures: tuple[Failures, ...]
    lowest: tuple[LowRow, ...]
    lowest_href: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceRow:
    value: Link
    cells: tuple[str, ...]
    plot: Plot | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceTable:
    judge: str
    column: str
    header: tuple[str, ...]
    rows: tuple[SliceRow, ...]
    mean: float | None
    """Of all rows."""
    scale: Scale | None


def judge_parts(service: Service, record: RunRecord, summaries: Iterable[Summary]) -> list[JudgePart]:
    ways = Ways(to_key(record.run_id))
    return [_judge(service, ways, summary) for summary in summaries]


def _judge(service: Service, ways: "Ways", summary: Summary) -> JudgePart:
    facts = judge_facts(summary)
    undecided = summary.repeated.undecided if summary.repeated else None
    judge = summary.judge
    return JudgePart(
        summary=summary,
        name=judge,
        card=_card(service, summary),
        items=ways.items(ItemFilter(judge=judge)),
        figures=tuple(_figures(summary)),
        warnings=_texts(facts, "unreliable"),
        facts=_texts(facts, *LISTED),
        repeats=_texts(facts, *REPEATS),
        undecided=tuple(
            Link(text=visible(case), href=ways.item(case, judge))
            for case in (undecided.case_ids if undecided else ())
        ),
        labels=next(iter(_texts(facts, "labels")), None),
        outcomes=tuple(_outcomes(summary, ways)),
        scores=tuple(_scores(summary, ways)),
        notes=tuple(
            Note(
                kind=kind,
                count=count,
                meaning=NOTES.get(kind, ""),
                href=ways.items(ItemFilter(judge=judge, note=kind)),
            )
            for kind, count in summary.notes.items()
        ),
        failures=tuple(
            Failures(
                kind=kind,
                count=summary.outcomes[kind],
                heading=visible(plain(advice(summary, kind))),
                href=ways.items(ItemFilter(judge=judge, outcomes=(kind,))),
                examples=tuple(
                    Link(text=visible(plain(example_text(failure))), href=ways.item(failure.case_id, judge))
                    for failure in summary.failures.get(kind, ())
                ),
            )
            for kind in summary.outcomes
            if kind not in {"scored", "forced"}
        ),
        lowest=tuple(
            LowRow(
                case=Link(text=visible(row.case_id), href=ways.item(row.case_id, judge, row.repeat)),
                repeat=row.repeat,
                score=row.score,
                passed=row.passed,
                reason=row.reason,
            )
            for row in summary.worst
        ),
        lowest_href=ways.items(
            ItemFilter(judge=judge, sort="-score" if summary.better == "lower" else "score")
        ),
    )


def _texts(facts: Iterable[Fact], *kinds: str) -> tuple[str, ...]:
    return tuple(visible(plain(fact.text)) for fact in facts if fact.kind in kinds)


def _card(service: Service, summary: Summary) -> str:
    card = find_card(shelf_of(service.where), judge_hash=summary.judge_hash, model=summary.model)
    if card is not None:
        return card_line(card)
    return no_card_line(summary.judge, summary.model) if summary.model else ""


# ---- figures -------------------------------------------------------------------------------------------


def _figures(summary: Summary) -> Iterable[Figure]:
    scale, missing = summary.scale, summary.not_judged
    if summary.mean:
        yield Figure(
            name="Mean",
            shown=marked(show_mean(summary.mean), summary.mean),
            n=summary.mean.n,
            method=summary.mean.method,
            rest=range_cell(summary.bounds, missing),
            plot=_plot(summary.mean, scale, rest=summary.bounds if missing else None),
        )
    if summary.mean_without_forced:
        yield Figure(
            name="Mean without rows scored by rule",
            shown=marked(show_mean(summary.mean_without_forced), summary.mean_without_forced),
            n=summary.mean_without_forced.n,
            method=summary.mean_without_forced.method,
            rest=NOTHING_TO_SHOW,
            plot=_plot(summary.mean_without_forced, scale),
        )
    if summary.pass_rate:
        bounds = summary.pass_bounds if summary.pass_rate.n < summary.asked else None
        yield Figure(
            name="Pass rate",
            shown=marked(show_rate(summary.pass_rate), summary.pass_rate),
            n=summary.pass_rate.n,
            method=summary.pass_rate.method,
            rest=f"{show_percent(bounds.low)} to {show_percent(bounds.high)}" if bounds else NOTHING_TO_SHOW,
            plot=_plot(summary.pass_rate, PERCENT, rest=bounds, percent=True),
        )


def _plot(
    estimate: Estimate | None, scale: Scale | None, *, rest: Bounds | None = None, percent: bool = False
) -> Plot | None:
    if estimate is None or not isfinite(estimate.low) or not isfinite(estimate.high):
        return None
    return Plot(
        value=estimate.value, low=estimate.low, high=estimate.high, scale=scale, percent=percent, rest=rest
    )


def _outcomes(summary: Summary, ways: "Ways") -> Iterable[Bar]:
    looks = {"scored": "solid", "forced": "dotted"}
    for kind, count in summary.outcomes.items():
        href = ways.items(ItemFilter(judge=summary.judge, outcomes=(kind,)))
        share = count / summary.asked
        yield Bar(label=kind, count=count, share=share, href=href, look=looks.get(kind, "hatched"))


def _scores(summary: Summary, ways: "Ways") -> Iterable[Bar]:
    for label, count in (summary.distribution or {}).items():
        low, high = label_ends(label, summary.scale)
        href = ways.items(ItemFilter(judge=summary.judge, low=low, high=high))
        yield Bar(label=label, count=count, share=count / summary.judged, href=href, look="solid")


# ---- slices --------------------------------------------------------------------------------------------


def slice_tables(record: RunRecord, summaries: Iterable[Summary]) -> list[SliceTable]:
    ways = Ways(to_key(record.run_id))
    return [
        SliceTable(
            judge=summary.judge,
            column=column.column,
            header=slice_header(summary),
            rows=tuple(_slice(summary, column, part, ways) for part in column.slices),
            mean=summary.mean.value if summary.mean else None,
            scale=summary.scale,
        )
        for summary in summaries
        for column in summary.slices
    ]


def _slice(summary: Summary, column: SliceColumn, part: Slice, ways: "Ways") -> SliceRow:
    href = (
        None
        if part.value == OTHERS
        else ways.items(ItemFilter(judge=summary.judge, slices=((column.column, part.value),)))
    )
    return SliceRow(
        value=Link(text=visible(part.value), href=href),
        cells=slice_cells(part, summary),
        plot=_plot(part.mean, summary.scale, rest=part.bounds if part.not_judged else None),
    )


def method_texts(summaries: Sequence[Summary], kind: str) -> tuple[str, ...]:
    """How figures were made (`methods`), and what many slices do (`slices`)."""
    return _texts((block for block in methods(summaries) if isinstance(block, Fact)), kind)


# ---- links ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ways:
    """Addresses of a run's items."""

    key: str

    def items(self, wanted: ItemFilter) -> str:
        return f"/runs/{self.key}/items{query(wanted.values(view=False))}"

    def item(self, case_id: str, judge: str, repeat: int = 0) -> str | None:
        if len(case_id) >= LONGEST_ID:
            return None
        return f"/runs/{self.key}/item{query({'case': case_id, 'judge': judge, 'repeat': repeat or None})}"


def shown_rate(per_second: float) -> str:
    """Judgements in a second, or in a minute where that is less than one."""
    if per_second >= 1:
        return f"{show_count(round(per_second))} a second"
    return f"{per_second * 60:.1f} a minute"
