"""A run's figures and comparisons, made from the store's judgements when somebody asks, and kept until a run changes.

To count a run is to read all of it, which takes seconds for a hundred thousand judgements. What was counted is kept; a run
that is under way has only its new judgements added.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Generic, TypeVar

from adjudge.analysis.comparison.runs import ComparisonOptions, RunComparison, compare_runs
from adjudge.analysis.summary.report import Report
from adjudge.analysis.summary.stored import judges_of, report_of, tally_of
from adjudge.errors import InputError
from adjudge.records import Judge
from adjudge.server.cases.index import RunStamp
from adjudge.server.cases.index_rows import make_facets
from adjudge.server.shapes import Column
from adjudge.store import RunMark, RunRecord, Store, planned_judges

MAX_KEPT = 500
MAX_COMPARISONS = 24
AT_ONCE = 20_000
"""Judgements that a page reads before it is shown, about a second's worth; for more it is shown first, and asks again."""
MAX_UNASKED = 1_000_000
"""Judgements of a run that is counted for the list of runs, though nobody has opened it; a larger one takes minutes."""
MAX_COLUMNS = 6
"""That a report is sliced by at once."""
USUAL_COLUMNS = 3
FEW_VALUES, MANY_VALUES = 2, 12
"""A column with fewer says nothing, and one with more is hard to read; both can be asked for."""
MAX_VALUES = 10_000
"""Of one column that are told apart."""
FIRST_LOOK = 1_000
"""Judgements that suggest which columns are sliced by; when all are known and suggest others, they are counted again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """A run's figures over all judgements that it had when they were asked for."""

    record: RunRecord
    judges: tuple[Judge, ...]
    report: Report
    columns: tuple[Column, ...]
    sliced: tuple[str, ...]
    """The columns that the report is sliced by."""


T = TypeVar("T")


class _Recent(Generic[T]):
    """What was asked for last. Each has a lock of its own: one thread makes it, the others wait for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, begin: Callable[[], T]) -> T:
        with self._lock:
            found = self._kept[key] if key in self._kept else self._kept.setdefault(key, begin())
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found

    def known(self, key: Hashable) -> T | None:
        with self._lock:
            return self._kept.get(key)


class Comparisons:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._recent = _Recent[_Comparison](MAX_COMPARISONS)

    def get(
        self, a: RunRecord, b: RunRecord, options: ComparisonOptions, *, at_once: int | None = None
    ) -> RunComparison | None:
        """None when it is not kept and the runs have more than `at_once` judgements."""
        judges = sorted({name.rpartition("@")[0] for run in (a, b) for name in planned_judges(run.plan)})
        # another count of judgements, or other labels, is another comparison
        state = (RunStamp.of(a), RunStamp.of(b), *map(self._store.labels_mark, judges))
        kept = self._recent.get((a.run_id, b.run_id, options, state), _Comparison)
        if at_once is not None and kept.made is None and a.judgements + b.judgements > at_once:
            return None
        with kept.lock:
            if kept.made is None:
                kept.made = compare_runs(self._store, a, b, options)
            return kept.made


class _Comparison:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: RunComparison | None = None


class RunFigures:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._recent = _Recent[_Count](MAX_KEPT)

    def get(self, record: RunRecord, slices: Sequence[str] | None = None) -> Figures:
        """`slices` None: the usual ones. A column that no case has is an error."""
        if not slices:
            found = self._count(record, None)
            return _unsliced(found) if slices is not None else found
        asked = tuple(dict.fromkeys(slices))
        _check(asked, self._count(record, None).columns)
        return self._count(record, asked)

    def known(self, record: RunRecord) -> Figures | None:
        """Without counting anything."""
        kept = self._recent.known((record.run_id, None))
        return None if kept is None else kept.known(record)

    def _count(self, record: RunRecord, slices: tuple[str, ...] | None) -> Figures:
        return self._recent.get((record.run_id, slices), lambda: _Count(self._store, slices)).get(record)


class _Count:
    """The sums of one run by these columns, or by the usual ones."""

    def __init__(self, store: Store, slices: tuple[str, ...] | None) -> None:
        self._store = store
        self._slices = slices
        self._lock = threading.Lock()
        self._kept: tuple[RunStamp, Figures] | None = None
        self._sums: _RunSums | None = None
        """Kept while the run is under way."""

    def known(self, record: RunRecord) -> Figures | None:
        kept = self._kept  # one look, because `known` takes no lock
        return kept[1] if kept is not None and kept[0] == RunStamp.of(record) else None

    def get(self, record: RunRecord) -> Figures:
        stamp = RunStamp.of(record)
        with self._lock:
            if self._kept is not None and stamp == self._kept[0] and stamp.lasts:
                return self._kept[1]
            sums = self._sums
            if sums is None or self._store.mark_until(record.run_id, sums.mark.last) != sums.mark:
                sums = self._begin(record)
            before = sums.mark
            sums.add_new(self._store, record)
            if self._kept is not None and stamp == self._kept[0] and sums.mark == before:
                return self._kept[1]
            if self._slices is None and sums.usual_columns() != sums.sliced:
                sums = _RunSums(record, sums.judges, sums.usual_columns())
                sums.add_new(self._store, record)
            return self._keep(stamp, sums.figures(self._store, record), sums)

    def _keep(self, stamp: RunStamp, figures: Figures, sums: "_RunSums") -> Figures:
        self._sums = None if stamp.lasts else sums
        self._kept = (stamp, figures)
        return figures

    def _begin(self, record: RunRecord) -> "_RunSums":
        judges = tuple(judges_of(self._store, record))
        if self._slices is not None:
            return _RunSums(record, judges, self._slices)
        first = _Values()
        for _, judgement in islice(self._store.judgements_after(record.run_id, 0), FIRST_LOOK):
            first.add(make_facets(judgement.metadata))
        return _RunSums(record, judges, first.usual_columns())


class _Values:
    """The different values of each metadata column."""

    def __init__(self) -> None:
        self._values: dict[str, set[str]] = {}

    def add(self, facets: Mapping[str, str]) -> None:
        for name, value in facets.items():
            values = self._values.setdefault(name, set())
            if len(values) < MAX_VALUES:
                values.add(value)

    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(name=name, values=len(self._values[name])) for name in sorted(self._values))

    def usual_columns(self) -> tuple[str, ...]:
        fit = (each.name for each in self.columns() if FEW_VALUES <= each.values <= MANY_VALUES)
        return tuple(islice(fit, USUAL_COLUMNS))


class _RunSums(_Values):
    def __init__(self, record: RunRecord, judges: tuple[Judge, ...], columns: tuple[str, ...]) -> None:
        super().__init__()
        self.judges = judges
        self.sliced = columns
        self.mark = RunMark()
        self._tally = tally_of(record, judges, slices=columns)

    def add_new(self, store: Store, record: RunRecord) -> None:
        for number, judgement in store.judgements_after(record.run_id, self.mark.last):
            self._tally.add(judgement)
            self.add(make_facets(judgement.metadata))
            self.mark = self.mark.extend(number, judgement.at)

    def figures(self, store: Store, record: RunRecord) -> Figures:
        return Figures(
            record=record,
            judges=self.judges,
            report=report_of(store, record, self._tally),
            columns=self.columns(),
            sliced=self.sliced,
        )


def _unsliced(figures: Figures) -> Figures:
    judges = tuple(replace(summary, slices=()) for summary in figures.report.judges)
    return replace(figures, report=replace(figures.report, judges=judges), sliced=())


def _check(asked: Sequence[str], columns: Sequence[Column]) -> None:
    known = [each.name for each in columns]
    for name in asked:
        if name not in known:
            there = ", ".join(known[:20])
            raise InputError(
                f"slice {name}",
                "no case has such a column",
                f"there are {there}" if there else "the cases have no column to slice by",
            )
    if len(asked) > MAX_COLUMNS:
        raise InputError("slice", f"{len(asked)} columns at once", f"ask for {MAX_COLUMNS} at most")
