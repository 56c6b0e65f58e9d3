"""How often a check in code gives the same answer as a model judge of the same run."""

from collections.abc import Iterable
from dataclasses import dataclass

from adjudge.analysis.summary.sample import ALONE, JudgedRow, RowSample
from adjudge.records import CheckScore, Judge, Judgement
from adjudge.stats.intervals import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckAgreement:
    """Pass and fail of a check beside those of a judge that asks a model, over the cases that both judged."""

    check: str
    judge: str
    model: str
    judged: int
    """Cases, of the first repeat, for which both say whether they pass."""
    equal: int
    rate: Estimate
    """Of `equal` in `judged`; cases of one cluster count as one piece of evidence."""


class CheckTally:
    """Judgements of one case come one after the other, so only one case is held at a time."""

    def __init__(self, judges: Iterable[Judge]) -> None:
        known = tuple(judges)
        self._checks = {judge.name for judge in known if isinstance(judge.score, CheckScore)}
        self._others = {judge.name for judge in known if judge.has_prompt}
        self._samples: dict[tuple[str, str, str], RowSample] = {}
        self._case: str | None = None
        self._passed: dict[tuple[str, str], bool] = {}
        self._cluster = ALONE

    def add(self, judgement: Judgement, cluster: int) -> None:
        if not self._checks or not self._others or judgement.repeat != 0:
            return
        if judgement.case_id != self._case:
            self._end_case()
            self._case = judgement.case_id
        self._cluster = cluster if cluster != ALONE else self._cluster
        if judgement.passed is not None:
            self._passed[judgement.judge, judgement.model] = judgement.passed

    def _end_case(self) -> None:
        for (check, _), passed in self._passed.items():
            if check not in self._checks:
                continue
            for (judge, model), other in self._passed.items():
                if judge in self._others:
                    sample = self._samples.setdefault((check, judge, model), RowSample())
                    sample.add(
                        JudgedRow(
                            score=0.0,
                            forced=False,
                            passed=passed == other,
                            agrees=None,
                            cluster=self._cluster,
                            case=ALONE,
                            repeat=0,
                        )
                    )
        self._passed, self._cluster = {}, ALONE

    def agreements(self) -> tuple[CheckAgreement, ...]:
        self._end_case()
        self._case = None
        return tuple(
            CheckAgreement(
                check=check, judge=judge, model=model, judged=len(sample), equal=sample.passed, rate=rate
            )
            for (check, judge, model), sample in self._samples.items()
            if (rate := sample.pass_rate()) is not None
        )
