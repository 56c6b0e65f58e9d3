"""Judge it: cases stream in, a bounded number is in flight, judgements come out as they are made and kept."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable

from msgspec.structs import replace

from adjudge.errors import (
    AdjudgeError,
    BudgetSpentError,
    DatasetError,
    DeadlinePassedError,
    InputError,
    ModelCallError,
    NotAskedError,
    StoreError,
    TemplateError,
    TooLongError,
)
from adjudge.labels.case_labels import CaseLabels
from adjudge.models import CircuitOpenError
from adjudge.procedures.cascade import confidence, decide_by_stage
from adjudge.procedures.combine import combine
from adjudge.procedures.jury import decide
from adjudge.procedures.procedure import Ruling
from adjudge.records import (
    NOTHING,
    BadRow,
    Call,
    Case,
    CombineScore,
    Failed,
    Judgement,
    ModelClient,
    Place,
    as_read,
)
from adjudge.runs.engine.conditions import Conditions, Work
from adjudge.runs.engine.feed import Feed
from adjudge.runs.engine.order import MOST_HELD, Settled, in_order
from adjudge.runs.engine.plan_work import plan_work
from adjudge.runs.engine.prepare import Prepared, prepare
from adjudge.runs.groups import cluster_of, slice_values
from adjudge.stats.several.cascade import deciding_stage

DEFECT = "defect"
"""The `error.kind` of a judgement that an unexpected error ended; it is made again when the run goes on."""


def execute(
    rows: Iterable[Case | BadRow],
    conditions: Conditions,
    *,
    jobs: int,
    most_held: int | None = MOST_HELD,
    receive: Callable[[Judgement], None] | None = None,
) -> AsyncGenerator[Judgement, None]:
    """Yield judgements in the order of the cases, those that were kept before among them; `receive` gets new ones as
    they are made. At most `jobs` cases are in flight, as many results wait to be taken and `most_held` their turn, so
    memory does not grow with the number of cases. Leaving the loop early cancels what is in flight.
    """
    made = execute_unordered(rows, conditions, jobs=jobs, receive=receive)
    return in_order(made, conditions.keeper, conditions.progress.positions, most_held=most_held)


async def execute_unordered(
    rows: Iterable[Case | BadRow],
    conditions: Conditions,
    *,
    jobs: int,
    receive: Callable[[Judgement], None] | None = None,
) -> AsyncGenerator[Settled, None]:
    """Yield each judgement as it is made and kept."""
    works = plan_work(rows, conditions)
    feed = Feed(works, conditions, jobs=jobs, judge=_judge)
    progress = conditions.progress
    complete, progress.complete = progress.complete, False
    conditions.halt.tasks = feed.tasks
    feeding = asyncio.create_task(feed.run())
    fault: InputError | None = None
    try:
        while (result := await feed.take()) is not None:
            match result:
                case StoreError():
                    raise result
                case InputError():
                    # the cases cannot be read on; what is in flight is paid for, so it is finished first
                    fault = fault or result
                    conditions.halt.stop(result.problem)
                case Exception():
                    conditions.halt.fail(result)
                case Settled(judgement=None):
                    progress.positions.pass_over(result.position)
                    if progress.expected is not None:
                        progress.expected -= 1
                    yield result
                case Settled(judgement=Judgement() as judgement):
                    progress.positions.settle(result.position)
                    if receive is not None:
                        receive(judgement)
                    yield result
    finally:
        tasks = (feeding, *feed.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await works.aclose()
    if conditions.halt.defect is not None:
        raise conditions.halt.defect
    if fault is not None:
        raise fault
    all_made = feed.all_taken and progress.positions.settled == progress.positions.planned
    progress.complete = complete and all_made and conditions.halt.why is None


async def _judge(
    item: Work, prepared: Prepared | Exception | None, conditions: Conditions
) -> Judgement | None:
    """None where an earlier stage of a cascade has decided."""
    keeper = conditions.keeper
    try:
        if not conditions.all_needed:
            if not await _is_needed(item, conditions):
                item.settle(None)
                return None
            (prepared,) = await prepare([item], conditions)
        judgement = await _rule(item, prepared, conditions)
        reuse_key = prepared.reuse_key if isinstance(prepared, Prepared) else None
        await keeper.keep(judgement, item.row, reuse_key, item.position)
    except AdjudgeError:
        raise
    except Exception as error:  # noqa: BLE001 - kept with its case; raised when what is in flight is finished
        conditions.halt.fail(error)
        judgement = await _keep_defect(item, conditions, error)
    else:
        item.settle(judgement)
        conditions.learn(judgement)
    finally:
        item.give_up()
        conditions.progress.end()
    return judgement


async def _is_needed(item: Work, conditions: Conditions) -> bool:
    """Whether no earlier stage of a cascade has decided."""
    cascading = conditions.cascading
    if cascading is None or item.seat.jury is not None or not conditions.waits(item.seat, item.row):
        return True
    stage = conditions.stage(item.seat)
    if cascading.thresholds[stage] is None:
        return False  # it decides nothing
    asked = await _stages(item, conditions, stage)
    sure = [confidence(item.seat.judge, repeats) for repeats in asked]
    return deciding_stage(cascading.thresholds, sure) is None


async def _stages(item: Work, conditions: Conditions, until: int) -> list[list[Judgement]]:
    """What each stage before this one said, by repeat; nothing for one that was not asked."""
    assert item.made is not None
    assert conditions.jury is not None
    found = []
    for model in conditions.jury.models[:until]:
        names = [item.seat.of_model(model, repeat) for repeat in range(conditions.repeats)]
        with conditions.progress.activity.waiting:
            said = [await item.made[name] for name in names]
        found.append([each for each in said if each is not None])
    return found


async def _keep_defect(item: Work, conditions: Conditions, error: Exception) -> Judgement:
    message = f"a bug in adjudge: {type(error).__name__}"
    failed = Failed(kind="call_failed", error_kind=DEFECT, message=message)
    judgement = _judgement(item, conditions, Ruling(outcome=failed), [])
    try:
        await conditions.keeper.keep(judgement, item.row, None, item.position)
    except AdjudgeError:
        raise
    except Exception:  # noqa: BLE001 - it may be a value of the case that cannot be stored
        place = item.row.place or Place(file="the cases")
        row = BadRow(case_id=item.row.case_id, place=place, found="what cannot be stored", wanted="a case")
        judgement = replace(judgement, metadata=NOTHING, cluster=None, label=None, annotators=None)
        await conditions.keeper.keep(judgement, row, None, item.position)
    return judgement


async def _rule(item: Work, prepared: Prepared | Exception | None, conditions: Conditions) -> Judgement:
    row = item.row
    if isinstance(prepared, Prepared):
        conditions.progress.begun = True
        if prepared.earlier is not None:
            return _taken_over(item, prepared.case, prepared.earlier, conditions)
        return await _make(item, prepared, conditions)
    if isinstance(prepared, DatasetError) and conditions.progress.begun:
        # two columns compete for one field: the person decides before the run, or the row is left out
        ruling = Ruling(outcome=Failed(kind="bad_row", message=f"{prepared.where}: {prepared.problem}"))
    elif prepared is not None:
        raise prepared
    elif isinstance(row, BadRow):
        ruling = Ruling(outcome=Failed(kind="bad_row", message=row.message))
    else:
        ruling = await _compute(item, row, conditions)
    return _judgement(item, conditions, ruling, [])


async def _compute(item: Work, case: Case, conditions: Conditions) -> Ruling:
    """From other judgements of the row."""
    seat, judge = item.seat, item.seat.judge
    assert item.made is not None
    if seat.jury is None:
        assert isinstance(judge.score, CombineScore)
        with conditions.progress.activity.waiting:
            found = {name: await item.made[seat.of(part).name] for name, part in judge.score.parts.items()}
        return combine(judge, judge.score, {name: part for name, part in found.items() if part is not None})
    if conditions.cascading is not None:
        asked = await _stages(item, conditions, len(seat.jury.models))
        thresholds = conditions.cascading.thresholds
        return decide_by_stage(judge, seat.jury, asked, thresholds, calibrates=conditions.calibrates(case))
    with conditions.progress.activity.waiting:
        cast = [await item.made[name] for name in seat.votes()]
    return decide(judge, seat.jury, [vote for vote in cast if vote is not None])


async def _make(item: Work, prepared: Prepared, conditions: Conditions) -> Judgement:
    client = await conditions.keeper.client_for(prepared.reuse_key, item.seat.model.client)
    calls: list[Call] = []
    ruling = await drive(prepared, client, calls, conditions)
    return _judgement(item, conditions, ruling, calls)


def _taken_over(item: Work, case: Case, earlier: Judgement, conditions: Conditions) -> Judgement:
    labels = conditions.case_labels(case)
    return replace(
        earlier,
        case_id=case.case_id,
        judge=item.seat.judge.name,
        at=conditions.now(),
        place=case.place,
        metadata=slice_values(case, conditions.mapped),
        cluster=cluster_of(case),
        label=labels.label,
        annotators=labels.annotators,
        case=case,
    )


def _judgement(item: Work, conditions: Conditions, ruling: Ruling, calls: list[Call]) -> Judgement:
    row, seat = item.row, item.seat
    labels = conditions.case_labels(row) if isinstance(row, Case) else CaseLabels(None)
    notes = (*ruling.notes, *(note for call in calls for note in call.completion.notes))
    return Judgement(
        case_id=row.case_id,
        judge=seat.judge.name,
        judge_hash=seat.judge.hash,
        model=seat.model_name,
        repeat=seat.repeat,
        outcome=ruling.outcome,
        reason=ruling.reason,
        normalized=ruling.normalized,
        passed=ruling.passed,
        probability=ruling.probability,
        distribution=ruling.distribution,
        notes=tuple(dict.fromkeys(notes)) if notes else (),
        calls=tuple(calls),
        at=conditions.now(),
        place=row.place,
        metadata=slice_values(row, conditions.mapped) if isinstance(row, Case) else NOTHING,
        cluster=cluster_of(row) if isinstance(row, Case) else None,
        label=labels.label,
        annotators=labels.annotators,
        case=row if isinstance(row, Case) else None,
    )


async def drive(prepared: Prepared, client: ModelClient, calls: list[Call], conditions: Conditions) -> Ruling:
    """Carry a procedure's requests to the model and the completions back; `calls` keeps both."""
    procedure, request = prepared.procedure, prepared.first
    assert procedure is not None
    assert request is not None
    try:
        while True:
            if isinstance(request, Exception):
                raise request
            with conditions.progress.activity.waiting:
                completion = await client.complete(request)
            await asyncio.sleep(
                0
            )  # replies that came together are read one after another, which caches make cheaper
            conditions.halt.unreachable.discard(client.name)
            calls.append(Call(request=as_read(request, completion), completion=completion))
            request = procedure.send(completion)
    except StopIteration as done:
        ruling: Ruling = done.value
        return ruling
    except TemplateError as error:
        # this row's values are more than the template may make of them, or not of the kind its filters take
        return Ruling(outcome=Failed(kind="bad_row", message=f"the prompt, {error.where}: {error.problem}"))
    except CircuitOpenError as error:
        conditions.lose(client.name, error.message)
        return Ruling(outcome=_failed(error))
    except ModelCallError as error:
        conditions.halt.not_asked += isinstance(error, BudgetSpentError | DeadlinePassedError)
        return Ruling(outcome=_failed(error))
    finally:
        procedure.close()


def _failed(error: ModelCallError) -> Failed:
    match error:
        case TooLongError():
            kind = "too_long"
        case NotAskedError():
            kind = "not_asked"
        case _:
            kind = "call_failed"
    return Failed(
        kind=kind,  # type: ignore[arg-type]  # one of three literals
        message=error.message,
        error_kind=error.kind,
        attempts=error.attempts,
        maybe_billed=error.maybe_billed,
    )
