"""Which cases people should label next, and the file that they fill in: blind, without what the judge said."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from random import Random
from statistics import median_low

from adjudge.errors import InputError
from adjudge.fields import NEVER_IN_PROMPT
from adjudge.records import Case, Json, Judge
from adjudge.reports.agree_rows import Verdict, Verdicts
from adjudge.reports.agree_selection import Response, Selection
from adjudge.stats.labelling import LEAST_UNIFORM, Draw, draw_for_labelling
from adjudge.store import LabelDraw

_SHOWN_FIRST = ("question", "response", "reference")
TO_FILL_IN = ("label", "annotator", "explanation")
_OURS = ("case_id", "run")
"""Columns of the file that say what a row is of: a case's own would be taken for them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Uncertainty:
    values: tuple[float, ...]
    basis: str
    """Where it is from, for people; empty where the run tells of none."""


def uncertainty_of(verdicts: Sequence[Verdict]) -> Uncertainty:
    """How likely each verdict is to be wrong, as far as the run tells.

    The chance that makes a corrected mean surest is proportional to the root of the expected squared error (Zrnic and
    Candès 2024): for a verdict that is right with probability p, the root of 1 - p.
    """
    known = [verdict.probability for verdict in verdicts if verdict.probability is not None]
    if known:
        middle = sum(known) / len(known)
        values = (middle if verdict.probability is None else verdict.probability for verdict in verdicts)
        return Uncertainty(
            values=tuple(sqrt(min(1.0, max(0.0, 1.0 - value))) for value in values),
            basis="the judge's own probability of being right",
        )
    boundary = _boundary(verdicts)
    if boundary is not None:
        away = [abs(verdict.score - boundary) for verdict in verdicts]
        farthest = max(away)
        if farthest > min(away):
            return Uncertainty(
                values=tuple(1.0 - distance / farthest for distance in away),
                basis="how near the score is to where passes begin",
            )
    return Uncertainty(values=(1.0,) * len(verdicts), basis="")


def responses_by_doubt(verdicts: Sequence[Verdict], selection: Selection) -> tuple[Response, ...]:
    """How many of the more doubtful drawn cases have a label, and of the others; none where no doubt tells them apart.

    `verdicts` are the first of each case. People who leave the hard cases for later make the figures look too good.
    """
    found = uncertainty_of(verdicts)
    doubts = {
        verdict.case_id: doubt
        for verdict, doubt in zip(verdicts, found.values, strict=True)
        if verdict.case_id in selection.if_complete
    }
    if len(set(doubts.values())) < 2:
        return ()
    middle = median_low(doubts.values())
    doubtful = {case_id for case_id, doubt in doubts.items() if doubt > middle} or {
        case_id for case_id, doubt in doubts.items() if doubt == middle
    }
    return tuple(
        Response(of=of, drawn=len(cases), labelled=len(cases & selection.chances.keys()))
        for of, cases in (
            (f"the more doubtful, by {found.basis}", doubtful),
            ("the less doubtful", doubts.keys() - doubtful),
        )
    )


def _boundary(verdicts: Sequence[Verdict]) -> float | None:
    """Midway between the passes and the fails that are nearest to each other; None where they lie among each other.

    The pass rule's own number would not do: with `score >= 3` a 3 would be all doubt and a 2 hardly any.
    """
    passed = {verdict.score for verdict in verdicts if verdict.passed is True}
    failed = {verdict.score for verdict in verdicts if verdict.passed is False}
    if not passed or not failed:
        return None
    if max(failed) < min(passed):
        return (max(failed) + min(passed)) / 2.0
    if max(passed) < min(failed):
        return (max(passed) + min(failed)) / 2.0
    return None


def draw_next(
    run_id: str,
    verdicts: Verdicts,
    before: Sequence[LabelDraw],
    *,
    count: int,
    uniform_share: float = LEAST_UNIFORM,
    seed: int = 0,
    at: datetime,
) -> LabelDraw:
    """The next draw of the run; an `InputError` when every judged case has been drawn."""
    firsts = [said[0] for said in verdicts.cases.values()]
    ids = [verdict.case_id for verdict in firsts]
    drawn = {case_id for draw in before for case_id in draw.chosen}
    if not set(ids) - drawn:
        raise InputError(
            f"run {run_id}",
            f"all {len(ids)} judged cases have been drawn already" if ids else "has no judged case to label",
            "`adjudge agree RUN LABELS` reads the labels"
            if ids
            else "see `adjudge report` for what went wrong",
        )
    found = uncertainty_of(firsts)
    uniform_share = uniform_share if found.basis else 1.0
    earlier = None
    if before:
        chances = before[-1].chances
        earlier = Draw(
            chosen=tuple(at for at, case_id in enumerate(ids) if case_id in drawn),
            probabilities=tuple(chances.get(case_id, 0.0) for case_id in ids),
        )
    seed = unused_seed(seed + len(before), before)
    draw = draw_for_labelling(found.values, count, uniform_share=uniform_share, seed=seed, earlier=earlier)
    return LabelDraw(
        run_id=run_id,
        judge=verdicts.judge,
        number=len(before) + 1,
        chosen=tuple(ids[position] for position in draw.chosen if ids[position] not in drawn),
        chances=dict(zip(ids, draw.probabilities, strict=True)),
        basis=found.basis,
        uniform_share=uniform_share,
        seed=seed,
        at=at,
    )


def unused_seed(seed: int, before: Sequence[LabelDraw]) -> int:
    """The first from `seed` on that no draw has used: two draws by the same random numbers would not be independent."""
    used = {draw.seed for draw in before}
    return next(each for each in range(seed, seed + len(before) + 1) if each not in used)


def labelling_order(draw: LabelDraw) -> list[str]:
    """Its cases in random order: whoever stops halfway has then labelled a random part."""
    random = Random(f"labelling order {draw.seed}")  # noqa: S311 - a seeded order, not a secret
    return random.sample(draw.chosen, len(draw.chosen))


def rows_to_label(cases: Iterator[Case], judge: Judge | None) -> Iterator[dict[str, Json]]:
    """What a person reads and fills in: what the judge was shown, and nothing of what it said."""
    for case in cases:
        yield {
            "case_id": case.case_id,
            **shown_of(case, judge),
            **dict.fromkeys(TO_FILL_IN),
        }


def shown_of(case: Case, judge: Judge | None) -> Mapping[str, Json]:
    """What a person is shown of a case."""
    wanted = list(_SHOWN_FIRST)
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
