"""How differences, p values and counts are written wherever two runs are compared."""

from collections.abc import Iterable
from math import isfinite

from adjudge.documents.numbers import counted, show_count
from adjudge.stats.intervals import Estimate
from adjudge.stats.paired import Comparison


def show_difference(value: float) -> str:
    """A signed difference with three decimals."""
    if not isfinite(value):
        return "+∞" if value > 0 else "-∞"
    text = f"{value:+.3f}"
    return "0.000" if text in {"-0.000", "+0.000"} else text


def show_interval(estimate: Estimate) -> str:
    """`+0.070 [+0.021, +0.119]`."""
    return f"{show_difference(estimate.value)} [{show_difference(estimate.low)}, {show_difference(estimate.high)}]"


def show_p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def in_clusters(cases: int, clusters: int | None) -> str:
    return counted(cases, "case") + ("" if clusters is None else f" in {counted(clusters, 'cluster')}")


def show_result(comparison: Comparison) -> str:
    return f"{show_interval(comparison.difference)}, {show_p(comparison.p)}"


def show_counts(counts: Iterable[tuple[int, str]]) -> str:
    return ", ".join(f"{show_count(count)} {words}" for count, words in counts if count)
