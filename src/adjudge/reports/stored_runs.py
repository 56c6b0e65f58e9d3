"""A stored run on its way to a report: its judges as they were, its sums, its figures."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from adjudge.judges import parse_judge
from adjudge.records import Judge
from adjudge.reports.report import Report
from adjudge.reports.summary import Tally
from adjudge.reports.temperatures import asked_temperatures
from adjudge.store import RunRecord, Store, planned_judges


def tally_of(record: RunRecord, judges: Iterable[Judge], *, slices: Sequence[str] = ()) -> Tally:
    """To add the run's judgements to. `slices` are metadata columns."""
    known = list(judges)
    repeats = record.plan.get("repeats")
    return Tally(
        known,
        repeats=repeats if isinstance(repeats, int) else None,
        slices=slices,
        temperatures=asked_temperatures(record.plan, known),
    )


def report_of(record: RunRecord, tally: Tally) -> Report:
    said = record.plan.get("current_date")
    return Report(
        summaries=tally.summaries(),
        current_date=str(said) if said else None,
        run=record.run_id,
        partial=record.partial,
    )


def judges_of(store: Store, record: RunRecord) -> list[Judge]:
    """Those whose files the store still has, in the order of the plan; they are kept with the run."""
    judges = []
    for reference in planned_judges(record.plan):
        name, _, judge_hash = reference.rpartition("@")
        kept = store.judge_text(judge_hash)
        if kept is not None:
            judge = judge_as_stored(kept[1], name=name, judge_hash=judge_hash)
            judges.append(replace(judge, passes=_pass_rule(store, judge)))
    return judges


def judge_as_stored(text: str, *, name: str, judge_hash: str) -> Judge:
    """As its file says, under the name and the hash by which its judgements know it."""
    return replace(parse_judge(text, name=name), name=name, hash=judge_hash)


def _pass_rule(store: Store, judge: Judge) -> str | None:
    """The one it was used with: `--pass` puts another in the place of the file's."""
    used = store.judge_settings(judge.hash) or {}
    rule = used.get("passes", judge.passes)
    return rule if isinstance(rule, str) else None
