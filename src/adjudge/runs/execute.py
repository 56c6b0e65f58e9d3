"""Judge it: cases stream in, a bounded number is in flight, judgements come out as they are made and kept."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
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
from adjudge.options import Repeats
from adjudge.procedures.cascade import confidence, decide_by_stage
from adjudge.procedures.case import judge_case
from adjudge.procedures.combine import combine
from adjudge.procedures.jury import decide
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
    Json,
    Judge,
    Judgement,
    Jury,
    ModelClient,
    Place,
    Request,
    as_read,
)
from adjudge.runs.cascading import Cascading
from adjudge.runs.groups import cluster_of, slice_values
from adjudge.runs.keep import Keeper, NoKeeper
from adjudge.runs.order import MOST_HELD, Positions, Settled, in_order
from adjudge.runs.repeats import could_change
from adjudge.runs.weighing import Weighing
from adjudge.stats.several.cascade import deciding_stage
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
    jury: Jury | None = None
    """Whose votes it is made from, instead of a model's reply."""

    @property
    def model_name(self) -> str:
        """Whose judgement it is: the model's, where its score can depend on one."""
        if self.jury is not None:
            return self.jury.name
        return self.model.client.name if self.judge.asks_model else IN_CODE

    @property
    def is_computed(self) -> bool:
        """From other judgements of the row."""
        return self.jury is not None or isinstance(self.judge.score, CombineScore)

    def votes(self) -> tuple["SeatName", ...]:
        models = () if self.jury is None else self.jury.models
        return tuple(SeatName(self.judge.name, model, self.repeat) for model in models)

    def of_model(self, model: str, repeat: int) -> "SeatName":
        return SeatName(self.judge.name, model, repeat)

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


RowParts: TypeAlias = dict[SeatName, asyncio.Future[Judgement | None]]
"""The judgements of one row, for those that depend on others; None for one that is not needed."""


class Work(NamedTuple):
    """One judgement to be made."""

    row: Case | BadRow
    seat: Seat
    position: int
    made: RowParts | None = None
    """None where no judgement depends on another."""

    @property
    def _future(self) -> "asyncio.Future[Judgement | None] | None":
        future = None if self.made is None else self.made.get(self.seat.name)
        return None if future is None or future.done() else future

    def settle(self, judgement: Judgement | None) -> None:
        """Let those know that wait for it; None: it is not needed."""
        if (future := self._future) is not None:
            future.set_result(judgement)

    def give_up(self) -> None:
        """It will not come."""
        if (future := self._future) is not None:
            future.cancel()


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
    judging: int = 0
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the last of those that were being judged is."""

    def begin(self) -> None:
        self.judging += 1
        self.idle.clear()

    def end(self) -> None:
        self.judging -= 1
        if not self.judging:
            self.idle.set()


@dataclass(frozen=True, kw_only=True, slots=True)
class Conditions:
    """What every judgement of a run is made under."""

    judges: tuple[Judge, ...]
    repeats: Repeats
    models: tuple[RunModel, ...]
    """At least one; for a run of checks in code one that is never asked."""
    keeper: Keeper | NoKeeper
    progress: Progress = field(default_factory=Progress)
    halt: Halt = field(default_factory=Halt)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    jury: Jury | None = None
    """One more judgement of each case and judge, from those of the models."""
    weighing: Weighing | None = None
    """How much each vote counts, where that is learned from labels."""
    labels: Mapping[str, Json] | None = None
    """By case, instead of the cases' own."""
    cascading: Cascading | None = None
    """From when each model decides, where `jury` is a cascade."""

    def waits(self, seat: Seat, row: Case | BadRow) -> bool:
        """Whether it can be made only when the others of the run are: with weights, or thresholds, learned from them."""
        if self.cascading is None:
            return seat.jury is not None and self.weighing is not None
        return seat.judge.asks_model and (
            seat.jury is not None or (self.stage(seat) > 0 and not self.calibrates(row))
        )

    def stage(self, seat: Seat) -> int:
        """Of a cascade, from 0."""
        return 0 if self.jury is None else self.jury.models.index(seat.model_name)

    def calibrates(self, row: Case | BadRow) -> bool:
        """Whether people labelled it: every stage of a cascade is then asked, and it is no decision of its."""
        if self.cascading is None or isinstance(row, BadRow):
            return False
        return self.cascading.passes(self.label(row)) is not None

    def learn(self, judgement: Judgement) -> None:
        if self.weighing is not None:
            self.weighing.add(judgement)
        if self.cascading is not None:
            self.cascading.add(judgement)

    def seats(self) -> tuple[Seat, ...]:
        """What is made of every row, in the order of the judges, of the models, of the repeats; a jury's behind its
        votes. Code judges once.
        """
        found: list[Seat] = []
        repeats = range(self.repeats.most)
        for judge in self.judges:
            models = self.models if judge.asks_model else self.models[:1]
            found += (Seat(judge, model, repeat) for model in models for repeat in repeats)
            if self.jury is not None and judge.asks_model:
                own = range(1) if self.cascading is not None else repeats
                found += (Seat(judge, models[0], repeat, self.jury) for repeat in own)
        return tuple(found)

    def label(self, case: Case) -> Json:
        own = case.fields.get("label")
        return own if self.labels is None else self.labels.get(case.case_id, own)

    def lose(self, model: str, why: str) -> None:
        """Everything that is asked of it fails. With the last of the models the run ends."""
        self.halt.unreachable.add(model)
        if len(self.halt.unreachable) == len(self.models):
            self.halt.stop(why)


async def plan_work(rows: Iterable[Case | BadRow], conditions: Conditions) -> AsyncGenerator[Work, None]:
    """What is left to judge, case by case, so that all judges and repeats of one case are done near each other."""
    keeper, positions = conditions.keeper, conditions.progress.positions
    seats = conditions.seats()
    names = [seat.name for seat in seats]
    computes = conditions.repeats.auto or any(seat.is_computed for seat in seats)
    waiting: list[Waiting] = []
    for chunk in _chunks(rows, LOOKED_UP if keeper.resumes else 1):
        done = await keeper.done([row.case_id for row in chunk])
        if done:
            keys = (JudgementKey(row.case_id, *name) for row in chunk for name in names)
            here = {key: position for position, key in enumerate(keys, positions.planned)}
            await keeper.place({key: here[key] for key in done if key in here and here[key] != done[key]})
        for row in chunk:
            first = positions.planned
            before = {name for name in names if done and JudgementKey(row.case_id, *name) in done}
            made = _row_parts(names) if computes and len(before) < len(names) else None
            if before:
                await _recall(row, {first + names.index(name): name for name in before}, made, conditions)
            for seat, name in zip(seats, names, strict=True):
                if conditions.halt.why is not None:
                    return
                if name in before:
                    positions.skip()
                elif conditions.waits(seat, row):
                    kept = keeper.keeps and isinstance(row, Case)
                    waiting.append(
                        Waiting(
                            row=row.case_id if kept else row,
                            seat=seat,
                            position=positions.take(),
                            first=first,
                            made=None if kept else made,
                        )
                    )
                else:
                    conditions.progress.begin()
                    yield Work(row=row, seat=seat, position=positions.take(), made=made)
    conditions.progress.expected = positions.planned - positions.not_needed
    if waiting and conditions.progress.judging:
        await conditions.progress.idle.wait()
    if waiting and conditions.cascading is not None:
        conditions.cascading.settle()
    for _, group in groupby(waiting, key=lambda each: each.first):
        async for work in _take_up(list(group), names, conditions):
            if conditions.halt.why is not None:
                return
            conditions.progress.begin()
            yield work


def _row_parts(names: Iterable[SeatName]) -> RowParts:
    """A place for each judgement of a row."""
    loop = asyncio.get_running_loop()
    return {name: loop.create_future() for name in names}


async def _recall(
    row: Case | BadRow, before: Mapping[int, SeatName], made: RowParts | None, conditions: Conditions
) -> None:
    """What a run judged of a row before it was interrupted, by position: for what is computed from it and is still to
    be made, and for the weights of a jury.
    """
    learns = conditions.weighing is not None or conditions.cascading is not None
    labelled = learns and isinstance(row, Case) and conditions.label(row) is not None
    if made is None and not labelled:
        return
    stored = await _stored_between(min(before), max(before) + 1, conditions)
    for position, name in before.items():
        judgement = stored.get(position)
        if made is not None and judgement is None:
            made[name].cancel()
        elif made is not None and judgement is not None:
            made[name].set_result(judgement)
        if judgement is not None:
            conditions.learn(judgement)


async def _stored_between(first: int, until: int, conditions: Conditions) -> dict[int, Judgement]:
    found: dict[int, Judgement] = {}
    while part := await conditions.keeper.between(first, until):
        found.update(part)
        first = part[-1][0] + 1
    return found


class Waiting(NamedTuple):
    """A judgement that can be made only when all votes of the run are in."""

    row: Case | BadRow | str
    """Its id alone, where the store has it."""
    seat: Seat
    position: int
    first: int
    """The position of the row's first judgement."""
    made: RowParts | None
    """None where the store has them."""


async def _take_up(
    group: Sequence[Waiting], names: Sequence[SeatName], conditions: Conditions
) -> AsyncGenerator[Work, None]:
    """What waits of one row, with what was made of it."""
    row, made, first = group[0].row, group[0].made, group[0].first
    if isinstance(row, str):
        row = await conditions.keeper.case(row)
        stored = await _stored_between(first, first + len(names), conditions)
        made = _row_parts(names)
        pending = {each.seat.name for each in group}
        for position, name in enumerate(names, first):
            if position in stored:
                made[name].set_result(stored[position])
            elif name not in pending:
                made[name].cancel()
    for each in group:
        yield Work(row=row, seat=each.seat, position=each.position, made=made)


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


async def _judge(item: Work, conditions: Conditions) -> Judgement | None:
    """None where no further repeat is needed."""
    row = item.row
    try:
        if not await _is_needed(item, conditions):
            item.settle(None)
            return None
        judgement, reuse_key = await _rule(item, conditions)
        await conditions.keeper.keep(judgement, row, reuse_key, item.position)
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
    """Whether no earlier stage of a cascade has decided; whether a repeat could still change what most of them say."""
    repeats = conditions.repeats
    seat = item.seat
    if conditions.cascading is not None and conditions.waits(seat, item.row) and seat.jury is None:
        return await _is_undecided(item, conditions, conditions.cascading)
    if item.made is None or not repeats.auto or seat.repeat < repeats.least:
        return True
    earlier = [await item.made[seat._replace(repeat=repeat).name] for repeat in range(seat.repeat)]
    made = [judgement for judgement in earlier if judgement is not None]
    return len(made) == len(earlier) and could_change(made, repeats.most)


async def _is_undecided(item: Work, conditions: Conditions, cascading: Cascading) -> bool:
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
        names = [item.seat.of_model(model, repeat) for repeat in range(conditions.repeats.most)]
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


async def _rule(item: Work, conditions: Conditions) -> tuple[Judgement, str | None]:
    """The judgement, and the key under which another run finds it."""
    row, seat = item.row, item.seat
    judge, asking = seat.judge, seat.model.asking
    reuse_key: str | None = None
    if isinstance(row, BadRow):
        judgement = _judgement(
            item, conditions, Ruling(outcome=Failed(kind="bad_row", message=row.message)), []
        )
    elif conditions.cascading is not None and seat.jury is not None:
        asked = await _stages(item, conditions, len(seat.jury.models))
        ruling = decide_by_stage(
            judge, seat.jury, asked, conditions.cascading.thresholds, calibrates=conditions.calibrates(row)
        )
        judgement = _judgement(item, conditions, ruling, [])
    elif seat.jury is not None:
        assert item.made is not None
        cast = [await item.made[name] for name in seat.votes()]
        votes = [vote for vote in cast if vote is not None]
        weights = None if conditions.weighing is None else conditions.weighing.weights(judge.name, row)
        judgement = _judgement(item, conditions, decide(judge, seat.jury, votes, weights), [])
    elif isinstance(judge.score, CombineScore):
        assert item.made is not None
        found = {name: await item.made[seat.of(part).name] for name, part in judge.score.parts.items()}
        parts = {name: part for name, part in found.items() if part is not None}
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
            label=conditions.label(case),
            annotators=case.fields.get("annotators"),
        )
    judge, model, repeat, _ = item.seat
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
        distribution=ruling.distribution,
        notes=tuple(dict.fromkeys(notes)) if notes else (),
        calls=tuple(calls),
        at=conditions.now(),
        place=row.place,
        metadata=slice_values(row) if isinstance(row, Case) else NOTHING,
        cluster=cluster_of(row) if isinstance(row, Case) else None,
        label=conditions.label(row) if isinstance(row, Case) else None,
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
