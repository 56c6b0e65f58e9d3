"""What people would have said on average, of one run or of two runs' difference, from a judge's scores for all cases and people's labels for some."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import Literal, NamedTuple

from adjudge.records import Scale
from adjudge.stats.clusters import clustered_mean, warn_of_few
from adjudge.stats.error_rates import LabelledAnswer, fieller, share_right
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined, mean_interval
from adjudge.stats.student import t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0
MIN_LABELS = 10
MIN_DIFFERENT = 5
MIN_UNJUDGED = 3
"""Labels of cases without a verdict, to speak for the others; fewer will do where no other is left."""

CorrectedTarget = Literal["judge", "people", "difference"]
"""Which mean, over the cases that these were drawn from: what the judge says, what people would say, or by how much people
would find B better."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnjudgedCase:
    """One case on which the judge was asked and gave no verdict, with its label where it has one."""

    person: float | None = None
    probability: float | None = None
    """The chance with which this case was drawn for labelling; None when that is not known."""
    cluster: Hashable = None
    """None when the case is its own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedCase(UnjudgedCase):
    """One case of a run with its score, and its label where it has one."""

    judge: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrected:
    estimate: Estimate
    target: CorrectedTarget
    labels: int
    tuning: float | None = None
    """How much of the judge's say was taken, from 0 (labels alone) to 1 (PPI++'s lambda)."""
    sensitivity: Estimate | None = None
    specificity: Estimate | None = None


def naive_mean(cases: Sequence[JudgedCase], scale: Scale | None = None) -> Corrected | Undefined:
    """The judge's own mean, which is the people's only if the judge's errors cancel."""
    values = [(_cluster(case, at), case.judge) for at, case in enumerate(cases)]
    if not values:
        return Undefined(why="no case was judged")
    alone = len({cluster for cluster, _ in values}) == len(values)  # as a report's own mean has it
    estimate = (
        mean_interval((value for _, value in values), scale) if alone else clustered_mean(values, scale)
    )
    assert estimate is not None
    return Corrected(estimate=estimate, target="judge", labels=sum(c.person is not None for c in cases))


def ppi_mean(
    cases: Sequence[JudgedCase],
    scale: Scale | None = None,
    *,
    unjudged: Sequence[UnjudgedCase] = (),
    tuning: float | None = None,
) -> Corrected | Undefined:
    """PPI++ (Angelopoulos, Duchi and Zrnic 2023) with inverse-probability weights (Zrnic and Candès 2024).

    The judge's mean over all cases, times lambda, plus the weighted mean of what the labelled ones leave over. Lambda
    is the one that makes the variance least. The weights are normalised (Hájek), so that the luck of how much weight
    was drawn does not enter.

    Cases without a verdict (`unjudged`) are a stratum of their own, of which labels alone tell: the mean is that of both
    strata, each by its share of all cases.

    A lambda tuned to a hundred labels makes them look surer than they are. The variance is therefore a jackknife over
    the labelled clusters that tunes lambda anew each time, and with a scale the interval is made on its logit.
    """
    problem = _why_not(cases) or _why_not_unjudged(unjudged)
    if problem:
        return problem
    total = len(cases) + len(unjudged)
    strata = [_stratum(cases, tuning, total)]
    if unjudged:
        strata.append(_stratum(unjudged, 0.0, total))
    value = sum(each.share * each.mean for each in strata)
    labelled = dict.fromkeys(key for each in strata for key in each.sums.labelled)
    left_out = [
        sum(each.share * each.without.get(key, each.mean) for each in strata)
        for key in labelled
        if any(key in each.without for each in strata)
    ]
    groups = len(labelled)
    variance = _jackknife_variance(left_out, groups) + _spread_variance(strata, value, total)
    low, high = _limits([*cases, *unjudged], scale)
    error, critical = sqrt(max(0.0, variance)), t_quantile(_UPPER, _degrees(strata))
    ends = (value - critical * error, value + critical * error)
    if scale is not None and high > low:
        ends = _logit_ends((value - low) / (high - low), error / (high - low), critical)
        ends = (low + ends[0] * (high - low), low + ends[1] * (high - low))
    unseen = sum(each.share * each.unseen for each in strata) * (high - low)
    value = min(max(value, low), high)
    labels, chosen = len(strata[0].left), strata[0].tuning
    clusters = len({key for each in strata for key in each.sums.parts})
    alone = f"; labels alone of {len(unjudged)} cases without a verdict" if unjudged else ""
    estimate = Estimate(
        value=value,
        low=min(value, max(ends[0] - unseen, low)),
        high=max(value, min(ends[1] + unseen, high)),
        n=total,
        method=f"PPI++ (lambda {chosen:.2f}, {labels} labels, jackknife{alone})",
        clusters=clusters if clusters < total else None,
        warning=_few_labels(labels, strata[0].left) or _few_unjudged(unjudged) or warn_of_few(groups),
    )
    return Corrected(
        estimate=estimate, target="people", labels=sum(len(each.left) for each in strata), tuning=chosen
    )


def rogan_gladen(cases: Sequence[JudgedCase]) -> Corrected | Undefined:
    """The rate of passes by people, from the judge's rate and its errors (Rogan and Gladen 1978).

    Sensitivity and specificity are from the labels, weighted by how those were drawn; the interval is Fieller's, which
    knows that they are estimates too (see `error_rates`).
    """
    problem = _why_not(cases)
    if problem:
        return problem
    if any(value not in (0.0, 1.0) for case in cases for value in (case.judge, case.person or 0.0)):
        return Undefined(why="sensitivity and specificity need pass or fail labels")
    answers = [
        LabelledAnswer(
            case.person == 1.0, case.judge == case.person, 1.0 / (case.probability or 1.0), _cluster(case, at)
        )
        for at, case in enumerate(cases)
        if case.person is not None
    ]
    passing = share_right([answer for answer in answers if answer.passes])
    failing = share_right([answer for answer in answers if not answer.passes])
    if passing is None or failing is None:
        return Undefined(why="people gave only one of the two labels, so one kind of error was not seen")
    sensitivity, specificity = passing.estimate(), failing.estimate()
    youden = sensitivity.value + specificity.value - 1.0
    # Newcombe 1998, method 10: the sum of two independent shares from their Wilson limits.
    youden_low = youden - sqrt(
        (sensitivity.value - sensitivity.low) ** 2 + (specificity.value - specificity.low) ** 2
    )
    if youden_low <= 0.0:
        return Undefined(
            why=f"sensitivity + specificity - 1 is {youden:.2f} and may be as low as {max(youden_low, -1.0):.2f}: "
            "the judge may be no better than chance, so its rate cannot be corrected"
        )
    rate = sum(case.judge for case in cases) / len(cases)
    parts: dict[Hashable, float] = defaultdict(float)
    for at, case in enumerate(cases):
        parts[_cluster(case, at)] += (case.judge - rate) / len(cases)
    low, high = fieller(rate, parts, answers)
    value = min(1.0, max(0.0, (rate + specificity.value - 1.0) / youden))
    labels = passing.count + failing.count
    estimate = Estimate(
        value=value,
        low=min(low, value),
        high=max(high, value),
        n=len(cases),
        method=f"Rogan-Gladen (Fieller interval, {labels} labels)",
        clusters=len(parts) if len(parts) < len(cases) else None,
        warning=None
        if min(passing.count, failing.count) >= MIN_LABELS
        else f"fewer than {MIN_LABELS} labels of one kind: an interval over so few is unreliable",
    )
    return Corrected(
        estimate=estimate,
        target="people",
        labels=labels,
        sensitivity=sensitivity,
        specificity=specificity,
    )


def differences(
    a: Mapping[str, JudgedCase],
    b: Mapping[str, JudgedCase],
    chances: Mapping[str, float],
    *,
    sign: float = 1.0,
) -> list[JudgedCase]:
    """B - A for the cases in both, in the order of `a`; A - B with a `sign` of -1.

    `chances` has the chance with which both answers to a case were labelled. One draw that asks for both has one chance
    for each case; of two draws made independently it is the product. A case that is not there was labelled by whatever
    nobody knows, and its labels are not used.
    """
    return [
        JudgedCase(
            judge=sign * (b[name].judge - first.judge),
            person=None if name not in chances else _difference(first, b[name], sign),
            probability=chances.get(name),
            cluster=first.cluster,
        )
        for name, first in a.items()
        if name in b
    ]


def corrected_difference(rows: Sequence[JudgedCase], width: float | None = None) -> Corrected | Undefined:
    """PPI++ over `differences`; `width` is the length of the scale that both sides were judged on.

    The judge's errors cancel in a difference only if it makes the same ones on both sides. This does not suppose so: the
    mean difference of the judge's scores is moved by what the labelled cases say of its errors.
    """
    scale = None if width is None else Scale(low=-width, high=width)
    found = ppi_mean(rows, scale)
    if isinstance(found, Undefined):
        return found
    labelled = [row for row in rows if row.person is not None]
    estimate = replace(found.estimate, warning=_few_different(labelled))
    return replace(found, estimate=estimate, target="difference")


class _Labels(NamedTuple):
    """Weighted sums over labelled cases and, by cluster, the products of those sums that lambda needs."""

    weight: float
    people: float
    judge: float
    people_judge: float
    people_weight: float
    judge_weight: float
    weight_weight: float
    judge_judge: float
    people_all: float
    judge_all: float
    weight_all: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stratum:
    """The judged cases, or those without a verdict."""

    sums: "_PpiSums"
    share: float
    """Of all cases."""
    tuning: float
    """Lambda."""
    mean: float
    without: Mapping[Hashable, float]
    """Labelled cluster -> the mean without it, where others are left."""
    residuals: Mapping[Hashable, float]
    """Labelled cluster -> its part in how far the labels lie from the mean."""
    left: Sequence[float]
    """Label by label, what lambda times the judge leaves over."""
    effective: float
    """The number of labels, as far as weights leave them; the number of labelled clusters at most."""
    unseen: float
    """How large a share of others may exist where all that is left over is the same, or of one cluster."""


def _stratum(cases: Sequence[UnjudgedCase], tuning: float | None, total: int) -> _Stratum:
    if tuning is None and all(case.person is not None for case in cases):
        # The judge then has nothing to add: any lambda gives the same mean, and only 0 shows how sure it is.
        tuning = 0.0
    sums = _sum_up(cases)
    whole = _add(sums.labelled.values())
    chosen = sums.tuned(whole) if tuning is None else tuning
    without = {}
    for key, own in sums.labelled.items():
        rest = _Labels(*(all_of - one for all_of, one in zip(whole, own, strict=True)))
        if rest.weight > 1e-9 * whole.weight:
            without[key] = sums.estimate(rest, sums.tuned(rest) if tuning is None else tuning)
    labelled = [case for case in cases if case.person is not None]
    left = [(case.person or 0.0) - chosen * _score(case) for case in labelled]
    weights = [1.0 / (case.probability or 1.0) for case in labelled]
    effective = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    middle = (whole.people - chosen * whole.judge) / whole.weight
    unseen = 0.0
    if max(left) - min(left) <= 1e-9 or not without:
        # As equal values in `intervals.mean_interval`: others may exist, unseen.
        unseen = 1.0 - (1.0 - _UPPER) ** (1.0 / (effective if without else 1.0))
    return _Stratum(
        sums=sums,
        share=len(cases) / total,
        tuning=chosen,
        mean=sums.estimate(whole, chosen),
        without=without,
        residuals={
            key: (own.people - chosen * own.judge - middle * own.weight) / whole.weight
            for key, own in sums.labelled.items()
        },
        left=left,
        effective=min(effective, len(sums.labelled)),
        unseen=unseen,
    )


def _jackknife_variance(left_out: Sequence[float], groups: int) -> float:
    middle = sum(left_out) / max(1, len(left_out))
    return (groups - 1) / groups * sum((one - middle) ** 2 for one in left_out)


def _spread_variance(strata: Sequence[_Stratum], value: float, total: int) -> float:
    """Of what is known of every case: the judge's scores, and which stratum it is in; with its covariance with the labels."""
    spread: dict[Hashable, float] = defaultdict(float)
    residuals: dict[Hashable, float] = defaultdict(float)
    for each in strata:
        for key, part in each.sums.parts.items():
            spread[key] += each.share * each.tuning * part
            spread[key] += (each.mean - value) * each.sums.sizes[key] / total
        for key, residual in each.residuals.items():
            residuals[key] += each.share * residual
    squares = sum(part * part for part in spread.values())
    shared = sum(spread[key] * residual for key, residual in residuals.items())
    return squares * len(spread) / max(1, len(spread) - 1) + 2.0 * shared


def _degrees(strata: Sequence[_Stratum]) -> float:
    """Welch and Satterthwaite's degrees of freedom, over the strata."""
    degrees = [max(1.0, each.effective - 1.0) for each in strata]
    variances = [
        each.share**2 * _jackknife_variance(list(each.without.values()), len(each.sums.labelled))
        for each in strata
    ]
    whole = sum(variances)
    if len(strata) == 1 or whole <= 0.0:
        return degrees[0]
    return whole**2 / sum(part**2 / each for part, each in zip(variances, degrees, strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class _PpiSums:
    labelled: dict[Hashable, _Labels]
    """By cluster, for the clusters with a label."""
    judge_mean: float
    judge_squares: float
    """The sum over clusters of the squared say of their judge's scores in the judge's mean."""
    parts: Mapping[Hashable, float]
    """That say, by cluster."""
    sizes: Mapping[Hashable, int]
    """Cases of each cluster."""

    def estimate(self, labels: _Labels, tuning: float) -> float:
        return tuning * self.judge_mean + (labels.people - tuning * labels.judge) / labels.weight

    def tuned(self, labels: _Labels) -> float:
        """The lambda of least variance: each cluster's say is a - lambda b, and this is sum(ab) / sum(bb)."""
        total = labels.weight
        y, f = labels.people / total, labels.judge / total
        shared = (
            labels.people_judge
            - f * labels.people_weight
            - y * labels.judge_weight
            + y * f * labels.weight_weight
        ) / total**2 - (labels.people_all - y * labels.weight_all) / total
        squared = (
            (labels.judge_judge - 2.0 * f * labels.judge_weight + f * f * labels.weight_weight) / total**2
            - 2.0 * (labels.judge_all - f * labels.weight_all) / total
            + self.judge_squares
        )
        return min(1.0, max(0.0, shared / squared)) if squared > 1e-24 else 0.0


def _score(case: UnjudgedCase) -> float:
    """Where there is none lambda is 0, and whatever stands here does not count."""
    return case.judge if isinstance(case, JudgedCase) else 0.0


def _sum_up(cases: Sequence[UnjudgedCase]) -> _PpiSums:
    mean = sum(map(_score, cases)) / len(cases)
    parts: dict[Hashable, float] = defaultdict(float)
    sizes: dict[Hashable, int] = defaultdict(int)
    labels: dict[Hashable, tuple[float, float, float]] = {}
    for at, case in enumerate(cases):
        key = _cluster(case, at)
        parts[key] += (_score(case) - mean) / len(cases)
        sizes[key] += 1
        if case.person is not None:
            weight = 1.0 / (case.probability or 1.0)
            w, y, f = labels.get(key, (0.0, 0.0, 0.0))
            labels[key] = (w + weight, y + weight * case.person, f + weight * _score(case))
    return _PpiSums(
        labelled={
            key: _Labels(
                w, y, f, y * f, y * w, f * w, w * w, f * f, y * parts[key], f * parts[key], w * parts[key]
            )
            for key, (w, y, f) in labels.items()
        },
        judge_mean=mean,
        judge_squares=sum(value * value for value in parts.values()),
        parts=parts,
        sizes=sizes,
    )


def _add(labels: Iterable[_Labels]) -> _Labels:
    return _Labels(*map(sum, zip(*labels, strict=True)))


def _logit_ends(share: float, error: float, critical: float) -> tuple[float, float]:
    """Limits on the logit scale, within 0 and 1; nearer to an end than its error, a share may be at that end."""
    edge = min(error, 0.5)
    if edge <= 0.0:
        return share, share
    inner = min(max(share, edge), 1.0 - edge)
    odds, margin = log(inner / (1.0 - inner)), critical * error / (inner * (1.0 - inner))
    low, high = (1.0 / (1.0 + exp(-min(max(end, -700.0), 700.0))) for end in (odds - margin, odds + margin))
    return (0.0 if share < edge else low), (1.0 if share > 1.0 - edge else high)


def _why_not(cases: Sequence[JudgedCase]) -> Undefined | None:
    labelled = [case for case in cases if case.person is not None]
    if len(labelled) < 3:
        return Undefined(why=f"{len(labelled)} labels are too few to correct with")
    if any(case.probability is None for case in labelled):
        return Undefined(
            why="how these cases were chosen for labelling is not known, so their errors may not be those of the rest"
        )
    if any(not 0.0 < (case.probability or 0.0) <= 1.0 for case in labelled):
        raise ValueError("a chance of being drawn is above 0 and at most 1")
    return None


def _why_not_unjudged(cases: Sequence[UnjudgedCase]) -> Undefined | None:
    labelled = [case for case in cases if case.person is not None]
    if len(labelled) < min(MIN_UNJUDGED, len(cases)):
        return Undefined(
            why=f"{len(labelled)} labels are too few to speak for {len(cases)} cases without a verdict"
        )
    if any(case.probability is None for case in labelled):
        return Undefined(
            why="how the cases without a verdict were chosen for labelling is not known, so they may not be like the rest"
        )
    return None


def _few_unjudged(cases: Sequence[UnjudgedCase]) -> str | None:
    labels = sum(case.person is not None for case in cases)
    if labels < min(MIN_LABELS, len(cases)):
        return f"{labels} labels speak for {len(cases)} cases without a verdict: fewer than {MIN_LABELS} are unreliable"
    return None


def _few_labels(count: int, left: Sequence[float]) -> str | None:
    if count < MIN_LABELS:
        return f"{count} labels: an interval over fewer than {MIN_LABELS} is unreliable"
    usual = max(set(left), key=left.count)
    unusual = sum(abs(value - usual) > 1e-9 for value in left)
    return f"only {unusual} labels differ from the judge" if unusual < 5 else None


def _limits(cases: Sequence[UnjudgedCase], scale: Scale | None) -> tuple[float, float]:
    seen = [case.person for case in cases if case.person is not None]
    seen += [case.judge for case in cases if isinstance(case, JudgedCase)]
    if scale is None:
        return -inf if not seen else min(seen), max(seen, default=inf)
    return min(scale.low, *seen), max(scale.high, *seen)


def _cluster(case: UnjudgedCase, at: int) -> Hashable:
    return ("row", isinstance(case, JudgedCase), at) if case.cluster is None else ("cluster", case.cluster)


def _difference(a: JudgedCase, b: JudgedCase, sign: float) -> float | None:
    return None if a.person is None or b.person is None else sign * (b.person - a.person)


def _few_different(labelled: Sequence[JudgedCase]) -> str | None:
    """A mean of differences rests on those that are not 0, by people or by the judge: few of them are a small sample."""
    if len(labelled) < MIN_LABELS:
        return f"an interval over fewer than {MIN_LABELS} cases with labels on both sides is unreliable"
    different = sum(bool(row.person) or bool(row.judge) for row in labelled)
    if different < MIN_DIFFERENT:
        return (
            f"only {different} labelled cases differ between the runs: an interval over so few is unreliable"
        )
    return warn_of_few(
        len({("row", at) if row.cluster is None else row.cluster for at, row in enumerate(labelled)})
    )
