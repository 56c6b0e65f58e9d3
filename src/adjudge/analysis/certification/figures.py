"""Judgements of an examination -> the judge's card: what each probe found, and how far it agrees with labels."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from operator import eq

from adjudge import __version__
from adjudge.analysis.certification.examine import Answers, Examination, standing
from adjudge.analysis.certification.findings import (
    attack_families,
    probe_finding,
    read_clean,
    succeeded_attacks,
)
from adjudge.analysis.certification.records import JudgeCard
from adjudge.analysis.certification.rulings import ERROR_RATE
from adjudge.documents.numbers import show_time
from adjudge.errors import MissingExtraError
from adjudge.labels.label_scale import read_label
from adjudge.probes import names
from adjudge.probes.trials import ProbeTrial
from adjudge.records import Failed, Judgement
from adjudge.stats.clusters import clustered_rate
from adjudge.stats.intervals import Estimate


def make_card(examination: Examination, answers: Answers, *, model: str, complete: bool) -> JudgeCard:
    clean = read_clean(examination, answers)
    trials: dict[str, list[tuple[ProbeTrial, Judgement]]] = {}
    for trial in (*examination.tried, *examination.follow_up):
        for judgement in answers.of(trial)[:1]:
            trials.setdefault(trial.probe, []).append((trial, judgement))
    attacked = trials.get(names.INJECTION, [])
    # what is tried further depends on what was tried first
    trials[names.WORST] = [*attacked, *trials.get(names.WORST, [])]
    trials[names.ORDER] = [(trial, each) for trial in examination.clean for each in answers.of(trial)]
    judge, panel = examination.judge, examination.panel
    judgements = answers.all()
    # a case that lacks an input is what the probe wanted, not a loss
    kinds = [each.outcome.kind for each in judgements if isinstance(each.outcome, Failed)]
    lost = Counter[str](kind for kind in kinds if kind != "missing_input")
    costs = [judgement.cost for judgement in judgements]
    known = [cost for cost in costs if cost is not None]
    snapshots = sorted({each.model_snapshot for each in judgements if each.model_snapshot is not None})
    return JudgeCard(
        judge=judge.name,
        judge_hash=judge.hash,
        model=model,
        snapshot=", ".join(snapshots) or None,
        at=show_time(datetime.now(UTC)),
        adjudge=__version__,
        cases=panel.source,
        right=len(panel.right),
        wrong=len(panel.wrong),
        retests=examination.extent.retests,
        judgements=len(judgements),
        not_judged=dict(lost),
        complete=complete and len(judgements) == examination.judgements and "not_asked" not in lost,
        cost=str(sum(known, Decimal(0))) if len(known) == len(costs) else None,
        pass_rule=judge.passes,
        error_rate=ERROR_RATE,
        rulings=examination.rulings,
        margin=clean.margin,
        wavering=sum(again for _, again in clean.wavered) / max(1, len(clean.wavered)),
        noise_sd=clean.sd,
        findings=tuple(
            probe_finding(probe, examination, clean, trials.get(probe, []))
            for probe in names.PROBES
            if probe in examination.extent.probes
        ),
        families=tuple(attack_families(clean, attacked)),
        succeeded=succeeded_attacks(clean, attacked),
        agreement=_agreement(examination, answers),
        compares=panel.compares,
        undecided=panel.undecided,
    )


def _agreement(examination: Examination, answers: Answers) -> dict[str, Estimate]:
    """Of the first untouched judgement of each labelled answer, or pair, with its label."""
    verdicts: list[float] = []
    labels: list[float] = []
    clusters: list[str] = []
    rows: list[str] = []
    scores: list[float] = []
    scores_of_people: list[float] = []
    judge = examination.judge
    for trial in examination.clean:
        first = answers.of(trial)[:1]
        verdict = standing(trial, first[0]) if first else None
        if verdict is None or trial.subject.label is None:
            continue
        wanted = trial.subject.right if judge.pair is None else trial.subject.label
        if isinstance(wanted, bool | float):
            verdicts.append(verdict)
            labels.append(float(wanted))
            clusters.append(trial.subject.cluster)
            rows.append(trial.subject.case_id)
        label = read_label(trial.subject.label, judge.name, judge.scale, pass_rule=judge.passes is not None)
        if isinstance(label, float) and first[0].score is not None:
            scores.append(first[0].score)
            scores_of_people.append(label)
    # of both answers of a pair, the second says what the first does
    equal = dict(zip(rows, zip(clusters, map(eq, verdicts, labels), strict=True), strict=True))
    same = clustered_rate(equal.values())
    if same is None:
        return {}
    return {"accuracy": same, **_coefficients(verdicts, labels, clusters, scores, scores_of_people)}


def _coefficients(
    verdicts: Sequence[float],
    labels: Sequence[float],
    clusters: Sequence[str],
    scores: Sequence[float],
    scores_of_people: Sequence[float],
) -> dict[str, Estimate]:
    from adjudge.stats.people import agree, correlate  # noqa: PLC0415 - needs numpy, which the core install has not

    try:
        found = dict(agree(verdicts, labels, clusters=clusters).figures)
        if len(set(scores_of_people)) > 2:
            found |= correlate(scores, scores_of_people)
    except MissingExtraError:
        return {}
    return {
        name: each
        for name, each in found.items()
        if name in {"kappa", "spearman"} and isinstance(each, Estimate)
    }
