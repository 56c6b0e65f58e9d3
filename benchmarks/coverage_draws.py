"""Simulated labels of several draws, complete or not, for `coverage.py`: corrected means and weighted agreement."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from coverage_common import UNIT, Array, Decision, Found, scenario

from adjudge.analysis.agreement.coefficients import LabelledVerdict, measure
from adjudge.analysis.agreement.corrected_means import IfMissing, pass_rate_means
from adjudge.analysis.agreement.verdicts import CaseVerdict
from adjudge.labels.label_set import Label
from adjudge.records import LabelDraw, Scale
from adjudge.stats import agreement
from adjudge.stats.corrected import Corrected, JudgedCase, ppi_mean, rogan_gladen
from adjudge.stats.labelling import Draw, draw_for_labelling
from adjudge.stats.selection import select

_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """People's passes, the judge's, and how doubtful each case is: the judge errs, and people fail, where it doubts."""

    people: Array
    judge: Array
    doubt: Array


DOUBTS = np.array([0.0, 0.4, 0.8])
_OFTEN = np.array([0.6, 0.2, 0.2])
_PASS = np.array([0.85, 0.4, 0.2])
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
                basis=("threshold",),
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


_STEPS = np.array([[0.03, 0.1, 0.74, 0.1, 0.03], [0.1, 0.2, 0.4, 0.2, 0.1]])
"""How often people say two and one less, the same, one and two more than the judge: where it is sure, where it doubts."""
_SCORES = np.array([0.15, 0.1, 0.1, 0.2, 0.45])
_DOUBT_OF = np.array([0.4, 0.8, 0.8, 0.4, 0.0])


def _joint() -> Array:
    """Judge x people over scores of 1 to 5, for the truths."""
    table = np.zeros((5, 5))
    for score, often in enumerate(_SCORES):
        for step, chance in zip(range(-2, 3), _STEPS[int(_DOUBT_OF[score] > 0.5)], strict=True):
            table[score, min(4, max(0, score + step))] += often * chance
    return table


def add_weighted(n: int, labels: int, *, uniform: float, domain: bool) -> None:
    """Every figure of agreement, weighted, after a draw that prefers doubtful cases."""
    table = _joint() * 1e9
    halves = np.array(
        [[table[:2, :2].sum(), table[:2, 2:].sum()], [table[2:, :2].sum(), table[2:, 2:].sum()]]
    )
    truths = {
        "accuracy of scores": agreement.accuracy(table),
        "within_one_step": agreement.within_one(table),
        "kappa_quadratic": agreement.cohen_kappa(table, "quadratic"),
        "alpha_ordinal": agreement.alpha(agreement.pair_coincidences(table), "ordinal"),
        "spearman": agreement.spearman(table),
        "mean_absolute_error": agreement.mean_absolute_error(table, np.arange(5.0), np.arange(5.0)),
        "accuracy": agreement.accuracy(halves),
        "kappa": agreement.cohen_kappa(halves),
        "f1": agreement.f1(halves, positive=1),
        "alpha": agreement.alpha(agreement.pair_coincidences(halves)),
        "ac1": agreement.gwet(halves),
    }

    name = f"agreement after a draw by doubt, {labels} of {n} labelled, uniform share {uniform:g}"

    @scenario(name, domain=domain)
    def draw(random: np.random.Generator) -> Found:
        judge = random.choice(5, n, p=_SCORES)
        doubtful = (_DOUBT_OF[judge] > 0.5).astype(int)
        step = (random.random(n)[:, None] > np.cumsum(_STEPS[doubtful], 1)).sum(1) - 2
        people = np.clip(judge + step, 0, 4)
        drawn = draw_for_labelling(
            _DOUBT_OF[judge].tolist(), labels, uniform_share=uniform, seed=int(random.integers(2**31))
        )
        pairs = [
            LabelledVerdict(str(at), at, float(judge[at]), float(people[at]), 1.0 / drawn.probabilities[at])
            for at in drawn.chosen
        ]
        passes = [pair._replace(judge=pair.judge > 1, person=pair.person > 1) for pair in pairs]
        scores = measure(pairs, "scores", Scale(low=0.0, high=4.0), seed=0).figures
        figures = {
            **scores,
            "accuracy of scores": scores["accuracy"],
            **measure(passes, "passes", None, seed=0).figures,
        }
        for name, truth in truths.items():
            yield name, figures[name], float(truth)


add_weighted(1000, 100, uniform=0.5, domain=True)
add_weighted(1000, 300, uniform=0.5, domain=True)
# 45 % of the cases are without doubt, and a tenth of the draw falls on all alike: a few labels carry half of the weight.
add_weighted(1000, 100, uniform=0.1, domain=False)
add_weighted(1000, 300, uniform=0.1, domain=False)


@scenario("draw of 1000 cases, the less doubtful 50 of 100 labelled", domain=False)
def leave_the_hard_ones(random: np.random.Generator) -> Found:
    """Whoever labels the easy cases first: nothing is quoted, and the bounds for the missing labels hold the truth."""
    found = world(random, 1000)
    draws = label_draws(found.doubt, (100,), int(random.integers(2**31)), uniform=(0.5,))
    easy = sorted(draws[0].chosen, key=lambda case_id: found.doubt[int(case_id)])[:50]
    cases = {
        str(at): [
            CaseVerdict(
                case_id=str(at),
                repeat=0,
                score=float(judge),
                passed=bool(judge),
                probability=None,
                cluster=str(at),
                slices=(),
            )
        ]
        for at, judge in enumerate(found.judge)
    }
    labels = {
        case_id: [Label(case_id=case_id, annotator="", meaning=bool(found.people[int(case_id)]))]
        for case_id in easy
    }
    means = pass_rate_means(cases, labels, select(list(cases), easy, draws))
    assert means is not None
    bounds = means.if_missing
    assert isinstance(bounds, IfMissing)
    yield "quoted all the same", Decision(wrong=means.quote != "none"), 0.0
    yield "bounds for missing labels", replace(bounds.low, high=bounds.high.high), TRUE_RATE
