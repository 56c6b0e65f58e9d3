"""How often a check in code gives the same answer as a model judge of the same run."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from adjudge.analysis.summary.sample import ALONE, JudgedRow, RowSample
from adjudge.records import CheckScore, Judge, Judgement
from adjudge.stats.intervals import Estimate
from adjudge.stats.populations import population

MAX_OPEN = 4096
"""Cases held at a time: more than can be in flight."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckAgreement:
    """Pass and fail of a check beside those of a judge that asks a model, over the cases that both judged."""

    check: str
    judge: str
    model: str
    judged: int
    """Cases, of the first repeat, for which both say whether they pass."""
    equal: int
    rate: Estimate = field(metadata=population("judged by the check and the judge", "case"))
    """Of `equal` in `judged`; cases of one cluster count as one piece of evidence."""


class CheckTally:
    """Pairs the judgements of a case as they come: those of other cases may come between them, but not many."""

    def __init__(self, judges: Iterable[Judge]) -> None:
        known = tuple(judges)
        self._checks = {judge.name for judge in known if isinstance(judge.score, CheckScore)}
        self._others = {judge.name for judge in known if judge.has_prompt}
        self._samples: dict[tuple[str, str, str], RowSample] = {}
        self._open: OrderedDict[str, dict[tuple[str, str], bool]] = OrderedDict()
        """Case -> judge and model -> whether it passed."""

    def add(self, judgement: Judgement, cluster: int) -> None:
        if not self._checks or not self._others or judgement.repeat != 0 or judgement.passed is None:
            return
        seen = self._open.setdefault(judgement.case_id, {})
        self._open.move_to_end(judgement.case_id)
        if len(self._open) > MAX_OPEN:
            self._open.popitem(last=False)
        for (judge, model), passed in seen.items():
            if judgement.judge in self._checks and judge in self._others:
                self._pair((judgement.judge, judge, model), cluster, equal=passed == judgement.passed)
            elif judge in self._checks and judgement.judge in self._others:
                pair = (judge, judgement.judge, judgement.model)
                self._pair(pair, cluster, equal=passed == judgement.passed)
        seen[judgement.judge, judgement.model] = judgement.passed

    def _pair(self, pair: tuple[str, str, str], cluster: int, *, equal: bool) -> None:
        row = JudgedRow(
            score=0.0, forced=False, passed=equal, agrees=None, cluster=cluster, case=ALONE, repeat=0
        )
        self._samples.setdefault(pair, RowSample()).add(row)

    def agreements(self) -> tuple[CheckAgreement, ...]:
        return tuple(
            CheckAgreement(
                check=check, judge=judge, model=model, judged=len(sample), equal=sample.passed, rate=rate
            )
            for (check, judge, model), sample in sorted(self._samples.items(), key=lambda each: each[0])
            if (rate := sample.pass_rate()) is not None
        )
