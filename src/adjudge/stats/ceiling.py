"""How well people agree with each other, and whether the judge may take the place of one of them (the alt-test)."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import sqrt
from typing import Literal

from adjudge.stats import agreement
from adjudge.stats.agreement import WHERE, Level
from adjudge.stats.arrays import Array, need_numpy
from adjudge.stats.bootstrap import RESAMPLES, Figure, resample
from adjudge.stats.clusters import MIN_CLUSTERS, Clusters, clustered_rate
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.people import UNSEEN_ROWS, Label, sort_labels
from adjudge.stats.samples import number_clusters, sample_of_sums
from adjudge.stats.student import t_tail

MIN_ANNOTATORS = 3
MIN_CASES = 30
_FALSE_DISCOVERIES = 0.05
Annotations = Mapping[str, Mapping[str, Label]]
"""Annotator -> case -> label."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ceiling:
    """The agreement of people with each other.

    That of pairs is no limit for a judge: two labels are both noisy, and a judge that knows the truth is not. Held
    against the consensus of the others, a person and the judge are measured alike.
    """

    alpha: Estimate | Undefined
    pairs_agreed: Estimate | Undefined
    """The share of pairs of labels of one case that are equal."""
    consensus_agreed: Estimate | Undefined
    """The share of people's labels that are the most frequent label of the others; ties among the others are left out."""
    judge_consensus_agreed: Estimate | Undefined
    """The share of the judge's verdicts that are, over the same cases and the same others."""
    annotators: int
    cases: int
    """With two labels or more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgainstOne:
    """The judge beside one annotator, both measured by the others' labels."""

    annotator: str
    judge_advantage: float
    """The share of cases where the judge is at least as near to the others as the annotator is."""
    annotator_advantage: float
    p: float
    won: bool
    cases: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AltTest:
    epsilon: float
    winning_rate: float
    """The share of annotators that the judge may replace."""
    advantage: float
    """The chance that the judge is as good as a random annotator or better."""
    each: tuple[AgainstOne, ...]
    skipped: tuple[str, ...]
    """Annotators with too few shared cases."""

    @property
    def passed(self) -> bool:
        return self.winning_rate >= 0.5


def human_ceiling(
    annotations: Annotations,
    *,
    judge: Mapping[str, Label] | None = None,
    level: Level = "nominal",
    clusters: Mapping[str, Hashable] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Ceiling:
    """Krippendorff's alpha and plain agreement between people, over the cases with at least two labels.

    With the verdicts of a `judge`, also how often it agrees with the consensus of all but one of them.
    """
    by_case: dict[str, list[Label]] = defaultdict(list)
    for labels in annotations.values():
        for case, label in labels.items():
            by_case[case].append(label)
    shared = {case: labels for case, labels in by_case.items() if len(labels) > 1}
    groups = [clusters[case] if clusters else case for case in shared]
    agreed = clustered_rate(
        (group, first == second)
        for group, labels in zip(groups, shared.values(), strict=True)
        for first, second in combinations(labels, 2)
    )
    nothing = Undefined(why="no case has labels of two people")
    consensus = [
        (group, case, label, others)
        for group, (case, labels) in zip(groups, shared.items(), strict=True)
        for label, others in _each_and_the_others(labels)
    ]
    return Ceiling(
        alpha=krippendorff_alpha(
            list(shared.values()), level=level, clusters=groups, seed=seed, resamples=resamples
        )
        if shared
        else nothing,
        pairs_agreed=agreed or nothing,
        consensus_agreed=clustered_rate((group, label == others) for group, _, label, others in consensus)
        or nothing,
        judge_consensus_agreed=clustered_rate(
            (group, judge[case] == others) for group, case, _, others in consensus if judge and case in judge
        )
        or Undefined(why="no case has a verdict and a consensus of people"),
        annotators=len(annotations),
        cases=len(shared),
    )


def _each_and_the_others(labels: Sequence[Label]) -> Iterator[tuple[Label, Label]]:
    """Each label with the most frequent of the others; without those for which the others are tied."""
    for at, label in enumerate(labels):
        most = Counter([*labels[:at], *labels[at + 1 :]]).most_common(2)
        if len(most) == 1 or most[0][1] > most[1][1]:
            yield label, most[0][0]


def krippendorff_alpha(
    cases: Sequence[Sequence[Label]],
    *,
    level: Level = "nominal",
    clusters: Sequence[Hashable] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate | Undefined:
    """Alpha over any number of coders, missing labels left out; a case with one label has nothing to compare."""
    groups = list(clusters) if clusters is not None else list(range(len(cases)))
    rows = [(labels, group) for labels, group in zip(cases, groups, strict=True) if len(labels) > 1]
    if not rows:
        return Undefined(why="no case has two labels")
    np = need_numpy(WHERE)
    order = sort_labels({label for labels, _ in rows for label in labels})
    if level == "interval" and not all(isinstance(label, int | float) for label in order):
        raise ValueError("the interval level needs numeric labels")
    place = {label: position for position, label in enumerate(order)}
    size = len(order)
    counts: Array = np.zeros((len(rows), size))
    for row, (labels, _) in enumerate(rows):
        for label in labels:
            counts[row, place[label]] += 1.0
    together = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    together /= (counts.sum(1) - 1.0)[:, None, None]
    values = np.array([float(label) for label in order]) if level == "interval" else None
    metric = partial(agreement.alpha, level=level, values=values)

    def of(sums: Array) -> Array:
        return metric(sums.reshape(*sums.shape[:-1], size, size))

    figure = Figure(
        of=of,
        low=-1.0,
        high=1.0,
        why_undefined="only one label was used: agreement beyond chance is undefined",
        unseen_rows=0 if level == "nominal" else UNSEEN_ROWS,
    )
    sample = sample_of_sums(
        together.reshape(len(rows), size * size),
        number_clusters([group for _, group in rows], len(rows)),
        seed=seed,
    )
    return resample(sample, {"alpha": figure}, n=len(rows), seed=seed, resamples=resamples)["alpha"]


def alt_test(
    judge: Mapping[str, Label],
    annotations: Annotations,
    *,
    epsilon: float,
    nearness: Literal["equal", "squared"] = "equal",
    clusters: Mapping[str, Hashable] | None = None,
) -> AltTest | Undefined:
    """Calderon, Reichart and Dror (2025): may the judge replace an annotator?

    Each annotator is left out in turn. On each of their cases, the judge and the annotator are measured by the labels
    of the others: by how many are equal, or by the root mean square distance. The judge wins against this annotator
    when the share of cases where the annotator is at least as near, less that where the judge is, is significantly
    below `epsilon`, what the judge's lower cost is worth (the paper: 0.2 for experts, 0.1 for crowd workers). Winning
    against half of them or more, with false discoveries held at 5 % (Benjamini and Yekutieli), passes.

    The paper's t test takes cases as independent. Where they share `clusters`, it is one over clusters (CR2).
    """
    if len(annotations) < MIN_ANNOTATORS:
        return Undefined(why=f"{len(annotations)} annotators: the alt-test needs {MIN_ANNOTATORS}")
    score = _share_equal if nearness == "equal" else _negative_distance
    found: list[AgainstOne] = []
    skipped: list[str] = []
    for annotator, own in annotations.items():
        ahead: list[tuple[Hashable, bool, bool]] = []
        for case, label in own.items():
            others = [
                labels[case] for name, labels in annotations.items() if name != annotator and case in labels
            ]
            if case not in judge or not others:
                continue
            by_judge, by_annotator = score(judge[case], others), score(label, others)
            group = clusters.get(case, case) if clusters else case
            ahead.append((group, by_judge >= by_annotator, by_annotator >= by_judge))
        if len(ahead) < MIN_CASES or len({group for group, *_ in ahead}) < MIN_CLUSTERS:
            skipped.append(annotator)
            continue
        found.append(
            AgainstOne(
                annotator=annotator,
                judge_advantage=sum(judge_ahead for _, judge_ahead, _ in ahead) / len(ahead),
                annotator_advantage=sum(other_ahead for *_, other_ahead in ahead) / len(ahead),
                p=_below(Clusters((group, float(b) - float(a)) for group, a, b in ahead), epsilon),
                won=False,
                cases=len(ahead),
            )
        )
    if len(found) < MIN_ANNOTATORS:
        return Undefined(
            why=f"{len(found)} annotators share {MIN_CASES} cases in {MIN_CLUSTERS} clusters with others: "
            f"the alt-test needs {MIN_ANNOTATORS}"
        )
    rejected = _rejected([result.p for result in found])
    each = tuple(
        AgainstOne(
            annotator=result.annotator,
            judge_advantage=result.judge_advantage,
            annotator_advantage=result.annotator_advantage,
            p=result.p,
            won=at in rejected,
            cases=result.cases,
        )
        for at, result in enumerate(found)
    )
    return AltTest(
        epsilon=epsilon,
        winning_rate=len(rejected) / len(found),
        advantage=sum(result.judge_advantage for result in found) / len(found),
        each=each,
        skipped=tuple(skipped),
    )


def _share_equal(label: Label, others: Sequence[Label]) -> float:
    return sum(label == other for other in others) / len(others)


def _negative_distance(label: Label, others: Sequence[Label]) -> float:
    return -sqrt(sum((float(label) - float(other)) ** 2 for other in others) / len(others))


def _below(differences: Clusters, epsilon: float) -> float:
    """One-sided p that the mean is below epsilon, by Student's t over clusters.

    Clusters that are all equal have no t. With a mean of epsilon or more, one as low as theirs has at most the chance
    (1 - epsilon) / (1 - value), since none is above 1.
    """
    spread = differences.spread()
    assert spread is not None
    mean = spread.mean
    if spread.flat:
        return float(((1.0 - epsilon) / (1.0 - mean)) ** spread.clusters) if mean < epsilon else 1.0
    t = (mean - epsilon) / sqrt(spread.variance)
    return t_tail(-t, spread.df) if t <= 0.0 else 1.0 - t_tail(t, spread.df)


def _rejected(p_values: Sequence[float]) -> set[int]:
    """Benjamini and Yekutieli: the discoveries, with tests that may depend on each other in any way."""
    count = len(p_values)
    harmonic = sum(1.0 / rank for rank in range(1, count + 1))
    order = sorted(range(count), key=p_values.__getitem__)
    passing = [
        rank
        for rank, at in enumerate(order, 1)
        if p_values[at] <= rank / count * _FALSE_DISCOVERIES / harmonic
    ]
    return set(order[: max(passing, default=0)])
