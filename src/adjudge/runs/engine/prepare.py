"""What can be worked out before cases are taken up: each step for several of them, and one question to the store for all.

The same code over forty cases is far cheaper than forty kinds of code over each: it stays in the processor's caches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.procedures.case import judge_case
from adjudge.procedures.procedure import Procedure
from adjudge.prompts.fill import Filled, fill_inputs
from adjudge.records import BadRow, Case, Judgement, Request
from adjudge.runs.engine.conditions import Conditions, Work


@dataclass(kw_only=True, slots=True)
class Prepared:
    """A judgement that asks a model, as far as it can be made without asking."""

    case: Case
    filled: Filled
    reuse_key: str | None = None
    """Under which another run finds it."""
    earlier: Judgement | None = None
    """An earlier judgement of the same question."""
    procedure: Procedure | None = None
    """Begun, where there is no earlier judgement."""
    first: Request | Exception | None = None
    """Its first request, or how it ended without one."""


async def prepare(works: Sequence[Work], conditions: Conditions) -> list[Prepared | Exception | None]:
    """For each of them, in order; the error of one that cannot be prepared, None for one that asks nobody."""
    found = [_filled(work, conditions) for work in works]
    asking = [(work, each) for work, each in zip(works, found, strict=True) if isinstance(each, Prepared)]
    await _find_earlier([each for _, each in asking], conditions)
    asking = [(work, each) for work, each in asking if each.earlier is None]
    for work, each in asking:
        _begin(work, each)
    await conditions.keeper.look_ahead(
        [
            (work.seat.model.client.name, each.first)
            for work, each in asking
            if isinstance(each.first, Request)
        ]
    )
    return found


def _filled(work: Work, conditions: Conditions) -> Prepared | Exception | None:
    row, (judge, model, repeat, _) = work.row, work.seat
    if isinstance(row, BadRow) or work.seat.is_computed:
        return None
    try:
        prepared = Prepared(case=row, filled=fill_inputs(judge.inputs, row, model.asking.bindings))
        if judge.has_prompt:  # a check costs nothing to make again
            prepared.reuse_key = conditions.keeper.reuse_key(
                work.seat.model_name, judge, row, prepared.filled, model.asking, repeat=repeat
            )
    except Exception as error:  # noqa: BLE001 - raised by whoever takes the case up
        return error
    return prepared


async def _find_earlier(prepared: Sequence[Prepared], conditions: Conditions) -> None:
    keys = [each.reuse_key for each in prepared if each.reuse_key is not None]
    found = await conditions.keeper.take_over(keys)
    for each in prepared if found else ():
        if each.reuse_key is not None:
            each.earlier = found.get(each.reuse_key)


def _begin(work: Work, prepared: Prepared) -> None:
    judge, model, repeat, _ = work.seat
    prepared.procedure = judge_case(judge, prepared.case, prepared.filled, model.asking, repeat=repeat)
    try:
        prepared.first = next(prepared.procedure)
    except Exception as error:  # noqa: BLE001 - `StopIteration` with a ruling, mostly; raised by whoever drives it
        prepared.first = error
