"""Simulated cascades, for `coverage.py`: how often what was decided agrees with people less often than it was to."""

from collections.abc import Callable

import numpy as np
from coverage_common import Decision, Found, scenario

from adjudge.judges import load_judge
from adjudge.records import Jury
from adjudge.runs.engine.cascade_state import CascadeState
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
        cases = [
            CalibrationCase(
                number,
                [
                    StageView(float(each), float(chance < agrees(float(each))))
                    for each, chance, agrees in zip(row, own, stages, strict=True)
                ],
            )
            for number, (row, own) in enumerate(zip(sure, luck, strict=True))
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


# ---- cases that come in clusters, and cases that people disagree on ------------------------------------------

Cluster = Callable[[np.random.Generator], list[float]]
"""How often a stage agrees with one of the people who labelled a case, for each case of a cluster."""
STAGES = ("a", "b")


def add_clusters(name: str, labelled: int, cluster: Cluster, true: float, *, contested: float = 0.0) -> None:
    """As a run calibrates. Nobody is surer where it is right, so what is decided agrees as often as all cases do."""

    @scenario(f"cascade, {name}", domain=True)
    def draw(random: np.random.Generator) -> Found:
        judge = load_judge("correctness")
        cascading = CascadeState(judge, Jury(rule="cascade", models=STAGES, quorum=1, agree=RATE))
        salt = random.integers(2**63)  # by which clusters fall into other halves in each sample
        for number in range(labelled):
            for place, agrees in enumerate(cluster(random)):
                split = random.random() < contested  # two people, of whom one says this and one that
                views = [
                    StageView(
                        float(0.5 + random.random() / 2), 0.5 if split else float(random.random() < agrees)
                    )
                    for _ in STAGES
                ]
                case = CalibrationCase(f"{salt}-{number}", views)
                cascading.add_case(f"{salt}-{number}-{place}", case)
        found = cascading.settle()
        yield "decides and misses the rate", Decision(wrong=found.decides and true < RATE), 0.05


def one_of(small: list[float], large: list[float], share: float) -> Cluster:
    """A cluster of either kind; `share` of them are small."""
    return lambda random: small if random.random() < share else large


add_clusters(
    "200 conversations, first turns .97, the 3 later ones .80", 200, lambda _: [0.97, 0.8, 0.8, 0.8], 0.8425
)
add_clusters(
    "100 clusters, half of the cases alone at .97, half in eights at .80",
    100,
    one_of([0.97], [0.8] * 8, 8 / 9),
    0.885,
)
add_clusters(
    "300 clusters, half of the cases alone at .97, half in eights at .80",
    300,
    one_of([0.97], [0.8] * 8, 8 / 9),
    0.885,
)
add_clusters(
    "50 clusters of 4, of which 3 agree always and 1 at .58", 50, one_of([1.0] * 4, [0.58] * 4, 0.75), 0.895
)
add_clusters(
    "250 clusters of 4, of which 3 agree always and 1 at .58", 250, one_of([1.0] * 4, [0.58] * 4, 0.75), 0.895
)
add_clusters(
    "200 clusters of 4 that agree wholly or not at all, .895", 200, one_of([1.0] * 4, [0.0] * 4, 0.895), 0.895
)
add_clusters(
    "400 cases, two people who split on 20 %, .98 where they agree",
    400,
    lambda _: [0.98],
    0.884,
    contested=0.2,
)
