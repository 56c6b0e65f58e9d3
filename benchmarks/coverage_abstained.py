"""Simulated runs in which the judge abstains, for `coverage.py`: draws and people's mean as `adjudge agree` makes them."""

from datetime import UTC, datetime

import numpy as np
from coverage_common import Found, scenario

from adjudge.analysis.agreement.figures import AgreementOptions, measure_agreement
from adjudge.analysis.agreement.labelling_task import draw_next
from adjudge.analysis.agreement.stored_labels import RunLabels
from adjudge.analysis.agreement.verdicts import CaseVerdict, RunVerdicts, ScaledVerdicts
from adjudge.labels.draws import DrawRequest
from adjudge.labels.label_scale import label_scale_of
from adjudge.labels.label_set import Label
from adjudge.records import LabelDraw
from adjudge.stats.corrected import Corrected

_AT = datetime(2026, 1, 1, tzinfo=UTC)
ABSTAINED, PASSES, RIGHT = 0.31, (0.8, 0.2), 0.9
"""Share of abstentions; how often people pass the other cases and those; how often a verdict is theirs."""


def run_of(
    random: np.random.Generator, n: int, clusters: int | None, abstained: float
) -> tuple[RunVerdicts, list[bool]]:
    """Clusters differ in how often the judge abstains, and in how often people pass: the judge errs alike in each."""
    if clusters:
        owner = random.integers(0, clusters, n)
        silent = random.random(n) < random.beta(2 * abstained, 2 * (1 - abstained), clusters)[owner]
        rates = np.array([random.beta(2 * rate, 2 * (1 - rate), clusters) for rate in PASSES])
        chance = rates[silent.astype(int), owner]
    else:
        owner, silent = np.arange(n), random.random(n) < abstained
        chance = np.array(PASSES)[silent.astype(int)]
    people = random.random(n) < chance
    judge = np.where(random.random(n) < RIGHT, people, ~people)
    verdicts = RunVerdicts(judge="j", judge_hash="0", model="m", source=None)
    for at in range(n):
        case_id = str(at)
        if silent[at]:
            verdicts.failed[case_id] = "abstained"
            verdicts.clusters[case_id] = str(owner[at])
            continue
        verdicts.verdicts.append(
            CaseVerdict(
                case_id=case_id,
                repeat=0,
                score=float(judge[at]),
                passed=bool(judge[at]),
                probability=None,
                cluster=str(owner[at]),
                slices=(),
            )
        )
    return verdicts, people.tolist()


def add_abstained(
    n: int, draws: tuple[int, ...], *, clusters: int | None = None, abstained: float = ABSTAINED, domain: bool
) -> None:
    truth = (1.0 - abstained) * PASSES[0] + abstained * PASSES[1]
    where = f"{clusters} clusters" if clusters else "independent"
    name = f"judge abstains on {abstained:g} of {n} cases ({where}), drawn {' + '.join(map(str, draws))}"

    @scenario(name, domain=domain)
    def draw(random: np.random.Generator) -> Found:
        verdicts, people = run_of(random, n, clusters, abstained)
        made: list[LabelDraw] = []
        seed = int(random.integers(2**31))
        for count in draws:
            made.append(draw_next("r", verdicts, made, DrawRequest(count=count, seed=seed, at=_AT)))
        labels = [
            Label(case_id=case_id, annotator="", meaning=people[int(case_id)])
            for each in made
            for case_id in each.chosen
        ]
        scores = {(verdict.score, verdict.passed) for verdict in verdicts.verdicts}
        judged = ScaledVerdicts(verdicts, label_scale_of("j", None, scores, {}))
        found = measure_agreement("r", judged, RunLabels(labels=labels, draws=made), AgreementOptions())
        (mean,) = (each for each in found.means if each.of == "pass_rate")
        figure = mean.ppi.estimate if isinstance(mean.ppi, Corrected) else mean.ppi
        if not mean.population.left_out:
            yield "people's pass rate, all cases asked", figure, truth


add_abstained(400, (200,), domain=True)
add_abstained(400, (100,), domain=True)
add_abstained(400, (50, 50), domain=True)
add_abstained(400, (200,), clusters=60, domain=True)
add_abstained(400, (100,), clusters=30, domain=True)
add_abstained(400, (100,), abstained=0.03, domain=True)
add_abstained(400, (40,), domain=False)
add_abstained(400, (20,), domain=False)
add_abstained(400, (40,), abstained=0.03, domain=False)
