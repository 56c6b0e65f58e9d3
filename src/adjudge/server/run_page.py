"""The run page: a card for each judge, the cases that came out worst, and what could change the figures."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from adjudge.analysis.cascade.document import cascade_blocks
from adjudge.analysis.certification.document import card_line
from adjudge.analysis.certification.shelf import find_card, shelf_of
from adjudge.analysis.jury.document import jury_facts, pairs_table
from adjudge.analysis.jury.figures import JuryFigures
from adjudge.analysis.ranking.document import ranking_blocks
from adjudge.analysis.summary.case_lists import binary_judges, case_result
from adjudge.analysis.summary.check_agreement import CheckAgreement
from adjudge.analysis.summary.document import check_agreement, judge_facts, methods, pair_facts
from adjudge.analysis.summary.figures import Summary
from adjudge.analysis.summary.headline import gauge, is_pass_or_fail
from adjudge.analysis.summary.models import candidate_facts, jurors_of, jurors_table, models_tables
from adjudge.analysis.summary.not_scored import chosen_facts, unpaired_facts, unscored_range
from adjudge.analysis.summary.parts import criteria_tables, slice_cells, slice_header
from adjudge.analysis.summary.report import Report
from adjudge.analysis.summary.run import CaseResult
from adjudge.analysis.summary.slices import OTHERS, Slice, SliceColumn
from adjudge.documents.document import Block, Fact, Gauge, Table, Tone
from adjudge.documents.numbers import show_count, show_duration, show_error, show_money, show_rate
from adjudge.records import IN_CODE, is_cascade, is_jury, jury_title
from adjudge.server.cases.find import CaseFilter
from adjudge.server.figures import AT_ONCE, Figures
from adjudge.server.keys import from_key, to_key
from adjudge.server.pages import query
from adjudge.server.service import Service
from adjudge.stats.distribution import label_ends
from adjudge.store import RunRecord

MAX_ID_CHARS = 200
"""As the report cuts them: a longer one has no link."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chip:
    text: str
    tone: Tone = "plain"
    href: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreBar:
    """So many cases; the bar leads to them."""

    label: str
    count: int
    share: float
    href: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgePanel:
    """One judge: its headline, what is to be said of it, and its scores."""

    summary: Summary
    gauge: Gauge
    chips: tuple[Chip, ...]
    facts: tuple[Fact, ...]
    scores: tuple[ScoreBar, ...]
    outcomes: tuple[ScoreBar, ...]
    range: str
    criteria: tuple[Table, ...]
    """Of a rubric."""
    pairs: tuple[tuple[str, str], ...]
    """Cost, time and tokens."""
    orders: tuple[Fact, ...]
    """Of a judge that compares two answers: who wins, and how far the order and the length decide."""
    href: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultCell:
    text: str
    tone: Tone
    uncertain: bool
    href: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRow:
    case_id: str
    href: str | None
    question: str | None
    expected: str | None
    answer: str | None
    cells: tuple[ResultCell | None, ...]
    """One for each judge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tab:
    text: str
    count: int | None = None
    href: str
    current: bool = False
    """The table below shows its first cases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceRow:
    value: str
    href: str | None
    cells: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceTable:
    judge: str
    column: str
    header: tuple[str, ...]
    rows: tuple[SliceRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class JuryPanel:
    """A jury beside its members."""

    judge: str
    tables: tuple[Table, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPage:
    panels: tuple[JudgePanel, ...]
    cases: tuple[CaseRow, ...]
    tabs: tuple[Tab, ...]
    tables: tuple[SliceTable, ...]
    notes: tuple[Fact, ...]
    """How figures were made."""
    ranking: tuple[Block, ...]
    """Of a run that compared systems pair by pair."""
    cascades: tuple[Block, ...]
    """Where each stage of a cascade decided, and how far that is to be trusted."""
    chosen: tuple[Fact, ...]
    """That only the head of the file was judged; of a run against another file, the cases that only one of them has."""
    models: tuple[Table, ...]
    """Where several models answered a judge: side by side."""
    juries: tuple[JuryPanel, ...]


def run_view(service: Service, record: RunRecord, figures: Figures, before: Figures | None) -> RunPage:
    """`before` are the figures of the run of the same file before this one, where they are known."""
    ways, report = Ways(to_key(record.run_id)), figures.report
    return RunPage(
        panels=tuple(
            _panel(service, ways, summary, before, report.checks)
            for summary in report.judges
            if summary.asked
        ),
        cases=_cases(report, ways),
        tabs=tuple(_tabs(report.judges, ways)),
        tables=slice_tables(record, report.judges),
        notes=tuple(block for block in methods(report.judges) if isinstance(block, Fact)),
        ranking=() if report.ranking is None else ranking_blocks(report.ranking),
        cascades=tuple(block for cascade in report.cascades for block in cascade_blocks(cascade)),
        chosen=(*chosen_facts(report), *unpaired_facts(report.pairing)),
        models=tuple(models_tables(report.judges)),
        juries=tuple(_jury(report, jury) for jury in report.juries),
    )


def _jury(report: Report, jury: JuryFigures) -> JuryPanel:
    warnings = (fact for juror in jurors_of(report, jury) for fact in candidate_facts(juror))
    pairs = (pairs_table(jury),) if jury.pairs else ()
    return JuryPanel(
        judge=jury.judge,
        tables=(jurors_table(report, jury), *pairs),
        facts=(*jury_facts(jury), *warnings),
    )


# ---- judges --------------------------------------------------------------------------------------------


def _panel(
    service: Service,
    ways: "Ways",
    summary: Summary,
    before: Figures | None,
    checks: Sequence[CheckAgreement],
) -> JudgePanel:
    compared = (check_agreement(each) for each in checks if each.check == summary.judge)
    facts = (*judge_facts(summary), *compared)
    return JudgePanel(
        summary=summary,
        gauge=gauge(summary),
        chips=tuple(_chips(service, ways, summary, before)),
        facts=facts,
        scores=tuple(_scores(summary, ways)),
        outcomes=tuple(_outcomes(summary, ways)),
        range=unscored_range(summary) if summary.not_judged else "",
        criteria=tuple(criteria_tables(summary)),
        orders=tuple(pair_facts(summary)),
        pairs=tuple(_pairs(summary)),
        href=ways.cases(CaseFilter(judge=summary.judge)),
    )


def _chips(service: Service, ways: "Ways", summary: Summary, before: Figures | None) -> Iterable[Chip]:
    agreement = summary.agreement
    if agreement is not None and agreement.off_scale:
        yield Chip(text="labels are on another scale", tone="warning")
    elif agreement is not None and agreement.measured and not is_cascade(summary.model):
        yield Chip(text=f"labels: {show_error(agreement.absolute_error)} (n {show_count(agreement.judged)})")
    elif agreement is not None and agreement.rate is not None and not is_cascade(summary.model):
        near = agreement.within_one
        counts = f"{show_count(agreement.equal)} of {show_count(agreement.judged)}"
        text = f"agrees with labels {counts}: {show_rate(agreement.rate)}"
        steps = "" if near is None else f", within one step {show_rate(near)}"
        yield Chip(text=text + steps, href=ways.cases(CaseFilter(judge=summary.judge, label="disagree")))
    if is_cascade(summary.model):
        yield Chip(text="cascade")
    elif is_jury(summary.model):
        yield Chip(text=jury_title(summary.model).replace(":", ": "))
    elif summary.model == IN_CODE:
        yield Chip(text="checked in code: no model was asked")
    else:
        yield _certified(service, summary)
    if summary.mean is not None and summary.mean.warning:
        yield Chip(text="interval unreliable", tone="warning")
    change = change_since(service, summary, before, ways.key)
    if change is not None:
        yield change


def _certified(service: Service, summary: Summary) -> Chip:
    card = find_card(shelf_of(service.where), judge_hash=summary.judge_hash, model=summary.model)
    return Chip(text="not certified", tone="warning") if card is None else Chip(text=card_line(card))


def change_since(service: Service, summary: Summary, before: Figures | None, key: str) -> Chip | None:
    """How the headline changed against the run before, with a link to their comparison; `key` is this run's.

    Between means of different cases there is no change to draw: the comparison leaves out what only one of them has.
    """
    change = _change(summary, before)
    if change is None or before is None:
        return None
    name = before.record.name or before.record.run_id
    href = f"/compare{query({'a': to_key(before.record.run_id), 'b': key})}"
    runs = (before.record.run_id, from_key(key))
    if before.record.judgements > AT_ONCE or not service.store.score_same_cases(
        *runs, judge=summary.judge, model=summary.model
    ):
        return Chip(text=f"compare with {name}", href=href)
    unit = f"{abs(change) * 100:.1f}" if is_pass_or_fail(summary) or summary.pairs else f"{abs(change):.2f}"
    arrow = ("▲ " if change > 0 else "▼ ") + unit if change else "no change"
    return Chip(text=f"{arrow} since {name}", href=href)


def _change(summary: Summary, before: Figures | None) -> float | None:
    """Of the headline, against the same judge in the run before."""
    for other in before.report.judges if before else ():
        if (other.judge, other.judge_hash) == (summary.judge, summary.judge_hash) and (
            other.model == summary.model or not summary.among_models
        ):
            ours, theirs = (
                (each.pass_rate if is_pass_or_fail(summary) else each.mean) for each in (summary, other)
            )
            return None if ours is None or theirs is None else ours.value - theirs.value
    return None


def _scores(summary: Summary, ways: "Ways") -> Iterable[ScoreBar]:
    most = max((summary.distribution or {}).values(), default=1)
    for label, count in (summary.distribution or {}).items():
        low, high = label_ends(label, summary.scale)
        href = ways.cases(CaseFilter(judge=summary.judge, low=low, high=high))
        yield ScoreBar(label=label, count=count, share=count / most, href=href)


def _outcomes(summary: Summary, ways: "Ways") -> Iterable[ScoreBar]:
    for kind, count in summary.outcomes.items():
        if kind not in {"scored", "judged"}:
            href = ways.cases(CaseFilter(judge=summary.judge, outcomes=(kind,)))
            yield ScoreBar(label=kind.replace("_", " "), count=count, share=count / summary.asked, href=href)


def _pairs(summary: Summary) -> Iterable[tuple[str, str]]:
    yield "cost", show_money(summary.cost, summary.cost_unknown)
    if summary.latency and summary.latency.p95_ms >= 0.5:
        yield (
            "p50 · p95",
            f"{show_duration(summary.latency.p50_ms)} · {show_duration(summary.latency.p95_ms)}",
        )
    usage = (("tokens in", summary.usage.input), ("tokens out", summary.usage.output))
    yield from ((name, show_count(count)) for name, count in usage if count is not None)
    if summary.from_store:
        yield "from the store", show_count(summary.from_store)


# ---- cases ---------------------------------------------------------------------------------------------


def _cases(report: Report, ways: "Ways") -> tuple[CaseRow, ...]:
    judges = list(
        dict.fromkeys((each.judge, each.judge_hash, each.model) for each in report.judges if each.asked)
    )
    binary = binary_judges(report.judges)
    rows = []
    for case in report.cases:
        found = {(result.judge, result.judge_hash, result.model): result for result in case.results}
        first = min(found.values(), key=lambda result: result.passed is not False, default=None)
        rows.append(
            CaseRow(
                case_id=case.case_id,
                href=None if first is None else ways.case(case.case_id, first.judge, first.model),
                question=case.question,
                expected=case.expected,
                answer=case.answer if case.compared is None else " — ".join(_lettered(case.compared)),
                cells=tuple(
                    _cell(found[judge], binary, ways.case(case.case_id, judge[0], judge[2]))
                    if judge in found
                    else None
                    for judge in judges
                ),
            )
        )
    return tuple(rows)


def _lettered(answers: tuple[str, str]) -> Iterable[str]:
    return (f"{letter}: {text}" for letter, text in zip("AB", answers, strict=True))


def _cell(result: CaseResult, binary: Collection[str], href: str | None) -> ResultCell:
    tone: Tone = "plain" if result.passed is None else "good" if result.passed else "bad"
    return ResultCell(text=case_result(result, binary), tone=tone, uncertain=result.uncertain, href=href)


def _tabs(summaries: Sequence[Summary], ways: "Ways") -> Iterable[Tab]:
    if any(each.passed is not None for each in summaries):
        failed = sum((each.pass_rate.n if each.pass_rate else 0) - (each.passed or 0) for each in summaries)
        yield Tab(text="Failed", count=failed, href=ways.cases(CaseFilter(passed="no")), current=True)
    elif any(each.better == "lower" for each in summaries):
        yield Tab(text="Highest scores", href=ways.cases(CaseFilter(sort="-score")), current=True)
    elif not all("judged" in each.outcomes for each in summaries):
        yield Tab(text="Lowest scores", href=ways.cases(CaseFilter(sort="score")), current=True)
    near = sum(each.notes.get("uncertain", 0) for each in summaries)
    if near:
        yield Tab(text="Near the threshold", count=near, href=ways.cases(CaseFilter(note="uncertain")))
    unscored = [
        kind for each in summaries for kind in each.outcomes if kind not in {"scored", "judged", "forced"}
    ]
    if unscored:
        count = sum(each.not_judged for each in summaries)
        kinds = tuple(dict.fromkeys(unscored))
        yield Tab(text="Not scored", count=count, href=ways.cases(CaseFilter(outcomes=kinds)))
    yield Tab(text="All", count=sum(each.asked for each in summaries), href=ways.cases(CaseFilter()))


# ---- slices --------------------------------------------------------------------------------------------


def slice_tables(record: RunRecord, summaries: Iterable[Summary]) -> tuple[SliceTable, ...]:
    ways = Ways(to_key(record.run_id))
    return tuple(
        SliceTable(
            judge=summary.judge,
            column=column.column,
            header=slice_header(summary),
            rows=tuple(_slice(summary, column, part, ways) for part in column.slices),
        )
        for summary in summaries
        for column in summary.slices
    )


def _slice(summary: Summary, column: SliceColumn, part: Slice, ways: "Ways") -> SliceRow:
    wanted = CaseFilter(judge=summary.judge, slices=((column.column, part.value),))
    href = None if part.value == OTHERS else ways.cases(wanted)
    return SliceRow(value=part.value, href=href, cells=slice_cells(part, summary))


# ---- links ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ways:
    """Addresses of a run's cases."""

    key: str

    def cases(self, wanted: CaseFilter) -> str:
        return f"/runs/{self.key}/cases{query(wanted.values(view=False))}"

    def case(self, case_id: str, judge: str, model: str) -> str | None:
        if len(case_id) >= MAX_ID_CHARS:
            return None
        return f"/runs/{self.key}/case{query({'case': case_id, 'judge': judge, 'model': model})}"


def show_speed(per_second: float) -> str:
    """Judgements in a second, or in a minute where that is less than one."""
    if per_second >= 1:
        return f"{show_count(round(per_second))} a second"
    return f"{per_second * 60:.1f} a minute"
