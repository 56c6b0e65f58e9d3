"""A better pass threshold, if there is one: chosen on one half of the labelled cases and tested on the other."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from adjudge.records import Scale
from adjudge.stats.intervals import Undefined
from adjudge.stats.paired import Comparison, compare

MIN_CASES = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """What another threshold did on cases that had no part in choosing it."""

    current: float
    proposed: float
    """A score at or above it passes."""
    chosen_on: int
    tested_on: int
    gain: Comparison
    """In the share of cases where the judge agrees with people: proposed less current."""

    @property
    def better(self) -> bool:
        return self.gain.difference.low > 0.0


def try_threshold(
    scores: Sequence[float],
    passed: Sequence[bool],
    current: float,
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> Trial | Undefined:
    """`passed` is what people said. Clusters are kept whole, so that no question is on both sides."""
    keys = list(clusters) if clusters is not None else list(range(len(scores)))
    if not len(scores) == len(passed) == len(keys):
        raise ValueError("scores, labels and clusters must have the same length")
    if len(scores) < MIN_CASES:
        return Undefined(why=f"{len(scores)} labelled cases cannot be split: {MIN_CASES} are needed")
    groups = sorted(set(keys), key=str)
    Random(seed).shuffle(groups)  # noqa: S311 - a seeded split, not a secret
    first = set(groups[: len(groups) // 2])
    rows = list(zip(keys, scores, passed, strict=True))
    half = [(score, label) for key, score, label in rows if key in first]
    if len({label for _, label in half}) < 2:
        return Undefined(why="people gave only one of the two labels in the half to choose on")
    proposed = best_threshold(half, current)
    if proposed == current:
        return Undefined(why="no other threshold agreed with more labels in the half to choose on")
    other = [(key, score, label) for key, score, label in rows if key not in first]
    gain = compare(
        [
            (key, float((score >= proposed) == label) - float((score >= current) == label))
            for key, score, label in other
        ],
        Scale(low=0.0, high=1.0),
        seed=seed,
    )
    if gain is None:
        return Undefined(why="all labelled cases are of one cluster")
    return Trial(current=current, proposed=proposed, chosen_on=len(half), tested_on=len(other), gain=gain)


def best_threshold(labelled: Sequence[tuple[float, bool]], current: float) -> float:
    """The threshold that agrees with most labels; of equals, the nearest to the current one, which itself wins ties."""
    values = sorted({score for score, _ in labelled})
    middles = [(low + high) / 2.0 for low, high in pairwise(values)]
    ordered = sorted(labelled)
    agreed = sum(label for _, label in ordered)  # below every score, all pass
    counts, position = dict[float, int](), 0
    for middle in middles:
        while position < len(ordered) and ordered[position][0] < middle:
            agreed += -1 if ordered[position][1] else 1
            position += 1
        counts[middle] = agreed
    counts[current] = sum((score >= current) == label for score, label in labelled)
    return max(counts, key=lambda threshold: (counts[threshold], -abs(threshold - current)))
