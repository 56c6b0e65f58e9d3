"""A stored run on its way to a report: its judges as they were, its sums, its figures."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from msgspec.structs import replace

from adjudge.analysis.comparison.alike import against_of, find_run_before
from adjudge.analysis.ranking.stored import ranking_tally
from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import Report
from adjudge.analysis.summary.run import repeats_of, stored_cases, worst_cases
from adjudge.judges import parse_kept_judge
from adjudge.records import Json, Judge
from adjudge.runs.plan import Pairing
from adjudge.store import RunRecord, Store, planned_judges


def tally_of(record: RunRecord, judges: Iterable[Judge], *, slices: Sequence[str] = ()) -> Tally:
    """To add the run's judgements to. `slices` are metadata columns."""
    known = list(judges)
    return Tally(
        known,
        repeats=repeats_of(record),
        slices=slices,
        temperatures=asked_temperatures(record.plan, known),
        candidate=candidate if isinstance(candidate := record.plan.get("candidate"), str) else None,
        ranking=ranking_tally(record),
    )


def report_of(store: Store, record: RunRecord, tally: Tally) -> Report:
    date, path = record.plan.get("current_date"), record.plan.get("path")
    summaries = tally.summaries()
    ended = record.finished_at
    other = against_of(record)
    before = find_run_before(store, record, store.runs(counted=False))
    source = PurePath(str(path)).name if path else None
    return Report(
        judges=summaries,
        jurors=tally.jurors(),
        juries=tally.juries(),
        ranking=tally.ranking(),
        cascades=tally.cascades(),
        checks=tally.checks(),
        run=record.name or record.run_id,
        source=source if other is None else f"{source or '…'} against {PurePath(other).name}",
        pairing=record.planned("pairing", Pairing),
        seconds=None if ended is None else (ended - record.started_at).total_seconds(),
        current_date=str(date) if date else None,
        partial=record.partial,
        first_rows=first_rows(record.plan),
        cases=stored_cases(store, record, worst_cases(summaries)),
        before=None if before is None else before.name or before.run_id,
    )


def first_rows(plan: Mapping[str, Json]) -> int | None:
    """How many rows from the head of the file a run was limited to."""
    rows = plan.get("rows")
    first = rows[0] if isinstance(rows, list) and rows else None
    return first if isinstance(first, int) else None


def judges_of(store: Store, record: RunRecord) -> list[Judge]:
    """Those whose files the store still has, in the order of the plan; they are kept with the run."""
    judges = []
    for reference in planned_judges(record.plan):
        name, _, judge_hash = reference.rpartition("@")
        kept = store.judge_text(judge_hash)
        if kept is not None:
            judge = judge_as_stored(kept[1], name=name, judge_hash=judge_hash)
            judges.append(_as_used(judge, store.judge_settings(judge_hash) or {}))
    return judges


@lru_cache(maxsize=64)
def judge_as_stored(text: str, *, name: str, judge_hash: str) -> Judge:
    """As its file says, under the name and the hash by which its judgements know it.

    Kept, since every page of a run needs its judges, and to read one takes longer than the rest of many pages.
    """
    return replace(parse_kept_judge(text, name=name), name=name, hash=judge_hash)


def _as_used(judge: Judge, settings: Mapping[str, Json]) -> Judge:
    """With what was said beside its file: `--pass`, `--temperature` and `--max-output-tokens` replace the file's."""
    names = ("passes", "temperature", "max_output_tokens")
    used: dict[str, Any] = {name: settings[name] for name in names if name in settings}
    return replace(judge, **used)


def asked_temperatures(plan: Mapping[str, Json], judges: Iterable[Judge]) -> dict[str, float | None]:
    """By `name@hash`, what a stored run's plan says; of one that does not name them, the run's where no judge has its own."""
    named, kept = plan.get("judges"), plan.get("temperatures")
    if isinstance(named, list) and isinstance(kept, list) and len(named) == len(kept):
        return {str(judge): _temperature(value) for judge, value in zip(named, kept, strict=True)}
    if "temperature" not in plan:
        return {}
    run_temperature = _temperature(plan["temperature"])
    return {
        f"{judge.name}@{judge.hash}": run_temperature if judge.temperature is None else judge.temperature
        for judge in judges
    }


def _temperature(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None
