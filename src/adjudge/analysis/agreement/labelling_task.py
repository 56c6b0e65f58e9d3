"""What a person is asked to label of a stored run: the next draw, or what earlier ones left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudge.analysis.agreement.verdicts import CaseVerdict, RunVerdicts
from adjudge.errors import InputError
from adjudge.labels.blank_rows import row_to_label
from adjudge.labels.draws import DrawRequest, SamplingFrame, draw_cases, labelling_order
from adjudge.records import Json, LabelDraw
from adjudge.stats.labelling import Uncertainty, uncertainty_of
from adjudge.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class LabellingTask:
    """What a person is asked to label, and how it was drawn."""

    run_id: str
    judge: str
    rows: tuple[Mapping[str, Json], ...]
    cases: tuple[str, ...]
    chances: Mapping[str, float]
    """Each case that could be drawn -> its sampling probability by now."""
    draw: LabelDraw | None
    """None where nothing was drawn."""
    unjudged: int = 0
    """How many of `cases` have no verdict."""
    waiting: int = 0
    """Cases of earlier draws that have no label yet."""


def next_to_label(store: Store, run_id: str, verdicts: RunVerdicts, request: DrawRequest) -> LabellingTask:
    """Draw, store the draw, and give the rows to fill in; an `InputError` where there is nothing to label."""
    before = store.draws(run_id, verdicts.judge)
    labelled = {label.case_id for label in store.labels(run_id, verdicts.judge)}
    waiting = [case_id for draw in before for case_id in labelling_order(draw) if case_id not in labelled]
    draw, chosen = None, waiting
    if request.count:
        draw = store_draw(store, run_id, verdicts, request)
        chosen = labelling_order(draw)
    elif not waiting:
        raise InputError("--next 0", "every drawn case has a label", "draw more with --next N")
    cases, asked = (store.case(run_id, case_id) for case_id in chosen), verdicts.asked
    return LabellingTask(
        run_id=run_id,
        judge=verdicts.judge,
        rows=tuple(
            row_to_label(case, verdicts.source, asked(case.case_id)) for case in cases if case is not None
        ),
        cases=tuple(chosen),
        chances=draw.chances if draw else before[-1].chances,
        draw=draw,
        unjudged=len(set(chosen) & set(verdicts.unjudged)),
        waiting=len(waiting),
    )


def store_draw(store: Store, run_id: str, verdicts: RunVerdicts, request: DrawRequest) -> LabelDraw:
    """The next draw, stored."""
    draw = draw_next(run_id, verdicts, store.draws(run_id, verdicts.judge), request)
    if not store.keep_draw(draw):
        raise InputError(
            f"run {run_id}", "another draw of it was made at the same time", "label that one, or draw again"
        )
    return draw


def draw_next(
    run_id: str, verdicts: RunVerdicts, before: Sequence[LabelDraw], request: DrawRequest
) -> LabelDraw:
    """The next draw of the run; an `InputError` when every case has been drawn."""
    firsts = [repeats[0] for repeats in verdicts.cases.values()]
    ids = [verdict.case_id for verdict in firsts]
    drawn = {case_id for draw in before for case_id in draw.chosen}
    if not {*ids, *verdicts.unjudged} - drawn or not (ids or "abstained" in verdicts.failed.values()):
        raise InputError(
            f"run {run_id}",
            f"all {len(ids)} judged cases have been drawn already" if ids else "has no judged case to label",
            "`adjudge agree RUN LABELS` reads the labels"
            if ids
            else "see `adjudge report` for what went wrong",
        )
    frame = SamplingFrame(
        run_id=run_id,
        judge=verdicts.judge,
        judged=ids,
        uncertainty=doubts_of(firsts),
        unjudged=verdicts.unjudged,
    )
    return draw_cases(frame, before, request)


def doubts_of(verdicts: Sequence[CaseVerdict]) -> Uncertainty:
    return uncertainty_of(
        [verdict.probability for verdict in verdicts],
        [verdict.score for verdict in verdicts],
        [verdict.passed for verdict in verdicts],
    )
