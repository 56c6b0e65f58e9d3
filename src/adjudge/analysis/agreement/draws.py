"""Which cases people should label next, and the rows that they fill in: blind, without what the judge said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import NamedTuple

from adjudge.analysis.agreement.verdicts import CaseVerdict, RunVerdicts
from adjudge.errors import InputError
from adjudge.fields import NEVER_IN_PROMPT
from adjudge.labels.parts import blank_parts, rating_scales
from adjudge.records import Case, Criterion, Json, Judge, LabelDraw
from adjudge.stats.labelling import (
    LEAST_UNIFORM,
    Draw,
    Uncertainty,
    draw_for_labelling,
    uncertainty_of,
)
from adjudge.store import Store

_FIRST_FIELDS = ("question", "response", "reference")
TO_FILL_IN = ("label", "annotator", "explanation")
_OURS = ("case_id", "run")
"""Columns of the file that say what a row is of: a case's own would be taken for them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawRequest:
    count: int
    """0 draws nothing, and asks for what was drawn before and lacks a label."""
    uniform_share: float = LEAST_UNIFORM
    seed: int = 0
    at: datetime


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
        draw = draw_next(run_id, verdicts, before, request)
        if not store.keep_draw(draw):
            raise InputError(f"run {run_id}", "another draw of it was made at the same time", "draw again")
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


def draw_next(
    run_id: str, verdicts: RunVerdicts, before: Sequence[LabelDraw], request: DrawRequest
) -> LabelDraw:
    """The next draw of the run; an `InputError` when every case has been drawn.

    Cases without a verdict get half of it, as long as there are so many: nobody has said anything about them yet.
    """
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
    doubt = doubts_of(firsts)
    seed = _unused_seed(request.seed + len(before), before)
    earlier = before[-1].chances if before else None
    count = _count_unjudged(verdicts.unjudged, ids, request.count, drawn)
    first = _draw_unjudged(verdicts.unjudged, count, seed=seed, drawn=drawn, earlier=earlier)
    rest = replace(request, count=request.count - len(first.chosen))
    new_draw = _draw(ids, doubt, rest, seed=seed, drawn=drawn, earlier=earlier)
    return LabelDraw(
        run_id=run_id,
        judge=verdicts.judge,
        number=len(before) + 1,
        chosen=(*first.chosen, *new_draw.chosen),
        chances={**new_draw.chances, **first.chances},
        basis=doubt.basis,
        uniform_share=new_draw.uniform_share,
        seed=seed,
        at=request.at,
    )


def _count_unjudged(unjudged: Sequence[str], judged: Sequence[str], count: int, drawn: set[str]) -> int:
    """Half of the draw, or all that are left: the other half tells how far the verdicts are people's."""
    left, others = (sum(case_id not in drawn for case_id in cases) for cases in (unjudged, judged))
    return min(left, max((count + 1) // 2, count - others))


class _Unjudged(NamedTuple):
    chosen: tuple[str, ...]
    chances: dict[str, float]


def _draw_unjudged(
    cases: Sequence[str], count: int, *, seed: int, drawn: set[str], earlier: Mapping[str, float] | None
) -> _Unjudged:
    """At random from those that are not in `drawn`, with the chance by which each has been drawn by now."""
    open_cases = [case_id for case_id in cases if case_id not in drawn]
    random = Random(f"abstained {seed}")  # noqa: S311 - a seeded sample, not a secret
    places = sorted(random.sample(range(len(open_cases)), min(count, len(open_cases))))
    now = len(places) / len(open_cases) if open_cases else 0.0
    before = earlier or {}
    return _Unjudged(
        chosen=tuple(open_cases[place] for place in places),
        chances={case_id: was + (1.0 - was) * now for case_id in cases for was in [before.get(case_id, 0.0)]},
    )


def doubts_of(verdicts: Sequence[CaseVerdict]) -> Uncertainty:
    return uncertainty_of(
        [verdict.probability for verdict in verdicts],
        [verdict.score for verdict in verdicts],
        [verdict.passed for verdict in verdicts],
    )


def labelling_order(draw: LabelDraw) -> list[str]:
    """Its cases in random order: whoever stops halfway has then labelled a random part."""
    random = Random(f"labelling order {draw.seed}")  # noqa: S311 - a seeded order, not a secret
    return random.sample(draw.chosen, len(draw.chosen))


class _Drawn(NamedTuple):
    chosen: tuple[str, ...]
    chances: dict[str, float]
    uniform_share: float


def _draw(
    ids: Sequence[str],
    doubt: Uncertainty,
    request: DrawRequest,
    *,
    seed: int,
    drawn: set[str],
    earlier: Mapping[str, float] | None,
) -> _Drawn:
    """From the cases that are not in `drawn`; `earlier` are the sampling probabilities by which those were."""
    uniform_share = request.uniform_share if doubt.basis else 1.0
    before = None
    if earlier is not None:
        before = Draw(
            chosen=tuple(place for place, case_id in enumerate(ids) if case_id in drawn),
            probabilities=tuple(earlier.get(case_id, 0.0) for case_id in ids),
        )
    new_draw = draw_for_labelling(
        doubt.values, request.count, uniform_share=uniform_share, seed=seed, earlier=before
    )
    return _Drawn(
        chosen=tuple(ids[place] for place in new_draw.chosen if ids[place] not in drawn),
        chances=dict(zip(ids, new_draw.probabilities, strict=True)),
        uniform_share=uniform_share,
    )


def _unused_seed(seed: int, before: Sequence[LabelDraw]) -> int:
    """The first from `seed` on that no draw has used: two draws by the same random numbers would not be independent."""
    used = {draw.seed for draw in before}
    return next(each for each in range(seed, seed + len(before) + 1) if each not in used)


# ---- the rows to fill in -------------------------------------------------------------------------------------


def row_to_label(case: Case, judge: Judge | None, criteria: Sequence[Criterion]) -> dict[str, Json]:
    return {"case_id": case.case_id, **parts_to_label(case, judge, criteria)}


def parts_to_label(case: Case, judge: Judge | None, criteria: Sequence[Criterion]) -> dict[str, Json]:
    """What a person reads and fills in: what the judge was shown, and nothing of what it said."""
    return {**fields_to_label(case, judge), **blanks_to_fill(judge, criteria)}


def blanks_to_fill(judge: Judge | None, criteria: Sequence[Criterion]) -> dict[str, Json]:
    """For a rubric or several ratings `label` names each; beside those of ratings stand their scales."""
    label = blank_parts(criteria, judge)
    scales: dict[str, Json] = {**rating_scales(judge)} if judge else {}
    return {
        **({"rating_scales": scales} if scales else {}),
        **dict.fromkeys(TO_FILL_IN),
        "label": dict[str, Json](label) if label else None,
    }


def fields_to_label(case: Case, judge: Judge | None) -> Mapping[str, Json]:
    """What a person reads of a case."""
    wanted = list(_FIRST_FIELDS)
    sources = [each.source for each in judge.inputs] if judge else []
    if "parameters" in sources and case.columns.get("parameters") is None:
        sources.append("context")  # it is in the parameters that the judge was shown
    for source in sources:
        if source not in wanted and source not in {*NEVER_IN_PROMPT, *_OURS, "current_date"}:
            wanted.append(source)
    found: dict[str, Json] = {}
    for name in wanted:
        value = case.fields.get(name, case.columns.get(name))
        if value is not None:
            found[name] = value
    if not found:  # columns whose names say nothing to us may still say all to a person
        found = {
            name: value
            for name, value in case.columns.items()
            if name not in {*NEVER_IN_PROMPT, *TO_FILL_IN, *_OURS}
        }
    return found
