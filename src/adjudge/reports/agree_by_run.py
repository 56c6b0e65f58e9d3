"""Whose answer each row of a label file is of: the run at hand, or another that the row names."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from adjudge.dataset.labels import LabelRow
from adjudge.errors import InputError
from adjudge.records import Judge
from adjudge.reports.agree_both import run_mark
from adjudge.reports.agree_next import shown_of
from adjudge.reports.format import shorten, visible
from adjudge.store import LabelDraw, Store


def sort_by_run(
    store: Store,
    run_id: str,
    draws: Sequence[LabelDraw],
    rows: Sequence[LabelRow],
    *,
    judge: Judge | None = None,
    partner: str | None = None,
) -> dict[str, list[LabelRow]]:
    """Run -> its rows; an `InputError` for a row that names a run which is not there.

    A row that names none is of the run at hand. One that names a run by the mark that `--next --with` wrote is of a run
    that shares a draw with the one at hand. Where the answers of both runs looked the same it was asked for once, and is
    of both. `partner` is a run that marks may be of, whatever was drawn.
    """
    partners = dict.fromkeys(draw.shared.other for draw in draws if draw.shared is not None)
    runs = (run_id, *partners, *([] if partner is None else [partner]))
    named: dict[str, str] = {}
    found: dict[str, list[LabelRow]] = defaultdict(list)
    for row in rows:
        found[_run_of(store, row, runs, named)].append(row)
    for other, one_for_both in _asked_once(store, run_id, draws, found, judge).items():
        found[other] += one_for_both
    return dict(found)


def bare_id(case_id: str) -> str:
    """Without what `--next` writes into a CSV so that no spreadsheet takes an id for a formula."""
    return case_id.removeprefix("'")


def _run_of(store: Store, row: LabelRow, runs: Sequence[str], named: dict[str, str]) -> str:
    if row.run is None:
        return runs[0]
    for run_id in runs:
        if row.run in {run_mark(run_id, row.case_id), run_mark(run_id, bare_id(row.case_id))}:
            return run_id
    if row.run not in named:
        # not by the start of an id: a column `run` of somebody's own may hold anything
        record = store.find_run(row.run)
        if record is None or row.run not in {record.run_id, record.name}:
            raise InputError(
                str(row.place),
                f"`run` is `{visible(shorten(row.run, 40))}`, which is no run in {store.where}, and no mark of a case "
                f"that run {runs[0]} shares with another",
                "leave `run` as `--next` wrote it, name a run by its whole name or id, or drop the column",
            )
        named[row.run] = record.run_id
    return named[row.run]


def _asked_once(
    store: Store,
    run_id: str,
    draws: Sequence[LabelDraw],
    found: dict[str, list[LabelRow]],
    judge: Judge | None,
) -> dict[str, list[LabelRow]]:
    """Rows of a shared draw that are of the other run too, because its answer looks the same and has no row."""
    more: dict[str, list[LabelRow]] = defaultdict(list)
    for other in dict.fromkeys(draw.shared.other for draw in draws if draw.shared is not None):
        drawn = {
            case_id
            for draw in draws
            if draw.shared is not None and draw.shared.other == other
            for case_id in draw.shared.chosen
        }
        for one, two in ((run_id, other), (other, run_id)):
            there = {bare_id(row.case_id) for row in found.get(two, ())}
            for row in found.get(one, ()):
                case_id = row.case_id if row.case_id in drawn else bare_id(row.case_id)
                if row.run is None or row.label is None or case_id not in drawn or bare_id(case_id) in there:
                    continue
                mine, theirs = store.case(one, case_id), store.case(two, case_id)
                # the same row of the same file is one case, whose label both runs have as it is
                if (
                    mine is None
                    or theirs is None
                    or (mine.fields, mine.columns) == (theirs.fields, theirs.columns)
                ):
                    continue
                if shown_of(mine, judge) == shown_of(theirs, judge):
                    more[two].append(replace(row, case_id=case_id, run=two))
    return more
