"""What was not scored, and the range of the figure if it were known."""

from collections.abc import Iterator

from adjudge.analysis.outcomes import FAILURES, what_to_do
from adjudge.analysis.summary.figures import Summary, UnscoredExample
from adjudge.analysis.summary.headline import is_pass_or_fail
from adjudge.analysis.summary.run import RunSummary
from adjudge.documents.document import (
    Fact,
    Quote,
    Text,
    join,
    spans,
)
from adjudge.documents.numbers import (
    counted,
    show_count,
    show_mean,
    show_number,
    show_percent,
    show_rate,
)
from adjudge.runs.plan import Pairing
from adjudge.text import shorten

MAX_IDS = 8


def unscored_facts(summary: Summary) -> Iterator[Fact]:
    kinds = {kind: n for kind, n in summary.outcomes.items() if kind not in {"scored", "judged", "forced"}}
    if kinds:
        counts, known = join(", ", [_outcome_count(summary, kind) for kind in kinds]), unscored_range(summary)
        yield Fact(
            kind="not scored",
            label="Not scored",
            text=(*spans(counts), f": {known}, depending on the unscored cases" if known else ""),
            tone="warning",
        )
    for kind in kinds:
        for number, example in enumerate(summary.failures.get(kind, ())):
            yield Fact(
                kind=f"example {kind}", label="Not scored", text=example_text(example), detail=number > 0
            )
        what = f"{kind.replace('_', ' ')}: " if len(kinds) > 1 else ""
        yield Fact(
            kind=f"advice {kind}",
            label="Not scored",
            text=f"{what}{what_to_do(kind, summary.error_kinds.get(kind, ()))}",
        )
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


def chosen_facts(run: RunSummary) -> Iterator[Fact]:
    """That a run has the head of its file, which need not be like the rest."""
    first = run.first_rows
    if first is None or all(summary.asked < first for summary in run.judges):
        return
    rows = "the first row" if first == 1 else f"the first {show_count(first)} rows"
    text = f"{rows} of the file, not a random sample: --sample {first} draws one"
    yield Fact(kind="chosen", label="Cases", text=text, tone="warning")


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
    """What the unscored could make of the headline, with its sampling error: `between 70.9 and 71.5 %`; nothing where
    that is not known.
    """
    rate = is_pass_or_fail(summary)
    bounds = summary.pass_bounds if rate else summary.bounds
    if bounds is None:
        return ""
    if rate or summary.pairs:
        return f"between {bounds.low * 100:.1f} and {show_percent(bounds.high)} (95 %)"
    return f"between {show_number(bounds.low)} and {show_number(bounds.high)} (95 %)"


def example_text(example: UnscoredExample) -> Text:
    place = f" ({example.place})" if example.place and str(example.place) not in example.message else ""
    return Quote(shorten(f"{example.case_id}{place}: {example.message}", 500))


def advice(summary: Summary, kind: str) -> Text:
    """`3 unreadable: what that means; what to do`."""
    found = FAILURES[kind]
    do = what_to_do(kind, summary.error_kinds.get(kind, ()))
    return (*spans(_outcome_count(summary, kind)), f": {found.means}; {do}")


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
