"""The figures of a comparison: one test of the mean paired difference, and what it was made from and left out."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Literal

from adjudge.analysis.summary.sample import Bounds
from adjudge.records import Scale
from adjudge.reports.compare_corrected import Correction
from adjudge.reports.compare_match import Matching, Pair, SideName
from adjudge.reports.compare_people import People, share_estimate
from adjudge.stats.clusters import clustered_mean
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined, mean_interval
from adjudge.stats.paired import Comparison, compare
from adjudge.stats.pairs import holm, mcnemar, wilcoxon

MOST_SLICES = 30
"""Of each column; the fullest. What a column of ids says about each of its values is nothing."""
_CLUSTERED = "for independent pairs only, and these cases come in clusters"

Finding = Literal["better", "worse", "inconclusive", "not measured"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One run, as far as it is compared."""

    run: str
    judge: str
    """`name@hash`."""
    models: tuple[str, ...]
    snapshots: tuple[str, ...]
    cases: int
    alone: int
    """Cases that the other run does not have."""
    lost: Mapping[str, int]
    """Cases of both runs that were not judged in this one, by outcome."""
    no_id: int
    """Rows that could not be read as a case, and so cannot be matched."""
    repeats: int
    repeats_lost: int
    """Repeats without a score, of cases that other repeats did judge."""
    mean: Estimate | None
    """Of the pairs, on the judge's own scale."""
    pass_rate: Estimate | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    column: str
    value: str
    comparison: Comparison
    adjusted: float
    """The p value by Holm's method, over all slices shown."""

    @property
    def significant(self) -> bool:
        return self.adjusted <= 1.0 - CONFIDENCE


@dataclass(frozen=True, kw_only=True, slots=True)
class Flip:
    """A case that came out otherwise."""

    case_id: str
    a: float
    b: float
    difference: float
    """Above 0: B is better."""
    passed_a: bool | None
    passed_b: bool | None
    reason_a: str | None = None
    reason_b: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Flips:
    kind: Literal["passes", "scores"]
    """Whether a pass turned into a failure or back; without a pass rule, whether the score changed."""
    better: int
    worse: int
    shown: tuple[Flip, ...]
    """The largest first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """One judge over both runs. Differences are B - A, or A - B where lower is better: above 0, B is better."""

    a: Side
    b: Side
    scale: Scale | None
    normalized: bool
    """Scores were put on a scale of 0 to 1, higher being better, because the judges' own scales differ."""
    turned: bool
    """Lower is better on the judges' scale, so that the difference is A - B."""
    matched: int
    """Cases of both runs, judged or not."""
    pairs: int
    """Cases judged in both."""
    clusters: int | None
    """None where every case is its own."""
    clusters_differ: int
    comparison: Comparison | None
    """The one primary test; None of no pairs."""
    bounds: Bounds | None
    """The difference, had the matched cases without a pair been as bad, or as good, for B as the scale allows."""
    mcnemar: float | Undefined
    only_a_passed: int
    only_b_passed: int
    ruled_otherwise: int
    """Cases with one score on both sides that pass on one only: the runs had different pass rules."""
    wilcoxon: float | Undefined
    slices: tuple[Slice, ...]
    slices_left_out: Mapping[str, int]
    """Column -> how many of its values have no figure of their own."""
    flips: Flips
    people: People | Undefined | None
    """Which side agrees more with people; None when it was not asked."""
    corrected: Correction | Undefined | None = None
    """What people would say of the difference; None when neither run has a label."""

    @property
    def finding(self) -> Finding:
        if self.comparison is None:
            return "not measured"
        if not self.comparison.significant:
            return "inconclusive"
        return "better" if self.comparison.difference.value > 0 else "worse"

    @property
    def lost(self) -> int:
        return self.matched - self.pairs

    @property
    def one_judge(self) -> bool:
        """Whether the same judge with the same model is on both sides."""
        return (self.a.judge, self.a.models) == (self.b.judge, self.b.models)


@dataclass(frozen=True, kw_only=True, slots=True)
class Names:
    """What a side is called."""

    run: str
    judge: str


def compare_matched(
    matching: Matching,
    *,
    a: Names,
    b: Names,
    scale: Scale | None,
    normalized: bool = False,
    lower_is_better: bool = False,
    seed: int = 0,
    most_flips: int = 10,
    people: People | Undefined | None = None,
) -> Compared:
    """All figures of one judge. `scale` is the one that the scores in `matching` are on."""
    pairs = list(matching.pairs())
    sign = -1.0 if lower_is_better else 1.0
    clusters = len({pair.cluster for pair in pairs})
    clustered = clusters < len(pairs)
    differences = [(pair.cluster, sign * (pair.b - pair.a)) for pair in pairs]
    only_a, only_b, unclear = _passed_alone(pairs)
    slices, left_out = _slices(matching.columns, pairs, differences, scale, seed)
    return Compared(
        a=_side("a", a, matching, pairs, scale, clustered=clustered),
        b=_side("b", b, matching, pairs, scale, clustered=clustered),
        scale=scale,
        normalized=normalized,
        turned=lower_is_better,
        matched=sum(1 for _ in matching.in_both()),
        pairs=len(pairs),
        clusters=clusters if clustered else None,
        clusters_differ=matching.clusters_differ,
        comparison=compare(differences, scale, seed=seed),
        bounds=_bounds(matching, scale, sign),
        mcnemar=Undefined(why=_CLUSTERED) if clustered else unclear or mcnemar(only_a, only_b),
        only_a_passed=only_a,
        only_b_passed=only_b,
        ruled_otherwise=sum(pair.a == pair.b and _flipped(pair, "passes") for pair in pairs)
        if a.judge == b.judge
        else 0,
        wilcoxon=Undefined(why=_CLUSTERED) if clustered else wilcoxon([value for _, value in differences]),
        slices=slices,
        slices_left_out=left_out,
        flips=_flips(pairs, sign, most_flips),
        people=people,
    )


def _side(
    side: SideName,
    names: Names,
    matching: Matching,
    pairs: Sequence[Pair],
    scale: Scale | None,
    *,
    clustered: bool,
) -> Side:
    count, seen = matching.count(side), matching.seen[side]
    scores = [(pair.cluster, pair.a if side == "a" else pair.b) for pair in pairs]
    passes = [(pair.cluster, pair.passed_a if side == "a" else pair.passed_b) for pair in pairs]
    ruled = [(cluster, share) for cluster, share in passes if share is not None]
    return Side(
        run=names.run,
        judge=names.judge,
        models=tuple(seen.models),
        snapshots=tuple(seen.snapshots),
        cases=count.cases,
        alone=count.alone,
        lost=count.lost,
        no_id=seen.no_id,
        repeats=seen.repeats,
        repeats_lost=count.repeats_lost,
        mean=clustered_mean(scores, scale)
        if clustered
        else mean_interval([value for _, value in scores], scale),
        pass_rate=share_estimate(ruled),
    )


def _passed_alone(pairs: Iterable[Pair]) -> tuple[int, int, Undefined | None]:
    """How many only A passed, and only B, and why McNemar's test would say nothing about them."""
    only_a = only_b = ruled = parted = 0
    for pair in pairs:
        passed_a, passed_b = verdict(pair.passed_a), verdict(pair.passed_b)
        if pair.passed_a is None or pair.passed_b is None:
            continue
        ruled += 1
        parted += passed_a is None or passed_b is None
        only_a += passed_a is True and passed_b is False
        only_b += passed_b is True and passed_a is False
    if not ruled:
        return 0, 0, Undefined(why="no pair has a pass rule on both sides")
    if parted:
        return only_a, only_b, Undefined(why=f"the repeats of {parted} cases are tied between pass and fail")
    return only_a, only_b, None


def verdict(share: float | None) -> bool | None:
    """Whether most repeats passed; None when they are tied, or there is no rule."""
    return None if share is None or share == 0.5 else share > 0.5


def _bounds(matching: Matching, scale: Scale | None, sign: float) -> Bounds | None:
    if scale is None:
        return None
    low = high = 0.0
    n = 0
    for a, b in matching.in_both():
        least_a, most_a = (scale.low, scale.high) if a.mean is None else (a.mean, a.mean)
        least_b, most_b = (scale.low, scale.high) if b.mean is None else (b.mean, b.mean)
        low += least_b - most_a
        high += most_b - least_a
        n += 1
    if not n:
        return None
    low, high = sign * low / n, sign * high / n
    return Bounds(low=min(low, high), high=max(low, high))


def _slices(
    columns: Sequence[str],
    pairs: Sequence[Pair],
    differences: Sequence[tuple[Hashable, float]],
    scale: Scale | None,
    seed: int,
) -> tuple[tuple[Slice, ...], dict[str, int]]:
    found: list[tuple[str, str, Comparison]] = []
    left_out: dict[str, int] = {}
    for position, column in enumerate(columns):
        groups: dict[str, list[tuple[Hashable, float]]] = {}
        for pair, difference in zip(pairs, differences, strict=True):
            groups.setdefault(pair.slices[position], []).append(difference)
        fullest = sorted(groups, key=lambda value: (-len(groups[value]), value))
        if len(fullest) > MOST_SLICES:
            left_out[column] = len(fullest) - MOST_SLICES
        for value in fullest[:MOST_SLICES]:
            comparison = compare(groups[value], scale, seed=seed)
            if comparison is not None:
                found.append((column, value, comparison))
    adjusted = holm([comparison.p for *_, comparison in found])
    return (
        tuple(
            Slice(column=column, value=value, comparison=comparison, adjusted=p)
            for (column, value, comparison), p in zip(found, adjusted, strict=True)
        ),
        left_out,
    )


def _flips(pairs: Sequence[Pair], sign: float, most: int) -> Flips:
    kind: Literal["passes", "scores"] = (
        "passes"
        if any(pair.passed_a is not None and pair.passed_b is not None for pair in pairs)
        else "scores"
    )
    flipped = [pair for pair in pairs if _flipped(pair, kind)]
    better = sum(_gain(pair, sign, kind) > 0 for pair in flipped)
    # worse before better where both moved as far: the drop is what somebody has to look at
    largest = nsmallest(
        most,
        flipped,
        key=lambda pair: (-abs(pair.b - pair.a), _gain(pair, sign, kind), pair.case_id),
    )
    return Flips(
        kind=kind,
        better=better,
        worse=len(flipped) - better,
        shown=tuple(
            Flip(
                case_id=pair.case_id,
                a=pair.a,
                b=pair.b,
                difference=sign * (pair.b - pair.a),
                passed_a=verdict(pair.passed_a),
                passed_b=verdict(pair.passed_b),
            )
            for pair in largest
        ),
    )


def _flipped(pair: Pair, kind: str) -> bool:
    if kind == "scores":
        return abs(pair.b - pair.a) > 1e-12 * max(abs(pair.a), abs(pair.b))
    return {verdict(pair.passed_a), verdict(pair.passed_b)} == {True, False}


def _gain(pair: Pair, sign: float, kind: str) -> float:
    if kind == "passes":
        return 1.0 if verdict(pair.passed_b) else -1.0
    return sign * (pair.b - pair.a)
