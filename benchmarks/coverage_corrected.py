"""Simulated means corrected by people's labels, for `coverage.py`."""

import numpy as np
from coverage_common import UNIT, Found, scenario

from adjudge.stats.corrected import Corrected, JudgedCase, naive_mean, ppi_mean, rogan_gladen
from adjudge.stats.labelling import draw_for_labelling


def add_corrected(right: float, rate: float, n: int, labels: int, how: str, *, domain: bool) -> None:
    @scenario(f"corrected rate {rate}, judge {right}, {labels} of {n} labelled, {how}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        # A hidden probability that people pass a case; the judge is wrong more often where it is unsure.
        clusters = n // 5 if "cluster" in how else None
        people = (
            random.random(n) < random.beta(rate * 2, (1 - rate) * 2, clusters)[np.arange(n) % clusters]
            if clusters
            else random.random(n) < rate
        )
        unsure = random.beta(0.5, 1.5, n)
        wrong = random.random(n) < np.minimum(1.0, (1 - right) * unsure / 0.25)
        lean = wrong & (people | (random.random(n) < 0.5))  # it misses more passes than it gives away
        judge = np.where(lean, ~people, people)
        spread = np.ones(n) if "uniform" in how else unsure + random.random(n) * 0.05
        seed = int(random.integers(2**31))
        drawn = draw_for_labelling(spread.tolist(), labels if "two" not in how else labels // 2, seed=seed)
        if "two" in how:
            drawn = draw_for_labelling(spread.tolist(), labels - labels // 2, seed=seed + 1, earlier=drawn)
        chosen = set(drawn.chosen)
        cases = [
            JudgedCase(
                judge=float(judge[at]),
                person=float(people[at]) if at in chosen else None,
                probability=drawn.probabilities[at],
                cluster=at % clusters if clusters else None,
            )
            for at in range(n)
        ]
        for name, result in (
            ("naive", naive_mean(cases, UNIT)),
            ("PPI++", ppi_mean(cases, UNIT)),
            ("Rogan-Gladen", rogan_gladen(cases)),
        ):
            yield name, result.estimate if isinstance(result, Corrected) else result, rate


for way in ("uniform", "uncertain first", "uncertain first, two draws", "uniform, clusters"):
    for chance in (0.1, 0.5, 0.9):
        add_corrected(0.85, chance, 1000, 100, way, domain=True)
for way in ("uniform", "uncertain first"):
    add_corrected(0.85, 0.5, 1000, 300, way, domain=True)
add_corrected(0.85, 0.5, 300, 300, "uniform", domain=True)
add_corrected(0.97, 0.5, 1000, 100, "uniform", domain=False)
add_corrected(0.97, 0.9, 1000, 100, "uncertain first", domain=False)
add_corrected(0.85, 0.5, 1000, 20, "uniform", domain=False)
add_corrected(0.85, 0.5, 1000, 20, "uncertain first", domain=False)
