"""One run: its plan, how far it is, its figures, and what it can be sliced by."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from adjudge.errors import InputError
from adjudge.models.secrets import MASK, Scrubber
from adjudge.records import Json
from adjudge.reports.format import plain_json
from adjudge.reports.from_json import report_from_json
from adjudge.reports.report import Report
from adjudge.server.follow import Followed
from adjudge.server.index import find_copy
from adjudge.server.keys import from_key
from adjudge.server.service import NotReadyError, Service
from adjudge.server.shapes import Column, Progress, RunDetail, RunRow
from adjudge.server.views_runs import expected_judgements, run_row

MOST_COLUMNS = 6
"""That a report is sliced by at once."""
USUAL_COLUMNS = 3
FEW_VALUES, MANY_VALUES = 2, 12
"""A column with fewer says nothing, and one with more is hard to read; both can be asked for."""
LATEST = 200
"""Judgements that say how fast a run goes."""
_SECRET_NAMES = ("key", "token", "secret", "password", "authorization", "cookie", "credential")


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """A run's report as far as it has been read, and with slices as far as they have been counted."""

    followed: Followed
    report: Report
    said: dict[str, Any]
    """The same as JSON."""
    columns: tuple[Column, ...]
    sliced: tuple[str, ...]
    by_slices: Report | None
    """None before they have been counted for the first time."""
    counted: int
    """Judgements that the slices are over."""
    counting: bool
    trouble: str | None = None


def run_detail(service: Service, key: str, slices: Sequence[str]) -> RunDetail:
    """The report with these slices, once they are counted, and without any before."""
    figures = run_figures(service, key, slices)
    return RunDetail(
        run=row_of(service, figures.followed),
        progress=run_progress(service, figures.followed),
        plan=shown_plan(figures.followed.record.plan),
        report=figures.said,
        columns=list(figures.columns),
        sliced=list(figures.sliced) if figures.by_slices and not figures.counting else [],
        counting=figures.counting,
    )


def run_figures(service: Service, key: str, slices: Sequence[str] | None) -> Figures:
    """`slices` None: the usual ones."""
    followed = service.followed(from_key(key))
    report, record = followed.report, followed.record
    if report is None:
        raise NotReadyError(f"run {record.run_id}", "is being read", "ask again in a moment")
    columns = run_columns(service, followed)
    sliced = _usual(columns) if slices is None else _known(slices, columns)
    if not sliced:
        return Figures(
            followed=followed,
            report=report_from_json(report),
            said=report,
            columns=columns,
            sliced=(),
            by_slices=None,
            counted=record.judgements,
            counting=False,
        )
    found = service.slices.get(record, tuple(followed.judges), sliced, last=followed.indexed.last)
    counting = found is None or found.judgements != record.judgements
    by_slices = found.report if found else None
    return Figures(
        followed=followed,
        report=report_from_json(report),
        said=by_slices.to_json() if by_slices and not counting else report,
        columns=columns,
        sliced=sliced,
        by_slices=by_slices,
        counted=found.judgements if found else 0,
        counting=counting,
        trouble=found.trouble if found else None,
    )


def row_of(service: Service, followed: Followed) -> RunRow:
    record = followed.record
    return run_row(record, followed, expected=expected_judgements(record, service.follower.runs()))


# ---- columns -------------------------------------------------------------------------------------------


def run_columns(service: Service, followed: Followed) -> tuple[Column, ...]:
    with service.index.reading() as connection:
        copy = find_copy(connection, followed.record.run_id)
        if copy is None:
            return ()
        found = connection.execute(
            f"SELECT name, count(*) FROM values_{copy.number} GROUP BY name ORDER BY name"  # noqa: S608 - a number of ours
        ).fetchall()
    return tuple(Column(name=name, values=values) for name, values in found)


def _usual(columns: Sequence[Column]) -> tuple[str, ...]:
    fit = [each.name for each in columns if FEW_VALUES <= each.values <= MANY_VALUES]
    return tuple(fit[:USUAL_COLUMNS])


def _known(slices: Sequence[str], columns: Sequence[Column]) -> tuple[str, ...]:
    known = [each.name for each in columns]
    asked = tuple(dict.fromkeys(slices))
    for name in asked:
        if name not in known:
            there = ", ".join(known[:20])
            raise InputError(
                f"slice {name}",
                "no case has such a column",
                f"there are {there}" if there else "the cases have no column to slice by",
            )
    if len(asked) > MOST_COLUMNS:
        raise InputError("slice", f"{len(asked)} columns at once", f"ask for {MOST_COLUMNS} at most")
    return asked


# ---- progress ------------------------------------------------------------------------------------------


def run_progress(service: Service, followed: Followed, *, now: float | None = None) -> Progress | None:
    record = followed.record
    if record.state != "running":
        return None
    moment = time.time() if now is None else now
    with service.index.reading() as connection:
        copy = find_copy(connection, record.run_id)
        sql = "SELECT at FROM items_{} ORDER BY made DESC LIMIT ?"
        latest = (
            [] if copy is None else [row[0] for row in connection.execute(sql.format(copy.number), [LATEST])]
        )
    return progress(latest, expected_judgements(record, service.follower.runs()), record.judgements, moment)


def progress(latest: Sequence[float], expected: int | None, judgements: int, now: float) -> Progress:
    """`latest` are the times of the latest judgements, the newest first."""
    span = now - latest[-1] if len(latest) > 1 else 0.0
    per_second = len(latest) / span if span > 0 else None
    left = None if expected is None or not per_second else max(0, expected - judgements) / per_second
    if left is not None and left > 366 * 86_400:  # it stands still
        left = None
    return Progress(
        per_second=per_second,
        seconds_left=left,
        ends_at=None if left is None else datetime.fromtimestamp(now, UTC) + timedelta(seconds=left),
    )


# ---- the plan ------------------------------------------------------------------------------------------


def shown_plan(plan: Mapping[str, Json]) -> dict[str, Any]:
    """Without anything that could be a key: parameters are what somebody typed."""
    return {str(name): _shown(str(name), value) for name, value in plan.items()}


def _shown(name: str, value: Json) -> Json:
    if isinstance(value, dict):
        return {str(key): _shown(str(key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown("", item) for item in value]
    if isinstance(value, str):
        named = any(part in name.lower() for part in _SECRET_NAMES)
        return MASK if named else plain_json(_without_secrets(value))
    return plain_json(value)


def _without_secrets(text: str) -> str:
    """Only a text that holds one is changed: messages are cut and put on one line."""
    scrubbed = Scrubber().message(text)
    return scrubbed if MASK in scrubbed or "://" in text else text
