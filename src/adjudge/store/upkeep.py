"""Looking after a store: what nothing refers to, what refers to nothing, what is not what it was."""

from typing import NamedTuple

from adjudge.store.codec import load_judgement
from adjudge.store.packing import DamagedError, hash_bytes, load_json, unpack
from adjudge.store.records import JudgementKey
from adjudge.store.sql import SqlSession, same_key

PAGE = 500
MAX_LISTED = 5
"""Rows named per problem; the rest is counted."""

UNUSED_TEXTS = """DELETE FROM texts WHERE hash IN (
    SELECT hash FROM texts
    EXCEPT SELECT prompt_hash FROM completions
    EXCEPT SELECT schema_hash FROM completions
    EXCEPT SELECT case_hash FROM judgements
    EXCEPT SELECT text_hash FROM judges
    EXCEPT SELECT base FROM texts)"""


class ForeignKey(NamedTuple):
    """A column that must find its row: how the owner is named, and a query for those that do not."""

    owner: str
    lacks: str
    sql: str


REFERENCES = (
    *(
        ForeignKey(
            "completion",
            what,
            f"SELECT c.key, c.version FROM completions c LEFT JOIN texts t ON t.hash = c.{column}"  # noqa: S608 - columns of ours
            f" WHERE t.hash IS NULL AND c.{column} IS NOT NULL",
        )
        for what, column in (
            ("the text of its prompt", "prompt_hash"),
            ("its schema", "schema_hash"),
        )
    ),
    ForeignKey(
        "judge",
        "its text",
        "SELECT j.hash, j.name FROM judges j LEFT JOIN texts t ON t.hash = j.text_hash WHERE t.hash IS NULL",
    ),
    ForeignKey(
        "judgement",
        "its case",
        "SELECT j.run_id, j.case_id, j.judge, j.model, j.repeat FROM judgements j LEFT JOIN texts t ON t.hash = j.case_hash"
        " WHERE t.hash IS NULL AND j.case_hash IS NOT NULL",
    ),
    ForeignKey(
        "judgement",
        "its run",
        "SELECT j.run_id, j.case_id, j.judge, j.model, j.repeat FROM judgements j LEFT JOIN runs r ON r.run_id = j.run_id"
        " WHERE r.run_id IS NULL",
    ),
    ForeignKey(
        "judgement",
        "its judge",
        "SELECT j.run_id, j.case_id, j.judge, j.judge_hash FROM judgements j LEFT JOIN judges g ON g.hash = j.judge_hash"
        " WHERE g.hash IS NULL",
    ),
    ForeignKey(
        "call",
        "its completion",
        "SELECT l.run_id, l.case_id, l.judge, l.model, l.repeat, l.position FROM judgement_calls l LEFT JOIN completions c"
        " ON c.key = l.completion_key AND c.version = l.completion_version WHERE c.key IS NULL",
    ),
    ForeignKey(
        "call",
        "its judgement",
        "SELECT l.run_id, l.case_id, l.judge, l.model, l.repeat, l.position FROM judgement_calls l LEFT JOIN judgements j"  # noqa: S608 - columns of ours
        f" ON {same_key('j', 'l')} WHERE j.run_id IS NULL",
    ),
)


def dangling(session: SqlSession, reference: ForeignKey) -> list[str]:
    rows = session.query(reference.sql)
    found = [f"{reference.owner} {_named(row)} lacks {reference.lacks}" for row in rows[:MAX_LISTED]]
    if len(rows) > MAX_LISTED:
        found.append(
            f"… and {len(rows) - MAX_LISTED} more of the same ({reference.owner} lacks {reference.lacks})"
        )
    return found


def damaged_texts(session: SqlSession, after: bytes) -> tuple[list[str], bytes | None]:
    """One page of texts that are not what their hash says, and where the next page starts."""
    rows = session.query(
        "SELECT t.hash, t.data, b.data FROM texts t LEFT JOIN texts b ON b.hash = t.base"
        " WHERE t.hash > ? ORDER BY t.hash LIMIT ?",
        [after, PAGE],
    )
    problems = []
    for found, data, base in rows:
        name = bytes(found).hex()
        try:
            if hash_bytes(unpack(data, None if base is None else unpack(base))) != found:
                problems.append(f"text {name} does not match its hash")
        except DamagedError as error:
            problems.append(f"text {name}: {error}")
    return problems, bytes(rows[-1][0]) if len(rows) == PAGE else None


def damaged_completions(
    session: SqlSession, after: tuple[bytes, int]
) -> tuple[list[str], tuple[bytes, int] | None]:
    """One page of completions whose reply is not what it was, and where the next page starts."""
    rows = session.query(
        "SELECT key, version, reply, reply_hash, logprobs FROM completions WHERE (key, version) > (?, ?)"
        " ORDER BY key, version LIMIT ?",
        [*after, PAGE],
    )
    problems = []
    for key, version, reply, reply_hash, logprobs in rows:
        name = _named((bytes(key), version))
        try:
            if hash_bytes(unpack(reply)) != reply_hash:
                problems.append(f"the reply of completion {name} does not match its hash")
            if logprobs is not None:
                load_json(unpack(logprobs))
        except DamagedError as error:
            problems.append(f"completion {name}: {error}")
    return problems, (bytes(rows[-1][0]), rows[-1][1]) if len(rows) == PAGE else None


def damaged_judgements(session: SqlSession, after: int) -> tuple[list[str], int | None]:
    """One page of judgements that cannot be read, and where the next page starts."""
    rows = session.query(
        "SELECT made, run_id, case_id, judge, model, repeat, judge_hash, at, body, full_names FROM judgements"
        " WHERE made > ? ORDER BY made LIMIT ?",
        [after, PAGE],
    )
    problems = []
    for _made, run_id, case_id, judge, model, repeat, judge_hash, at, body, full_names in rows:
        try:
            load_judgement(unpack(body), JudgementKey(case_id, judge, model, repeat), judge_hash, at)
            if full_names is not None:
                load_json(unpack(full_names))
        except DamagedError as error:
            problems.append(f"judgement {_named((run_id, case_id, judge, model, repeat))}: {error}")
    return problems, rows[-1][0] if len(rows) == PAGE else None


def _named(row: tuple[object, ...]) -> str:
    return "/".join(value.hex() if isinstance(value, bytes) else str(value) for value in row)
