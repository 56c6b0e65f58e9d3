"""Which cases people should label next, drawn with known chances: the uncertain ones more often, every one sometimes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
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
    """Draw n cases, with chances that are exactly those stored.

    Systematic sampling of the cases in random order: n points at equal steps along the line of their chances, from a
    random start, so that the number drawn is n and a chance of 0.03 is 0.03.

    After an `earlier` draw (the union of all before it), n more are drawn from what is left. The stored chance is then
    that of either: 1 - (1 - earlier) (1 - now).
    """
    if not LEAST_UNIFORM <= uniform_share <= 1.0:
        raise ValueError(f"the uniform share lies from {LEAST_UNIFORM} to 1")
    if any(not 0.0 <= uncertainty < float("inf") for uncertainty in uncertainties):
        raise ValueError("an uncertainty is 0 or more")
    before = set(earlier.chosen) if earlier else set[int]()
    left = [position for position in range(len(uncertainties)) if position not in before]
    n = min(n, len(left))
    if n <= 0:
        return earlier or Draw(chosen=(), probabilities=(0.0,) * len(uncertainties))
    chances = _chances([uncertainties[position] for position in left], n, uniform_share)
    now = dict(zip(left, chances, strict=True))
    random = Random(seed)  # noqa: S311 - a seeded sample, not a secret
    order = random.sample(left, len(left))
    start, chosen, passed = random.random(), list[int](), 0.0
    for position, reached in zip(order, accumulate(now[position] for position in order), strict=True):
        # A point at start + k lies in this case's stretch of the line.
        if int(reached - start + 1.0) > int(passed - start + 1.0) and len(chosen) < n:
            chosen.append(position)
        passed = reached
    probabilities = [now.get(position, 1.0) for position in range(len(uncertainties))]
    if earlier:
        # A case drawn before was, this time, out of reach: it would have had the chance that the rest now have.
        again = _chances(list(uncertainties), n, uniform_share)
        probabilities = [
            1.0 - (1.0 - old) * (1.0 - now.get(position, again[position]))
            for position, old in enumerate(earlier.probabilities)
        ]
    return Draw(chosen=tuple(sorted([*before, *chosen])), probabilities=tuple(probabilities))


def _chances(uncertainties: Sequence[float], n: int, uniform_share: float) -> list[float]:
    """So many times each case's share of the mixture; what would pass 1 is 1, and the rest share what is left."""
    size, total = len(uncertainties), sum(uncertainties)
    shares = [
        uniform_share / size + (1.0 - uniform_share) * (uncertainty / total if total > 0.0 else 1.0 / size)
        for uncertainty in uncertainties
    ]
    certain = set[int]()
    while True:
        free = sum(share for position, share in enumerate(shares) if position not in certain)
        factor = (n - len(certain)) / free if free > 0.0 else 0.0
        more = {
            position
            for position, share in enumerate(shares)
            if position not in certain and share * factor >= 1.0
        }
        if not more:
            return [1.0 if at in certain else share * factor for at, share in enumerate(shares)]
        certain |= more
