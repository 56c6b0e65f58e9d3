"""How much each juror's vote counts: learned from people's labels, for each case from the labels of other cases."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from adjudge.dataset.label_scale import Meaning, read_label, words_of
from adjudge.dataset.labels import read_labels
from adjudge.errors import InputError
from adjudge.options import option
from adjudge.procedures.jury import votes_by_label
from adjudge.records import Case, Failed, Json, Judge, Judgement, PointsScore, Score
from adjudge.runs.groups import cluster_of
from adjudge.scoring import passes
from adjudge.stats.several.jury import FOLDS, ErrorCount, fold_of, label_weights, number_weights

OWN_LABELS = "cases"
"""What `--labels` says for those that stand in the cases themselves."""


def read_case_labels(source: str | Path | None) -> Mapping[str, Json] | None:
    """Case -> what people say of it; None where there is no file. Where several disagree, what most of them say."""
    if source is None or str(source) == OWN_LABELS:
        return None
    found: dict[str, list[Json]] = {}
    for row in read_labels(source):
        if row.label is not None and not row.seen_verdict:
            found.setdefault(row.case_id, []).append(row.label)
    return {case_id: label for case_id, said in found.items() if (label := _most(said)) is not None}


def _most(labels: Sequence[Json]) -> Json:
    counts = Counter(map(repr, labels)).most_common(2)
    if len(counts) > 1 and counts[0][1] == counts[1][1]:
        return None
    return next(label for label in labels if repr(label) == counts[0][0])


def label_on_scale(label: Json, judge: Judge) -> Meaning | None:
    return read_label(
        label, judge.name, judge.scale, pass_rule=judge.passes is not None, points=words_of(judge)
    )


def check_labels(
    labels: Mapping[str, Json] | None,
    where: object,
    judge: Judge,
    read: Callable[[Json], Meaning | None],
    hint: str,
) -> None:
    """Before anything is asked: labels that mean nothing on the judge's scale teach nothing."""
    if labels is not None and not any(read(label) is not None for label in labels.values()):
        problem = f"none of its {len(labels)} labels is on the scale of {judge.name}"
        raise InputError(f"{option('--labels')} {where}", problem, hint)


def label_for_votes(label: Json, judge: Judge) -> Meaning | None:
    """What votes are held against: where they are passes and fails, whether the label passes."""
    meaning = label_on_scale(label, judge)
    if not isinstance(meaning, float) or isinstance(meaning, bool) or not votes_by_label(judge):
        return meaning
    if judge.pair is not None or isinstance(judge.score, PointsScore):
        return meaning
    passed = passes(judge, {}, Score(value=meaning, exact=meaning))
    return meaning if passed is None else passed


def error_of(*, score: float, passed: bool | None, label: Meaning, by_label: bool) -> float:
    """How far a vote is from a label: 1 for a wrong one, the difference where both are numbers."""
    if isinstance(label, bool):
        return float(passed is not label)
    difference = score - label
    return float(abs(difference) > 1e-9) if by_label else difference


class Weighing:
    """Adds up each juror's errors, by fold; the weights for a case are learned from the other folds.

    So a case's own label never decides how much the votes on it count, and figures over labelled cases stay honest.
    """

    def __init__(self, judges: Sequence[Judge], models: Sequence[str]) -> None:
        self._judges = {judge.name: judge for judge in judges if judge.asks_model}
        self._models = tuple(models)
        self._errors: dict[tuple[str, int, str], ErrorCount] = {}
        """By judge, fold and model."""

    def check(self, labels: Mapping[str, Json] | None, where: object) -> None:
        hint = "weights are learned from labels on the judge's own scale"
        for judge in self._judges.values():
            check_labels(labels, where, judge, partial(label_on_scale, judge=judge), hint)

    def add(self, judgement: Judgement) -> None:
        judge, outcome = self._judges.get(judgement.judge), judgement.outcome
        if judge is None or judgement.model not in self._models or isinstance(outcome, Failed):
            return
        label = None if judgement.label is None else label_for_votes(judgement.label, judge)
        if label is None:
            return
        key = (judge.name, fold_of(judgement.cluster or judgement.case_id), judgement.model)
        error = error_of(
            score=outcome.score.value, passed=judgement.passed, label=label, by_label=votes_by_label(judge)
        )
        self._errors.setdefault(key, ErrorCount()).add(error)

    def weights(self, judge: str, case: Case) -> dict[str, float]:
        """By model, adding up to 1: those learned without the fold that the case lies in."""
        own = fold_of(cluster_of(case) or case.case_id)
        errors = {model: ErrorCount() for model in self._models}
        for fold in range(FOLDS):
            for model, total in errors.items() if fold != own else ():
                count = self._errors.get((judge, fold, model))
                if count is not None:
                    total.n += count.n
                    total.squares += count.squares
        known = self._judges[judge]
        return label_weights(errors, _classes(known)) if votes_by_label(known) else number_weights(errors)


def _classes(judge: Judge) -> int:
    if judge.pair is not None:
        return 3
    return max(2, len(judge.score.points)) if isinstance(judge.score, PointsScore) else 2
