"""The ranking of a stored run that compared systems pair by pair."""

from adjudge.analysis.ranking.figures import SystemRanking, rank
from adjudge.errors import MissingExtraError
from adjudge.records import Failed, Judgement, Scored
from adjudge.runs.against import SYSTEMS
from adjudge.runs.plan import PlannedRanking
from adjudge.stats.several.ranking import Win
from adjudge.store import RunRecord


class RankingTally:
    """Adds up the comparisons of a run as they come."""

    def __init__(self, planned: PlannedRanking, run: str) -> None:
        self._planned, self._run = planned, run
        self._numbers = {name: position for position, name in enumerate(planned.systems)}
        self._wins: list[Win] = []
        self._unscored = 0
        self._judge = self._model = ""

    def add(self, judgement: Judgement) -> None:
        self._judge, self._model = judgement.judge, judgement.model
        first, second = (self._numbers.get(str(judgement.metadata.get(name))) for name in SYSTEMS)
        if first is None or second is None:
            return
        match judgement.outcome:
            case Scored(score=score):
                case_id = judgement.cluster or judgement.case_id
                self._wins.append(Win(case_id, first, second, score.value))
            case Failed(kind="not_asked"):
                pass
            case _:
                self._unscored += 1

    def ranking(self) -> SystemRanking | None:
        """None where numpy, which the intervals need, is not installed."""
        try:
            return rank(
                self._planned,
                self._wins,
                unscored=self._unscored,
                judge=self._judge,
                model=self._model,
                run=self._run,
            )
        except MissingExtraError:
            return None


def ranking_tally(record: RunRecord) -> RankingTally | None:
    """None for a run that ranks nothing."""
    planned = record.planned("ranking", PlannedRanking)
    return None if planned is None else RankingTally(planned, record.name or record.run_id)
