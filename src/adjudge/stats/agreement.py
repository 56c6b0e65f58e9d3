"""Judge v. human, from tables of counts: accuracy, F1, MCC, kappa, alpha, Gwet's AC, correlations.

Every function takes one table, or any stack of them (the last two axes are judge x people), so that what is reported
and what is resampled are computed by the same lines. Where a figure has no value the array holds NaN; `bootstrap`
turns that into `Undefined` with a reason before it leaves this package.
"""

from collections.abc import Callable
from typing import Literal

from adjudge.stats.arrays import Array, need_numpy

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]
Metric = Callable[[Array], Array]
WHERE = "agreement with people"


def _divide(above: Array, below: Array) -> Array:
    """NaN where there is nothing to divide by, rather than a warning or an infinity."""
    np = need_numpy(WHERE)
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    result: Array = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=np.abs(below) > 1e-12)
    return result


def _diagonal(table: Array) -> Array:
    return need_numpy(WHERE).diagonal(table, axis1=-2, axis2=-1)


def accuracy(table: Array) -> Array:
    return _divide(_diagonal(table).sum(-1), table.sum((-2, -1)))


def within_one(table: Array) -> Array:
    """The share in which the two labels are the same, or next to each other in order."""
    np = need_numpy(WHERE)
    near = np.abs(np.subtract.outer(np.arange(table.shape[-1]), np.arange(table.shape[-1]))) <= 1
    return _divide((table * near).sum((-2, -1)), table.sum((-2, -1)))


def precision(table: Array, positive: int) -> Array:
    """Of what the judge called positive, the share that people did."""
    return _divide(table[..., positive, positive], table[..., positive, :].sum(-1))


def recall(table: Array, positive: int) -> Array:
    """Of what people called positive, the share that the judge did."""
    return _divide(table[..., positive, positive], table[..., :, positive].sum(-1))


def f1(table: Array, positive: int) -> Array:
    both = table[..., positive, :].sum(-1) + table[..., :, positive].sum(-1)
    return _divide(2.0 * table[..., positive, positive], both)


def macro_f1(table: Array) -> Array:
    """The mean F1 of the labels that either side used."""
    np = need_numpy(WHERE)
    both = table.sum(-1) + table.sum(-2)
    each = np.nan_to_num(_divide(2.0 * _diagonal(table), both))
    return _divide(each.sum(-1), (both > 0).sum(-1))


def mcc(table: Array) -> Array:
    """Matthews's correlation, for any number of labels (Gorodkin 2004)."""
    np = need_numpy(WHERE)
    judge, people, n = table.sum(-1), table.sum(-2), table.sum((-2, -1))
    above = _diagonal(table).sum(-1) * n - (judge * people).sum(-1)
    below = np.sqrt(np.maximum(0.0, (n**2 - (judge**2).sum(-1)) * (n**2 - (people**2).sum(-1))))
    return _divide(above, below)


def agreement_weights(labels: int, weights: Weights) -> Array:
    """1 where the labels agree, falling to 0 for the farthest two; by position, as kappa's weights are."""
    np = need_numpy(WHERE)
    apart = np.abs(np.subtract.outer(np.arange(labels), np.arange(labels))).astype(float)
    if weights == "none":
        return np.asarray(apart == 0, dtype=float)
    share = apart / max(1, labels - 1)
    return 1.0 - (share if weights == "linear" else share**2)


def cohen_kappa(table: Array, weights: Weights = "none") -> Array:
    credit = agreement_weights(table.shape[-1], weights)
    n = table.sum((-2, -1))
    seen = _divide((table * credit).sum((-2, -1)), n)
    chance = table.sum(-1)[..., :, None] * table.sum(-2)[..., None, :]
    expected = _divide((chance * credit).sum((-2, -1)), n**2)
    return _divide(seen - expected, 1.0 - expected)


def gwet(table: Array) -> Array:
    """AC1: chance agreement from how evenly the labels are used (Gwet 2008)."""
    labels = table.shape[-1]
    n = table.sum((-2, -1))
    seen = _divide(table.diagonal(axis1=-2, axis2=-1).sum(-1), n)
    use = _divide(table.sum(-1) + table.sum(-2), 2.0 * n[..., None])
    expected = (use * (1.0 - use)).sum(-1) / max(1, labels - 1)
    return _divide(seen - expected, 1.0 - expected)


def alpha(coincidences: Array, level: Level = "nominal", values: Array | None = None) -> Array:
    """Krippendorff's alpha from a coincidence table; `values` are the labels' numbers, for the interval level."""
    np = need_numpy(WHERE)
    use = coincidences.sum(-1)
    n = use.sum(-1)
    labels = coincidences.shape[-1]
    if level == "nominal":
        distance = 1.0 - np.eye(labels)
    elif level == "interval":
        numbers = np.arange(labels) if values is None else np.asarray(values, dtype=float)
        distance = np.subtract.outer(numbers, numbers) ** 2
    else:  # the squared count of values between the two, each end counting half
        middle = np.cumsum(use, axis=-1) - use / 2.0
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    seen = (coincidences * distance).sum((-2, -1))
    expected = (use[..., :, None] * use[..., None, :] * distance).sum((-2, -1))
    return 1.0 - _divide((n - 1.0) * seen, expected)


def pair_coincidences(table: Array) -> Array:
    """The coincidence table of two coders, from their table of counts."""
    swapped: Array = table.swapaxes(-2, -1)
    return table + swapped


def pearson(table: Array, judge: Array, people: Array) -> Array:
    """From a table of counts and the numbers that its rows and columns stand for."""
    rows, columns, n = table.sum(-1), table.sum(-2), table.sum((-2, -1))
    return _correlation(
        table,
        judge - _divide((rows * judge).sum(-1), n)[..., None],
        people - _divide((columns * people).sum(-1), n)[..., None],
    )


def spearman(table: Array) -> Array:
    """Pearson's correlation of mid-ranks; rows and columns are in rising order."""
    return _correlation(table, _middle_ranks(table.sum(-1)), _middle_ranks(table.sum(-2)))


def kendall(table: Array) -> Array:
    """Tau-b: ties on either side shorten the denominator."""
    np = need_numpy(WHERE)
    agree = (table * _beyond(table)).sum((-2, -1))
    against = (table[..., ::-1] * _beyond(table[..., ::-1])).sum((-2, -1))
    rows, columns, n = table.sum(-1), table.sum(-2), table.sum((-2, -1))
    untied = (n**2 - (rows**2).sum(-1)) * (n**2 - (columns**2).sum(-1))
    return _divide(2.0 * (agree - against), np.sqrt(np.maximum(0.0, untied)))


def mean_absolute_error(table: Array, judge: Array, people: Array) -> Array:
    np = need_numpy(WHERE)
    return _divide((table * np.abs(np.subtract.outer(judge, people))).sum((-2, -1)), table.sum((-2, -1)))


def _correlation(table: Array, rows: Array, columns: Array) -> Array:
    np = need_numpy(WHERE)
    shared = (table * rows[..., :, None] * columns[..., None, :]).sum((-2, -1))
    spread = (table.sum(-1) * rows**2).sum(-1) * (table.sum(-2) * columns**2).sum(-1)
    return np.clip(_divide(shared, np.sqrt(spread)), -1.0, 1.0)


def _middle_ranks(counts: Array) -> Array:
    """Centred mid-ranks, over n so that squares of 100,000 stay small."""
    ranks = counts.cumsum(-1) - counts / 2.0
    n = counts.sum(-1)[..., None]
    return _divide(ranks - n / 2.0, n)


def _beyond(table: Array) -> Array:
    """For each cell, the count of what lies further along both axes."""
    np = need_numpy(WHERE)
    total = table[..., ::-1, ::-1].cumsum(-1).cumsum(-2)[..., ::-1, ::-1]
    result: Array = np.zeros_like(total)
    result[..., :-1, :-1] = total[..., 1:, 1:]
    return result
