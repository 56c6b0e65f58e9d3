"""What repeats of the same cases say about the judge: its noise, its agreement with itself, what it leaves undecided."""

from dataclasses import dataclass

from adjudge.reports.sample import Sample
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.repeats import Noise, flip_rate, retest_kappa, undecided, within_case_noise

MOST_IDS = 20


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


def repeat_figures(sample: Sample, cases: list[str]) -> Repeated:
    """`cases` are their names, by number."""
    scores, passes = sample.scores_by_case(cases), sample.passes_by_case(cases)
    verdicts = passes or scores
    return Repeated(
        noise=within_case_noise(scores),
        flips=flip_rate(verdicts),
        kappa=retest_kappa(verdicts),
        compared="passed" if passes else "score",
        undecided=_undecided(scores, passes, sample.threshold()) if passes else None,
    )


def _undecided(
    scores: dict[str, list[float]], passes: dict[str, list[bool]], threshold: float | None
) -> Undecided:
    """Those whose repeats disagree, and those so near the threshold that the judge's noise reaches across it."""
    near = [] if threshold is None else undecided(scores, threshold)
    found = set() if isinstance(near, Undefined) else set(near)
    found |= {case for case, verdicts in passes.items() if len(set(verdicts)) > 1}
    ordered = sorted(found & passes.keys())
    return Undecided(
        count=len(ordered), of=len(passes), threshold=threshold, case_ids=tuple(ordered[:MOST_IDS])
    )
