"""What a run is known by, and whether it goes on: by its name, else by the hash of what was asked of whom."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from adjudge.errors import SettingsError
from adjudge.options import Shard, option
from adjudge.records import Json, ModelClient
from adjudge.runs.plan import CurrentDate, Pairing, Plan, PlannedRanking
from adjudge.store import RunRecord, StartRun, Store


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenRun:
    record: RunRecord
    resumes: bool
    """It is there already and unfinished; of a run in parts, this part of it."""
    shard: Shard | None = None
    """The part that this process is to judge."""
    is_first: bool = False
    """No run in this store has used one of its judges: there is no judgement to take over."""
    in_batches: bool = False
    """Its cases come in batches, in any order, to processes that know nothing of each other: nobody drives it."""


def describe_run(
    source: object, plan: Plan, *, models: Sequence[ModelClient], version: str
) -> dict[str, Json]:
    """What was asked, and of whom: kept with the run. Of one model the name stands alone, as it did before there could
    be several, so that a run keeps the hash it is known by.
    """
    options = plan.options
    names: list[Json] = [model.name for model in models]
    base_urls: list[Json] = [model.base_url for model in models]
    path, other = _file_of(source), _file_of(options.against)
    known = path is not None and (options.against is None or other is not None)
    asked: dict[str, Json] = {
        "cases": None if path is None else _file_hash(path),
        "judges": [f"{judge.name}@{judge.hash}" for judge in plan.judges],
        "model": names if len(names) > 1 else names[0],
        "base_url": base_urls if len(names) > 1 else base_urls[0],
        "temperature": plan.settings.temperature,
        "parameters": dict(plan.settings.parameters),
        "maps": dict(plan.settings.bindings.maps),
        "sets": dict(plan.settings.bindings.sets),
        "repeats": options.repeat,
        "rows": [
            options.first,
            options.sample,
            None if options.sample is None else options.seed or 0,
        ],
    }
    if options.jury is not None:
        asked["jury"] = {"rule": options.jury, "quorum": options.quorum}
    if options.cascade:
        asked["jury"] = {"rule": "cascade", "agree": options.agree}
    if options.labels is not None:
        labels = _file_of(options.labels)
        asked["labels"] = str(options.labels) if labels is None else _file_hash(labels)
    if options.shard is not None:
        asked["shards"] = options.shard.of
    if options.turns != "last":
        asked["turns"] = options.turns
    if options.against is not None:
        asked["against"] = None if other is None else _file_hash(other)
    return {
        **asked,
        "identity": sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest() if known else None,
        "path": _resolved(path),
        "current_date": plan.current_date.day,
        # what each judge was asked with: its own goes before the run's, and its file does not tell which it was
        "temperatures": [
            plan.settings.temperature if judge.temperature is None else judge.temperature
            for judge in plan.judges
        ],
        **({} if options.candidate is None else {"candidate": options.candidate}),
        "adjudge": version,
        **({} if plan.pairing is None else {"pairing": {"path": _resolved(other), **_fields(plan.pairing)}}),
        **({} if plan.ranking is None else {"ranking": _fields(plan.ranking)}),
    }


def _file_of(source: object) -> Path | None:
    """`-`, a named pipe and `<(…)` can be read once only, and that is for the run itself."""
    is_file = isinstance(source, str | Path) and str(source) != "-" and Path(source).is_file()
    return Path(str(source)) if is_file else None


def _fields(record: Pairing | PlannedRanking) -> dict[str, Json]:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(record).items()
    }


def _resolved(path: Path | None) -> str | None:
    return None if path is None else str(path.resolve())


def choose_run(
    store: Store | None, described: Mapping[str, Json], *, name: str | None, shard: Shard | None = None
) -> ChosenRun:
    """An unfinished run of the same question goes on; a finished one is done anew, under a number."""
    identity = described["identity"]
    if name is not None:
        _check_name(name)
    base = name or (str(identity)[:12] if identity is not None else secrets.token_hex(6))
    taken = {} if store is None else {run.run_id: run for run in store.runs(counted=False)}
    if name is not None and base in taken:
        _check_same(taken[base], described)
    number = 1
    run_id = base
    while run_id in taken:
        if taken[run_id].state != "finished" and (name is not None or identity is not None):
            begun = shard is None or (
                store is not None and any(part.number == shard.number for part in store.shards(run_id))
            )
            return ChosenRun(record=taken[run_id], resumes=begun, shard=shard)
        number += 1
        run_id = f"{base}-{number}"
    record = RunRecord(
        run_id=run_id,
        name=name if number == 1 else None if name is None else run_id,
        state="running",
        plan=described,
        started_at=datetime.now(UTC),
    )
    used = {judge for run in taken.values() for judge in _judge_hashes(run.plan)}
    return ChosenRun(
        record=record, resumes=False, shard=shard, is_first=used.isdisjoint(_judge_hashes(described))
    )


def _judge_hashes(plan: Mapping[str, Json]) -> set[str]:
    """Of the judges, whatever they are called."""
    judges = plan.get("judges")
    return {str(judge).rpartition("@")[2] for judge in judges} if isinstance(judges, list) else set()


def choose_batch_run(store: Store, described: Mapping[str, Json], *, name: str | None) -> ChosenRun:
    """The run to which batches of whatever cases belong, made where it is missing: by its name, else by a hash of what
    is asked of whom, so that processes which know nothing of each other find the same one.
    """
    if name is not None:
        _check_name(name)
    asked = {key: described.get(key) for key in COMPARED}
    identity = sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    described = {**described, "identity": identity}
    run_id = name or f"batches-{identity[:12]}"
    found = find_by_id(store, run_id)
    if found is None:
        record = RunRecord(
            run_id=run_id, name=name, state="running", plan=described, started_at=datetime.now(UTC)
        )
        store.write(
            [StartRun(run=record)]
        )  # another process may have been first: then its plan and start stay
        found = find_by_id(store, run_id)
        assert found is not None
    _check_same(found, described)
    return ChosenRun(record=found, resumes=False, in_batches=True)


def find_by_id(store: Store, run_id: str) -> RunRecord | None:
    """By the whole id, which may also be another run's name."""
    return next((run for run in store.runs(counted=False) if run.run_id == run_id), None)


def remembered_date(store: Store, described: Mapping[str, Json]) -> CurrentDate | None:
    """The date of the latest run of the same judges and model over the same file, so that going on asks the same."""
    for run in store.runs(counted=False):
        same = all(run.plan.get(key) == described[key] for key in ("path", "judges", "model"))
        if same and described["path"] is not None and isinstance(run.plan.get("current_date"), str):
            return CurrentDate(day=str(run.plan["current_date"]), source=f"as in run {run.run_id}")
    return None


def _check_name(name: str) -> None:
    if not name.strip() or any(ord(character) < 32 for character in name):
        raise SettingsError(option("--name"), "is blank or has control characters", "give a short plain name")
    if name == "last":
        raise SettingsError(option("--name", name), "stands for the latest run", "give another name")


COMPARED = (
    "cases",
    "judges",
    "model",
    "base_url",
    "temperature",
    "parameters",
    "maps",
    "sets",
    "repeats",
    "rows",
    "against",
    "jury",
    "labels",
    "turns",
    "shards",
)
"""What two runs of one name have alike."""


def _check_same(run: RunRecord, described: Mapping[str, Json]) -> None:
    # what came through a pipe cannot be told from what came through it before
    differ = [
        key
        for key in COMPARED
        if run.plan.get(key) != described.get(key) and described["identity"] is not None
    ]
    if differ:
        raise SettingsError(
            option("--name", run.run_id),
            f"a run of that name exists, with different {', '.join(differ)}",
            "choose another name, or `adjudge runs rm` the old one",
        )


def _file_hash(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
