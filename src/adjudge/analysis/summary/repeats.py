"""What repeats of the same cases say about the judge: its noise, its agreement with itself, what it leaves undecided."""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudge.analysis.summary.sample import RowSample
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.populations import population
from adjudge.stats.repeats import NearThreshold, Noise, Retests

MAX_IDS = 20


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
    noise: Noise | Undefined = field(metadata=population("judged more than once", "judgement"))
    flips: Estimate | Undefined = field(metadata=population("judged more than once", "pair of repeats"))
    """The chance that two repeats of a case come out differently."""
    kappa: Estimate | Undefined = field(metadata=population("judged more than once", "pair of repeats"))
    """Test-retest agreement beyond chance."""
    compared: str
    """What came out differently or alike: `passed` or `score`."""
    undecided: Undecided | None
    """None without a pass rule."""


def repeat_figures(sample: RowSample, case_ids: Sequence[str]) -> Repeated:
    """Over the cases one at a time, twice: what is undecided depends on the noise of all.

    `case_ids` are by the numbers that the sample has for them.
    """
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
        undecided=_undecided(sample, noise, case_ids) if ruled else None,
    )


def _undecided(sample: RowSample, noise: Noise | Undefined, case_ids: Sequence[str]) -> Undecided:
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
            insort(first, case_ids[each.case])
            del first[MAX_IDS:]
    return Undecided(count=count, of=of, threshold=threshold, case_ids=tuple(first))
