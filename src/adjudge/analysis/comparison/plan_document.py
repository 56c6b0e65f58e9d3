"""A plan in words: how many cases, from what, by which test."""

from adjudge.analysis.comparison.plan import (
    MIN_UNITS,
    ComparisonPlan,
    DifferenceSpread,
    Need,
    SpreadSource,
)
from adjudge.analysis.comparison.wording import in_clusters
from adjudge.documents.document import Block, Command, Document, Fact
from adjudge.documents.numbers import counted, show_count, show_percent


def plan_document(plan: ComparisonPlan) -> Document:
    need = plan.need
    cases = in_clusters(need.cases, need.clusters)
    blocks: list[Block] = [
        Fact(kind="source", label="From", text=_source(need.spread.source)),
        *_spread(need.spread),
    ]
    if need.at_least:
        units = "cases" if need.clusters is None else "clusters"
        text = f"fewer would have the power, but a permutation test of under {MIN_UNITS} {units} can show nothing"
        blocks.append(Fact(kind="at_least", label="Note", text=text))
    blocks += [Fact(kind="other", label="Or", text=_other(need, other)) for other in plan.others]
    if plan.guessed:
        text = "nothing is known about your scores: this assumes pass rates near 50 % and answers that pass or fail independently; "
        runs = (Command("--run RUN"), " takes their spread from a stored run, ", Command("--run A --run B"))
        blocks.append(Fact(kind="guessed", label="Note", text=(text, *runs, " from two")))
    title = f"{cases}, judged in both runs, show a true difference of {need.effect:g} with {show_percent(need.power, 0)} power"
    return Document(title=title, blocks=tuple(blocks))


def _spread(spread: DifferenceSpread) -> list[Fact]:
    if spread.discordant is None:
        test, text = "paired permutation test", f"standard deviation of a case's difference: {spread.sd:.3g}"
    else:
        test, text = (
            "McNemar's score test",
            f"cases that one run alone passes: {show_percent(spread.discordant)}",
        )
    facts = [Fact(kind="test", label="Test", text=test), Fact(kind="spread", label="Spread", text=text)]
    clustering = spread.clustering
    if clustering is not None:
        where = (
            f"{clustering.size:g} cases in a cluster, correlated by {clustering.correlation:g}"
            if clustering.clusters is None
            else f"{show_count(clustering.clusters)} of {clustering.size:.3g} cases on average, as in the run"
        )
        text = f"{where}: {clustering.design_effect:.3g} times as many cases as independent ones"
        facts.append(Fact(kind="clusters", label="Clusters", text=text))
    return facts


def _other(need: Need, other: Need) -> str:
    why = (
        f"{show_percent(other.power, 0)} power" if other.power != need.power else _source(other.spread.source)
    )
    return f"{in_clusters(other.cases, other.clusters)}: {why}"


def _source(source: SpreadSource) -> str:
    match source.kind:
        case "sd":
            return "the standard deviation given"
        case "rates":
            a, b = source.rates or (0.0, 0.0)
            return f"pass rates of {a:g} and {b:g}, whose passes are correlated by {source.correlation:g}"
        case "one_run":
            cases = counted(source.cases or 0, "case")
            return (
                f"the scores of {cases} in one run, with the other run's correlated by {source.correlation:g}"
            )
        case "two_runs":
            return f"the differences of {counted(source.cases or 0, 'case')} in both runs"
