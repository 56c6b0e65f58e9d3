"""Take a case, prepare it, ask, read, score, keep; give the judgements out in the order of the cases."""

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
from adjudge.procedures.case import judge_case
from adjudge.procedures.procedure import Procedure, Ruling
from adjudge.prompts.fill import fill_inputs
from adjudge.records import NOTHING, BadRow, Call, Case, Failed, Judgement, ModelClient, Place, as_read
from adjudge.runs.engine.context import RunContext, WorkItem
from adjudge.runs.engine.dependent import compute, is_needed
from adjudge.runs.engine.pool import Pool
from adjudge.runs.engine.row_order import MAX_HELD, RowResult, in_order
from adjudge.runs.engine.work_items import list_work_items
from adjudge.runs.groups import cluster_of, slice_values

DEFECT = "defect"
"""The `error.kind` of a judgement that an unexpected error ended; it is made again when the run goes on."""


def execute(
    rows: Iterable[Case | BadRow],
    context: RunContext,
    *,
    jobs: int,
    max_held: int | None = MAX_HELD,
    receive: Callable[[Judgement], None] | None = None,
) -> AsyncGenerator[Judgement, None]:
    """Yield judgements in the order of the cases, those that were kept before among them; `receive` gets new ones as
    they are made. At most `jobs` cases are in flight, as many results wait to be taken and `max_held` their turn, so
    memory does not grow with the number of cases. Leaving the loop early cancels what is in flight.
    """
    made = execute_unordered(rows, context, jobs=jobs, receive=receive)
    return in_order(made, context.run_store, context.progress.positions, max_held=max_held)


async def execute_unordered(
    rows: Iterable[Case | BadRow],
    context: RunContext,
    *,
    jobs: int,
    receive: Callable[[Judgement], None] | None = None,
) -> AsyncGenerator[RowResult, None]:
    """Yield each judgement as it is made and kept."""
    progress, stop_signal = context.progress, context.stop_signal
    complete, progress.complete = progress.complete, False
    fault: InputError | None = None
    async with Pool(list_work_items(rows, context), context, jobs=jobs, judge=judge_row) as pool:
        stop_signal.tasks = pool.tasks
        while (result := await pool.take()) is not None:
            match result:
                case StoreError():
                    raise result
                case InputError():
                    # the cases cannot be read on; what is in flight is paid for, so it is finished first
                    fault = fault or result
                    stop_signal.stop(result.problem)
                case Exception():
                    stop_signal.fail(result)
                case RowResult(judgement=None):
                    progress.positions.pass_over(result.position)
                    if progress.expected is not None:
                        progress.expected -= 1
                    yield result
                case RowResult(judgement=Judgement() as judgement):
                    progress.positions.settle(result.position)
                    if receive is not None:
                        receive(judgement)
                    yield result
    if stop_signal.defect is not None:
        raise stop_signal.defect
    if fault is not None:
        raise fault
    all_made = pool.all_taken and progress.positions.settled == progress.positions.planned
    progress.complete = complete and all_made and stop_signal.why is None


# ---- one judgement -------------------------------------------------------------------------------------------


async def judge_row(work: WorkItem, context: RunContext) -> Judgement | None:
    """Make a judgement and keep it; None where an earlier stage of a cascade has decided."""
    judgement: Judgement | None = None
    try:
        if await is_needed(work, context):
            judgement = await _make(work, context)
    except AdjudgeError:
        raise
    except Exception as error:  # noqa: BLE001 - kept with its case; raised when what is in flight is finished
        context.stop_signal.fail(error)
        judgement = await _keep_defect(work, context, error)
    else:
        work.settle(judgement)
        if judgement is not None:
            context.learn(judgement)
    finally:
        work.give_up()
        context.progress.end()
    return judgement


async def _make(work: WorkItem, context: RunContext) -> Judgement:
    row, (judge, model, repeat, _) = work.row, work.planned
    run_store, reuse_key = context.run_store, None
    calls: list[Call] = []
    if isinstance(row, BadRow):
        judgement = _judgement(work, context, _bad_row(row.message))
    elif work.planned.is_computed:
        judgement = _judgement(work, context, await compute(work, row, context))
    else:
        try:
            filled = fill_inputs(judge.inputs, row, model.settings.bindings)
        except DatasetError as error:
            # two columns compete for one field: the person decides before the run, or the row is left out
            if not context.progress.begun:
                raise
            judgement = _judgement(work, context, _bad_row(f"{error.where}: {error.problem}"))
        else:
            context.progress.begun = True
            if judge.has_prompt:  # a check costs nothing to make again
                reuse_key = run_store.reuse_key(
                    work.planned.model_name, judge, row, filled, model.settings, repeat=repeat
                )
            earlier = await run_store.find_earlier(reuse_key)
            if earlier is not None:
                judgement = _taken_over(work, row, earlier, context)
            else:
                client = await run_store.client_for(reuse_key, model.client)
                procedure = judge_case(judge, row, filled, model.settings, repeat=repeat)
                ruling = await _drive(procedure, client, calls, context)
                judgement = _judgement(work, context, ruling, calls)
    await run_store.keep(judgement, row, reuse_key, work.position)
    return judgement


async def _drive(procedure: Procedure, client: ModelClient, calls: list[Call], context: RunContext) -> Ruling:
    """Carry a procedure's requests to the model and the completions back; `calls` keeps both."""
    try:
        request = next(procedure)
        while True:
            with context.progress.activity.waiting:
                completion = await client.complete(request)
            context.stop_signal.unreachable.discard(client.name)
            calls.append(Call(request=as_read(request, completion), completion=completion))
            request = procedure.send(completion)
    except StopIteration as done:
        ruling: Ruling = done.value
        return ruling
    except TemplateError as error:
        # this row's values are more than the template may make of them, or not of the kind its filters take
        return _bad_row(f"the prompt, {error.where}: {error.problem}")
    except CircuitOpenError as error:
        context.lose(client.name, error.message)
        return Ruling(outcome=_failed(error))
    except ModelCallError as error:
        context.stop_signal.not_asked += isinstance(error, BudgetSpentError | DeadlinePassedError)
        return Ruling(outcome=_failed(error))
    finally:
        procedure.close()


def _bad_row(message: str) -> Ruling:
    return Ruling(outcome=Failed(kind="bad_row", message=message))


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


def _judgement(work: WorkItem, context: RunContext, ruling: Ruling, calls: Iterable[Call] = ()) -> Judgement:
    row, planned = work.row, work.planned
    labels = context.case_labels(row) if isinstance(row, Case) else CaseLabels(None)
    notes = (*ruling.notes, *(note for call in calls for note in call.completion.notes))
    return Judgement(
        case_id=row.case_id,
        judge=planned.judge.name,
        judge_hash=planned.judge.hash,
        model=planned.model_name,
        repeat=planned.repeat,
        outcome=ruling.outcome,
        reason=ruling.reason,
        normalized=ruling.normalized,
        passed=ruling.passed,
        probability=ruling.probability,
        distribution=ruling.distribution,
        notes=tuple(dict.fromkeys(notes)) if notes else (),
        calls=tuple(calls),
        at=context.now(),
        place=row.place,
        metadata=slice_values(row, context.mapped) if isinstance(row, Case) else NOTHING,
        cluster=cluster_of(row) if isinstance(row, Case) else None,
        label=labels.label,
        annotators=labels.annotators,
        case=row if isinstance(row, Case) else None,
    )


def _taken_over(work: WorkItem, case: Case, earlier: Judgement, context: RunContext) -> Judgement:
    labels = context.case_labels(case)
    return replace(
        earlier,
        case_id=case.case_id,
        judge=work.planned.judge.name,
        at=context.now(),
        place=case.place,
        metadata=slice_values(case, context.mapped),
        cluster=cluster_of(case),
        label=labels.label,
        annotators=labels.annotators,
        case=case,
    )


async def _keep_defect(work: WorkItem, context: RunContext, error: Exception) -> Judgement:
    message = f"a bug in adjudge: {type(error).__name__}"
    failed = Failed(kind="call_failed", error_kind=DEFECT, message=message)
    judgement = _judgement(work, context, Ruling(outcome=failed))
    try:
        await context.run_store.keep(judgement, work.row, None, work.position)
    except AdjudgeError:
        raise
    except Exception:  # noqa: BLE001 - it may be a value of the case that cannot be stored
        place = work.row.place or Place(file="the cases")
        row = BadRow(case_id=work.row.case_id, place=place, found="what cannot be stored", wanted="a case")
        judgement = replace(judgement, metadata=NOTHING, cluster=None, label=None, annotators=None)
        await context.run_store.keep(judgement, row, None, work.position)
    return judgement
