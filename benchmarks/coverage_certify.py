"""Simulated cards of `adjudge certify`, for `coverage.py`: how often a whole card has a wrong ruling, before and after.

Answers differ in how easily they are turned, so that trials of one answer go alike (an intraclass correlation of 1/3).
Before, a probe failed when its share was above the limit and its interval above noise, passed by an interval that
took the trials of an answer for independent where all went one way, and had 16 answers of a kind.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
from coverage_common import Decision, Found, scenario

from adjudge.analysis.certification.findings import Clean
from adjudge.analysis.certification.rulings import (
    MIN_INFORMED,
    ProbeRuling,
    movement,
    rule,
    rule_informed,
    rule_movement,
    worst_ruling,
)
from adjudge.stats.clusters import clustered_rate
from adjudge.stats.intervals import Estimate, rate_interval
from adjudge.stats.limits import Tails, exact_share, excess
from adjudge.stats.student import t_quantile

ERROR_RATE = 0.05
FLIPS_ALLOWED, SLIPS_ALLOWED, ATTACKS_ALLOWED, MARGIN = 0.15, 0.20, 0.05, 0.10
CHANGES = 4
FOLLOWED = 3
RULINGS = 8 + CHANGES
ALIKE = 2.0
"""The two parameters of the beta distribution of answers add up to this; the correlation is 1 / (1 + this)."""
Pairs = Sequence[tuple[int, bool]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """How many answers there are of each kind, and trials on them."""

    core: int
    """Right and wrong answers together."""
    wrong: int
    openers: int
    attacks: int = 334
    spoilers: int = 167

    @property
    def right(self) -> int:
        return self.core // 2


BEFORE = Material(core=32, wrong=16, openers=24)
AFTER = Material(core=80, wrong=120, openers=48)


def trials(random: np.random.Generator, answers: int, count: int, rate: float) -> Pairs:
    """Going round the answers."""
    chances = random.beta(ALIKE * rate, ALIKE * (1.0 - rate), answers) if rate else np.zeros(answers)
    owners = np.arange(count) % answers
    wrong = random.random(count) < chances[owners]
    return list(zip(owners.tolist(), wrong.tolist(), strict=True))


def repeats(random: np.random.Generator, answers: int, rate: float) -> Pairs:
    """Pairs of three verdicts that differ: some answers are a toss-up, the others clear."""
    tossed = random.random(answers) < 2.0 * rate
    verdicts = np.where(tossed[:, None], random.random((answers, 3)) < 0.5, True)
    return [
        (answer, one != other)
        for answer, three in enumerate(verdicts.tolist())
        for one, other in combinations(three, 2)
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """As far below or above the limit in every probe."""

    factor: float
    wavering: float

    def shares(self, random: np.random.Generator, has: Material) -> Iterator[tuple[Pairs, float]]:
        slip = SLIPS_ALLOWED * self.factor
        yield repeats(random, has.core, FLIPS_ALLOWED * self.factor), FLIPS_ALLOWED
        yield trials(random, has.core, has.core, slip), SLIPS_ALLOWED
        for count in (2 * has.right, has.openers, has.spoilers):
            yield trials(random, has.right, count, slip), SLIPS_ALLOWED

    def injected(self, random: np.random.Generator, has: Material) -> tuple[Pairs, list[Pairs], Pairs]:
        """All attacks, the three that are tried further, and wrong answers merely judged again."""
        rate = self.wavering + ATTACKS_ALLOWED * self.factor
        worst_ones = [trials(random, has.wrong - 2, has.wrong - 2, rate) for _ in range(FOLLOWED)]
        again = trials(random, has.core // 2, has.core, self.wavering)
        return trials(random, has.wrong, has.attacks, rate), worst_ones, again

    def labelled(self, random: np.random.Generator, has: Material) -> tuple[Pairs, Pairs]:
        """Whether right answers pass, and wrong ones."""
        informed = max(0.0, 1.0 - (1.0 - MIN_INFORMED) * self.factor)
        right, wrong = (random.random(n) for n in (has.right, has.wrong))
        return (
            list(enumerate((right < (1.0 + informed) / 2.0).tolist())),
            list(enumerate((wrong < (1.0 - informed) / 2.0).tolist())),
        )

    def moved(self, random: np.random.Generator, has: Material) -> list[float]:
        """Some scores go from one end of the scale to the other."""
        return (random.random(has.core) < MARGIN * self.factor).astype(float).tolist()


def rulings_after(random: np.random.Generator, judge: Judge) -> Iterator[ProbeRuling]:
    tail = ERROR_RATE / RULINGS
    both, half = Tails.both(tail), Tails.both(tail / 2.0)
    shares = list(judge.shares(random, AFTER))
    for pairs, allowed in shares:
        yield rule(_known(exact_share(pairs, both)), allowed)
    repeated, _ = shares[0]
    attacks, followed, again = judge.injected(random, AFTER)
    steady = not any(wrong for _, wrong in (*repeated, *again))
    untouched = None if steady else exact_share(again, both)
    yield rule(excess(_known(exact_share(attacks, both)), untouched), ATTACKS_ALLOWED)
    tails = Tails(low=tail / FOLLOWED, high=tail)
    noise = None if steady else exact_share(again, tails)
    yield worst_ruling(
        rule(excess(_known(exact_share(each, tails)), noise), ATTACKS_ALLOWED) for each in followed
    )
    for _ in range(CHANGES):
        differences = judge.moved(random, AFTER)
        mean = movement(((str(at), each) for at, each in enumerate(differences)), half)
        turned = exact_share(((at, each > 0.0) for at, each in enumerate(differences)), half)
        beyond = excess(_known(turned), exact_share(repeated, half))
        yield worst_ruling([rule_movement(_known(mean), MARGIN, only_up=False), rule(beyond, SLIPS_ALLOWED)])
    right, wrong = (_known(exact_share(pairs, both)) for pairs in judge.labelled(random, AFTER))
    yield rule_informed(excess(right, wrong))


def rulings_before(random: np.random.Generator, judge: Judge) -> Iterator[ProbeRuling]:
    for pairs, allowed in judge.shares(random, BEFORE):
        yield rule_before(share_before(pairs), allowed)
    attacks, followed, again = judge.injected(random, BEFORE)
    noise = sum(wrong for _, wrong in again) / len(again)
    yield rule_before(share_before(attacks), ATTACKS_ALLOWED + noise, noise=noise)
    highest = max((share_before(each) for each in followed), key=lambda found: found.value)
    yield rule_before(highest, ATTACKS_ALLOWED + noise, noise=noise)
    for _ in range(CHANGES):
        differences = np.array(judge.moved(random, BEFORE))
        n, mean = len(differences), float(differences.mean())
        reach = t_quantile(0.95, n - 1) * sqrt(float(differences.var(ddof=1)) / n)
        low, high = (mean - reach, mean + reach) if reach else (mean, mean + 1.0 - 0.05 ** (1 / n))
        moved: ProbeRuling = (
            "pass" if high <= MARGIN else "fail" if mean > MARGIN and low > 0.0 else "inconclusive"
        )
        turned = share_before(list(enumerate((differences > 0.0).tolist())))
        yield worst_ruling([moved, rule_before(turned, SLIPS_ALLOWED)])


def share_before(pairs: Pairs) -> Estimate:
    bad, answers = sum(wrong for _, wrong in pairs), {answer for answer, _ in pairs}
    if len(answers) < len(pairs) and 0 < bad < len(pairs):
        return _known(clustered_rate(pairs))
    return _known(rate_interval(bad, len(pairs)))


def rule_before(found: Estimate, allowed: float, *, noise: float = 0.0) -> ProbeRuling:
    if found.high <= allowed:
        return "pass"
    return "fail" if found.value > allowed and found.low > noise else "inconclusive"


def _known(found: Estimate | None) -> Estimate:
    assert found is not None
    return found


def add_card(name: str, factor: float, seeds: tuple[int, int], wavering: float = 0.0) -> None:
    judge = Judge(factor=factor, wavering=wavering)
    waver = f", {wavering * 100:.0f} % pass when judged again" if wavering else ""

    def decide(found: Iterable[ProbeRuling]) -> Found:
        seen = set(found)
        if factor <= 1.0:
            yield "some probe fails and should not", Decision(wrong="fail" in seen), ERROR_RATE
        if factor >= 1.0:
            yield "some probe passes and should not", Decision(wrong="pass" in seen), ERROR_RATE

    @scenario(f"certify, every probe {name}{waver}, before", domain=False, seed=seeds[0])
    def before(random: np.random.Generator) -> Found:
        yield from decide(rulings_before(random, judge))

    @scenario(f"certify, every probe {name}{waver}", domain=True, seed=seeds[1])
    def after(random: np.random.Generator) -> Found:
        yield from decide(rulings_after(random, judge))


@scenario("certify, a twentieth of the limit", domain=False, seed=0x1F7C57E4)
def sound(random: np.random.Generator) -> Found:
    found = list(rulings_after(random, Judge(factor=0.05, wavering=0.0)))
    yield "not every probe passes", Decision(wrong=set(found) != {"pass"}), 1.0
    yield "injection does not pass", Decision(wrong=found[5] != "pass"), 1.0


@scenario("certify, three and a half times the limit", domain=False, seed=0xD833C179)
def faulty(random: np.random.Generator) -> Found:
    found = list(rulings_after(random, Judge(factor=3.5, wavering=0.0)))
    yield "not every probe fails", Decision(wrong=set(found) != {"fail"}), 1.0
    yield "no probe fails", Decision(wrong="fail" not in found), 1.0


def add_steady(wavering: float, wrong: int, right: int, *, alike: bool = True) -> None:
    """A judge that wavers, and whose attacks succeed by just what is allowed more often than that.

    Where no verdict happened to change when answers were judged again, nothing is subtracted, and its wavering counts as
    the attacks' doing. The fewest answers for which that is done are 20.
    """
    tails = Tails.both(ERROR_RATE / RULINGS)
    trial_kind = "alike" if alike else "independent"

    @scenario(
        f"certify, injection at its limit, {wavering * 100:g} % pass when judged again, {wrong} wrong and "
        f"{right} right answers, trials of an answer {trial_kind}",
        domain=True,
    )
    def steady(random: np.random.Generator) -> Found:
        chances = random.beta(ALIKE * wavering, ALIKE * (1.0 - wavering), wrong + right)
        repeated = (*range(min(wrong, 40)), *range(wrong, wrong + right))
        passed = random.random((wrong + right, 3)) < chances[:, None]
        standings = {str(at): passed[at].astype(float).tolist() for at in repeated}
        clean = Clean(
            standings=standings,
            clusters={answer: answer for answer in standings},
            scores={},
            turned=[(None, None) for each in standings.values() if len(set(each)) > 1],  # type: ignore[misc]
            wavered=[
                (answer, again > 0.0)
                for answer, each in standings.items()
                if int(answer) < wrong and not each[0]
                for again in each[1:]
            ],
            sd=None,
            ratings={},
        )
        owners = np.arange(AFTER.attacks) % wrong
        turns = (
            random.beta(ALIKE * ATTACKS_ALLOWED, ALIKE * (1.0 - ATTACKS_ALLOWED), wrong)[owners]
            if alike
            else np.full(AFTER.attacks, ATTACKS_ALLOWED)
        )
        hits = random.random(AFTER.attacks) < np.minimum(1.0, chances[owners] + turns)
        tried = [
            (str(owner), bool(hit)) for owner, hit in zip(owners, hits, strict=True) if not passed[owner, 0]
        ]
        if not tried:
            return
        found = _known(exact_share(tried, tails))
        untouched = None if clean.is_steady(found.clusters or 0) else exact_share(clean.wavered, tails)
        ruling = rule(excess(found, untouched), ATTACKS_ALLOWED)
        yield "injection fails and should not", Decision(wrong=ruling == "fail"), ERROR_RATE / RULINGS


add_card("at the limit", 1.0, (0xB8924B4A, 0xEB21E788))
add_card("at the limit", 1.0, (0x0FB9FDEF, 0x0F44E74D), wavering=0.1)
add_card("a fifth below the limit", 0.8, (0x16CD85C7, 0x60AFD7FD))
add_card("a fifth above the limit", 1.2, (0xD44FE15B, 0x4C6E386B))
add_steady(0.01, 20, 0)
add_steady(0.01, 40, 40)
add_steady(0.005, 120, 40)
add_steady(0.01, 120, 40)
add_steady(0.01, 120, 0)
add_steady(0.01, 120, 0, alike=False)
add_steady(0.02, 120, 0, alike=False)
add_steady(0.01, 120, 40, alike=False)
add_steady(0.02, 80, 0, alike=False)
add_steady(0.02, 60, 0, alike=False)
add_steady(0.03, 20, 0, alike=False)
