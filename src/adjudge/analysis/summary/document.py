"""A run in words: how good, how sure, which cases failed, what was not scored, what to do next."""

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

from msgspec.structs import replace

from adjudge.analysis.outcomes import NOTES
from adjudge.analysis.ranking.document import partial_ranking, ranking_blocks
from adjudge.analysis.summary.case_lists import failed_blocks
from adjudge.analysis.summary.check_agreement import CheckAgreement
from adjudge.analysis.summary.figures import LabelAgreement, Summary
from adjudge.analysis.summary.headline import gauge, is_pass_or_fail, judge_name
from adjudge.analysis.summary.models import candidate_facts, juries_blocks, models_tables
from adjudge.analysis.summary.not_scored import MAX_IDS, chosen_facts, unpaired_facts, unscored_facts
from adjudge.analysis.summary.parts import criteria_tables, slice_tables
from adjudge.analysis.summary.repeats import Repeated
from adjudge.analysis.summary.run import RunSummary
from adjudge.documents.document import (
    Block,
    Command,
    Document,
    Fact,
    Histogram,
    Plot,
    Quote,
    Text,
    command_of,
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
    show_percent,
    show_rate,
)
from adjudge.embedded.card import described, valued
from adjudge.records import Scale, is_cascade, is_jury
from adjudge.stats.intervals import Estimate, Undefined

MIN_SLICES_THAT_MISS = 20
"""Of so many intervals of 95 % one misses, on average."""


def report_document(run: RunSummary) -> Document:
    several = len(run.judges) > 1
    blocks: list[Block] = []
    if not run.judges:
        blocks.append(Fact(kind="nothing", text="Nothing was judged."))
    if run.ranking is not None:  # A is now one system and now another, so that its win rate says nothing
        blocks += ranking_blocks(run.ranking)
    else:
        blocks += [gauge(summary) for summary in run.judges]
    blocks += models_tables(run.judges)
    blocks += juries_blocks(run)
    blocks += (fact for fact in run.facts if fact.kind != "certified")
    blocks += chosen_facts(run)
    blocks += unpaired_facts(run.pairing)
    blocks += failed_blocks(run)
    for summary in run.judges:
        blocks += (_named(block, summary) if several else block for block in unscored_facts(summary))
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
    part = "" if run.shard is None else f"SHARD {run.shard.number} of {run.shard.of}"
    partial = "" if run.ranking is None else partial_ranking(run.ranking)
    if run.partial is not None:
        partial = str(run.partial)
    banner = " · ".join(filter(None, (part, partial)))
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
    return replace(fact, text=join(": ", [judge_name(summary), fact.text]))


def judge_facts(summary: Summary) -> tuple[Fact, ...]:
    """All that is said of one judge beside its headline."""
    return (*unscored_facts(summary), *_trust(summary), *_details(summary))


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


def _trust(summary: Summary) -> Iterator[Fact]:
    yield from candidate_facts(summary)
    yield from pair_facts(summary)
    if summary.agreement:
        yield _labels(summary.agreement, summary.scale, calibrated=is_cascade(summary.model))
    if summary.expected_mean:
        of = "" if summary.expected_mean.n == summary.judged else f" of {show_count(summary.judged)}"
        yield Fact(
            kind="expected",
            label="Judge",
            text=f"mean of expected scores {show_mean(summary.expected_mean)} (n {show_count(summary.expected_mean.n)}{of}), "
            "from the log-probabilities of the scores' tokens",
        )
    uncertain = summary.notes.get("uncertain")
    if uncertain:
        yield Fact(
            kind="near",
            label="Judge",
            text=f"{counted(uncertain, 'case')} near the threshold, where the judge is uncertain",
        )
    agreement = summary.agreement
    compared = (agreement.rate, agreement.rank_correlation) if agreement else ()
    estimates = (each for each in (summary.mean, summary.pass_rate, *compared) if isinstance(each, Estimate))
    for warning in dict.fromkeys(each.warning for each in estimates if each.warning):
        yield Fact(kind="unreliable", label="Unreliable", text=warning, tone="warning")
    if summary.repeated:
        yield from repeat_facts(summary.repeated, summary.scale)


def _labels(agreement: LabelAgreement, scale: Scale | None, *, calibrated: bool) -> Fact:
    """`calibrated`: by these very labels, so that agreeing with them says nothing new."""
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
    text = compared_with_labels(agreement)
    lost = agreement.labelled - agreement.judged
    text += f"; {counted(lost, 'case')} with a label not scored" if lost else ""
    text += "; these labels calibrated the cascade, so this is no evidence of its own" if calibrated else ""
    return Fact(kind="labels", label="Judge", text=text)


def compared_with_labels(agreement: LabelAgreement) -> str:
    """Equality where labels are scores, and distance where they are measurements; and the order of both."""
    equal, judged = show_count(agreement.equal), show_count(agreement.judged)
    near, error, ranks = agreement.within_one, agreement.absolute_error, agreement.rank_correlation
    if agreement.measured:
        text = f"mean absolute error to your labels {show_mean(error)} (n {judged})"
    elif near is None:
        text = f"agrees with your labels on {equal} of {judged}: {show_rate(agreement.rate)}"
    else:  # on a scale of steps equality alone says little
        within = show_count(round(near.value * near.n))
        text = f"within one step of your labels on {within} of {judged}: {show_rate(near)}; equal on {equal}: {show_rate(agreement.rate)}"
    if isinstance(ranks, Estimate):
        return f"{text}; rank correlation {show_mean(ranks)} (n {show_count(ranks.n)})"
    return f"{text}; no rank correlation: {ranks.why}" if ranks and agreement.measured else text


def repeat_facts(repeated: Repeated, scale: Scale | None) -> Iterator[Fact]:
    if isinstance(repeated.noise, Undefined):
        yield Fact(kind="noise", label="Repeats", text=repeated.noise.why)
        return
    noise, flips, kappa = repeated.noise, repeated.flips, repeated.kappa
    what = "on passing" if repeated.compared == "passed" else "in their score"
    width = scale.high - scale.low if scale else 0
    most = min(noise.high, width or noise.high)
    high = f"{most:.3g}" if isfinite(most) else "∞"
    share = f", {show_percent(noise.sd / width)} of the scale" if width > 0 else ""
    yield Fact(
        kind="noise",
        label="Repeats",
        text=f"scores of one case have a standard deviation of {noise.sd:.3g} [{noise.low:.3g}, {high}]{share} (pooled over {counted(noise.cases, 'case')}, "
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
        named = join(", ", [Quote(case) for case in undecided.case_ids[:MAX_IDS]])
        more = ", …" if undecided.count > MAX_IDS else ""
        text_ = f"undecided at the pass threshold: {show_count(undecided.count)} of {counted(undecided.of, 'case')}"
        yield Fact(
            kind="undecided",
            label="Repeats",
            text=(text_, *((": ", *spans(named), more) if undecided.count else ())),
        )


def _next(run: RunSummary) -> Iterator[Fact]:
    if run.run is None or not run.kept:
        return
    commands = [command_of("show", run.run, run.cases[0].case_id)] if run.cases else []
    commands.append(command_of("view", run.run))
    if run.shard is not None:
        yield Fact(
            kind="next", label="Next", text=("when all shards are done: ", command_of("report", run.run))
        )
        return
    if run.before is not None and any(summary.judged for summary in run.judges):
        commands.append(command_of("compare", run.before, run.run))
    yield Fact(kind="next", label="Next", text=join(" · ", commands))


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
    if count > 1:
        missed = f": of {show_count(count)} slices, about {count * 0.05:.0f} miss their true value by chance"
        yield Fact(
            kind="slices",
            text=f"each slice's interval is a 95 % interval of its own{missed if count >= MIN_SLICES_THAT_MISS else ''}, "
            "so one that stands out is something to check, not yet a finding",
            detail=True,
        )


def _used(estimates: Iterable[Estimate | None]) -> list[str]:
    """Without what differs from one to the next, such as degrees of freedom."""
    return list(dict.fromkeys(each.method.partition(" (")[0] for each in estimates if each))
