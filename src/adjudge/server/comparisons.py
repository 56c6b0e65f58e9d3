"""Comparisons of two runs: made when they are asked for, kept for the next one who asks."""

import threading
from collections import OrderedDict
from typing import NamedTuple

from adjudge.analysis.comparison.runs import ComparisonOptions, RunComparison, compare_runs
from adjudge.server.cases.index import RunStamp
from adjudge.store import RunRecord, Store, planned_judges

MOST_KEPT = 24


class _ComparisonKey(NamedTuple):
    """What a comparison depends on: another count of judgements, or other labels, is another comparison."""

    a: str
    b: str
    options: ComparisonOptions
    state: tuple[object, ...]


class _KeptComparison:
    """One comparison; whoever holds the lock makes it, the others wait for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: RunComparison | None = None


class Comparisons:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: OrderedDict[_ComparisonKey, _KeptComparison] = OrderedDict()

    def get(
        self, a: RunRecord, b: RunRecord, options: ComparisonOptions, *, at_once: int | None = None
    ) -> RunComparison | None:
        """None when it is not kept and the runs have more than `at_once` judgements."""
        judges = sorted({name.rpartition("@")[0] for run in (a, b) for name in planned_judges(run.plan)})
        state = (RunStamp.of(a), RunStamp.of(b), *map(self._store.labels_mark, judges))
        key = _ComparisonKey(a.run_id, b.run_id, options, state)
        with self._lock:
            kept = self._kept.setdefault(key, _KeptComparison())
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        if at_once is not None and kept.made is None and a.judgements + b.judgements > at_once:
            return None
        with kept.lock:
            if kept.made is None:
                kept.made = compare_runs(self._store, a, b, options)
            return kept.made
