"""How far a judge agrees with people: every figure of one run's verdicts beside their labels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from adjudge.errors import SettingsError
from adjudge.records import Scale
from adjudge.reports.agree_figures import (
    Agreement,
    Kind,
    People,
    as_passes,
    compare_people,
    find_threshold,
    measure_passes,
    measure_scores,
    pairs_of,
)
from adjudge.reports.agree_labels import Meaning, Reading, Threshold, same_label
from adjudge.reports.agree_means import Means, pass_rate_means, score_means
from adjudge.reports.agree_next import responses_by_doubt
from adjudge.reports.agree_rows import Label, Verdict, Verdicts, by_case, decided, in_one_kind, of_people
from adjudge.reports.agree_selection import Response, Selection, select
from adjudge.stats.intervals import Undefined
from adjudge.stats.thresholds import Trial
from adjudge.store import LabelDraw

MOST_SLICES = 20
EPSILON = 0.2
"""What the alt-test lets a judge be worse than a person by, for being cheaper: the paper's value for experts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """A case to read: the judge and people far apart."""

    case_id: str
    judge: Meaning
    people: tuple[Meaning, ...]
    apart: float
    """0 for the same, 1 for the two ends of the scale."""
    probability: float | None
    reason: str | None = None
    """The judge's; filled in for those that are shown."""
    explanations: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    column: str
    value: str
    agreement: Agreement


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreeReport:
    """One judge with one model in one run, beside what people said."""

    run_id: str
    judge: str
    judge_hash: str
    model: str
    scale: Scale | None
    rule: str | None
    threshold: Threshold | None
    judged: int
    """Cases with a verdict."""
    not_judged: Mapping[str, int]
    """Outcome -> cases without one."""
    labelled: int
    """Judged cases with a label."""
    labels: int
    """Of those cases."""
    labelled_not_judged: int
    """Cases with a label and no verdict: they are in no figure."""
    elsewhere: int
    """Labels in the file for cases that the run does not have."""
    tuned_on: int
    """Judged cases whose labels the judge was tuned on: they are in no figure."""
    seen_verdict: int
    """Labels of the run's cases that were given after seeing what the judge said: they are in no figure."""
    annotators: tuple[str, ...]
    adjudicators: tuple[str, ...]
    """Of those, who settled what the others said."""
    source: str
    """Where the labels are from, for people."""
    sources: Mapping[str, int]
    replaced: int
    refused: str | None
    selection: Selection
    responses: tuple[Response, ...]
    """Of drawn cases, by draw and by doubt; none where all are labelled."""
    kind: Kind
    agreements: tuple[Agreement, ...]
    people: People | None
    better_threshold: Trial | Undefined | None
    """None when people gave no passes and fails, in whatever form."""
    means: tuple[Means, ...]
    slices: tuple[Slice, ...]
    slices_left_out: int
    disagreements: tuple[Disagreement, ...]
    """The farthest first."""
    disagreeing: int
    """Labelled cases on which the judge and somebody differ."""
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """What people said, on the judge's scale, and how they came to be asked."""

    labels: Sequence[Label]
    draws: Sequence[LabelDraw]
    source: str
    """Where the labels are from, for people."""
    sources: Mapping[str, int] = field(default_factory=dict)
    """The same, with how many labels each gave."""
    replaced: int = 0
    """The cases' own labels in whose place a stored one of the same annotator counts."""
    refused: str | None = None
    """Why the cases' own labels are left out, where they mean nothing on the judge's scale."""
    elsewhere: int = 0
    """Labels of a file for cases that the run does not have."""
    seen_verdict: int = 0
    """Labels that were given after seeing what the judge said, and are left out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What the person wants to see."""

    slices: tuple[str, ...] = ()
    disagreements: int = 5
    random_sample: bool = False
    epsilon: float = EPSILON
    adjudicators: tuple[str, ...] = ()
    """Annotators who settled what the others said: their label is the case's, and they are not among those compared."""
    seed: int = 0


def agree_report(
    run_id: str,
    verdicts: Verdicts,
    given: Given,
    reading: Reading,
    asked: Asked,
) -> AgreeReport:
    tuned_on = {label.case_id for label in given.labels if label.tuning} & verdicts.cases.keys()
    cases = {case_id: each for case_id, each in verdicts.cases.items() if case_id not in tuned_on}
    labels = by_case(in_one_kind([each for each in given.labels if each.case_id not in tuned_on], reading))
    everybody = {case_id: said for case_id, said in labels.items() if case_id in cases}
    _check_adjudicators(everybody, asked.adjudicators)
    met = decided(everybody, asked.adjudicators)
    selection = select(cases, met, given.draws, random_sample=asked.random_sample)
    doubts = responses_by_doubt([each[0] for each in cases.values()], selection) if selection.missing else ()
    passes = as_passes(met, reading) if reading.has_rule else None
    kind = _kind(cases, met, reading.scale, ruled=passes is not None)
    agreements, weights = [], selection.weights
    if kind == "score":
        pairs = pairs_of(cases, met, "score", weights)
        agreements.append(measure_scores(pairs, reading.scale, seed=asked.seed))
    if passes is not None:
        agreements.append(measure_passes(pairs_of(cases, passes, "pass or fail", weights), seed=asked.seed))
    said: Mapping[str, Sequence[Label]] = met if kind == "score" or passes is None else passes
    apart = _disagreements(cases, said, kind, reading.scale)
    people: Mapping[str, Sequence[Label]] = of_people(everybody, asked.adjudicators)
    if kind == "pass or fail":
        people = as_passes(people, reading) or people
    slices, left_out = _slices(cases, said, kind, reading, asked, weights=weights)
    return AgreeReport(
        run_id=run_id,
        judge=verdicts.judge,
        judge_hash=verdicts.judge_hash,
        model=verdicts.model,
        scale=reading.scale,
        rule=reading.rule,
        threshold=reading.threshold,
        judged=len(cases),
        not_judged=verdicts.outcomes,
        labelled=len(met),
        labels=sum(map(len, met.values())),
        labelled_not_judged=sum(case_id in verdicts.failed for case_id in labels),
        elsewhere=given.elsewhere,
        tuned_on=len(tuned_on),
        seen_verdict=given.seen_verdict,
        annotators=tuple(sorted({label.annotator for each in everybody.values() for label in each})),
        adjudicators=asked.adjudicators,
        source=given.source,
        sources=given.sources,
        replaced=given.replaced,
        refused=given.refused,
        selection=selection,
        responses=(*selection.responses, *doubts) if selection.missing else (),
        kind=kind,
        agreements=tuple(agreements),
        people=compare_people(cases, people, kind, epsilon=asked.epsilon, seed=asked.seed),
        better_threshold=None
        if passes is None
        else find_threshold(cases, passes, reading, weighted=weights is not None, seed=asked.seed),
        means=_means(cases, met if kind == "score" else None, passes, reading, selection),
        slices=slices,
        slices_left_out=left_out,
        disagreements=tuple(apart[: asked.disagreements]),
        disagreeing=len(apart),
        seed=asked.seed,
    )


def with_reasons(report: AgreeReport, reasons: Mapping[str, str | None]) -> AgreeReport:
    """`reasons` are the judge's for the cases to read."""
    return replace(
        report,
        disagreements=tuple(replace(each, reason=reasons.get(each.case_id)) for each in report.disagreements),
    )


def _check_adjudicators(labels: Mapping[str, Sequence[Label]], adjudicators: Sequence[str]) -> None:
    known = {label.annotator for given in labels.values() for label in given}
    for name in adjudicators:
        if name not in known:
            raise SettingsError(
                "--adjudicator",
                f"{name!r} gave no label of a judged case",
                f"the labels are by {', '.join(sorted(each for each in known if each)) or 'nobody named'}",
            )


def _kind(
    cases: Mapping[str, Sequence[Verdict]],
    labels: Mapping[str, Sequence[Label]],
    scale: Scale | None,
    *,
    ruled: bool,
) -> Kind:
    """Scores of which only the two ends occur, with a rule that tells them apart, are passes and fails."""
    if any(isinstance(label.says, bool) for given in labels.values() for label in given):
        return "pass or fail"
    if not ruled or scale is None:
        return "score"
    ends = {scale.low, scale.high}
    return (
        "pass or fail"
        if all(verdict.score in ends for verdicts in cases.values() for verdict in verdicts)
        and all(label.says in ends for given in labels.values() for label in given)
        else "score"
    )


def _means(
    cases: Mapping[str, Sequence[Verdict]],
    scores: Mapping[str, Sequence[Label]] | None,
    passes: Mapping[str, Sequence[Label]] | None,
    reading: Reading,
    selection: Selection,
) -> tuple[Means, ...]:
    found = []
    if scores is not None:
        found.append(score_means(cases, scores, selection, reading.scale))
    if passes is not None:
        found.append(pass_rate_means(cases, passes, selection))
    return tuple(means for means in found if means is not None)


def _slices(
    cases: Mapping[str, Sequence[Verdict]],
    labels: Mapping[str, Sequence[Label]],
    kind: Kind,
    reading: Reading,
    asked: Asked,
    *,
    weights: Mapping[str, float] | None,
) -> tuple[tuple[Slice, ...], int]:
    """The values with most labelled cases first; and how many were left out."""
    found: list[Slice] = []
    left_out = 0
    for at, column in enumerate(asked.slices):
        groups: dict[str, dict[str, Sequence[Verdict]]] = defaultdict(dict)
        for case_id in labels if weights is None else labels.keys() & weights.keys():
            groups[cases[case_id][0].slices[at]][case_id] = cases[case_id]
        ordered = sorted(groups, key=lambda value: (-len(groups[value]), value))
        left_out += len(ordered[MOST_SLICES:])
        for value in ordered[:MOST_SLICES]:
            pairs = pairs_of(groups[value], labels, kind, weights)
            agreement = (
                measure_scores(pairs, reading.scale, seed=asked.seed)
                if kind == "score"
                else measure_passes(pairs, seed=asked.seed)
            )
            found.append(Slice(column=column, value=value, agreement=agreement))
    return tuple(found), left_out


def _disagreements(
    cases: Mapping[str, Sequence[Verdict]],
    labels: Mapping[str, Sequence[Label]],
    kind: Kind,
    scale: Scale | None,
) -> list[Disagreement]:
    """The farthest apart first; of equals, those in which the judge was surest."""
    width = scale.high - scale.low if scale and kind == "score" and scale.high > scale.low else 1.0
    found = []
    for case_id, given in labels.items():
        verdict = cases[case_id][0]
        said: Meaning | None = verdict.passed if kind == "pass or fail" else verdict.score
        if said is None or all(same_label(said, label.says) for label in given):
            continue
        found.append(
            Disagreement(
                case_id=case_id,
                judge=said,
                people=tuple(label.says for label in given),
                apart=fmean(abs(said - label.says) for label in given) / width,
                probability=verdict.probability,
                explanations=tuple(label.explanation for label in given if label.explanation),
            )
        )
    return sorted(found, key=lambda each: (-each.apart, -(each.probability or 0.0), each.case_id))
