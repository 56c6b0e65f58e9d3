"""The order probe: of two answers asked about in both orders, how often the verdict changes with the order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from adjudge.analysis.certification.records import EXAMPLES, ProbeFinding
from adjudge.analysis.certification.rulings import ALLOWED, ProbeRuling, rule
from adjudge.probes import names
from adjudge.probes.trials import ProbeTrial
from adjudge.records import WINNER_SCORES, Judgement
from adjudge.stats.intervals import Estimate
from adjudge.stats.limits import Tails, exact_share, excess

_SCORES: Mapping[str, float] = {str(winner): score for winner, score in WINNER_SCORES.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Orders:
    """What one judgement says in each order, each as a score for A: 1, 0, or 0.5 for a tie."""

    trial: ProbeTrial
    judgement: Judgement
    a_first: float
    b_first: float

    @property
    def changed(self) -> bool:
        return self.a_first != self.b_first


def orders_of(rows: Sequence[tuple[ProbeTrial, Judgement]]) -> Iterator[Orders]:
    """Of untouched pairs that have a verdict in both orders."""
    for trial, judgement in rows:
        a_first, b_first = (_SCORES.get(str(judgement.verdict.get(name))) for name in ("a_first", "b_first"))
        if a_first is not None and b_first is not None:
            yield Orders(trial=trial, judgement=judgement, a_first=a_first, b_first=b_first)


def order_finding(orders: Sequence[Orders], tails: Tails, *, not_judged: int) -> ProbeFinding:
    """Judging again in the same order changes some verdicts too, and a judge fails only by what goes beyond that.

    It passes by all that change: of a judge that wavers much, a taste for one place shows little beyond the wavering.
    """
    found = exact_share(((each.trial.subject.cluster, each.changed) for each in orders), tails)
    if found is None:
        return ProbeFinding(
            probe=names.ORDER, ruling="inconclusive", no_ruling="no_scores", not_judged=not_judged
        )
    untouched = exact_share(_in_the_same_order(orders), tails)
    beyond, allowed = excess(found, untouched), ALLOWED[names.ORDER]
    changed = [each for each in orders if each.changed]
    return ProbeFinding(
        probe=names.ORDER,
        ruling=rule_order(found, beyond, allowed),
        n=len(orders),
        wrong=len(changed),
        figure=found,
        untouched=untouched,
        ruled=beyond,
        allowed=allowed,
        to_first=sum(each.a_first > each.b_first for each in changed),
        not_judged=not_judged,
        examples=tuple(dict.fromkeys(each.trial.trial_id for each in changed))[:EXAMPLES],
    )


def rule_order(found: Estimate, beyond: Estimate, allowed: float) -> ProbeRuling:
    if rule(beyond, allowed) == "fail":
        return "fail"
    return "pass" if rule(found, allowed) == "pass" else "inconclusive"


def _in_the_same_order(orders: Sequence[Orders]) -> Iterator[tuple[str, bool]]:
    """Pairs of repeats, and whether they differ."""
    repeats: dict[str, list[Orders]] = {}
    for each in orders:
        repeats.setdefault(each.trial.trial_id, []).append(each)
    for own in repeats.values():
        for one, other in combinations(own, 2):
            yield one.trial.subject.cluster, one.a_first != other.a_first
            yield one.trial.subject.cluster, one.b_first != other.b_first
