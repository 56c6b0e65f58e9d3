"""People's labels of a run's cases, and what they mean on the judge's scale."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from adjudge.dataset.label_scale import Meaning, read_annotators, read_label, words_of
from adjudge.dataset.labels import LabelRow, read_labels
from adjudge.dataset.read import read_table
from adjudge.errors import InputError
from adjudge.options import option
from adjudge.procedures.jury import votes_by_label
from adjudge.records import Json, Judge, PointsScore, Score
from adjudge.scoring import passes

OWN_LABELS = "cases"
"""What `--labels` says for those that stand in the cases themselves."""


class CaseLabels(NamedTuple):
    """What people say of one case."""

    label: Json
    """What most of them say; None where they are split evenly."""
    annotators: Json = None
    """What each of them says, as a case's own column has it; None where one person labelled the case."""


def read_case_labels(source: str | Path | None) -> Mapping[str, CaseLabels] | None:
    """By case; None where there is no file. Labels given after seeing the verdict are left out."""
    if source is None or str(source) == OWN_LABELS:
        return None
    found: dict[str, list[LabelRow]] = {}
    for row in read_labels(*read_table(source)):
        if row.label is not None and not row.seen_verdict:
            found.setdefault(row.case_id, []).append(row)
    return {case_id: _of_case(rows) for case_id, rows in found.items()}


def _of_case(rows: Sequence[LabelRow]) -> CaseLabels:
    if len(rows) == 1:
        return CaseLabels(rows[0].label)
    people: list[Json] = [
        row.label if row.annotator is None else {"annotator": row.annotator, "label": row.label}
        for row in rows
    ]
    return CaseLabels(_most([row.label for row in rows]), people)


def people_labels(case_id: str, label: Json, annotators: Json) -> list[Json]:
    """What each person says of a case; where several did, its one label is what became of that, and not one more."""
    if annotators is not None and (people := [each.label for each in read_annotators(case_id, annotators)]):
        return people
    return [] if label is None else [label]


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
    labels: Mapping[str, CaseLabels] | None,
    where: object,
    judge: Judge,
    read: Callable[[Json], Meaning | None],
    hint: str,
) -> None:
    """Before anything is asked: labels that mean nothing on the judge's scale teach nothing."""
    if labels is None:
        return
    said = [each for case_id, given in labels.items() for each in people_labels(case_id, *given)]
    if not any(read(label) is not None for label in said):
        problem = f"none of its {len(said)} labels is on the scale of {judge.name}"
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
