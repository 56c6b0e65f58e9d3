"""A judge beside people, case by case: every measure of agreement with its cluster-bootstrap interval."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from adjudge.stats import agreement
from adjudge.stats.agreement import WHERE, Level, Metric, Weights
from adjudge.stats.arrays import Array, need_numpy
from adjudge.stats.bootstrap import RESAMPLES, Figure, resample
from adjudge.stats.intervals import Estimate, Undefined
from adjudge.stats.samples import number_clusters, sample_of_cells, sample_of_sums

Label = str | bool | int | float
MAX_LABELS = 64
"""With more different labels than this they are measurements, and only `correlate` has something to say."""
MIN_DIFFERENT = 5
MIN_WRONG = 10
MIN_OTHERS = 5
"""Below these, simulated intervals of some figures hold the truth less often than 90 % of the time."""
UNSEEN_ROWS, _NEAR = 3, 1
"""So many unseen rows where a squared distance or a rank counts, and where a plain distance does: what brings every such
figure of `benchmarks/coverage.py` to 93 to 97 % where 100 cases or 30 clusters agree in 60 to 90 %."""
_CLASSES = 32
_ONE_LABEL = "only one label was used, so agreement beyond chance is undefined"
_NOTHING = "no case has both a verdict and a label"


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    labels: tuple[Label, ...]
    confusion: tuple[tuple[int, ...], ...]
    """Counts, a row for each label of the judge and a column for each of the people, in the order of `labels`."""
    figures: Mapping[str, Estimate | Undefined]


def agree(
    judge: Sequence[Label],
    people: Sequence[Label],
    *,
    clusters: Sequence[Hashable] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    ordered: bool = False,
    weights: Sequence[float] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Agreement:
    """Accuracy, MCC, kappa, alpha and AC1 of matched labels; precision, recall and F1 of `positive`.

    `labels` gives the order, which matters when `ordered`: then weighted kappa and ordinal alpha are added.
    Without it the labels seen are sorted. Cases that lack either side are the caller's to count and leave out.
    `weights` are one over the chance with which each row was drawn, times anything; the confusion table has counts.
    """
    if len(judge) != len(people):
        raise ValueError(f"{len(judge)} verdicts cannot match {len(people)} labels")
    seen = {*judge, *people}
    order = tuple(labels) if labels is not None else sort_labels(seen)
    if not seen <= {*order}:
        raise ValueError(f"labels not listed: {sorted(map(str, seen - {*order}))}")
    names = _measures(order, positive, ordered=ordered)
    if not judge or len(order) > MAX_LABELS:
        why = f"{len(order)} different labels are measurements: correlate them" if judge else _NOTHING
        return Agreement(labels=order, confusion=(), figures={name: Undefined(why=why) for name in names})
    np = need_numpy(WHERE)
    size = max(2, len(order))  # one label alone leaves room for the other that was not seen
    place = {label: position for position, label in enumerate(order)}
    rows = np.array([place[label] for label in judge])
    columns = np.array([place[label] for label in people])
    of = number_clusters(clusters, len(judge))
    cells, mass = rows * size + columns, _on_mean_one(weights, len(judge))
    sample = sample_of_cells(cells, of, size * size, seed=seed, weights=mass)
    table = sample.total.reshape(size, size)
    figures = {name: _figure(name, metric, size) for name, metric in names.items()}
    found = resample(
        sample,
        figures,
        n=len(judge),
        seed=seed,
        resamples=resamples,
        effective=_effective(mass),
        unseen=_disagreement(table).ravel() / sample.clusters,
        warnings=_warnings(figures, rows, columns, rows != columns, of),
    )
    table = np.bincount(cells, minlength=size * size).reshape(size, size)
    counts = table[: len(order), : len(order)].tolist()
    return Agreement(labels=order, confusion=tuple(map(tuple, counts)), figures=found)


def correlate(
    judge: Sequence[float],
    people: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> dict[str, Estimate | Undefined]:
    """Pearson, Spearman, Kendall's tau-b and the mean absolute error of matched numbers.

    Ranks change with every resample. With few different numbers all four follow from a table of counts. With many,
    the rank correlations are computed from the numbers, and their intervals are those of the same figures over 32
    classes of about equal size on each side, moved to the value: a resample then costs one count of the rows. With
    `weights` (see `agree`) the value too is that of the classes.
    """
    if len(judge) != len(people):
        raise ValueError(f"{len(judge)} scores cannot match {len(people)} labels")
    if not judge:
        return dict.fromkeys(
            ("pearson", "spearman", "kendall", "mean_absolute_error"), Undefined(why=_NOTHING)
        )
    np = need_numpy(WHERE)
    x, y = np.asarray(judge, dtype=float), np.asarray(people, dtype=float)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a score is a finite number")
    of = number_clusters(clusters, len(x))
    (x_values, x_codes), (y_values, y_codes) = (np.unique(z, return_inverse=True) for z in (x, y))
    mass = _on_mean_one(weights, len(x))
    again = partial(resample, n=len(x), seed=seed, resamples=resamples, effective=_effective(mass))
    reach = float(max(x.max(), y.max()) - min(x.min(), y.min()))
    if max(len(x_values), len(y_values)) <= MAX_LABELS:
        shape = (len(x_values), len(y_values))
        sample = sample_of_cells(
            x_codes * shape[1] + y_codes, of, shape[0] * shape[1], seed=seed, weights=mass
        )
        by_table: dict[str, Metric] = {
            "pearson": partial(agreement.pearson, judge=x_values, people=y_values),
            "spearman": agreement.spearman,
            "kendall": agreement.kendall,
            "mean_absolute_error": partial(agreement.mean_absolute_error, judge=x_values, people=y_values),
        }
        figures = {
            name: _numeric(name, _on_table(metric, shape), reach, of_labels=True)
            for name, metric in by_table.items()
        }
        return again(sample, figures, warnings=_warnings(figures, x_codes, y_codes, x != y, of))
    # Centred, so that sums of squares lose nothing to a far-off mean.
    x_free, y_free = x - x.mean(), y - y.mean()
    sums = np.stack(
        [np.ones(len(x)), x_free, y_free, x_free**2, y_free**2, x_free * y_free, np.abs(x - y)], 1
    ) * (1.0 if mass is None else mass[:, None])
    found = again(
        sample_of_sums(sums, of, seed=seed),
        {
            "pearson": _numeric("pearson", _pearson_of_sums, reach, of_labels=False),
            "mean_absolute_error": _numeric("mean_absolute_error", _error_of_sums, reach, of_labels=False),
        },
    )
    x_class, y_class = _classes(x_codes), _classes(y_codes)
    shape = (int(x_class.max()) + 1, int(y_class.max()) + 1)
    ranked = again(
        sample_of_cells(x_class * shape[1] + y_class, of, shape[0] * shape[1], seed=seed, weights=mass),
        {
            "spearman": _numeric("spearman", _on_table(agreement.spearman, shape), reach, of_labels=False),
            "kendall": _numeric("kendall", _on_table(agreement.kendall, shape), reach, of_labels=False),
        },
    )
    if mass is not None:
        return {**found, **{name: _of_classes(estimate) for name, estimate in ranked.items()}}
    return {
        "pearson": found["pearson"],
        "spearman": _moved(ranked["spearman"], _exact_spearman(x_codes, y_codes)),
        "kendall": _moved(ranked["kendall"], _exact_kendall(x, y)),
        "mean_absolute_error": found["mean_absolute_error"],
    }


def _on_mean_one(weights: Sequence[float] | None, rows: int) -> Array | None:
    """Alpha corrects for how many values there are, so the weights have to add up to the rows."""
    if weights is None:
        return None
    if len(weights) != rows:
        raise ValueError(f"{len(weights)} weights cannot be those of {rows} rows")
    mass: Array = need_numpy(WHERE).asarray(weights, dtype=float)
    return mass * rows / mass.sum()


def _effective(mass: Array | None) -> float | None:
    """Kish's n: how many rows of equal weight would be as sure."""
    return None if mass is None else float(mass.sum() ** 2 / (mass**2).sum())


def _warnings(
    figures: Mapping[str, Figure], judge: Array, people: Array, differ: Array, of: Array
) -> dict[str, str]:
    """What speaks against an interval: too few clusters hold the rows that make the figure."""
    np = need_numpy(WHERE)
    moved = {name for name, figure in figures.items() if figure.unseen_rows}
    found: dict[str, str] = {}
    different = len(np.unique(of[differ]))
    if 0 < different < MIN_DIFFERENT:
        words = (
            f"judge and people differ in {different} clusters: intervals of correlations and weighted figures over "
            f"fewer than {MIN_DIFFERENT} of them are unreliable"
        )
        found |= dict.fromkeys(moved, words)
    if 0 < different < MIN_WRONG:
        words = (
            f"judge and people differ in {different} clusters: intervals of precision and recall over fewer than "
            f"{MIN_WRONG} of them are unreliable"
        )
        found |= dict.fromkeys(("precision", "recall"), words)
    others = min(len(np.unique(of[codes != np.bincount(codes).argmax()])) for codes in (judge, people))
    if others < MIN_OTHERS:
        words = (
            f"one side gave a label other than its usual one in {others} clusters: intervals of kappa, alpha and "
            f"correlations over fewer than {MIN_OTHERS} of them are unreliable"
        )
        found |= dict.fromkeys(moved | {"kappa", "alpha", "mcc"}, words)
    return found


def _measures(order: Sequence[Label], positive: Label | None, *, ordered: bool) -> dict[str, Metric]:
    names: dict[str, Metric] = {
        "accuracy": agreement.accuracy,
        "mcc": agreement.mcc,
        "kappa": agreement.cohen_kappa,
        "alpha": partial(_pair_alpha, level="nominal"),
        "ac1": agreement.gwet,
    }
    if positive is None:
        names["macro_f1"] = agreement.macro_f1
    elif positive not in order:
        nothing = need_numpy(WHERE)

        def absent(table: Array) -> Array:
            return nothing.full(table.shape[:-2], nothing.nan)

        names |= {"precision": absent, "recall": absent, "f1": absent}
    else:
        place = list(order).index(positive)
        for name, metric in (
            ("precision", agreement.precision),
            ("recall", agreement.recall),
            ("f1", agreement.f1),
        ):
            names[name] = partial(metric, positive=place)
    if ordered:
        weights: tuple[Weights, ...] = ("linear", "quadratic")
        for weight in weights:
            names[f"kappa_{weight}"] = partial(agreement.cohen_kappa, weights=weight)
        names["alpha_ordinal"] = partial(_pair_alpha, level="ordinal")
        if len(order) > 2:
            names["within_one_step"] = agreement.within_one
    return names


def _pair_alpha(table: Array, level: Level) -> Array:
    return agreement.alpha(agreement.pair_coincidences(table), level)


_WHY = {
    "precision": "the judge never gave the positive label",
    "recall": "people never gave the positive label",
    "f1": "neither side gave the positive label",
}


def _figure(name: str, metric: Metric, size: int) -> Figure:
    low = 0.0 if name in {"accuracy", "within_one_step", "macro_f1", *_WHY} else -1.0
    return Figure(
        of=_on_table(metric, (size, size)),
        low=low,
        high=1.0,
        why_undefined=_WHY.get(name, _ONE_LABEL),
        unseen_rows=_unseen_rows(name),
    )


def _unseen_rows(name: str) -> int:
    return (
        _NEAR if name.endswith("_linear") else UNSEEN_ROWS if name.endswith(("_quadratic", "_ordinal")) else 0
    )


def _numeric(name: str, metric: Metric, reach: float, *, of_labels: bool) -> Figure:
    if name == "mean_absolute_error":
        return Figure(of=metric, low=0.0, high=reach, why_undefined=_NOTHING)
    return Figure(
        of=metric,
        low=-1.0,
        high=1.0,
        why_undefined="one side gave every case the same number",
        unseen_rows=UNSEEN_ROWS if of_labels else 0,  # measurements that lie far apart are not few
    )


def _on_table(metric: Metric, shape: tuple[int, int]) -> Metric:
    def of(sums: Array) -> Array:
        return metric(sums.reshape(*sums.shape[:-1], *shape))

    return of


def _disagreement(table: Array) -> Array:
    """The same use of labels by the judge, with people giving each of the others as often."""
    np = need_numpy(WHERE)
    size = table.shape[-1]
    return table.sum(-1)[:, None] * (1.0 - np.eye(size)) / (size - 1)


def _pearson_of_sums(sums: Array) -> Array:
    np = need_numpy(WHERE)
    n, x, y, xx, yy, xy, _ = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(0.0, xx - x * x / n) * np.maximum(0.0, yy - y * y / n)
        limit = 1e-20 * np.maximum(xx * yy, 1e-300)
        return np.clip(np.where(spread > limit, (xy - x * y / n) / np.sqrt(spread), np.nan), -1.0, 1.0)


def _error_of_sums(sums: Array) -> Array:
    np = need_numpy(WHERE)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[..., 0] > 0, sums[..., 6] / sums[..., 0], np.nan)


def _classes(codes: Array) -> Array:
    """Rising codes in at most 32 classes of about equal size; equal values share one."""
    np = need_numpy(WHERE)
    counts = np.bincount(codes)
    middle = (np.cumsum(counts) - counts / 2.0) / len(codes)
    _, classes = np.unique(np.minimum(_CLASSES - 1, (middle * _CLASSES).astype(int)), return_inverse=True)
    return classes[codes]


def _exact_spearman(x_codes: Array, y_codes: Array) -> float:
    np = need_numpy(WHERE)
    ranks = []
    for codes in (x_codes, y_codes):
        counts = np.bincount(codes)
        ranks.append((np.cumsum(counts) - counts / 2.0)[codes])
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.corrcoef(*ranks)[0, 1])


def _exact_kendall(x: Array, y: Array) -> float:
    need_numpy(WHERE)
    from scipy.stats import kendalltau  # noqa: PLC0415 - an optional package

    return float(kendalltau(x, y).statistic)


def _of_classes(estimate: Estimate | Undefined) -> Estimate | Undefined:
    return _moved(estimate, estimate.value) if isinstance(estimate, Estimate) else estimate


def _moved(estimate: Estimate | Undefined, value: float) -> Estimate | Undefined:
    if isinstance(estimate, Undefined):
        return estimate
    by = value - estimate.value
    return Estimate(
        value=value,
        low=max(-1.0, min(value, estimate.low + by)),
        high=min(1.0, max(value, estimate.high + by)),
        n=estimate.n,
        method=f"{estimate.method}, ranks in {_CLASSES} classes",
        clusters=estimate.clusters,
        warning=estimate.warning,
    )


def sort_labels(labels: Collection[Label]) -> tuple[Label, ...]:
    """Numbers first, by size, then words."""

    def key(label: Label) -> tuple[bool, float, str]:
        return (True, 0.0, label) if isinstance(label, str) else (False, float(label), "")

    return tuple(sorted(labels, key=key))
