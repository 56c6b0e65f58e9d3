"""Which of two judges agrees more with people: the agreement of each with a case's label, paired."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.records import Json, Judge, Scale
from adjudge.reports.agree_labels import Reading, reading_of
from adjudge.reports.compare_match import CaseSide, Matching, SideName
from adjudge.stats.clusters import Clusters, clustered_mean, clustered_rate
from adjudge.stats.intervals import Estimate, Undefined, mean_interval, rate_interval
from adjudge.stats.paired import Comparison, compare

_SHARE = Scale(low=0.0, high=1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class People:
    """A case's agreement is 1 - |score - label| / the scale's length; for true/false labels, whether it passes so."""

    a: Estimate
    b: Estimate
    comparison: Comparison
    """Of the agreement, B - A."""
    shares: bool
    """Every agreement is 0 or 1, so that their means are shares of cases."""
    labelled: int
    """Cases of both runs with a label."""
    lost: int
    """Of those, not judged in one run or the other."""
    unusable: int
    """Of those judged in both, with no label that can be held against both judges, or one on which people are tied."""
    unknown: int
    """Labels of cases that are not in both runs."""

    @property
    def cases(self) -> int:
        return self.comparison.difference.n


class Labelled(NamedTuple):
    cluster: Hashable
    a: float
    b: float


def compare_with_people(
    matching: Matching,
    labels: Mapping[str, Sequence[Json]] | None,
    labels_b: Mapping[str, Sequence[Json]] | None = None,
    *,
    judge_a: Judge,
    judge_b: Judge,
    normalized: bool,
    label_map: Mapping[str, str] | None = None,
    seed: int = 0,
) -> People | Undefined:
    """`labels`: case -> what each person said of the one response that both judged, or of A's where `labels_b` is given.

    None: the cases' own labels, of each run's own response, which `matching` was told to keep.
    """
    reading_a, reading_b = (
        reading_of(judge.name, judge, matching.seen[side].verdicts, label_map or {})
        for side, judge in _sides(judge_a, judge_b)
    )
    rows: list[Labelled] = []
    labelled = lost = unusable = 0
    for case_id, case in matching.cases.items():
        if case.a is None or case.b is None:
            continue
        # a label is of one response: where two systems answered, each run's cases carry their own
        said_a = [case.a.label] if labels is None else labels.get(case_id, ())
        said_b = (
            [case.b.label] if labels is None else (labels if labels_b is None else labels_b).get(case_id, ())
        )
        if not any(label is not None for label in (*said_a, *said_b)):
            continue
        labelled += 1
        if case.a.mean is None or case.b.mean is None:
            lost += 1
            continue
        a = _agreement(case.a, said_a, judge_a, reading_a, other=judge_b, normalized=normalized)
        b = _agreement(case.b, said_b, judge_b, reading_b, other=judge_a, normalized=normalized)
        if a is None or b is None:
            unusable += 1
            continue
        rows.append(Labelled((case_id,) if case.cluster is None else case.cluster, a, b))
    comparison = compare([(row.cluster, row.b - row.a) for row in rows], _SHARE, seed=seed)
    agreed_a = share_estimate([(row.cluster, row.a) for row in rows])
    agreed_b = share_estimate([(row.cluster, row.b) for row in rows])
    if comparison is None or agreed_a is None or agreed_b is None:
        return Undefined(why=_why_none(labelled, lost, unusable))
    return People(
        a=agreed_a,
        b=agreed_b,
        comparison=comparison,
        shares=all(row.a in {0.0, 1.0} and row.b in {0.0, 1.0} for row in rows),
        labelled=labelled,
        lost=lost,
        unusable=unusable,
        unknown=0 if labels is None else len({*labels, *(labels_b or ())}) - labelled,
    )


def share_estimate(values: Sequence[tuple[Hashable, float]]) -> Estimate | None:
    """The mean of values from 0 to 1: as a share where each is 0 or 1."""
    clustered = len({cluster for cluster, _ in values}) < len(values)
    if all(value in {0.0, 1.0} for _, value in values):
        if clustered:
            return clustered_rate(Clusters(values))
        return rate_interval(sum(value == 1.0 for _, value in values), len(values))
    return (
        clustered_mean(values, _SHARE) if clustered else mean_interval([value for _, value in values], _SHARE)
    )


def _agreement(
    side: CaseSide, said: Sequence[Json], judge: Judge, reading: Reading, *, other: Judge, normalized: bool
) -> float | None:
    """1 for full agreement; None where people are tied, or what they said is not for this judge."""
    truths: list[bool] = []
    numbers: list[float] = []
    for label in said:
        read = reading.place(label)
        if isinstance(read, bool):
            truths.append(read)
        elif isinstance(read, float) and (judge.scale == other.scale or isinstance(label, dict)):
            numbers.append(read)  # one number cannot be on two scales; an object has one for each judge
    if truths and not numbers:
        share = side.pass_share
        most = sum(truths) / len(truths)
        if share is None or most == 0.5:
            return None
        return share if most > 0.5 else 1.0 - share
    if truths or not numbers or judge.scale is None or side.mean is None:
        return None
    reach = judge.scale.high - judge.scale.low
    wanted = sum(numbers) / len(numbers)
    if normalized:
        wanted = (wanted - judge.scale.low) / reach
        wanted, reach = (1.0 - wanted if judge.better == "lower" else wanted), 1.0
    return max(0.0, 1.0 - abs(side.mean - wanted) / reach)


def _sides(judge_a: Judge, judge_b: Judge) -> tuple[tuple[SideName, Judge], ...]:
    return ("a", judge_a), ("b", judge_b)


def _why_none(labelled: int, lost: int, unusable: int) -> str:
    if not labelled:
        return "no case of both runs has a label"
    return (
        f"{labelled} cases have a label; {lost} of them were not judged in both runs, and {unusable} have a label "
        "that cannot be held against both judges"
    )
