"""Which of the rows are judged: the first so many, or a sample that a seed repeats."""

import random
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def select_rows(
    rows: Iterable[T], *, first: int | None = None, sample: int | None = None, seed: int = 0
) -> Iterator[T]:
    if sample is not None:
        return iter(sample_rows(rows, sample, seed))
    return iter(rows) if first is None else islice(rows, first)


def sample_rows(rows: Iterable[T], count: int, seed: int) -> list[T]:
    """A uniform sample in file order. Reservoir sampling: reads all rows, keeps `count` of them."""
    chance = random.Random(seed)  # noqa: S311 - a sample to be repeated, not a secret
    kept: list[tuple[int, T]] = []
    for position, row in enumerate(rows):
        if position < count:
            kept.append((position, row))
        elif (slot := chance.randint(0, position)) < count:
            kept[slot] = (position, row)
    return [row for _, row in sorted(kept, key=lambda pair: pair[0])]
