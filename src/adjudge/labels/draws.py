"""Which cases people label next: a draw over those with a verdict and those without, and the order they come in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import NamedTuple

from adjudge.records import LabelDraw
from adjudge.stats.labelling import MIN_UNIFORM, Draw, Uncertainty, draw_for_labelling


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawRequest:
    count: int
    """0 draws nothing, and asks for what was drawn before and lacks a label."""
    uniform_share: float = MIN_UNIFORM
    seed: int = 0
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplingFrame:
    """The cases of a run that can be drawn."""

    run_id: str
    judge: str
    judged: Sequence[str]
    """Cases with a verdict."""
    uncertainty: Uncertainty
    """Of their verdicts, in the same order."""
    unjudged: Sequence[str]
    """Cases that the judge was asked about, without a verdict."""


def draw_cases(frame: SamplingFrame, before: Sequence[LabelDraw], request: DrawRequest) -> LabelDraw:
    """The next draw after those `before`.

    Cases without a verdict get half of it, as long as there are so many: nobody has said anything about them yet.
    """
    drawn = {case_id for draw in before for case_id in draw.chosen}
    seed = _unused_seed(request.seed + len(before), before)
    earlier = before[-1].chances if before else None
    count = _count_unjudged(frame, request.count, drawn)
    first = _draw_unjudged(frame.unjudged, count, seed=seed, drawn=drawn, earlier=earlier)
    uniform_share = request.uniform_share if frame.uncertainty.basis else 1.0
    others = _draw_judged(
        frame, request.count - len(first.chosen), uniform_share, seed=seed, drawn=drawn, earlier=earlier
    )
    return LabelDraw(
        run_id=frame.run_id,
        judge=frame.judge,
        number=len(before) + 1,
        chosen=(*first.chosen, *others.chosen),
        chances={**others.chances, **first.chances},
        basis=frame.uncertainty.basis,
        uniform_share=uniform_share,
        seed=seed,
        at=request.at,
    )


def labelling_order(draw: LabelDraw) -> list[str]:
    """Its cases in random order: whoever stops halfway has then labelled a random part."""
    random = Random(f"labelling order {draw.seed}")  # noqa: S311 - a seeded order, not a secret
    return random.sample(draw.chosen, len(draw.chosen))


class _Drawn(NamedTuple):
    chosen: tuple[str, ...]
    chances: dict[str, float]


def _count_unjudged(frame: SamplingFrame, count: int, drawn: set[str]) -> int:
    """Half of the draw, or all that are left: the other half tells how far the verdicts are people's."""
    left, others = (
        sum(case_id not in drawn for case_id in cases) for cases in (frame.unjudged, frame.judged)
    )
    return min(left, max((count + 1) // 2, count - others))


def _draw_unjudged(
    cases: Sequence[str], count: int, *, seed: int, drawn: set[str], earlier: Mapping[str, float] | None
) -> _Drawn:
    """At random from those that are not in `drawn`, with the chance by which each has been drawn by now."""
    open_cases = [case_id for case_id in cases if case_id not in drawn]
    random = Random(f"abstained {seed}")  # noqa: S311 - a seeded sample, not a secret
    places = sorted(random.sample(range(len(open_cases)), min(count, len(open_cases))))
    now = len(places) / len(open_cases) if open_cases else 0.0
    before = earlier or {}
    return _Drawn(
        chosen=tuple(open_cases[place] for place in places),
        chances={case_id: was + (1.0 - was) * now for case_id in cases for was in [before.get(case_id, 0.0)]},
    )


def _draw_judged(
    frame: SamplingFrame,
    count: int,
    uniform_share: float,
    *,
    seed: int,
    drawn: set[str],
    earlier: Mapping[str, float] | None,
) -> _Drawn:
    """From the cases that are not in `drawn`; `earlier` are the sampling probabilities by which those were."""
    ids, before = frame.judged, None
    if earlier is not None:
        before = Draw(
            chosen=tuple(place for place, case_id in enumerate(ids) if case_id in drawn),
            probabilities=tuple(earlier.get(case_id, 0.0) for case_id in ids),
        )
    draw = draw_for_labelling(
        frame.uncertainty.values, count, uniform_share=uniform_share, seed=seed, earlier=before
    )
    return _Drawn(
        chosen=tuple(ids[place] for place in draw.chosen if ids[place] not in drawn),
        chances=dict(zip(ids, draw.probabilities, strict=True)),
    )


def _unused_seed(seed: int, before: Sequence[LabelDraw]) -> int:
    """The first from `seed` on that no draw has used: two draws by the same random numbers would not be independent."""
    used = {draw.seed for draw in before}
    return next(each for each in range(seed, seed + len(before) + 1) if each not in used)
