"""Numbered steps from an empty database to the schema of this version; a store only ever goes forward."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from adjudge.errors import StoreError
from adjudge.store.counts import KNOWN_COUNTS
from adjudge.store.packing import DamagedError, from_column, load_json, unpack
from adjudge.store.records import UNPLACED, JudgementKey
from adjudge.store.sql import Row, SqlSession, insert
from adjudge.store.writing import JUDGEMENTS, dump_full_names, row_key

Step: TypeAlias = str | Callable[[SqlSession], None]
"""SQL, or what SQL cannot say."""
PAGE = 1_000
"""Rows that a step has in memory at a time."""

FIRST: tuple[str, ...] = (
    # content-addressed by SHA-256: prompts, schemas, judge files, rows of cases; each stored once
    # `base` is the hash of the text that a prompt's data is the difference to; a base itself has none
    "CREATE TABLE texts (hash {bytes} PRIMARY KEY, data {bytes} NOT NULL, base {bytes})",
    """CREATE TABLE judges (
        hash TEXT PRIMARY KEY, name TEXT NOT NULL, text_hash {bytes} NOT NULL, described {bytes} NOT NULL)""",
    # known by the hash of what was asked, so the reply stands in the row: to look it up by its own hash would cost
    # another index over random keys, which is what slows a large store down. Nothing is ever overwritten: asked again, a request gets a new version
    """CREATE TABLE completions (
        key {bytes} NOT NULL, version BIGINT NOT NULL,
        model TEXT NOT NULL, base_url TEXT,
        prompt_hash {bytes} NOT NULL, schema_hash {bytes}, temperature DOUBLE PRECISION,
        max_output_tokens BIGINT, parameters TEXT,
        case_id TEXT NOT NULL, judge TEXT NOT NULL, step TEXT NOT NULL, repeat BIGINT NOT NULL,
        reply {bytes} NOT NULL, reply_hash {bytes} NOT NULL, finish TEXT NOT NULL, structured BOOLEAN NOT NULL, model_snapshot TEXT,
        input_tokens BIGINT, output_tokens BIGINT, cached_tokens BIGINT, cost TEXT,
        latency_ms DOUBLE PRECISION, attempts BIGINT NOT NULL, notes TEXT, logprobs {bytes}, at BIGINT NOT NULL,
        PRIMARY KEY (key, version))""",
    """CREATE TABLE runs (
        run_id TEXT PRIMARY KEY, name TEXT UNIQUE, state TEXT NOT NULL, plan {bytes} NOT NULL,
        started_at BIGINT NOT NULL, finished_at BIGINT)""",
    # `full_names` holds case id and judge where either is too long to be indexed
    """CREATE TABLE judgements (
        made {counter},
        run_id TEXT NOT NULL, case_id TEXT NOT NULL, judge TEXT NOT NULL, repeat BIGINT NOT NULL,
        judge_hash TEXT NOT NULL, outcome TEXT NOT NULL,
        score DOUBLE PRECISION, exact DOUBLE PRECISION, normalized DOUBLE PRECISION, passed BOOLEAN,
        body {bytes} NOT NULL, case_hash {bytes}, reuse_key {bytes}, at BIGINT NOT NULL, full_names {bytes},
        UNIQUE (run_id, case_id, judge, repeat))""",
    "CREATE INDEX judgements_in_order ON judgements (run_id, made)",
    "CREATE INDEX judgements_by_reuse ON judgements (reuse_key, made) WHERE reuse_key IS NOT NULL",
    """CREATE TABLE judgement_calls (
        run_id TEXT NOT NULL, case_id TEXT NOT NULL, judge TEXT NOT NULL, repeat BIGINT NOT NULL,
        position BIGINT NOT NULL, completion_key {bytes} NOT NULL, completion_version BIGINT NOT NULL,
        PRIMARY KEY (run_id, case_id, judge, repeat, position)){clustered}""",
    # `until` is null when the block is finished
    """CREATE TABLE claims (
        run_id TEXT NOT NULL, block BIGINT NOT NULL, worker TEXT NOT NULL, until BIGINT,
        PRIMARY KEY (run_id, block)){clustered}""",
)

# what a model that computes its verdict said beside it, as JSON
SECOND: tuple[str, ...] = ("ALTER TABLE completions ADD COLUMN measured TEXT",)

# what people said, by the case as it stood; and which cases were drawn for them, with every case's chance
THIRD: tuple[str, ...] = (
    """CREATE TABLE labels (
        judge TEXT NOT NULL, case_id TEXT NOT NULL, case_hash {bytes} NOT NULL, annotator TEXT NOT NULL,
        run_id TEXT NOT NULL, body {bytes} NOT NULL, draw BIGINT, probability DOUBLE PRECISION, at BIGINT NOT NULL,
        PRIMARY KEY (judge, case_id, case_hash, annotator))""",
    """CREATE TABLE draws (
        run_id TEXT NOT NULL, judge TEXT NOT NULL, number BIGINT NOT NULL, body {bytes} NOT NULL, at BIGINT NOT NULL,
        PRIMARY KEY (run_id, judge, number))""",
)

# one process drives a run, under a lock that is not in the database; `driver` names it
FOURTH: tuple[str, ...] = ("DROP TABLE claims", "ALTER TABLE runs ADD COLUMN driver TEXT")

# what a run has spent or holds back to spend, over all its processes
FIFTH: tuple[str, ...] = (
    "CREATE TABLE spending (run_id TEXT PRIMARY KEY, calls BIGINT NOT NULL, nanodollars BIGINT NOT NULL)",
)

# where a judgement stands among the rows of its run; those from before come after all that have a place, as they were made
SIXTH: tuple[str, ...] = (
    "ALTER TABLE judgements ADD COLUMN position BIGINT NOT NULL DEFAULT 0",
    f"UPDATE judgements SET position = {UNPLACED}",  # noqa: S608 - a number of ours
    "CREATE INDEX judgements_by_position ON judgements (run_id, position, made)",
)

# how many judgements a run will have, where that is known: fewer are a part of it
SEVENTH: tuple[str, ...] = ("ALTER TABLE runs ADD COLUMN expected BIGINT",)

# a label given after the verdict was seen stands apart from the blind one that the same person may have given
EIGHTH: tuple[str, ...] = (
    "ALTER TABLE labels RENAME TO labels_before",
    """CREATE TABLE labels (
        judge TEXT NOT NULL, case_id TEXT NOT NULL, case_hash {bytes} NOT NULL, annotator TEXT NOT NULL,
        seen_verdict BOOLEAN NOT NULL, run_id TEXT NOT NULL, body {bytes} NOT NULL, draw BIGINT,
        probability DOUBLE PRECISION, at BIGINT NOT NULL,
        PRIMARY KEY (judge, case_id, case_hash, annotator, seen_verdict))""",
    """INSERT INTO labels SELECT judge, case_id, case_hash, annotator, FALSE, run_id, body, draw, probability, at
        FROM labels_before""",
    "DROP TABLE labels_before",
)


def _copy_judgements(session: SqlSession) -> None:
    """With the model, which stood in the body only. They are numbered anew, in the order that they have."""
    columns = [column for column in JUDGEMENTS if column != "model"]
    select = f"SELECT made, {', '.join(columns)} FROM judgements_before WHERE made > ? ORDER BY made LIMIT ?"  # noqa: S608 - columns of ours
    last = 0
    while rows := session.query(select, [last, PAGE]):
        last = rows[-1][0]
        insert(
            session,
            "judgements",
            JUDGEMENTS,
            [_with_model(dict(zip(columns, row[1:], strict=True))) for row in rows],
        )


def _with_model(row: dict[str, Any]) -> Row:
    """A row that cannot be read stays as it is: `adjudge store check` names it."""
    try:
        full = row["full_names"]
        case_id, judge = (
            map(from_column, (row["case_id"], row["judge"])) if full is None else load_json(unpack(full))
        )
        model = load_json(unpack(row["body"]))["model"]
        key = JudgementKey(case_id, judge, model, row["repeat"])
        columns = row_key(row["run_id"], key)
        row |= {"model": columns[3], "full_names": dump_full_names(columns, key)}
    except (DamagedError, KeyError, TypeError, ValueError):
        row["model"] = ""
    return tuple(row[column] for column in JUDGEMENTS)


# several models can judge a case in one run
NINTH: tuple[Step, ...] = (
    "ALTER TABLE judgements RENAME TO judgements_before",
    "ALTER TABLE judgement_calls RENAME TO judgement_calls_before",
    """CREATE TABLE judgements (
        made {counter},
        run_id TEXT NOT NULL, case_id TEXT NOT NULL, judge TEXT NOT NULL, model TEXT NOT NULL, repeat BIGINT NOT NULL,
        judge_hash TEXT NOT NULL, outcome TEXT NOT NULL,
        score DOUBLE PRECISION, exact DOUBLE PRECISION, normalized DOUBLE PRECISION, passed BOOLEAN,
        body {bytes} NOT NULL, case_hash {bytes}, reuse_key {bytes}, at BIGINT NOT NULL, full_names {bytes},
        position BIGINT NOT NULL,
        UNIQUE (run_id, case_id, judge, model, repeat))""",
    """CREATE TABLE judgement_calls (
        run_id TEXT NOT NULL, case_id TEXT NOT NULL, judge TEXT NOT NULL, model TEXT NOT NULL, repeat BIGINT NOT NULL,
        position BIGINT NOT NULL, completion_key {bytes} NOT NULL, completion_version BIGINT NOT NULL,
        PRIMARY KEY (run_id, case_id, judge, model, repeat, position)){clustered}""",
    _copy_judgements,
    """INSERT INTO judgement_calls
        SELECT l.run_id, l.case_id, l.judge, j.model, l.repeat, l.position, l.completion_key, l.completion_version
        FROM judgement_calls_before l JOIN judgements j
        ON j.run_id = l.run_id AND j.case_id = l.case_id AND j.judge = l.judge AND j.repeat = l.repeat""",
    "DROP TABLE judgement_calls_before",
    "DROP TABLE judgements_before",
    "CREATE INDEX judgements_in_order ON judgements (run_id, made)",
    "CREATE INDEX judgements_by_reuse ON judgements (reuse_key, made) WHERE reuse_key IS NOT NULL",
    "CREATE INDEX judgements_by_position ON judgements (run_id, position, made)",
)

# for several processes on one run: when the buckets of requests and tokens a minute will be full again, in microseconds
# of the store's clock; and what a process has met at a model, which the others are to know
TENTH: tuple[str, ...] = (
    "ALTER TABLE spending ADD COLUMN requests_full_at BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE spending ADD COLUMN tokens_full_at BIGINT NOT NULL DEFAULT 0",
    """CREATE TABLE news (
        run_id TEXT NOT NULL, teller TEXT NOT NULL, model TEXT NOT NULL, paused_until BIGINT NOT NULL, broken TEXT,
        at BIGINT NOT NULL, PRIMARY KEY (run_id, teller, model))""",
    # the parts of a run that processes judge side by side, each with its driver and its lock
    """CREATE TABLE shards (
        run_id TEXT NOT NULL, number BIGINT NOT NULL, state TEXT NOT NULL, driver TEXT, expected BIGINT,
        PRIMARY KEY (run_id, number))""",
)

# requests that were handed to a provider as one, and are not collected; `body` holds the keys of their replies
ELEVENTH: tuple[str, ...] = (
    """CREATE TABLE batches (
        batch_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, model TEXT NOT NULL, provider_id TEXT, body {bytes} NOT NULL,
        at BIGINT NOT NULL)""",
    "CREATE INDEX batches_by_run ON batches (run_id, model)",
)

# how many judgements a run has and how many of them were not asked, written down when it ends, so that nobody has to count
# them; null: not known. The indexes are of the few that are looked for: what is asked again, and what did not pass
TWELFTH: tuple[str, ...] = (
    "CREATE INDEX judgements_not_scored ON judgements (run_id, outcome) WHERE outcome <> 'scored'",
    "CREATE INDEX judgements_not_passed ON judgements (run_id, position, made) WHERE NOT passed",
    "ALTER TABLE runs ADD COLUMN judgements BIGINT",
    "ALTER TABLE runs ADD COLUMN not_asked BIGINT",
    f"UPDATE runs SET {KNOWN_COUNTS} WHERE state <> 'running'",  # noqa: S608 - SQL of ours
)

# what a judgement has from its verdict or its score (parts, reason, notes) is not written twice; what was stored before is
# read as it is
THIRTEENTH: tuple[str, ...] = ()

STEPS: Mapping[int, Sequence[Step]] = {
    1: FIRST, 2: SECOND, 3: THIRD, 4: FOURTH, 5: FIFTH, 6: SIXTH, 7: SEVENTH, 8: EIGHTH, 9: NINTH,
    10: TENTH, 11: ELEVENTH, 12: TWELFTH, 13: THIRTEENTH,
}  # fmt: skip
"""Version -> the steps that make it out of the one before."""

TABLES = (
    "meta", "texts", "judges", "completions", "runs", "judgements", "judgement_calls", "labels", "draws", "spending",
    "news", "shards", "batches",
)  # fmt: skip


def latest(steps: Mapping[int, Sequence[Step]]) -> int:
    return max(steps)


def stored_version(session: SqlSession, where: str) -> int:
    """What a database that has a `meta` table says it is."""
    rows = session.query("SELECT value FROM meta WHERE name = 'schema_version'")
    if not rows or not str(rows[0][0]).isdecimal():
        raise not_ours(where)
    return int(rows[0][0])


def migrate(session: SqlSession, where: str, *, empty: bool, steps: Mapping[int, Sequence[Step]]) -> None:
    """Take the store to the latest version, in the transaction of `session`: all the steps, or none."""
    if empty:
        session.change("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        session.change("INSERT INTO meta (name, value) VALUES ('schema_version', '0')")
    version = stored_version(session, where)
    if version > latest(steps):
        raise too_new(where, version, latest(steps))
    for number in range(version + 1, latest(steps) + 1):
        for step in steps[number]:
            if isinstance(step, str):
                session.change(step)
            else:
                step(session)
    if version < latest(steps):
        session.change("UPDATE meta SET value = ? WHERE name = 'schema_version'", [str(latest(steps))])


def too_new(where: str, found: int, known: int) -> StoreError:
    return StoreError(
        where,
        f"the store has format {found}, made by a newer adjudge; this one knows formats up to {known}",
        "upgrade adjudge (`pip install -U adjudge`), or name another store",
    )


def not_ours(where: str) -> StoreError:
    return StoreError(
        where,
        "is a database, but not one of adjudge's",
        "name another file, a folder, or a database of its own",
    )
