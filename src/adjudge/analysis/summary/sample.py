"""Judged rows in a few bytes each, and the figures made of them: over rows, over clusters, or over cases."""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Literal, NamedTuple

from adjudge.records import OUTCOME_KINDS, Scale
from adjudge.stats.clusters import NumberedClusters, clustered_mean, clustered_rate
from adjudge.stats.intervals import Estimate, Undefined, mean_interval, rate_interval
from adjudge.stats.ranks import rank_correlation

Grouping = Literal["cluster", "case"]
ALONE = -1
"""The number of a row's cluster when it has none."""

_SHARE = Scale(low=0.0, high=1.0)
_FORCED, _RULED, _PASSED, _LABELLED, _AGREES, _STEPPED, _NEAR = 1, 2, 4, 8, 16, 32, 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The lower end of the figure's 95 % interval, had everything without a score been at the bottom of the scale, and
    the upper end, had it been at the top: whatever the rest is like, it covers as often as either.
    """

    low: float
    high: float


class JudgedRow(NamedTuple):
    """What the figures need of a judged row. Clusters and cases are numbered by whoever reads the run."""

    score: float
    forced: bool
    passed: bool | None
    agrees: bool | None
    """With the case's own label; None where it has none."""
    cluster: int
    case: int
    """`ALONE` where it is known that no case is judged twice."""
    repeat: int
    near: bool | None = None
    """Within one step of that label; None where it has none, or the scale no steps."""
    label: float | None = None
    """That label, where it is a number."""


class CaseRepeats(NamedTuple):
    case: int
    scores: list[float]
    passes: list[bool]
    """Of the rows that a pass rule said something of."""


class RowSample:
    """A dozen bytes a row: clusters may begin at any row, and the rows before then count as their own."""

    __slots__ = ("_cases", "_clusters", "_flags", "_labelled", "_labels", "_repeated", "_scores")

    def __init__(self) -> None:
        self._scores = array("d")
        self._flags = array("B")
        self._clusters = array("i")
        self._cases = array("i")
        self._labelled = array("q")
        """The rows with a label that is a number, and those labels."""
        self._labels = array("d")
        self._repeated = False

    def add(self, row: JudgedRow) -> None:
        if row.cluster != ALONE and not self._clusters:
            self._clusters.extend([ALONE] * len(self._scores))
        if row.cluster != ALONE or self._clusters:
            self._clusters.append(row.cluster)
        if row.case != ALONE:
            self._cases.append(row.case)
        self._repeated |= row.repeat > 0
        if row.label is not None:
            self._labelled.append(len(self._scores))
            self._labels.append(row.label)
        self._scores.append(row.score)
        self._flags.append(
            (_FORCED if row.forced else 0)
            | (0 if row.passed is None else _RULED | (_PASSED if row.passed else 0))
            | (0 if row.agrees is None else _LABELLED | (_AGREES if row.agrees else 0))
            | (0 if row.near is None else _STEPPED | (_NEAR if row.near else 0))
        )

    @property
    def grouping(self) -> Grouping | None:
        """What counts as one piece of evidence, the outermost level first; None: every row."""
        if self._clusters:
            return "cluster"
        return "case" if self._repeated and self._cases else None

    # ---- figures ----

    def mean(self, scale: Scale | None, *, forced: bool = True) -> Estimate | None:
        rows = self._rows(without=0 if forced else _FORCED)
        return self._estimate(((row, self._scores[row]) for row in rows), scale)

    def pass_rate(self) -> Estimate | None:
        return self._rate(_RULED, _PASSED)

    def share(self, score: float) -> Estimate | None:
        """Of the rows with this very score, which may stand for a label."""
        if self.grouping is None:
            return rate_interval(sum(each == score for each in self._scores), len(self._scores))
        return clustered_rate(
            NumberedClusters((self._unit(row), float(each == score)) for row, each in enumerate(self._scores))
        )

    def agreement(self) -> Estimate | None:
        return self._rate(_LABELLED, _AGREES)

    def within_one(self) -> Estimate | None:
        """None unless every label is on a scale of steps."""
        stepped = self._count(_STEPPED)
        return self._rate(_STEPPED, _NEAR) if stepped and stepped == self._count(_LABELLED) else None

    def is_measured(self, levels: Collection[float]) -> bool:
        """Whether labels and scores are measurements, such as means of ratings, which are hardly ever equal: some are
        neither whole nor one of `levels`.
        """
        return any(
            value % 1 and value not in levels
            for row, label in zip(self._labelled, self._labels, strict=True)
            for value in (label, self._scores[row])
        )

    def absolute_error(self, scale: Scale | None) -> Estimate | None:
        """The mean distance of scores and numeric labels."""
        reach = None if scale is None else Scale(low=0.0, high=scale.high - scale.low)
        return self._estimate(((row, abs(label - score)) for row, score, label in self._compared()), reach)

    def rank_correlation(self) -> Estimate | Undefined:
        """Spearman's, of scores and numeric labels."""
        return rank_correlation((self._unit(row), label, score) for row, score, label in self._compared())

    def _compared(self) -> Iterator[tuple[int, float, float]]:
        return (
            (row, self._scores[row], label) for row, label in zip(self._labelled, self._labels, strict=True)
        )

    def bounds(self, scale: Scale | None, asked: int) -> Bounds | None:
        if scale is None or not asked:
            return None
        rows = range(len(self._scores))
        low, high = (
            self._estimate(((row, self._scores[row]) for row in rows), scale, repeat(end, asked - len(rows)))
            for end in (scale.low, scale.high)
        )
        return Bounds(low=low.low, high=high.high) if low and high else None

    def pass_bounds(self, asked: int) -> Bounds | None:
        ruled = self._count(_RULED)
        if not ruled:
            return None
        low, high = (
            self._estimate(
                ((row, float(bool(self._flags[row] & _PASSED))) for row in self._rows(need=_RULED)),
                _SHARE,
                repeat(end, asked - ruled),
            )
            for end in (_SHARE.low, _SHARE.high)
        )
        return Bounds(low=low.low, high=high.high) if low and high else None

    def labelled(self) -> tuple[int, int]:
        """How many rows have a label, and how many agree with it."""
        return self._count(_LABELLED), self._count(_AGREES)

    # ---- repeats ----

    def by_case(self) -> Iterator["CaseRepeats"]:
        """Each case with what its judged repeats came to, in the order in which cases were first judged."""
        for case, rows in self._rows_by_case():
            yield CaseRepeats(
                case,
                [self._scores[row] for row in rows],
                [bool(self._flags[row] & _PASSED) for row in rows if self._flags[row] & _RULED],
            )

    def _rows_by_case(self) -> Iterator[tuple[int, Sequence[int]]]:
        cases = max(self._cases, default=ALONE) + 1
        starts = array("i", [0]) * (cases + 1)
        for case in self._cases:
            starts[case + 1] += 1
        for case in range(1, len(starts)):
            starts[case] += starts[case - 1]
        ends, order = starts[:-1], array("i", [0]) * len(self._cases)
        for row, case in enumerate(self._cases):
            order[ends[case]] = row
            ends[case] += 1
        for case, end in enumerate(ends):
            if end > starts[case]:
                yield case, order[starts[case] : end]

    def __len__(self) -> int:
        return len(self._scores)

    @property
    def ruled(self) -> bool:
        """Whether a pass rule said something of any row."""
        return self._count(_RULED) > 0

    @property
    def passed(self) -> int:
        return self._count(_PASSED)

    def threshold(self) -> float | None:
        """Midway between the scores that failed and those that passed; None where these do not part."""
        failed = [self._scores[row] for row in self._rows(need=_RULED, without=_PASSED)]
        passed = [self._scores[row] for row in self._rows(need=_PASSED)]
        if not failed or not passed:
            return None
        if max(failed) < min(passed):
            return (max(failed) + min(passed)) / 2
        return (max(passed) + min(failed)) / 2 if max(passed) < min(failed) else None

    # ---- rows ----

    def _estimate(
        self, values: Iterable[tuple[int, float]], scale: Scale | None, others: Iterable[float] = ()
    ) -> Estimate | None:
        """The mean of (row, value); `others` are of no row, and each is a piece of evidence of its own."""
        if self.grouping is None:
            return mean_interval(chain((value for _, value in values), others), scale)
        beyond = 2 * max(len(self._scores), max(self._clusters, default=0) + 1)
        others_numbered = ((beyond + number, value) for number, value in enumerate(others))
        own = ((self._unit(row), value) for row, value in values)
        return clustered_mean(NumberedClusters(chain(own, others_numbered)), scale)

    def _rate(self, need: int, yes: int) -> Estimate | None:
        if self.grouping is None:
            return rate_interval(self._count(yes), self._count(need))
        return clustered_rate(
            NumberedClusters(
                (self._unit(row), float(bool(self._flags[row] & yes))) for row in self._rows(need=need)
            )
        )

    def _rows(self, *, need: int = 0, without: int = 0) -> Iterator[int]:
        return (row for row, flags in enumerate(self._flags) if flags & need == need and not flags & without)

    def _count(self, need: int) -> int:
        return sum(1 for _ in self._rows(need=need))

    def _unit(self, row: int) -> int:
        """Clusters have the even numbers; what has none the odd ones, by case where cases repeat."""
        if self._clusters and self._clusters[row] != ALONE:
            return 2 * self._clusters[row]
        alone = self._cases[row] if self._repeated and self._cases else row
        return 2 * alone + 1 if self._clusters else alone


class Group:
    """Rows that are reported together: what became of each, and the sample of those that were judged."""

    __slots__ = ("_outcomes", "sample")

    def __init__(self) -> None:
        self._outcomes: Counter[str] = Counter()
        self.sample = RowSample()

    def add(self, kind: str, row: JudgedRow | None) -> None:
        """`row` is None when it was not judged."""
        self._outcomes[kind] += 1
        if row is not None:
            self.sample.add(row)

    @property
    def asked(self) -> int:
        return self._outcomes.total()

    @property
    def outcomes(self) -> dict[str, int]:
        """The kinds that occurred, in the order of `OUTCOME_KINDS`."""
        return {kind: self._outcomes[kind] for kind in OUTCOME_KINDS if self._outcomes[kind]}
