"""A run in words: how good, how sure, which cases failed, what was not scored, what to do next."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from math import isfinite

from adjudge.analysis.jury.document import jury_blocks
from adjudge.analysis.jury.figures import JuryFigures
from adjudge.analysis.outcomes import FAILURES, NOTES
from adjudge.analysis.summary.checks import CheckAgreement
from adjudge.analysis.summary.figures import LabelAgreement, Summary, UnscoredExample
from adjudge.analysis.summary.pairs import PairFigures
from adjudge.analysis.summary.repeats import Repeated
from adjudge.analysis.summary.run import CaseResult, CaseResults, RunSummary
from adjudge.analysis.summary.sample import Bounds
from adjudge.analysis.summary.slices import Slice, SliceColumn
from adjudge.documents.document import (
    Block,
    CaseEntry,
    CaseList,
    Command,
    Document,
    Fact,
    Gauge,
    Histogram,
    Intervals,
    Plot,
    PlottedInterval,
    Quote,
    Table,
    Text,
    join,
    spans,
)
from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    counted,
    show_count,
    show_duration,
    show_mean,
    show_money,
    show_number,
    show_percent,
    show_percent_range,
    show_rate,
)
from adjudge.embedded.card import described, valued
from adjudge.records import Scale, is_jury
from adjudge.runs.plan import Pairing
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined
from adjudge.text import shorten

WINNERS = {"a": "A wins", "b": "B wins"}
MOST_IDS = 8
MOST_CRITERIA = 20
MOST_CASES = 5
"""In the list of those that failed; the table of cases and judges has a few more."""


def report_document(run: RunSummary) -> Document:
    several = len(run.judges) > 1
    blocks: list[Block] = []
    if not run.judges:
        blocks.append(Fact(kind="nothing", text="Nothing was judged."))
    blocks += [gauge(summary) for summary in run.judges]
    blocks += models_tables(run.judges)
    blocks += _juries(run)
    blocks += (fact for fact in run.facts if fact.kind != "certified")
    blocks += unpaired_facts(run.pairing)
    blocks += _failed(run)
    for summary in run.judges:
        blocks += (_named(block, summary) if several else block for block in _unscored(summary))
        blocks += (_named(block, summary) if several else block for block in _trust(summary))
        blocks += criteria_tables(summary)
        blocks += slice_tables(summary)
    blocks += map(check_agreement, run.checks)
    blocks += (fact for fact in run.facts if fact.kind == "certified")
    blocks += _next(run)
    for summary in run.judges:
        blocks += (_named(block, summary) if several else block for block in _details(summary))
    blocks += methods(run.judges)
    if run.current_date is not None:
        blocks.append(
            Fact(
                kind="current date",
                text=("current date in the prompts: ", Quote(run.current_date)),
                detail=True,
            )
        )
    banner = "" if run.partial is None else str(run.partial)
    return Document(banner=banner, title=_title(run), aside=_effort(run), blocks=tuple(blocks))


def check_agreement(found: CheckAgreement) -> Fact:
    """A check that nearly always says the same may do in the judge's place, at no cost."""
    rate = found.rate
    interval = f"95 % interval {show_percent(rate.low)} to {show_percent(rate.high)}"
    share = f"on {show_count(found.equal)} of {show_count(found.judged)} cases ({show_percent(rate.value)}; {interval})"
    names = ("check ", Quote(found.check), " passes and fails as ", Quote(found.judge), f" does {share}")
    return Fact(kind="check agreement", label="Judge", text=names)


def _named(fact: Fact, summary: Summary) -> Fact:
    """Where there are several judges, each fact says whose it is."""
    return Fact(
        kind=fact.kind,
        text=join(": ", [_judge(summary), fact.text]),
        label=fact.label,
        tone=fact.tone,
        aside=fact.aside,
        detail=fact.detail,
    )


def _judge(summary: Summary) -> Text:
    return Quote(summary.title)


def judge_facts(summary: Summary) -> tuple[Fact, ...]:
    """All that is said of one judge beside its headline."""
    return (*_unscored(summary), *_trust(summary), *_details(summary))


# ---- how good, how sure ---------------------------------------------------------------------------------


def _title(run: RunSummary) -> Text:
    models = dict.fromkeys(
        summary.model if is_jury(summary.model) else summary.model.partition("@")[0]
        for summary in run.judges
        if summary.model
    )
    return join(
        " · ",
        [
            ("run ", Quote(run.run)) if run.run else "Report",
            Quote(run.source or ""),
            join(", ", [Quote(name) for name in dict.fromkeys(summary.judge for summary in run.judges)]),
            join(", ", [Quote(model) for model in models]),
        ],
    )


def _effort(run: RunSummary) -> Text:
    time = "" if run.seconds is None else show_duration(run.seconds * 1000)
    paid = (*run.judges, *run.jurors)
    known = [summary.cost for summary in paid if summary.cost is not None]
    unknown = sum(summary.cost_unknown for summary in paid)
    cost = show_money(sum(known[1:], known[0]) if known else None, unknown) if run.judges else ""
    return join(" · ", [time, cost])


def is_pass_or_fail(summary: Summary) -> bool:
    """Whether the pass rate says all: a scale of 0 and 1, or none."""
    return summary.pass_rate is not None and summary.scale in {None, Scale(low=0, high=1)}


def gauge(summary: Summary) -> Gauge:
    """A judge's headline: the pass rate where the scale is 0 to 1, else the mean."""
    figure = summary.pass_rate if is_pass_or_fail(summary) else summary.mean
    if figure is None:
        counts = f"none of {show_count(summary.asked)} scored" if summary.asked else "nothing was asked"
        return Gauge(kind="headline", label=_judge(summary), value=NOTHING_TO_SHOW, interval="", counts=counts, share=None, tone="bad" if summary.asked else "plain")  # fmt: skip
    level = f"({show_percent(CONFIDENCE, 0)})"
    if summary.pairs is not None:
        value, interval = show_percent(figure.value), f"{show_percent_range(figure.low, figure.high)} {level}"
        counts = f"A wins {show_count(_won(summary.pairs))} of {show_count(figure.n)}, ties count half"
        return Gauge(kind="headline", label=_judge(summary), value=value, interval=interval, counts=counts, share=figure.value, low=figure.low, high=figure.high)  # fmt: skip
    passed = f"{show_count(summary.passed or 0)} of {show_count(figure.n)} passed"
    if is_pass_or_fail(summary):
        value = show_percent(figure.value)
        interval = f"{show_percent_range(figure.low, figure.high)} {level}"
        share, low, high = figure.value, figure.low, figure.high
        return Gauge(kind="headline", label=_judge(summary), value=value, interval=interval, counts=passed, share=share, low=low, high=high)  # fmt: skip
    interval = f"{show_number(figure.low)}–{show_number(figure.high)} {level}"
    scale, rate = summary.scale, summary.pass_rate
    parts = [
        f"of {scale.low:g}–{scale.high:g}" if scale else "",
        f"{show_count(figure.n)} scored" if rate is None else f"{show_percent(rate.value, 0)} pass",
    ]
    at = [_on_scale(each, scale) for each in (figure.value, figure.low, figure.high)]
    return Gauge(kind="headline", label=_judge(summary), value=show_number(figure.value), interval=interval, counts=", ".join(filter(None, parts)), share=at[0], low=at[1], high=at[2])  # fmt: skip


def models_tables(summaries: Sequence[Summary]) -> Iterator[Table]:
    """For each judge that several models answered: the models side by side."""
    for judge in dict.fromkeys((each.judge, each.judge_hash) for each in summaries if each.among_models):
        own = [each for each in summaries if (each.judge, each.judge_hash) == judge]
        yield models_table(own, caption=("Models for ", Quote(judge[0])))


def _juries(run: RunSummary) -> Iterator[Block]:
    for jury in run.juries:
        yield jurors_table(run, jury)
        yield from jury_blocks(jury, several=len(run.juries) > 1)
    for juror in run.jurors:
        for fact in candidate_facts(juror):
            yield Fact(kind=fact.kind, label="Jury", text=fact.text, tone=fact.tone)


def jurors_table(run: RunSummary, jury: JuryFigures) -> Table:
    """The jury, and below it each of its members."""
    key = (jury.judge, jury.judge_hash)
    order = {each.model: place for place, each in enumerate(jury.jurors)}
    whole = [each for each in run.judges if (each.judge, each.judge_hash, each.model) == (*key, jury.jury)]
    members = [each for each in run.jurors if (each.judge, each.judge_hash) == key]
    members.sort(key=lambda each: order.get(each.model, len(order)))
    return models_table([*whole, *members], caption=("Jury and jurors of ", Quote(jury.judge)))


def candidate_facts(summary: Summary) -> Iterator[Fact]:
    """A judge that judges its own kind."""
    for each in summary.candidates:
        what = "the same model" if each.relation == "model" else "a model of the same family"
        yield Fact(
            kind="same model" if each.relation == "model" else "same family",
            label="Judge",
            text=(
                Quote(summary.model),
                f" judges {counted(each.cases, 'response')} of {what}, ",
                Quote(each.candidate),
                "; models tend to prefer their own: check with a judge of another family",
            ),
            tone="warning",
        )


def models_table(summaries: Sequence[Summary], *, caption: Text) -> Table:
    """One judge with each of several models."""
    labelled = any(each.agreement and each.agreement.rate for each in summaries)
    first = summaries[0]
    figure = "Win rate of A" if first.pairs else "Pass rate" if is_pass_or_fail(first) else "Mean"
    rows: list[tuple[Text, ...]] = [
        (
            Quote(each.model.partition("(")[0] if is_jury(each.model) else each.model),
            f"{show_count(each.judged)} of {show_count(each.asked)}",
            show_mean(each.mean)
            if figure == "Mean"
            else show_rate(each.mean if first.pairs else each.pass_rate),
            *((_agreement_cell(each.agreement),) if labelled else ()),
            show_money(each.cost, each.cost_unknown),
        )
        for each in summaries
    ]
    header = ("Model", "Scored", figure, *(("As labelled",) if labelled else ()), "Cost")
    return Table(
        kind="models",
        caption=caption,
        header=header,
        rows=tuple(rows),
        numeric=tuple(range(1, len(header))),
    )


def _agreement_cell(agreement: LabelAgreement | None) -> str:
    return NOTHING_TO_SHOW if agreement is None else show_rate(agreement.rate)


def _won(pairs: PairFigures) -> int:
    return pairs.wins + pairs.wins_by_rule


def pair_facts(summary: Summary) -> Iterator[Fact]:
    """Who wins how often, and what else than the answers' quality may have decided."""
    pairs = summary.pairs
    if pairs is None:
        return
    by_rule = f"; {counted(pairs.by_rule, 'case')} decided by rule with no call" if pairs.by_rule else ""
    yield Fact(
        kind="wins",
        label="Verdicts",
        text=f"A wins {show_count(pairs.wins)}, B wins {show_count(pairs.losses)}, ties {show_count(pairs.ties)}, "
        f"inconsistent {show_count(pairs.inconsistent)} (counted as ties){by_rule}",
    )
    for kind, label, what, rate, unbiased in (
        ("consistent", "Orders", "the same verdict in both orders", pairs.consistent, None),
        ("first", "Orders", "the answer shown first is preferred", pairs.first, 0.5),
        ("longer", "Length", "the longer answer wins", pairs.longer, None),
    ):
        if rate is None:
            continue
        biased = unbiased is not None and not rate.low <= unbiased <= rate.high
        base = f"; without a preference {show_percent(unbiased, 0)}" if unbiased is not None else ""
        of = {"consistent": "cases", "first": "replies that prefer one", "longer": "decided cases"}[kind]
        yield Fact(
            kind=kind,
            label=label,
            text=f"{what}: {show_rate(rate)} (of {show_count(rate.n)} {of}{base})",
            tone="warning" if biased else "plain",
        )


def _on_scale(value: float, scale: Scale | None) -> float | None:
    if scale is None or scale.high <= scale.low or not isfinite(value):
        return None
    return min(max((value - scale.low) / (scale.high - scale.low), 0.0), 1.0)


# ---- which cases ----------------------------------------------------------------------------------------


def _failed(run: RunSummary) -> Iterator[Block]:
    if not run.cases:
        return
    if len(run.judges) > 1:
        yield case_table(run)
    ruled = [summary for summary in run.judges if summary.passed is not None]
    failing = (
        [case for case in run.cases if any(result.passed is False for result in case.results)]
        if ruled
        else [case for case in run.cases if any(result.winner in {None, "b"} for result in case.results)]
    )
    if not failing and not ruled:
        return
    listed = [
        _entry(case, binary_judges(run.judges), several=len(run.judges) > 1) for case in failing[:MOST_CASES]
    ]
    show_all: Text = (
        ("all: ", Command(f"adjudge show {run.run} --failed")) if run.run and run.kept and ruled else ""
    )
    if ruled:
        failed = sum(
            (summary.pass_rate.n if summary.pass_rate else 0) - (summary.passed or 0) for summary in ruled
        )
        if not failed:
            return
        text = f"{show_count(failed)}, {len(listed)} shown" if failed > len(listed) else show_count(failed)
        yield CaseList(kind="failed", label="Failed", text=text, cases=tuple(listed), aside=show_all)
    else:
        label = "B wins" if all(summary.pairs for summary in run.judges) else "Lowest"
        yield CaseList(kind="failed", label=label, text=f"{len(listed)} shown", cases=tuple(listed))


def failed_document(run: str, cases: Sequence[CaseResults], binary: Collection[str]) -> Document:
    """All the cases that failed, to be read; `binary` as for `case_result`."""
    several = len({(result.judge, result.model) for case in cases for result in case.results}) > 1
    entries = tuple(_entry(case, binary, several=several) for case in cases)
    listed = CaseList(kind="failed", label="Failed", text=counted(len(cases), "case"), cases=entries)
    return Document(title=("run ", Quote(run)), blocks=(listed,))


def _entry(case: CaseResults, binary: Collection[str], *, several: bool) -> CaseEntry:
    lines = [(word, text) for word, text in (("expected", case.expected), ("got", case.answer)) if text]
    if case.compared is not None and case.answer is None:
        lines += zip("AB", case.compared, strict=True)
    if case.answer is not None and not case.answer:
        lines.append(("got an empty response", ""))
    reason = next((result.reason for result in case.results if result.reason and not result.passed), "")
    marks = [
        f"{_whose(result, case.results) if several else 'score'} {text}"
        if several or text[0].isdigit()
        else text
        for result in case.results
        for text in [case_result(result, binary)]
    ]
    marks += ["uncertain"] if any(result.uncertain for result in case.results) else []
    return CaseEntry(
        case_id=case.case_id,
        question=case.question,
        lines=tuple(lines),
        marks=tuple(mark for mark in marks if several or mark != "fail"),
        reason=reason,
    )


def _whose(result: CaseResult, others: Sequence[CaseResult]) -> str:
    """The judge, and the model where several answered it."""
    models = {each.model for each in others if each.judge == result.judge}
    return f"{result.judge} ({result.model})" if len(models) > 1 else result.judge


def case_result(result: CaseResult, binary: Collection[str]) -> str:
    """`fail`, `3` or `missing input`; `binary` are the judges, as `name@hash`, whose pass or fail says all."""
    if result.score is None:
        return result.outcome.replace("_", " ")
    if result.winner is not None:
        return WINNERS.get(result.winner, result.winner)
    if result.passed is None or f"{result.judge}@{result.judge_hash}" not in binary:
        return f"{result.score:g}"
    return "pass" if result.passed else "fail"


def binary_judges(summaries: Iterable[Summary]) -> set[str]:
    return {f"{each.judge}@{each.judge_hash}" for each in summaries if is_pass_or_fail(each)}


def case_table(run: RunSummary) -> Table:
    """Cases × judges."""
    judges = list(dict.fromkeys((summary.judge, summary.judge_hash, summary.model) for summary in run.judges))
    binary = binary_judges(run.judges)
    rows: list[tuple[Text, ...]] = []
    for case in run.cases:
        found = {(result.judge, result.judge_hash, result.model): result for result in case.results}
        cells = [case_result(found[judge], binary) if judge in found else NOTHING_TO_SHOW for judge in judges]
        rows.append(
            (
                Quote(shorten(case.case_id, 24)),
                Quote(shorten(" ".join((case.question or "").split()), 40)),
                *cells,
            )
        )
    several = Counter(name for name, *_ in judges)
    names = (f"{name} ({model})" if several[name] > 1 else name for name, _, model in judges)
    header: tuple[Text, ...] = ("Case", "Question", *map(Quote, names))
    return Table(kind="cases", caption="Lowest cases, by judge", header=header, rows=tuple(rows))


# ---- what was not scored --------------------------------------------------------------------------------


def _unscored(summary: Summary) -> Iterator[Fact]:
    kinds = {kind: n for kind, n in summary.outcomes.items() if kind not in {"scored", "forced"}}
    if kinds:
        counts, known = join(", ", [_outcome_count(summary, kind) for kind in kinds]), unscored_range(summary)
        yield Fact(
            kind="not scored",
            label="Not scored",
            text=(*spans(counts), f": {known} if unscored cases were known" if known else ""),
            tone="warning",
        )
    for kind in kinds:
        for number, example in enumerate(summary.failures.get(kind, ())):
            yield Fact(
                kind=f"example {kind}", label="Not scored", text=example_text(example), detail=number > 0
            )
        what = f"{kind.replace('_', ' ')}: " if len(kinds) > 1 else ""
        yield Fact(kind=f"advice {kind}", label="Not scored", text=f"{what}{FAILURES[kind].do}")
    if summary.abstained and summary.abstention_rate:
        text = f"{show_rate(summary.abstention_rate)} of the judge's answers say that it cannot tell"
        yield Fact(kind="abstained", label="Abstained", text=text)
    if summary.forced:
        without = (
            f"; mean without them {show_mean(summary.mean_without_forced)}"
            if summary.mean_without_forced
            else ""
        )
        yield Fact(
            kind="forced",
            label="By rule",
            text=f"{counted(summary.forced, 'case')} scored with no call{without}",
        )


def unpaired_facts(pairing: Pairing | None) -> Iterator[Fact]:
    if pairing is None:
        return
    sides = ((pairing.a_only, pairing.a_ids, "A's file"), (pairing.b_only, pairing.b_ids, "B's file"))
    for count, ids, side in sides:
        if count:
            named = join(", ", [Quote(case_id) for case_id in ids])
            more = ", …" if count > len(ids) else ""
            text = (f"{counted(count, 'case')} only in {side}: ", *spans(named), more)
            yield Fact(kind="unpaired", label="Not paired", text=text, tone="warning")
    if pairing.b_unread:
        text = (f"{counted(pairing.b_unread, 'row')} of B's file could not be read as cases",)
        yield Fact(kind="unpaired", label="Not paired", text=text, tone="warning")


def unscored_range(summary: Summary) -> str:
    """What the unscored could have made of the headline: `70.9–71.5 %`; nothing where that is not known."""
    if is_pass_or_fail(summary) and summary.pass_bounds:
        return f"{show_percent_range(summary.pass_bounds.low, summary.pass_bounds.high)} %"
    if summary.bounds and summary.pairs:
        return f"{show_percent_range(summary.bounds.low, summary.bounds.high)} %"
    if summary.bounds:
        return f"{show_number(summary.bounds.low)}–{show_number(summary.bounds.high)}"
    return ""


def example_text(example: UnscoredExample) -> Text:
    place = f" ({example.place})" if example.place and str(example.place) not in example.message else ""
    return Quote(shorten(f"{example.case_id}{place}: {example.message}", 500))


def advice(summary: Summary, kind: str) -> Text:
    """`3 unreadable: what that means; what to do`."""
    found = FAILURES[kind]
    return (*spans(_outcome_count(summary, kind)), f": {found.means}; {found.do}")


def _outcome_count(summary: Summary, kind: str) -> Text:
    finer = {name: n for name, n in summary.error_kinds.get(kind, {}).items() if name != kind}
    counted = f"{show_count(summary.outcomes[kind])} {kind.replace('_', ' ')}"
    if not finer:
        return counted
    named = join(
        ", ",
        [Quote(name) if len(finer) == 1 else (Quote(name), f" {show_count(n)}") for name, n in finer.items()],
    )
    return (f"{counted} (", *spans(named), ")")


# ---- criteria of a rubric -------------------------------------------------------------------------------


def criteria_tables(summary: Summary) -> Iterator[Table]:
    """How often each criterion is met, and how often people say the same; and what each of several ratings comes to."""
    if summary.ratings:
        yield _ratings_table(summary)
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
        for each in summary.criteria[:MOST_CRITERIA]
    ]
    left = len(summary.criteria) - len(rows)
    more = f", the {MOST_CRITERIA} most frequent of {show_count(len(summary.criteria))}" if left else ""
    header = ("Criterion", "Points", "n", "Met", *(("Agreement",) if compared else ()))
    yield Table(
        kind="criteria",
        caption=("Criteria of ", Quote(summary.title), more),
        header=header,
        rows=tuple(rows),
        numeric=tuple(range(1, len(header))),
    )


def _ratings_table(summary: Summary) -> Table:
    ruled = any(each.pass_rate for each in summary.ratings)
    compared = any(each.agreement for each in summary.ratings)
    rows: list[tuple[Text, ...]] = [
        (
            Quote(each.name),
            f"{each.scale.low:g}–{each.scale.high:g}",
            show_mean(each.mean),
            *((show_rate(each.pass_rate),) if ruled else ()),
            *((show_rate(each.agreement),) if compared else ()),
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


# ---- how far the judge is to be trusted -----------------------------------------------------------------


def _trust(summary: Summary) -> Iterator[Fact]:
    yield from candidate_facts(summary)
    yield from pair_facts(summary)
    if summary.agreement:
        yield _labels(summary.agreement, summary.scale)
    uncertain = summary.notes.get("uncertain")
    if uncertain:
        yield Fact(
            kind="near",
            label="Judge",
            text=f"{counted(uncertain, 'case')} near the threshold, where the judge is uncertain",
        )
    estimates = (summary.mean, summary.pass_rate, summary.agreement and summary.agreement.rate)
    for warning in dict.fromkeys(each.warning for each in estimates if each and each.warning):
        yield Fact(kind="unreliable", label="Unreliable", text=warning, tone="warning")
    if summary.repeated:
        yield from repeat_facts(summary.repeated, summary.scale)


def _labels(agreement: LabelAgreement, scale: Scale | None) -> Fact:
    if agreement.off_scale:
        on = f"{scale.low:g} to {scale.high:g}" if scale else "a number"
        example = agreement.off_scale_example
        counts = f"{show_count(agreement.off_scale)} of {show_count(agreement.labelled)}"
        text: Text = (
            f"not compared with labels: {counts} are on another scale than the judge's, {on} (such as ",
            Quote(example),
            "); say what each stands for: ",
            Command(f"adjudge agree RUN --label-map {example}=…"),
        )
        return Fact(kind="labels", label="Judge", text=text, tone="warning")
    if not agreement.judged:
        text = f"not compared with labels: none of the {show_count(agreement.labelled)} labelled cases was scored"
        return Fact(kind="labels", label="Judge", text=text)
    equal, judged = show_count(agreement.equal), show_count(agreement.judged)
    if agreement.within_one is None:
        share = f" ({show_percent(agreement.rate.value)})" if agreement.rate else ""
        text = f"agrees with your labels on {equal} of {judged}{share}"
    else:  # on a scale of steps equality alone says little
        near = agreement.within_one.value
        text = f"within one step of your labels on {near * agreement.judged:,.0f} of {judged} ({show_percent(near)}), equal on {equal}"
    if agreement.rank_correlation is not None:
        text += f"; rank correlation {agreement.rank_correlation:.2f}"
    lost = agreement.labelled - agreement.judged
    text += f"; {counted(lost, 'case')} with a label not scored" if lost else ""
    return Fact(kind="labels", label="Judge", text=text)


def repeat_facts(repeated: Repeated, scale: Scale | None) -> Iterator[Fact]:
    if isinstance(repeated.noise, Undefined):
        yield Fact(kind="noise", label="Repeats", text=repeated.noise.why)
        return
    noise, flips, kappa = repeated.noise, repeated.flips, repeated.kappa
    what = "on passing" if repeated.compared == "passed" else "in their score"
    width = scale.high - scale.low if scale else 0
    share = f", {show_percent(noise.sd / width)} of the scale" if width > 0 else ""
    yield Fact(
        kind="noise",
        label="Repeats",
        text=f"scores of one case have a standard deviation of {noise.sd:.3g}{share} (pooled over {counted(noise.cases, 'case')}, "
        f"{show_count(noise.df)} degrees of freedom)",
    )
    if isinstance(flips, Estimate):
        yield Fact(
            kind="flips",
            label="Repeats",
            text=f"two judgements of a case differ {what} with probability {show_rate(flips)} (n {show_count(flips.n)} pairs)",
        )
    text = (
        f"none; {kappa.why}"
        if isinstance(kappa, Undefined)
        else f"{show_mean(kappa)} (n {counted(kappa.n, 'case')})"
    )
    yield Fact(kind="retest", label="Repeats", text=f"test–retest κ {what}: {text}")
    undecided = repeated.undecided
    if undecided is not None:
        named = join(", ", [Quote(case) for case in undecided.case_ids[:MOST_IDS]])
        more = ", …" if undecided.count > MOST_IDS else ""
        text_ = f"undecided at the pass threshold: {show_count(undecided.count)} of {counted(undecided.of, 'case')}"
        yield Fact(
            kind="undecided",
            label="Repeats",
            text=(text_, *((": ", *spans(named), more) if undecided.count else ())),
        )


# ---- slices ---------------------------------------------------------------------------------------------


def slice_tables(summary: Summary) -> Iterator[Block]:
    header = slice_header(summary)
    for column in summary.slices:
        yield Table(
            kind="slices",
            caption=(*spans(_judge(summary)), " by ", Quote(column.column)),
            header=(Quote(column.column), *header),
            rows=tuple((Quote(part.value), *slice_cells(part, summary)) for part in column.slices),
        )
        yield from _slice_plot(column, summary)
    if any(part.mean and part.mean.warning for column in summary.slices for part in column.slices):
        yield Fact(
            kind="slices unreliable",
            text="* an interval over fewer than 10 clusters, or over few cases: unreliable",
        )


def slice_header(summary: Summary) -> tuple[str, ...]:
    figures = ("Pass rate",) if is_pass_or_fail(summary) else ("Mean", "Passed")
    return ("Scored", *figures, "If all known")


def slice_cells(part: Slice, summary: Summary) -> tuple[str, ...]:
    """The cells under `slice_header`."""
    scored = f"{show_count(part.judged)} of {show_count(part.asked)}"
    if is_pass_or_fail(summary):
        bounds, rate = part.pass_bounds if part.not_judged else None, part.pass_rate
        known = NOTHING_TO_SHOW if bounds is None else f"{show_percent_range(bounds.low, bounds.high)} %"
        return (scored, marked(show_rate(rate), rate), known)
    passed = NOTHING_TO_SHOW if part.pass_rate is None else show_percent(part.pass_rate.value, 0)
    return (scored, marked(show_mean(part.mean), part.mean), passed, range_cell(part.bounds, part.not_judged))


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


# ---- what next ------------------------------------------------------------------------------------------


def _next(run: RunSummary) -> Iterator[Fact]:
    if run.run is None or not run.kept:
        return
    commands = [Command(f"adjudge show {run.run} {run.cases[0].case_id}")] if run.cases else []
    commands.append(Command(f"adjudge view {run.run}"))
    if run.before is not None and any(summary.judged for summary in run.judges):
        commands.append(Command(f"adjudge compare {run.before} {run.run}"))
    yield Fact(kind="next", label="Next", text=join(" · ", commands))


# ---- details --------------------------------------------------------------------------------------------


def _details(summary: Summary) -> Iterator[Fact]:
    def fact(kind: str, text: Text) -> Fact:
        return Fact(kind=kind, text=text, detail=True)

    yield fact(
        "judge",
        (
            "judge ",
            Quote(f"{summary.judge}@{summary.judge_hash}"),
            ", model ",
            Quote(summary.model or NOTHING_TO_SHOW),
        ),
    )
    if summary.pairs:
        yield fact("mean", f"win rate of A {show_rate(summary.mean)}, ties counted half")
    elif is_pass_or_fail(summary) or summary.pass_rate is None:
        yield fact("mean", f"mean {show_mean(summary.mean)}")
    else:
        yield fact("pass rate", f"pass rate {show_rate(summary.pass_rate)}")
    if summary.distribution:
        counts = ", ".join(f"{score}: {show_count(n)}" for score, n in summary.distribution.items())
        yield fact("distribution", f"scores given: {counts}")
    if summary.card:
        by_set: dict[str, list[str]] = {}
        for figure in summary.card:
            by_set.setdefault(described(figure), []).append(valued(figure))
        agreements = "; ".join(f"{name} {', '.join(figures)}" for name, figures in by_set.items())
        yield fact("card", f"agreement of the embedded judge with people on held-out sets: {agreements}")
    yield from _temperatures(summary)
    clusters = summary.mean.clusters if summary.mean else None
    if summary.grouping == "cluster" and clusters is not None:
        yield fact(
            "clusters",
            f"cases come in {show_count(clusters)} clusters (column `cluster`; a case without one is its own); intervals are over clusters",
        )
    if summary.repeats > 1:
        once = "" if summary.grouping == "cluster" else "; intervals count a case once"
        yield fact("repeats", f"each case was judged {summary.repeats} times{once}")
    if summary.from_store:
        yield fact(
            "from store",
            f"{counted(summary.from_store, 'case')} answered from the store, with no call and no cost",
        )
    if summary.latency and summary.latency.p95_ms >= 0.5:
        yield fact(
            "latency",
            f"time per judgement: p50 {show_duration(summary.latency.p50_ms)}, p95 {show_duration(summary.latency.p95_ms)}",
        )
    usage = (("in", summary.usage.input), ("cached", summary.usage.cached), ("out", summary.usage.output))
    tokens = [f"{show_count(count)} {word}" for word, count in usage if count is not None]
    if tokens:
        yield fact("tokens", f"tokens: {', '.join(tokens)}")
    for kind, count in summary.notes.items():
        yield fact(
            "note",
            (f"note on {counted(count, 'case')}: ", Quote(kind), f", {NOTES[kind]}" if kind in NOTES else ""),
        )


def _temperatures(summary: Summary) -> Iterator[Fact]:
    """Named wherever it is not the usual 0, and with repeats, whose noise depends on it."""
    usual = summary.temperatures in {(), (0.0,)} and summary.repeats < 2
    if usual or not summary.temperatures:
        return
    asked = ["the provider's default" if degree is None else f"{degree:g}" for degree in summary.temperatures]
    text = f"temperature: {', '.join(asked)}"
    if summary.model.startswith("embedded@"):
        text = "temperature: none, the embedded judge is deterministic"
    yield Fact(
        kind="temperature",
        label="Repeats" if summary.repeats > 1 else "",
        text=text,
        detail=summary.repeats < 2,
    )


def methods(summaries: Sequence[Summary]) -> Iterator[Block]:
    """How the figures were made: only what applies to these."""
    for summary in summaries:
        if summary.distribution:
            caption = f"{summary.title}: scores given" if len(summaries) > 1 else "Scores given"
            yield Plot(kind="distribution", figure=Histogram(counts=summary.distribution), caption=caption)
    parts = [
        f"{figure} by {', '.join(methods)}"
        for figure, methods in (
            ("mean", _used(summary.mean for summary in summaries)),
            ("pass rate", _used(summary.pass_rate for summary in summaries)),
        )
        if methods
    ]
    if parts:
        yield Fact(kind="methods", text=f"intervals are 95 % intervals: {'; '.join(parts)}", detail=True)
    count = sum(len(column.slices) for summary in summaries for column in summary.slices)
    if count:
        yield Fact(
            kind="slices",
            text=f"each slice's interval is a 95 % interval of its own: of {show_count(count)} slices, about "
            f"{count * 0.05:.1f} miss their true value by chance, so one that stands out is something to check, not yet a finding",
            detail=True,
        )


def _used(estimates: Iterable[Estimate | None]) -> list[str]:
    """Without what differs from one to the next, such as degrees of freedom."""
    return list(dict.fromkeys(each.method.partition(" (")[0] for each in estimates if each))
