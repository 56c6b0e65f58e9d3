"""The ranking of several systems as records."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudge.runs.plan import PlannedRanking
from adjudge.stats.populations import population
from adjudge.stats.several.ranking import Ranked, Win, connected, rank_systems

SEED = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedSystem:
    name: str
    strength: float = field(
        metadata=population("compared, of the systems connected by verdicts", "comparison")
    )
    """The logarithm of the odds to win against an average one of these systems."""
    interval: tuple[float, float] = field(
        metadata=population("compared, of the systems connected by verdicts", "comparison")
    )
    group: tuple[int, ...]
    """The ranks that it may have: systems that share some cannot be told apart."""
    won: int
    tied: int
    lost: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemRanking:
    ranking: tuple[RankedSystem, ...]
    """Best first."""
    apart: tuple[tuple[str, ...], ...]
    """Systems that no verdict connects with those: they cannot be compared with them."""
    comparisons: int
    cases: int
    """Of which the comparisons are; clusters of them where `clustered`."""
    clustered: bool
    unscored: int
    left: int
    """Comparisons that were not asked."""
    planned: int
    """All comparisons that there are."""
    seed: int
    """Of the order in which each pair's cases are asked: those that were asked are a random sample of them."""
    warning: str | None
    """What speaks against the intervals."""
    separated: bool
    """A system won or lost everything against some others: how much stronger it is has no bound."""
    judge: str
    model: str
    run: str


def rank(
    planned: PlannedRanking,
    wins: Sequence[Win],
    *,
    unscored: int,
    judge: str,
    model: str,
    run: str,
) -> SystemRanking:
    """The systems that verdicts connect, the largest group of them; the others are apart.

    In whatever order the comparisons were made, the intervals are the same.
    """
    names = planned.systems
    groups = connected(wins, len(names))
    chosen = groups[0]
    number = {system: position for position, system in enumerate(chosen)}
    inside = [
        win._replace(first=number[win.first], second=number[win.second])
        for win in sorted(wins)
        if win.first in number
    ]
    ranking = rank_systems(inside, len(chosen), seed=SEED) if inside else None
    return SystemRanking(
        ranking=tuple(_ranked(names[chosen[each.system]], each, inside) for each in ranking.systems)
        if ranking
        else (),
        apart=tuple(tuple(names[system] for system in group) for group in groups[bool(ranking) :]),
        comparisons=len(inside),
        cases=ranking.cases if ranking else 0,
        clustered=bool(ranking and ranking.clustered),
        unscored=unscored,
        left=max(0, planned.comparisons - len(wins) - unscored),
        planned=planned.comparisons,
        seed=planned.seed,
        warning=ranking.systems[0].strength.warning if ranking else None,
        separated=bool(ranking and ranking.separated),
        judge=judge,
        model=model,
        run=run,
    )


def _ranked(name: str, ranked: Ranked, wins: Sequence[Win]) -> RankedSystem:
    system, strength = ranked.system, ranked.strength
    scores = [win.score if win.first == system else 1 - win.score for win in wins if system in win[1:3]]
    best, worst = ranked.ranks
    return RankedSystem(
        name=name,
        strength=strength.value,
        interval=(strength.low, strength.high),
        group=tuple(range(best, worst + 1)),
        won=scores.count(1.0),
        tied=scores.count(0.5),
        lost=scores.count(0.0),
    )
