"""Several models for one judge, side by side."""

from collections.abc import Iterator, Sequence

from adjudge.analysis.summary.figures import LabelAgreement, Summary
from adjudge.analysis.summary.headline import is_pass_or_fail
from adjudge.documents.document import Quote, Table, Text
from adjudge.documents.numbers import NOTHING_TO_SHOW, show_count, show_mean, show_money, show_rate


def models_tables(summaries: Sequence[Summary]) -> Iterator[Table]:
    """For each judge that several models answered: the models side by side."""
    for judge in dict.fromkeys((each.judge, each.judge_hash) for each in summaries if each.among_models):
        own = [each for each in summaries if (each.judge, each.judge_hash) == judge]
        yield models_table(own, caption=("Models for ", Quote(judge[0])))


def models_table(summaries: Sequence[Summary], *, caption: Text) -> Table:
    """One judge with each of several models."""
    labelled = any(each.agreement and each.agreement.rate for each in summaries)
    first = summaries[0]
    figure = "Win rate of A" if first.pairs else "Pass rate" if is_pass_or_fail(first) else "Mean"
    rows: list[tuple[Text, ...]] = [
        (
            Quote(each.model),
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
