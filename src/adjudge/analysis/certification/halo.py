"""The halo probe: ratings asked for in one call lean towards each other, and each alone shows how far."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from adjudge.analysis.certification.records import EXAMPLES, NoRuling, ProbeFinding
from adjudge.analysis.certification.rulings import MARGIN, movement, rule_movement
from adjudge.probes import names
from adjudge.probes.trials import ProbeTrial
from adjudge.records import Failed, Judge, Judgement
from adjudge.scoring import normalize
from adjudge.stats.limits import Tails


def ratings_of(judge: Judge, judgement: Judgement) -> dict[str, float]:
    """The ratings of one verdict, each on a scale of 0 to 1."""
    given = {each: judgement.verdict.get(each.name) for each in judge.ratings}
    return {
        each.name: share
        for each, value in given.items()
        if isinstance(value, int | float)
        and not isinstance(value, bool)
        and (share := normalize(each.scale, each.better, float(value))) is not None
    }


def halo_finding(
    together: Mapping[str, Sequence[Mapping[str, float]]],
    rows: Sequence[tuple[ProbeTrial, Judgement]],
    tails: Tails,
    level: float = 1.0,
) -> ProbeFinding:
    """How much of the distance between an answer's ratings is lost when they are asked for in one call.

    Two ratings of one call waver together, two of different calls do not: ratings asked for together are therefore
    compared across repeats, as those asked for alone are, so that what wavers is not taken for a halo.
    """
    alone: dict[str, dict[str, float]] = {}
    clusters: dict[str, str] = {}
    lost_calls = 0
    for trial, judgement in rows:
        clusters[trial.subject.subject_id] = trial.subject.cluster
        if judgement.normalized is not None:
            alone.setdefault(trial.subject.subject_id, {})[trial.variant] = judgement.normalized
        else:
            lost_calls += isinstance(judgement.outcome, Failed)
    spreads = [
        (subject, apart, spread_of(together[subject], ratings))
        for subject, ratings in alone.items()
        if subject in together and (apart := spread_of([ratings], ratings)) is not None
    ]
    found = [(subject, apart, near) for subject, apart, near in spreads if near is not None]
    mean = movement(((clusters[subject], apart - near) for subject, apart, near in found), tails, level)
    if mean is None:
        why: NoRuling = "no_scores" if rows else "nothing_to_try"
        return ProbeFinding(probe=names.HALO, ruling="inconclusive", no_ruling=why, not_judged=lost_calls)
    leaning = sorted(
        (each for each in found if each[1] - each[2] > MARGIN), key=lambda each: each[2] - each[1]
    )
    return ProbeFinding(
        probe=names.HALO,
        ruling=rule_movement(mean, MARGIN, only_up=True),
        n=len(found),
        wrong=len(leaning),
        figure=mean,
        ruled=mean,
        allowed=MARGIN,
        together=sum(near for *_, near in found) / len(found),
        alone=sum(apart for _, apart, _ in found) / len(found),
        not_judged=lost_calls,
        examples=tuple(subject for subject, *_ in leaning[:EXAMPLES]),
    )


def spread_of(repeats: Sequence[Mapping[str, float]], wanted: Mapping[str, float]) -> float | None:
    """The mean distance between two of the ratings, over all pairs of them and of different repeats."""
    turns = list(combinations(range(len(repeats)), 2)) if len(repeats) > 1 else [(0, 0)]
    distances = [
        abs(repeats[first][one] - repeats[second][other])
        for (one, other), turn in product(combinations(wanted, 2), turns)
        for first, second in {turn, turn[::-1]}
        if one in repeats[first] and other in repeats[second]
    ]
    return sum(distances) / len(distances) if distances else None
