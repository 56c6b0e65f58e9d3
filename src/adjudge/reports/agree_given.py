"""What the store, a file or the cases themselves say that people said of a run: the way to an agree report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from adjudge.analysis.summary.stored import judges_of
from adjudge.dataset.labels import LabelRow
from adjudge.errors import InputError
from adjudge.records import Json
from adjudge.reports.agree import AgreeReport, Asked, Given, agree_report, with_reasons
from adjudge.reports.agree_by_run import bare_id, sort_by_run
from adjudge.reports.agree_labels import Reading, not_placed, reading_of, refuse_zeros_and_ones
from adjudge.reports.agree_rows import (
    Verdicts,
    collect_verdicts,
    kept_labels,
    merge_labels,
    own_labels,
    own_source,
)
from adjudge.store import KeptLabel, LabelDraw, RunRecord, Store

Say = Callable[[str], None]
"""Where a sentence about what was done goes: standard error, or an answer."""


class Judged(NamedTuple):
    """One judge of a stored run, and how its labels are read."""

    verdicts: Verdicts
    reading: Reading


def judged_in(
    store: Store,
    record: RunRecord,
    *,
    judge: str | None,
    label_map: Mapping[str, str] | None = None,
    slices: Sequence[str] = (),
) -> Judged:
    """By name or `name@hash`; the only one when none is named."""
    verdicts = collect_verdicts(
        store.judgements(record.run_id), judges_of(store, record), judge=judge, slices=slices
    )
    scores = {(verdict.score, verdict.passed) for verdict in verdicts.verdicts}
    return Judged(verdicts, reading_of(verdicts.judge, verdicts.source, scores, label_map or {}))


def report_on(store: Store, run_id: str, judged: Judged, given: Given, asked: Asked) -> AgreeReport:
    """What `adjudge agree` prints: with the judge's reasons for the few cases that are shown.

    Those are read again, because holding every reason of a run would fill the memory.
    """
    report = agree_report(run_id, judged.verdicts, given, judged.reading, asked)
    reasons: dict[str, str | None] = {}
    for each in report.disagreements:
        whole = store.judgement(run_id, each.case_id, report.judge)
        reasons[each.case_id] = whole[0].reason if whole else None
    return with_reasons(report, reasons)


def stored_labels(
    store: Store, run_id: str, judged: Judged, *, source: str = "the store", elsewhere: int = 0
) -> Given:
    """All that is stored for the run's cases and their own labels; an `InputError` that says what to do without any."""
    verdicts, reading = judged
    draws = store.draws(run_id, verdicts.judge)
    kept = store.labels(run_id, verdicts.judge)
    stored = kept_labels(kept, reading, "the stored labels")
    refused = None
    try:
        own = own_labels(verdicts, reading)
    except InputError as error:  # a column that means something else does not take the stored labels' place
        if not stored:
            raise
        own, refused = [], f"{error.problem}; {error.hint}"
    merged = merge_labels(stored, own)
    if not merged.labels:
        raise InputError(
            f"run {run_id}",
            f"no label of {verdicts.judge} is known for its cases",
            "`adjudge agree RUN --next 50` draws cases to label; `adjudge agree RUN LABELS` reads a file of "
            "`case_id` and `label`; or give the cases a column `label` or `annotators`",
        )
    counts = {source: len(stored), own_source(verdicts): merged.own}
    sources = {name: count for name, count in counts.items() if count}
    return Given(
        labels=merged.labels,
        draws=draws or draws_elsewhere(store, kept),
        source=_named(sources),
        sources=sources,
        replaced=merged.replaced,
        refused=refused,
        elsewhere=elsewhere,
        seen_verdict=len(store.labels(run_id, verdicts.judge, seen_verdict=True)),
    )


def _named(sources: Mapping[str, int]) -> str:
    """Where labels are from, with how many from where if that is more than one place."""
    if len(sources) == 1:
        return next(iter(sources))
    return " and ".join(f"{name} ({count})" for name, count in sources.items())


def labels_of_file(
    store: Store,
    run_id: str,
    judged: Judged,
    rows: Sequence[LabelRow],
    *,
    file: str,
    annotator: str | None,
    say: Say,
) -> Given:
    """Those of a file alone; nothing is stored."""
    verdicts, reading = judged
    draws = store.draws(run_id, verdicts.judge)
    by_run = _by_run(store, run_id, judged, rows, draws, file=file, say=say)
    mine = by_run.pop(run_id, [])
    placed = _place(run_id, judged, mine, file=file, annotator=annotator, say=say)
    for other, left_out in by_run.items():
        say(
            f"{file}: {len(left_out)} rows are of run {other}, and left out: nothing is stored with --no-keep"
        )
    if not placed.labels:
        raise _no_label(file, run_id, reading, mine, placed)
    blind = [label for label in placed.labels if not label.seen_verdict]
    return Given(
        labels=kept_labels(blind, reading, file),
        draws=draws,
        source=file,
        sources={file: len(blind)},
        seen_verdict=len(placed.labels) - len(blind),
        elsewhere=placed.elsewhere,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """What became of a file of labels."""

    labels: int
    """Of the run at hand."""
    new: int
    """Of those; the rest took the place of older ones."""
    elsewhere: int
    """Rows of cases that the run does not have."""
    older: int
    """Labels that were stored before, and still are."""


def store_labels(
    store: Store,
    run_id: str,
    judged: Judged,
    rows: Sequence[LabelRow],
    *,
    file: str,
    annotator: str | None,
    say: Say,
) -> Stored:
    """All are read before any is stored: a label that means nothing stops everything."""
    verdicts, reading = judged
    draws = store.draws(run_id, verdicts.judge)
    by_run = _by_run(store, run_id, judged, rows, draws, file=file, say=say)
    mine = by_run.pop(run_id, [])
    others = [
        _place_elsewhere(
            store,
            other,
            theirs,
            judge=verdicts.judge,
            label_map=reading.label_map,
            file=file,
            annotator=annotator,
            say=say,
        )
        for other, theirs in by_run.items()
    ]
    placed = _place(run_id, judged, mine, file=file, annotator=annotator, say=say)
    if not placed.labels and not any(each.labels for each in others):
        raise _no_label(file, run_id, reading, mine, placed)
    before = len(store.labels(run_id, verdicts.judge))
    new = _keep(store, placed, say) if placed.labels else 0
    for each in others:
        _keep(store, each, say)
    replaced = len(placed.labels) - new
    return Stored(
        labels=len(placed.labels), new=new, elsewhere=placed.elsewhere, older=max(0, before - replaced)
    )


def with_draws(
    labels: Sequence[KeptLabel], draws: Sequence[LabelDraw], before: Sequence[KeptLabel]
) -> list[KeptLabel]:
    """Each with how its case was drawn: in this run, or in another over the same case, as an older label of it says."""
    chosen = {case_id: draw.number for draw in draws for case_id in draw.chosen}
    chances = draws[-1].chances if draws else {}
    older = {label.case_id: label for label in before}
    return [
        label
        if label.seen_verdict
        else replace(label, draw=chosen[label.case_id], probability=chances[label.case_id])
        if label.case_id in chosen
        else _drawn_as(label, older.get(label.case_id))
        for label in labels
    ]


def _by_run(
    store: Store,
    run_id: str,
    judged: Judged,
    rows: Sequence[LabelRow],
    draws: Sequence[LabelDraw],
    *,
    file: str,
    say: Say,
) -> dict[str, list[LabelRow]]:
    found = sort_by_run(store, run_id, draws, rows, judge=judged.verdicts.source)
    for gone in [other for other in found if other != run_id and store.find_run(other) is None]:
        say(f"{file}: {len(found.pop(gone))} rows are of run {gone}, which was removed: left out")
    return found


@dataclass(frozen=True, kw_only=True, slots=True)
class _Placed:
    """The rows of a file that are of one run, on the scale of its judge."""

    run_id: str
    judge: str
    labels: list[KeptLabel]
    elsewhere: int
    """Rows of cases that the run does not have."""
    named: bool = False
    """Whether to say whose they are: it is not the run at hand."""


def _place(
    run_id: str,
    judged: Judged,
    rows: Sequence[LabelRow],
    *,
    file: str,
    annotator: str | None,
    say: Say,
    named: bool = False,
) -> _Placed:
    verdicts, reading = judged
    known = {verdict.case_id for verdict in verdicts.verdicts} | verdicts.failed.keys()
    now = datetime.now(UTC)
    found, strange, elsewhere, blank = list[KeptLabel](), list[Json](), 0, 0
    for row in rows:
        if row.label is None:
            blank += 1
            continue
        case_id = _known_id(row, known)
        if case_id is None:
            elsewhere += 1
            continue
        says = reading.place(row.label)
        if says is None:
            strange.append(row.label)
        elif not isinstance(says, str):
            found.append(
                KeptLabel(
                    case_id=case_id,
                    judge=verdicts.judge,
                    label=says,
                    run_id=run_id,
                    annotator=row.annotator or annotator or "",
                    explanation=row.explanation,
                    tuning=row.tuning,
                    seen_verdict=row.seen_verdict,
                    at=now,
                )
            )
    if strange:
        raise not_placed(file, strange, reading)
    refuse_zeros_and_ones(file, [label.label for label in found], reading)
    if blank:
        say(f"{file}: {blank} rows{f' of run {run_id}' if named else ''} have no label yet")
    return _Placed(run_id=run_id, judge=verdicts.judge, labels=found, elsewhere=elsewhere, named=named)


def _place_elsewhere(
    store: Store,
    run_id: str,
    rows: Sequence[LabelRow],
    *,
    judge: str,
    label_map: Mapping[str, str],
    file: str,
    annotator: str | None,
    say: Say,
) -> _Placed:
    """Rows that name another run than the one at hand, on the scale that the judge had in that one."""
    record = store.find_run(run_id)
    assert record is not None  # the rows were sorted by runs that were found
    theirs = judged_in(store, record, judge=judge, label_map=label_map)
    return _place(run_id, theirs, rows, file=file, annotator=annotator, say=say, named=True)


def _keep(store: Store, placed: _Placed, say: Say) -> int:
    """Store them; how many were new."""
    draws = store.draws(placed.run_id, placed.judge)
    before = store.labels(placed.run_id, placed.judge)
    labels = with_draws(placed.labels, draws, before)
    new = store.keep_labels(placed.run_id, labels)
    replaced = f", {len(labels) - new} in place of older ones" if len(labels) > new else ""
    whose = f" of run {placed.run_id}" if placed.named else ""
    lost = (
        f"; {placed.elsewhere} of cases that it does not have left out"
        if placed.named and placed.elsewhere
        else ""
    )
    if labels or lost:
        say(f"stored {len(labels)} labels{whose}{replaced}{lost}")
    return new


def _no_label(
    file: str, run_id: str, reading: Reading, rows: Sequence[LabelRow], placed: _Placed
) -> InputError:
    some = ", ".join(f"`{row.case_id}`" for row in rows[:3])
    return InputError(
        file,
        f"holds no label of a case of run {run_id}" + (f"; its ids are {some} …" if placed.elsewhere else ""),
        "`adjudge export RUN -o -` shows the ids of the run; a file made by `--next` has them"
        if placed.elsewhere
        else f"fill in `label`: {reading.wanted()}",
    )


def _known_id(row: LabelRow, known: set[str]) -> str | None:
    if row.case_id in known:
        return row.case_id
    bare = bare_id(row.case_id)
    return bare if bare in known else None


def _drawn_as(label: KeptLabel, before: KeptLabel | None) -> KeptLabel:
    if before is None or before.draw is None:
        return label
    return replace(label, run_id=before.run_id, draw=before.draw, probability=before.probability)


def draws_elsewhere(store: Store, kept: Sequence[KeptLabel]) -> Sequence[LabelDraw]:
    """The draws of the one other run, over the same cases, in which they were drawn; none when there are several."""
    runs = {(label.run_id, label.judge) for label in kept if label.draw is not None}
    return store.draws(*runs.pop()) if len(runs) == 1 else ()
