"""Simulated means near an end of their scale, for `coverage.py`: what a gate on the lower end of an interval rests on."""

import json
import tempfile
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
from coverage_common import UNIT, Array, Decision, Found, scenario

from adjudge.analysis.summary.sample import ALONE, JudgedRow, RowSample
from adjudge.cli.main import run_command
from adjudge.stats.clusters import clustered_mean
from adjudge.stats.intervals import Estimate, mean_interval, moments_of, wilson
from adjudge.stats.student import t_quantile

GATE = "--gate lower passes and should not"
LEVELS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
"""Scores of 1 to 5, or shares of grounded claims, on a scale of 0 to 1."""
NEAR_THE_TOP = np.array([0.01, 0.02, 0.05, 0.22, 0.70])
GROUNDED = np.array([0.0125, 0.0125, 0.0125, 0.0125, 0.95])
WON = np.array([0.03, 0.0, 0.04, 0.0, 0.93])
"""Lost, tied, won."""


def passes(rate: float) -> Array:
    return np.array([1.0 - rate, 0.0, 0.0, 0.0, rate])


def add_mean(name: str, n: int, weights: Array, *, domain: bool) -> None:
    truth = float(LEVELS @ weights)

    @scenario(f"near an end: {name}, {n} cases", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        found = mean_interval(random.choice(LEVELS, n, p=weights).tolist(), UNIT)
        assert found is not None
        yield "mean", found, truth
        yield GATE, Decision(wrong=found.low > truth), 0.025

    @scenario(f"near an end: {name}, {n} cases, other limits", domain=False)
    def others(random: np.random.Generator) -> Found:
        values = random.choice(LEVELS, n, p=weights)
        for method, limits in OTHERS.items():
            yield f"{GATE}, {method}", Decision(wrong=limits(values, random)[0] > truth), 0.025


def add_clustered(name: str, clusters: int, weights: Array, *, domain: bool) -> None:
    """Five cases each on average; half of them have the value of their cluster's first."""
    truth = float(LEVELS @ weights)

    @scenario(f"near an end: {name}, {clusters} clusters", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        sizes = random.integers(1, 10, clusters)
        owner = np.repeat(np.arange(clusters), sizes)
        shared = random.choice(LEVELS, clusters, p=weights)[owner]
        values = np.where(
            random.random(len(owner)) < 0.5, shared, random.choice(LEVELS, len(owner), p=weights)
        )
        found = clustered_mean(zip(owner.tolist(), values.tolist(), strict=True), UNIT)
        assert found is not None
        yield "mean", found, truth
        yield GATE, Decision(wrong=found.low > truth), 0.025


def add_bounds(n: int, lost: Array, name: str) -> None:
    """What a report says of all cases asked, where some have no score; `lost` is the share of each level."""
    truth = float(LEVELS @ NEAR_THE_TOP)

    @scenario(f"bounds, {n} cases, {name}", domain=False)
    def draw(random: np.random.Generator) -> Found:
        sample, levels = RowSample(), random.choice(len(LEVELS), n, p=NEAR_THE_TOP)
        for level in levels[random.random(n) >= lost[levels]]:
            row = JudgedRow(score=float(LEVELS[level]), forced=False, passed=None, agrees=None, cluster=ALONE, case=ALONE, repeat=0)  # fmt: skip
            sample.add(row)
        mean, bounds = sample.mean(UNIT), sample.bounds(UNIT, n)
        assert mean is not None
        assert bounds is not None
        limits = Estimate(value=mean.value, low=bounds.low, high=bounds.high, n=n, method="bounds")
        yield "depending on the unscored cases", limits, truth
        yield "naive", mean, truth


# ---- limits that were tried beside it ----


def _t(values: Array, _random: np.random.Generator) -> tuple[float, float]:
    found = moments_of(values.tolist())
    assert found is not None
    margin = t_quantile(0.975, len(values) - 1) * (found.variance / len(values)) ** 0.5
    return max(0.0, found.mean - margin), min(1.0, found.mean + margin)


def _effective_n(values: Array, _random: np.random.Generator) -> tuple[float, float]:
    mean, variance = float(values.mean()), float(values.var())
    if variance == 0.0:
        return wilson(mean, len(values))
    return wilson(
        mean, mean * (1.0 - mean) / variance * len(values), critical=t_quantile(0.975, len(values) - 1)
    )


def _bootstrap(values: Array, random: np.random.Generator) -> tuple[float, float]:
    means = values[random.integers(0, len(values), (999, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


OTHERS: dict[str, Callable[[Array, np.random.Generator], tuple[float, float]]] = {
    "Student's t": _t,
    "Wilson at the effective n": _effective_n,
    "percentile bootstrap": _bootstrap,
}


# ---- through the command ----

JUDGE = """---
verdict: {score: number}
score: score
scale: [0, 1]
passes: score == 1
---
Score the answer from 0 to 1.

{{ response }}
"""


def add_command(name: str, n: int, weights: Array, *flags: str) -> None:
    """`adjudge run`, in this process; the gate is at the true figure, so that a pass is wrong."""
    rate = flags[0].endswith("pass-rate")
    truth = float(weights[-1]) if rate else float(LEVELS @ weights)

    @scenario(f"adjudge run {flags[0]}, {name}, {n} cases", domain=True)
    def draw(random: np.random.Generator) -> Found:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            Path("judge.md").write_text(JUDGE, encoding="utf-8")
            cases = [{"id": str(at), "response": f"answer {at}"} for at in range(n)]
            replies = [
                {"case_id": str(at), "reply": {"score": score}}
                for at, score in enumerate(random.choice(LEVELS, n, p=weights).tolist())
            ]
            for file, rows in (("cases.jsonl", cases), ("replies.jsonl", replies)):
                Path(file).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            words = (
                "run",
                "cases.jsonl",
                "--judge",
                "judge.md",
                "--model",
                "scripted:replies.jsonl",
                "-o",
                "rows.jsonl",
            )
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                code = run_command([*words, flags[0], f"{truth:.9f}", *flags[1:]])
        assert code in {0, 1}, code
        yield GATE, Decision(wrong=code == 0), 0.025


for size, inside in ((20, False), (100, True), (300, True)):
    for level in (0.9, 0.95):
        add_mean(f"0 and 1 at {level}", size, passes(level), domain=inside)
    add_mean("scores of 1 to 5", size, NEAR_THE_TOP, domain=inside)
    add_mean("groundedness, 95 % fully grounded", size, GROUNDED, domain=False)
for size in (20, 50, 100):
    add_mean("win rate, .93 won and .04 tied", size, WON, domain=False)
for count, inside in ((10, False), (30, False), (100, True)):
    add_clustered("0 and 1 at 0.9", count, passes(0.9), domain=inside)
    add_clustered("scores of 1 to 5", count, NEAR_THE_TOP, domain=inside)
    add_clustered("groundedness, 95 % fully grounded", count, GROUNDED, domain=False)
    add_clustered("win rate, .93 won and .04 tied", count, WON, domain=False)
add_bounds(100, np.full(5, 0.1), "a tenth unscored at random")
add_bounds(100, np.array([0.6, 0.5, 0.4, 0.1, 0.05]), "low scores unscored more often")
add_command("0 and 1 at 0.95", 100, passes(0.95), "--fail-under")
add_command("0 and 1 at 0.95", 100, passes(0.95), "--fail-under-pass-rate")
add_command("groundedness, 95 % fully grounded", 100, GROUNDED, "--fail-under")
