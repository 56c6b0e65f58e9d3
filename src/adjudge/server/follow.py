"""Keeps up with the store: what is judged while the pages are open is copied and counted as it comes."""

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import Any

from adjudge.errors import AdjudgeError, InputError
from adjudge.records import Judge, Scale
from adjudge.reports.stored_runs import judges_of, report_of, tally_of
from adjudge.reports.summary import Tally
from adjudge.server.index import Index, Indexed, Seen
from adjudge.server.index_rows import Said, Scales, clean
from adjudge.store import KeptLabel, RunRecord, Store

LOG = getLogger(__name__)
PAUSE_SECONDS = 0.5
SHARE_OF_TIME = 0.25
"""Of one core that looking for news may take; a large store is looked at less often."""
SLICE_SECONDS = 0.5
"""For which one run is read before it is asked what else is there."""
MOST_WANTED = 40
"""Runs that are read before others, because somebody looked at them last."""


@dataclass(kw_only=True, slots=True)
class Followed:
    """One run, as far as it has been read."""

    record: RunRecord
    judges: Sequence[Judge]
    indexed: Indexed
    tally: Tally | None = None
    """None when the figures came from the index, or the run was let go."""
    report: dict[str, Any] | None = None

    @property
    def complete(self) -> bool:
        return self.indexed.items >= self.record.judgements


class Follower:
    """A thread of its own. Runs are read newest first; a run that somebody looks at goes before all others."""

    def __init__(self, store: Store, index: Index, *, pause_seconds: float = PAUSE_SECONDS) -> None:
        self._store = store
        self._index = index
        self._pause_seconds = pause_seconds
        self._followed: dict[str, Followed] = {}
        self._marks: dict[str, str] = {}
        self._wanted: list[str] = []
        self._records: tuple[RunRecord, ...] = ()
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._stopped = threading.Event()
        self._looked = threading.Event()
        self._thread = threading.Thread(target=self._work, name="adjudge-follower", daemon=True)
        self.trouble: str | None = None
        """Why the store could not be read when it was last tried."""

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._news.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=10.0)

    # ---- asked by requests ----

    def runs(self) -> tuple[RunRecord, ...]:
        """The latest first."""
        self._looked.wait(timeout=5.0)
        return self._records

    def want(self, run_id: str) -> Followed | None:
        """What is known of a run by now; from here on it is read before others."""
        with self._lock:
            if self._wanted[-1:] != [run_id]:
                self._wanted = [*(each for each in self._wanted if each != run_id), run_id][-MOST_WANTED:]
            found = self._followed.get(run_id)
        if found is None or not found.complete:
            self._news.set()
        return found

    def wait_for(self, run_id: str, seconds: float = 3.0) -> Followed | None:
        """The run, once its first rows are read, if that is soon."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._stopped.is_set():
            found = self._followed.get(run_id)
            if found is not None and found.report is not None:
                return found
            time.sleep(0.02)
        return self._followed.get(run_id)

    def known(self, run_id: str) -> Followed | None:
        return self._followed.get(run_id)

    def look_now(self) -> None:
        """Something was written by this server: the next to ask for the runs sees it."""
        self._looked.clear()
        self._news.set()

    # ---- the thread ----

    def _work(self) -> None:
        while not self._stopped.is_set():
            began = time.monotonic()
            self._news.clear()
            busy = False
            try:
                busy = self.look()
            except AdjudgeError as error:
                self.trouble = str(error)
                LOG.warning("the store cannot be read: %s", error)
            except Exception as error:  # a page that stands still must say so
                self.trouble = f"the store cannot be followed: {error!r}"
                LOG.exception("the store cannot be followed")
            finally:
                self._looked.set()
            if busy:
                continue
            took = time.monotonic() - began
            self._news.wait(max(self._pause_seconds, took * (1.0 / SHARE_OF_TIME - 1.0)))

    def look(self) -> bool:
        """Read what is new, a little of it; whether there is more."""
        if self._index.damaged:
            self._index.make_anew()
            self._followed.clear()
        records = tuple(self._store.runs())
        self._records = records
        self._marks.clear()
        self._looked.set()
        here = {record.run_id for record in records}
        for gone in set(self._index.run_ids()) - {clean(run_id) for run_id in here}:
            self._index.drop(gone)
        for gone in set(self._followed) - here:
            del self._followed[gone]
        with self._lock:
            wanted = {run_id: place for place, run_id in enumerate(self._wanted)}
        trouble = None
        for record in sorted(records, key=lambda record: -wanted.get(record.run_id, -1)):
            if self._stopped.is_set():
                return False
            try:
                if self._read(record):
                    return True
            except InputError as error:  # of one run; the others can be read
                trouble = f"run {record.run_id}: {error}"
        self.trouble = trouble
        return False

    def _read(self, record: RunRecord) -> bool:
        """What is new of a run, as far as it can be read in a short time; whether there may be more."""
        followed = self._followed.get(record.run_id) or self._begin(record)
        followed.record = record
        if self._was_replaced(followed):
            # judged again, or stored late by another process: the copy is made anew
            self._index.drop(record.run_id)
            followed = self._begin(record)
        if followed.indexed.items == record.judgements and followed.report is not None:
            self._keep_up(followed)
            return False
        if followed.tally is None:
            followed.tally = self._count_again(followed)
        until = time.monotonic() + SLICE_SECONDS
        scales = Scales(followed.judges)
        more = True
        while more and time.monotonic() < until and not self._stopped.is_set():
            entries = self._store.entries(record.run_id, followed.indexed.last)
            for entry in entries:
                followed.tally.add(entry.judgement)
            if entries:
                followed.indexed = self._index.add(followed.indexed, entries, scales)
            more = bool(entries) and followed.indexed.items < record.judgements
        if not more or followed.report is None:
            self._report(followed)
        self._keep_up(followed)
        return more

    def _was_replaced(self, followed: Followed) -> bool:
        """Whether the store no longer has what was copied; looked at closely when the run was gone on with."""
        record, indexed = followed.record, followed.indexed
        seen = indexed.seen
        if seen is not None and seen.stamp != _stamp(record):
            if self._store.mark_until(record.run_id, seen.last) != seen.mark:
                return True
            self._see(followed)
        if indexed.items == record.judgements:
            return False
        return self._store.count_until(record.run_id, indexed.last) != indexed.items

    def _see(self, followed: Followed) -> None:
        record, last = followed.record, followed.indexed.last
        mark = self._store.mark_until(record.run_id, last)
        followed.indexed = self._index.keep_seen(
            followed.indexed, Seen(stamp=_stamp(record), last=last, mark=mark)
        )

    def _begin(self, record: RunRecord) -> Followed:
        indexed = self._index.begin(record.run_id)
        followed = Followed(
            record=record, judges=judges_of(self._store, record), indexed=indexed, report=indexed.report
        )
        self._followed[record.run_id] = followed
        return followed

    def _count_again(self, followed: Followed) -> Tally:
        """The sums over what is in the index already: they are not kept between two starts."""
        tally = tally_of(followed.record, followed.judges)
        left = followed.indexed.items
        for judgement in self._store.judgements(followed.record.run_id) if left else ():
            tally.add(judgement)
            left -= 1
            if not left:
                break
        return tally

    def _report(self, followed: Followed) -> None:
        assert followed.tally is not None
        followed.report = report_of(followed.record, followed.tally).to_json()

    def _keep_up(self, followed: Followed) -> None:
        """What can change when no judgement is added: the run's state, and what people say."""
        if followed.tally is not None and followed.complete and followed.record.state != "running":
            assert followed.report is not None
            self._index.keep_report(followed.indexed, followed.report)
            self._see(followed)
            followed.tally = None
        for judge in followed.judges:
            if judge.name not in self._marks:
                self._marks[judge.name] = self._store.labels_mark(judge.name)
            mark = self._marks[judge.name]
            state = followed.indexed.labels.get(clean(judge.name))
            if state is not None and (state.mark, state.until) == (mark, followed.indexed.last):
                continue
            said = _said(self._store.labels(followed.record.run_id, judge.name), judge)
            followed.indexed = self._index.set_labels(
                followed.indexed, judge.name, said, width=_width(judge.scale), mark=mark
            )


def _said(labels: Iterable[KeptLabel], judge: Judge) -> dict[str, Said]:
    """Case -> what people say of it; whether it passes, where none of them said more."""
    by_case: dict[str, list[bool | float]] = {}
    for label in labels:
        by_case.setdefault(label.case_id, []).append(label.label)
    return {
        case_id: Said(
            labels=tuple(float(each) for each in said),
            passes=judge.passes is not None and all(isinstance(each, bool) for each in said),
        )
        for case_id, said in by_case.items()
    }


def _stamp(record: RunRecord) -> str:
    return f"{record.state} {record.finished_at}"


def _width(scale: Scale | None) -> float:
    return scale.high - scale.low if scale and scale.high > scale.low else 1.0
