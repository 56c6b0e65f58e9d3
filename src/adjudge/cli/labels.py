"""Where `agree` takes people's labels from: a file, the store, or the cases themselves."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from adjudge.cli.console import tell
from adjudge.dataset.labels import LabelRow, read_labels
from adjudge.errors import InputError
from adjudge.records import Json
from adjudge.reports.agree import Given
from adjudge.reports.agree_labels import Reading, not_placed
from adjudge.reports.agree_rows import OWN_LABELS, Verdicts, kept_labels, own_labels
from adjudge.store import KeptLabel, LabelDraw, Store


def find_labels(
    store: Store,
    run_id: str,
    verdicts: Verdicts,
    reading: Reading,
    *,
    path: str | None,
    annotator: str | None,
    keep: bool,
) -> Given:
    """Those of the file are stored, unless `keep` is off; then all that is stored for the run's cases counts."""
    draws = store.draws(run_id, verdicts.judge)
    source, elsewhere = "the store", 0
    if path is not None:
        given, elsewhere = _read(path, run_id, verdicts, reading, annotator)
        if not keep:
            return Given(
                labels=kept_labels(given, reading, path), draws=draws, source=path, elsewhere=elsewhere
            )
        older = store.labels(run_id, verdicts.judge)
        before = {label.case_id: label for label in older}
        chosen = {case_id: draw.number for draw in draws for case_id in draw.chosen}
        chances = draws[-1].chances if draws else {}
        given = [
            replace(label, draw=chosen[label.case_id], probability=chances[label.case_id])
            if label.case_id in chosen
            else _drawn_as(label, before.get(label.case_id))
            for label in given
        ]
        new = store.keep_labels(run_id, given)
        replaced = f", {len(given) - new} in place of older ones" if len(given) > new else ""
        tell(f"stored {len(given)} labels{replaced}")
        source = f"{path} and the store" if len(older) > len(given) - new else path
    kept = store.labels(run_id, verdicts.judge)
    if kept:
        return Given(
            labels=kept_labels(kept, reading, "the stored labels"),
            draws=draws or _draws_elsewhere(store, kept),
            source=source,
            elsewhere=elsewhere,
        )
    own = own_labels(verdicts, reading)
    if not own:
        raise InputError(
            f"run {run_id}",
            f"no label of {verdicts.judge} is known for its cases",
            "`adjudge agree RUN --next 50` draws cases to label; `adjudge agree RUN LABELS` reads a file of "
            "`case_id` and `label`; or give the cases a column `label`",
        )
    return Given(labels=own, draws=draws, source=OWN_LABELS)


def _read(
    path: str, run_id: str, verdicts: Verdicts, reading: Reading, annotator: str | None
) -> tuple[list[KeptLabel], int]:
    rows = read_labels(path)
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
                    at=now,
                )
            )
    if strange:
        raise not_placed(path, strange, reading)
    if blank:
        tell(f"{path}: {blank} rows have no label yet")
    if not found:
        some = ", ".join(f"`{row.case_id}`" for row in rows[:3])
        raise InputError(
            path,
            f"holds no label of a case of run {run_id}" + (f"; its ids are {some} …" if elsewhere else ""),
            "`adjudge export RUN -o -` shows the ids of the run; a file made by `--next` has them"
            if elsewhere
            else f"fill in `label`: {reading.wanted()}",
        )
    return found, elsewhere


def _known_id(row: LabelRow, known: set[str]) -> str | None:
    if row.case_id in known:
        return row.case_id
    # what `--next` writes into a CSV so that no spreadsheet takes an id for a formula
    bare = row.case_id.removeprefix("'")
    return bare if bare in known else None


def _drawn_as(label: KeptLabel, before: KeptLabel | None) -> KeptLabel:
    """In another run over the same case, as an older label of it says."""
    if before is None or before.draw is None:
        return label
    return replace(label, run_id=before.run_id, draw=before.draw, probability=before.probability)


def _draws_elsewhere(store: Store, kept: Sequence[KeptLabel]) -> Sequence[LabelDraw]:
    """The draws of the one other run, over the same cases, in which they were drawn; none when there are several."""
    runs = {(label.run_id, label.judge) for label in kept if label.draw is not None}
    return store.draws(*runs.pop()) if len(runs) == 1 else ()
