"""A judge's verdicts and people's labels -> coefficients of agreement, each with its interval.

Every label is one row beside every verdict on its case. The rows of one case, or of one cluster, count as one piece of
evidence, so that several people or repeats make the figures surer only as far as they say something new.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from adjudge.analysis.agreement.verdicts import CaseVerdict
from adjudge.errors import MissingExtraError
from adjudge.labels.label_scale import LabelScale, Meaning
from adjudge.labels.label_set import LabelsByCase
from adjudge.records import Scale
from adjudge.stats import people
from adjudge.stats.bootstrap import warn_of_weights
from adjudge.stats.ceiling import AltTest, Ceiling, alt_test, human_ceiling
from adjudge.stats.clusters import clustered_mean, clustered_rate
from adjudge.stats.corrected import JudgedCase, ppi_mean
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.populations import population
from adjudge.stats.thresholds import Trial, try_threshold

LabelKind = Literal["passes", "scores"]
_NOTHING = Undefined(why="no case has both a verdict and a label")


@dataclass(frozen=True, kw_only=True, slots=True)
class Coefficients:
    """The judge beside people, by passes and fails or by score."""

    kind: LabelKind
    rows: int
    """Pairs of a verdict and a label."""
    cases: int
    agreed: int | None
    """Of the rows, those with the same label; None for measurements."""
    within_one: int | None
    """Of the rows, those with the same or a neighbouring score; None where there are no steps."""
    labels: tuple[float, ...]
    """What the confusion matrix counts: scores, or 0 for fail and 1 for pass."""
    confusion: tuple[tuple[int, ...], ...]
    """A row for each of the judge's labels, a column for each of people's; empty for measurements."""
    figures: Mapping[str, Estimate | Undefined] = field(metadata=population("judged and labelled", "label"))
    """By the names that `stats.people` gives them."""
    missing_extra: str | None = None
    """Without which only what plain Python computes is here."""
    weighted: bool = False
    """Whether each row counts with one over the chance of its case to be labelled; the confusion matrix has counts."""


class LabelledVerdict(NamedTuple):
    """A verdict and a label of the same kind."""

    case_id: str
    cluster: Hashable
    judge: Meaning
    person: Meaning
    weight: float = 1.0


def pair_up(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    kind: LabelKind,
    weights: Mapping[str, float] | None = None,
) -> list[LabelledVerdict]:
    """With `weights`, of the cases that have one: what a label of unknown choice stands for cannot be said."""
    found = []
    fewer = cases if len(cases) < len(labels) else labels
    for case_id in fewer:
        if weights is not None and case_id not in weights:
            continue
        weight = 1.0 if weights is None else weights[case_id]
        for verdict in cases.get(case_id, ()):
            value = value_of(verdict, kind)
            if value is None:
                continue
            found += [
                LabelledVerdict(case_id, verdict.cluster, value, label.meaning, weight)
                for label in labels.get(case_id, ())
            ]
    return found


def value_of(verdict: CaseVerdict, kind: LabelKind) -> Meaning | None:
    return verdict.passed if kind == "passes" else verdict.score


def measure(
    pairs: Sequence[LabelledVerdict], kind: LabelKind, scale: Scale | None, *, seed: int
) -> Coefficients:
    """Passes and fails are labels, whole scores labels and numbers, other scores numbers only."""
    judge, person = [float(pair.judge) for pair in pairs], [float(pair.person) for pair in pairs]
    clusters, weights = [pair.cluster for pair in pairs], _weights(pairs)
    labels = (0.0, 1.0) if kind == "passes" else _levels({*judge, *person}, scale)
    missing, confusion = None, tuple[tuple[int, ...], ...]()
    figures: dict[str, Estimate | Undefined] = {}
    try:
        if labels:
            found = people.agree(
                judge,
                person,
                clusters=clusters,
                labels=labels,
                positive=1.0 if kind == "passes" else None,
                ordered=kind == "scores",
                weights=weights,
                seed=seed,
            )
            figures, confusion = dict(found.figures), found.confusion
        if kind == "scores":
            figures |= people.correlate(judge, person, clusters=clusters, weights=weights, seed=seed)
            error = figures["mean_absolute_error"]
            # only the scale says what was not seen
            if weights or (isinstance(error, Estimate) and error.low == error.high):
                figures["mean_absolute_error"] = _plain_error(pairs, scale)
        if weights and labels:
            figures["accuracy"] = _plain_rate(pairs)
            if "within_one_step" in figures:
                figures["within_one_step"] = _plain_rate(pairs, within=labels[1] - labels[0])
    except MissingExtraError as error:
        missing = error.extra
        if labels:
            figures["accuracy"] = _plain_rate(pairs)
            confusion = _count(judge, person, labels)
        if kind == "scores":
            figures["mean_absolute_error"] = _plain_error(pairs, scale)

    def near(steps: int) -> int:
        cells = ((abs(at - to), count) for at, row in enumerate(confusion) for to, count in enumerate(row))
        return sum(count for apart, count in cells if apart <= steps)

    return Coefficients(
        kind=kind,
        rows=len(pairs),
        cases=len({pair.case_id for pair in pairs}),
        agreed=near(0) if confusion else None,
        within_one=near(1) if "within_one_step" in figures else None,
        labels=labels,
        confusion=confusion,
        figures=figures,
        missing_extra=missing,
        weighted=weights is not None,
    )


def _weights(pairs: Sequence[LabelledVerdict]) -> list[float] | None:
    weights = [pair.weight for pair in pairs]
    return weights if len(set(weights)) > 1 else None


def _plain_rate(pairs: Sequence[LabelledVerdict], *, within: float = 0.0) -> Estimate | Undefined:
    same = [abs(pair.judge - pair.person) <= within for pair in pairs]
    if _weights(pairs):
        return _weighted_mean(pairs, list(map(float, same)), 1.0)
    return clustered_rate(zip((pair.cluster for pair in pairs), same, strict=True)) or _NOTHING


def _plain_error(pairs: Sequence[LabelledVerdict], scale: Scale | None) -> Estimate | Undefined:
    reach = None if scale is None else Scale(low=0.0, high=scale.high - scale.low)
    if _weights(pairs):
        errors = [float(abs(pair.judge - pair.person)) for pair in pairs]
        return _weighted_mean(pairs, errors, max(errors) if reach is None else reach.high)
    return clustered_mean(((p.cluster, abs(p.judge - p.person)) for p in pairs), reach) or _NOTHING


def _weighted_mean(
    pairs: Sequence[LabelledVerdict], values: Sequence[float], most: float
) -> Estimate | Undefined:
    """PPI++ that takes nothing of the judge's: a weighted mean with a jackknife over clusters.

    A few easy cases of great weight, all of them right, look surer to a bootstrap than they are.
    """
    least = min(pair.weight for pair in pairs)
    rows = [
        JudgedCase(judge=0.0, person=value, probability=least / pair.weight, cluster=pair.cluster)
        for pair, value in zip(pairs, values, strict=True)
    ]
    found = ppi_mean(rows, Scale(low=0.0, high=most), tuning=0.0)
    if isinstance(found, Undefined):
        return found
    weights = [pair.weight for pair in pairs]
    effective = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    warning = found.estimate.warning or warn_of_weights(len(pairs), effective)
    return replace(found.estimate, method="weighted, jackknife", warning=warning)


def _count(
    judge: Sequence[Meaning], person: Sequence[Meaning], order: Sequence[Meaning]
) -> tuple[tuple[int, ...], ...]:
    place = {label: at for at, label in enumerate(order)}
    table = [[0] * len(order) for _ in order]
    for row, column in zip(judge, person, strict=True):
        table[place[row]][place[column]] += 1
    return tuple(map(tuple, table))


def _levels(seen: set[float], scale: Scale | None) -> tuple[float, ...]:
    """Every whole number of the scale, used or not: weights go by how many steps lie between two; and a tie, halfway."""
    if scale == Scale(low=0.0, high=1.0) and 0.5 in seen and seen <= {0.0, 0.5, 1.0}:
        return (0.0, 0.5, 1.0)
    if not seen or any(value != int(value) for value in seen):
        return ()
    low = min(seen) if scale is None else min(scale.low, *seen)
    high = max(seen) if scale is None else max(scale.high, *seen)
    count = int(high) - int(low) + 1
    return tuple(float(int(low) + step) for step in range(count)) if count <= people.MAX_LABELS else ()


# ---- several annotators --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class AnnotatorFigures:
    """What several annotators make possible."""

    ceiling: Ceiling | None = field(metadata=population("labelled by several people", "label"))
    missing_extra: str | None
    """Without which there is no ceiling."""
    alt_test: AltTest | Undefined = field(metadata=population("labelled by several people", "case"))
    replaces_a_person: bool | None
    """What the alt-test says; None where it could not be made."""


def compare_annotators(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    kind: LabelKind,
    *,
    epsilon: float,
    seed: int,
) -> AnnotatorFigures | None:
    """None when one person, or nobody who was named, gave all labels. `labels` are without those of adjudicators."""
    annotations: dict[str, dict[str, Meaning]] = {}
    for each in labels.values():
        for label in each:
            annotations.setdefault(label.annotator, {})[label.case_id] = label.meaning
    if len(annotations) < 2:
        return None
    clusters = {case_id: verdicts[0].cluster for case_id, verdicts in cases.items()}
    judged = {
        case_id: value
        for case_id, verdicts in cases.items()
        if (value := value_of(verdicts[0], kind)) is not None
    }
    ceiling, missing = None, None
    try:
        ceiling = human_ceiling(
            annotations,
            judge=judged,
            level="nominal" if kind == "passes" else "ordinal",
            clusters={case_id: clusters.get(case_id, case_id) for case_id in labels},
            seed=seed,
        )
    except MissingExtraError as error:
        missing = error.extra
    found = alt_test(
        judged,
        annotations,
        epsilon=epsilon,
        clusters=clusters,
        nearness="equal" if kind == "passes" else "squared",
    )
    return AnnotatorFigures(
        ceiling=ceiling,
        missing_extra=missing,
        alt_test=found,
        replaces_a_person=found.passed if isinstance(found, AltTest) else None,
    )


# ---- another pass rule ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class ThresholdSearch:
    """Whether another pass rule agrees more with people."""

    kind: Literal["better", "not_better", "not_found", "weighted_labels", "no_threshold", "two_scores"]
    """Why there is no trial: none was better in the half to choose on or there were too few labels (`not_found`); the
    draw prefers doubtful cases; the rule is not one comparison with a number; there are two scores at most."""
    trial: Trial | Undefined | None = field(
        default=None, metadata=population("labelled, in the half kept for the test", "label")
    )
    current: str | None = None
    proposed: str | None = None
    """The pass rules, as a judge file has them."""


def find_threshold(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    scale: LabelScale,
    *,
    weighted: bool = False,
    seed: int,
) -> ThresholdSearch:
    """`labels` are passes and fails. Of several repeats the first is looked at: a rule is for one verdict."""
    if weighted:
        return ThresholdSearch(kind="weighted_labels")
    threshold = scale.threshold
    if threshold is None:
        return ThresholdSearch(kind="no_threshold")
    rows = [
        (threshold.sign * verdicts[0].score, bool(label.meaning), verdicts[0].cluster)
        for case_id, verdicts in cases.items()
        for label in labels.get(case_id, ())
    ]
    if len({score for score, _, _ in rows}) < 3:
        return ThresholdSearch(kind="two_scores")
    trial = try_threshold(
        [score for score, _, _ in rows],
        [passed for _, passed, _ in rows],
        threshold.at,
        clusters=[cluster for _, _, cluster in rows],
        seed=seed,
    )
    if isinstance(trial, Undefined):
        return ThresholdSearch(kind="not_found", trial=trial)
    return ThresholdSearch(
        kind="better" if trial.better else "not_better",
        trial=trial,
        current=scale.rule,
        proposed=threshold.rule(trial.proposed),
    )
