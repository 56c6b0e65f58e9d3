"""Simulated agreement of a judge with people, for `coverage.py`."""

from math import asin, pi
from typing import Any

import numpy as np
from coverage_common import RESAMPLES, Array, Found, scenario, sizes_of

from adjudge.stats import agreement
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.people import agree, correlate


def joint_table(right: float, weights: Array) -> Array:
    """Judge x people: right with this chance, else the people's neighbours more often than the far ones."""
    size = len(weights)
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(float)
    wrong = np.where(apart > 0, 1.0 / np.maximum(apart, 1.0), 0.0)
    given = right * np.eye(size) + (1 - right) * wrong / wrong.sum(0)
    return given * weights


def add_agreement(n: int, clusters: int | None, right: float, *, domain: bool) -> None:
    weights = np.array([0.1, 0.15, 0.2, 0.25, 0.3])
    table = joint_table(right, weights)
    # Hard questions and easy ones: the same use of labels, more and fewer errors, the same on average.
    kinds = np.stack([joint_table(2 * right - 1.0, weights), joint_table(1.0, weights)])
    many = table * 1e9
    numbers = np.arange(5.0)
    pair = table[:3].sum(0), table[3:].sum(0)
    binary = np.array([[part[:3].sum(), part[3:].sum()] for part in pair]) * 1e9
    truths = {
        "accuracy": agreement.accuracy(many),
        "mcc": agreement.mcc(many),
        "kappa": agreement.cohen_kappa(many),
        "kappa_quadratic": agreement.cohen_kappa(many, "quadratic"),
        "alpha": agreement.alpha(agreement.pair_coincidences(many)),
        "alpha_ordinal": agreement.alpha(agreement.pair_coincidences(many), "ordinal"),
        "ac1": agreement.gwet(many),
        "kappa_linear": agreement.cohen_kappa(many, "linear"),
        "macro_f1": agreement.macro_f1(many),
        "pearson": agreement.pearson(many, numbers, numbers),
        "spearman": agreement.spearman(many),
        "kendall": agreement.kendall(many),
        "mean_absolute_error": agreement.mean_absolute_error(many, numbers, numbers),
        "precision": agreement.precision(binary, 1),
        "recall": agreement.recall(binary, 1),
        "f1": agreement.f1(binary, 1),
    }
    name = f"agreement {right}, " + (f"{clusters} clusters" if clusters else f"{n} independent cases")

    @scenario(name, domain=domain)
    def draw(random: np.random.Generator) -> Found:
        if clusters:
            owner = np.repeat(np.arange(clusters), sizes_of(random, clusters))
            hard = (random.random(clusters) < 0.5)[owner]
            cells = np.where(
                hard,
                random.choice(25, len(owner), p=kinds[0].ravel()),
                random.choice(25, len(owner), p=kinds[1].ravel()),
            )
        else:
            owner, cells = np.arange(n), random.choice(25, n, p=table.ravel())
        judge, people, seed = cells // 5, cells % 5, int(random.integers(2**31))
        common: dict[str, Any] = {
            "clusters": owner.tolist() if clusters else None,
            "seed": seed,
            "resamples": RESAMPLES,
        }
        found: dict[str, Estimate | Undefined] = dict(
            agree(judge.tolist(), people.tolist(), labels=range(5), ordered=True, **common).figures
        )
        found |= correlate(judge.tolist(), people.tolist(), **common)
        passes = agree((judge >= 3).tolist(), (people >= 3).tolist(), positive=True, **common).figures
        found |= {name: passes[name] for name in ("precision", "recall", "f1")}
        for figure, truth in truths.items():
            yield f"{figure} (BCa)", found[figure], float(truth)


def add_verdicts(rate: float, right: float, n: int, clusters: int | None, *, domain: bool) -> None:
    """Passes and fails, of which people pass this share."""
    table = (
        np.array([[(1 - rate) * right, rate * (1 - right)], [(1 - rate) * (1 - right), rate * right]]) * 1e9
    )
    truths = {
        "accuracy": agreement.accuracy(table),
        "mcc": agreement.mcc(table),
        "kappa": agreement.cohen_kappa(table),
        "alpha": agreement.alpha(agreement.pair_coincidences(table)),
        "ac1": agreement.gwet(table),
        "f1": agreement.f1(table, 1),
    }
    where = f"{clusters} clusters" if clusters else f"{n} independent cases"

    @scenario(f"verdicts, {rate} pass, judge {right}, {where}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        if clusters:
            owner = np.repeat(np.arange(clusters), sizes_of(random, clusters))
            people = random.random(len(owner)) < random.beta(rate * 2, (1 - rate) * 2, clusters)[owner]
            chance = np.where(random.random(clusters) < 0.5, 2 * right - 1.0, 1.0)[owner]
        else:
            owner, people, chance = np.arange(n), random.random(n) < rate, np.full(n, right)
        judge = np.where(random.random(len(owner)) < chance, people, ~people)
        found = agree(
            judge.tolist(),
            people.tolist(),
            labels=(False, True),
            positive=True,
            clusters=owner.tolist() if clusters else None,
            seed=int(random.integers(2**31)),
            resamples=RESAMPLES,
        ).figures
        for figure, truth in truths.items():
            yield f"{figure} (BCa)", found[figure], float(truth)


def add_measurements(correlation: float, n: int, *, domain: bool) -> None:
    @scenario(f"measurements correlated {correlation}, {n} independent cases", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        judge = random.normal(size=n)
        people = correlation * judge + (1 - correlation**2) ** 0.5 * random.normal(size=n)
        found = correlate(
            judge.tolist(), people.tolist(), seed=int(random.integers(2**31)), resamples=RESAMPLES
        )
        yield "pearson (BCa)", found["pearson"], correlation
        yield "spearman (BCa)", found["spearman"], 6 / pi * asin(correlation / 2)
        yield "kendall (BCa)", found["kendall"], 2 / pi * asin(correlation)


for quality in (0.6, 0.8, 0.9):
    add_agreement(100, None, quality, domain=True)
    add_agreement(0, 30, quality, domain=True)
add_agreement(400, None, 0.8, domain=True)
add_agreement(20, None, 0.8, domain=False)
add_agreement(0, 10, 0.8, domain=False)
for size, quality in ((100, 0.97), (200, 0.97), (400, 0.97), (100, 0.99), (1000, 0.99)):
    add_agreement(size, None, quality, domain=False)
for chance in (0.1, 0.5, 0.9):
    add_verdicts(chance, 0.85, 100, None, domain=True)
    add_verdicts(chance, 0.85, 0, 30, domain=True)
for chance in (0.05, 0.02):
    add_verdicts(chance, 0.95, 100, None, domain=False)
add_verdicts(0.02, 0.95, 0, 30, domain=False)
add_verdicts(0.5, 0.85, 20, None, domain=False)
add_verdicts(0.5, 0.85, 0, 10, domain=False)
add_measurements(0.8, 100, domain=True)
