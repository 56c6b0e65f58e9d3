"""A jury in words: beside it each juror, how far they agree, what their votes are worth, and whether it beats the best."""

from collections.abc import Iterator
from math import isfinite

from msgspec.structs import replace

from adjudge.analysis.jury.figures import BestMember, EffectiveVotes, JuryFigures
from adjudge.documents.document import Block, Fact, Quote, Table, Text, join, spans
from adjudge.documents.numbers import NOTHING_TO_SHOW, counted, show_count, show_number, show_percent
from adjudge.stats.intervals import Estimate

LABEL = "Jury"


def jury_blocks(jury: JuryFigures, *, several: bool) -> Iterator[Block]:
    """`several`: there are other judges, so each fact says whose it is."""
    if jury.pairs:
        yield pairs_table(jury)
    for fact in jury_facts(jury):
        yield replace(fact, text=join(": ", [Quote(jury.judge), fact.text])) if several else fact


def jury_facts(jury: JuryFigures) -> Iterator[Fact]:
    if jury.effective is not None:
        yield Fact(kind="effective votes", label=LABEL, text=_effective(jury.effective))
    if jury.best is not None:
        yield _best(jury.best)
    left_out = {
        each.model: f"{show_count(sum(each.left_out.values()))} ({', '.join(each.left_out).replace('_', ' ')})"
        for each in jury.jurors
        if each.left_out
    }
    if left_out:
        named = join(", ", [(Quote(model), f" {count}") for model, count in left_out.items()])
        text = ("votes left out: ", *spans(named))
        yield Fact(kind="left out", label=LABEL, text=text, tone="warning")
    if jury.below_quorum:
        text_ = f"{counted(jury.below_quorum, 'case')} had fewer votes than the quorum and no verdict"
        yield Fact(kind="quorum", label=LABEL, text=text_, tone="warning")
    if jury.no_majority:
        text_ = f"{counted(jury.no_majority, 'case')} had no majority: as many votes for one verdict as for another"
        yield Fact(kind="no majority", label=LABEL, text=text_, tone="warning")


def _effective(found: EffectiveVotes) -> str:
    votes, rho = found.value, found.correlation
    text = f"{votes.value:.1f} [{votes.low:.1f}, {votes.high:.1f}] effective votes of {found.jurors}"
    correlate = f"correlate {rho.value:.2f} [{rho.low:.2f}, {rho.high:.2f}]"
    if found.basis == "errors":
        return f"{text}: their errors {correlate} on {counted(rho.n, 'labelled case')}"
    return (
        f"{text}, assuming that errors correlate as votes do: their votes {correlate} on {counted(rho.n, 'case')}; "
        "labels would tell"
    )


def _best(best: BestMember) -> Fact:
    low, high, value = best.difference.low, best.difference.high, best.difference.value
    chosen = f"(best of {best.among} on these labels)"
    if best.measure == "accuracy":
        sides = f"agreement with labels {show_percent(best.jury)}, of its best member {show_percent(best.best)} {chosen}"
        gained = f"{100 * value:+.1f} points, 95 % interval {100 * low:+.1f} to {100 * high:+.1f}"
    else:
        sides = f"mean absolute error {show_number(best.jury)}, of its best member {show_number(best.best)} {chosen}"
        interval = f"95 % interval {low:.2f} to {high:.2f}" if isfinite(high - low) else "no interval"
        gained = f"smaller by {value:.2f}, {interval}"
    finding = (
        "the jury beats its best member"
        if low > 0
        else "the jury is worse than its best member"
        if high < 0
        else "no evidence that the jury beats its best member"
    )
    return Fact(
        kind="best member",
        label=LABEL,
        text=(f"{finding}, ", Quote(best.model), f": {sides}; {gained}; n {show_count(best.difference.n)}"),
        tone="warning" if high < 0 else "plain",
    )


def pairs_table(jury: JuryFigures) -> Table:
    coefficient = "κ" if jury.kind == "labels" else "Correlation"
    rows: tuple[tuple[Text, ...], ...] = tuple(
        (
            Quote(pair.a),
            Quote(pair.b),
            show_count(pair.n),
            show_percent(pair.equal),
            _coefficient(pair.coefficient),
        )
        for pair in jury.pairs
    )
    return Table(
        kind="jurors",
        caption=("Agreement between the jurors of ", Quote(jury.judge)),
        header=("Juror", "Juror", "Cases", "Same vote", coefficient),
        rows=rows,
        numeric=(2, 3, 4),
    )


def _coefficient(found: Estimate | None) -> str:
    return NOTHING_TO_SHOW if found is None else f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
