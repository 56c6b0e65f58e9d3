"""Which cases people should label next, and the rows that they fill in: blind, without what the judge said."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from random import Random
from typing import NamedTuple

from adjudge.analysis.agreement.parts import blank_parts, rating_scales
from adjudge.analysis.agreement.verdicts import CaseVerdict, RunVerdicts
from adjudge.errors import InputError
from adjudge.fields import NEVER_IN_PROMPT
from adjudge.records import Case, Criterion, Json, Judge, LabelDraw, SharedDraw
from adjudge.stats.labelling import (
    LEAST_UNIFORM,
    Draw,
    Uncertainty,
    chance_of_either,
    draw_for_labelling,
    uncertainty_of,
    uncertainty_of_either,
)
from adjudge.stats.selection import shared_draws
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
    other: str | None
    """The run that shares the draw."""
    judge: str
    rows: tuple[Mapping[str, Json], ...]
    cases: tuple[str, ...]
    chances: Mapping[str, float]
    """Each case that could be drawn -> its sampling probability by now."""
    draw: LabelDraw | None
    """None where nothing was drawn."""
    other_draw: LabelDraw | None = None
    unjudged: int = 0
    """How many of `cases` have no verdict."""
    waiting: int = 0
    """Cases of earlier draws that have no label yet."""
    labelled: int = 0
    """Answers of a shared draw that have a label already, and are not asked for again."""


# ---- one run -------------------------------------------------------------------------------------------------


def next_to_label(store: Store, run_id: str, verdicts: RunVerdicts, request: DrawRequest) -> LabellingTask:
    """Draw, store the draw, and give the rows to fill in; an `InputError` where there is nothing to label."""
    before = store.draws(run_id, verdicts.judge)
    labelled = {label.case_id for label in store.labels(run_id, verdicts.judge)}
    waiting = [case_id for draw in before for case_id in labelling_order(draw) if case_id not in labelled]
    draw, chosen = None, waiting
    if request.count:
        draw = draw_next(run_id, verdicts, before, request)
        _keep(store, draw)
        chosen = labelling_order(draw)
    elif not waiting:
        raise InputError("--next 0", "every drawn case has a label", "draw more with --next N")
    cases, asked = (store.case(run_id, case_id) for case_id in chosen), verdicts.asked
    return LabellingTask(
        run_id=run_id,
        other=None,
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


def _keep(store: Store, *draws: LabelDraw) -> None:
    if not store.keep_draw(*draws):
        runs = " and ".join(draw.run_id for draw in draws)
        raise InputError(f"run {runs}", "another draw of it was made at the same time", "draw again")


# ---- two runs ------------------------------------------------------------------------------------------------


class RunSide(NamedTuple):
    """A run, as far as a draw needs it."""

    run_id: str
    verdicts: RunVerdicts
    before: Sequence[LabelDraw]
    """Its draws so far, whoever they were shared with."""


class BothDraws(NamedTuple):
    """One draw, as each run keeps it."""

    a: LabelDraw
    b: LabelDraw


class Unlabelled(NamedTuple):
    """A drawn case, with the runs whose answers have no label yet."""

    case_id: str
    runs: tuple[str, ...]


def next_of_both(store: Store, a: RunSide, b: RunSide, request: DrawRequest) -> LabellingTask:
    """As `next_to_label`, one draw for two runs. A case waits as long as one of its two answers has no label."""
    judge = a.verdicts.judge
    scales = [side.verdicts.source.scale if side.verdicts.source else None for side in (a, b)]
    if scales[0] != scales[1]:
        raise InputError(
            f"runs {a.run_id} and {b.run_id}",
            f"{judge} had a different scale in each",
            "judge both with the same judge file, so that one label can be compared with both",
        )
    labelled = {side.run_id: {label.case_id for label in store.labels(side.run_id, judge)} for side in (a, b)}
    earlier = shared_draws(a.before, b.before)
    waiting = unlabelled_pairs(earlier, labelled)
    drawn, wanted, seed = None, waiting, request.seed
    chances = earlier[-1].chances if earlier else {}
    asked_for = 0
    if request.count:
        drawn = draw_for_both(a, b, request)
        _keep(store, *drawn)
        shared = drawn.a.shared
        assert shared is not None
        wanted, seed, chances = unlabelled_pairs([shared], labelled), drawn.a.seed, shared.chances
        asked_for = 2 * len(shared.chosen)
    elif not waiting:
        raise InputError(
            "--next 0", "every case drawn for both runs has its labels", "draw more with --next N"
        )
    to_label = {side.run_id: _finder(store, side) for side in (a, b)}
    return LabellingTask(
        run_id=a.run_id,
        other=b.run_id,
        judge=judge,
        rows=tuple(rows_of_both(wanted, lambda run, case_id: to_label[run](case_id), seed=seed)),
        cases=tuple(each.case_id for each in wanted),
        chances=chances,
        draw=drawn.a if drawn else None,
        other_draw=drawn.b if drawn else None,
        unjudged=len({each.case_id for each in wanted} & {*a.verdicts.unjudged, *b.verdicts.unjudged}),
        waiting=len(waiting),
        labelled=max(0, asked_for - sum(len(each.runs) for each in wanted)),
    )


def _finder(store: Store, side: RunSide) -> Callable[[str], Mapping[str, Json] | None]:
    """Case id -> what a person reads of this run's answer and fills in, as its own judge asks for it."""
    judge, asked = side.verdicts.source, side.verdicts.asked

    def find(case_id: str) -> Mapping[str, Json] | None:
        case = store.case(side.run_id, case_id)
        return None if case is None else parts_to_label(case, judge, asked(case_id))

    return find


def draw_for_both(a: RunSide, b: RunSide, request: DrawRequest) -> BothDraws:
    """The next draw of the cases judged in both runs; an `InputError` when all of them have been drawn for both.

    Cases without a verdict in one of them get half of it.

    What one run has drawn alone neither keeps a case out nor brings it in. So the chance of having both answers labelled
    is that of the shared draws alone, and each run's own chance is that either chose the case.
    """
    cases_a, cases_b = a.verdicts.cases, b.verdicts.cases
    ids = [case_id for case_id in cases_a if case_id in cases_b]
    asked = [{*cases, *side.verdicts.unjudged} for cases, side in ((cases_a, a), (cases_b, b))]
    unjudged = [
        case_id
        for case_id in dict.fromkeys((*a.verdicts.unjudged, *b.verdicts.unjudged))
        if all(case_id in each for each in asked)
    ]
    earlier = shared_draws(a.before, b.before)
    drawn = {case_id for shared in earlier for case_id in shared.chosen}
    if not {*ids, *unjudged} - drawn:
        raise InputError(
            f"runs {a.run_id} and {b.run_id}",
            f"all {len(ids)} cases judged in both have been drawn already"
            if ids
            else "no case was judged in both",
            "`adjudge agree RUN LABELS` reads the labels" if ids else "cases are matched by `id`",
        )
    doubt = uncertainty_of_either(
        *(doubts_of([cases[case_id][0] for case_id in ids]) for cases in (cases_a, cases_b))
    )
    seed = _unused_seed(request.seed, [*a.before, *b.before])
    old = earlier[-1].chances if earlier else {}
    count = _count_unjudged(unjudged, ids, request.count, drawn)
    first = _draw_unjudged(unjudged, count, seed=seed, drawn=drawn, earlier=old)
    rest = replace(request, count=request.count - len(first.chosen))
    new_draw = _draw(ids, doubt, rest, seed=seed, drawn=drawn, earlier=old if earlier else None)
    chosen, chances = (*first.chosen, *new_draw.chosen), {**new_draw.chances, **first.chances}

    def kept(side: RunSide, other: RunSide) -> LabelDraw:
        own = side.before[-1].chances if side.before else {}
        alone = {case_id for draw in side.before for case_id in draw.chosen}
        either = {
            case_id: chance_of_either(own.get(case_id, 0.0), old.get(case_id, 0.0), chance)
            for case_id, chance in chances.items()
        }
        return LabelDraw(
            run_id=side.run_id,
            judge=side.verdicts.judge,
            number=len(side.before) + 1,
            chosen=tuple(case_id for case_id in chosen if case_id not in alone),
            chances={**own, **either},
            basis=doubt.basis,
            uniform_share=new_draw.uniform_share,
            seed=seed,
            at=request.at,
            shared=SharedDraw(other=other.run_id, chosen=chosen, chances=chances),
        )

    return BothDraws(a=kept(a, b), b=kept(b, a))


def unlabelled_pairs(shared: Sequence[SharedDraw], labelled: Mapping[str, set[str]]) -> list[Unlabelled]:
    """What the draws that two runs share chose, and has not been labelled on both sides; `labelled`: run -> cases."""
    found = []
    for case_id in (case_id for draw in shared for case_id in draw.chosen):
        runs = tuple(run for run, cases in labelled.items() if case_id not in cases)
        if runs:
            found.append(Unlabelled(case_id, runs))
    return found


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


def rows_of_both(
    wanted: Sequence[Unlabelled],
    find: Callable[[str, str], Mapping[str, Json] | None],
    *,
    seed: int,
) -> list[dict[str, Json]]:
    """The cases in random order, and each case's answers in random order; `find` gives what is read and filled in of
    a run's answer to a case.

    Whoever stops halfway has then labelled a random part. Answers that look the same are asked for once; which run an
    answer is from can be computed from its `run`, and not be seen.
    """
    random = Random(seed)  # noqa: S311 - a seeded order, not a secret
    rows: list[dict[str, Json]] = []
    for each in random.sample(wanted, len(wanted)):
        answers = [(run, found) for run in each.runs if (found := find(run, each.case_id)) is not None]
        if len(answers) > 1 and answers[0][1] == answers[1][1]:
            answers = answers[:1]
        rows += (
            {
                "case_id": each.case_id,
                "run": run_mark(run, each.case_id),
                **fields,
            }
            for run, fields in random.sample(answers, len(answers))
        )
    return rows


def run_mark(run_id: str, case_id: str) -> str:
    """What stands for a run beside one case, so that who labels does not learn which system is which."""
    mark = sha256(f"{run_id}\0{case_id}".encode(errors="surrogatepass")).hexdigest()
    return f"r{mark[:12]}"  # a letter first: a spreadsheet would write 12e456789012 its own way


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
