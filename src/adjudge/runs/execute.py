"""Judge it: cases stream in, a bounded number is in flight, judgements come out as they are made and kept."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

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
from adjudge.models import CircuitOpenError
from adjudge.procedures.case import judge_case
from adjudge.procedures.combine import combine
from adjudge.procedures.procedure import Asking, Procedure, Ruling
from adjudge.prompts.fill import Filled, fill_inputs
from adjudge.records import (
    IN_CODE,
    NOTHING,
    BadRow,
    Call,
    Case,
    CombineScore,
    Failed,
    Judge,
    Judgement,
    ModelClient,
    Place,
    Request,
    as_read,
)
from adjudge.runs.groups import cluster_of, slice_values
from adjudge.runs.keep import Keeper, NoKeeper
from adjudge.runs.order import MOST_HELD, Positions, Settled, in_order
from adjudge.store import JudgementKey

LOOKED_UP = 400
"""Cases asked about at a time when a run goes on."""
DEFECT = "defect"
"""The `error.kind` of a judgement that an unexpected error ended; it is made again when the run goes on."""


class RunModel(NamedTuple):
    """One of the models of a run, and how requests are made to it."""

    client: ModelClient
    asking: Asking


class Seat(NamedTuple):
    """One of the judgements that are made of every row."""

    judge: Judge
    model: RunModel
    repeat: int

    @property
    def model_name(self) -> str:
        """Whose judgement it is: the model's, where its score can depend on one."""
        return self.model.client.name if self.judge.asks_model else IN_CODE

    def of(self, part: Judge) -> "Seat":
        """Where a part of a combination is judged for it."""
        return self._replace(judge=part)

    @property
    def name(self) -> "SeatName":
        return SeatName(self.judge.name, self.model_name, self.repeat)


class SeatName(NamedTuple):
    judge: str
    model: str
    repeat: int


RowParts: TypeAlias = dict[SeatName, asyncio.Future[Judgement]]
"""The judgements of one row, for those that are computed from others."""


class Work(NamedTuple):
    """One judgement to be made."""

    row: Case | BadRow
    seat: Seat
    position: int
    made: RowParts | None = None
    """None where no judge of the run is a combination."""

    def settle(self, judgement: Judgement | None) -> None:
        """Let those know that wait for it; None: it will not come."""
        future = None if self.made is None else self.made.get(self.seat.name)
        if future is not None and not future.done():
            if judgement is None:
                future.cancel()
            else:
                future.set_result(judgement)


@dataclass(kw_only=True, slots=True)
class Halt:
    """Why a run takes no further work. What is in flight is finished, unless it is cancelled."""

    why: str | None = None
    tasks: Sequence[asyncio.Task[None]] = ()
    """Those that judge."""
    defect: Exception | None = None
    """An error that nobody foresaw: raised when what is in flight is finished."""

    unreachable: set[str] = field(default_factory=set)
    """Models that are not asked any more, because everything fails; a run of several goes on with the others."""

    not_asked: int = 0
    """Left unasked because of a limit: another time, or with another limit, the run goes on."""

    @property
    def is_unfinished(self) -> bool:
        return self.why is not None or self.not_asked > 0

    def stop(self, why: str) -> None:
        self.why = self.why or why

    def fail(self, error: Exception) -> None:
        self.stop(f"an unexpected error: {type(error).__name__}")
        self.defect = self.defect or error

    def cancel(self) -> None:
        """Give up what is in flight, after `stop`."""
        for task in self.tasks:
            task.cancel()


@dataclass(kw_only=True, slots=True)
class Progress:
    begun: bool = False
    """Something has been judged: a fault of the whole file stops a run only before that."""
    complete: bool = True
    """Everything that was to be judged is."""
    positions: Positions = field(default_factory=Positions)
    expected: int | None = None
    """How many judgements were chosen to be made: counted beforehand, or known when all cases are read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conditions:
    """What every judgement of a run is made under."""

    judges: tuple[Judge, ...]
    repeats: int
    models: tuple[RunModel, ...]
    """At least one; for a run of checks in code one that is never asked."""
    keeper: Keeper | NoKeeper
    progress: Progress = field(default_factory=Progress)
    halt: Halt = field(default_factory=Halt)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def seats(self) -> tuple[Seat, ...]:
        """What is made of every row, in the order of the judges, of the models, of the repeats. Code judges once."""
        return tuple(
            Seat(judge, model, repeat)
            for judge in self.judges
            for model in (self.models if judge.asks_model else self.models[:1])
            for repeat in range(self.repeats)
        )

    def lose(self, model: str, why: str) -> None:
        """Everything that is asked of it fails. With the last of the models the run ends."""
        self.halt.unreachable.add(model)
        if len(self.halt.unreachable) == len(self.models):
            self.halt.stop(why)


async def plan_work(rows: Iterable[Case | BadRow], conditions: Conditions) -> AsyncGenerator[Work, None]:
    """What is left to judge, case by case, so that all judges and repeats of one case are done near each other."""
    keeper, positions = conditions.keeper, conditions.progress.positions
    seats = conditions.seats()
    combines = any(isinstance(seat.judge.score, CombineScore) for seat in seats)
    for chunk in _chunks(rows, LOOKED_UP if keeper.resumes else 1):
        done = await keeper.done([row.case_id for row in chunk])
        made = [_row_parts(seats) if combines else None for _ in chunk]
        works = [
            (JudgementKey(row.case_id, *seat.name), row, seat, parts)
            for row, parts in zip(chunk, made, strict=True)
            for seat in seats
        ]
        if done:
            here = {key: position for position, (key, *_) in enumerate(works, positions.planned)}
            await keeper.place({key: here[key] for key in done if key in here and here[key] != done[key]})
        for key, row, seat, parts in works:
            if conditions.halt.why is not None:
                return
            if key in done:
                if parts is not None:
                    await _recall(seat, here[key], parts, conditions)
                positions.skip()
            else:
                yield Work(row=row, seat=seat, position=positions.take(), made=parts)
    conditions.progress.expected = positions.planned


def _row_parts(seats: Iterable[Seat]) -> RowParts:
    """A place for each judgement of a row."""
    loop = asyncio.get_running_loop()
    return {seat.name: loop.create_future() for seat in seats}


async def _recall(seat: Seat, position: int, parts: RowParts, conditions: Conditions) -> None:
    """What a run judged before it was interrupted, for a combination that it had not come to."""
    stored = await conditions.keeper.between(position, position + 1)
    future = parts[seat.name]
    if stored:
        future.set_result(stored[0][1])
    else:
        future.cancel()


def _chunks(rows: Iterable[Case | BadRow], size: int) -> Iterator[list[Case | BadRow]]:
    """Those before a row that stops the reading come out before the error does."""
    chunk: list[Case | BadRow] = []
    try:
        for row in rows:
            chunk.append(row)
            if len(chunk) == size:
                yield chunk
                chunk = []
    except Exception:
        yield chunk
        raise
    yield chunk


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
    made = _execute(rows, conditions, jobs=jobs, receive=receive)
    return in_order(made, conditions.keeper, conditions.progress.positions, most_held=most_held)


async def _execute(
    rows: Iterable[Case | BadRow],
    conditions: Conditions,
    *,
    jobs: int,
    receive: Callable[[Judgement], None] | None,
) -> AsyncGenerator[Settled, None]:
    works = plan_work(rows, conditions)
    taking = asyncio.Lock()
    results: asyncio.Queue[Settled | Exception | None] = asyncio.Queue(maxsize=jobs)
    progress = conditions.progress
    complete, progress.complete = progress.complete, False
    all_taken = False

    async def take() -> Work | None:
        nonlocal all_taken
        async with taking:
            work = await anext(works, None)
        all_taken |= work is None
        return work

    async def work() -> None:
        try:
            while (item := await take()) is not None:
                await results.put(Settled(item.position, await _judge(item, conditions)))
        except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
            await results.put(error)

    async def end() -> None:
        await asyncio.gather(*tasks, return_exceptions=True)
        await results.put(None)

    tasks = conditions.halt.tasks = [asyncio.create_task(work()) for _ in range(jobs)]
    ending = asyncio.create_task(end())
    fault: InputError | None = None
    try:
        while (result := await results.get()) is not None:
            match result:
                case StoreError():
                    raise result
                case InputError():
                    # the cases cannot be read on; what is in flight is paid for, so it is finished first
                    fault = fault or result
                    conditions.halt.stop(result.problem)
                case Exception():
                    conditions.halt.fail(result)
                case Settled():
                    progress.positions.settle(result.position)
                    if receive is not None:
                        receive(result.judgement)
                    yield result
    finally:
        for task in (*tasks, ending):
            task.cancel()
        await asyncio.gather(*tasks, ending, return_exceptions=True)
        await works.aclose()
    if conditions.halt.defect is not None:
        raise conditions.halt.defect
    if fault is not None:
        raise fault
    all_made = all_taken and progress.positions.settled == progress.positions.planned
    progress.complete = complete and all_made and conditions.halt.why is None


async def _judge(item: Work, conditions: Conditions) -> Judgement:
    row = item.row
    try:
        judgement, reuse_key = await _rule(item, conditions)
        await conditions.keeper.keep(judgement, row, reuse_key, item.position)
    except AdjudgeError:
        raise
    except Exception as error:  # noqa: BLE001 - kept with its case; raised when what is in flight is finished
        conditions.halt.fail(error)
        judgement = await _keep_defect(item, conditions, error)
    else:
        item.settle(judgement)
    finally:
        item.settle(None)
    return judgement


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


async def _rule(item: Work, conditions: Conditions) -> tuple[Judgement, str | None]:
    """The judgement, and the key under which another run finds it."""
    row, seat = item.row, item.seat
    judge, asking = seat.judge, seat.model.asking
    reuse_key: str | None = None
    if isinstance(row, BadRow):
        judgement = _judgement(
            item, conditions, Ruling(outcome=Failed(kind="bad_row", message=row.message)), []
        )
    elif isinstance(judge.score, CombineScore):
        assert item.made is not None
        parts = {name: await item.made[seat.of(part).name] for name, part in judge.score.parts.items()}
        judgement = _judgement(item, conditions, combine(judge, judge.score, parts), [])
    else:
        try:
            filled = fill_inputs(judge.inputs, row, asking.bindings)
        except DatasetError as error:
            # two columns compete for one field: the person decides before the run, or the row is left out
            if not conditions.progress.begun:
                raise
            ruling = Ruling(outcome=Failed(kind="bad_row", message=f"{error.where}: {error.problem}"))
            judgement = _judgement(item, conditions, ruling, [])
        else:
            conditions.progress.begun = True
            if judge.has_prompt:  # a check costs nothing to make again
                reuse_key = conditions.keeper.reuse_key(
                    seat.model_name, judge, row, filled, asking, repeat=seat.repeat
                )
            judgement = await _find_or_make(item, row, filled, reuse_key, conditions)
    return judgement, reuse_key


async def _find_or_make(
    item: Work, case: Case, filled: Filled, reuse_key: str | None, conditions: Conditions
) -> Judgement:
    earlier = await conditions.keeper.take_over(reuse_key)
    if earlier is not None:
        return replace(
            earlier,
            case_id=case.case_id,
            judge=item.seat.judge.name,
            at=conditions.now(),
            place=case.place,
            metadata=slice_values(case),
            cluster=cluster_of(case),
            label=case.fields.get("label"),
            annotators=case.fields.get("annotators"),
        )
    judge, model, repeat = item.seat
    client = await conditions.keeper.client_for(reuse_key, model.client)
    calls: list[Call] = []
    procedure = judge_case(judge, case, filled, model.asking, repeat=repeat)
    ruling = await drive(procedure, client, calls, conditions)
    return _judgement(item, conditions, ruling, calls)


def _judgement(item: Work, conditions: Conditions, ruling: Ruling, calls: list[Call]) -> Judgement:
    row, seat = item.row, item.seat
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
        notes=tuple(dict.fromkeys(notes)) if notes else (),
        calls=tuple(calls),
        at=conditions.now(),
        place=row.place,
        metadata=slice_values(row) if isinstance(row, Case) else NOTHING,
        cluster=cluster_of(row) if isinstance(row, Case) else None,
        label=row.fields.get("label") if isinstance(row, Case) else None,
        annotators=row.fields.get("annotators") if isinstance(row, Case) else None,
        case=row if isinstance(row, Case) else None,
    )


async def drive(
    procedure: Procedure, client: ModelClient, calls: list[Call], conditions: Conditions
) -> Ruling:
    """Carry a procedure's requests to the model and the completions back; `calls` keeps both."""
    try:
        request: Request = next(procedure)
        while True:
            completion = await client.complete(request)
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
