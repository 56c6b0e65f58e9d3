"""Where a cascade's cases were decided, what that saved, and the test that its thresholds passed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudge.labels.case_labels import people_labels
from adjudge.procedures.cascade import CALIBRATION, CASCADE
from adjudge.procedures.jury import listed_votes
from adjudge.records import Json, Judge, Judgement, Jury
from adjudge.runs.engine.cascade_state import CascadeState, agreeing_share
from adjudge.stats.intervals import Estimate, rate_interval
from adjudge.stats.populations import population
from adjudge.stats.several.cascade import Calibrated, CalibrationCase, StageView


@dataclass(frozen=True, kw_only=True, slots=True)
class StageFigures:
    model: str
    threshold: float | None
    """The least confidence from which it decides; None: it decides nothing."""
    asked: int
    """Of the cases that calibrate nothing."""
    decided: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CascadeFigures:
    judge: str
    judge_hash: str
    model: str
    agree: float
    """The share of the decisions that people are to agree with."""
    calibrated: Calibrated | None = field(metadata=population("judged and labelled", "case"))
    """None where the judge's file is not there any more."""
    needed: int | None
    """Labels that would probably do, where no thresholds could be shown to hold."""
    calibration: int
    """Labelled cases: judged by every stage, and no decisions of the cascade."""
    labels: int
    """People's labels of those cases; each counts."""
    contested: int
    """Of those cases, how many people disagree on; each counts by the share of its people that agree."""
    off_scale: int
    """Labels that mean nothing on the judge's scale, and are not used."""
    cases: int
    """The others."""
    stages: tuple[StageFigures, ...]
    undecided: int
    spared: Estimate | None = field(metadata=population("not labelled", "case"))
    """The share of those for which the last model was not asked."""


class CascadeTally:
    def __init__(self, judge: str, judge_hash: str, model: str, source: Judge | None) -> None:
        self.judge, self.judge_hash, self.model, self.source = judge, judge_hash, model, source
        self.models = tuple(model.partition(":")[2].split(","))
        self.agree = 0.0
        self._calibration: list[Judgement] = []
        self._labelled: list[tuple[str, Json, Json]] = []
        """Case, label and annotators of the cases that have one."""
        self._cases = 0
        self._asked: Counter[str] = Counter()
        self._decided: Counter[str] = Counter()

    def add(self, judgement: Judgement) -> None:
        found = judgement.verdict.get(CASCADE)
        if not isinstance(found, dict):
            return  # a row that was no case
        agree, stage = found.get("agree"), found.get("stage")
        self.agree = float(agree) if isinstance(agree, int | float) else self.agree
        if judgement.label is not None or judgement.annotators is not None:
            self._labelled.append((judgement.case_id, judgement.label, judgement.annotators))
        if CALIBRATION in judgement.notes:
            self._calibration.append(judgement)
            return
        self._cases += 1
        self._asked.update({str(vote.get("model")) for vote in listed_votes(judgement)})
        if isinstance(stage, str):
            self._decided[stage] += 1

    def figures(self) -> CascadeFigures:
        calibrated, needed = None, None
        labels: Counter[str] = Counter()
        if self.source is not None and self.agree:
            jury = Jury(rule="cascade", models=self.models, quorum=1, agree=self.agree)
            cascade = CascadeState(self.source, jury)
            for judgement in self._calibration:
                cascade.add_case(judgement.case_id, self._case(cascade, judgement))
            for case in self._labelled:
                people = cascade.people(*case)
                labels["used"] += len(people)
                labels["contested"] += len(set(people)) > 1
                labels["off_scale"] += len(people_labels(*case)) - len(people)
            calibrated = cascade.settle()
            needed = None if calibrated.decides else cascade.needed()
        thresholds = (None,) * len(self.models) if calibrated is None else calibrated.thresholds
        return CascadeFigures(
            judge=self.judge,
            judge_hash=self.judge_hash,
            model=self.model,
            agree=self.agree,
            calibrated=calibrated,
            needed=needed,
            calibration=len(self._calibration),
            labels=labels["used"],
            contested=labels["contested"],
            off_scale=labels["off_scale"],
            cases=self._cases,
            stages=tuple(
                StageFigures(
                    model=model, threshold=threshold, asked=self._asked[model], decided=self._decided[model]
                )
                for model, threshold in zip(self.models, thresholds, strict=True)
            ),
            undecided=self._cases - self._decided.total(),
            spared=rate_interval(self._cases - self._asked[self.models[-1]], self._cases),
        )

    def _case(self, cascade: CascadeState, judgement: Judgement) -> CalibrationCase:
        people = cascade.people(judgement.case_id, judgement.label, judgement.annotators)
        return CalibrationCase(
            cluster=judgement.cluster or judgement.case_id,
            stages=[_view(judgement, model, people) for model in self.models],
        )


def _view(judgement: Judgement, model: str, people: Sequence[bool]) -> StageView:
    """As the verdict lists the stage's votes."""
    votes = [vote for vote in listed_votes(judgement) if vote.get("model") == model]
    most = Counter(vote["passed"] for vote in votes if isinstance(vote.get("passed"), bool)).most_common(1)
    sure = votes[0].get("confidence") if most else None
    if not most or not people:
        return StageView(None, 0.0)
    passed = most[0][0]
    return StageView(
        float(sure) if isinstance(sure, int | float) else None,
        agreeing_share(people, passed=passed if isinstance(passed, bool) else None),
    )
