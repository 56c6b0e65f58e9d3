"""What people said of a run's cases, on the judge's scale: from the store and from the cases' own columns."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol, TypeVar

from msgspec import structs

from adjudge.analysis.agreement.verdicts import RunVerdicts, ScaledVerdicts
from adjudge.errors import InputError
from adjudge.labels.annotators import Annotation, read_annotators
from adjudge.labels.label_scale import (
    LabelScale,
    Meaning,
    UnusableKind,
    UnusableLabelsError,
    off_scale_error,
    refuse_zeros_and_ones,
)
from adjudge.labels.parts import whole_label
from adjudge.records import Json, LabelDraw
from adjudge.store import KeptLabel, Store

OwnColumns = Literal["label_column", "annotators_column", "both_columns"]
_COLUMNS: dict[OwnColumns, str] = {
    "label_column": "the cases' own label column",
    "annotators_column": "the cases' own annotators column",
    "both_columns": "the cases' own annotators and label columns",
}
STORED = "the stored labels"


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


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelSource:
    """Where some of the labels are from."""

    kind: Literal["store", "file", "file_and_store"] | OwnColumns
    labels: int
    file: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class UnusableColumn:
    """Why the cases' own labels are left out: they mean nothing on the judge's scale."""

    kind: UnusableKind
    examples: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLabels:
    """What people said, and how they came to be asked."""

    labels: Sequence[Label]
    parts: Sequence[Label] = ()
    """Of criteria or ratings."""
    draws: Sequence[LabelDraw]
    sources: tuple[LabelSource, ...] = ()
    replaced: int = 0
    """The cases' own labels in whose place a stored one of the same annotator counts."""
    unusable: UnusableColumn | None = None
    elsewhere: int = 0
    """Labels of a file for cases that the run does not have."""
    seen_verdict: int = 0
    """Labels that were given after seeing what the judge said, and are left out."""


def stored_labels(
    store: Store, run_id: str, judged: ScaledVerdicts, *, file: LabelSource | None = None, elsewhere: int = 0
) -> RunLabels:
    """All that is stored for the run's cases and their own labels; an `InputError` that says what to do without any.

    `file` is where the stored ones have just come from, if they have.
    """
    verdicts, scale = judged
    kept = current_labels(store.labels(run_id, verdicts.judge), verdicts)
    stored = place_kept(kept, scale, STORED)
    unusable, own = None, OwnLabels([], "label_column")
    try:
        own = own_labels(verdicts.own_labels, verdicts.own_annotators, scale)
    except (
        UnusableLabelsError
    ) as error:  # a column that means something else does not take the stored labels' place
        if not kept:
            raise
        unusable = UnusableColumn(kind=error.kind, examples=error.examples)
    parts = part_labels(kept)
    merged = merge_labels(stored, own.labels, parts)
    own_parts = [
        Label(case_id=case_id, annotator="", meaning=meaning, part=name)
        for case_id, parts in verdicts.own_parts.items()
        for name, meaning in parts.items()
    ]
    parts = merge_labels(parts, own_parts, stored).labels
    if not merged.labels and not parts:
        raise InputError(
            f"run {run_id}",
            f"no label of {verdicts.judge} is known for its cases",
            "`adjudge agree RUN --next 50` draws cases to label; `adjudge agree RUN LABELS` reads a file of "
            "`case_id` and `label`; or give the cases a column `label` or `annotators`",
        )
    sources = (
        replace(file or LabelSource(kind="store", labels=0), labels=len(stored)),
        LabelSource(kind=own.kind, labels=merged.own),
    )
    return RunLabels(
        labels=merged.labels,
        parts=parts,
        draws=store.draws(run_id, verdicts.judge) or draws_elsewhere(store, kept),
        sources=tuple(source for source in sources if source.labels),
        replaced=merged.replaced,
        unusable=unusable,
        elsewhere=elsewhere,
        seen_verdict=len(store.labels(run_id, verdicts.judge, seen_verdict=True)),
    )


def draws_elsewhere(store: Store, kept: Sequence[KeptLabel]) -> Sequence[LabelDraw]:
    """The draws of the one other run, over the same cases, in which they were drawn; none when there are several."""
    runs = {(label.run_id, label.judge) for label in kept if label.draw is not None}
    return store.draws(*runs.pop()) if len(runs) == 1 else ()


# ---- from each source ----------------------------------------------------------------------------------------


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


def current_labels(kept: Iterable[KeptLabel], verdicts: RunVerdicts) -> list[KeptLabel]:
    """The whole of a label of parts is what they come to by the rubric or the rule that this run had."""
    judge, asked = verdicts.source, verdicts.asked
    found = []
    for label in kept:
        criteria = asked(label.case_id)
        if label.parts is None or (not criteria and not (judge and judge.ratings)):
            found.append(label)
        else:
            found.append(structs.replace(label, label=whole_label(judge, label.parts, criteria)))
    return found


def part_labels(kept: Iterable[KeptLabel]) -> list[Label]:
    return [
        Label(case_id=row.case_id, annotator=row.annotator, meaning=meaning, tuning=row.tuning, part=name)
        for row in kept
        for name, meaning in (row.parts or {}).items()
    ]


def place_kept(kept: Iterable[KeptLabel], scale: LabelScale, where: str) -> list[Label]:
    """What the store holds, on the judge's scale as it now is."""
    return [
        Label(
            case_id=row.case_id,
            annotator=row.annotator,
            meaning=meaning,
            explanation=row.explanation,
            tuning=row.tuning,
        )
        for row, meaning in place_labels((row for row in kept if row.label is not None), scale, where)
    ]


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


# ---- what the figures take -----------------------------------------------------------------------------------


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


def as_passes(
    labels: Mapping[str, Sequence[Label]], scale: LabelScale
) -> Mapping[str, Sequence[Label]] | None:
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


def settled(labels: Mapping[str, Sequence[Label]], adjudicators: Collection[str]) -> dict[str, list[Label]]:
    """What counts as the case's label: the adjudicator's where there is one, else everybody's."""
    return {
        case_id: [label for label in each if label.annotator in adjudicators] or list(each)
        for case_id, each in labels.items()
    }


def without_adjudicators(
    labels: Mapping[str, Sequence[Label]], adjudicators: Collection[str]
) -> dict[str, list[Label]]:
    """They saw what the others said and so do not agree or disagree with them as one of them."""
    found = {
        case_id: [label for label in each if label.annotator not in adjudicators]
        for case_id, each in labels.items()
    }
    return {case_id: each for case_id, each in found.items() if each}
