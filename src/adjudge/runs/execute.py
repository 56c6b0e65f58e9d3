"""Judge it: cases stream in, a bounded number is in flight, judgements come out as they are made."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from adjudge.errors import DatasetError, InputError, ModelCallError, TemplateError, TooLongError
from adjudge.records import BadRow, Call, Case, Failed, Json, Judge, Judgement, ModelClient, Request
from adjudge.runs.procedure import Asking, Ruling, judge_case

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """One judgement to be made."""

    row: Case | BadRow
    judge: Judge
    repeat: int


def plan_work(rows: Iterable[Case | BadRow], judges: tuple[Judge, ...], repeats: int) -> Iterator[Work]:
    """Case by case, so that all judges and repeats of one case are done near each other."""
    for row in rows:
        for judge in judges:
            for repeat in range(repeats):
                yield Work(row=row, judge=judge, repeat=repeat)


async def execute(
    work: Iterator[Work],
    client: ModelClient,
    asking: Asking,
    *,
    jobs: int,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AsyncGenerator[Judgement, None]:
    """Yield judgements as they are made. At most `jobs` cases are in flight and as many results wait to be taken,
    so memory does not grow with the number of cases. Leaving the loop early cancels what is in flight.
    """
    results: asyncio.Queue[Judgement | BaseException | None] = asyncio.Queue(maxsize=jobs)
    progress = _Progress()

    async def worker() -> None:
        try:
            for item in work:  # shared by all workers: each takes the next piece when it is free
                await results.put(await _judge(item, client, asking, progress, now))
        except Exception as error:  # noqa: BLE001 - handed to the consumer, which raises it
            await results.put(error)
        else:
            await results.put(None)

    workers = [asyncio.create_task(worker()) for _ in range(jobs)]
    fault: InputError | None = None
    try:
        running = len(workers)
        while running:
            result = await results.get()
            match result:
                case None:
                    running -= 1
                case InputError():
                    # the cases cannot be read on; what is in flight is paid for, so it is finished first
                    running -= 1
                    fault = fault or result
                case BaseException():
                    raise result
                case Judgement():
                    yield result
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    if fault is not None:
        raise fault


async def execute_in_order(
    work: Iterator[Work],
    client: ModelClient,
    asking: Asking,
    *,
    jobs: int,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AsyncGenerator[Judgement, None]:
    """The same, each judgement in the order of its case; the slowest one in flight holds up those behind it."""
    progress = _Progress()
    ahead: deque[asyncio.Task[Judgement]] = deque()
    try:
        for item in work:
            ahead.append(asyncio.create_task(_judge(item, client, asking, progress, now)))
            if len(ahead) >= jobs:
                yield await ahead.popleft()
        while ahead:
            yield await ahead.popleft()
    finally:
        for task in ahead:
            task.cancel()
        await asyncio.gather(*ahead, return_exceptions=True)


class _Progress:
    """Whether anything has been judged yet: a fault of the whole file stops a run only before it has begun."""

    begun = False


async def _judge(
    item: Work, client: ModelClient, asking: Asking, progress: _Progress, now: Callable[[], datetime]
) -> Judgement:
    row, judge = item.row, item.judge
    calls: list[Call] = []
    if isinstance(row, BadRow):
        ruling = Ruling(outcome=Failed(kind="bad_row", message=row.message))
    else:
        try:
            ruling = await drive(judge, row, client, asking, repeat=item.repeat, calls=calls)
        except DatasetError as error:
            # two columns compete for one field: the person decides before the run, or the row is left out
            if not progress.begun:
                raise
            ruling = Ruling(outcome=Failed(kind="bad_row", message=f"{error.where}: {error.problem}"))
        except TemplateError as error:
            # this row's values are more than the template may make of them, or not of the kind its filters take
            ruling = Ruling(
                outcome=Failed(kind="bad_row", message=f"the prompt, {error.where}: {error.problem}")
            )
        progress.begun = True
    return Judgement(
        case_id=row.case_id,
        judge=judge.name,
        judge_hash=judge.hash,
        model=client.name,
        repeat=item.repeat,
        outcome=ruling.outcome,
        reason=ruling.reason,
        normalized=ruling.normalized,
        passed=ruling.passed,
        probability=ruling.probability,
        notes=tuple(
            dict.fromkeys((*ruling.notes, *(note for call in calls for note in call.completion.notes)))
        ),
        calls=tuple(calls),
        at=now(),
        place=row.place,
        metadata=_metadata(row),
        label=row.fields.get("label") if isinstance(row, Case) else None,
    )


async def drive(
    judge: Judge, case: Case, client: ModelClient, asking: Asking, *, repeat: int, calls: list[Call]
) -> Ruling:
    """Carry a procedure's requests to the model and the completions back; `calls` keeps both."""
    procedure = judge_case(judge, case, asking, repeat=repeat)
    try:
        request: Request = next(procedure)
        while True:
            completion = await client.complete(request)
            calls.append(Call(request=request, completion=completion))
            request = procedure.send(completion)
    except StopIteration as done:
        ruling: Ruling = done.value
        return ruling
    except TooLongError as error:
        return Ruling(
            outcome=Failed(
                kind="too_long", message=error.message, error_kind=error.kind, attempts=error.attempts
            )
        )
    except ModelCallError as error:
        logger.info("case %s, judge %s: %s", case.case_id, judge.name, error.message)
        return Ruling(
            outcome=Failed(
                kind="call_failed",
                message=error.message,
                error_kind=error.kind,
                attempts=error.attempts,
                maybe_billed=error.maybe_billed,
            )
        )
    finally:
        procedure.close()


def _metadata(row: Case | BadRow) -> dict[str, Json]:
    metadata = row.fields.get("metadata") if isinstance(row, Case) else None
    return metadata if isinstance(metadata, dict) else {}
