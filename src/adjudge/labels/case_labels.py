"""People's labels of a run's cases, and what they mean on the judge's scale."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from adjudge.errors import InputError
from adjudge.labels.annotators import read_annotators
from adjudge.labels.label_rows import LabelRow
from adjudge.labels.label_scale import Meaning
from adjudge.options import option
from adjudge.records import Json, Judge

OWN_LABELS = "cases"
"""What `--labels` says for those that stand in the cases themselves."""


class CaseLabels(NamedTuple):
    """What people say of one case."""

    label: Json
    """What most of them say; None where they are split evenly."""
    annotators: Json = None
    """What each of them says, as a case's own column has it; None where one person labelled the case."""


def labels_by_case(rows: Iterable[LabelRow]) -> dict[str, CaseLabels]:
    """Without labels given after seeing the verdict."""
    found: dict[str, list[LabelRow]] = {}
    for row in rows:
        if row.label is not None and not row.seen_verdict:
            found.setdefault(row.case_id, []).append(row)
    return {case_id: _of_case(several) for case_id, several in found.items()}


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


def validate_labels(
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
