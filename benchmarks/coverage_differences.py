"""Simulated paired differences corrected by people's labels of both sides, for `coverage.py`.

Two systems answer the same questions, one judge favours the second, and people label both answers to some cases. Inside
the domain 100 cases or more are labelled on both sides.
"""

from functools import cache

import numpy as np
from coverage_common import Array, Found, scenario

from adjudge.records import Scale
from adjudge.stats.corrected import (
    Corrected,
    JudgedCase,
    corrected_difference,
    differences,
    naive_mean,
)
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.labelling import draw_for_labelling


def answers(
    random: np.random.Generator, rates: tuple[float, float], n: int, clusters: int | None
) -> tuple[Array, Array]:
    """Whether people pass A's answer and B's; what is hard for one is hard for the other."""
    owner = np.arange(n) if clusters is None else np.arange(n) % clusters
    own = random.random(clusters or n)[owner]
    sides = []
    for rate in rates:
        # the same hidden ease for both, or luck of its own
        chance = np.where(random.random(n) < 0.6, own, random.random(n))
        sides.append(chance < rate)
    return sides[0], sides[1]


def judged(random: np.random.Generator, people: Array, right: float, kind: float) -> tuple[Array, Array]:
    """The judge's verdicts, wrong where it is unsure; of its errors a share `kind` would pass what people fail."""
    n = len(people)
    unsure = random.beta(0.5, 1.5, n)
    wrong = random.random(n) < np.minimum(1.0, (1 - right) * unsure / 0.25)
    turned = wrong & (random.random(n) < np.where(people, 1 - kind, kind))
    return np.where(turned, ~people, people), unsure + random.random(n) * 0.05


def add_differences(
    rates: tuple[float, float],
    labels: int,
    how: str,
    *,
    domain: bool,
    n: int = 1000,
    right: float = 0.8,
    clusters: int | None = None,
) -> None:
    where = f", {clusters} clusters" if clusters else ""
    name = f"corrected difference {rates[0]} to {rates[1]}, judge {right}, {labels} of {n} labelled, {how}{where}"

    @scenario(name, domain=domain)
    def figures(random: np.random.Generator) -> Found:
        people = answers(random, rates, n, clusters)
        judge_a, doubt_a = judged(random, people[0], right, 0.3)
        judge_b, doubt_b = judged(random, people[1], right, 0.9)  # kind to B
        doubts = [1.0] * n if "uniform" in how else either_doubt(doubt_a, doubt_b)
        seed = int(random.integers(2**31))
        first = labels // 2 if "two draws" in how else labels
        drawn = draw_for_labelling(doubts, first, seed=seed)
        if "two draws" in how:
            drawn = draw_for_labelling(doubts, labels - first, seed=seed + 1, earlier=drawn)
        a, b = (
            sides(judge, said, drawn.chosen, clusters)
            for judge, said in ((judge_a, people[0]), (judge_b, people[1]))
        )
        truth = rates[1] - rates[0]
        rows = differences(a, b, {str(at): drawn.probabilities[at] for at in drawn.chosen})
        found = corrected_difference(rows, 1.0)
        yield "PPI++ of the difference", estimate(found), truth
        if "uniform" in how:  # it is the same whatever was drawn
            yield "naive", estimate(naive_mean(rows, Scale(low=-1.0, high=1.0))), truth


def either_doubt(a: Array, b: Array) -> list[float]:
    """The doubt about a difference, each side's on a mean of 1: errors of two sides add up by their squares."""
    doubts: list[float] = np.hypot(a / a.mean(), b / b.mean()).tolist()
    return doubts


def sides(
    judge: Array, people: Array, chosen: tuple[int, ...], clusters: int | None
) -> dict[str, JudgedCase]:
    picked = set(chosen)
    return {
        str(at): case_of(said, person if at in picked else None, None if clusters is None else at % clusters)
        for at, (said, person) in enumerate(
            zip(judge.astype(float).tolist(), people.astype(float).tolist(), strict=True)
        )
    }


@cache  # there are few different ones, and making them would take most of the time
def case_of(judge: float, person: float | None, cluster: int | None) -> JudgedCase:
    return JudgedCase(judge=judge, person=person, cluster=cluster)


def add_scores(labels: int, how: str, *, domain: bool, n: int = 1000) -> None:
    """Scores from 1 to 5; the judge adds up to one point to B's."""
    cut = np.array([0.15, 0.35, 0.6, 0.85])

    def scored(random: np.random.Generator) -> tuple[Array, Array, Array, Array]:
        ease = random.random(n)
        person_a, person_b = (
            np.searchsorted(cut, np.clip(0.6 * ease + 0.4 * random.random(n) + lift, 0, 1)) + 1.0
            for lift in (0.0, 0.05)
        )
        judge_a, judge_b = (
            np.clip(person + random.choice([-1.0, 0.0, 1.0], n, p=noise), 1, 5)
            for person, noise in ((person_a, (0.2, 0.7, 0.1)), (person_b, (0.05, 0.6, 0.35)))
        )
        return person_a, person_b, judge_a, judge_b

    @cache
    def truth() -> float:
        random = np.random.default_rng(7)
        found = [scored(random) for _ in range(20_000)]
        return float(np.mean([b - a for a, b, *_ in found]))

    @scenario(f"corrected difference of scores 1 to 5, {labels} of {n} labelled, {how}", domain=domain)
    def figures(random: np.random.Generator) -> Found:
        person_a, person_b, judge_a, judge_b = scored(random)
        near = [3.5 - np.abs(judge - 3.5) for judge in (judge_a, judge_b)]
        doubts = [1.0] * n if "uniform" in how else either_doubt(*near)
        drawn = draw_for_labelling(doubts, labels, seed=int(random.integers(2**31)))
        a, b = (
            sides(judge, said, drawn.chosen, None)
            for judge, said in ((judge_a, person_a), (judge_b, person_b))
        )
        rows = differences(a, b, {str(at): drawn.probabilities[at] for at in drawn.chosen})
        yield "PPI++ of the difference", estimate(corrected_difference(rows, 4.0)), truth()


def estimate(found: Corrected | Undefined) -> Estimate | Undefined:
    return found.estimate if isinstance(found, Corrected) else found


for way in ("uniform", "uncertain first", "uncertain first, two draws"):
    for pair in ((0.5, 0.6), (0.1, 0.15), (0.85, 0.9)):
        add_differences(pair, 100, way, domain=True)
add_differences((0.5, 0.5), 100, "uncertain first", domain=True)
add_differences((0.5, 0.6), 300, "uncertain first", domain=True)
add_differences((0.5, 0.6), 100, "uniform", domain=True, right=0.9)
for many in (30, 200):
    add_differences((0.5, 0.6), 100, "uniform", domain=True, clusters=many)
    add_differences((0.5, 0.6), 100, "uncertain first", domain=True, clusters=many)
add_scores(100, "uniform", domain=True)
add_scores(100, "uncertain first", domain=True)
add_differences((0.5, 0.6), 20, "uniform", domain=False)
add_differences((0.5, 0.6), 20, "uncertain first", domain=False)
add_differences((0.5, 0.6), 50, "uncertain first", domain=False)
add_differences((0.02, 0.05), 100, "uncertain first", domain=False)
add_differences((0.5, 0.6), 100, "uniform", domain=False, right=0.97)
add_differences((0.5, 0.6), 100, "uniform", domain=False, clusters=10)
