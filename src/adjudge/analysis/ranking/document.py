"""A ranking in words: who is best, how sure that is, who cannot be told apart."""

from math import isfinite

from adjudge.analysis.ranking.figures import RankedSystem, SystemRanking
from adjudge.documents.document import Block, Document, Fact, Quote, Span, Table, Text, command_of
from adjudge.documents.numbers import counted


def ranking_document(found: SystemRanking) -> Document:
    blocks = list(ranking_blocks(found))
    blocks.append(Fact(kind="next", label="Next", text=command_of("view", found.run)))
    blocks.append(
        Fact(
            kind="method",
            label="Method",
            text="Bradley–Terry strengths with ties (Davidson); intervals by bootstrap over cases, widened as Student's t is; ranks at 95% "
            "for all systems together",
            detail=True,
        )
    )
    units = (
        f"in {counted(found.cases, 'cluster')}" if found.clustered else f"of {counted(found.cases, 'case')}"
    )
    asked = f"{counted(found.comparisons, 'comparison')} {units}, each in both orders"
    title = f"{counted(len(found.ranking), 'system')} ranked by {found.judge} · {asked}"
    return Document(banner=partial_ranking(found), title=title, blocks=tuple(blocks))


def partial_ranking(found: SystemRanking) -> str:
    """The banner of a ranking that does not have all comparisons; empty for a whole one."""
    if not found.left:
        return ""
    return f"PARTIAL {found.planned - found.left:,} of {found.planned:,} comparisons"


def ranking_blocks(found: SystemRanking) -> tuple[Block, ...]:
    """Who is best, the table, and who cannot be told apart."""
    blocks: list[Block] = []
    if found.left:
        asked = f"{found.planned - found.left:,} of {counted(found.planned, 'comparison')}"
        text = f"{asked}: a random sample of the cases of each pair (seed {found.seed})"
        blocks.append(Fact(kind="left", label="Asked", text=text, tone="warning"))
    if found.ranking:
        blocks.append(Fact(kind="best", label="Best", text=_best(found.ranking)))
        blocks.append(_table(found.ranking))
        blocks += [
            Fact(kind="same", label="Too close", text=_names(names, " and "))
            for names in _together(found.ranking)
        ]
    if found.separated:
        text = "a system won all its comparisons with some others, or lost them: how much stronger it is has no bound"
        blocks.append(Fact(kind="separated", label="Note", text=text))
    for names in found.apart:
        spans = _flat((_names(names, ", "), " cannot be compared with these: no verdict connects them"))
        blocks.append(Fact(kind="apart", label="Apart", text=spans, tone="warning"))
    if found.unscored:
        text = f"{counted(found.unscored, 'comparison')} without a verdict"
        blocks.append(Fact(kind="unscored", label="Not scored", text=text, tone="warning"))
    if found.warning:
        blocks.append(Fact(kind="warning", label="Warning", text=found.warning, tone="warning"))
    return tuple(blocks)


def _best(ranking: tuple[RankedSystem, ...]) -> Text:
    best = [each.name for each in ranking if 1 in each.group]
    if len(best) == 1:
        return (Quote(best[0]), ", with 95 % confidence")
    return _flat((_names(tuple(best), " or "), ": more cases are needed to tell"))


def _table(ranking: tuple[RankedSystem, ...]) -> Table:
    return Table(
        kind="ranking",
        caption="Systems, best first",
        header=("rank", "system", "strength", "95 %", "won", "tied", "lost", "may be"),
        rows=tuple(
            (
                str(rank),
                Quote(each.name),
                f"{round(each.strength, 2) + 0.0:+.2f}",  # no -0.00
                _range(each.interval),
                str(each.won),
                str(each.tied),
                str(each.lost),
                str(each.group[0]) if len(each.group) == 1 else f"{each.group[0]} to {each.group[-1]}",
            )
            for rank, each in enumerate(ranking, start=1)
        ),
        numeric=(2, 3, 4, 5, 6),
    )


def _range(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{low:+.2f} to {high:+.2f}" if isfinite(low) and isfinite(high) else "not known (one cluster)"


def _together(ranking: tuple[RankedSystem, ...]) -> list[tuple[str, ...]]:
    """Runs of neighbours that may each have the rank of the others; the longest ones only."""
    found: list[tuple[int, int]] = []
    for first, each in enumerate(ranking, start=1):
        last = first
        while last < len(ranking) and last + 1 in each.group and first in ranking[last].group:
            last += 1
        if last > first and not any(start <= first and last <= end for start, end in found):
            found.append((first, last))
    return [tuple(each.name for each in ranking[first - 1 : last]) for first, last in found]


def _names(names: tuple[str, ...], between: str) -> Text:
    spans: list[Span] = []
    for name in names:
        spans += [between, Quote(name)] if spans else [Quote(name)]
    return tuple(spans)


def _flat(parts: tuple[Text, ...]) -> Text:
    return tuple(span for part in parts for span in (part if isinstance(part, tuple) else (part,)))
