"""What repeats of the same cases say about the judge: its noise, its agreement with itself, what it leaves undecided."""

from array import array
from bisect import insort
from dataclasses import dataclass

from adjudge.analysis.summary.sample import Sample
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.repeats import NearThreshold, Noise, Retests

MOST_IDS = 20
_NONE = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class Undecided:
    """Cases that could as well have come out on the other side of the pass rule."""

    count: int
    of: int
    """Cases with a verdict on passing."""
    threshold: float | None
    """Midway between the scores that failed and those that passed; None when all passed, all failed or they mix."""
    case_ids: tuple[str, ...]
    """The first of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Repeated:
    noise: Noise | Undefined
    flips: Estimate | Undefined
    """The chance that two repeats of a case come out differently."""
    kappa: Estimate | Undefined
    """Test-retest agreement beyond chance."""
    compared: str
    """What came out differently or alike: `passed` or `score`."""
    undecided: Undecided | None
    """None without a pass rule."""


class CaseNumbers:
    """Numbers the cases as they come, and knows them by name again.

    An id is looked up only while rows of its case are still to come; after that only its letters are kept.
    """

    __slots__ = ("_ends", "_letters", "_open", "_rows_each")

    def __init__(self, rows_each: int | None) -> None:
        """`rows_each` is how many rows every case gets; None when that is not known, and every id stays open."""
        self._rows_each = rows_each
        self._open: dict[str, tuple[int, int]] = {}
        self._letters = bytearray()
        self._ends = array("q")

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def open(self) -> int:
        """Cases of which rows are still to come."""
        return len(self._open)

    def count(self, case_id: str) -> int:
        """The number of the case that this judged row is of."""
        number, seen = self._open.get(case_id, (_NONE, 0))
        if number == _NONE:
            number = len(self._ends)
            self._letters += case_id.encode("utf-8", "surrogatepass")
            self._ends.append(len(self._letters))
        self._see(case_id, number, seen + 1)
        return number

    def pass_over(self, case_id: str) -> None:
        """A row of the case that was not judged; a case without any other gets no number."""
        if self._rows_each is not None:
            number, seen = self._open.get(case_id, (_NONE, 0))
            self._see(case_id, number, seen + 1)

    def _see(self, case_id: str, number: int, seen: int) -> None:
        if seen == self._rows_each:
            self._open.pop(case_id, None)
        else:
            self._open[case_id] = (number, seen)

    def name(self, number: int) -> str:
        start = self._ends[number - 1] if number else 0
        return self._letters[start : self._ends[number]].decode("utf-8", "surrogatepass")


def repeat_figures(sample: Sample, cases: CaseNumbers) -> Repeated:
    """Over the cases one at a time, twice: what is undecided depends on the noise of all."""
    ruled = sample.ruled
    retests = Retests()
    for each in sample.by_case():
        retests.add_scores(each.scores)
        retests.add_verdicts(each.passes if ruled else each.scores)
    noise = retests.noise()
    return Repeated(
        noise=noise,
        flips=retests.flips(),
        kappa=retests.kappa(),
        compared="passed" if ruled else "score",
        undecided=_undecided(sample, noise, cases) if ruled else None,
    )


def _undecided(sample: Sample, noise: Noise | Undefined, cases: CaseNumbers) -> Undecided:
    """Those whose repeats disagree, and those so near the threshold that the judge's noise reaches across it."""
    threshold = sample.threshold()
    near = None if threshold is None or isinstance(noise, Undefined) else NearThreshold(noise, threshold)
    of = count = 0
    first: list[str] = []
    for each in sample.by_case():
        if not each.passes:
            continue
        of += 1
        if len(set(each.passes)) > 1 or (near is not None and near.holds(each.scores)):
            count += 1
            insort(first, cases.name(each.case))
            del first[MOST_IDS:]
    return Undecided(count=count, of=of, threshold=threshold, case_ids=tuple(first))
