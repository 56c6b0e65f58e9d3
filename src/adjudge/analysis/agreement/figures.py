"""How far a judge agrees with people: every figure of one run's verdicts beside their labels."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from adjudge.analysis.agreement.coefficients import (
    AnnotatorFigures,
    Coefficients,
    LabelKind,
    LabelledVerdict,
    ThresholdSearch,
    compare_annotators,
    find_threshold,
    measure,
    pair_up,
    value_of,
)
from adjudge.analysis.agreement.corrected_means import CorrectedMean, Unjudged, pass_rate_means, score_means
from adjudge.analysis.agreement.labelling_task import doubts_of
from adjudge.analysis.agreement.stored_labels import LabelSource, RunLabels, UnusableColumn
from adjudge.analysis.agreement.verdicts import CaseVerdict, ScaledVerdicts
from adjudge.errors import SettingsError
from adjudge.labels.label_scale import LabelScale, Meaning, same_label
from adjudge.labels.label_set import (
    Label,
    LabelsByCase,
    as_passes,
    by_case,
    in_one_kind,
    settle_labels,
    without_adjudicators,
)
from adjudge.records import DrawBasis, Judge, LabelDraw, Scale
from adjudge.stats.selection import Response, Selection, SelectionKind, responses_by_doubt, select
from adjudge.store import Store
from adjudge.text import field_text

MAX_SLICES = 20
TIE = 0.5
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
    explanations: tuple[str, ...] = ()
    reason: str | None = None
    """The judge's; it and the rest are filled in for those that are shown."""
    question: str | None = None
    response: str | None = None
    reference: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceAgreement:
    column: str
    value: str
    coefficients: Coefficients


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionAgreement:
    """One criterion of a rubric, of the cases of which people say whether it is met."""

    criterion: str
    points: float
    coefficients: Coefficients


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingAgreement:
    """One of several ratings, of the cases whose labels have it by name."""

    name: str
    kind: LabelKind
    coefficients: Coefficients


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelSample:
    """How the labelled cases were chosen."""

    kind: SelectionKind
    known: int
    """Labelled cases with a known sampling probability."""
    unknown: int
    """Labelled cases without one."""
    missing: int
    """Drawn cases that have no label yet."""
    outside: int
    """Judged cases that were not there when the draw was made, and are not in the corrected means."""
    weighted: bool
    """Whether some cases were likelier than others, so that labels count with weights."""
    basis: tuple[DrawBasis, ...]
    """What made them likelier."""
    uniform_share: float
    probability: float | None
    """Of every case alike, where the person says that it is a random sample."""
    responses: tuple[Response, ...]
    """Of drawn cases, by draw and by doubt; none where all are labelled."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreementReport:
    """One judge with one model in one run, beside what people said."""

    run: str
    judge: str
    judge_hash: str
    model: str
    scale: Scale | None
    rule: str | None
    kind: LabelKind
    judged: int
    """Cases with a verdict."""
    not_judged: Mapping[str, int]
    """Outcome -> cases without one."""
    labelled: int
    """Judged cases with a label."""
    labels: int
    """Of those cases."""
    partial_labels: int
    """Besides, labels of some criteria or ratings that say nothing of the whole: they count there alone."""
    labelled_not_judged: int
    """Cases with a label and no verdict."""
    labels_alone: int
    """Of those, the ones that the judge was asked about: they are in people's mean, where enough of them have labels."""
    labels_of_other_cases: int
    """Labels in the file for cases that the run does not have."""
    tuned_on: int
    """Judged cases whose labels the judge was tuned on: they are in no figure."""
    seen_verdict: int
    """Labels of the run's cases that were given after seeing what the judge said: they are in no figure."""
    annotators: tuple[str, ...]
    adjudicators: tuple[str, ...]
    """Of those, who settled what the others said."""
    sources: tuple[LabelSource, ...]
    own_labels_replaced: int
    own_labels_unusable: UnusableColumn | None
    sample: LabelSample
    compares: bool
    """The judge compares two answers: its scores, and the labels, are 1 for A, 0 for B and 0.5 for a tie."""
    without_ties: Coefficients | None
    """Of a judge that compares, over the verdicts and labels that both prefer an answer."""
    agreement: tuple[Coefficients, ...]
    """By score where people gave scores, then by passes and fails where there is a pass rule."""
    disagreements: tuple[Disagreement, ...]
    """The farthest first."""
    disagreeing: int
    """Labelled cases on which the judge and somebody differ."""
    means: tuple[CorrectedMean, ...]
    threshold: ThresholdSearch | None
    """None when people gave no passes and fails, in whatever form."""
    among_people: AnnotatorFigures | None
    """None without several annotators."""
    slices: tuple[SliceAgreement, ...]
    slices_left_out: int
    criteria: tuple[CriterionAgreement, ...]
    """Of a rubric, where labels have a truth value for each criterion."""
    ratings: tuple[RatingAgreement, ...]
    """Of a judge that gives several, where labels have them by name."""
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreementOptions:
    """What the person wants to see."""

    slices: tuple[str, ...] = ()
    disagreements: int = 5
    random_sample: bool = False
    epsilon: float = EPSILON
    adjudicators: tuple[str, ...] = ()
    """Annotators who settled what the others said: their label is the case's, and they are not among those compared."""
    seed: int = 0


def agreement_of(
    store: Store, run_id: str, judged: ScaledVerdicts, labels: RunLabels, options: AgreementOptions
) -> AgreementReport:
    """What `adjudge agree` prints: with question, answer and the judge's reason for the few cases that are shown.

    Those are read again, because holding the texts of a whole run would fill the memory.
    """
    report = measure_agreement(run_id, judged, labels, options)
    found, cases = [], judged.verdicts.cases
    for each in report.disagreements:
        repeat = cases[each.case_id][0].repeat
        stored = store.judgement(run_id, each.case_id, report.judge, report.model, repeat)
        case = store.case(run_id, each.case_id)
        fields = case.fields if case else {}
        found.append(
            replace(
                each,
                reason=stored[0].reason if stored else None,
                question=field_text(fields, "question"),
                response=field_text(fields, "response"),
                reference=field_text(fields, "reference"),
            )
        )
    return replace(report, disagreements=tuple(found))


def measure_agreement(
    run_id: str, judged: ScaledVerdicts, run_labels: RunLabels, options: AgreementOptions
) -> AgreementReport:
    verdicts, scale = judged
    said = (*run_labels.labels, *run_labels.parts)
    cases = verdicts.cases
    tuned_on = {label.case_id for label in said if label.tuning} & {*cases, *verdicts.unjudged}
    cases = {case_id: each for case_id, each in cases.items() if case_id not in tuned_on}
    labels = by_case(in_one_kind([each for each in run_labels.labels if each.case_id not in tuned_on], scale))
    everybody = {case_id: each for case_id, each in labels.items() if case_id in cases}
    parts = [each for each in run_labels.parts if each.case_id in cases]
    annotators = {label.annotator for each in (*everybody.values(), parts) for label in each}
    _validate_adjudicators(annotators, options.adjudicators)
    counted = settle_labels(everybody, options.adjudicators)
    selection = select(cases, counted, run_labels.draws, random_sample=options.random_sample)
    no_verdict = [case_id for case_id in verdicts.unjudged if case_id not in tuned_on]
    labels_alone = settle_labels(
        {case_id: labels[case_id] for case_id in no_verdict if case_id in labels}, options.adjudicators
    )
    unjudged = Unjudged(
        clusters={case_id: verdicts.clusters.get(case_id, case_id) for case_id in no_verdict},
        selection=select(no_verdict, labels_alone, run_labels.draws, random_sample=options.random_sample),
    )
    passes = as_passes(counted, scale) if scale.has_rule else None
    kind = _kind(cases, counted, scale.scale, ruled=passes is not None)
    weights = selection.weights
    agreement, without_ties = [], None
    compares = verdicts.source is not None and verdicts.source.pair is not None
    if kind == "scores":
        pairs = pair_up(cases, counted, "scores", weights)
        if compares:
            decided = [pair for pair in pairs if TIE not in {pair.judge, pair.person}]
            without_ties = measure(decided, "scores", scale.scale, seed=options.seed) if decided else None
        agreement.append(measure(pairs, "scores", scale.scale, seed=options.seed))
    if passes is not None:
        pairs = pair_up(cases, passes, "passes", weights)
        agreement.append(measure(pairs, "passes", scale.scale, seed=options.seed))
    primary: LabelsByCase = counted if kind == "scores" or passes is None else passes
    disagreements = _disagreements(cases, primary, kind, scale.scale)
    people: LabelsByCase = without_adjudicators(everybody, options.adjudicators)
    if kind == "passes":
        people = as_passes(people, scale) or people
    slices, left_out = _slices(cases, primary, kind, scale, options, weights=weights)
    asked = {**counted, **labels_alone}
    asked_passes = as_passes(asked, scale) if passes is not None else None
    means = (
        score_means(cases, asked, selection, scale.scale, unjudged) if kind == "scores" else None,
        pass_rate_means(cases, asked_passes, selection, unjudged) if asked_passes is not None else None,
    )
    by_part = _parts(cases, parts, run_labels.draws, verdicts.source, options)
    return AgreementReport(
        run=run_id,
        judge=verdicts.judge,
        judge_hash=verdicts.judge_hash,
        model=verdicts.model,
        scale=scale.scale,
        rule=scale.rule,
        kind=kind,
        judged=len(cases),
        not_judged=verdicts.outcomes,
        labelled=len(counted),
        labels=sum(map(len, counted.values())),
        partial_labels=len(_people(parts) - _people(label for each in everybody.values() for label in each)),
        labelled_not_judged=sum(case_id in verdicts.failed for case_id in labels),
        labels_alone=len(labels_alone),
        labels_of_other_cases=run_labels.elsewhere,
        tuned_on=len(tuned_on),
        seen_verdict=run_labels.seen_verdict,
        annotators=tuple(sorted(annotators)),
        adjudicators=options.adjudicators,
        sources=run_labels.sources,
        own_labels_replaced=run_labels.replaced,
        own_labels_unusable=run_labels.unusable,
        sample=_sample(cases, selection, unjudged.selection.missing),
        compares=compares,
        without_ties=without_ties,
        agreement=tuple(agreement),
        disagreements=tuple(disagreements[: options.disagreements]),
        disagreeing=len(disagreements),
        means=tuple(mean for mean in means if mean is not None),
        threshold=None
        if passes is None
        else find_threshold(cases, passes, scale, weighted=weights is not None, seed=options.seed),
        among_people=compare_annotators(cases, people, kind, epsilon=options.epsilon, seed=options.seed),
        slices=slices,
        slices_left_out=left_out,
        criteria=tuple(
            CriterionAgreement(criterion=part.name, points=part.points, coefficients=part.coefficients)
            for part in by_part
            if part.points is not None
        ),
        ratings=tuple(
            RatingAgreement(name=part.name, kind=part.kind, coefficients=part.coefficients)
            for part in by_part
            if part.points is None
        ),
        seed=options.seed,
    )


def _validate_adjudicators(known: Collection[str], adjudicators: Sequence[str]) -> None:
    for name in adjudicators:
        if name not in known:
            raise SettingsError(
                "--adjudicator",
                f"{name!r} gave no label of a judged case",
                f"the labels are by {', '.join(sorted(each for each in known if each)) or 'unnamed'}",
            )


def _kind(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    scale: Scale | None,
    *,
    ruled: bool,
) -> LabelKind:
    """Scores of which only the two ends occur, with a rule that tells them apart, are passes and fails."""
    values = [label.meaning for each in labels.values() for label in each]
    if any(isinstance(value, bool) for value in values):
        return "passes"
    if not ruled or scale is None:
        return "scores"
    ends = {scale.low, scale.high}
    scores = (verdict.score for verdicts in cases.values() for verdict in verdicts)
    return "passes" if all(each in ends for each in scores) and ends.issuperset(values) else "scores"


def _sample(
    cases: Mapping[str, Sequence[CaseVerdict]], selection: Selection, unjudged_missing: int
) -> LabelSample:
    responses: tuple[Response, ...] = ()
    if selection.missing:
        firsts = [each[0] for each in cases.values()]
        doubts = {
            verdict.case_id: doubt for verdict, doubt in zip(firsts, doubts_of(firsts).values, strict=True)
        }
        responses = (*selection.responses, *responses_by_doubt(doubts, selection))
    return LabelSample(
        kind=selection.kind,
        known=len(selection.chances),
        unknown=selection.unknown,
        missing=selection.missing + unjudged_missing,
        outside=selection.outside,
        weighted=selection.weights is not None,
        basis=selection.basis,
        uniform_share=selection.uniform_share,
        probability=next(iter(selection.chances.values())) if selection.kind == "random" else None,
        responses=responses,
    )


def _slices(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    kind: LabelKind,
    scale: LabelScale,
    options: AgreementOptions,
    *,
    weights: Mapping[str, float] | None,
) -> tuple[tuple[SliceAgreement, ...], int]:
    """The values with most labelled cases first; and how many were left out."""
    found: list[SliceAgreement] = []
    left_out = 0
    for at, column in enumerate(options.slices):
        groups: dict[str, dict[str, Sequence[CaseVerdict]]] = defaultdict(dict)
        for case_id in labels if weights is None else labels.keys() & weights.keys():
            groups[cases[case_id][0].slices[at]][case_id] = cases[case_id]
        ordered = sorted(groups, key=lambda value: (-len(groups[value]), value))
        left_out += len(ordered[MAX_SLICES:])
        for value in ordered[:MAX_SLICES]:
            pairs = pair_up(groups[value], labels, kind, weights)
            coefficients = measure(pairs, kind, scale.scale, seed=options.seed)
            found.append(SliceAgreement(column=column, value=value, coefficients=coefficients))
    return tuple(found), left_out


def _people(labels: Iterable[Label]) -> set[tuple[str, str]]:
    """Who said something of which case."""
    return {(label.case_id, label.annotator) for label in labels}


class _Part(NamedTuple):
    name: str
    points: float | None
    """None of a rating."""
    kind: LabelKind
    coefficients: Coefficients


class _LabelledPart(NamedTuple):
    name: str
    points: float | None
    kind: LabelKind
    pairs: Sequence[LabelledVerdict]

    @property
    def cases(self) -> int:
        return len({pair.case_id for pair in self.pairs})


def _parts(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: Sequence[Label],
    draws: Sequence[LabelDraw],
    judge: Judge | None,
    options: AgreementOptions,
) -> list[_Part]:
    """Criteria or ratings with labels: each as a judge of its own, with everybody's labels or the adjudicators'.

    Of criteria, which cases may bring by the thousand, those with most labelled cases, these first.
    """
    if not labels:
        return []
    people: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        people[label.part or ""].append(label)
    labelled = {label.case_id for label in labels}
    verdicts: dict[tuple[str, float | None], dict[str, list[CaseVerdict]]] = defaultdict(dict)
    for case_id, repeats in cases.items():
        for verdict in repeats:
            for part in verdict.parts:
                own = verdicts[part.name, part.points].setdefault(case_id, [])
                if case_id in labelled:
                    own.append(replace(verdict, score=part.score, passed=part.passed, probability=None))
    labelled_parts = []
    for (name, points), judged in verdicts.items():
        known = [label for label in people[name] if label.case_id in judged]
        passes = any(isinstance(label.meaning, bool) for label in known)
        counted = settle_labels(
            by_case(label for label in known if isinstance(label.meaning, bool) is passes),
            options.adjudicators,
        )
        if not counted:
            continue
        kind: LabelKind = "passes" if passes else "scores"
        weights = select(judged, counted, draws, random_sample=options.random_sample).weights
        labelled_parts.append(_LabelledPart(name, points, kind, pair_up(judged, counted, kind, weights)))
    criteria = [part for part in labelled_parts if part.points is not None]
    kept = sorted(criteria, key=lambda part: -part.cases)[:MAX_SLICES]
    scales = {each.name: each.scale for each in judge.ratings} if judge else {}
    return [
        _Part(
            part.name,
            part.points,
            part.kind,
            measure(part.pairs, part.kind, scales.get(part.name, Scale(low=0, high=1)), seed=options.seed),
        )
        for part in (*kept, *(part for part in labelled_parts if part.points is None))
    ]


def _disagreements(
    cases: Mapping[str, Sequence[CaseVerdict]],
    labels: LabelsByCase,
    kind: LabelKind,
    scale: Scale | None,
) -> list[Disagreement]:
    """The farthest apart first; of equals, those in which the judge was surest."""
    width = scale.high - scale.low if scale and kind == "scores" and scale.high > scale.low else 1.0
    found = []
    for case_id, each in labels.items():
        verdict = cases[case_id][0]
        value = value_of(verdict, kind)
        if value is None or all(same_label(value, label.meaning) for label in each):
            continue
        found.append(
            Disagreement(
                case_id=case_id,
                judge=value,
                people=tuple(label.meaning for label in each),
                apart=fmean(abs(value - label.meaning) for label in each) / width,
                probability=verdict.probability,
                explanations=tuple(label.explanation for label in each if label.explanation),
            )
        )
    return sorted(found, key=lambda each: (-each.apart, -(each.probability or 0.0), each.case_id))
