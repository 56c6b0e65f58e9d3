"""Simulated labels of several draws, complete or not, for `coverage.py`: corrected means and weighted agreement."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from coverage_common import UNIT, Array, Found, scenario

from adjudge.reports.agree_selection import select
from adjudge.stats.corrected import Corrected, JudgedCase, ppi_mean, rogan_gladen
from adjudge.stats.labelling import Draw, draw_for_labelling
from adjudge.store import LabelDraw

_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """People's passes, the judge's, and how doubtful each case is: the judge errs, and people fail, where it doubts."""

    people: Array
    judge: Array
    doubt: Array


DOUBTS = np.array([0.0, 0.4, 0.8])
_OFTEN = np.array([0.6, 0.2, 0.2])
_PASS = np.array([0.8, 0.5, 0.3])
"""People pass doubtful cases less often: who labels those alone sees another rate than the run's."""
_WRONG = np.array([0.08, 0.25, 0.4])
TRUE_RATE = float(_OFTEN @ _PASS)


def world(random: np.random.Generator, n: int) -> World:
    """Doubt by three levels of score, as nearness to the threshold has it; the judge passes too much where it doubts."""
    level = random.choice(3, n, p=_OFTEN)
    people = random.random(n) < _PASS[level]
    wrong = (random.random(n) < _WRONG[level]) & (~people | (random.random(n) < 0.3))
    return World(people=people, judge=people ^ wrong, doubt=DOUBTS[level])


def label_draws(
    doubt: Array, sizes: tuple[int, ...], seed: int, *, uniform: tuple[float, ...]
) -> list[LabelDraw]:
    draws: list[LabelDraw] = []
    earlier: Draw | None = None
    for number, (size, share) in enumerate(zip(sizes, uniform, strict=True), 1):
        found = draw_for_labelling(
            doubt.tolist(), size, uniform_share=share, seed=seed + number, earlier=earlier
        )
        before = set(earlier.chosen) if earlier else set[int]()
        draws.append(
            LabelDraw(
                run_id="r",
                judge="j",
                number=number,
                chosen=tuple(str(at) for at in found.chosen if at not in before),
                chances={str(at): chance for at, chance in enumerate(found.probabilities)},
                basis="doubt",
                uniform_share=share,
                seed=seed + number,
                at=_AT + timedelta(days=number),
            )
        )
        earlier = found
    return draws


def add_draws(
    n: int, sizes: tuple[int, ...], labelled: tuple[int, ...], *, uniform: tuple[float, ...], domain: bool
) -> None:
    each = " + ".join(f"{part} of {size}" for part, size in zip(labelled, sizes, strict=True))
    shares = (
        "" if set(uniform) == {0.1} else f", uniform share {' and '.join(f'{share:g}' for share in uniform)}"
    )

    @scenario(f"draws of {n} cases, labelled {each}{shares}", domain=domain)
    def draw(random: np.random.Generator) -> Found:
        found = world(random, n)
        draws = label_draws(found.doubt, sizes, int(random.integers(2**31)), uniform=uniform)
        marked = [
            case_id
            for one, count in zip(draws, labelled, strict=True)
            for case_id in random.permutation(one.chosen)[:count]
        ]
        selection = select(list(map(str, range(n))), marked, draws)
        cases = [
            JudgedCase(
                judge=float(found.judge[at]),
                person=float(found.people[at]) if str(at) in selection.chances else None,
                probability=selection.chances.get(str(at)),
            )
            for at in range(n)
        ]
        for name, result in (("PPI++", ppi_mean(cases, UNIT)), ("Rogan-Gladen", rogan_gladen(cases))):
            yield name, result.estimate if isinstance(result, Corrected) else result, TRUE_RATE


_TENTH = (0.1, 0.1, 0.1)
add_draws(250, (60, 60, 60), (60, 60, 60), uniform=_TENTH, domain=True)
add_draws(250, (60, 60, 60), (60, 60, 60), uniform=(1.0, 0.1, 0.1), domain=True)
add_draws(1000, (100, 50, 50), (100, 50, 50), uniform=_TENTH, domain=True)
add_draws(1000, (100, 100), (100, 5), uniform=(0.1, 0.1), domain=True)
add_draws(1000, (100, 300), (100, 5), uniform=(1.0, 0.1), domain=True)
add_draws(1000, (100, 100), (100, 50), uniform=(0.1, 0.1), domain=True)
add_draws(1000, (200,), (100,), uniform=(0.1,), domain=True)
