"""Which cases people should label next, drawn with known chances: the uncertain ones more often, every one sometimes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from random import Random

LEAST_UNIFORM = 0.1
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
    uniform_share: float = LEAST_UNIFORM,
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
    if not LEAST_UNIFORM <= uniform_share <= 1.0:
        raise ValueError(f"the uniform share lies from {LEAST_UNIFORM} to 1")
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
