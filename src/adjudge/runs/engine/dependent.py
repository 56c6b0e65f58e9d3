"""Judgements that are made from others of their row: combinations, juries and cascades."""

from adjudge.procedures.cascade import confidence, decide_by_stage
from adjudge.procedures.combine import combine
from adjudge.procedures.jury import decide
from adjudge.procedures.procedure import Ruling
from adjudge.records import Case, CombineScore, Judgement
from adjudge.runs.engine.context import RunContext, WorkItem
from adjudge.stats.several.cascade import deciding_stage


async def compute(work: WorkItem, case: Case, context: RunContext) -> Ruling:
    planned, judge = work.planned, work.planned.judge
    assert work.made is not None
    if planned.jury is None:
        assert isinstance(judge.score, CombineScore)
        with context.progress.activity.waiting:
            found = {name: await work.made[planned.of(part).name] for name, part in judge.score.parts.items()}
        return combine(judge, judge.score, {name: part for name, part in found.items() if part is not None})
    if context.cascade is not None:
        asked = await _stages(work, context, len(planned.jury.models))
        thresholds = context.cascade.thresholds
        return decide_by_stage(judge, planned.jury, asked, thresholds, calibrates=context.calibrates(case))
    with context.progress.activity.waiting:
        cast = [await work.made[name] for name in planned.votes()]
    return decide(judge, planned.jury, [vote for vote in cast if vote is not None])


async def is_needed(work: WorkItem, context: RunContext) -> bool:
    """Whether no earlier stage of a cascade has decided."""
    cascade = context.cascade
    if cascade is None or work.planned.jury is not None or not context.waits(work.planned, work.row):
        return True
    stage = context.stage(work.planned)
    if cascade.thresholds[stage] is None:
        return False  # it decides nothing
    asked = await _stages(work, context, stage)
    sure = [confidence(work.planned.judge, repeats) for repeats in asked]
    return deciding_stage(cascade.thresholds, sure) is None


async def _stages(work: WorkItem, context: RunContext, until: int) -> list[list[Judgement]]:
    """What each stage before this one said, by repeat; nothing for one that was not asked."""
    assert work.made is not None
    assert context.jury is not None
    found = []
    for model in context.jury.models[:until]:
        names = [work.planned.of_model(model, repeat) for repeat in range(context.repeats)]
        with context.progress.activity.waiting:
            said = [await work.made[name] for name in names]
        found.append([each for each in said if each is not None])
    return found
