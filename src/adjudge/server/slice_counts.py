"""A run's figures by columns: counted behind the requests, kept for the next one who asks.

To slice a run is to read all of it again, which takes seconds for a hundred thousand judgements. Whoever asks gets what
is known by now, at once, and asks again.
"""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from logging import getLogger
from typing import NamedTuple

from adjudge.errors import AdjudgeError
from adjudge.records import Judge
from adjudge.reports.report import Report
from adjudge.reports.stored_runs import report_of, tally_of
from adjudge.store import RunRecord, Store

LOG = getLogger(__name__)
MOST_KEPT = 24
SHARE_OF_TIME = 0.25
"""Of one core that counting a run again and again, while it grows, may take."""
ROWS_BETWEEN_PAUSES = 200
PAUSE_SECONDS = 0.001
"""Python runs one thread at a time: between some rows the requests' threads have their turn at once."""


class Wanted(NamedTuple):
    run_id: str
    columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Counted:
    """The figures of a run with these slices, as they were when it had so many judgements."""

    report: Report | None
    """None where the store could not be read."""
    judgements: int
    last: int
    trouble: str | None = None
    again_after: float = 0.0
    """On the monotonic clock: a run that grows is not counted again before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Task:
    record: RunRecord
    judges: tuple[Judge, ...]
    last: int


class SliceCounts:
    """One thread, which lives while there is something to count."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._tasks: OrderedDict[Wanted, _Task] = OrderedDict()
        self._kept: OrderedDict[Wanted, Counted] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def get(
        self, record: RunRecord, judges: tuple[Judge, ...], columns: tuple[str, ...], *, last: int
    ) -> Counted | None:
        """What is known by now. When it is not of `record.judgements`, of which `last` is the last one's number, it is
        counted from here on.
        """
        wanted = Wanted(record.run_id, columns)
        with self._lock:
            found = self._kept.get(wanted)
            if found is not None:
                self._kept.move_to_end(wanted)
                if (found.judgements, found.last) == (record.judgements, last):
                    return found
                if time.monotonic() < found.again_after:
                    return found
            if self._stopped.is_set():
                return found
            self._tasks[wanted] = _Task(record=record, judges=judges, last=last)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="adjudge-slices", daemon=True)
                self._thread.start()
        return found

    def stop(self) -> None:
        self._stopped.set()
        thread = self._thread
        if thread is not None:
            thread.join(timeout=10.0)

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._tasks or self._stopped.is_set():
                    self._thread = None
                    return
                wanted, task = self._tasks.popitem(last=True)  # who asked last is looking at the page
            began = time.monotonic()
            counted = self._count(wanted, task, began)
            if counted is None:
                continue
            with self._lock:
                self._kept[wanted] = counted
                self._kept.move_to_end(wanted)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)

    def _count(self, wanted: Wanted, task: _Task, began: float) -> Counted | None:
        """None when the server stops meanwhile."""
        record, seen = task.record, 0
        tally = tally_of(record, task.judges, slices=wanted.columns)
        try:
            for judgement in self._store.judgements(record.run_id):
                tally.add(judgement)
                seen += 1
                if not seen % ROWS_BETWEEN_PAUSES:
                    if self._stopped.is_set():
                        return None
                    time.sleep(PAUSE_SECONDS)
        except AdjudgeError as error:
            LOG.warning("slices of %r cannot be counted: %s", record.run_id, error)
            return Counted(
                report=None,
                judgements=record.judgements,
                last=task.last,
                trouble=str(error).partition("\n\nhint: ")[0],
            )
        now = time.monotonic()
        return Counted(
            report=report_of(record, tally),
            judgements=seen,
            last=task.last,
            again_after=now + (now - began) * (1.0 / SHARE_OF_TIME - 1.0),
        )
