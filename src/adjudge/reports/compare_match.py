"""Two runs' judgements -> pairs: cases matched by id, a case's repeats averaged, what either side lost counted."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Literal, NamedTuple

from adjudge.records import OUTCOME_KINDS, Failed, Json, Judgement
from adjudge.reports.format import shorten

SideName = Literal["a", "b"]
Measure = Literal["score", "normalized"]
NO_VALUE = "(none)"
_NO_ID = re.compile(r"line-\d+")
_MOST_NAMES = 20
"""Models and snapshots are few; should a provider make up a new one for each call, memory stays bounded."""
_MOST_VERDICTS = 10_000


class CaseSide:
    """One case in one run: sums over its repeats."""

    __slots__ = ("annotators", "judged", "label", "lost", "lost_as", "passed", "ruled", "total")

    def __init__(self) -> None:
        self.total = 0.0
        self.judged = 0
        self.passed = 0
        self.ruled = 0
        self.lost = 0
        self.lost_as = ""
        """How its first repeat without a score ended."""
        self.label: Json = None
        self.annotators: Json = None

    def add(self, judgement: Judgement, value: float | None) -> None:
        if value is None:
            self.lost_as = self.lost_as or judgement.outcome.kind
            self.lost += 1
            return
        self.total += value
        self.judged += 1
        if judgement.passed is not None:
            self.ruled += 1
            self.passed += judgement.passed

    @property
    def mean(self) -> float | None:
        return self.total / self.judged if self.judged else None

    @property
    def pass_share(self) -> float | None:
        return self.passed / self.ruled if self.ruled else None


class MatchedCase:
    """One case in both runs; a side is None where the run does not have it."""

    __slots__ = ("a", "b", "cluster", "slices")

    def __init__(self) -> None:
        self.a: CaseSide | None = None
        self.b: CaseSide | None = None
        self.cluster: str | None = None
        self.slices: tuple[str, ...] = ()


class Pair(NamedTuple):
    """A case with a score on both sides."""

    case_id: str
    cluster: Hashable
    """Cases of one cluster share it; a case of no cluster is its own."""
    a: float
    b: float
    passed_a: float | None
    """The share of its repeats that passed; None without a pass rule."""
    passed_b: float | None
    slices: tuple[str, ...]


class Seen:
    """What was seen of a side, whatever the case."""

    def __init__(self) -> None:
        self.models: dict[str, None] = {}
        self.snapshots: dict[str, None] = {}
        self.repeats = 0
        self.no_id = 0
        """Rows that could not be read as a case, and so cannot be matched."""
        self.verdicts: set[tuple[float, bool | None]] = set()
        """Scores, each with whether it passed; where there are too many to hold, some of them."""

    def add(self, judgement: Judgement) -> None:
        _remember(self.models, judgement.model)
        if judgement.model_snapshot:
            _remember(self.snapshots, judgement.model_snapshot)
        self.repeats = max(self.repeats, judgement.repeat + 1)
        if judgement.score is not None and len(self.verdicts) < _MOST_VERDICTS:
            self.verdicts.add((judgement.score, judgement.passed))


class Matching:
    """Takes the judgements of one judge from both runs, in any order; keeps a few numbers for each case."""

    def __init__(
        self, *, measure: Measure = "score", columns: Sequence[str] = (), keep_labels: bool = False
    ) -> None:
        self.columns = tuple(columns)
        self.seen: dict[SideName, Seen] = {"a": Seen(), "b": Seen()}
        self.cases: dict[str, MatchedCase] = {}
        self.clusters_differ = 0
        """Cases that are of another cluster in B; A's counts."""
        self.metadata_columns: dict[str, None] = {}
        self._measure = measure
        self._keep_labels = keep_labels
        self._texts: dict[str, str] = {}

    def add(self, side: SideName, judgement: Judgement) -> None:
        seen = self.seen[side]
        outcome = judgement.outcome
        if isinstance(outcome, Failed) and outcome.kind == "bad_row" and _NO_ID.fullmatch(judgement.case_id):
            seen.no_id += not judgement.repeat
            return
        seen.add(judgement)
        case = self.cases.get(judgement.case_id)
        if case is None:
            case = self.cases[judgement.case_id] = MatchedCase()
        mine = case.a if side == "a" else case.b
        if mine is None:
            mine = CaseSide()
            self._place(case, judgement)
            if side == "a":
                case.a = mine
            else:
                case.b = mine
            if self._keep_labels:
                mine.label, mine.annotators = judgement.label, judgement.annotators
        mine.add(judgement, judgement.score if self._measure == "score" else judgement.normalized)

    def _place(self, case: MatchedCase, judgement: Judgement) -> None:
        """The case's cluster and slices: what the first run says, else the second."""
        if judgement.cluster is not None:
            cluster = self._text(judgement.cluster)
            self.clusters_differ += case.cluster is not None and case.cluster != cluster
            case.cluster = case.cluster or cluster
        if not self.columns:
            return
        for column in judgement.metadata:
            _remember(self.metadata_columns, column)
        values = tuple(
            self._text(shorten(value_text(judgement.metadata.get(column)), 80)) for column in self.columns
        )
        if not case.slices or set(case.slices) == {NO_VALUE}:
            case.slices = values

    def _text(self, text: str) -> str:
        """One string for all cases with the same words."""
        return self._texts.setdefault(text, text)

    # ---- what came of it ----

    def pairs(self) -> Iterator[Pair]:
        for case_id, case in self.cases.items():
            if case.a is None or case.b is None:
                continue
            a, b = case.a.mean, case.b.mean
            if a is not None and b is not None:
                yield Pair(
                    case_id=case_id,
                    cluster=(case_id,) if case.cluster is None else case.cluster,
                    a=a,
                    b=b,
                    passed_a=case.a.pass_share,
                    passed_b=case.b.pass_share,
                    slices=case.slices,
                )

    def scores(self, side: SideName) -> Iterator[tuple[Hashable, float]]:
        """Cluster and mean of every case judged on one side."""
        for case_id, case in self.cases.items():
            mine = case.a if side == "a" else case.b
            mean = None if mine is None else mine.mean
            if mean is not None:
                yield (case_id,) if case.cluster is None else case.cluster, mean

    def in_both(self) -> Iterator[tuple[CaseSide, CaseSide]]:
        for case in self.cases.values():
            if case.a is not None and case.b is not None:
                yield case.a, case.b

    def count(self, side: SideName) -> "Count":
        """What became of one side's cases."""
        mine = [
            (case.a, case.b) if side == "a" else (case.b, case.a)
            for case in self.cases.values()
            if (case.a if side == "a" else case.b) is not None
        ]
        lost: Counter[str] = Counter()
        alone = repeats_lost = 0
        for own, other in mine:
            if own is None:
                continue
            if other is None:
                alone += 1
            elif not own.judged:
                lost[own.lost_as] += 1
            repeats_lost += own.lost if own.judged else 0
        return Count(
            cases=len(mine),
            alone=alone,
            lost={kind: lost[kind] for kind in OUTCOME_KINDS if lost[kind]},
            repeats_lost=repeats_lost,
        )


class Count(NamedTuple):
    cases: int
    alone: int
    """Not in the other run."""
    lost: dict[str, int]
    """In both runs, and not judged in this one: by outcome."""
    repeats_lost: int
    """Of cases that other repeats did judge."""


def value_text(value: Json) -> str:
    """A metadata value as the name of a slice."""
    match value:
        case None:
            return NO_VALUE
        case bool():
            return "true" if value else "false"
        case str():
            return value or NO_VALUE
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case _:
            return str(value)


def _remember(names: dict[str, None], name: str) -> None:
    if len(names) < _MOST_NAMES:
        names[name] = None
