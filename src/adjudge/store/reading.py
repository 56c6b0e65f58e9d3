"""Rows -> records: the queries of a store, each over one open transaction."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from msgspec.structs import replace

from adjudge.errors import InputError
from adjudge.records import NOTHING, Call, Case, Completion, Judgement, Usage
from adjudge.store.codec import (
    Reference,
    full_names_of,
    load_case,
    load_driver,
    load_judgement,
    load_logprobs,
    load_measured,
    load_prompt,
)
from adjudge.store.counts import Counts, count
from adjudge.store.packing import (
    MODEL_CHARS,
    bytes_text,
    from_column,
    from_micros,
    load_json,
    to_key,
    to_name,
    unpack,
)
from adjudge.store.records import (
    UNPLACED,
    Entry,
    JudgementKey,
    RunMark,
    RunRecord,
    ShardRecord,
    StoredCompletion,
)
from adjudge.store.sql import MAX_KEYS, Row, SqlSession, chunks, in_list, same_key

PAGE = 500
"""Judgements read at a time: a page is one short transaction, so a slow reader holds up nobody."""

KEYS_PAGE = 5_000
"""The same where only their names are read."""

REPLY_COLUMNS = (
    "c.version, c.finish, c.structured, c.model_snapshot, c.input_tokens, c.output_tokens, c.cached_tokens,"
    " c.cost, c.latency_ms, c.attempts, c.notes, c.logprobs, c.measured, c.at"
)
TEXT_COLUMNS = (
    "c.key, c.version, p.data, b.data, s.data, c.reply, c.temperature, c.max_output_tokens, c.parameters, c.logprobs,"
    " c.measured"
)
JUDGEMENT_COLUMNS = "j.made, j.case_id, j.judge, j.model, j.judge_hash, j.repeat, j.at, j.body, j.full_names"


class PlacedJudgement(NamedTuple):
    """A judgement, its place among the rows of its run, and its number in the order in which all were made."""

    position: int
    number: int
    judgement: Judgement


class PlacedKey(NamedTuple):
    """The same of a judgement of which only the names are wanted."""

    position: int
    number: int
    key: JudgementKey


class Made(NamedTuple):
    """A judgement and its place in the order of all."""

    number: int
    judgement: Judgement


class Texts(NamedTuple):
    """What a stored call said; in the order of `TEXT_COLUMNS`."""

    key: bytes
    version: int
    prompt: bytes
    base: bytes | None
    """What the prompt is the difference to."""
    schema: bytes | None
    reply: bytes
    temperature: float | None
    max_output_tokens: int | None
    parameters: str | None
    logprobs: bytes | None
    measured: str | None


# ---- by key ----


def find_completions(session: SqlSession, keys: Sequence[str]) -> dict[str, StoredCompletion]:
    asked = {to_key(key): key for key in keys}
    found: dict[str, StoredCompletion] = {}
    for chunk in chunks(list(asked), MAX_KEYS):
        for row in session.query(
            f"SELECT c.key, c.reply, {REPLY_COLUMNS} FROM completions c"  # noqa: S608 - columns of ours and placeholders
            f" WHERE c.key IN {in_list(len(chunk))}"
            " AND c.version = (SELECT max(d.version) FROM completions d WHERE d.key = c.key)",
            chunk,
        ):
            key = asked[bytes(row[0])]
            found[key] = _stored_completion(key, row)
    return found


def find_judgements(session: SqlSession, reuse_keys: Sequence[str]) -> dict[str, Judgement]:
    asked = {to_key(key): key for key in reuse_keys}
    rows: dict[str, Row] = {}
    calls: dict[str, dict[int, Reference]] = {}
    for chunk in chunks(list(asked), MAX_KEYS):
        for reuse_key, position, call_key, call_version, _made, *row in session.query(
            f"SELECT j.reuse_key, l.position, l.completion_key, l.completion_version, {JUDGEMENT_COLUMNS}"  # noqa: S608 - columns of ours and placeholders
            f" FROM judgements j LEFT JOIN judgement_calls l ON {same_key('l', 'j')}"
            f" WHERE j.reuse_key IN {in_list(len(chunk))}"
            " AND j.made = (SELECT max(k.made) FROM judgements k WHERE k.reuse_key = j.reuse_key)",
            chunk,
        ):
            key = asked[bytes(reuse_key)]
            rows[key] = tuple(row)
            references = calls.setdefault(key, {})
            if call_key is not None:
                references[position] = (bytes(call_key).hex(), call_version)
    return {key: _read_judgement(row, references=calls[key]) for key, row in rows.items()}


def _stored_completion(key: str, row: Row) -> StoredCompletion:
    (
        _key, text, version, finish, structured, snapshot, read, written, cached, cost, latency_ms, attempts, notes,
        logprobs, measured, at,
    ) = row  # fmt: skip
    return StoredCompletion(
        key=key,
        version=version,
        completion=Completion(
            text=bytes_text(unpack(text)),
            finish=finish,
            structured=bool(structured),
            model_snapshot=None if snapshot is None else from_column(snapshot),
            usage=Usage(input=read, output=written, cached=cached),
            cost=None if cost is None else Decimal(cost),
            latency_ms=latency_ms or 0.0,
            attempts=attempts,
            notes=() if notes is None else tuple(load_json(notes.encode())),
            logprobs=() if logprobs is None else load_logprobs(unpack(logprobs)),
            measured=None if measured is None else load_measured(measured),
            from_store=True,
            key=key,
            version=version,
        ),
        at=from_micros(at),
    )


# ---- runs ----

RUN_COLUMNS = "run_id, name, state, plan, started_at, finished_at, driver, expected, judgements, not_asked"


def runs(session: SqlSession, *, counted: bool) -> list[RunRecord]:
    rows = session.query(f"SELECT {RUN_COLUMNS} FROM runs ORDER BY started_at DESC, run_id DESC")  # noqa: S608 - columns of ours
    return _runs(session, rows, counted=counted)


def find_run(session: SqlSession, reference: str) -> RunRecord | None:
    wanted = to_name(reference)
    select = f"SELECT {RUN_COLUMNS} FROM runs"  # noqa: S608 - columns of ours
    for condition, values in (
        ("name = ?", [wanted]),
        ("run_id = ?", [wanted]),
    ):
        rows = session.query(f"{select} WHERE {condition}", values)
        if rows:
            return _runs(session, rows[:1])[0]
    if reference == "last":
        rows = session.query(f"{select} ORDER BY started_at DESC, run_id DESC LIMIT 1")
        return _runs(session, rows)[0] if rows else None
    if not wanted:
        return None
    fitting = session.query(
        "SELECT run_id FROM runs WHERE substr(run_id, 1, ?) = ? ORDER BY started_at DESC LIMIT 20",
        [len(wanted), wanted],
    )
    if len(fitting) > 1:
        names = ", ".join(from_column(row[0]) for row in fitting)
        raise InputError(reference, f"is the start of several runs: {names}", "give more of the id")
    return _runs(session, session.query(f"{select} WHERE run_id = ?", fitting[0]))[0] if fitting else None


def _runs(session: SqlSession, rows: Sequence[Row], *, counted: bool = True) -> list[RunRecord]:
    unknown = [row[0] for row in rows if row[-2] is None] if counted else []
    counts = count(session, unknown)
    return [_run((*row[:-2], *counts.get(row[0], Counts(row[-2] or 0, row[-1] or 0)))) for row in rows]


def _run(row: Row) -> RunRecord:
    run_id, name, state, plan, started_at, finished_at, driver, expected, judgements, not_asked = row
    return RunRecord(
        run_id=from_column(run_id),
        name=None if name is None else from_column(name),
        state=state,
        plan=load_json(unpack(plan)),
        started_at=from_micros(started_at),
        finished_at=None if finished_at is None else from_micros(finished_at),
        driver=None if driver is None else load_driver(driver),
        expected=expected,
        judgements=judgements,
        not_asked=0 if state == "finished" else not_asked,
    )


def shards(session: SqlSession, run_id: str) -> list[ShardRecord]:
    sql = "SELECT number, state, driver, expected FROM shards WHERE run_id = ? ORDER BY number"
    return [
        ShardRecord(
            number=number,
            state=state,
            driver=None if driver is None else load_driver(driver),
            expected=expected,
        )
        for number, state, driver, expected in session.query(sql, [to_name(run_id)])
    ]


# ---- judgements ----


def done_among(session: SqlSession, run_id: str, case_ids: Sequence[str]) -> dict[JudgementKey, int]:
    done = {}
    for chunk in chunks(case_ids, MAX_KEYS):
        names = in_list(len(chunk))
        sql = f"SELECT case_id, judge, model, repeat, full_names, position FROM judgements WHERE run_id = ? AND case_id IN {names}"  # noqa: S608 - placeholders only
        rows = session.query(sql, [to_name(run_id), *(to_name(case_id) for case_id in chunk)])
        for case_id, judge, model, repeat, full, position in rows:
            done[JudgementKey(*full_names_of(case_id, judge, model, full), repeat)] = position
    return done


def made_after(session: SqlSession, run_id: str, number: int) -> list[Made]:
    """A page of those made later, as they were made."""
    rows = session.query(
        f"SELECT {JUDGEMENT_COLUMNS} FROM judgements j WHERE j.run_id = ? AND j.made > ? ORDER BY j.made LIMIT ?",  # noqa: S608 - columns of ours
        [to_name(run_id), number, PAGE],
    )
    return [_judgement(row) for row in rows]


def judgement_page(
    session: SqlSession,
    run_id: str,
    after: tuple[int, int],
    *,
    until: int = 2 * UNPLACED,
    with_calls: bool = False,
) -> list[PlacedJudgement]:
    """Those after a position and number, and before another position."""
    run = to_name(run_id)
    rows = session.query(
        f"SELECT j.position, {JUDGEMENT_COLUMNS} FROM judgements j"  # noqa: S608 - columns of ours
        " WHERE j.run_id = ? AND (j.position, j.made) > (?, ?) AND j.position < ?"
        " ORDER BY j.position, j.made LIMIT ?",
        [run, *after, until, PAGE],
    )
    page = [_judgement(tuple(row)) for _, *row in rows]
    if with_calls and page:
        condition = "j.run_id = ? AND (j.position, j.made) > (?, ?) AND (j.position, j.made) <= (?, ?)"
        page = _with_texts(session, page, condition, [run, *after, rows[-1][0], page[-1].number])
    return [PlacedJudgement(row[0], *made) for row, made in zip(rows, page, strict=True)]


def whole_judgements(
    session: SqlSession,
    run_id: str,
    case_id: str,
    *,
    judge: str | None,
    model: str | None,
    repeat: int | None,
) -> list[Judgement]:
    named: dict[str, Any] = {
        "run_id": to_name(run_id),
        "case_id": to_name(case_id),
        "judge": None if judge is None else to_name(judge),
        "model": None if model is None else to_name(model, MODEL_CHARS),
        "repeat": repeat,
    }
    wanted = {column: value for column, value in named.items() if value is not None}
    condition, values = " AND ".join(f"j.{column} = ?" for column in wanted), list(wanted.values())
    rows = session.query(
        f"SELECT {JUDGEMENT_COLUMNS} FROM judgements j WHERE {condition} ORDER BY j.made",  # noqa: S608 - conditions of ours
        values,
    )
    page = [_judgement(row) for row in rows]
    return [made.judgement for made in _with_texts(session, page, condition, values)]


def case(session: SqlSession, run_id: str, case_id: str) -> Case | None:
    rows = session.query(
        f"SELECT t.data, {JUDGEMENT_COLUMNS} FROM judgements j JOIN texts t ON t.hash = j.case_hash"  # noqa: S608 - columns of ours
        " WHERE j.run_id = ? AND j.case_id = ? ORDER BY j.made LIMIT 1",
        [to_name(run_id), to_name(case_id)],
    )
    if not rows:
        return None
    data, *row = rows[0]
    judgement = _judgement(tuple(row)).judgement
    return load_case(unpack(data), case_id=judgement.case_id, place=judgement.place)


def entries_at(session: SqlSession, run_id: str, numbers: Sequence[int]) -> list[Entry]:
    found: dict[int, Entry] = {}
    for chunk in chunks(numbers, MAX_KEYS):
        rows = session.query(
            f"SELECT t.data, {JUDGEMENT_COLUMNS} FROM judgements j LEFT JOIN texts t ON t.hash = j.case_hash"  # noqa: S608 - columns of ours and placeholders
            f" WHERE j.run_id = ? AND j.made IN {in_list(len(chunk))}",
            [to_name(run_id), *chunk],
        )
        found |= {entry.number: entry for entry in map(_entry, rows)}
    return [found[number] for number in numbers if number in found]


def _entry(row: Row) -> Entry:
    """`row` begins with the case's text."""
    number, judgement = _judgement(row[1:])
    case = (
        None
        if row[0] is None
        else load_case(unpack(row[0]), case_id=judgement.case_id, place=judgement.place)
    )
    return Entry(number=number, judgement=judgement, case=case)


def entries_of(session: SqlSession, run_id: str, case_ids: Sequence[str]) -> dict[str, list[Entry]]:
    asked = {to_name(case_id): case_id for case_id in case_ids}
    found: dict[str, list[Entry]] = {case_id: [] for case_id in case_ids}
    for chunk in chunks(list(asked), MAX_KEYS):
        rows = session.query(
            f"SELECT t.data, {JUDGEMENT_COLUMNS} FROM judgements j LEFT JOIN texts t ON t.hash = j.case_hash"  # noqa: S608 - columns of ours and placeholders
            f" WHERE j.run_id = ? AND j.case_id IN {in_list(len(chunk))} ORDER BY j.made",
            [to_name(run_id), *chunk],
        )
        for row in rows:
            found[asked[row[2]]].append(_entry(row))
    return found


def case_ids_from(session: SqlSession, run_id: str, prefix: str) -> list[str]:
    wanted = to_name(prefix)
    rows = session.query(
        "SELECT DISTINCT case_id FROM judgements WHERE run_id = ? AND substr(case_id, 1, ?) = ? LIMIT 5",
        [to_name(run_id), len(wanted), wanted],
    )
    return [from_column(row[0]) for row in rows]


def share_scored_case(session: SqlSession, run_id: str, other_id: str) -> bool:
    judged = "('scored', 'forced')"
    found = session.query(
        "SELECT 1 FROM judgements a JOIN judgements b ON b.case_id = a.case_id AND b.judge = a.judge"  # noqa: S608 - names of ours
        f" WHERE a.run_id = ? AND b.run_id = ? AND a.outcome IN {judged} AND b.outcome IN {judged} LIMIT 1",
        [to_name(run_id), to_name(other_id)],
    )
    return bool(found)


def score_same_cases(session: SqlSession, run_id: str, other_id: str, judge: str, model: str) -> bool:
    missing = (
        "SELECT 1 FROM judgements a WHERE a.run_id = ? AND a.judge = ? AND a.model = ?"
        " AND a.outcome IN ('scored', 'forced') AND NOT EXISTS (SELECT 1 FROM judgements b WHERE b.run_id = ?"
        " AND b.case_id = a.case_id AND b.judge = a.judge AND b.model = a.model AND b.repeat = a.repeat"
        " AND b.outcome IN ('scored', 'forced')) LIMIT 1"
    )
    one, other = to_name(run_id), to_name(other_id)
    names = [to_name(judge), to_name(model, MODEL_CHARS)]
    return not any(session.query(missing, [a, *names, b]) for a, b in ((one, other), (other, one)))


def failed_page(session: SqlSession, run_id: str, after: tuple[int, int]) -> list[PlacedKey]:
    """Those that did not pass, after a position and number."""
    rows = session.query(
        "SELECT position, made, repeat, case_id, judge, model, full_names FROM judgements"
        " WHERE run_id = ? AND NOT passed AND (position, made) > (?, ?) ORDER BY position, made LIMIT ?",
        [to_name(run_id), *after, KEYS_PAGE],
    )
    return [
        PlacedKey(position, made, JudgementKey(*full_names_of(*names), repeat))
        for position, made, repeat, *names in rows
    ]


def judgements_at(session: SqlSession, run_id: str, numbers: Sequence[int]) -> list[Judgement]:
    found: dict[int, Judgement] = {}
    for chunk in chunks(numbers, MAX_KEYS):
        rows = session.query(
            f"SELECT {JUDGEMENT_COLUMNS} FROM judgements j WHERE j.run_id = ? AND j.made IN {in_list(len(chunk))}",  # noqa: S608 - columns of ours and placeholders
            [to_name(run_id), *chunk],
        )
        found.update(_judgement(row) for row in rows)
    return [found[number] for number in numbers if number in found]


def mark_until(session: SqlSession, run_id: str, number: int) -> RunMark:
    # what is judged again is judged later than all that was there before
    sql = "SELECT count(*), max(made), max(at) FROM judgements WHERE run_id = ? AND made <= ?"
    judgements, last, latest = session.query(sql, [to_name(run_id), number])[0]
    return RunMark(judgements, last or 0, None if latest is None else from_micros(latest))


def latest_times(session: SqlSession, run_id: str, most: int) -> list[datetime]:
    sql = "SELECT at FROM judgements WHERE run_id = ? ORDER BY made DESC LIMIT ?"
    return [from_micros(row[0]) for row in session.query(sql, [to_name(run_id), most])]


def judge_text(session: SqlSession, judge_hash: str) -> tuple[str, str] | None:
    rows = session.query(
        "SELECT j.name, t.data FROM judges j JOIN texts t ON t.hash = j.text_hash WHERE j.hash = ?",
        [to_name(judge_hash)],
    )
    return (from_column(rows[0][0]), bytes_text(unpack(rows[0][1]))) if rows else None


def _judgement(row: Row) -> Made:
    return Made(row[0], _read_judgement(row[1:]))


def _read_judgement(row: Row, *, references: Mapping[int, Reference] | None = None) -> Judgement:
    case_column, judge_column, model_column, judge_hash, repeat, at, body, full_names = row
    case_id, judge, model = full_names_of(case_column, judge_column, model_column, full_names)
    key = JudgementKey(case_id, judge, model, repeat)
    return load_judgement(unpack(body), key, from_column(judge_hash), at, references)


def _with_texts(session: SqlSession, page: Iterable[Made], condition: str, values: list[Any]) -> list[Made]:
    texts: dict[tuple[int, int], Texts] = {}
    for made, position, *row in session.query(
        f"SELECT j.made, l.position, {TEXT_COLUMNS} FROM judgements j"  # noqa: S608 - conditions of ours
        f" JOIN judgement_calls l ON {same_key('l', 'j')}"
        " JOIN completions c ON c.key = l.completion_key AND c.version = l.completion_version"
        " JOIN texts p ON p.hash = c.prompt_hash"
        " LEFT JOIN texts b ON b.hash = p.base"
        f" LEFT JOIN texts s ON s.hash = c.schema_hash WHERE {condition}",
        values,
    ):
        texts[made, position] = Texts(*row)
    return [
        Made(
            made.number,
            replace(
                made.judgement,
                calls=tuple(
                    _whole(call, texts.get((made.number, position)))
                    for position, call in enumerate(made.judgement.calls)
                ),
            ),
        )
        for made in page
    ]


def _whole(call: Call, texts: Texts | None) -> Call:
    """A call whose completion was never stored keeps what the judgement remembers of it."""
    if texts is None:
        return call
    return Call(
        request=replace(
            call.request,
            prompt=load_prompt(unpack(texts.prompt, None if texts.base is None else unpack(texts.base))),
            schema=None if texts.schema is None else load_json(unpack(texts.schema)),
            temperature=texts.temperature,
            max_output_tokens=texts.max_output_tokens,
            parameters=NOTHING if texts.parameters is None else load_json(texts.parameters.encode()),
        ),
        completion=replace(
            call.completion,
            text=bytes_text(unpack(texts.reply)),
            key=bytes(texts.key).hex(),
            version=texts.version,
            logprobs=() if texts.logprobs is None else load_logprobs(unpack(texts.logprobs)),
            measured=None if texts.measured is None else load_measured(texts.measured),
        ),
    )
