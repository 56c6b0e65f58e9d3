"""A judge's verdicts and people's labels -> figures of agreement, each with its interval.

Every label is one row beside every verdict on its case. The rows of one case, or of one cluster, count as one piece of
evidence, so that several people or repeats make the figures surer only as far as they say something new.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from adjudge.errors import MissingExtraError
from adjudge.records import Scale
from adjudge.reports.agree_labels import Meaning, Reading
from adjudge.reports.agree_rows import Label, Verdict, as_pass
from adjudge.reports.format import whole
from adjudge.stats import people
from adjudge.stats.bootstrap import warn_of_weights
from adjudge.stats.ceiling import AltTest, Ceiling, alt_test, human_ceiling
from adjudge.stats.clusters import clustered_mean, clustered_rate
from adjudge.stats.corrected import JudgedCase, ppi_mean
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.thresholds import Trial, try_threshold

Kind = Literal["pass or fail", "score"]
_NOTHING = Undefined(why="no case has both a verdict and a label")


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """The judge beside people, by verdict or by score."""

    kind: Kind
    rows: int
    """Pairs of a verdict and a label."""
    cases: int
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    """A row for each of the judge's labels, a column for each of people's; empty for measurements."""
    figures: Mapping[str, Estimate | Undefined]
    missing_extra: str | None = None
    """Why only what plain Python computes is here."""
    weighted: bool = False
    """Whether each row counts with one over the chance of its case to be labelled; the confusion table has counts."""


class Pair(NamedTuple):
    """A verdict and a label of the same kind."""

    case_id: str
    cluster: Hashable
    judge: Meaning
    person: Meaning
    weight: float = 1.0


def pairs_of(
    cases: Mapping[str, Sequence[Verdict]],
    labels: Mapping[str, Sequence[Label]],
    kind: Kind,
    weights: Mapping[str, float] | None = None,
) -> list[Pair]:
    """With `weights`, of the cases that have one: what a label of unknown choice stands for cannot be said."""
    found = []
    fewer = cases if len(cases) < len(labels) else labels
    for case_id in fewer:
        if weights is not None and case_id not in weights:
            continue
        weight = 1.0 if weights is None else weights[case_id]
        for verdict in cases.get(case_id, ()):
            said: Meaning | None = verdict.passed if kind == "pass or fail" else verdict.score
            if said is None:
                continue
            found += [
                Pair(case_id, verdict.cluster, said, label.says, weight) for label in labels.get(case_id, ())
            ]
    return found


def as_passes(
    labels: Mapping[str, Sequence[Label]], reading: Reading
) -> Mapping[str, Sequence[Label]] | None:
    """Scores as passes and fails; None when no rule says which is which."""
    if all(isinstance(label.says, bool) for given in labels.values() for label in given):
        return labels
    if reading.passes is None:
        return None
    passes = reading.passes
    return {case_id: [as_pass(label, passes) for label in given] for case_id, given in labels.items()}


def measure_passes(pairs: Sequence[Pair], *, seed: int) -> Agreement:
    judge, person = [bool(pair.judge) for pair in pairs], [bool(pair.person) for pair in pairs]
    clusters = [pair.cluster for pair in pairs]
    missing = None
    try:
        found = people.agree(
            judge,
            person,
            clusters=clusters,
            labels=(False, True),
            positive=True,
            weights=_weights(pairs),
            seed=seed,
        )
        figures, confusion = dict(found.figures), found.confusion
        if _weights(pairs):
            figures["accuracy"] = _plain_rate(pairs)
    except MissingExtraError as error:
        missing = str(error)
        figures = {"accuracy": _plain_rate(pairs)}
        confusion = _count(judge, person, (False, True))
    return Agreement(
        kind="pass or fail",
        rows=len(pairs),
        cases=len({pair.case_id for pair in pairs}),
        labels=("fail", "pass"),
        confusion=confusion,
        figures=figures,
        missing_extra=missing,
        weighted=_weights(pairs) is not None,
    )


def measure_scores(pairs: Sequence[Pair], scale: Scale | None, *, seed: int) -> Agreement:
    """Whole scores are labels and numbers; others are numbers only."""
    judge, person = [float(pair.judge) for pair in pairs], [float(pair.person) for pair in pairs]
    clusters = [pair.cluster for pair in pairs]
    levels = _levels({*judge, *person}, scale)
    missing, confusion = None, tuple[tuple[int, ...], ...]()
    figures: dict[str, Estimate | Undefined] = {}
    try:
        if levels:
            found = people.agree(
                judge,
                person,
                clusters=clusters,
                labels=levels,
                ordered=True,
                weights=_weights(pairs),
                seed=seed,
            )
            figures, confusion = dict(found.figures), found.confusion
        figures |= people.correlate(judge, person, clusters=clusters, weights=_weights(pairs), seed=seed)
        error = figures["mean_absolute_error"]
        # only the scale says what was not seen
        if _weights(pairs) or (isinstance(error, Estimate) and error.low == error.high):
            figures["mean_absolute_error"] = _plain_error(pairs, scale)
        if _weights(pairs) and levels:
            figures["accuracy"] = _plain_rate(pairs)
            if "within_one_step" in figures:
                figures["within_one_step"] = _plain_rate(pairs, within=1.0)
    except MissingExtraError as error:
        missing = str(error)
        if levels:
            figures["accuracy"] = _plain_rate(pairs)
            confusion = _count(judge, person, levels)
        figures["mean_absolute_error"] = _plain_error(pairs, scale)
    return Agreement(
        kind="score",
        rows=len(pairs),
        cases=len({pair.case_id for pair in pairs}),
        labels=tuple(f"{whole(level)}" for level in levels),
        confusion=confusion,
        figures=figures,
        missing_extra=missing,
        weighted=_weights(pairs) is not None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class People:
    """What several annotators make possible."""

    ceiling: Ceiling | Undefined
    alt_test: AltTest | Undefined


def compare_people(
    cases: Mapping[str, Sequence[Verdict]],
    labels: Mapping[str, Sequence[Label]],
    kind: Kind,
    *,
    epsilon: float,
    seed: int,
) -> People | None:
    """None when one person, or nobody who was named, gave all labels. `labels` are without those of adjudicators."""
    annotations: dict[str, dict[str, Meaning]] = {}
    for given in labels.values():
        for label in given:
            annotations.setdefault(label.annotator, {})[label.case_id] = label.says
    if len(annotations) < 2:
        return None
    clusters = {case_id: verdicts[0].cluster for case_id, verdicts in cases.items()}
    judged = {
        case_id: said
        for case_id, verdicts in cases.items()
        if (said := verdicts[0].passed if kind == "pass or fail" else verdicts[0].score) is not None
    }
    try:
        ceiling: Ceiling | Undefined = human_ceiling(
            annotations,
            judge=judged,
            level="nominal" if kind == "pass or fail" else "ordinal",
            clusters={case_id: clusters.get(case_id, case_id) for case_id in labels},
            seed=seed,
        )
    except MissingExtraError as error:
        ceiling = Undefined(why=str(error).replace("\n\nhint: ", ": "))
    found = alt_test(
        judged,
        annotations,
        epsilon=epsilon,
        clusters=clusters,
        nearness="equal" if kind == "pass or fail" else "squared",
    )
    return People(ceiling=ceiling, alt_test=found)


def find_threshold(
    cases: Mapping[str, Sequence[Verdict]],
    labels: Mapping[str, Sequence[Label]],
    reading: Reading,
    *,
    weighted: bool = False,
    seed: int,
) -> Trial | Undefined:
    """`labels` are passes and fails. Of several repeats the first is looked at: a rule is for one verdict."""
    if weighted:
        return Undefined(
            why="not looked for: the draw prefers doubtful cases, and a threshold that suits those need not suit the run; "
            "`--next N --uniform 1` draws labels to choose one by"
        )
    if reading.threshold is None:
        return Undefined(why="the judge's pass rule is not one comparison of its score with a number")
    rows = [
        (reading.threshold.sign * verdicts[0].score, bool(label.says), verdicts[0].cluster)
        for case_id, verdicts in cases.items()
        for label in labels.get(case_id, ())
    ]
    if len({score for score, _, _ in rows}) < 3:
        return Undefined(why="the judge gives two different scores at most, so there is no other threshold")
    return try_threshold(
        [score for score, _, _ in rows],
        [passed for _, passed, _ in rows],
        reading.threshold.at,
        clusters=[cluster for _, _, cluster in rows],
        seed=seed,
    )


def _weights(pairs: Sequence[Pair]) -> list[float] | None:
    weights = [pair.weight for pair in pairs]
    return weights if len(set(weights)) > 1 else None


def _plain_rate(pairs: Sequence[Pair], *, within: float = 0.0) -> Estimate | Undefined:
    same = [abs(pair.judge - pair.person) <= within for pair in pairs]
    if _weights(pairs):
        return _weighted_mean(pairs, list(map(float, same)), 1.0)
    return clustered_rate(zip((pair.cluster for pair in pairs), same, strict=True)) or _NOTHING


def _plain_error(pairs: Sequence[Pair], scale: Scale | None) -> Estimate | Undefined:
    reach = None if scale is None else Scale(low=0.0, high=scale.high - scale.low)
    if _weights(pairs):
        errors = [float(abs(pair.judge - pair.person)) for pair in pairs]
        return _weighted_mean(pairs, errors, max(errors) if reach is None else reach.high)
    return clustered_mean(((p.cluster, abs(p.judge - p.person)) for p in pairs), reach) or _NOTHING


def _weighted_mean(pairs: Sequence[Pair], values: Sequence[float], most: float) -> Estimate | Undefined:
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
    for said, meant in zip(judge, person, strict=True):
        table[place[said]][place[meant]] += 1
    return tuple(map(tuple, table))


def _levels(seen: set[float], scale: Scale | None) -> tuple[float, ...]:
    """Every whole number of the scale, used or not: weights go by how many steps lie between two."""
    if not seen or any(value != int(value) for value in seen):
        return ()
    low = min(seen) if scale is None else min(scale.low, *seen)
    high = max(seen) if scale is None else max(scale.high, *seen)
    count = int(high) - int(low) + 1
    return tuple(float(int(low) + step) for step in range(count)) if count <= people.MOST_LABELS else ()
