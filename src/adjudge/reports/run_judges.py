"""The judges of a stored run, as they were: their files are kept with it."""

from dataclasses import replace

from adjudge.judges import parse_judge
from adjudge.records import Judge
from adjudge.store import RunRecord, Store


def judges_of(store: Store, record: RunRecord) -> list[Judge]:
    """Those whose files the store still has, in the order of the plan."""
    named = record.plan.get("judges")
    judges = []
    for reference in named if isinstance(named, list) else []:
        name, _, judge_hash = str(reference).rpartition("@")
        kept = store.judge_text(judge_hash)
        if kept is not None:
            judge = replace(parse_judge(kept[1], name=name), name=name, hash=judge_hash)
            judges.append(replace(judge, passes=_pass_rule(store, judge)))
    return judges


def _pass_rule(store: Store, judge: Judge) -> str | None:
    """The one it was used with: `--pass` puts another in the place of the file's."""
    used = store.judge_settings(judge.hash) or {}
    rule = used.get("passes", judge.passes)
    return rule if isinstance(rule, str) else None
