"""Which of two judges agrees more with people: the agreement of each with a case's label, paired."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.analysis.agreement.label_files import sort_by_run, validate_responses
from adjudge.analysis.comparison.matching import LETTERS, CaseSide, Matching
from adjudge.dataset.read import read_table
from adjudge.labels.label_rows import LabelRow, find_id, read_labels
from adjudge.labels.label_scale import LabelScale, label_scale_of, off_scale_error
from adjudge.records import NOTHING, Json, Judge, Scale
from adjudge.stats.clusters import Clusters, clustered_mean, clustered_rate
from adjudge.stats.intervals import Estimate, mean_interval, rate_interval
from adjudge.stats.paired import Comparison, compare
from adjudge.stats.populations import population
from adjudge.store import Store

_SHARE = Scale(low=0.0, high=1.0)
RawLabels = Mapping[str, Sequence[Json]]
"""Case -> what each person said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreementComparison:
    """A case's agreement is 1 - |score - label| / the scale's length; for true/false labels, whether it passes so."""

    a: Estimate | None = field(metadata=population("judged and labelled in both runs", "case"))
    b: Estimate | None = field(metadata=population("judged and labelled in both runs", "case"))
    comparison: Comparison | None = field(metadata=population("judged and labelled in both runs", "case"))
    """Of the agreement, B - A; None where no label could be used."""
    shares: bool
    """Every agreement is 0 or 1, so that their means are shares of cases."""
    labelled: int
    """Cases of both runs with a label."""
    not_judged: int
    """Of those, not judged in one run or the other."""
    unusable: int
    """Of those judged in both, with no label that can be held against both judges, or one on which people are tied."""
    unknown: int
    """Labels of cases that are not in both runs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Side:
    judge: Judge
    label_scale: LabelScale
    labels: RawLabels | None
    """None: the cases' own."""

    def labels_of(self, case_id: str, case: CaseSide) -> Sequence[Json]:
        return [case.label] if self.labels is None else self.labels.get(case_id, ())


def compare_with_labels(
    matching: Matching,
    judges: tuple[Judge, Judge],
    labels: tuple[RawLabels, RawLabels] | None = None,
    *,
    label_map: Mapping[str, str] = NOTHING,  # type: ignore[assignment]  # an empty mapping has values of every type
    seed: int = 0,
) -> AgreementComparison:
    """`labels` are of A's responses and of B's, the same where both judged one system's; None: the cases' own labels."""
    a, b = (
        _Side(
            judge=judge,
            label_scale=label_scale_of(judge.name, judge, matching.traits[letter].verdicts, label_map),
            labels=None if labels is None else labels[letter == "b"],
        )
        for letter, judge in zip(LETTERS, judges, strict=True)
    )
    agreements: list[tuple[Hashable, float, float]] = []
    labelled = not_judged = unusable = 0
    for case_id, case in matching.cases.items():
        if case.a is None or case.b is None:
            continue
        # a label is of one response: where two systems answered, each run's cases carry their own
        labels_a, labels_b = a.labels_of(case_id, case.a), b.labels_of(case_id, case.b)
        if not any(label is not None for label in (*labels_a, *labels_b)):
            continue
        labelled += 1
        if case.a.mean is None or case.b.mean is None:
            not_judged += 1
            continue
        one_scale = a.judge.scale == b.judge.scale
        agreed_a = _agreement(case.a, labels_a, a, one_scale=one_scale, normalized=matching.normalized)
        agreed_b = _agreement(case.b, labels_b, b, one_scale=one_scale, normalized=matching.normalized)
        if agreed_a is None or agreed_b is None:
            unusable += 1
        else:
            agreements.append((case.cluster_key, agreed_a, agreed_b))
    return AgreementComparison(
        a=share_estimate([(cluster, first) for cluster, first, _ in agreements]),
        b=share_estimate([(cluster, second) for cluster, _, second in agreements]),
        comparison=compare(
            [(cluster, second - first) for cluster, first, second in agreements], _SHARE, seed=seed
        ),
        shares=all(value in {0.0, 1.0} for _, *both in agreements for value in both),
        labelled=labelled,
        not_judged=not_judged,
        unusable=unusable,
        unknown=0 if labels is None else len({*labels[0], *labels[1]}) - labelled,
    )


def mean_estimate(values: Sequence[tuple[Hashable, float]], scale: Scale | None) -> Estimate | None:
    """The mean of values, each with its cluster; over clusters where some share one."""
    if len({cluster for cluster, _ in values}) < len(values):
        return clustered_mean(values, scale)
    return mean_interval([value for _, value in values], scale)


def share_estimate(values: Sequence[tuple[Hashable, float]]) -> Estimate | None:
    """The mean of values from 0 to 1: as a share where each is 0 or 1."""
    if any(value not in {0.0, 1.0} for _, value in values):
        return mean_estimate(values, _SHARE)
    if len({cluster for cluster, _ in values}) < len(values):
        return clustered_rate(Clusters(values))
    return rate_interval(sum(value == 1.0 for _, value in values), len(values))


def _agreement(
    case: CaseSide, labels: Sequence[Json], side: _Side, *, one_scale: bool, normalized: bool
) -> float | None:
    """1 for full agreement; None where people are tied, or what they said is not for this judge."""
    truths: list[bool] = []
    numbers: list[float] = []
    for label in labels:
        read = side.label_scale.place(label)
        if isinstance(read, bool):
            truths.append(read)
        elif isinstance(read, float) and (one_scale or isinstance(label, dict)):
            numbers.append(read)  # one number cannot be on two scales; an object has one for each judge
    if truths and not numbers:
        share = case.pass_share
        most = sum(truths) / len(truths)
        if share is None or most == 0.5:
            return None
        return share if most > 0.5 else 1.0 - share
    scale = side.judge.scale
    if truths or not numbers or scale is None or case.mean is None:
        return None
    reach = scale.high - scale.low
    wanted = sum(numbers) / len(numbers)
    if normalized:
        wanted = (wanted - scale.low) / reach
        wanted, reach = (1.0 - wanted if side.judge.better == "lower" else wanted), 1.0
    return max(0.0, 1.0 - abs(case.mean - wanted) / reach)


# ---- from a file ----


@dataclass(frozen=True, kw_only=True, slots=True)
class FileLabels:
    """The labels of a file: of A's responses, and of B's."""

    path: str
    both: tuple[RawLabels, RawLabels]
    unnamed: bool
    """Whether some rows name no run: they are of the one response that both runs judged."""

    def refuse_unreadable(self, scales: Sequence[LabelScale]) -> None:
        """An `InputError` when a label means nothing to any of these judges, as for `agree`."""
        strange = [
            label
            for side in self.both
            for labels in side.values()
            for label in labels
            if not isinstance(label, dict) and all(label_scale.place(label) is None for label_scale in scales)
        ]
        if strange:
            raise off_scale_error(self.path, strange, scales[0])


def read_file_labels(store: Store, path: str, runs: tuple[str, str], known: Collection[str]) -> FileLabels:
    """A row that names a run is of that run's answer alone. `known` are the ids of cases."""
    rows = [row for row in read_labels(*read_table(path)) if row.label is not None]
    unnamed = [row for row in rows if row.run is None]
    by_run = sort_by_run(store, runs[0], [row for row in rows if row.run is not None])
    mine, theirs = ([*unnamed, *by_run.get(run_id, [])] for run_id in runs)
    for run_id, run_rows in zip(runs, (mine, theirs), strict=True):
        validate_responses(store, run_id, run_rows, path)
    a, b = _by_case(mine, known), _by_case(theirs, known)
    return FileLabels(path=path, both=(a, b), unnamed=bool(unnamed))


def _by_case(rows: Sequence[LabelRow], known: Collection[str]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for row in rows:
        found.setdefault(find_id(row.case_id, known), []).append(row.label)
    return found
