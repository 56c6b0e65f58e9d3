"""Simulated gates over many judges, looks at a growing run, and judges tuned on the labels, for `coverage.py`."""

import numpy as np
from coverage_common import UNIT, Decision, Found, scenario

from adjudge.stats.corrected import Corrected, JudgedCase, ppi_mean
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined, rate_interval
from adjudge.stats.paired import compare
from adjudge.stats.pairs import holm

JUDGES = 20


def low_of(passed: int, n: int) -> float:
    found = rate_interval(passed, n)
    assert found is not None
    return found.low


@scenario(f"gate lower over {JUDGES} judges, 200 cases, one of them at its threshold", domain=True)
def lower_gates(random: np.random.Generator) -> Found:
    rates = np.full(JUDGES, 0.95)
    rates[0] = 0.8
    passed = random.binomial(200, rates)
    yield (
        "the gate passes and should not",
        Decision(wrong=all(low_of(int(count), 200) >= 0.8 for count in passed)),
        0.025,
    )


@scenario(f"--fail-on-regression over {JUDGES} judges, 200 cases, none of which changed", domain=True)
def regressions(random: np.random.Generator) -> Found:
    found = []
    for _ in range(JUDGES):
        differences = random.choice([-1.0, 0.0, 1.0], 200, p=[0.1, 0.8, 0.1])
        comparison = compare(enumerate(differences.tolist()), UNIT)
        assert comparison is not None
        found.append((comparison.p, comparison.difference.value))
    worse = [p for p, (_, value) in zip(holm([p for p, _ in found]), found, strict=True) if value < 0.0]
    yield "the gate fails and should not", Decision(wrong=any(p <= 1.0 - CONFIDENCE for p in worse)), 0.025


@scenario("gate lower at each of 10 looks at a run that grows by 100 cases", domain=False)
def looks(random: np.random.Generator) -> Found:
    """What the note about one look warns of."""
    passed = np.cumsum(random.binomial(100, 0.8, 10))
    some = any(low_of(int(count), 100 * at) > 0.8 for at, count in enumerate(passed, 1))
    yield "the gate passes at some look and should not", Decision(wrong=some), 0.025


@scenario("best of 20 prompts by 100 labels of 1000 cases", domain=True)
def tuned(random: np.random.Generator) -> Found:
    """The prompt is chosen by its own corrected mean, as somebody does who wants a figure to come out."""
    n, rate = 1000, 0.6
    people = random.random(n) < rate
    prompts = [np.where(random.random(n) < 0.75, people, random.random(n) < 0.5) for _ in range(JUDGES)]
    order = random.permutation(n)
    tuning, fresh = order[:100], order[100:200]
    best = max(prompts, key=lambda prompt: mean_of(prompt, people, order, tuning).value)
    yield "naive", mean_of(best, people, order, tuning), rate  # tuned on the labels that correct it
    kept = order[100:]  # the cases of the tuning labels are left out, as `split: tune` does
    yield "PPI++, tuning labels left out", mean_of(best, people, kept, fresh), rate


def mean_of(judge: np.ndarray, people: np.ndarray, cases: np.ndarray, labelled: np.ndarray) -> Estimate:
    chosen = set(labelled.tolist())
    found = ppi_mean(
        [
            JudgedCase(
                judge=float(judge[at]),
                person=float(people[at]) if at in chosen else None,
                probability=len(labelled) / len(cases),
            )
            for at in cases.tolist()
        ],
        UNIT,
    )
    assert not isinstance(found, Undefined)
    assert isinstance(found, Corrected)
    return found.estimate
