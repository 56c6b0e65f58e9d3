"""Simulated decisions about a judge, for `coverage.py`: the alt-test, and a better threshold."""

from itertools import product
from math import comb

import numpy as np
from coverage_common import Array, Decision, Found, scenario

from adjudge.stats.ceiling import alt_test
from adjudge.stats.intervals import Undefined
from adjudge.stats.thresholds import try_threshold

EPSILON = 0.2


def lead_of_people(judge: float, person: float, others: int) -> float:
    """By how much more often a person is nearer to the others than the judge is, by how often each is right."""
    lead = 0.0
    for person_right, judge_right in product((True, False), repeat=2):
        chance = (person if person_right else 1 - person) * (judge if judge_right else 1 - judge)
        for right in range(others + 1):
            share = comb(others, right) * person**right * (1 - person) ** (others - right)
            near_person, near_judge = (
                right if own else others - right for own in (person_right, judge_right)
            )
            lead += chance * share * (np.sign(near_person - near_judge))
    return float(lead)


def add_alt_test(cases: int, annotators: int, *, clusters: int | None = None, domain: bool) -> None:
    """A judge that is worse than everybody by exactly what it may be, so that it does not pass: the hardest to tell.

    In clusters, whether somebody is right goes along within a cluster for two thirds of the cases.
    """
    person = 0.9
    at_0, at_1 = (lead_of_people(judge, person, annotators - 1) for judge in (0.0, 1.0))
    judge = (at_0 - EPSILON) / (at_0 - at_1)
    where = f", {clusters} clusters" if clusters else ""

    @scenario(f"alt-test, {cases} cases, {annotators} annotators{where}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        truth = random.random(cases) < 0.5
        owner = np.arange(cases) % (clusters or cases)
        shared = random.random((annotators + 1, clusters or cases))
        alike = random.random(cases) < (2 / 3 if clusters else 0.0)

        def labels(who: int, right: float) -> dict[str, bool]:
            luck = np.where(alike, shared[who][owner], random.random(cases))
            said = np.where(luck < right, truth, ~truth)
            return {str(at): bool(said[at]) for at in range(cases)}

        people = {f"annotator {at}": labels(at, person) for at in range(annotators)}
        found = alt_test(
            labels(annotators, judge),
            people,
            epsilon=EPSILON,
            clusters={str(at): int(owner[at]) for at in range(cases)} if clusters else None,
        )
        assert not isinstance(found, Undefined)
        yield "replaces an annotator and should not", Decision(wrong=found.passed), 0.05


def add_threshold(n: int, clusters: int | None, current: float, *, domain: bool) -> None:
    """Scores from 1 to 5; people pass half of the 3s, so that from 2.5 or 3.5 on are equally good rules."""
    uses, passing = np.array([0.15, 0.2, 0.25, 0.2, 0.2]), np.array([0.05, 0.2, 0.5, 0.8, 0.95])
    where = f", {clusters} clusters" if clusters else ""

    def agreed(threshold: float) -> float:
        rights = np.where(np.arange(1, 6) >= threshold, passing, 1 - passing)
        return float(uses @ rights)

    @scenario(f"threshold {current}, {n} labelled cases{where}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        scores: Array = random.choice(5, n, p=uses) + 1
        luck = random.random(n)
        owner = None
        if clusters:
            owner = np.arange(n) % clusters
            # what people make of a score leans the same way within a cluster, for a third of the cases
            luck = np.where(random.random(n) < 1 / 3, random.random(clusters)[owner], luck)
        passed = luck < passing[scores - 1]
        found = try_threshold(
            scores.astype(float).tolist(),
            passed.tolist(),
            current,
            clusters=None if owner is None else owner.tolist(),
            seed=int(random.integers(2**31)),
        )
        if isinstance(found, Undefined):
            yield "gain on other cases (Tango)", found, 0.0
            yield "called better and is not", Decision(wrong=False), 0.025
            return
        gain = agreed(found.proposed) - agreed(current)
        yield "gain on other cases (Tango)", found.gain.difference, gain
        yield "called better and is not", Decision(wrong=found.better and gain <= 1e-9), 0.025


for size, many in ((30, 3), (100, 3), (100, 5), (400, 3)):
    add_alt_test(size, many, domain=size >= 100)
for size, groups in ((300, 30), (300, 60), (150, 15)):
    add_alt_test(size, 3, clusters=groups, domain=groups >= 30)
for rule in (3.0, 2.0):
    add_threshold(200, None, rule, domain=True)
add_threshold(400, 60, 5.0, domain=True)
add_threshold(60, None, 5.0, domain=False)
