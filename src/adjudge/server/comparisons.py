"""Comparisons of two runs: made when they are asked for, kept for the next one who asks."""

import threading
from collections import OrderedDict
from typing import NamedTuple

from adjudge.reports.compare_runs import OWN_LABELS, ComparedRuns, compare_runs
from adjudge.server.index import RunStamp
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


class _Kept:
    """One comparison; whoever holds the lock makes it, the others wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: ComparedRuns | None = None


class Comparisons:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: OrderedDict[Wanted, _Kept] = OrderedDict()

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
        at_once: int | None = None,
    ) -> ComparedRuns | None:
        """None when it is not kept and the runs have more than `at_once` judgements."""
        judges = sorted({name.rpartition("@")[0] for run in (a, b) for name in planned_judges(run.plan)})
        state = (RunStamp.of(a), RunStamp.of(b), *map(self._store.labels_mark, judges))
        wanted = Wanted(a.run_id, b.run_id, only, across, columns, flips, with_people, state)
        with self._lock:
            kept = self._kept.get(wanted)
            if kept is None:
                kept = self._kept[wanted] = _Kept()
            self._kept.move_to_end(wanted)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        if at_once is not None and kept.made is None and a.judgements + b.judgements > at_once:
            return None
        with kept.lock:
            if kept.made is None:
                kept.made = compare_runs(
                    self._store,
                    a,
                    b,
                    only=only,
                    across=across,
                    columns=columns,
                    flips=flips,
                    labels=OWN_LABELS if with_people else None,
                )
            return kept.made
