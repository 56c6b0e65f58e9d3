"""A cascade's thresholds, from the labelled cases of the run itself: those are judged by every stage first."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from adjudge.procedures.cascade import confidence, said_by
from adjudge.records import Json, Judge, Judgement, Jury, Score
from adjudge.runs.engine.case_labels import check_labels, label_on_scale
from adjudge.scoring import passes
from adjudge.stats.several.cascade import (
    Calibrated,
    CalibrationCase,
    StageView,
    Thresholds,
    calibrate,
    labels_needed,
)


class Cascading:
    def __init__(self, judge: Judge, jury: Jury) -> None:
        self.judge, self.jury = judge, jury
        self._cases: dict[str, dict[str, dict[int, Judgement]]] = {}
        """Labelled case -> model -> repeat."""
        self._views: dict[str, CalibrationCase] = {}
        """The same, where only that is known of them."""
        self._units: dict[str, str] = {}
        self.calibrated: Calibrated | None = None

    def check(self, labels: Mapping[str, Json] | None, where: object) -> None:
        hint = "thresholds are learned from labels on the judge's own scale, or true and false"
        check_labels(labels, where, self.judge, self.passes, hint)

    def passes(self, label: Json) -> bool | None:
        """Whether a person's label passes; None where it is none of this judge's."""
        meaning = None if label is None else label_on_scale(label, self.judge)
        if meaning is None or isinstance(meaning, bool):
            return meaning
        return passes(self.judge, {}, Score(value=meaning, exact=meaning))

    def add(self, judgement: Judgement) -> None:
        is_stage = judgement.model in self.jury.models and judgement.judge == self.judge.name
        if is_stage and self.passes(judgement.label) is not None:
            stages = self._cases.setdefault(judgement.case_id, {})
            stages.setdefault(judgement.model, {})[judgement.repeat] = judgement
            self._units[judgement.case_id] = judgement.cluster or judgement.case_id

    def add_views(self, judgement: Judgement, views: CalibrationCase) -> None:
        """A labelled case of which each stage's verdict and confidence are known."""
        self._views[judgement.case_id] = views
        self._units[judgement.case_id] = judgement.cluster or judgement.case_id

    def settle(self) -> Calibrated:
        """What was added decides. Of cases that belong together one counts, so that they are independent."""
        halves: tuple[list[CalibrationCase], list[CalibrationCase]] = ([], [])
        for unit, case in self._one_of_each().items():
            halves[sha256(unit.encode("utf-8", "surrogatepass")).digest()[0] % 2].append(case)
        self.calibrated = calibrate(*halves, stages=len(self.jury.models), rate=self.jury.agree or 1.0)
        return self.calibrated

    def needed(self) -> int | None:
        """Labels that would probably do, where none of the thresholds could be shown to hold."""
        cases = list(self._one_of_each().values())
        return labels_needed(cases, stages=len(self.jury.models), rate=self.jury.agree or 1.0)

    @property
    def thresholds(self) -> Thresholds:
        return (self.calibrated or self.settle()).thresholds

    def _one_of_each(self) -> dict[str, CalibrationCase]:
        found: dict[str, CalibrationCase] = {}
        for case_id in sorted(self._units):
            views = self._views.get(case_id) or [
                self._view(tuple(self._cases[case_id].get(model, {}).values())) for model in self.jury.models
            ]
            found.setdefault(self._units[case_id], views)
        return found

    def _view(self, repeats: Sequence[Judgement]) -> StageView:
        said = said_by(repeats)
        if said is None:
            return StageView(None, False)
        return StageView(confidence(self.judge, repeats), said.passed is self.passes(said.label))
