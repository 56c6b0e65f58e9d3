"""`adjudge agree --next`: draw cases for people, store the draw, write the file that they fill in."""

import csv
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from adjudge.cli.console import print_json, tell
from adjudge.documents.writers import csv_cell, json_line
from adjudge.errors import InputError, SettingsError, StoreError
from adjudge.records import Json
from adjudge.reports.agree_labels import Reading
from adjudge.reports.agree_next import draw_next, labelling_order, rows_to_label
from adjudge.reports.agree_rows import Verdicts
from adjudge.reports.agree_selection import how_drawn
from adjudge.reports.format import plain_json
from adjudge.store import LabelDraw, Store

_FORMS = (".jsonl", ".csv")


@dataclass(frozen=True, kw_only=True, slots=True)
class Next:
    """What `--next` was asked for."""

    count: int
    """0 draws nothing, and writes what was drawn before and lacks a label."""
    path: str
    uniform_share: float
    seed: int
    as_json: bool


def write_next(store: Store, run_id: str, verdicts: Verdicts, reading: Reading, asked: Next) -> None:
    check_path(asked.path)
    before = store.draws(run_id, verdicts.judge)
    labelled = {label.case_id for label in store.labels(run_id, verdicts.judge)}
    waiting = [case_id for draw in before for case_id in labelling_order(draw) if case_id not in labelled]
    chances = before[-1].chances if before else {}
    if asked.count:
        draw = draw_next(
            run_id,
            verdicts,
            before,
            count=asked.count,
            uniform_share=asked.uniform_share,
            seed=asked.seed,
            at=datetime.now(UTC),
        )
        if not store.keep_draw(draw):
            raise SettingsError("--next", "another draw of this run was made at the same time", "draw again")
        chosen, chances = labelling_order(draw), draw.chances
        _say(draw, len(draw.chances), waiting)
    elif waiting:
        chosen = waiting
        tell(f"{len(waiting)} cases were drawn before and have no label yet")
    else:
        raise InputError("--next 0", "no drawn case is without a label", "draw more with --next N")
    cases = (store.case(run_id, case_id) for case_id in chosen)
    write_rows(asked.path, rows_to_label((case for case in cases if case is not None), verdicts.source))
    tell(f"label: {reading.wanted()}")
    if asked.path != "-":
        tell(f"fill in `label` in {asked.path}, then: adjudge agree {run_id} {asked.path}")
        if asked.as_json:
            print_json(
                {
                    "run": run_id,
                    "judge": verdicts.judge,
                    "file": asked.path,
                    "cases": chosen,
                    "sampling_probabilities": plain_json(chances),
                }
            )


def _say(draw: LabelDraw, judged: int, waiting: Sequence[str]) -> None:
    tell(
        f"drew {len(draw.chosen)} of {judged} judged cases of {draw.judge} (draw {draw.number}, seed {draw.seed}), "
        f"{how_drawn(draw)}; {probability_range(draw.chances)}"
    )
    if waiting:
        tell(f"{len(waiting)} cases of earlier draws have no label yet: `--next 0` writes them again")


def probability_range(chances: Mapping[str, float]) -> str:
    least, most = min(chances.values()), max(chances.values())
    return f"sampling probabilities after this draw {least:.3g} to {most:.3g}"


def check_path(path: str) -> None:
    if path == "-":
        return
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMS:
        raise SettingsError(
            path, f"`{suffix}` is not a format to label in", f"name a file that ends in {', '.join(_FORMS)}"
        )
    if Path(path).exists():  # it may hold an hour of somebody's work
        raise SettingsError(path, "is there already", "name another file with -o, or move it away")


def write_rows(path: str, rows: Iterable[dict[str, Json]]) -> None:
    kept = list(rows)
    data = _csv(kept) if path.lower().endswith(".csv") else b"".join(map(json_line, kept))
    if path == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        with Path(path).open("xb") as file:
            file.write(data)
    except OSError as error:
        raise StoreError(
            path,
            f"could not be written ({error.strerror})",
            "the draw is stored: `--next 0 -o FILE` writes it elsewhere",
        ) from None


def _csv(rows: Sequence[dict[str, Json]]) -> bytes:
    """With what is filled in last, whatever the rows have in between."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    last = ("label", "annotator", "explanation")
    names = [name for name in names if name not in last] + list(last)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows([csv_cell(row.get(name)) for name in names] for row in rows)
    return text.getvalue().encode()
