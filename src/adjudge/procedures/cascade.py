"""One verdict from the first of several models that is sure enough; nothing is asked here."""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from adjudge.procedures.jury import VOTES, failed_alike, listed_vote
from adjudge.procedures.procedure import Ruling, distinct
from adjudge.records import Failed, Forced, Json, Judge, Judgement, Jury, Score, Scored, Verdict
from adjudge.scoring import passes
from adjudge.stats.several.cascade import Thresholds, deciding_stage

UNDECIDED = "undecided"
DECIDED_BY = "decided_by"
CALIBRATION = "calibration"
CASCADE = "cascade"


def majority_judgement(repeats: Sequence[Judgement]) -> Judgement | None:
    """The first of a stage's repeats that says what most of them say on passing; None where none does."""
    ruled = [
        each for each in repeats if each.passed is not None and isinstance(each.outcome, Scored | Forced)
    ]
    if not ruled:
        return None
    (most, _), *_ = Counter(each.passed for each in ruled).most_common(1)
    return next(each for each in ruled if each.passed is most)


def confidence(judge: Judge, repeats: Sequence[Judgement]) -> float | None:
    """How sure a stage is of what it says on passing, from 0 to 1; None where it says nothing, or nothing tells.

    The probability that the score lies on its side of the pass threshold; how far the exact score of a model that
    computes it lies from the threshold; the probability of the verdict; or the share of the repeats that agree.
    """
    said = majority_judgement(repeats)
    if said is None:
        return None
    if not said.calls:
        return 1.0  # by rule: every stage says the same
    known = [_sureness(judge, each) for each in repeats if each.passed is said.passed]
    sure = [each for each in known if each is not None]
    if sure:
        return sum(sure) / len(repeats)
    return len(known) / len(repeats) if len(repeats) > 1 else None


def _sureness(judge: Judge, judgement: Judgement) -> float | None:
    if judgement.distribution is not None:
        sides = [
            share
            for score, share in judgement.distribution.shares
            if passes(judge, judgement.verdict, Score(value=score, exact=score)) is judgement.passed
        ]
        return min(1.0, sum(sides))
    if judgement.model.startswith("embedded@") and judge.scale is not None and judgement.exact is not None:
        width = judge.scale.high - judge.scale.low
        edges = [
            judge.scale.low + step + 0.5
            for step in range(int(width))
            if _passes_at(judge, judgement, step) is not _passes_at(judge, judgement, step + 1)
        ]
        if width > 1 and len(edges) == 1:
            return abs(judgement.exact - edges[0]) / width
    return judgement.probability


def _passes_at(judge: Judge, judgement: Judgement, step: int) -> bool | None:
    value = (judge.scale.low if judge.scale else 0.0) + step
    return passes(judge, judgement.verdict, Score(value=value, exact=value))


def decide_by_stage(
    judge: Judge,
    jury: Jury,
    stages: Sequence[Sequence[Judgement]],
    thresholds: Thresholds,
    *,
    calibrates: bool,
) -> Ruling:
    """`stages` has the judgements of each stage that was asked, by repeat; `calibrates`: people labelled the case."""
    confidences = [confidence(judge, repeats) for repeats in stages]
    place = deciding_stage(thresholds, confidences)
    parts: dict[str, Json] = {
        VOTES: [
            _listed(each, sure, threshold)
            for repeats, sure, threshold in zip(stages, confidences, thresholds, strict=False)
            for each in repeats
        ],
        CASCADE: {"agree": jury.agree, "stage": None if place is None else jury.models[place]},
    }
    notes = (CALIBRATION,) if calibrates else ()
    said = None if place is None else majority_judgement(stages[place])
    if place is None or said is None:
        return _undecided(jury, stages, confidences, thresholds, parts)._replace(notes=notes)
    assert isinstance(said.outcome, Scored | Forced)
    words = said.outcome.verdict.parts if said.outcome.score.parts is None else said.outcome.score.parts
    outcome = replace(
        said.outcome, verdict=Verdict(parts={**words, **parts}), score=replace(said.outcome.score, parts=None)
    )
    return Ruling(
        outcome=outcome,
        reason=said.reason,
        normalized=said.normalized,
        passed=said.passed,
        probability=said.probability,
        distribution=said.distribution,
        notes=distinct(said.notes, (f"{DECIDED_BY}:{jury.models[place]}",), notes),
    )


def _listed(vote: Judgement, sure: float | None, threshold: float | None) -> dict[str, Json]:
    repeat: dict[str, Json] = {"repeat": vote.repeat} if vote.repeat else {}
    return {**listed_vote(vote), **repeat, "confidence": sure, "threshold": threshold}


def _undecided(
    jury: Jury,
    stages: Sequence[Sequence[Judgement]],
    confidences: Sequence[float | None],
    thresholds: Thresholds,
    parts: Mapping[str, Json],
) -> Ruling:
    if alike := failed_alike([each for repeats in stages for each in repeats], parts):
        return alike
    sure = ", ".join(
        f"{model} {'not known' if known is None else f'{known:.3g}'} (decides "
        f"{'nothing' if needed is None else f'from {needed:.3g}'})"
        for model, known, needed in zip(jury.models, confidences, thresholds, strict=False)
    )
    return Ruling(
        outcome=Failed(
            kind="abstained",
            message=f"no stage was sure enough: {sure}",
            error_kind=UNDECIDED,
            verdict=Verdict(parts=parts),
        )
    )
