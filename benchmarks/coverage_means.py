"""Simulated means, rates, paired differences and repeats, for `coverage.py`."""

from functools import cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from coverage_common import FIVE, UNIT, Decision, Found, scenario, sizes_of

from adjudge.stats.clusters import clustered_mean, clustered_rate
from adjudge.stats.intervals import Undefined, mean_interval, rate_interval
from adjudge.stats.paired import compare
from adjudge.stats.repeats import retest_kappa, undecided


def add_independent(n: int, *, domain: bool) -> None:
    levels, weights = np.arange(1, 6), np.array([0.05, 0.1, 0.15, 0.3, 0.4])

    @scenario(f"mean, {n} independent cases", domain=domain)
    def mean(random: np.random.Generator) -> Found:
        yield (
            "mean (logit t)",
            mean_interval(random.choice(levels, n, p=weights).tolist(), FIVE),
            float(levels @ weights),
        )

    for rate in (0.02, 0.1, 0.5, 0.9, 0.98):

        @scenario(f"rate {rate}, {n} independent cases", domain=domain and 0.1 <= rate <= 0.9)
        def share(random: np.random.Generator, rate: float = rate) -> Found:
            yield "pass rate (Wilson)", rate_interval(int(random.binomial(n, rate)), n), rate


def add_clustered(clusters: int, *, domain: bool) -> None:
    @scenario(f"mean, {clusters} clusters", domain=domain)
    def mean(random: np.random.Generator) -> Found:
        sizes = sizes_of(random, clusters)
        owner = np.repeat(np.arange(clusters), sizes)
        hidden = random.normal(0, sqrt(0.4), clusters)[owner] + random.normal(0, sqrt(0.6), len(owner))
        values = np.searchsorted([-1.64, -1.04, -0.52, 0.25], hidden) + 1
        truth = 1 + sum(1 - NormalDist().cdf(cut) for cut in (-1.64, -1.04, -0.52, 0.25))
        yield (
            "mean (logit CR2)",
            clustered_mean(zip(owner.tolist(), values.tolist(), strict=True), FIVE),
            truth,
        )

    for rate in (0.02, 0.1, 0.5, 0.9):

        @scenario(f"rate {rate}, {clusters} clusters", domain=domain and 0.1 <= rate <= 0.9)
        def share(random: np.random.Generator, rate: float = rate) -> Found:
            sizes = sizes_of(random, clusters)
            owner = np.repeat(np.arange(clusters), sizes)
            own = random.beta(rate * 2, (1 - rate) * 2, clusters)  # a correlation of one third
            passed = random.random(len(owner)) < own[owner]
            yield (
                "pass rate (logit CR2)",
                clustered_rate(zip(owner.tolist(), passed.tolist(), strict=True)),
                rate,
            )


def add_paired(clusters: int, *, domain: bool) -> None:
    @scenario(f"paired difference, {clusters} clusters", domain=domain)
    def paired(random: np.random.Generator) -> Found:
        sizes = sizes_of(random, clusters)
        owner = np.repeat(np.arange(clusters), sizes)
        lean = np.clip(0.6 + random.normal(0, 0.15, clusters), 0.2, 1.0)[owner]
        gained = random.random(len(owner)) < lean * 0.25
        lost = ~gained & (random.random(len(owner)) < 0.1)
        truth = _paired_truth()
        result = compare(
            zip(owner.tolist(), (gained.astype(float) - lost).tolist(), strict=True),
            UNIT,
            seed=int(random.integers(2**31)),
        )
        assert result is not None
        assert result.significant == (not result.difference.low <= 0.0 <= result.difference.high)
        yield f"difference ({'Tango' if clusters >= 10 else 'sign-flip'})", result.difference, truth


@cache
def _paired_truth() -> float:
    """The mean of gained - lost; the clipped normal has no closed form worth writing."""
    random = np.random.default_rng(5)
    lean = np.clip(0.6 + random.normal(0, 0.15, 20_000_000), 0.2, 1.0) * 0.25
    return float((lean - (1 - lean) * 0.1).mean())


def add_repeats(n: int, *, domain: bool) -> None:
    @scenario(f"test-retest kappa, {n} cases x 3", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        own = random.beta(0.6, 0.3, n)
        verdicts = {str(at): (random.random(3) < own[at]).tolist() for at in range(n)}
        # For Beta(a, b): the correlation of two draws with one p is 1 / (a + b + 1).
        yield "kappa (jackknife)", retest_kappa(verdicts), 1 / 1.9


def add_undecided(n: int, repeats: int, noise: str, *, domain: bool) -> None:
    """Scores from 1 to 5, passing from 3 on, of cases whose long-run mean is just below: the hardest to get right."""

    @scenario(f"undecided, {n} cases x {repeats}, {noise}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        sd = np.full(n, 0.6) if "alike" in noise else np.where(random.random(n) < 0.5, 0.2, 1.0)
        scores = 3.0 - 1e-9 + random.normal(0, 1, (n, repeats)) * sd[:, None]
        if "whole" in noise:
            scores = np.clip(np.rint(scores), 1.0, 5.0)
        by_case = {str(at): scores[at].tolist() for at in range(n)}
        found = undecided(by_case, 3.0)
        assert not isinstance(found, Undefined)
        near = set(found)
        for case, values in by_case.items():
            passes = case not in near and sum(values) / len(values) >= 3.0
            yield "by the noise, a case that fails passes", Decision(wrong=passes), 0.025
            # a report also leaves open what the repeats of one case disagree on
            passes = passes and all(value >= 3.0 for value in values)
            yield "in a report, a case that fails passes", Decision(wrong=passes), 0.025


for size, inside in ((20, False), (100, True), (500, True)):
    add_independent(size, domain=inside)
for count, inside in ((5, False), (10, False), (30, True), (100, True)):
    add_clustered(count, domain=inside)
for count, inside in ((5, False), (10, False), (30, True), (100, True)):
    add_paired(count, domain=inside)
add_repeats(100, domain=True)
add_repeats(20, domain=False)
add_undecided(100, 3, "noise alike", domain=True)
add_undecided(100, 3, "noise alike, whole scores", domain=True)
add_undecided(100, 3, "noise unlike", domain=False)
add_undecided(20, 2, "noise alike", domain=False)
