"""How often a judge is right where people pass a case and where they fail it, and limits of the rate that follows."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from adjudge.stats.intervals import CONFIDENCE, Estimate, wilson
from adjudge.stats.student import t_quantile

_UPPER = 0.5 + CONFIDENCE / 2.0


class LabelledAnswer(NamedTuple):
    """A labelled case: what people said, and whether the judge said the same."""

    passes: bool
    right: bool
    weight: float
    """One over the chance with which it was drawn."""
    cluster: Hashable


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A weighted share, and the n that independent cases of equal weight would need to be as sure."""

    value: float
    effective: float
    count: int

    def estimate(self) -> Estimate:
        low, high = wilson(self.value, self.effective)
        return Estimate(value=self.value, low=low, high=high, n=self.count, method="Wilson")


def share_right(answers: Sequence[LabelledAnswer]) -> Share | None:
    """None of nothing."""
    total = sum(answer.weight for answer in answers)
    if not total:
        return None
    value = sum(answer.weight * answer.right for answer in answers) / total
    variance = sum((answer.weight * (answer.right - value)) ** 2 for answer in answers) / total**2
    effective = total * total / sum(answer.weight**2 for answer in answers)
    if variance > 0.0:
        # Heavy weights that are rarely wrong cost less than Kish's formula, blind to that, says.
        effective = min(float(len(answers)), max(effective, value * (1.0 - value) / variance))
    return Share(value=value, effective=effective, count=len(answers))


def fieller(
    rate: float, parts: Mapping[Hashable, float], answers: Sequence[LabelledAnswer]
) -> tuple[float, float]:
    """95 % limits of a rate, within 0 and 1, from the judge's rate and labels of both kinds.

    The corrected rate is a ratio, and its limits are the rates t at which (rate + specificity - 1) - t (sensitivity +
    specificity - 1) is not significantly off 0 (Fieller 1954). Its variance is from what each cluster adds to the
    three shares, so that weights, clusters and cases that are in two of the shares count as what they are. Lang and
    Reiczigel's interval (2014) knows of none of these: it is for labels from elsewhere, and covers 97 to 99 % of the
    time with labels of the run's own cases.

    `parts` is each cluster's part of the judge's rate, in differences from it that add up to 0.
    """
    passing = _parts([answer for answer in answers if answer.passes])
    failing = _parts([answer for answer in answers if not answer.passes])
    clusters = {answer.cluster for answer in answers}
    # A sum over few clusters is too small by (n - 1) / n.
    few, all_of = len(clusters) / max(1, len(clusters) - 1), len(parts) / max(1, len(parts) - 1)
    judge = all_of * sum(part * part for part in parts.values())
    passing_variance = few * (sum(part * part for part in passing.by_cluster.values()) + passing.unseen)
    failing_variance = few * (sum(part * part for part in failing.by_cluster.values()) + failing.unseen)
    judge_passing = _product(passing.by_cluster, parts)
    judge_failing = _product(failing.by_cluster, parts)
    both = _product(passing.by_cluster, failing.by_cluster)
    above, below = rate + failing.share - 1.0, passing.share + failing.share - 1.0
    variance_above = judge + failing_variance + 2.0 * judge_failing
    variance_below = passing_variance + failing_variance + 2.0 * both
    shared = failing_variance + judge_failing + judge_passing + both
    weights = [answer.weight for answer in answers]
    effective = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    squared = t_quantile(_UPPER, max(1.0, min(effective, len(clusters)) - 1.0)) ** 2
    a = below * below - squared * variance_below
    if a <= 0.0:
        return 0.0, 1.0
    b = above * below - squared * shared
    root = sqrt(max(0.0, b * b - a * (above * above - squared * variance_above)))
    return max(0.0, (b - root) / a), min(1.0, (b + root) / a)


class _Parts(NamedTuple):
    share: float
    by_cluster: Mapping[Hashable, float]
    """What each cluster adds to the share's error."""
    unseen: float
    """What half a right and half a wrong case, of the mean weight, would add to its variance: a judge that was never
    seen to be wrong may be, now and then."""


def _parts(answers: Sequence[LabelledAnswer]) -> _Parts:
    total = sum(answer.weight for answer in answers)
    right = sum(answer.weight * answer.right for answer in answers)
    mean = total / len(answers)
    guarded, whole = (right + mean / 2.0) / (total + mean), total + mean
    by_cluster: dict[Hashable, float] = defaultdict(float)
    for answer in answers:
        by_cluster[answer.cluster] += answer.weight * (answer.right - guarded) / whole
    unseen = mean * mean / 2.0 * ((1.0 - guarded) ** 2 + guarded**2) / whole**2
    return _Parts(right / total, by_cluster, unseen)


def _product(some: Mapping[Hashable, float], others: Mapping[Hashable, float]) -> float:
    return sum(part * others.get(cluster, 0.0) for cluster, part in some.items())
