"""Judgement <-> database: one Protocol, two homes (a SQLite file, a Postgres database)."""

from pathlib import Path

from adjudge.store.places import is_url, store_file
from adjudge.store.protocol import Store
from adjudge.store.records import (
    AddSpending,
    BatchContent,
    BatchRecord,
    CloseBatch,
    Driver,
    EndRun,
    Entry,
    JudgementKey,
    JudgementLine,
    KeepCompletion,
    KeepJudge,
    KeepJudgement,
    KeptLabel,
    ListedJudgement,
    Partial,
    PlaceJudgement,
    PlannedModel,
    Process,
    RunMark,
    RunRecord,
    RunState,
    ShardRecord,
    Spending,
    StartRun,
    StoredCompletion,
    TellNews,
    Write,
    has_jury,
    model_names,
    planned_judges,
    planned_models,
    planned_shards,
)
from adjudge.store.spending import SpendingDraw, SpendingLimit, take_portion
from adjudge.store.sql import RunLock

__all__ = [
    "AddSpending",
    "BatchContent",
    "BatchRecord",
    "CloseBatch",
    "Driver",
    "EndRun",
    "Entry",
    "JudgementKey",
    "JudgementLine",
    "KeepCompletion",
    "KeepJudge",
    "KeepJudgement",
    "KeptLabel",
    "ListedJudgement",
    "Partial",
    "PlaceJudgement",
    "PlannedModel",
    "Process",
    "RunLock",
    "RunMark",
    "RunRecord",
    "RunState",
    "ShardRecord",
    "Spending",
    "SpendingDraw",
    "SpendingLimit",
    "StartRun",
    "Store",
    "StoredCompletion",
    "TellNews",
    "Write",
    "has_jury",
    "model_names",
    "open_store",
    "planned_judges",
    "planned_models",
    "planned_shards",
    "take_portion",
]


def open_store(where: str | Path, *, create: bool = True) -> Store:
    """A `postgresql://` URL, else a folder (its `store.db`) or a `*.db` file, made when missing and `create` is set."""
    # both databases' drivers are slow to load and most commands need one of them at most
    from adjudge.store.store import SqlStore  # noqa: PLC0415

    if is_url(where):
        from adjudge.store.postgres import PostgresHome  # noqa: PLC0415

        return SqlStore(PostgresHome(str(where), create=create))
    from adjudge.store.sqlite import SqliteHome  # noqa: PLC0415

    return SqlStore(SqliteHome(store_file(where, create=create)))
