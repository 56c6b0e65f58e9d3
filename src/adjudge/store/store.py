"""The store itself, over whichever database is its home."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from adjudge.errors import StoreError
from adjudge.rates import FlowLimit, FlowWish, PaceDraw
from adjudge.records import Case, Json, Judgement, LabelDraw
from adjudge.store import batch_api, lookups, reading, upkeep
from adjudge.store import labels as people
from adjudge.store.counts import forget_counts
from adjudge.store.packing import DamagedError, to_name
from adjudge.store.records import (
    UNPLACED,
    BatchRecord,
    Entry,
    JudgementKey,
    JudgementLine,
    KeptLabel,
    ListedJudgement,
    Process,
    RunMark,
    RunRecord,
    ShardRecord,
    Spending,
    StoredCompletion,
    Write,
    planned_shards,
)
from adjudge.store.spending import SpendingDraw, SpendingLimit, draw, draw_pace
from adjudge.store.spending import spending as read_spending
from adjudge.store.sql import Home, RunLock, SqlSession
from adjudge.store.trust import STATE_VARIABLE, TRUST_VARIABLE, known_stores
from adjudge.store.writing import (
    Bases,
    DuplicatesError,
    OfCase,
    drop_stored,
    make_rows,
    remove_computed,
    remove_judgements,
    store_rows,
)

T = TypeVar("T")

OF_A_RUN = ("judgement_calls", "spending", "news", "shards", "batches", "runs")
"""Tables whose rows go with a run, beside its judgements."""
RACES = 10
"""How often another process may store the same judgements between our asking and our storing."""


class SqlStore:
    """Implements `Store`."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._bases = Bases()
        self._making_rows = threading.Lock()

    def __repr__(self) -> str:
        return f"<Store {self.where}>"

    @property
    def where(self) -> str:
        return self._home.where

    @property
    def id(self) -> str | None:
        return self._home.id

    @property
    def read_only(self) -> bool:
        return self._home.read_only

    @property
    def trusted(self) -> bool:
        return self._home.trusted

    def trust(self) -> None:
        if not self._home.trust():
            raise StoreError(
                self.where,
                f"its id could not be kept in {known_stores()}",
                f"make that folder writable, name another in {STATE_VARIABLE}, or set {TRUST_VARIABLE}={self.id}",
            )

    @property
    def home(self) -> Home:
        return self._home

    def close(self) -> None:
        self._home.close()

    # ---- writing ----

    def write(self, batch: Sequence[Write]) -> None:
        if not batch:
            return
        with self._making_rows:
            rows = make_rows(batch, self._bases)
        for _ in range(RACES):
            try:
                self._home.write(lambda session: store_rows(session, rows, self.where))
            except DuplicatesError:
                self._read(lambda session: drop_stored(session, rows))
            else:
                return
        raise StoreError(
            self.where, "another process keeps storing the same judgements", "let one of them finish first"
        )

    def lock_run(self, run_id: str, shard: int | None = None) -> RunLock | None:
        return self._home.lock(_lock_name(run_id, shard))

    def displace(self, run_id: str) -> None:
        sql = "UPDATE judgements SET position = position + ? WHERE run_id = ? AND position < ?"
        self._home.write(lambda session: session.change(sql, [UNPLACED, to_name(run_id), UNPLACED]))

    def remove_judgements(
        self, run_id: str, outcomes: Collection[str], *, of_case: OfCase | None = None
    ) -> int:
        def remove(session: SqlSession) -> int:
            forget_counts(session, [to_name(run_id)])
            return remove_judgements(session, run_id, outcomes, of_case=of_case)

        return self._home.write(remove)

    def remove_computed(
        self,
        run_id: str,
        model: str,
        outcomes: Collection[str] | None,
        *,
        of_case: OfCase | None = None,
    ) -> int:
        def remove(session: SqlSession) -> int:
            forget_counts(session, [to_name(run_id)])
            return remove_computed(session, run_id, model, outcomes, of_case=of_case)

        return self._home.write(remove)

    def remove_run(self, run_id: str) -> int:
        run = to_name(run_id)

        def remove(session: SqlSession) -> int:
            removed = session.change("DELETE FROM judgements WHERE run_id = ?", [run])
            for table in OF_A_RUN:
                session.change(f"DELETE FROM {table} WHERE run_id = ?", [run])  # noqa: S608 - tables of ours
            return removed

        return self._home.write(remove)

    # ---- what its processes share ----

    def draw(self, run_id: str, least: Spending, most: Spending, limit: SpendingLimit) -> SpendingDraw:
        return self._home.write(lambda session: draw(session, run_id, least, most, limit))

    def draw_pace(self, process: Process, wish: FlowWish, limit: FlowLimit) -> PaceDraw:
        return self._home.write(lambda session: draw_pace(session, process, wish, limit))

    def spending(self, run_id: str) -> Spending:
        return self._read(lambda session: read_spending(session, run_id))

    # ---- batches ----

    def keep_batch(self, batch: BatchRecord) -> None:
        self._home.write(lambda session: batch_api.keep(session, batch))

    def batch_submitted(self, batch_id: str, provider_id: str) -> None:
        self._home.write(lambda session: batch_api.submitted(session, batch_id, provider_id))

    def batches_under_way(self, run_id: str, model: str) -> list[BatchRecord]:
        return self._read(lambda session: batch_api.under_way(session, run_id, model))

    # ---- reading ----

    def find_completions(self, keys: Sequence[str]) -> dict[str, StoredCompletion]:
        return self._read(lambda session: reading.find_completions(session, keys)) if keys else {}

    def find_judgements(self, reuse_keys: Sequence[str]) -> dict[str, Judgement]:
        return self._read(lambda session: reading.find_judgements(session, reuse_keys)) if reuse_keys else {}

    def runs(self, *, counted: bool = True) -> list[RunRecord]:
        found = self._read(lambda session: reading.runs(session, counted=counted))
        return [self._as_it_is(record) for record in found]

    def find_run(self, reference: str) -> RunRecord | None:
        found = self._read(lambda session: reading.find_run(session, reference))
        return None if found is None else self._as_it_is(found)

    def _as_it_is(self, record: RunRecord) -> RunRecord:
        """A run whose driver was killed never had its end written down, but nobody holds its lock."""
        if record.state != "running" or record.driver is None:
            return record
        if planned_shards(record.plan) is None:
            held = self._home.is_locked(_lock_name(record.run_id))
        else:
            held = any(shard.state == "running" for shard in self.shards(record.run_id))
        return record if held else replace(record, state="interrupted")

    def shards(self, run_id: str) -> list[ShardRecord]:
        found = self._read(lambda session: reading.shards(session, run_id))
        return [
            replace(shard, state="interrupted")
            if shard.state == "running" and not self._home.is_locked(_lock_name(run_id, shard.number))
            else shard
            for shard in found
        ]

    def done_among(self, run_id: str, case_ids: Sequence[str]) -> dict[JudgementKey, int]:
        return self._read(lambda session: reading.done_among(session, run_id, case_ids)) if case_ids else {}

    def judgements(self, run_id: str, *, with_calls: bool = False, first: int = 0) -> Iterator[Judgement]:
        after = (first, 0)
        while True:
            page = self._read(
                partial(reading.judgement_page, run_id=run_id, after=after, with_calls=with_calls)
            )
            yield from (placed.judgement for placed in page)
            if len(page) < reading.PAGE:
                return
            after = (page[-1].position, page[-1].number)

    def judgements_between(self, run_id: str, first: int, until: int) -> list[tuple[int, Judgement]]:
        page = self._read(partial(reading.judgement_page, run_id=run_id, after=(first, 0), until=until))
        return [(placed.position, placed.judgement) for placed in page]

    def judgement(
        self,
        run_id: str,
        case_id: str,
        judge: str | None = None,
        model: str | None = None,
        repeat: int | None = None,
    ) -> list[Judgement]:
        return self._read(
            partial(
                reading.whole_judgements,
                run_id=run_id,
                case_id=case_id,
                judge=judge,
                model=model,
                repeat=repeat,
            )
        )

    def case(self, run_id: str, case_id: str) -> Case | None:
        return self._read(lambda session: reading.case(session, run_id, case_id))

    def same_case(self, case_id: str, *, most_runs: int = 400) -> list[JudgementLine]:
        return self._read(lambda session: lookups.same_case(session, case_id, most_runs))

    def judgements_after(self, run_id: str, number: int) -> Iterator[tuple[int, Judgement]]:
        while True:
            page = self._read(partial(reading.made_after, run_id=run_id, number=number))
            yield from page
            if len(page) < reading.PAGE:
                return
            number = page[-1].number

    def listed(self, run_id: str, after: int = 0, *, with_cases: bool = False) -> list[ListedJudgement]:
        return self._read(lambda session: lookups.listed(session, run_id, after, with_cases=with_cases))

    def entries_at(self, run_id: str, numbers: Sequence[int]) -> list[Entry]:
        return self._read(lambda session: reading.entries_at(session, run_id, numbers)) if numbers else []

    def entries_of(self, run_id: str, case_ids: Sequence[str]) -> dict[str, list[Entry]]:
        return self._read(lambda session: reading.entries_of(session, run_id, case_ids)) if case_ids else {}

    def case_ids_from(self, run_id: str, prefix: str) -> list[str]:
        return self._read(lambda session: reading.case_ids_from(session, run_id, prefix))

    def share_scored_case(self, run_id: str, other_id: str) -> bool:
        return self._read(lambda session: reading.share_scored_case(session, run_id, other_id))

    def score_same_cases(self, run_id: str, other_id: str, *, judge: str, model: str) -> bool:
        return self._read(lambda session: reading.score_same_cases(session, run_id, other_id, judge, model))

    def failed(self, run_id: str) -> Iterator[JudgementKey]:
        after = (0, 0)
        while True:
            page = self._read(partial(reading.failed_page, run_id=run_id, after=after))
            yield from (placed.key for placed in page)
            if len(page) < reading.KEYS_PAGE:
                return
            after = (page[-1].position, page[-1].number)

    def judgements_at(self, run_id: str, numbers: Sequence[int]) -> list[Judgement]:
        return self._read(lambda session: reading.judgements_at(session, run_id, numbers)) if numbers else []

    def mark_until(self, run_id: str, number: int) -> RunMark:
        return self._read(lambda session: reading.mark_until(session, run_id, number))

    def latest_times(self, run_id: str, most: int) -> list[datetime]:
        return self._read(lambda session: reading.latest_times(session, run_id, most))

    def judge_text(self, judge_hash: str) -> tuple[str, str] | None:
        return self._read(lambda session: reading.judge_text(session, judge_hash))

    def judge_settings(self, judge_hash: str) -> Mapping[str, Json] | None:
        return self._read(lambda session: lookups.judge_settings(session, judge_hash))

    # ---- what people said ----

    def keep_labels(self, run_id: str, labels: Sequence[KeptLabel]) -> int:
        return self._home.write(lambda session: people.keep_labels(session, run_id, labels))

    def labels(self, run_id: str, judge: str, *, seen_verdict: bool = False) -> list[KeptLabel]:
        return self._read(lambda session: people.labels(session, run_id, judge, seen_verdict=seen_verdict))

    def case_labels(self, run_id: str, case_id: str, judge: str) -> list[KeptLabel]:
        return self._read(lambda session: lookups.case_labels(session, run_id, case_id, judge))

    def labels_mark(self, judge: str) -> str:
        return self._read(lambda session: people.labels_mark(session, judge))

    def remove_labels(
        self,
        run_id: str,
        judge: str,
        *,
        annotator: str | None = None,
        case_id: str | None = None,
        seen_verdict: bool | None = None,
    ) -> int:
        return self._home.write(
            lambda session: people.remove_labels(
                session, run_id, judge, annotator=annotator, case_id=case_id, seen_verdict=seen_verdict
            )
        )

    def keep_draw(self, draw: LabelDraw) -> bool:
        return self._home.write(lambda session: people.keep_draw(session, draw))

    def draws(self, run_id: str, judge: str) -> list[LabelDraw]:
        return self._read(lambda session: people.draws(session, run_id, judge))

    # ---- upkeep ----

    def vacuum(self) -> tuple[int, int]:
        before = self._home.size()

        def drop(session: SqlSession) -> None:
            # a text and what refers to it come in one transaction; none may come between our look and our cut
            self._home.keep_out_writers(session)
            session.change(upkeep.UNUSED_TEXTS)

        self._home.write(drop)
        self._home.shrink()
        return before, self._home.size()

    def check(self) -> list[str]:
        problems = self._home.faults()
        try:
            for reference in upkeep.REFERENCES:
                problems += self._home.read(partial(upkeep.dangling, reference=reference))
            hash_after: bytes | None = b""
            while hash_after is not None:
                found, hash_after = self._home.read(partial(upkeep.damaged_texts, after=hash_after))
                problems += found
            key_after: tuple[bytes, int] | None = (b"", 0)
            while key_after is not None:
                found, key_after = self._home.read(partial(upkeep.damaged_completions, after=key_after))
                problems += found
            made_after: int | None = 0
            while made_after is not None:
                found, made_after = self._home.read(partial(upkeep.damaged_judgements, after=made_after))
                problems += found
        except StoreError as error:
            # too damaged to be looked through: that is the finding
            problems.append(str(error).partition("\n")[0])
        return problems

    def _read(self, work: Callable[[SqlSession], T]) -> T:
        try:
            return self._home.read(work)
        except DamagedError as error:
            problem = f"holds {error}"
        raise StoreError(self.where, problem, "`adjudge store check` shows what is damaged; restore a backup")


def _lock_name(run_id: str, shard: int | None = None) -> str:
    """A run's own name is never one of these: a column's text has no such escape."""
    return to_name(run_id) if shard is None else f"{to_name(run_id)}\\shard {shard}"
