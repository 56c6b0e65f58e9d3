"""How many cases a comparison needs, from what is known or supposed about how far paired scores differ."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

from adjudge.errors import InputError, SettingsError
from adjudge.reports.compare_match import Pair
from adjudge.stats.clusters import Clusters
from adjudge.stats.moments import Moments
from adjudge.stats.pairs import discordant_share, possible_correlations, sample_size, sample_size_of_rates

FEWEST_UNITS = 6
"""All flips of five clusters are 32, and 2 in 32 is above 0.05: no difference, however large, would be shown."""
CAUTIOUS_RATES = (0.5, 0.5)
"""Passes differ most when every second one is a pass."""
OTHER_CORRELATIONS = (0.5, 0.8)
"""Two versions of one system go along more often than not; what that saves is shown, not counted on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """How far the paired differences scatter, and what that rests on."""

    sd: float
    source: str
    design_effect: float = 1.0
    """How many times as many cases are needed because some share a cluster."""
    cluster_size: float = 1.0
    clustering: str | None = None
    discordant: float | None = None
    """The share of cases that one run alone passes, where scores are passes and fails; None for other scores."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    effect: float
    power: float
    spread: Spread
    cases: int
    """In each run: the same cases twice."""
    clusters: int | None
    at_least: bool
    """Fewer would have the power, but the test needs so many."""


def plan_comparison(effect: float, spread: Spread, *, power: float) -> Need:
    """By the test that decides: the score test for passes and fails, the sign-flip test, as good as a t test, otherwise."""
    if spread.discordant is None:
        needed = sample_size(effect, sd=spread.sd, power=power, design_effect=spread.design_effect)
    else:
        needed = sample_size_of_rates(
            effect,
            discordant=min(1.0, max(abs(effect), spread.discordant)),
            power=power,
            design_effect=spread.design_effect,
        )
    least = ceil(FEWEST_UNITS * spread.cluster_size)
    cases = max(needed, least)
    return Need(
        effect=effect,
        power=power,
        spread=spread,
        cases=cases,
        clusters=None if spread.cluster_size == 1.0 else ceil(cases / spread.cluster_size),
        at_least=needed < least,
    )


def spread_of_rates(rate_a: float, rate_b: float, *, correlation: float = 0.0) -> Spread:
    least, most = possible_correlations(rate_a, rate_b)
    if not least - 1e-9 <= correlation <= most + 1e-9:
        raise SettingsError(
            "--correlation",
            f"pass rates of {rate_a:g} and {rate_b:g} cannot be correlated by {correlation:g}",
            f"give a number from {least:.3f} to {most:.3f}, or leave it out",
        )
    discordant = discordant_share(rate_a, rate_b, correlation=correlation)
    return Spread(
        sd=sqrt(max(0.0, discordant - (rate_b - rate_a) ** 2)),
        source=f"pass rates of {rate_a:g} and {rate_b:g}, whose passes are correlated by {correlation:g}",
        discordant=discordant,
    )


def spread_of_pairs(pairs: Sequence[Pair]) -> Spread:
    """From two runs that were compared: the differences themselves."""
    found = _spread(
        [(pair.cluster, pair.b - pair.a) for pair in pairs],
        times=1.0,
        source=f"the differences of {len(pairs):,} cases in both runs",
    )
    if not _are_passes([score for pair in pairs for score in (pair.a, pair.b)]):
        return found
    return replace(found, discordant=sum(pair.a != pair.b for pair in pairs) / len(pairs))


def spread_of_scores(scores: Sequence[tuple[Hashable, float]], *, correlation: float = 0.0) -> Spread:
    """From one run, supposing that the other's scores scatter as far and go along with these so much."""
    found = _spread(
        scores,
        times=sqrt(2.0 * (1.0 - correlation)),
        source=f"the scores of {len(scores):,} cases in one run, with the other run's correlated by {correlation:g}",
    )
    if not _are_passes([score for _, score in scores]):
        return found
    rate = sum(score for _, score in scores) / len(scores)
    return replace(found, discordant=spread_of_rates(rate, rate, correlation=correlation).discordant)


def in_clusters(spread: Spread, *, size: float, correlation: float) -> Spread:
    """The same spread for cases in clusters of a size, whose differences are correlated within."""
    return replace(
        spread,
        design_effect=1.0 + (size - 1.0) * correlation,
        cluster_size=size,
        clustering=f"{size:g} cases in a cluster, correlated by {correlation:g}",
    )


def _are_passes(scores: Sequence[float]) -> bool:
    return {*scores} <= {0.0, 1.0}


def _spread(values: Sequence[tuple[Hashable, float]], *, times: float, source: str) -> Spread:
    sample = Clusters(values)
    found, moments = sample.spread(), Moments(value for _, value in values)
    if found is None or moments.count < 2 or moments.constant:
        raise InputError(
            "--run",
            "its scores do not differ, or none is in both runs, so their spread is not known",
            "give --sd or --rates",
        )
    sd = sqrt(moments.variance)
    size = found.n / found.clusters
    if found.clusters == found.n or found.clusters < 2:
        return Spread(sd=times * sd, source=source)
    effect = max(1.0, found.variance * found.n / moments.variance)
    return Spread(
        sd=times * sd,
        source=source,
        design_effect=effect,
        cluster_size=size,
        clustering=f"{found.clusters:,} clusters of {size:.3g} cases on average, as in the run",
    )
