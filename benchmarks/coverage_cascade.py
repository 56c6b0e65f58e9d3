"""Simulated cascades, for `coverage.py`: how often what was decided agrees with people less often than it was to."""

from collections.abc import Callable

import numpy as np
from coverage_common import Decision, Found, scenario

from adjudge.stats.several.cascade import CalibrationCase, StageView, Thresholds, calibrate

RATE = 0.9
Agreement = Callable[[float], float]
"""How often a stage agrees with people, by its confidence from 0.5 to 1."""


def true_agreement(thresholds: Thresholds, stages: tuple[Agreement, ...]) -> float | None:
    """Over all cases that are decided; None where none is."""
    reached, decided, agreed = 1.0, 0.0, 0.0
    for threshold, agrees in zip(thresholds, stages, strict=True):
        if threshold is None:
            continue
        share = min(1.0, 2 * (1 - threshold))
        steps = threshold + (1 - threshold) * (np.arange(100) + 0.5) / 100
        decided += reached * share
        agreed += reached * share * float(np.mean([agrees(float(step)) for step in steps]))
        reached *= 1 - share
    return agreed / decided if decided else None


def add_cascade(name: str, labels: int, stages: tuple[Agreement, ...]) -> None:
    @scenario(f"cascade, {labels} labels, {name}", domain=True)
    def draw(random: np.random.Generator) -> Found:
        sure = 0.5 + random.random((labels, len(stages))) / 2
        luck = random.random(sure.shape)
        cases: list[CalibrationCase] = [
            [
                StageView(float(each), bool(chance < agrees(float(each))))
                for each, chance, agrees in zip(row, own, stages, strict=True)
            ]
            for row, own in zip(sure, luck, strict=True)
        ]
        half = labels // 2
        found = calibrate(cases[:half], cases[half:], stages=len(stages), rate=RATE)
        true = true_agreement(found.thresholds, stages)
        yield "decides and misses the rate", Decision(wrong=true is not None and true < RATE), 0.05


GOOD: tuple[Agreement, ...] = (
    lambda sure: 0.55 + 0.9 * (sure - 0.5),
    lambda sure: 0.7 + 0.6 * (sure - 0.5),
    lambda sure: 0.9 + 0.2 * (sure - 0.5),
)
add_cascade("better from stage to stage", 200, GOOD)
add_cascade("better from stage to stage", 1000, GOOD)
add_cascade("all just below the rate", 200, (lambda _: 0.895,) * 3)
add_cascade("all just below the rate", 1000, (lambda _: 0.895,) * 3)
add_cascade("two that are sure and wrong", 200, (lambda _: 0.6, lambda _: 0.6, GOOD[2]))
