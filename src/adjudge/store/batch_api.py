"""Batches of requests that were handed to a provider: written down before they are sent, until all is collected."""

from collections.abc import Sequence

from msgspec import ValidationError, convert, to_builtins

from adjudge.store.packing import (
    MODEL_CHARS,
    DamagedError,
    dump_json,
    from_column,
    from_micros,
    load_json,
    pack,
    to_column,
    to_key,
    to_micros,
    to_name,
    unpack,
)
from adjudge.store.records import BatchContent, BatchRecord
from adjudge.store.sql import MAX_KEYS, SqlSession, chunks, in_list, insert

BATCHES = ("batch_id", "run_id", "model", "provider_id", "body", "at")


def keep(session: SqlSession, batch: BatchRecord) -> None:
    body = pack(dump_json(to_builtins(batch.content)))
    row = (
        batch.batch_id,
        to_name(batch.run_id),
        to_name(batch.model, MODEL_CHARS),
        None if batch.provider_id is None else to_column(batch.provider_id),
        body,
        to_micros(batch.at),
    )
    insert(session, "batches", BATCHES, [row])


def submitted(session: SqlSession, batch_id: str, provider_id: str) -> None:
    session.change(
        "UPDATE batches SET provider_id = ? WHERE batch_id = ?", [to_column(provider_id), batch_id]
    )


def close(session: SqlSession, batch_id: str) -> None:
    session.change("DELETE FROM batches WHERE batch_id = ?", [batch_id])


def under_way(session: SqlSession, run_id: str, model: str) -> list[BatchRecord]:
    """Those of a run that are not collected, the oldest first, without the requests whose replies came since."""
    sql = (
        "SELECT batch_id, provider_id, body, at FROM batches WHERE run_id = ? AND model = ?"
        " ORDER BY at, batch_id"
    )
    found: list[BatchRecord] = []
    for batch_id, provider_id, body, at in session.query(sql, [to_name(run_id), to_name(model, MODEL_CHARS)]):
        content = _content(bytes(body))
        found.append(
            BatchRecord(
                batch_id=batch_id,
                run_id=run_id,
                model=model,
                provider_id=None if provider_id is None else from_column(provider_id),
                content=content,
                collected=_collected(session, content.keys, at),
                at=from_micros(at),
            )
        )
    return found


def _content(body: bytes) -> BatchContent:
    try:
        return convert(load_json(unpack(body)), BatchContent)
    except ValidationError:
        raise DamagedError("a batch that cannot be read") from None


def _collected(session: SqlSession, keys: Sequence[str], since: int) -> frozenset[str]:
    named = {to_key(key): key for key in keys}
    found: set[str] = set()
    for chunk in chunks(list(named), MAX_KEYS):
        sql = f"SELECT key FROM completions WHERE key IN {in_list(len(chunk))} AND at >= ?"  # noqa: S608 - placeholders only
        found.update(named[bytes(key)] for (key,) in session.query(sql, [*chunk, since]))
    return frozenset(found)
