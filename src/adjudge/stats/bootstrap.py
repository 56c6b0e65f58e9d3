"""Cluster bootstrap: BCa intervals for any figure that a few sums per cluster determine."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, sqrt
from statistics import NormalDist

from adjudge.stats.agreement import Metric
from adjudge.stats.arrays import Array, need_numpy
from adjudge.stats.clusters import warn_of_few
from adjudge.stats.intervals import CONFIDENCE, Estimate, Undefined
from adjudge.stats.samples import Sample
from adjudge.stats.student import t_quantile

RESAMPLES = 2_000
_MIN_EFFECTIVE = 30
_WHERE = "bootstrap intervals"
_MAX_UNDEFINED = 0.1
_NORMAL = NormalDist()


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """What is computed from the sums, what bounds it, and why it may have no value."""

    of: Metric
    """Sums (..., s) -> figures (...), NaN where there is none."""
    low: float
    high: float
    why_undefined: str
    unseen_rows: int = 0
    """The interval allows for so many more rows on which the two sides agree by chance, where this figure is 0."""


def resample(
    sample: Sample,
    figures: Mapping[str, Figure],
    *,
    n: int,
    seed: int,
    resamples: int = RESAMPLES,
    effective: float | None = None,
    unseen: Array | None = None,
    warnings: Mapping[str, str] | None = None,
) -> dict[str, Estimate | Undefined]:
    """Each figure with its interval; all figures share the resamples.

    `effective` is how many rows of equal weight would say as much, where weights differ.
    `unseen` are the sums of a cluster unlike all those seen, for when every resample says the same: as in
    `intervals.mean_interval`, so many such clusters may exist, and the bound is the figure with them among the rest.
    `warnings` are what the caller knows to speak against a figure's interval, where nothing here does.
    """
    np = need_numpy(_WHERE)
    clusters, total = sample.clusters, sample.total
    rows = n if effective is None else effective
    drawn = sample.draw(resamples, seed) if clusters > 1 else np.empty((0, len(total)))
    found: dict[str, Estimate | Undefined] = {}
    # One way of saying it for all figures of a table, since people read it once.
    most = max((figure.unseen_rows for figure in figures.values()), default=0)
    aside = f"; correlations and weighted figures allow for up to {most} unseen rows" if most else ""
    for name, figure in figures.items():
        value = float(figure.of(total))
        if isnan(value):
            found[name] = Undefined(why=figure.why_undefined)
            continue
        again = figure.of(drawn)
        defined = again[~np.isnan(again)]
        warning = warn_of_few(clusters)
        if warning is None and len(defined) < (1.0 - _MAX_UNDEFINED) * resamples:
            warning = f"{100 * (1 - len(defined) / resamples):.0f} % of the resamples had no defined value"
        if warning is None and effective is not None:
            warning = warn_of_weights(n, effective)
        if warning is None and warnings is not None:
            warning = warnings.get(name)
        if clusters == 1:
            low, high, method = figure.low, figure.high, "the whole range (one cluster)"
        elif not len(defined) or np.ptp(defined) <= 1e-12:
            low, high, method = _bound(figure, value, total, clusters, unseen)
        else:
            low, high = _bca(value, defined, sample, figure)
            low, high = _allow_for_unseen(value, low, high, figure.unseen_rows / (rows + figure.unseen_rows))
            groups = f" of {sample.units:,} groups" if sample.units < clusters else ""
            method = f"cluster bootstrap (BCa, {resamples:,} resamples{groups}, seed {seed}{aside})"
        found[name] = Estimate(
            value=value,
            low=min(value, max(figure.low, low)),
            high=max(value, min(figure.high, high)),
            n=n,
            method=method,
            clusters=clusters,
            warning=warning,
        )
    return found


def warn_of_weights(n: int, effective: float) -> str | None:
    """Where a few rows carry most of the weight, what they happen to be decides the interval."""
    if effective >= max(_MIN_EFFECTIVE, n / 3.0):
        return None
    return (
        f"weights differ so much that {n} labels count for no more than {effective:.0f} of equal weight: the interval is "
        "unreliable"
    )


def _bca(value: float, drawn: Array, sample: Sample, figure: Figure) -> tuple[float, float]:
    """Bias-corrected and accelerated (Efron 1987), at the levels that t instead of z asks for with few clusters."""
    np = need_numpy(_WHERE)
    tiny = 1e-12 * max(1.0, abs(value))
    below = (np.count_nonzero(drawn < value - tiny) + np.count_nonzero(drawn <= value + tiny)) / 2.0
    bias = _NORMAL.inv_cdf(min(max(below / len(drawn), 1e-6), 1.0 - 1e-6))
    without = [(figure.of(sample.total - sums), counts) for sums, counts in sample.parts()]
    skipped = np.concatenate([values for values, _ in without])
    counts = np.concatenate([counts for _, counts in without])
    usable = ~np.isnan(skipped)
    counts, skipped = counts[usable], skipped[usable]
    away = (counts @ skipped) / counts.sum() - skipped if len(skipped) else skipped
    spread = float(counts @ away**2)
    lean = float(counts @ away**3) / (6.0 * spread**1.5) if spread > 0.0 else 0.0
    units = sample.units
    # Hesterberg 2015: percentiles of the bootstrap are as narrow as z with the variance over n instead of n - 1.
    wide = sqrt(units / (units - 1.0)) * t_quantile(0.5 + CONFIDENCE / 2.0, units - 1)
    levels = []
    for step in (bias - wide, bias + wide):
        room = 1.0 - lean * step
        levels.append(_NORMAL.cdf(bias + step / room) if room > 0.0 else float(step > 0.0))
    low, high = np.quantile(drawn, sorted(levels))
    return float(low), float(high)


def _allow_for_unseen(value: float, low: float, high: float, share: float) -> tuple[float, float]:
    """Move the end nearer to 0 by what such a share of rows, on which the sides agree by chance, would do.

    Where a distance counts, a few far disagreements make most of the variance, and a sample that happens to hold few of
    them looks both better and surer than it is. No resample can show what the sample does not hold.
    """
    return (low - value * share, high) if value > 0.0 else (low, high - value * share)


def _bound(
    figure: Figure, value: float, total: Array, clusters: int, unseen: Array | None
) -> tuple[float, float, str]:
    others = 1.0 - (0.5 - CONFIDENCE / 2.0) ** (1.0 / clusters)
    # Away from its ends a figure that no resample moves says nothing: kappa is 0 whenever one side gave one label.
    if unseen is not None and min(value - figure.low, figure.high - value) <= 1e-9:
        mixed = float(figure.of((1.0 - others) * total + others * clusters * unseen))
        if not isnan(mixed) and mixed != value:
            return min(mixed, value), max(mixed, value), "bound on unseen clusters (all resamples equal)"
    return figure.low, figure.high, "the whole range (all resamples equal)"
