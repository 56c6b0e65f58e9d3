"""The figures of a comparison: one test of the mean paired difference, what it was made from, and which cases changed."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import Literal

from adjudge.analysis.comparison.corrected import Correction, NotCorrected
from adjudge.analysis.comparison.matching import Letter, Matching, Pair
from adjudge.analysis.comparison.people import AgreementComparison, mean_estimate, share_estimate
from adjudge.analysis.summary.sample import Bounds
from adjudge.records import Judge, Scale
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined
from adjudge.stats.paired import Comparison, compare
from adjudge.stats.pairs import holm, mcnemar, wilcoxon
from adjudge.stats.populations import population
from adjudge.stats.repeats import Retests

MAX_SLICES = 30
"""Of each column; the fullest. What a column of ids says about each of its values is nothing."""
UNIT_SCALE = Scale(low=0.0, high=1.0)

Finding = Literal["better", "worse", "inconclusive", "not_measured"]
"""Of B against A."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedRun:
    """One side: a run, and the judge of it that is compared."""

    run_id: str
    judge: Judge
    model: str | None = None
    """One of several that judged the run; None: all its verdicts are one model's, or a jury's."""

    @property
    def reference(self) -> str:
        return f"{self.judge.name}@{self.judge.hash}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedSide:
    """One run, as far as it is compared."""

    run: str
    judge: str
    """`name@hash`."""
    models: tuple[str, ...]
    snapshots: tuple[str, ...]
    """What the provider says it ran."""
    cases: int
    unmatched: int
    """Cases that the other run does not have."""
    not_judged: Mapping[str, int]
    """Cases of both runs that were not judged in this one, by outcome."""
    unread_rows: int
    """Rows that could not be read as a case, and so cannot be matched."""
    repeats: int
    repeats_not_scored: int
    """Of cases that other repeats did judge."""
    mean: Estimate | None = field(metadata=population("judged in both runs", "case"))
    """Of the pairs, on the judge's own scale."""
    pass_rate: Estimate | None = field(metadata=population("judged in both runs", "case"))


@dataclass(frozen=True, kw_only=True, slots=True)
class NotComputed:
    """A secondary test that these pairs do not allow."""

    reason: Literal[
        "clustered", "no_pass_rule", "tied_repeats", "no_discordant_pairs", "all_differences_zero", "too_few"
    ]
    cases: int | None = None
    """With `tied_repeats`: how many have as many passes as fails."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondaryTests:
    """p values that do not decide; for independent pairs only."""

    mcnemar: float | NotComputed = field(metadata=population("judged in both runs", "case"))
    """Mid-p."""
    wilcoxon: float | NotComputed = field(metadata=population("judged in both runs", "case"))
    """Signed ranks, Pratt's zeros."""
    only_a_passed: int
    only_b_passed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedSlice:
    column: str
    value: str
    finding: Finding
    """By the adjusted p value."""
    comparison: Comparison = field(metadata=population("judged in both runs", "case"))
    p_holm: float = field(metadata=population("judged in both runs", "case"))
    """Over all slices listed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedAnswer:
    score: float
    passed: bool | None
    """By most repeats; None when they are tied, or there is no rule."""
    response: str | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedCase:
    case_id: str
    difference: float
    """Above 0: B is better."""
    a: JudgedAnswer
    b: JudgedAnswer
    question: str | None = None
    expected: str | None = None
    """A's reference, or B's where A has none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedCases:
    count: int
    cases: tuple[ChangedCase, ...]
    """Some of them, the largest differences first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    of: Literal["pass", "score"]
    """A pass that became a failure, or the other way; without a pass rule, a score that changed."""
    regressions: ChangedCases
    improvements: ChangedCases

    @property
    def cases(self) -> tuple[ChangedCase, ...]:
        return (*self.regressions.cases, *self.improvements.cases)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeComparison:
    """One judge over both runs. Differences are B - A, or A - B where lower is better: above 0, B is better."""

    finding: Finding
    a: ComparedSide
    b: ComparedSide
    scale: Scale | None
    normalized: bool
    """Scores were put on a scale of 0 to 1, higher being better, because the judges' own scales differ."""
    lower_is_better: bool
    matched: int
    """Cases of both runs, judged or not."""
    pairs: int
    """Cases judged in both."""
    clusters: int | None
    """None where every case is its own."""
    clusters_differ: int
    comparison: Comparison | None = field(metadata=population("judged in both runs", "case"))
    """The one primary test; None of no pairs."""
    bounds: Bounds | None = field(metadata=population("asked in both runs", "case"))
    """The ends of its 95 % intervals, had the matched cases without a pair been as bad, or as good, for B as the scale
    allows."""
    secondary: SecondaryTests
    pass_rules_differ: int
    """Cases with one score on both sides that pass on one only: the runs had different pass rules."""
    slices: tuple[ComparedSlice, ...]
    slices_omitted: Mapping[str, int]
    """Column -> how many of its values have no figure of their own."""
    changes: Changes
    judged_again: Estimate | Undefined = field(
        metadata=population("judged more than once", "pair of repeats")
    )
    """How often two judgements of one answer differ on passing: so many changes come from the judge alone."""
    agreement: AgreementComparison | None = None
    """Which side agrees more with people's labels; None when it was not asked."""
    correction: Correction | NotCorrected | None = None
    """The difference that people would find; None when neither run has a label."""

    @property
    def not_judged(self) -> int:
        return self.matched - self.pairs

    @property
    def same_judge(self) -> bool:
        """Whether the same judge with the same model is on both sides."""
        return (self.a.judge, self.a.models) == (self.b.judge, self.b.models)


def scales_differ(a: Judge, b: Judge) -> bool:
    return (a.scale, a.better) != (b.scale, b.better)


def compare_judge(
    matching: Matching, a: JudgedRun, b: JudgedRun, *, seed: int = 0, listed: int = 10
) -> JudgeComparison:
    """All figures of one judge that need no labels; `listed` changed cases of either kind, without their texts."""
    pairs = list(matching.pairs())
    scale = UNIT_SCALE if matching.normalized else a.judge.scale
    lower_is_better = a.judge.better == "lower" and not matching.normalized
    sign = -1.0 if lower_is_better else 1.0
    clusters = len({pair.cluster for pair in pairs})
    clustered = clusters < len(pairs)
    differences = [(pair.cluster, sign * (pair.b - pair.a)) for pair in pairs]
    comparison = compare(differences, scale, seed=seed)
    slices, omitted = _slices(matching.columns, pairs, differences, scale, seed)
    return JudgeComparison(
        finding="not_measured" if comparison is None else _finding(comparison, comparison.p),
        a=_side("a", a, matching, pairs, scale),
        b=_side("b", b, matching, pairs, scale),
        scale=scale,
        normalized=matching.normalized,
        lower_is_better=lower_is_better,
        matched=sum(1 for _ in matching.in_both()),
        pairs=len(pairs),
        clusters=clusters if clustered else None,
        clusters_differ=matching.clusters_differ,
        comparison=comparison,
        bounds=_bounds(matching, scale, sign),
        secondary=_secondary(pairs, [value for _, value in differences], clustered=clustered),
        pass_rules_differ=sum(pair.a == pair.b and _changed(pair, "pass") for pair in pairs)
        if a.reference == b.reference
        else 0,
        slices=slices,
        slices_omitted=omitted,
        changes=_changes(pairs, sign, listed),
        judged_again=_judged_again(matching),
    )


def _finding(comparison: Comparison, p: float) -> Finding:
    if p > 1.0 - CONFIDENCE:
        return "inconclusive"
    return "better" if comparison.difference.value > 0 else "worse"


def _side(
    letter: Letter, side: JudgedRun, matching: Matching, pairs: Sequence[Pair], scale: Scale | None
) -> ComparedSide:
    count, traits = matching.count(letter), matching.traits[letter]
    scores = [(pair.cluster, pair.a if letter == "a" else pair.b) for pair in pairs]
    passes = [(pair.cluster, pair.passed_a if letter == "a" else pair.passed_b) for pair in pairs]
    return ComparedSide(
        run=side.run_id,
        judge=side.reference,
        models=tuple(traits.models),
        snapshots=tuple(traits.snapshots),
        cases=count.cases,
        unmatched=count.unmatched,
        not_judged=count.not_judged,
        unread_rows=traits.unread_rows,
        repeats=traits.repeats,
        repeats_not_scored=count.repeats_not_scored,
        mean=mean_estimate(scores, scale),
        pass_rate=share_estimate([(cluster, share) for cluster, share in passes if share is not None]),
    )


def most_passed(share: float | None) -> bool | None:
    """Whether most repeats passed; None when they are tied, or there is no rule."""
    return None if share is None or share == 0.5 else share > 0.5


def _secondary(pairs: Sequence[Pair], differences: Sequence[float], *, clustered: bool) -> SecondaryTests:
    ruled = [pair for pair in pairs if pair.passed_a is not None and pair.passed_b is not None]
    passes = [(most_passed(pair.passed_a), most_passed(pair.passed_b)) for pair in ruled]
    only_a, only_b = passes.count((True, False)), passes.count((False, True))
    tied = sum(None in each for each in passes)
    mcnemar_p: float | NotComputed | Undefined = mcnemar(only_a, only_b)
    wilcoxon_p: float | NotComputed | Undefined = wilcoxon(differences)
    if clustered:
        mcnemar_p = wilcoxon_p = NotComputed(reason="clustered")
    elif not ruled:
        mcnemar_p = NotComputed(reason="no_pass_rule")
    elif tied:
        mcnemar_p = NotComputed(reason="tied_repeats", cases=tied)
    if isinstance(mcnemar_p, Undefined):
        mcnemar_p = NotComputed(reason="no_discordant_pairs")
    if isinstance(wilcoxon_p, Undefined):
        wilcoxon_p = NotComputed(reason="too_few" if any(differences) else "all_differences_zero")
    return SecondaryTests(mcnemar=mcnemar_p, wilcoxon=wilcoxon_p, only_a_passed=only_a, only_b_passed=only_b)


def _bounds(matching: Matching, scale: Scale | None, sign: float) -> Bounds | None:
    if scale is None:
        return None
    least: list[tuple[Hashable, float]] = []
    most: list[tuple[Hashable, float]] = []
    for cluster, a, b in matching.in_both():
        least_a, most_a = (scale.low, scale.high) if a.mean is None else (a.mean, a.mean)
        least_b, most_b = (scale.low, scale.high) if b.mean is None else (b.mean, b.mean)
        ends = sorted((sign * (least_b - most_a), sign * (most_b - least_a)))
        least.append((cluster, ends[0]))
        most.append((cluster, ends[1]))
    reach = Scale(low=scale.low - scale.high, high=scale.high - scale.low)
    low, high = mean_estimate(least, reach), mean_estimate(most, reach)
    return Bounds(low=low.low, high=high.high) if low and high else None


def _judged_again(matching: Matching) -> Estimate | Undefined:
    """How often two judgements of one answer differ on passing, by the repeats of both runs."""
    retests = Retests()
    for _, *sides in matching.in_both():
        for side in sides:
            retests.add_verdicts([True] * side.passed + [False] * (side.ruled - side.passed))
    return retests.flips()


def _slices(
    columns: Sequence[str],
    pairs: Sequence[Pair],
    differences: Sequence[tuple[Hashable, float]],
    scale: Scale | None,
    seed: int,
) -> tuple[tuple[ComparedSlice, ...], dict[str, int]]:
    found: list[tuple[str, str, Comparison]] = []
    omitted: dict[str, int] = {}
    for position, column in enumerate(columns):
        groups: dict[str, list[tuple[Hashable, float]]] = {}
        for pair, difference in zip(pairs, differences, strict=True):
            groups.setdefault(pair.slices[position], []).append(difference)
        fullest = sorted(groups, key=lambda value: (-len(groups[value]), value))
        if len(fullest) > MAX_SLICES:
            omitted[column] = len(fullest) - MAX_SLICES
        for value in fullest[:MAX_SLICES]:
            comparison = compare(groups[value], scale, seed=seed)
            if comparison is not None:
                found.append((column, value, comparison))
    adjusted = holm([comparison.p for *_, comparison in found])
    slices = tuple(
        ComparedSlice(
            column=column, value=value, finding=_finding(comparison, p), comparison=comparison, p_holm=p
        )
        for (column, value, comparison), p in zip(found, adjusted, strict=True)
    )
    return slices, omitted


def _changes(pairs: Sequence[Pair], sign: float, listed: int) -> Changes:
    ruled = any(pair.passed_a is not None and pair.passed_b is not None for pair in pairs)
    of: Literal["pass", "score"] = "pass" if ruled else "score"
    better: dict[bool, list[Pair]] = {False: [], True: []}
    for pair in pairs:
        if _changed(pair, of):
            improved = most_passed(pair.passed_b) if of == "pass" else sign * (pair.b - pair.a) > 0
            better[bool(improved)].append(pair)
    return Changes(
        of=of,
        regressions=_largest(better[False], sign, listed),
        improvements=_largest(better[True], sign, listed),
    )


def _largest(pairs: Sequence[Pair], sign: float, listed: int) -> ChangedCases:
    largest = nsmallest(listed, pairs, key=lambda pair: (-abs(pair.b - pair.a), pair.case_id))
    cases = tuple(
        ChangedCase(
            case_id=pair.case_id,
            difference=sign * (pair.b - pair.a),
            a=JudgedAnswer(score=pair.a, passed=most_passed(pair.passed_a)),
            b=JudgedAnswer(score=pair.b, passed=most_passed(pair.passed_b)),
        )
        for pair in largest
    )
    return ChangedCases(count=len(pairs), cases=cases)


def _changed(pair: Pair, of: Literal["pass", "score"]) -> bool:
    if of == "score":
        return abs(pair.b - pair.a) > 1e-12 * max(abs(pair.a), abs(pair.b))
    return {most_passed(pair.passed_a), most_passed(pair.passed_b)} == {True, False}
