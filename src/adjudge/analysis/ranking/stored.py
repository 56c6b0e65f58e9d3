"""The ranking of a stored run that compared systems pair by pair."""

from adjudge.analysis.ranking.figures import SystemRanking, rank
from adjudge.errors import MissingExtraError
from adjudge.records import Scored
from adjudge.runs.against import SYSTEMS
from adjudge.runs.plan import PlannedRanking
from adjudge.stats.several.ranking import Win
from adjudge.store import RunRecord, Store


def stored_ranking(store: Store, record: RunRecord) -> SystemRanking | None:
    """None for a run that ranks nothing, and where numpy, which the intervals need, is not installed."""
    planned = record.planned("ranking", PlannedRanking)
    if planned is None:
        return None
    number = {name: position for position, name in enumerate(planned.systems)}
    wins: list[Win] = []
    unscored = 0
    judge = model = ""
    for judgement in store.judgements(record.run_id):
        judge, model = judgement.judge, judgement.model
        first, second = (number.get(str(judgement.metadata.get(name))) for name in SYSTEMS)
        if first is None or second is None:
            continue
        if isinstance(judgement.outcome, Scored):
            case = judgement.cluster or judgement.case_id
            wins.append(Win(case, first, second, judgement.outcome.score.value))
        else:
            unscored += 1
    left = max(0, planned.comparisons - len(wins) - unscored)
    try:
        return rank(
            planned.systems,
            wins,
            unscored=unscored,
            left=left,
            judge=judge,
            model=model,
            run=record.name or record.run_id,
        )
    except MissingExtraError:
        return None
