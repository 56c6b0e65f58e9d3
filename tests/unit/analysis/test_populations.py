"""No figure is published that does not say which cases it is of, and what it counts."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, field, is_dataclass
from inspect import getmembers, isclass
from types import UnionType
from typing import Any, get_args, get_type_hints

import adjudge.analysis
from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.sample import Bounds
from adjudge.documents.records_json import records_json
from adjudge.records import OUTCOME_KINDS
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.populations import population, populations_of

CHOSEN = {
    "AgreementOptions.epsilon",
    "CascadeFigures.agree",
    "JudgeCard.error_rate",
    "JudgeCard.margin",
    "LabelSample.uniform_share",
    "Need.effect",
    "Need.power",
    "ProbeFinding.allowed",
    "StageFigures.threshold",
    "Undecided.threshold",
}
"""Numbers that a person, a rule or a test decided on, so that they are of no cases."""
OF_ONE_CASE = {
    "CaseResult.score",
    "CaseVerdict.probability",
    "CaseVerdict.score",
    "ChangedCase.difference",
    "Disagreement.apart",
    "Disagreement.judge",
    "Disagreement.probability",
    "Explanation.computed",
    "JudgedAnswer.score",
    "LabelSample.probability",
    "Orders.a_first",
    "Orders.b_first",
    "ProbeExample.standing",
    "ProbeExample.standing_before",
    "WorstCase.score",
}
STATED_BY_THE_RECORD = {
    "Bounds.high",
    "Bounds.low",
    "Clean.sd",
    "Clustering.correlation",
    "Clustering.design_effect",
    "Clustering.size",
    "CriterionAgreement.points",
    "CriterionFigures.points",
    "DifferenceSpread.discordant",
    "DifferenceSpread.sd",
    "Report.seconds",
    "RunSummary.seconds",
    "SpreadSource.correlation",
}
"""Parts of a figure, what the card has as `noise_sd`, what a plan assumes (its source has the runs), points of a rubric,
and durations.
"""


def records() -> Iterator[type]:
    for module in pkgutil.walk_packages(adjudge.analysis.__path__, "adjudge.analysis."):
        for _, found in getmembers(importlib.import_module(module.name), isclass):
            if found.__module__ == module.name and is_dataclass(found) and not found.__name__.startswith("_"):
                yield found


def classes_in(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type):
        yield annotation
    for part in get_args(annotation):
        yield from classes_in(part)


def is_figure(found: type) -> bool:
    """Bounds, and what `stats` computes that is more than counts."""
    if found is Bounds:
        return True
    if not found.__module__.startswith("adjudge.stats.") or not is_dataclass(found):
        return False
    parts = [each for hint in get_type_hints(found).values() for each in classes_in(hint)]
    return float in parts or any(map(is_figure, parts))


def unstated(record: type) -> list[str]:
    stated = populations_of(record)
    return [
        f"{record.__module__}.{record.__name__}.{name}"
        for name, annotation in get_type_hints(record).items()
        if name not in stated and (any(map(is_figure, classes_in(annotation))) or is_number(annotation))
    ]


def is_number(annotation: Any) -> bool:
    return annotation is float or (
        isinstance(annotation, UnionType) and float in (parts := get_args(annotation)) and str not in parts
    )


def test_every_figure_of_every_record_states_its_population():
    found = {name for record in records() for name in unstated(record)}
    exempt = CHOSEN | OF_ONE_CASE | STATED_BY_THE_RECORD
    assert {name for name in found if ".".join(name.rsplit(".", 2)[1:]) not in exempt} == set()
    assert exempt <= {".".join(name.rsplit(".", 2)[1:]) for name in found}, "of fields that are there"


def test_a_figure_without_a_population_is_found():
    @dataclass(frozen=True, kw_only=True, slots=True)
    class Careless:
        mean: Estimate | None
        share: float | None
        by_name: dict[str, Estimate | Undefined]
        why: Undefined | None
        stated: Estimate | None = field(default=None, metadata=population("judged", "judgement"))

    assert [name.rpartition(".")[2] for name in unstated(Careless)] == ["mean", "share", "by_name"]


def test_the_n_of_each_figure_is_the_number_of_what_it_counts(build):
    """One case of every outcome, and three repeats of six others, two of them labelled."""
    judge = build.judge(abstain="cannot_tell")
    tally = Tally([judge])
    for kind in OUTCOME_KINDS:
        if kind == "judged":
            continue  # of a judge without a score, which has none of these figures
        tally.add(build.judgement(build.outcome(kind), case_id=kind, label=4))
    for case in range(6):
        for repeat in range(3):
            scored = build.scored(float(1 + (case + repeat) % 5))
            label = 3 if case < 2 else None
            tally.add(build.judgement(scored, case_id=str(case), repeat=repeat, label=label, passed=case > 1))
    (summary,) = tally.summaries()
    counts = {
        ("judged", "judgement"): summary.judged,
        ("judged, with pass or fail", "judgement"): 18,  # the others are of no pass rule
        ("scored by the model", "judgement"): summary.scored,
    }
    checked = []
    for name, stated in populations_of(summary).items():
        figure, count = getattr(summary, name), counts.get((stated.cases, stated.unit))
        if isinstance(figure, Estimate) and count is not None:
            assert figure.n == count, name
            checked.append(name)
    assert checked == ["mean", "mean_without_forced", "pass_rate"]


def test_json_has_the_population_beside_the_figure():
    @dataclass(frozen=True, kw_only=True, slots=True)
    class Record:
        mean: Estimate = field(metadata=population("judged", "judgement"))

    mean = Estimate(value=0.5, low=0.1, high=0.9, n=4, method="Wilson")
    found = records_json(Record(mean=mean))
    assert isinstance(found, dict)
    assert found["populations"] == {"mean": {"cases": "judged", "unit": "judgement"}}
