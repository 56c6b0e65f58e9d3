"""Agreement in numbers: accuracy, Cohen's kappa, correlations, and intervals that resample whole questions."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def accuracy(said: Vector, label: Vector) -> float:
    return float(np.mean((said > 0.5) == (label > 0.5)))


def balanced_accuracy(said: Vector, label: Vector) -> float:
    """The mean of the shares of right decisions among the ones and among the noughts; not a number without both."""
    yes, true = said > 0.5, label > 0.5
    return (
        float((yes[true].mean() + (~yes[~true]).mean()) / 2) if 0 < true.sum() < len(true) else float("nan")
    )


def kappa(said: Vector, label: Vector) -> float:
    """Agreement beyond what the two base rates give by chance; 1 when neither side ever varies and they agree."""
    yes, true = (said > 0.5).mean(), (label > 0.5).mean()
    chance = yes * true + (1 - yes) * (1 - true)
    return float((accuracy(said, label) - chance) / (1 - chance)) if chance < 1 else 1.0


def pearson(said: Vector, label: Vector) -> float:
    if said.std() == 0 or label.std() == 0:
        return float("nan")
    return float(np.corrcoef(said, label)[0, 1])


def spearman(said: Vector, label: Vector) -> float:
    return pearson(ranks(said), ranks(label))


def ranks(values: Vector) -> Vector:
    """Ties share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def interval(
    figure: Callable[[Vector, Vector], float],
    said: Vector,
    label: Vector,
    clusters: Sequence[str],
    *,
    seed: int,
    draws: int = 1000,
) -> tuple[float, float]:
    """The middle 95 % of the figure over resampled questions: rows of one question are one piece of evidence."""
    rng = np.random.default_rng(seed)
    _, owner = np.unique(np.array(clusters), return_inverse=True)
    members = [np.flatnonzero(owner == one) for one in range(owner.max() + 1)]
    drawn = []
    for _ in range(draws):
        rows = np.concatenate([members[one] for one in rng.integers(0, len(members), len(members))])
        drawn.append(figure(said[rows], label[rows]))
    known = [value for value in drawn if not np.isnan(value)]
    if not known:
        return float("nan"), float("nan")
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)
