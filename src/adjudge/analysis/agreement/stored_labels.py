"""What people said of a run's cases, on the judge's scale: from the store and from the cases' own columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from msgspec import structs

from adjudge.analysis.agreement.verdicts import RunVerdicts, ScaledVerdicts
from adjudge.errors import InputError
from adjudge.labels.label_scale import (
    LabelScale,
    UnusableKind,
    UnusableLabelsError,
)
from adjudge.labels.label_set import Label, OwnColumns, OwnLabels, merge_labels, own_labels, place_labels
from adjudge.labels.parts import whole_label
from adjudge.records import LabelDraw
from adjudge.store import KeptLabel, Store

STORED = "the stored labels"


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
