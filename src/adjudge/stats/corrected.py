"""What people would have said on average, of one run or of two runs' difference, from a judge's scores for all cases and people's labels for some."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import Literal, NamedTuple

from adjudge.records import Scale
from adjudge.stats.clusters import clustered_mean, warn_of_few
from adjudge.stats.error_rates import LabelledAnswer, fieller, share_right
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined
from adjudge.stats.student import t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0
FEWEST_LABELS = 10
FEWEST_DIFFERENT = 5

CorrectedTarget = Literal["judge", "people", "difference"]
"""Which mean, over the cases that these were drawn from: what the judge says, what people would say, or by how much people
would find B better."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedCase:
    """One case of a run, with its label where it has one."""

    judge: float
    person: float | None = None
    probability: float | None = None
    """The chance with which this case was drawn for labelling; None when that is not known."""
    cluster: Hashable = None
    """None when the case is its own."""


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
    estimate = clustered_mean(((_cluster(case, at), case.judge) for at, case in enumerate(cases)), scale)
    if estimate is None:
        return Undefined(why="no case was judged")
    return Corrected(estimate=estimate, target="judge", labels=sum(c.person is not None for c in cases))


def ppi_mean(
    cases: Sequence[JudgedCase], scale: Scale | None = None, *, tuning: float | None = None
) -> Corrected | Undefined:
    """PPI++ (Angelopoulos, Duchi and Zrnic 2023) with inverse-probability weights (Zrnic and Candès 2024).

    The judge's mean over all cases, times lambda, plus the weighted mean of what the labelled ones leave over. Lambda
    is the one that makes the variance least. The weights are normalised (Hájek), so that the luck of how much weight
    was drawn does not enter.

    A lambda tuned to a hundred labels makes them look surer than they are. The variance is therefore a jackknife over
    the labelled clusters that tunes lambda anew each time, and with a scale the interval is made on its logit.
    """
    problem = _why_not(cases)
    if problem:
        return problem
    if tuning is None and all(case.person is not None for case in cases):
        # The judge then has nothing to add: any lambda gives the same mean, and only 0 shows how sure it is.
        tuning = 0.0
    sums = _sum_up(cases)
    whole = _add(sums.labelled.values())
    chosen = sums.tuned(whole) if tuning is None else tuning
    value = sums.estimate(whole, chosen)
    left_out = []
    for own in sums.labelled.values():
        rest = _Labels(*(all_of - one for all_of, one in zip(whole, own, strict=True)))
        if rest.weight > 1e-9 * whole.weight:
            left_out.append(sums.estimate(rest, sums.tuned(rest) if tuning is None else tuning))
    groups = len(sums.labelled)
    middle = sum(left_out) / max(1, len(left_out))
    variance = (groups - 1) / groups * sum((one - middle) ** 2 for one in left_out)
    variance += chosen * chosen * sums.judge_variance + 2.0 * chosen * sums.shared(whole, chosen)
    labelled = [case for case in cases if case.person is not None]
    left = [(case.person or 0.0) - chosen * case.judge for case in labelled]
    weights = [1.0 / (case.probability or 1.0) for case in labelled]
    effective = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    low, high = _limits(cases, scale)
    error, critical = sqrt(max(0.0, variance)), t_quantile(_UPPER, max(1.0, min(effective, groups) - 1.0))
    ends = (value - critical * error, value + critical * error)
    if scale is not None and high > low:
        ends = _logit_ends((value - low) / (high - low), error / (high - low), critical)
        ends = (low + ends[0] * (high - low), low + ends[1] * (high - low))
    if max(left) - min(left) <= 1e-9:
        # As equal values in `intervals.mean_interval`: others may exist, unseen.
        unseen = (1.0 - (1.0 - _UPPER) ** (1.0 / effective)) * (high - low)
        ends = (ends[0] - unseen, ends[1] + unseen)
    value = min(max(value, low), high)
    estimate = Estimate(
        value=value,
        low=min(value, max(ends[0], low)),
        high=max(value, min(ends[1], high)),
        n=len(cases),
        method=f"PPI++ (lambda {chosen:.2f}, {len(labelled)} labels, jackknife)",
        clusters=sums.clusters if sums.clusters < len(cases) else None,
        warning=_few_labels(len(labelled), left) or warn_of_few(groups),
    )
    return Corrected(estimate=estimate, target="people", labels=len(labelled), tuning=chosen)


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
        if min(passing.count, failing.count) >= FEWEST_LABELS
        else f"fewer than {FEWEST_LABELS} labels of one kind: an interval over so few is unreliable",
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
class _PpiSums:
    labelled: dict[Hashable, _Labels]
    """By cluster, for the clusters with a label."""
    judge_mean: float
    judge_squares: float
    """The sum over clusters of the squared say of their judge's scores in the judge's mean."""
    clusters: int

    @property
    def judge_variance(self) -> float:
        return self.judge_squares * self.clusters / max(1, self.clusters - 1)

    def estimate(self, labels: _Labels, tuning: float) -> float:
        return tuning * self.judge_mean + (labels.people - tuning * labels.judge) / labels.weight

    def shared(self, labels: _Labels, tuning: float) -> float:
        """The covariance of the judge's mean with what the labels leave over: the labelled cases are in both."""
        left = (labels.people - tuning * labels.judge) / labels.weight
        return (labels.people_all - tuning * labels.judge_all - left * labels.weight_all) / labels.weight

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


def _sum_up(cases: Sequence[JudgedCase]) -> _PpiSums:
    mean = sum(case.judge for case in cases) / len(cases)
    parts: dict[Hashable, float] = defaultdict(float)
    labels: dict[Hashable, tuple[float, float, float]] = {}
    for at, case in enumerate(cases):
        key = _cluster(case, at)
        parts[key] += (case.judge - mean) / len(cases)
        if case.person is not None:
            weight = 1.0 / (case.probability or 1.0)
            w, y, f = labels.get(key, (0.0, 0.0, 0.0))
            labels[key] = (w + weight, y + weight * case.person, f + weight * case.judge)
    return _PpiSums(
        labelled={
            key: _Labels(
                w, y, f, y * f, y * w, f * w, w * w, f * f, y * parts[key], f * parts[key], w * parts[key]
            )
            for key, (w, y, f) in labels.items()
        },
        judge_mean=mean,
        judge_squares=sum(value * value for value in parts.values()),
        clusters=len(parts),
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


def _few_labels(count: int, left: list[float]) -> str | None:
    if count < FEWEST_LABELS:
        return f"{count} labels: an interval over fewer than {FEWEST_LABELS} is unreliable"
    usual = max(set(left), key=left.count)
    unusual = sum(abs(value - usual) > 1e-9 for value in left)
    return f"only {unusual} labels differ from the judge" if unusual < 5 else None


def _limits(cases: Sequence[JudgedCase], scale: Scale | None) -> tuple[float, float]:
    seen = [value for case in cases for value in (case.judge, case.person) if value is not None]
    if scale is None:
        return -inf if not seen else min(seen), max(seen, default=inf)
    return min(scale.low, *seen), max(scale.high, *seen)


def _cluster(case: JudgedCase, at: int) -> Hashable:
    return ("row", at) if case.cluster is None else ("cluster", case.cluster)


def _difference(a: JudgedCase, b: JudgedCase, sign: float) -> float | None:
    return None if a.person is None or b.person is None else sign * (b.person - a.person)


def _few_different(labelled: Sequence[JudgedCase]) -> str | None:
    """A mean of differences rests on those that are not 0, by people or by the judge: few of them are a small sample."""
    if len(labelled) < FEWEST_LABELS:
        return f"an interval over fewer than {FEWEST_LABELS} cases with labels on both sides is unreliable"
    different = sum(bool(row.person) or bool(row.judge) for row in labelled)
    if different < FEWEST_DIFFERENT:
        return (
            f"only {different} labelled cases differ between the runs: an interval over so few is unreliable"
        )
    return warn_of_few(
        len({("row", at) if row.cluster is None else row.cluster for at, row in enumerate(labelled)})
    )
