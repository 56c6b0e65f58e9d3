"""One run: its plan, how far it is, its figures, and what it can be sliced by."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from adjudge.documents.records_json import records_json
from adjudge.models.secrets import MASK, Scrubber
from adjudge.records import Json
from adjudge.server.keys import from_key
from adjudge.server.service import Service
from adjudge.server.shapes import RunDetail, RunProgress
from adjudge.server.views_runs import expected_judgements, run_row
from adjudge.store import RunRecord

LATEST = 200
"""Judgements that say how fast a run goes."""
_SECRET_NAMES = ("key", "token", "secret", "password", "authorization", "cookie", "credential")


def run_detail(service: Service, key: str, slices: Sequence[str]) -> RunDetail:
    record = service.run(from_key(key))
    figures = service.figures.get(record, slices)
    expected = expected_judgements(record, service.store.runs())
    return RunDetail(
        run=run_row(record, figures, expected=expected),
        progress=run_progress(service, record, expected),
        plan=shown_plan(record.plan),
        report=figures.report.to_json(),
        columns=list(figures.columns),
        sliced=list(figures.sliced),
    )


# ---- progress ------------------------------------------------------------------------------------------


def run_progress(service: Service, record: RunRecord, expected: int | None) -> RunProgress | None:
    if record.state != "running":
        return None
    latest = [at.timestamp() for at in service.store.latest_times(record.run_id, LATEST)]
    return progress(latest, expected, record.judgements, time.time())


def progress(latest: Sequence[float], expected: int | None, judgements: int, now: float) -> RunProgress:
    """`latest` are the times of the latest judgements, the newest first."""
    span = now - latest[-1] if len(latest) > 1 else 0.0
    per_second = len(latest) / span if span > 0 else None
    left = None if expected is None or not per_second else max(0, expected - judgements) / per_second
    if left is not None and left > 366 * 86_400:  # it stands still
        left = None
    return RunProgress(
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
        return {str(key): _shown(str(key), each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shown("", each) for each in value]
    if isinstance(value, str):
        named = any(part in name.lower() for part in _SECRET_NAMES)
        return MASK if named else records_json(_without_secrets(value))
    return records_json(value)


def _without_secrets(text: str) -> str:
    """Only a text that holds one is changed: messages are cut and put on one line."""
    scrubbed = Scrubber().message(text)
    return scrubbed if MASK in scrubbed or "://" in text else text
