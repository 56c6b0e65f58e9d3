"""Several models for one judge: side by side, as a jury, and whether one of them judges its own kind."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from adjudge.analysis.cascade.document import cascade_blocks
from adjudge.analysis.jury.document import jury_blocks
from adjudge.analysis.jury.figures import JuryFigures
from adjudge.analysis.summary.figures import LabelAgreement, Summary
from adjudge.analysis.summary.headline import is_pass_or_fail
from adjudge.analysis.summary.run import RunSummary
from adjudge.documents.document import Block, Fact, Quote, Table, Text
from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    counted,
    show_count,
    show_error,
    show_mean,
    show_money,
    show_rate,
)
from adjudge.records import is_jury, jury_title


def models_tables(summaries: Sequence[Summary]) -> Iterator[Table]:
    """For each judge that several models answered: the models side by side."""
    for judge in dict.fromkeys((each.judge, each.judge_hash) for each in summaries if each.among_models):
        own = [each for each in summaries if (each.judge, each.judge_hash) == judge]
        yield models_table(own, caption=("Models for ", Quote(judge[0])))


def juries_blocks(run: RunSummary) -> Iterator[Block]:
    for cascade in run.cascades:
        yield from cascade_blocks(cascade)
    for jury in run.juries:
        yield jurors_table(run, jury)
        yield from jury_blocks(jury, several=len(run.juries) > 1)
    for juror in run.jurors:
        for fact in candidate_facts(juror):
            yield replace(fact, label="Jury")


def jurors_table(run: RunSummary, jury: JuryFigures) -> Table:
    """The jury, and below it each of its members."""
    key = (jury.judge, jury.judge_hash, jury.jury)
    whole = [each for each in run.judges if (each.judge, each.judge_hash, each.model) == key]
    return models_table([*whole, *jurors_of(run, jury)], caption=("Jury and jurors of ", Quote(jury.judge)))


def jurors_of(run: RunSummary, jury: JuryFigures) -> list[Summary]:
    """In the order in which they were named."""
    order = {each.model: place for place, each in enumerate(jury.jurors)}
    members = [each for each in run.jurors if (each.judge, each.judge_hash) == (jury.judge, jury.judge_hash)]
    return sorted(members, key=lambda each: order.get(each.model, len(order)))


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
    labelled = any(each.agreement and not each.agreement.off_scale for each in summaries)
    first = summaries[0]
    figure = "Win rate of A" if first.pairs else "Pass rate" if is_pass_or_fail(first) else "Mean"
    rows: list[tuple[Text, ...]] = [
        (
            Quote(jury_title(each.model) if is_jury(each.model) else each.model),
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
    if agreement is None:
        return NOTHING_TO_SHOW
    return show_error(agreement.absolute_error) if agreement.measured else show_rate(agreement.rate)
