"""Files of labels on their way into a run's figures and into the store: whose answer each row is of, and what it says."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from msgspec import structs

from adjudge.analysis.agreement.stored_labels import (
    LabelSource,
    RunLabels,
    part_labels,
    place_kept,
    stored_labels,
)
from adjudge.analysis.agreement.verdicts import ScaledVerdicts, judged_in
from adjudge.analysis.chosen_model import same_model
from adjudge.analysis.scores.figures import columns_of
from adjudge.dataset.read import read_table
from adjudge.errors import InputError
from adjudge.labels.label_rows import LabelRow, bare_id, find_id, read_labels, refuse_other_responses
from adjudge.labels.label_scale import refuse_zeros_and_ones
from adjudge.labels.label_set import place_labels
from adjudge.labels.parts import read_parts, wanted_label
from adjudge.records import LabelDraw
from adjudge.store import KeptLabel, Store
from adjudge.text import shorten, visible


@dataclass(frozen=True, kw_only=True, slots=True)
class FileNote:
    """What became of some rows of a file, where that is not plain from the figures."""

    kind: Literal["unlabelled", "stored", "unknown_cases", "other_run", "read_only"]
    rows: int = 0
    run_id: str | None = None
    """None for the run at hand."""
    replaced: int = 0
    """Of those stored, in place of older ones."""


class FoundLabels(NamedTuple):
    labels: RunLabels
    notes: tuple[FileNote, ...] = ()


def find_labels(
    store: Store, run_id: str, judged: ScaledVerdicts, *, path: str | None, annotator: str | None, keep: bool
) -> FoundLabels:
    """Those of the file are stored, unless `keep` is off; then all that is stored for the run's cases counts.

    `annotator` is who gave the labels of rows that name nobody.
    """
    if path is None:
        return FoundLabels(stored_labels(store, run_id, judged))
    rows, stays = read_labels(*read_table(path)), keep and not store.read_only
    taken = take_labels(store, run_id, judged, rows, file=path, annotator=annotator, keep=stays)
    if stays:
        kind: Literal["file", "file_and_store"] = "file_and_store" if taken.older else "file"
        source = LabelSource(kind=kind, labels=0, file=path) if taken.labels else None
        labels = stored_labels(store, run_id, judged, file=source, elsewhere=taken.elsewhere)
        return FoundLabels(labels, taken.notes)
    blind = [label for label in taken.labels if not label.seen_verdict]
    labels = RunLabels(
        labels=place_kept(blind, judged.scale, path),
        parts=part_labels(blind),
        draws=store.draws(run_id, judged.verdicts.judge),
        sources=(LabelSource(kind="file", labels=len(blind), file=path),),
        elsewhere=taken.elsewhere,
        seen_verdict=len(taken.labels) - len(blind),
    )
    read_only = (FileNote(kind="read_only"),) if keep else ()
    return FoundLabels(labels, (*read_only, *taken.notes))


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenLabels:
    """What became of a file of labels."""

    labels: Sequence[KeptLabel]
    """Of the run at hand."""
    elsewhere: int
    """Rows of cases that the run does not have."""
    new: int = 0
    """Of the labels, where they were stored; the rest took the place of older ones."""
    older: int = 0
    """Labels that were stored before, and still are."""
    notes: tuple[FileNote, ...]


def take_labels(
    store: Store,
    run_id: str,
    judged: ScaledVerdicts,
    rows: Sequence[LabelRow],
    *,
    file: str,
    annotator: str | None,
    keep: bool = True,
) -> TakenLabels:
    """Read them and, to `keep` them, store them. All are read before any is stored: one that means nothing stops all."""
    verdicts, scale = judged
    by_run, notes = sort_by_run(store, run_id, rows), list[FileNote]()
    for named, run_rows in by_run.items():
        validate_responses(store, named, run_rows, file)
    run_rows = by_run.pop(run_id, [])
    found = [_place(run_id, judged, run_rows, file=file, annotator=annotator)]
    for other, other_rows in by_run.items():
        if not keep:
            notes.append(FileNote(kind="other_run", rows=len(other_rows), run_id=other))
            continue
        record = store.find_run(other)
        assert record is not None  # the rows were sorted by runs that were found
        # on the scale that the judge had in that run
        other_judged = judged_in(
            store,
            record,
            judge=verdicts.judge,
            model=same_model(verdicts.model, record),
            label_map=scale.label_map,
        )
        found.append(_place(other, other_judged, other_rows, file=file, annotator=annotator))
    placed = found[0]
    if not any(each.labels for each in found):
        raise _no_label(file, run_id, judged, run_rows, placed)
    before = len(store.labels(run_id, verdicts.judge))
    new = [_keep(store, each) if keep else 0 for each in found]
    for each, added in zip(found, new, strict=True):
        whose, count = None if each is placed else each.run_id, len(each.labels)
        if each.unlabelled:
            notes.append(FileNote(kind="unlabelled", rows=each.unlabelled, run_id=whose))
        if keep and each.labels:
            notes.append(FileNote(kind="stored", rows=count, run_id=whose, replaced=count - added))
        if whose and each.elsewhere:
            notes.append(FileNote(kind="unknown_cases", rows=each.elsewhere, run_id=whose))
    older = max(0, before - (len(placed.labels) - new[0])) if keep else 0
    return TakenLabels(
        labels=placed.labels, elsewhere=placed.elsewhere, new=new[0], older=older, notes=tuple(notes)
    )


def with_draws(
    labels: Sequence[KeptLabel], draws: Sequence[LabelDraw], before: Sequence[KeptLabel]
) -> list[KeptLabel]:
    """Each with how its case was drawn: in this run, or in another over the same case, as an older label of it says.

    A label given after seeing the verdict belongs to no draw.
    """
    chosen = {case_id: draw.number for draw in draws for case_id in draw.chosen}
    chances = draws[-1].chances if draws else {}
    older = {label.case_id: label for label in before if label.draw is not None}
    found = []
    for label in labels:
        drawn, case_id = label, label.case_id
        if not label.seen_verdict and case_id in chosen:
            drawn = structs.replace(label, draw=chosen[case_id], probability=chances[case_id])
        elif not label.seen_verdict and case_id in older:
            earlier = older[case_id]
            drawn = structs.replace(
                label, run_id=earlier.run_id, draw=earlier.draw, probability=earlier.probability
            )
        found.append(drawn)
    return found


# ---- the rows of one run -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class _Placed:
    """The rows of a file that are of one run, on the scale of its judge."""

    run_id: str
    judge: str
    labels: list[KeptLabel]
    elsewhere: int
    """Rows of cases that the run does not have."""
    unlabelled: int


def _place(
    run_id: str, judged: ScaledVerdicts, rows: Sequence[LabelRow], *, file: str, annotator: str | None
) -> _Placed:
    verdicts, scale = judged
    known = {verdict.case_id for verdict in verdicts.verdicts} | verdicts.failed.keys()
    labelled = [row for row in rows if row.label is not None]
    here = [
        replace(row, case_id=case_id) for row in labelled if (case_id := find_id(row.case_id, known)) in known
    ]
    now = datetime.now(UTC)
    asked = verdicts.asked
    read = [(row, read_parts(str(row.place), row.label, verdicts.source, asked(row.case_id))) for row in here]
    in_parts = [(row, *label) for row, label in read if label is not None]
    wholes = place_labels([row for row, label in read if label is None], scale, file)
    found = [
        KeptLabel(
            case_id=row.case_id,
            judge=verdicts.judge,
            label=meaning,
            parts=parts,
            run_id=run_id,
            annotator=row.annotator or annotator or "",
            explanation=row.explanation,
            tuning=row.tuning,
            seen_verdict=row.seen_verdict,
            at=now,
        )
        for row, meaning, parts in (
            *((row, meaning, None) for row, meaning in wholes),
            *(each for each in in_parts if each[-1]),
        )
    ]
    refuse_zeros_and_ones(file, [meaning for _, meaning in wholes], scale)
    return _Placed(
        run_id=run_id,
        judge=verdicts.judge,
        labels=found,
        elsewhere=len(labelled) - len(here),
        unlabelled=len(rows) - len(labelled) + sum(not parts for *_, parts in in_parts),
    )


def validate_responses(store: Store, run_id: str, rows: Sequence[LabelRow], file: str) -> None:
    record = store.find_run(run_id)
    assert record is not None
    refuse_other_responses(
        rows,
        lambda case_id: store.case(run_id, case_id) or store.case(run_id, bare_id(case_id)),
        columns_of(record.plan),
        file=file,
        judged=f"run {run_id} judged",
        hint="name the run that judged these answers, or, if the labels are of this run's answers, drop the column "
        "with the responses",
    )


def _keep(store: Store, placed: _Placed) -> int:
    """Store them; how many were new."""
    if not placed.labels:
        return 0
    draws = store.draws(placed.run_id, placed.judge)
    before = store.labels(placed.run_id, placed.judge)
    return store.keep_labels(placed.run_id, with_draws(placed.labels, draws, before))


def _no_label(
    file: str, run_id: str, judged: ScaledVerdicts, rows: Sequence[LabelRow], placed: _Placed
) -> InputError:
    in_parts = any(isinstance(row.label, list | dict) for row in rows)
    wanted = wanted_label(judged.verdicts.source, judged.scale, in_parts=in_parts)
    examples = ", ".join(f"`{row.case_id}`" for row in rows[:3])
    return InputError(
        file,
        f"has no label for a case of run {run_id}"
        + (f"; its ids are {examples} …" if placed.elsewhere else ""),
        "`adjudge export RUN -o -` shows the ids of the run; a file made by `--next` has them"
        if placed.elsewhere
        else f"fill in `label`: {wanted}",
    )


# ---- which run a row is of -----------------------------------------------------------------------------------


def sort_by_run(store: Store, run_id: str, rows: Sequence[LabelRow]) -> dict[str, list[LabelRow]]:
    """Run -> its rows; an `InputError` for a row that names a run which is not there.

    A row that names none is of the run at hand.
    """
    named: dict[str, str] = {}
    found: dict[str, list[LabelRow]] = defaultdict(list)
    for row in rows:
        found[_run_of(store, row, run_id, named)].append(row)
    return dict(found)


def _run_of(store: Store, row: LabelRow, run_id: str, named: dict[str, str]) -> str:
    if row.run is None:
        return run_id
    if row.run not in named:
        # not by the start of an id: a column `run` of somebody's own may hold anything
        record = store.find_run(row.run)
        if record is None or row.run not in {record.run_id, record.name}:
            raise InputError(
                str(row.place),
                f"`run` is `{visible(shorten(row.run, 40))}`, which is no run in {store.where}",
                "name a run by its whole name or id, or drop the column",
            )
        named[row.run] = record.run_id
    return named[row.run]
