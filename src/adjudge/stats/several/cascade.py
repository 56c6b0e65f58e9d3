"""Thresholds from which judges of a cascade decide, so that what they decide agrees with people at a stated rate.

The labels are parted in two. On one half, thresholds are chosen for a list of targets, strict ones first; they are then a
fixed sequence for the other half, of which no label was looked at. There the sequence is tested in order: whether all cases
that some stage decides together agree with people at least at the rate, by the exact lower limit of their share at level
alpha, with the effective n over clusters. Testing ends at the first that is not shown, and the last that was is used
(Angelopoulos et al. 2021, "Learn then Test"). The first thresholds of the sequence that miss the rate are accepted with a
probability of at most alpha, and nothing after them can be reached otherwise: so the rate is missed with a probability of at
most alpha, however good or bad any stage is. The sequence begins with the thresholds that are likeliest to be shown, by the
labels of the first half and the number of cases, not the labels, of the second: the strictest decide too few.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple, TypeAlias

from adjudge.stats.intervals import Estimate
from adjudge.stats.limits import Tails, effective_n, exact_share
from adjudge.stats.student import incomplete_beta

TARGETS = (1.0, 0.99, 0.98, 0.96, 0.94, 0.92, 0.9, 0.88, 0.85, 0.8, 0.75, 0.7)
"""Agreement that each stage is to have on the half that thresholds are chosen on."""
MIN_COUNT = 8
"""Cases that a stage has to decide there."""
MAX_NEEDED = 100_000

Thresholds: TypeAlias = tuple[float | None, ...]
"""For each stage the least confidence from which it decides; None: it decides nothing."""


class StageView(NamedTuple):
    """What one stage says of a labelled case."""

    confidence: float | None
    """None where it gave no verdict, or nothing tells how sure it was."""
    agrees: float
    """The share of the people who labelled the case that it agrees with; 0 where it gave no verdict."""


class CalibrationCase(NamedTuple):
    """A labelled case, as every stage judged it."""

    cluster: Hashable
    """Cases that belong together have the same; a case that stands alone has one of its own."""
    stages: Sequence[StageView]


Decided: TypeAlias = list[tuple[Hashable, float]]
"""Of each decided case its cluster, and the share of its people that agree."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibrated:
    thresholds: Thresholds
    rate: float
    alpha: float
    chosen_on: int
    """Labelled cases that thresholds were chosen on."""
    tested_on: int
    """Others that they were tested on."""
    tested: Estimate | None
    """Of those, the share of what the thresholds decide that agrees with people; its lower end is at level alpha, and at
    or above the rate. None where no thresholds were accepted."""

    @property
    def decides(self) -> bool:
        return any(threshold is not None for threshold in self.thresholds)


def deciding_stage(thresholds: Thresholds, confidences: Sequence[float | None]) -> int | None:
    """The first stage that is sure enough; None: it stays undecided."""
    for stage, (threshold, confidence) in enumerate(zip(thresholds, confidences, strict=False)):
        if threshold is not None and confidence is not None and confidence >= threshold:
            return stage
    return None


def calibrate(
    choose: Sequence[CalibrationCase],
    test: Sequence[CalibrationCase],
    *,
    stages: int,
    rate: float,
    alpha: float = 0.05,
) -> Calibrated:
    """`choose` and `test` are two random parts of the labelled cases."""
    accepted: Thresholds = (None,) * stages
    tested = None
    for thresholds in _from_likeliest(list(_sequence(choose, stages)), choose, test, rate, alpha):
        found = exact_share(find_decided(thresholds, test), Tails.both(alpha))
        if found is None or found.low < rate:
            break
        accepted, tested = thresholds, found
    return Calibrated(
        thresholds=accepted,
        rate=rate,
        alpha=alpha,
        chosen_on=len(choose),
        tested_on=len(test),
        tested=tested,
    )


def _from_likeliest(
    sequence: Sequence[Thresholds],
    choose: Sequence[CalibrationCase],
    test: Sequence[CalibrationCase],
    rate: float,
    alpha: float,
) -> Sequence[Thresholds]:
    """The sequence without what comes before the thresholds that are likeliest to be shown to hold."""
    powers = []
    for thresholds in sequence:
        seen = find_decided(thresholds, choose)
        share = (_agreed(seen) + 1) / (len(seen) + 2)
        cases = floor(len(find_decided(thresholds, test)) * effective_n(seen, alpha) / len(seen))
        powers.append(_power(cases, share, rate, alpha))
    return sequence[powers.index(max(powers)) :] if any(powers) else ()


def _power(cases: int, share: float, rate: float, alpha: float) -> float:
    """The chance that the test succeeds on so many independent cases, were this share of them right; 0 where none can."""
    least = _fewest_agreed(cases, rate, alpha)
    return 0.0 if least is None else upper_tail(cases, least, share)


@lru_cache(maxsize=1024)
def _fewest_agreed(cases: int, rate: float, alpha: float) -> int | None:
    """How many of so many decided cases have to agree for the test to succeed; None where all are too few."""
    if rate**cases > alpha:
        return None
    least = cases
    while upper_tail(cases, least - 1, rate) <= alpha:
        least -= 1
    return least


def _sequence(cases: Sequence[CalibrationCase], stages: int) -> Iterator[Thresholds]:
    """From few decided cases to many, each once."""
    seen: set[Thresholds] = {(None,) * stages}
    ordered = [_surest_first(cases, stage) for stage in range(stages)]
    for target in TARGETS:
        thresholds: Thresholds = ()
        gone = bytearray(len(cases))
        """Those that an earlier stage decides."""
        for views in ordered:
            left = [view for view in views if not gone[view.place]]
            decided = _decided_at(left, target)
            thresholds = (*thresholds, left[decided - 1].confidence if decided else None)
            for view in left[:decided]:
                gone[view.place] = 1
        if thresholds not in seen:
            seen.add(thresholds)
            yield thresholds


class _Placed(NamedTuple):
    confidence: float
    agrees: float
    place: int


def _surest_first(cases: Sequence[CalibrationCase], stage: int) -> list[_Placed]:
    found = [
        _Placed(view.confidence, view.agrees, place)
        for place, view in enumerate(case.stages[stage] for case in cases)
        if view.confidence is not None
    ]
    return sorted(found, reverse=True)


def _decided_at(ordered: Sequence[_Placed], target: float) -> int:
    """How many of the surest may be decided with so large a share right; 0 where that is too few."""
    found, agreed = 0, 0.0
    last = len(ordered)
    for count, view in enumerate(ordered, 1):
        agreed += view.agrees
        if (
            count >= MIN_COUNT
            and agreed >= target * count - 1e-9
            and (count == last or ordered[count].confidence < view.confidence)
        ):
            found = count
    return found


def find_decided(thresholds: Thresholds, cases: Sequence[CalibrationCase]) -> Decided:
    return [
        (case.cluster, case.stages[stage].agrees)
        for case in cases
        if (stage := deciding_stage(thresholds, [view.confidence for view in case.stages])) is not None
    ]


def _agreed(decided: Decided) -> float:
    return sum(share for _, share in decided)


def upper_tail(cases: int, agreed: int, rate: float) -> float:
    """The chance that so many agree, or more, of independent cases that agree at this rate."""
    return incomplete_beta(agreed, cases - agreed + 1, rate) if agreed else 1.0


def labels_needed(
    choose: Sequence[CalibrationCase],
    test: Sequence[CalibrationCase],
    *,
    stages: int,
    rate: float,
    alpha: float = 0.05,
) -> int | None:
    """How many labels would do, did what is decided agree as often as in the test half; None where that does not hold the
    rate. The first half says for which thresholds: those that need the fewest there look better than they are.
    """
    found = [
        (needed, place, thresholds)
        for place, thresholds in enumerate(_sequence(choose, stages))
        if (needed := _needed(thresholds, choose, rate, alpha)) is not None
    ]
    return _needed(min(found)[-1], test, rate, alpha) if found else None


def _needed(
    thresholds: Thresholds, cases: Sequence[CalibrationCase], rate: float, alpha: float
) -> int | None:
    decided = find_decided(thresholds, cases)
    if not decided or _agreed(decided) <= rate * len(decided):
        return None
    enough = fewest_decided(_agreed(decided) / len(decided), rate, alpha)
    if enough is None:
        return None
    labels = ceil(2 * enough * len(cases) / effective_n(decided, alpha))
    return labels if labels <= MAX_NEEDED else None


def fewest_decided(share: float, rate: float, alpha: float) -> int | None:
    """Independent cases that have to be decided, this share of them rightly, to show the rate; None beyond a hundred thousand."""
    cases = 1
    while upper_tail(cases, floor(share * cases + 1e-9), rate) > alpha:
        cases += max(1, cases // 50)
        if cases > MAX_NEEDED:
            return None
    return cases
