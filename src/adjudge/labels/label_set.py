"""The labels of many cases, on one judge's scale: from each source, put together, and as the figures take them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol, TypeVar

from adjudge.errors import InputError
from adjudge.labels.annotators import Annotation, read_annotators
from adjudge.labels.label_scale import LabelScale, Meaning, off_scale_error, refuse_zeros_and_ones
from adjudge.records import Json

OwnColumns = Literal["label_column", "annotators_column", "both_columns"]
_COLUMNS: dict[OwnColumns, str] = {
    "label_column": "the cases' own label column",
    "annotators_column": "the cases' own annotators column",
    "both_columns": "the cases' own annotators and label columns",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """What one person said, on the judge's scale."""

    case_id: str
    annotator: str
    meaning: Meaning
    explanation: str | None = None
    tuning: bool = False
    part: str | None = None
    """The criterion or rating that it is of; None of the whole."""


LabelsByCase = Mapping[str, Sequence[Label]]


class _Labelled(Protocol):
    @property
    def label(self) -> Json: ...


_Row = TypeVar("_Row", bound=_Labelled)


def place_labels(rows: Iterable[_Row], scale: LabelScale, where: str) -> list[tuple[_Row, Meaning]]:
    """Each row with what its label says, without those to skip; an `InputError` when some say nothing on the scale."""
    found, strange = list[tuple[_Row, Meaning]](), list[Json]()
    for row in rows:
        meaning = scale.place(row.label)
        if meaning is None:
            strange.append(row.label)
        elif not isinstance(meaning, str):
            found.append((row, meaning))
    if strange:
        raise off_scale_error(where, strange, scale)
    return found


class OwnLabels(NamedTuple):
    """Labels that stand in the cases themselves."""

    labels: list[Label]
    kind: OwnColumns


def own_labels(labels: Mapping[str, Json], annotators: Mapping[str, Json], scale: LabelScale) -> OwnLabels:
    """From the cases' columns; an `InputError` when some mean nothing to this judge.

    Where a case says what several people said, its one label is what became of that, and is not counted besides.
    """
    several = [each for case_id, column in annotators.items() for each in read_annotators(case_id, column)]
    known = {each.case_id for each in several}
    alone = [
        Annotation(case_id=case_id, annotator="", label=label)
        for case_id, label in labels.items()
        if case_id not in known
    ]
    found = []
    for where, column in ((_COLUMNS["annotators_column"], several), (_COLUMNS["label_column"], alone)):
        rows = [each for each in column if not isinstance(each.label, dict) or scale.judge in each.label]
        found += [
            Label(case_id=row.case_id, annotator=row.annotator, meaning=meaning, explanation=row.explanation)
            for row, meaning in place_labels(rows, scale, where)
        ]
    kind: OwnColumns = "label_column" if not several else "both_columns" if alone else "annotators_column"
    refuse_zeros_and_ones(_COLUMNS[kind], [label.meaning for label in found], scale)
    return OwnLabels(found, kind)


class Merged(NamedTuple):
    """Labels of the store and of the cases themselves, as one."""

    labels: list[Label]
    own: int
    """Of those, the cases' own."""
    replaced: int
    """The cases' own labels whose annotator has a stored one too, which was given later and counts."""


def merge_labels(stored: Sequence[Label], own: Sequence[Label], also_stored: Sequence[Label] = ()) -> Merged:
    """Different annotators of one case are several annotators; of one annotator's two labels the stored one counts.

    `also_stored`: of parts beside those of the whole, or the other way round; one of either is a label.
    """
    known = {(label.case_id, label.annotator) for label in (*stored, *also_stored)}
    more = [label for label in own if (label.case_id, label.annotator) not in known]
    return Merged(labels=[*stored, *more], own=len(more), replaced=len(own) - len(more))


def in_one_kind(labels: Sequence[Label], scale: LabelScale) -> list[Label]:
    """Passes and fails only, as soon as one label is one: a score is then read by the judge's rule."""
    kinds = {isinstance(label.meaning, bool) for label in labels}
    if len(kinds) < 2:
        return list(labels)
    if scale.passes is None:
        raise InputError(
            "the labels",
            "some are scores and some are passes or fails, and this judge's pass rule cannot turn one into the other",
            "give one kind, or say with --label-map what each stands for",
        )
    return [_as_pass(label, scale.passes) for label in labels]


def as_passes(labels: LabelsByCase, scale: LabelScale) -> LabelsByCase | None:
    """Scores as passes and fails; None when no rule says which is which."""
    if all(isinstance(label.meaning, bool) for each in labels.values() for label in each):
        return labels
    if scale.passes is None:
        return None
    passes = scale.passes
    return {case_id: [_as_pass(label, passes) for label in each] for case_id, each in labels.items()}


def _as_pass(label: Label, passes: Callable[[float], bool]) -> Label:
    return label if isinstance(label.meaning, bool) else replace(label, meaning=passes(label.meaning))


def by_case(labels: Iterable[Label]) -> dict[str, list[Label]]:
    found: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        found[label.case_id].append(label)
    return dict(found)


def settle_labels(labels: LabelsByCase, adjudicators: Collection[str]) -> dict[str, list[Label]]:
    """What counts as the case's label: the adjudicator's where there is one, else everybody's."""
    return {
        case_id: [label for label in each if label.annotator in adjudicators] or list(each)
        for case_id, each in labels.items()
    }


def without_adjudicators(labels: LabelsByCase, adjudicators: Collection[str]) -> dict[str, list[Label]]:
    """They saw what the others said and so do not agree or disagree with them as one of them."""
    found = {
        case_id: [label for label in each if label.annotator not in adjudicators]
        for case_id, each in labels.items()
    }
    return {case_id: each for case_id, each in found.items() if each}
