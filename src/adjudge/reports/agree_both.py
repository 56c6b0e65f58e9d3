"""One draw for two runs: which cases people label on both sides, and the file in which neither side is named."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from random import Random
from typing import NamedTuple

from adjudge.errors import InputError
from adjudge.records import Case, Json, Judge
from adjudge.reports.agree_next import TO_FILL_IN, Uncertainty, shown_of, uncertainty_of, unused_seed
from adjudge.reports.agree_rows import Verdicts
from adjudge.reports.agree_selection import shared_draws
from adjudge.stats.labelling import LEAST_UNIFORM, Draw, draw_for_labelling
from adjudge.stats.labelling_pairs import chance_of_either, either_doubt
from adjudge.store import LabelDraw, SharedDraw


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """A run, as far as a draw needs it."""

    run_id: str
    verdicts: Verdicts
    before: Sequence[LabelDraw]
    """Its draws so far, whoever they were shared with."""


class BothDraws(NamedTuple):
    """One draw, as each run keeps it."""

    a: LabelDraw
    b: LabelDraw


def draw_for_both(
    a: Side,
    b: Side,
    *,
    count: int,
    uniform_share: float = LEAST_UNIFORM,
    seed: int = 0,
    at: datetime,
) -> BothDraws:
    """The next draw of the cases judged in both runs; an `InputError` when all of them have been drawn for both.

    What one run has drawn alone neither keeps a case out nor brings it in. So the chance of having both answers labelled
    is that of the shared draws alone, and each run's own chance is that either chose the case.
    """
    said_a, said_b = a.verdicts.cases, b.verdicts.cases
    ids = [case_id for case_id in said_a if case_id in said_b]
    earlier = shared_draws(a.before, b.before)
    drawn = {case_id for shared in earlier for case_id in shared.chosen}
    if not set(ids) - drawn:
        raise InputError(
            f"runs {a.run_id} and {b.run_id}",
            f"all {len(ids)} cases judged in both have been drawn already"
            if ids
            else "no case was judged in both",
            "`adjudge agree RUN LABELS` reads the labels" if ids else "cases are matched by `id`",
        )
    doubt = _doubt(*(uncertainty_of([said[case_id][0] for case_id in ids]) for said in (said_a, said_b)))
    uniform_share = uniform_share if doubt.basis else 1.0
    seed = unused_seed(seed, [*a.before, *b.before])
    old = earlier[-1].chances if earlier else {}
    drawing = draw_for_labelling(
        doubt.values,
        count,
        uniform_share=uniform_share,
        seed=seed,
        earlier=Draw(
            chosen=tuple(place for place, case_id in enumerate(ids) if case_id in drawn),
            probabilities=tuple(old.get(case_id, 0.0) for case_id in ids),
        )
        if earlier
        else None,
    )
    chances = dict(zip(ids, drawing.probabilities, strict=True))
    chosen = tuple(ids[place] for place in drawing.chosen if ids[place] not in drawn)

    def kept(side: Side, other: Side) -> LabelDraw:
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
            uniform_share=uniform_share,
            seed=seed,
            at=at,
            shared=SharedDraw(other=other.run_id, chosen=chosen, chances=chances),
        )

    return BothDraws(a=kept(a, b), b=kept(b, a))


def _doubt(a: Uncertainty, b: Uncertainty) -> Uncertainty:
    """Of either side; a side that tells of none leaves it to the other."""
    telling = [side for side in (a, b) if side.basis]
    if not telling:
        return a
    return Uncertainty(
        values=either_doubt(*(side.values for side in telling)),
        basis=" or ".join(dict.fromkeys(side.basis for side in telling)),
    )


class ToLabel(NamedTuple):
    """A drawn case, with the runs whose answers have no label yet."""

    case_id: str
    runs: tuple[str, ...]


def waiting_of(
    shared: Sequence[SharedDraw], a: str, b: str, labelled_a: set[str], labelled_b: set[str]
) -> list[ToLabel]:
    """What the draws that two runs share chose, and has not been labelled on both sides."""
    found = []
    for case_id in (case_id for draw in shared for case_id in draw.chosen):
        runs = tuple(run for run, labelled in ((a, labelled_a), (b, labelled_b)) if case_id not in labelled)
        if runs:
            found.append(ToLabel(case_id=case_id, runs=runs))
    return found


def rows_of_both(
    wanted: Sequence[ToLabel], find: Callable[[str, str], Case | None], judge: Judge | None, *, seed: int
) -> Iterator[dict[str, Json]]:
    """What a person reads and fills in: the cases in random order, and each case's answers in random order.

    Whoever stops halfway has then labelled a random part. Answers that look the same are asked for once; which run an
    answer is from can be computed from its `run`, and not be seen.
    """
    random = Random(seed)  # noqa: S311 - a seeded order, not a secret
    for each in random.sample(wanted, len(wanted)):
        answers = [
            (run, shown_of(case, judge)) for run in each.runs if (case := find(run, each.case_id)) is not None
        ]
        if len(answers) > 1 and answers[0][1] == answers[1][1]:
            answers = answers[:1]
        for run, shown in random.sample(answers, len(answers)):
            yield {
                "case_id": each.case_id,
                "run": run_mark(run, each.case_id),
                **shown,
                **dict.fromkeys(TO_FILL_IN),
            }


def run_mark(run_id: str, case_id: str) -> str:
    """What stands for a run beside one case, so that who labels does not learn which system is which."""
    mark = sha256(f"{run_id}\0{case_id}".encode(errors="surrogatepass")).hexdigest()
    return f"r{mark[:12]}"  # a letter first: a spreadsheet would write 12e456789012 its own way
