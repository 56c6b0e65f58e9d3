"""Which cases people should label next, drawn with known chances: the uncertain ones more often, every one sometimes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, sqrt
from random import Random

from adjudge.records import DrawBasis

MIN_UNIFORM = 0.1
"""Of the draw, so that no case's weight can grow past ten times the uniform one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    chosen: tuple[int, ...]
    """Positions in what was given, rising."""
    probabilities: tuple[float, ...]
    """Of every case to have been drawn by now, earlier draws included: what a label's weight is one over."""


def draw_for_labelling(
    uncertainties: Sequence[float],
    n: int,
    *,
    uniform_share: float = MIN_UNIFORM,
    seed: int = 0,
    earlier: Draw | None = None,
) -> Draw:
    """Draw n cases, each with exactly the sampling probability that is stored.

    Systematic sampling of the cases in random order: n points at equal steps along the line of their probabilities, from
    a random start, so that the number drawn is n and a probability of 0.03 is 0.03.

    After an `earlier` draw (the union of all before it), n more are drawn from those left. A case that was drawn before
    would have had, had it been left, the probability of a case left that is as doubtful. So the stored probability is
    earlier + (1 - earlier) now for every case, drawn before or not: cases that are alike have the same one.
    """
    if not MIN_UNIFORM <= uniform_share <= 1.0:
        raise ValueError(f"the uniform share lies from {MIN_UNIFORM} to 1")
    if any(not 0.0 <= uncertainty < inf for uncertainty in uncertainties):
        raise ValueError("an uncertainty is 0 or more")
    before = set(earlier.chosen) if earlier else set[int]()
    left = [position for position in range(len(uncertainties)) if position not in before]
    n = min(n, len(left))
    if n <= 0:
        return earlier or Draw(chosen=(), probabilities=(0.0,) * len(uncertainties))
    now = _probabilities(uncertainties, left, n, uniform_share)
    random = Random(seed)  # noqa: S311 - a seeded sample, not a secret
    order = random.sample(left, len(left))
    start, chosen, passed = random.random(), list[int](), 0.0
    for position, reached in zip(order, accumulate(now[position] for position in order), strict=True):
        # A point at start + k lies in this case's stretch of the line.
        if int(reached - start + 1.0) > int(passed - start + 1.0) and len(chosen) < n:
            chosen.append(position)
        passed = reached
    old = earlier.probabilities if earlier else (0.0,) * len(uncertainties)
    return Draw(
        chosen=tuple(sorted([*before, *chosen])),
        probabilities=tuple(was + (1.0 - was) * is_now for was, is_now in zip(old, now, strict=True)),
    )


def _probabilities(
    uncertainties: Sequence[float], left: Sequence[int], n: int, uniform_share: float
) -> list[float]:
    """Of every case, as one of those left: a multiple of its share of the mixture, 1 at most, that adds up to n there."""
    size, total = len(left), sum(uncertainties[position] for position in left)
    shares = [
        uniform_share / size + (1.0 - uniform_share) * (uncertainty / total if total > 0.0 else 1.0 / size)
        for uncertainty in uncertainties
    ]
    if n == size:
        return [1.0] * len(uncertainties)
    rising = sorted(shares[position] for position in left)
    # With the largest shares certain to be drawn, the `others` have what is left of n among them.
    factors = [(n - size + others) / rest for others, rest in enumerate(accumulate(rising), 1)]
    factor = next(
        factor
        for share, factor in zip(reversed(rising), reversed(factors), strict=True)
        if share * factor < 1.0
    )
    return [min(1.0, share * factor) for share in shares]


@dataclass(frozen=True, kw_only=True, slots=True)
class Uncertainty:
    """How likely each verdict is to be wrong, as far as a run tells."""

    values: tuple[float, ...]
    basis: tuple[DrawBasis, ...] = ()
    """Where it is from; empty where the run tells of none."""


def uncertainty_of(
    probabilities: Sequence[float | None], scores: Sequence[float], passed: Sequence[bool | None]
) -> Uncertainty:
    """Of verdicts: how sure the judge was of each, its score, and whether it passed.

    The chance that makes a corrected mean surest is proportional to the root of the expected squared error (Zrnic and
    Candès 2024): for a verdict that is right with probability p, the root of 1 - p.
    """
    known = [probability for probability in probabilities if probability is not None]
    if known:
        middle = sum(known) / len(known)
        values = (middle if probability is None else probability for probability in probabilities)
        return Uncertainty(
            values=tuple(sqrt(min(1.0, max(0.0, 1.0 - value))) for value in values), basis=("probability",)
        )
    boundary = _boundary(scores, passed)
    if boundary is not None:
        away = [abs(score - boundary) for score in scores]
        farthest = max(away)
        if farthest > min(away):
            return Uncertainty(
                values=tuple(1.0 - distance / farthest for distance in away), basis=("threshold",)
            )
    return Uncertainty(values=(1.0,) * len(scores))


def _boundary(scores: Sequence[float], passed: Sequence[bool | None]) -> float | None:
    """Midway between the passes and the fails that are nearest to each other; None where they lie among each other.

    The pass rule's own number would not do: with `score >= 3` a 3 would be all doubt and a 2 hardly any.
    """
    passes = {score for score, each in zip(scores, passed, strict=True) if each is True}
    fails = {score for score, each in zip(scores, passed, strict=True) if each is False}
    if not passes or not fails:
        return None
    if max(fails) < min(passes):
        return (max(fails) + min(passes)) / 2.0
    if max(passes) < min(fails):
        return (max(passes) + min(fails)) / 2.0
    return None
