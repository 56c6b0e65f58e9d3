"""The tables of a store, and the steps that take one from a format to the next."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from adjudge.errors import StoreError
from adjudge.store.sql import SqlSession

Step: TypeAlias = str | Callable[[SqlSession], None]
"""SQL, or a function where SQL is not enough."""

FIRST: tuple[str, ...] = (
    # content-addressed by SHA-256: prompts, schemas, judge files, rows of cases; each stored once
    # `base` is the hash of the text that a prompt's data is the difference to; a base itself has none
    "CREATE TABLE texts (hash {bytes} PRIMARY KEY, data {bytes} NOT NULL, base {bytes})",
    """CREATE TABLE judges (
        hash TEXT PRIMARY KEY, name TEXT NOT NULL, text_hash {bytes} NOT NULL, described {bytes} NOT NULL)""",
    # known by the hash of what was asked, so the reply stands in the row: to look it up by its own hash would cost
    # another index over random keys, which is what slows a large store down. Nothing is ever overwritten: asked again, a
    # request gets a new version. `measured` is what a model that computes its verdict said beside it, as JSON
    """CREATE TABLE completions (
        key {bytes} NOT NULL, version BIGINT NOT NULL,
        model TEXT NOT NULL, base_url TEXT,
        prompt_hash {bytes} NOT NULL, schema_hash {bytes}, temperature DOUBLE PRECISION,
        max_output_tokens BIGINT, parameters TEXT,
        case_id TEXT NOT NULL, judge TEXT NOT NULL, step TEXT NOT NULL, repeat BIGINT NOT NULL,
        reply {bytes} NOT NULL, reply_hash {bytes} NOT NULL, finish TEXT NOT NULL, structured BOOLEAN NOT NULL,
        model_snapshot TEXT, input_tokens BIGINT, output_tokens BIGINT, cached_tokens BIGINT, cost TEXT,
        latency_ms DOUBLE PRECISION, attempts BIGINT NOT NULL, notes TEXT, logprobs {bytes}, measured TEXT,
        at BIGINT NOT NULL,
        PRIMARY KEY (key, version))""",
    # `driver` names the one process that drives the run, under a lock that is not in the database. `expected` is how many
    # judgements there will be, where that is known; `judgements` and `not_asked` are counted when the run ends
    """CREATE TABLE runs (
        run_id TEXT PRIMARY KEY, name TEXT UNIQUE, state TEXT NOT NULL, plan {bytes} NOT NULL,
        started_at BIGINT NOT NULL, finished_at BIGINT, driver TEXT, expected BIGINT, judgements BIGINT,
        not_asked BIGINT)""",
    # the parts of a run that processes judge side by side, each with its driver and its lock
    """CREATE TABLE shards (
        run_id TEXT NOT NULL, number BIGINT NOT NULL, state TEXT NOT NULL, driver TEXT, expected BIGINT,
        PRIMARY KEY (run_id, number))""",
    # `full_names` holds case id, judge and model where one is too long to be indexed; `position` is the place among the
    # rows of the run
    """CREATE TABLE judgements (
        made {counter},
        run_id TEXT NOT NULL, case_id TEXT NOT NULL, judge TEXT NOT NULL, model TEXT NOT NULL, repeat BIGINT NOT NULL,
        judge_hash TEXT NOT NULL, outcome TEXT NOT NULL,
        score DOUBLE PRECISION, exact DOUBLE PRECISION, normalized DOUBLE PRECISION, passed BOOLEAN,
        body {bytes} NOT NULL, case_hash {bytes}, reuse_key {bytes}, at BIGINT NOT NULL, full_names {bytes},
        position BIGINT NOT NULL,
        UNIQUE (run_id, case_id, judge, model, repeat))""",
    "CREATE INDEX judgements_in_order ON judgements (run_id, made)",
    "CREATE INDEX judgements_by_reuse ON judgements (reuse_key, made) WHERE reuse_key IS NOT NULL",
    "CREATE INDEX judgements_by_position ON judgements (run_id, position, made)",
    # of the few that are looked for: what is asked again, and what did not pass
    "CREATE INDEX judgements_not_scored ON judgements (run_id, outcome) WHERE outcome <> 'scored'",
    "CREATE INDEX judgements_not_passed ON judgements (run_id, position, made) WHERE NOT passed",
    """CREATE TABLE judgement_calls (
        run_id TEXT NOT NULL, case_id TEXT NOT NULL, judge TEXT NOT NULL, model TEXT NOT NULL, repeat BIGINT NOT NULL,
        position BIGINT NOT NULL, completion_key {bytes} NOT NULL, completion_version BIGINT NOT NULL,
        PRIMARY KEY (run_id, case_id, judge, model, repeat, position)){clustered}""",
    # what people said, by the case as it stood; a label given after the verdict was seen stands apart from the blind one
    # that the same person may have given
    """CREATE TABLE labels (
        judge TEXT NOT NULL, case_id TEXT NOT NULL, case_hash {bytes} NOT NULL, annotator TEXT NOT NULL,
        seen_verdict BOOLEAN NOT NULL, run_id TEXT NOT NULL, body {bytes} NOT NULL, draw BIGINT,
        probability DOUBLE PRECISION, at BIGINT NOT NULL,
        PRIMARY KEY (judge, case_id, case_hash, annotator, seen_verdict))""",
    # which cases were drawn for people to label, with every case's chance
    """CREATE TABLE draws (
        run_id TEXT NOT NULL, judge TEXT NOT NULL, number BIGINT NOT NULL, body {bytes} NOT NULL, at BIGINT NOT NULL,
        PRIMARY KEY (run_id, judge, number))""",
    # what a run has spent or holds back to spend, over all its processes, and when its buckets of requests and tokens a
    # minute will be full again, in microseconds of the store's clock
    """CREATE TABLE spending (
        run_id TEXT PRIMARY KEY, calls BIGINT NOT NULL, nanodollars BIGINT NOT NULL,
        requests_full_at BIGINT NOT NULL DEFAULT 0, tokens_full_at BIGINT NOT NULL DEFAULT 0)""",
    # what one process of a run has met at a model, which the others are to know
    """CREATE TABLE news (
        run_id TEXT NOT NULL, teller TEXT NOT NULL, model TEXT NOT NULL, paused_until BIGINT NOT NULL, broken TEXT,
        at BIGINT NOT NULL, PRIMARY KEY (run_id, teller, model))""",
    # requests that were handed to a provider as one, and are not collected; `body` holds the keys of their replies
    """CREATE TABLE batches (
        batch_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, model TEXT NOT NULL, provider_id TEXT, body {bytes} NOT NULL,
        at BIGINT NOT NULL)""",
    "CREATE INDEX batches_by_run ON batches (run_id, model)",
)

STEPS: Mapping[int, Sequence[Step]] = {1: FIRST}
"""Format -> the steps that make it out of the one before; from the first release on a step is never changed."""

TABLES = (
    "meta", "texts", "judges", "completions", "runs", "shards", "judgements", "judgement_calls", "labels", "draws",
    "spending", "news", "batches",
)  # fmt: skip


def latest(steps: Mapping[int, Sequence[Step]]) -> int:
    return max(steps)


def stored_format(session: SqlSession, where: str) -> int:
    """The format of a database that has a `meta` table."""
    rows = session.query("SELECT name, value FROM meta WHERE name IN ('format', 'schema_version')")
    found = {str(name): str(value) for name, value in rows}
    if "schema_version" in found:
        raise unreleased(where)
    if not found.get("format", "").isdecimal():
        raise not_ours(where)
    return int(found["format"])


def migrate(session: SqlSession, where: str, *, empty: bool, steps: Mapping[int, Sequence[Step]]) -> None:
    """Take the store to the latest format, in the transaction of `session`: all the steps, or none."""
    if empty:
        session.change("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        session.change("INSERT INTO meta (name, value) VALUES ('format', '0')")
    stored = stored_format(session, where)
    if stored > latest(steps):
        raise too_new(where, stored, latest(steps))
    for number in range(stored + 1, latest(steps) + 1):
        for step in steps[number]:
            if isinstance(step, str):
                session.change(step)
            else:
                step(session)
    if stored < latest(steps):
        session.change("UPDATE meta SET value = ? WHERE name = 'format'", [str(latest(steps))])


def too_new(where: str, found: int, known: int) -> StoreError:
    return StoreError(
        where,
        f"the store has format {found}, made by a newer adjudge; this one knows formats up to {known}",
        "upgrade adjudge (`pip install -U adjudge`), or name another store",
    )


def unreleased(where: str) -> StoreError:
    return StoreError(
        where,
        "was made by an adjudge from before the first release, whose stores cannot be read any more",
        "name another store, or move this one away; what was judged there is judged again",
    )


def not_ours(where: str) -> StoreError:
    return StoreError(
        where,
        "is a database, but not one of adjudge's",
        "name another file, a folder, or a database of its own",
    )
