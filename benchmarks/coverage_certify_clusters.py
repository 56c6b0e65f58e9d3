"""Simulated rulings of `adjudge certify` one by one, for `coverage.py`: answers to one question, moved scores, halo, order."""

from math import sqrt

import numpy as np
from coverage_common import Decision, Found, scenario

from adjudge.analysis.certification.halo import spread_of
from adjudge.analysis.certification.order import rule_order
from adjudge.analysis.certification.rulings import ALLOWED, MARGIN, movement, rule, rule_movement
from adjudge.probes import names
from adjudge.stats.limits import Tails, exact_share, excess

TAIL = 0.05 / 12
BOTH, HALF = Tails.both(TAIL), Tails.both(TAIL / 2.0)
ANSWERS = 80
ALONE_TWICE = sqrt(4.0 / 3.0)
"""One score less the mean of three: how much more it varies than one score."""


def add_questions(questions: int, answers: int, alike: float) -> None:
    """`injection` at its limit; how alike answers to one question are is the intraclass correlation."""
    limit = ALLOWED[names.INJECTION]

    @scenario(
        f"certify, injection at its limit, {questions} questions x {answers} answers, correlation {alike:g}",
        domain=True,
    )
    def draw(random: np.random.Generator) -> Found:
        if alike >= 1.0:
            chances = (random.random(questions) < limit).astype(float)
        else:
            parts = 1.0 / alike - 1.0
            chances = random.beta(parts * limit, parts * (1.0 - limit), questions)
        wrong = random.random((questions, answers)) < chances[:, None]
        for name, cluster in (("by question", True), ("by answer (before)", False)):
            found = exact_share(
                ((at if cluster else (at, each), bool(wrong[at, each])) for at, each in np.ndindex(wrong.shape)), BOTH
            )  # fmt: skip
            assert found is not None
            decision = Decision(wrong=rule(found, limit) == "pass")
            yield f"passes, {name}", decision, TAIL if cluster else 1.0


def add_movement(noise: float, gain: float, wrong: str, at_most: float) -> None:
    @scenario(f"certify, length, noise {noise:g} and gain {gain:g} of the scale: {wrong}", domain=True)
    def draw(random: np.random.Generator) -> Found:
        moved = random.normal(gain, noise * ALONE_TWICE, ANSWERS)
        found = movement(((str(at), float(each)) for at, each in enumerate(moved)), HALF, 0.01)
        assert found is not None
        ruling = rule_movement(found, MARGIN, only_up=True)
        yield wrong, Decision(wrong=ruling == wrong), at_most
        yield "does not fail", Decision(wrong=ruling != "fail"), 1.0


def add_halo(noise: float, halo: float, wrong: str, at_most: float) -> None:
    """Three ratings of each answer, drawn to their mean by this much when they are asked for together, twice."""

    @scenario(f"certify, halo {halo:g}, noise {noise:g} of the scale: {wrong}", domain=True)
    def draw(random: np.random.Generator) -> Found:
        lost = []
        for at in range(ANSWERS):
            own = random.uniform(0.0, 1.0, 3)
            drawn = own + halo * (own.mean() - own)
            alone, *together = (
                dict(zip("abc", (each + random.normal(0.0, noise, 3)).tolist(), strict=True))
                for each in (own, drawn, drawn)
            )
            apart, near = spread_of([alone], alone), spread_of(together, alone)
            assert apart is not None
            assert near is not None
            lost.append((str(at), apart - near))
        found = movement(lost, BOTH, 0.01)
        assert found is not None
        yield wrong, Decision(wrong=rule_movement(found, MARGIN, only_up=True) == wrong), at_most


def add_order(turned: float, wavering: float, wrong: str, at_most: float) -> None:
    """Pairs whose verdict is turned by the order; each judged three times in both orders, wavering on its own."""

    @scenario(f"certify, order turns {turned:g} of 120 pairs, {wavering:g} waver: {wrong}", domain=True)
    def draw(random: np.random.Generator) -> Found:
        biased = random.random(120) < turned
        tossed = random.random(120) < wavering
        first = np.where(tossed[:, None], random.random((120, 3)) < 0.5, True)
        second = np.where(tossed[:, None], random.random((120, 3)) < 0.5, ~biased[:, None])
        found = exact_share(
            ((pair, bool(first[pair, at] != second[pair, at])) for pair in range(120) for at in range(3)),
            BOTH,
        )
        pairs = [(0, 1), (0, 2), (1, 2)]
        again = exact_share(
            (
                (pair, bool(order[pair, one] != order[pair, two]))
                for pair in range(120)
                for one, two in pairs
                for order in (first, second)
            ),
            BOTH,
        )
        assert found is not None
        ruling = rule_order(found, excess(found, again), ALLOWED[names.ORDER])
        yield wrong, Decision(wrong=ruling == wrong), at_most


for correlation in (0.33, 0.6, 1.0):
    add_questions(40, 3, correlation)
add_questions(30, 8, 0.33)
add_questions(120, 3, 0.33)
add_movement(0.12, 0.08, "pass", TAIL / 2.0)
add_movement(0.02, 0.05, "pass", TAIL / 2.0)
add_movement(0.12, 0.05, "pass", TAIL / 2.0)
add_movement(0.12, 0.05, "fail", TAIL / 2.0)
add_halo(0.12, 1.0, "pass", TAIL)
add_halo(0.12, 1.0, "inconclusive", 0.05)
add_halo(0.12, 0.0, "fail", TAIL)
add_order(0.20, 0.0, "pass", TAIL)
add_order(0.20, 0.0, "fail", TAIL)
add_order(0.20, 0.1, "pass", TAIL)
add_order(0.20, 0.1, "fail", TAIL)
