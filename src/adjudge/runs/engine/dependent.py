"""Judgements that are made from others of their row: combinations, juries and cascades."""

from adjudge.procedures.cascade import confidence, decide_by_stage
from adjudge.procedures.combine import combine
from adjudge.procedures.jury import decide
from adjudge.procedures.procedure import Ruling
from adjudge.records import Case, CombineScore, Judgement
from adjudge.runs.engine.context import Conditions, Work
from adjudge.stats.several.cascade import deciding_stage


async def compute(work: Work, case: Case, conditions: Conditions) -> Ruling:
    seat, judge = work.seat, work.seat.judge
    assert work.made is not None
    if seat.jury is None:
        assert isinstance(judge.score, CombineScore)
        with conditions.progress.activity.waiting:
            found = {name: await work.made[seat.of(part).name] for name, part in judge.score.parts.items()}
        return combine(judge, judge.score, {name: part for name, part in found.items() if part is not None})
    if conditions.cascading is not None:
        asked = await _stages(work, conditions, len(seat.jury.models))
        thresholds = conditions.cascading.thresholds
        return decide_by_stage(judge, seat.jury, asked, thresholds, calibrates=conditions.calibrates(case))
    with conditions.progress.activity.waiting:
        cast = [await work.made[name] for name in seat.votes()]
    return decide(judge, seat.jury, [vote for vote in cast if vote is not None])


async def is_needed(work: Work, conditions: Conditions) -> bool:
    """Whether no earlier stage of a cascade has decided."""
    cascading = conditions.cascading
    if cascading is None or work.seat.jury is not None or not conditions.waits(work.seat, work.row):
        return True
    stage = conditions.stage(work.seat)
    if cascading.thresholds[stage] is None:
        return False  # it decides nothing
    asked = await _stages(work, conditions, stage)
    sure = [confidence(work.seat.judge, repeats) for repeats in asked]
    return deciding_stage(cascading.thresholds, sure) is None


async def _stages(work: Work, conditions: Conditions, until: int) -> list[list[Judgement]]:
    """What each stage before this one said, by repeat; nothing for one that was not asked."""
    assert work.made is not None
    assert conditions.jury is not None
    found = []
    for model in conditions.jury.models[:until]:
        names = [work.seat.of_model(model, repeat) for repeat in range(conditions.repeats)]
        with conditions.progress.activity.waiting:
            said = [await work.made[name] for name in names]
        found.append([each for each in said if each is not None])
    return found
