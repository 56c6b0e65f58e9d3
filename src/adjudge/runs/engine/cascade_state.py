"""A cascade's thresholds, from the labelled cases of the run itself: those are judged by every stage first."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from adjudge.labels.case_labels import CaseLabels, people_labels, validate_labels
from adjudge.labels.label_scale import label_on_scale
from adjudge.procedures.cascade import confidence, majority_judgement
from adjudge.records import Json, Judge, Judgement, Jury, Score
from adjudge.scoring import passes
from adjudge.stats.several.cascade import (
    Calibrated,
    CalibrationCase,
    StageView,
    Thresholds,
    calibrate,
    labels_needed,
)


class CascadeState:
    def __init__(self, judge: Judge, jury: Jury) -> None:
        self.judge, self.jury = judge, jury
        self._judged: dict[str, dict[str, dict[int, Judgement]]] = {}
        """Labelled case -> model -> repeat."""
        self._cases: dict[str, CalibrationCase] = {}
        """The same, where only each stage's verdict and confidence are known."""
        self.calibrated: Calibrated | None = None

    def check(self, labels: Mapping[str, CaseLabels] | None, where: object) -> None:
        hint = "thresholds are learned from labels on the judge's own scale, or true and false"
        validate_labels(labels, where, self.judge, self.passes, hint)

    def passes(self, label: Json) -> bool | None:
        """Whether a person's label passes; None where it is none of this judge's."""
        meaning = None if label is None else label_on_scale(label, self.judge)
        if meaning is None or isinstance(meaning, bool):
            return meaning
        return passes(self.judge, {}, Score(value=meaning, exact=meaning))

    def people(self, case_id: str, label: Json, annotators: Json) -> list[bool]:
        """Whether the case passes, by each person who says so."""
        said = map(self.passes, people_labels(case_id, label, annotators))
        return [each for each in said if each is not None]

    def add(self, judgement: Judgement) -> None:
        is_stage = judgement.model in self.jury.models and judgement.judge == self.judge.name
        if is_stage and self.people(judgement.case_id, judgement.label, judgement.annotators):
            stages = self._judged.setdefault(judgement.case_id, {})
            stages.setdefault(judgement.model, {})[judgement.repeat] = judgement

    def add_case(self, case_id: str, case: CalibrationCase) -> None:
        """A labelled case of which each stage's verdict and confidence are known."""
        self._cases[case_id] = case

    def settle(self) -> Calibrated:
        """What was added decides. A cluster is in one half as a whole, so that the halves are independent."""
        self.calibrated = calibrate(
            *self._halves(), stages=len(self.jury.models), rate=self.jury.agree or 1.0
        )
        return self.calibrated

    def needed(self) -> int | None:
        """Labelled cases that would probably do, where none of the thresholds could be shown to hold."""
        return labels_needed(*self._halves(), stages=len(self.jury.models), rate=self.jury.agree or 1.0)

    @property
    def thresholds(self) -> Thresholds:
        return (self.calibrated or self.settle()).thresholds

    def _halves(self) -> tuple[list[CalibrationCase], list[CalibrationCase]]:
        halves: tuple[list[CalibrationCase], list[CalibrationCase]] = ([], [])
        for case in self._all():
            unit = str(case.cluster).encode("utf-8", "surrogatepass")
            halves[sha256(unit).digest()[0] % 2].append(case)
        return halves

    def _all(self) -> list[CalibrationCase]:
        judged = {case_id: self._case(stages) for case_id, stages in self._judged.items()}
        return [case for _, case in sorted({**judged, **self._cases}.items())]

    def _case(self, stages: Mapping[str, Mapping[int, Judgement]]) -> CalibrationCase:
        first = next(each for repeats in stages.values() for each in repeats.values())
        people = self.people(first.case_id, first.label, first.annotators)
        return CalibrationCase(
            cluster=first.cluster or first.case_id,
            stages=[self._view(tuple(stages.get(model, {}).values()), people) for model in self.jury.models],
        )

    def _view(self, repeats: Sequence[Judgement], people: Sequence[bool]) -> StageView:
        said = majority_judgement(repeats)
        if said is None:
            return StageView(None, 0.0)
        return StageView(confidence(self.judge, repeats), agreeing_share(people, passed=said.passed))


def agreeing_share(people: Sequence[bool], *, passed: bool | None) -> float:
    """Of the people who labelled a case: how likely it is that one of them, drawn at random, says the same."""
    return sum(each is passed for each in people) / len(people)
