"""Comparisons of two runs: made behind the requests, kept for the next one who asks."""

import threading
from collections import OrderedDict
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from adjudge.reports.compare_runs import OWN_LABELS, ComparedRuns, compare_runs
from adjudge.store import RunRecord, Store, planned_judges

MOST_KEPT = 24


class Wanted(NamedTuple):
    """What a comparison depends on: another count of judgements, or other labels, is another comparison."""

    a: str
    b: str
    only: tuple[str, ...]
    across: bool
    columns: tuple[str, ...]
    flips: int
    with_people: bool
    state: tuple[object, ...]


class Comparisons:
    """One thread: two comparisons at once would only make both late."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._made: OrderedDict[Wanted, Future[ComparedRuns]] = OrderedDict()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="adjudge-compare")

    def get(
        self,
        a: RunRecord,
        b: RunRecord,
        *,
        only: tuple[str, ...] = (),
        across: bool = False,
        columns: tuple[str, ...] = (),
        flips: int = 50,
        with_people: bool = False,
        wait_seconds: float,
    ) -> ComparedRuns | None:
        """None when it takes longer than that; its error, when it cannot be made."""
        judges = sorted({name.rpartition("@")[0] for run in (a, b) for name in planned_judges(run.plan)})
        state = (*_state(a), *_state(b), *map(self._store.labels_mark, judges))
        wanted = Wanted(a.run_id, b.run_id, only, across, columns, flips, with_people, state)
        with self._lock:
            made = self._made.get(wanted)
            if made is None:
                made = self._made[wanted] = self._worker.submit(
                    compare_runs,
                    self._store,
                    a,
                    b,
                    only=only,
                    across=across,
                    columns=columns,
                    flips=flips,
                    labels=OWN_LABELS if with_people else None,
                )
            self._made.move_to_end(wanted)
            while len(self._made) > MOST_KEPT:
                self._made.popitem(last=False)[1].cancel()
        wait([made], timeout=wait_seconds)
        if not made.done():
            return None
        try:
            return made.result()
        except CancelledError:  # too many others were asked for meanwhile: the next request begins it again
            self._forget(wanted, made)
            return None
        except Exception:
            # told to whoever waits for it, and not kept: what was in the way (a store that is busy) can pass
            self._forget(wanted, made)
            raise

    def _forget(self, wanted: Wanted, made: Future[ComparedRuns]) -> None:
        with self._lock:
            if self._made.get(wanted) is made:
                del self._made[wanted]

    def stop(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)


def _state(run: RunRecord) -> tuple[object, ...]:
    """Also when it began and ended: a run can be made anew under its name, or have its failures asked again."""
    return run.judgements, run.state, run.started_at, run.finished_at
