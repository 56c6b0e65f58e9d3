"""How many cases a comparison needs, from what is known or supposed about how far paired scores differ."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Literal

from adjudge.analysis.chosen_model import usual_model, verdicts_of
from adjudge.analysis.comparison.matching import LETTERS, Matching, Pair
from adjudge.errors import InputError, SettingsError
from adjudge.stats.clusters import Clusters
from adjudge.stats.intervals import moments_of
from adjudge.stats.pairs import discordant_share, possible_correlations, sample_size, sample_size_of_rates
from adjudge.store import RunRecord, Store

MIN_UNITS = 6
"""All flips of five clusters are 32, and 2 in 32 is above 0.05: no difference, however large, would be shown."""
CAUTIOUS_RATES = (0.5, 0.5)
"""Passes differ most when every second one is a pass."""
OTHER_CORRELATIONS = (0.5, 0.8)
"""Two versions of one system go along more often than not; what that saves is shown, not counted on."""
OTHER_POWER = 0.9


@dataclass(frozen=True, kw_only=True, slots=True)
class SpreadSource:
    kind: Literal["sd", "rates", "one_run", "two_runs"]
    rates: tuple[float, float] | None = None
    cases: int | None = None
    correlation: float | None = None
    """Between the two runs, supposed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Clustering:
    size: float
    design_effect: float
    """How many times as many cases are needed because some share a cluster."""
    clusters: int | None = None
    """Of the stored run that it was taken from."""
    correlation: float | None = None
    """Within a cluster, supposed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferenceSpread:
    """How far the paired differences scatter, and what that rests on."""

    sd: float
    source: SpreadSource
    clustering: Clustering | None = None
    discordant: float | None = None
    """The share of cases that one run alone passes, where scores are passes and fails; None for other scores."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    effect: float
    power: float
    spread: DifferenceSpread
    cases: int
    """In each run: the same cases twice."""
    clusters: int | None
    at_least: bool
    """Fewer would have the power, but the test needs so many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonPlan:
    need: Need
    others: tuple[Need, ...]
    """With more power, or with runs that pass the same cases more often."""
    guessed: bool
    """Nothing is known about the scores."""


def plan_comparison(
    effect: float, spreads: Sequence[DifferenceSpread], *, power: float, guessed: bool = False
) -> ComparisonPlan:
    """The first spread is counted on; the others are shown."""
    others = [find_need(effect, spread, power=power) for spread in spreads[1:]]
    if power < OTHER_POWER:
        others.insert(0, find_need(effect, spreads[0], power=OTHER_POWER))
    need = find_need(effect, spreads[0], power=power)
    return ComparisonPlan(need=need, others=tuple(others), guessed=guessed)


def find_need(effect: float, spread: DifferenceSpread, *, power: float) -> Need:
    """By the test that decides: the score test for passes and fails, else the permutation test, as good as a t test."""
    size, design_effect = 1.0, 1.0
    if spread.clustering is not None:
        size, design_effect = spread.clustering.size, spread.clustering.design_effect
    if spread.discordant is None:
        needed = sample_size(effect, sd=spread.sd, power=power, design_effect=design_effect)
    else:
        needed = sample_size_of_rates(
            effect,
            discordant=min(1.0, max(abs(effect), spread.discordant)),
            power=power,
            design_effect=design_effect,
        )
    least = ceil(MIN_UNITS * size)
    cases = max(needed, least)
    return Need(
        effect=effect,
        power=power,
        spread=spread,
        cases=cases,
        clusters=None if size == 1.0 else ceil(cases / size),
        at_least=needed < least,
    )


def spreads_of_rates(rates: tuple[float, float] | None, correlation: float | None) -> list[DifferenceSpread]:
    """One for each correlation that the rates allow, or for the one supposed; the most cautious first."""
    rates = rates or CAUTIOUS_RATES
    if correlation is not None:
        return [spread_of_rates(*rates, correlation=correlation)]
    most = possible_correlations(*rates).most
    return [spread_of_rates(*rates, correlation=r) for r in (0.0, *OTHER_CORRELATIONS) if r <= most]


def spread_of_rates(rate_a: float, rate_b: float, *, correlation: float = 0.0) -> DifferenceSpread:
    least, most = possible_correlations(rate_a, rate_b)
    if not least - 1e-9 <= correlation <= most + 1e-9:
        raise SettingsError(
            "--correlation",
            f"pass rates of {rate_a:g} and {rate_b:g} cannot be correlated by {correlation:g}",
            f"give a number from {least:.3f} to {most:.3f}, or leave it out",
        )
    discordant = discordant_share(rate_a, rate_b, correlation=correlation)
    return DifferenceSpread(
        sd=sqrt(max(0.0, discordant - (rate_b - rate_a) ** 2)),
        source=SpreadSource(kind="rates", rates=(rate_a, rate_b), correlation=correlation),
        discordant=discordant,
    )


def spreads_of_runs(
    store: Store, runs: Sequence[RunRecord], only: str | None, correlation: float | None
) -> list[DifferenceSpread]:
    """One from two runs, whose differences are known; from one run, one for each correlation."""
    matching = Matching()
    judges: dict[str, None] = {}
    for letter, run in zip(LETTERS, runs, strict=False):
        for judgement in verdicts_of(store.judgements(run.run_id), run, usual_model(run)):
            if only is None or judgement.judge == only:
                judges[judgement.judge] = None
                matching.add(letter, judgement)
    if len(judges) != 1:
        raise SettingsError(
            "--only",
            f"{len(judges)} judges were found",
            f"name one of {', '.join(judges)}" if judges else "name a judge of the run, or leave it out",
        )
    if len(runs) == 2:
        return [spread_of_pairs(list(matching.pairs()))]
    correlations = (0.0, *OTHER_CORRELATIONS) if correlation is None else (correlation,)
    scores = list(matching.scores("a"))
    return [spread_of_scores(scores, correlation=r) for r in correlations]


def spread_of_pairs(pairs: Sequence[Pair]) -> DifferenceSpread:
    """From two runs that were compared: the differences themselves."""
    found = _spread(
        [(pair.cluster, pair.b - pair.a) for pair in pairs],
        SpreadSource(kind="two_runs", cases=len(pairs)),
    )
    if not _are_passes([score for pair in pairs for score in (pair.a, pair.b)]):
        return found
    return replace(found, discordant=sum(pair.a != pair.b for pair in pairs) / len(pairs))


def spread_of_scores(
    scores: Sequence[tuple[Hashable, float]], *, correlation: float = 0.0
) -> DifferenceSpread:
    """From one run, supposing that the other's scores scatter as far and go along with these so much."""
    found = _spread(scores, SpreadSource(kind="one_run", cases=len(scores), correlation=correlation))
    found = replace(found, sd=sqrt(2.0 * (1.0 - correlation)) * found.sd)
    if not _are_passes([score for _, score in scores]):
        return found
    rate = sum(score for _, score in scores) / len(scores)
    return replace(found, discordant=spread_of_rates(rate, rate, correlation=correlation).discordant)


def in_clusters(spread: DifferenceSpread, *, size: float, correlation: float) -> DifferenceSpread:
    """The same spread for cases in clusters of a size, whose differences are correlated within."""
    effect = 1.0 + (size - 1.0) * correlation
    return replace(spread, clustering=Clustering(size=size, design_effect=effect, correlation=correlation))


def _are_passes(scores: Sequence[float]) -> bool:
    return {*scores} <= {0.0, 1.0}


def _spread(values: Sequence[tuple[Hashable, float]], source: SpreadSource) -> DifferenceSpread:
    found, moments = Clusters(values).spread(), moments_of(value for _, value in values)
    if found is None or moments is None or moments.constant:
        raise InputError(
            "--run",
            "its scores do not differ, or none is in both runs, so their spread is not known",
            "give --sd or --rates",
        )
    clustering = None
    if 2 <= found.clusters < found.n:
        clustering = Clustering(
            size=found.n / found.clusters,
            design_effect=max(1.0, found.variance * found.n / moments.variance),
            clusters=found.clusters,
        )
    return DifferenceSpread(sd=sqrt(moments.variance), source=source, clustering=clustering)
