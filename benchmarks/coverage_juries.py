"""Simulated juries, for `coverage.py`: effective votes, κ between jurors and the gain on the best member, as reported."""

from datetime import UTC, datetime

import numpy as np
from coverage_common import Decision, Found, scenario

from adjudge.analysis.jury.figures import JuryTally
from adjudge.judges import load_judge
from adjudge.procedures.jury import decide
from adjudge.procedures.procedure import Ruling, scored
from adjudge.records import Judgement, Jury, Score, Verdict
from adjudge.stats.several.jury import effective_votes

AT = datetime(2026, 1, 1, tzinfo=UTC)
JUDGE = load_judge("correctness")


def judgement(case_id: str, model: str, ruling: Ruling, *, label: bool, cluster: str | None) -> Judgement:
    return Judgement(
        case_id=case_id,
        judge=JUDGE.name,
        judge_hash=JUDGE.hash,
        model=model,
        repeat=0,
        outcome=ruling.outcome,
        passed=ruling.passed,
        label=label,
        cluster=cluster,
        at=AT,
    )


def vote_for(*, passes: bool) -> Ruling:
    return scored(JUDGE, Verdict(parts={}), Score(value=float(passes), exact=float(passes)))


def add_jury(jurors: int, cases: int, rates: tuple[float, ...], rho: float, *, size: int = 1) -> None:
    """Of two jurors who err at the same rate, errors correlate by `rho`; clusters of `size` cases share what is hard."""
    models = tuple(f"m{number}" for number in range(jurors))
    jury = Jury(rule="majority", models=models, quorum=1)
    accuracies = [1 - rates[number % len(rates)] for number in range(jurors)]
    equal = len(set(accuracies)) == 1
    name = f"jury of {jurors}, {cases} labels" + (f" in clusters of {size}" if size > 1 else "")
    wrong = ", ".join(f"{rate:g}" for rate in rates)

    def errors(random: np.random.Generator, hard: float) -> list[bool]:
        return [
            bool((hard if random.random() < rho**0.5 else random.random()) < 1 - accuracy)
            for accuracy in accuracies
        ]

    def gain() -> float:
        random = np.random.default_rng(1)
        drawn = np.array([errors(random, random.random()) for _ in range(100_000)])
        return float((drawn.sum(axis=1) * 2 < jurors).mean()) - max(accuracies)

    truth: list[float] = []

    @scenario(f"{name}, wrong {wrong}, errors correlate {rho:g}", domain=cases // size >= 100)
    def draw(random: np.random.Generator) -> Found:
        if not truth:
            truth.append(gain())
        salt = random.integers(2**63)
        tally = JuryTally(JUDGE.name, JUDGE.hash, jury.name, JUDGE)
        hard = 0.0
        for number in range(cases):
            if number % size == 0:
                hard = random.random()
            case_id, cluster = f"{salt}-{number}", f"{salt}-{number // size}" if size > 1 else None
            label = bool(random.random() < 0.5)
            votes = [
                judgement(
                    case_id, model, vote_for(passes=label is not is_wrong), label=label, cluster=cluster
                )
                for model, is_wrong in zip(models, errors(random, hard), strict=True)
            ]
            ruling = decide(JUDGE, jury, votes)
            tally.add(judgement(case_id, jury.name, ruling, label=label, cluster=cluster))
        found = tally.figures()
        if equal and found.effective is not None:
            yield "effective votes", found.effective.value, effective_votes(jurors, rho)
            yield "κ of two jurors", found.pairs[0].coefficient, _vote_kappa(rates[0], rho)
        if found.best is not None:
            gained = found.best.difference  # wider than 95 %, so that it holds whoever is the best
            wrong = not gained.low - 1e-9 <= truth[0] <= gained.high + 1e-9
            yield "gain on the best member outside its interval", Decision(wrong=wrong), 0.05


def _vote_kappa(rate: float, rho: float) -> float:
    """Of two jurors' votes, where people pass half of the cases: they agree where both are right, or both wrong."""
    differ = 2 * rate * (1 - rate) * (1 - rho)
    return 1 - 2 * differ


add_jury(3, 60, (0.2,), 0.3)
add_jury(3, 100, (0.2,), 0.3)
add_jury(3, 300, (0.2,), 0.3)
add_jury(5, 100, (0.2,), 0.5)
add_jury(5, 300, (0.4,), 0.1)
add_jury(3, 400, (0.2,), 0.3, size=4)
add_jury(3, 300, (0.1, 0.3, 0.3), 0.3)
