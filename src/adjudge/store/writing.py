"""Writes -> rows, made before the transaction begins, and the statements that store them."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from adjudge.errors import InputError, StoreError
from adjudge.options import option
from adjudge.records import Case, Forced, Json, Scored
from adjudge.store import batch_api
from adjudge.store.codec import (
    dump_case,
    dump_driver,
    dump_judgement,
    dump_logprobs,
    dump_measured,
    dump_prompt,
    full_names_of,
)
from adjudge.store.counts import forget_counts, keep_counts
from adjudge.store.packing import (
    COLUMN_CHARS,
    MODEL_CHARS,
    bounded,
    dump_json,
    hash_bytes,
    is_shortened,
    load_json,
    pack,
    pack_onto,
    text_bytes,
    to_column,
    to_float,
    to_key,
    to_micros,
    to_name,
    unpack,
)
from adjudge.store.records import (
    AddSpending,
    CloseBatch,
    EndRun,
    JudgementKey,
    KeepCompletion,
    KeepJudge,
    KeepJudgement,
    PlaceJudgement,
    RunState,
    Spending,
    StartRun,
    TellNews,
    Write,
    planned_shards,
)
from adjudge.store.spending import add as add_spending
from adjudge.store.spending import tell
from adjudge.store.sql import KEY, MAX_KEYS, Row, SqlSession, Value, chunks, in_list, insert

OfCase: TypeAlias = Callable[[str], bool]
"""Whether a case, by its id, is meant."""
RowKey: TypeAlias = tuple[str, str, str, str, int]
"""A run and a `JudgementKey`, as they stand in their columns."""

TEXTS = ("hash", "data", "base")
JUDGES = ("hash", "name", "text_hash", "described")
COMPLETIONS = (
    "key", "version", "model", "base_url", "prompt_hash", "schema_hash", "temperature", "max_output_tokens",
    "parameters", "case_id", "judge", "step", "repeat", "reply", "reply_hash", "finish", "structured", "model_snapshot",
    "input_tokens", "output_tokens", "cached_tokens", "cost", "latency_ms", "attempts", "notes", "logprobs", "at",
    "measured",
)  # fmt: skip
JUDGEMENTS = (
    *KEY, "judge_hash", "outcome", "score", "exact", "normalized", "passed",
    "body", "case_hash", "reuse_key", "at", "full_names", "position",
)  # fmt: skip
CALLS = (*KEY, "position", "completion_key", "completion_version")


MAX_BASES = 64


class PromptBase(NamedTuple):
    """A text of its own, marked, so that no other process has stored it as the difference to yet another."""

    hash: bytes
    data: bytes
    row: Row


@dataclass(slots=True)
class BatchRows:
    """A batch, ready to be stored."""

    texts: dict[bytes, Row] = field(default_factory=dict)
    judges: dict[str, Row] = field(default_factory=dict)
    completions: dict[tuple[bytes, int], Row] = field(default_factory=dict)
    judgements: dict[RowKey, Row] = field(default_factory=dict)
    calls: dict[RowKey, list[Row]] = field(default_factory=dict)
    replaces: dict[RowKey, frozenset[str]] = field(default_factory=dict)
    """Judgements that take the place of stored ones with these outcomes."""
    replaced: list[RowKey] = field(default_factory=list)
    """Those that are stored and make room."""
    changes: list[StartRun | EndRun | PlaceJudgement | TellNews | CloseBatch] = field(default_factory=list)
    spending: dict[str, Spending] = field(default_factory=dict)

    def text(self, data: bytes) -> bytes:
        """Keep it, under the hash that is returned."""
        found = hash_bytes(data)
        if found not in self.texts:
            self.texts[found] = (found, pack(data), None)
        return found

    def prompt(self, data: bytes, base: PromptBase) -> bytes:
        """Keep it as it differs from `base`, which comes along: nothing refers to what may not be there."""
        found = hash_bytes(data)
        if found not in self.texts:
            difference = pack_onto(data, base.data)
            if difference is None:
                return self.text(data)
            self.texts.setdefault(base.hash, base.row)
            self.texts[found] = (found, difference, base.hash)
        return found


class Bases:
    """For each kind of prompt (a judge's, at one step) the first one seen, which the others are compared with."""

    def __init__(self) -> None:
        self._bases: OrderedDict[tuple[str, str], PromptBase] = OrderedDict()

    def base(self, judge: str, step: str, data: bytes) -> PromptBase:
        found = self._bases.get((judge, step))
        if found is None:
            base = b"base " + data
            text_hash = hash_bytes(base)
            found = PromptBase(hash=text_hash, data=base, row=(text_hash, pack(base), None))
            self._bases[judge, step] = found
            if len(self._bases) > MAX_BASES:
                self._bases.popitem(last=False)
        return found


def row_key(run_id: str, key: JudgementKey) -> RowKey:
    return (
        to_name(run_id),
        to_name(key.case_id),
        to_name(key.judge),
        to_name(key.model, MODEL_CHARS),
        key.repeat,
    )


def dump_full_names(row: RowKey, key: JudgementKey) -> bytes | None:
    """Case id, judge and model, where one of them is too long for its column."""
    shortened = row[1:4] != key[:3] and any(map(is_shortened, row[1:4], key[:3]))
    return pack(dump_json(key[:3])) if shortened else None


class DuplicatesError(Exception):
    """Some judgements of a batch are stored already; which, has to be asked."""


def make_rows(batch: Sequence[Write], bases: Bases) -> BatchRows:
    rows = BatchRows()
    schemas: dict[
        int, bytes
    ] = {}  # by identity, which holds while the batch is alive: all calls of a judge share one
    for write in batch:
        match write:
            case KeepCompletion():
                _add_completion(rows, write, schemas, bases)
            case KeepJudgement():
                _add_judgement(rows, write)
            case KeepJudge(judge=judge):
                rows.judges.setdefault(
                    judge.hash,
                    (
                        to_name(judge.hash),
                        to_column(judge.name),
                        rows.text(text_bytes(judge.text)),
                        pack(dump_json(judge)),
                    ),
                )
            case AddSpending(run_id=run_id, spent=spent):
                rows.spending[run_id] = rows.spending.get(run_id, Spending()).plus(spent)
            case StartRun() | EndRun() | PlaceJudgement() | TellNews() | CloseBatch():
                rows.changes.append(write)
    return rows


def store_rows(session: SqlSession, rows: BatchRows, where: str) -> None:
    """Texts first and in order, so that two processes that store the same ones wait for each other in one order."""
    insert(session, "texts", TEXTS, [row for _, row in sorted(rows.texts.items())])
    insert(session, "judges", JUDGES, list(rows.judges.values()))
    insert(session, "completions", COMPLETIONS, [row for _, row in sorted(rows.completions.items())])
    for key in rows.replaced:
        _remove_where(session, f"({', '.join(f'j.{name}' for name in KEY)}) = {in_list(len(KEY))}", key)
    if insert(session, "judgements", JUDGEMENTS, list(rows.judgements.values())) < len(rows.judgements):
        raise DuplicatesError
    forget_counts(session, {key[0] for key in rows.judgements})
    insert(session, "judgement_calls", CALLS, [row for calls in rows.calls.values() for row in calls])
    for run_id, spent in sorted(rows.spending.items()):
        add_spending(session, run_id, spent)
    for write in rows.changes:
        match write:
            case StartRun():
                _start_run(session, write, where)
            case EndRun():
                _end_run(session, write, where)
            case TellNews():
                tell(session, write)
            case CloseBatch(batch_id=batch_id):
                batch_api.close(session, batch_id)
            case PlaceJudgement():
                session.change(
                    f"UPDATE judgements SET position = ? WHERE ({', '.join(KEY)}) = {in_list(len(KEY))}",  # noqa: S608 - columns of ours
                    [write.position, *row_key(write.run_id, write.key)],
                )


def drop_stored(session: SqlSession, rows: BatchRows) -> None:
    """Take the judgements out of a batch that are stored already, and their calls: the first one made counts, unless
    the new one takes its place.
    """
    rows.replaced.clear()
    for chunk in chunks(list(rows.judgements), 100):
        names = ", ".join(KEY)
        wanted = ",".join([in_list(len(KEY))] * len(chunk))
        sql = f"SELECT {names}, outcome, case_hash FROM judgements WHERE ({names}) IN (VALUES {wanted})"  # noqa: S608 - placeholders only
        for row in session.query(sql, [value for key in chunk for value in key]):
            run, case, judge, model, repeat, outcome, case_hash = row
            found = (run, case, judge, model, repeat)
            replaces = rows.replaces.get(found)
            is_other = case_hash != rows.judgements[found][JUDGEMENTS.index("case_hash")]
            if replaces is not None and (is_other or outcome in replaces):
                rows.replaced.append(found)
            else:
                del rows.judgements[found]
                rows.calls.pop(found, None)


def remove_judgements(
    session: SqlSession, run_id: str, outcomes: Collection[str], *, of_case: OfCase | None = None
) -> int:
    if not outcomes:
        return 0
    kinds = sorted(outcomes)
    condition = f"j.run_id = ? AND j.outcome IN {in_list(len(kinds))}"
    if "scored" not in outcomes:
        condition += " AND j.outcome <> 'scored'"  # names the index
    return _remove(session, condition, [to_name(run_id), *kinds], of_case)


def remove_computed(
    session: SqlSession,
    run_id: str,
    model: str,
    outcomes: Collection[str] | None,
    *,
    of_case: OfCase | None = None,
) -> int:
    condition, values = "j.run_id = ? AND j.model = ?", [to_name(run_id), to_name(model, MODEL_CHARS)]
    if outcomes is not None:
        kinds = sorted(outcomes)
        condition += (
            " AND EXISTS (SELECT 1 FROM judgements v WHERE v.run_id = j.run_id AND v.case_id = j.case_id AND v.judge = j.judge"  # noqa: S608 - placeholders only
            f" AND v.repeat = j.repeat AND v.model <> j.model AND v.outcome IN {in_list(len(kinds))})"
        )
        values += kinds
    return _remove(session, condition, values, of_case)


def _remove(session: SqlSession, condition: str, values: Sequence[Value], of_case: OfCase | None) -> int:
    """The judgements `j` for which the condition holds, with their calls; of these cases only."""
    if of_case is None:
        return _remove_where(session, condition, values)
    found = session.query(
        f"SELECT j.made, j.case_id, j.judge, j.model, j.full_names FROM judgements j WHERE {condition}",  # noqa: S608 - as above
        values,
    )
    numbers = [made for made, *names in found if of_case(full_names_of(*names)[0])]
    return sum(
        _remove_where(session, f"j.made IN {in_list(len(chunk))}", chunk)
        for chunk in chunks(numbers, MAX_KEYS)
    )


def _remove_where(session: SqlSession, condition: str, values: Sequence[Value]) -> int:
    names, of_judgements = ", ".join(KEY), ", ".join(f"j.{name}" for name in KEY)
    session.change(
        f"DELETE FROM judgement_calls WHERE ({names}) IN (SELECT {of_judgements} FROM judgements j WHERE {condition})",  # noqa: S608 - as above
        values,
    )
    return session.change(f"DELETE FROM judgements AS j WHERE {condition}", values)  # noqa: S608 - as above


def validate_run_name(name: str) -> None:
    if len(to_column(name)) > COLUMN_CHARS or not name:
        raise InputError(
            option("--name"),
            f"a run's name has {len(name)} characters",
            f"give one of 1 to {COLUMN_CHARS} characters",
        )


def _add_completion(rows: BatchRows, write: KeepCompletion, schemas: dict[int, bytes], bases: Bases) -> None:
    request, completion = write.request, write.completion
    prompt = dump_prompt(request.prompt)
    reply = text_bytes(completion.text)
    key = to_key(write.key)
    usage = completion.usage
    rows.completions.setdefault(
        (key, write.version),
        (
            key,
            write.version,
            to_column(write.model),
            None if write.base_url is None else to_column(write.base_url),
            rows.prompt(prompt, bases.base(request.judge, request.step, prompt)),
            None if request.schema is None else _schema_hash(rows, request.schema, schemas),
            request.temperature,
            bounded(request.max_output_tokens),
            _json_text(request.parameters) if request.parameters else None,
            to_column(request.case_id),
            to_column(request.judge),
            to_column(request.step),
            request.repeat,
            pack(reply),
            hash_bytes(reply),
            completion.finish,
            completion.structured,
            None if completion.model_snapshot is None else to_column(completion.model_snapshot),
            bounded(usage.input),
            bounded(usage.output),
            bounded(usage.cached),
            None if completion.cost is None else str(completion.cost),
            completion.latency_ms,
            completion.attempts,
            _json_text(completion.notes) if completion.notes else None,
            pack(dump_logprobs(completion.logprobs)) if completion.logprobs else None,
            to_micros(write.at),
            None if completion.measured is None else dump_measured(completion.measured),
        ),
    )


def _schema_hash(rows: BatchRows, schema: Mapping[str, Json], schemas: dict[int, bytes]) -> bytes:
    found = schemas.get(id(schema))
    if found is None:
        found = schemas[id(schema)] = rows.text(dump_json(schema))
    return found


def _json_text(value: Mapping[str, Json] | tuple[str, ...]) -> str:
    """JSON for a text column, which holds no NUL: in JSON that is an escape anyway."""
    return dump_json(value).decode()


def _add_judgement(rows: BatchRows, write: KeepJudgement) -> None:
    judgement = write.judgement
    names = JudgementKey(judgement.case_id, judgement.judge, judgement.model, judgement.repeat)
    key = row_key(write.run_id, names)
    if key in rows.judgements:
        return
    outcome = judgement.outcome
    score = outcome.score if isinstance(outcome, Scored | Forced) else None
    rows.judgements[key] = (
        *key,
        to_name(judgement.judge_hash),
        outcome.kind,
        None if score is None else to_float(score.value),
        None if score is None else to_float(score.exact),
        None if judgement.normalized is None else to_float(judgement.normalized),
        judgement.passed,
        pack(dump_judgement(judgement)),
        rows.text(dump_case(write.case)) if isinstance(write.case, Case) else None,
        None if write.reuse_key is None else to_key(write.reuse_key),
        to_micros(judgement.at),
        dump_full_names(key, names),
        write.position,
    )
    if write.replaces is not None:
        rows.replaces[key] = write.replaces
    if write.calls:
        rows.calls[key] = [
            (*key, position, to_key(call_key), version)
            for position, (call_key, version) in enumerate(write.calls)
        ]


def _start_run(session: SqlSession, write: StartRun, where: str) -> None:
    run = write.run
    validate_run_name(run.run_id)
    run_id = to_name(run.run_id)
    name = None
    if run.name is not None:
        validate_run_name(run.name)
        name = to_name(run.name)
        taken = session.query("SELECT run_id FROM runs WHERE name = ? AND run_id <> ?", [name, run_id])
        if taken:
            raise StoreError(
                where,
                f"the name `{run.name}` belongs to run {taken[0][0]} already",
                f"choose another {option('--name')}, or remove that run with `adjudge runs rm`",
            )
    session.change(
        "INSERT INTO runs (run_id, name, state, plan, started_at, finished_at, driver, expected)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (run_id) DO UPDATE SET state = excluded.state, finished_at = excluded.finished_at,"
        " driver = excluded.driver, expected = coalesce(excluded.expected, runs.expected)",
        [
            run_id,
            name,
            run.state,
            pack(dump_json(run.plan)),
            to_micros(run.started_at),
            None if run.finished_at is None else to_micros(run.finished_at),
            None if run.driver is None else dump_driver(run.driver),
            run.expected,
        ],
    )
    if write.shard is not None:
        session.change(
            "INSERT INTO shards (run_id, number, state, driver, expected) VALUES (?, ?, ?, ?, NULL)"
            " ON CONFLICT (run_id, number) DO UPDATE SET state = excluded.state, driver = excluded.driver",
            [run_id, write.shard, run.state, None if run.driver is None else dump_driver(run.driver)],
        )


def _end_run(session: SqlSession, write: EndRun, where: str) -> None:
    run = to_name(write.run_id)
    state: RunState = write.state
    expected = write.expected
    if write.shard is not None:
        sql = "UPDATE shards SET state = ?, expected = coalesce(?, expected) WHERE run_id = ? AND number = ?"
        session.change(sql, [write.state, write.expected, run, write.shard])
        state, expected = _all_shards(session, run)
    sql = "UPDATE runs SET state = ?, finished_at = ?, expected = coalesce(?, expected) WHERE run_id = ?"
    if not session.change(sql, [state, to_micros(write.at), expected, run]):
        raise _no_such_run(where, write.run_id)
    keep_counts(session, write.run_id)


def _all_shards(session: SqlSession, run: str) -> tuple[RunState, int | None]:
    """How a run stands whose parts are judged apart, and how many judgements it has when all are done."""
    # its row first, so that of two parts which end at once the second sees the first
    session.change("UPDATE runs SET state = state WHERE run_id = ?", [run])
    found = session.query("SELECT plan FROM runs WHERE run_id = ?", [run])
    of = planned_shards(load_json(unpack(found[0][0]))) if found else None
    rows = session.query("SELECT state, expected FROM shards WHERE run_id = ?", [run])
    states = [row[0] for row in rows]
    if states.count("finished") == of:
        return "finished", sum(row[1] or 0 for row in rows)
    if "running" in states:
        return "running", None
    is_limited = "limit_reached" in states and "interrupted" not in states
    return ("limit_reached" if is_limited else "interrupted"), None


def _no_such_run(where: str, run_id: str) -> StoreError:
    return StoreError(
        where, f"there is no run {run_id}", "it may have been removed; `adjudge runs` lists them"
    )
