"""Simulated paired differences of two runs of which few cases differ, for `coverage.py`."""

from math import sqrt

import numpy as np
from coverage_common import FIVE, UNIT, Array, Decision, Found, scenario, sizes_of

from adjudge.records import Scale
from adjudge.stats.intervals import Estimate
from adjudge.stats.paired import compare

MAX_WRONG = 0.054
"""McNemar's test without continuity correction at a nominal 0.05 (Fagerland, Lydersen and Laake 2013)."""


def compared(random: np.random.Generator, owner: Array, differences: Array, scale: Scale) -> Estimate:
    found = compare(
        zip(owner.tolist(), differences.tolist(), strict=True), scale, seed=int(random.integers(2**31))
    )
    assert found is not None
    assert found.significant == (not found.difference.low <= 0.0 <= found.difference.high)
    return found.difference


def add_passes(only_b: float, only_a: float, *, n: int = 0, clusters: int = 0, domain: bool) -> None:
    """Cases that one side alone passes; in a cluster of five or so they go along, with a correlation of 0.1."""
    where = f"{clusters} clusters" if clusters else f"{n} independent cases"

    @scenario(f"paired passes, only B {only_b}, only A {only_a}, {where}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        owner = np.repeat(np.arange(clusters), sizes_of(random, clusters)) if clusters else np.arange(n)
        luck = random.random(len(owner))
        if clusters:
            luck = np.where(random.random(len(owner)) < sqrt(0.1), random.random(clusters)[owner], luck)
        differences = (luck < only_b).astype(float) - (luck > 1.0 - only_a)
        found = compared(random, owner, differences, UNIT)
        yield "difference of pass rates (Tango)", found, only_b - only_a
        if only_a == only_b:
            wrong = not found.low <= 0.0 <= found.high
            yield "called different and is not", Decision(wrong=wrong), MAX_WRONG


def add_scores(changed: float, *, n: int, domain: bool) -> None:
    """Scores from 1 to 5, of which few change, and those by 1 to 4 upwards."""

    @scenario(f"paired scores 1 to 5, {changed} change, {n} independent cases", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        differences = np.where(random.random(n) < changed, random.integers(1, 5, n), 0).astype(float)
        found = compared(random, np.arange(n), differences, FIVE)
        yield "difference of means (sign-flip)", found, 2.5 * changed


for rates in ((0.05, 0.0), (0.1, 0.0), (0.05, 0.02), (0.05, 0.05), (0.1, 0.1), (0.2, 0.1)):
    add_passes(*rates, n=100, domain=True)
add_passes(0.03, 0.03, n=300, domain=True)
for rates in ((0.02, 0.0), (0.02, 0.02)):
    add_passes(*rates, n=100, domain=False)
add_passes(0.1, 0.05, n=30, domain=False)
for rates in ((0.1, 0.0), (0.2, 0.1), (0.1, 0.1), (0.05, 0.05)):
    add_passes(*rates, clusters=100, domain=True)
add_passes(0.2, 0.1, clusters=30, domain=True)
for many in (30, 100):
    add_passes(0.02, 0.0, clusters=many, domain=False)
add_scores(0.3, n=100, domain=True)
for share in (0.05, 0.1):
    add_scores(share, n=100, domain=False)
