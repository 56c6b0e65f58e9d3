"""A judge's headline: how good, how sure."""

from math import isfinite

from adjudge.analysis.summary.figures import Summary
from adjudge.analysis.summary.pairs import PairFigures
from adjudge.documents.document import (
    Gauge,
    Quote,
    Text,
)
from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    show_count,
    show_number,
    show_percent,
    show_percent_range,
)
from adjudge.records import Scale
from adjudge.stats.intervals import CONFIDENCE
from adjudge.text import visible


def judge_name(summary: Summary) -> Text:
    return Quote(summary.title)


def is_pass_or_fail(summary: Summary) -> bool:
    """Whether the pass rate says all: a scale of 0 and 1, or none."""
    return summary.pass_rate is not None and summary.scale in {None, Scale(low=0, high=1)}


def gauge(summary: Summary) -> Gauge:
    """A judge's headline: the win rate of a pair, the pass rate where the scale is 0 to 1, else the mean."""
    figure = summary.pass_rate if is_pass_or_fail(summary) and summary.pairs is None else summary.mean
    if figure is None and summary.outcomes.get("judged"):
        return _unscored_gauge(summary)
    if figure is None:
        counts = f"none of {show_count(summary.asked)} scored" if summary.asked else "nothing was asked"
        return Gauge(kind="headline", label=judge_name(summary), value=NOTHING_TO_SHOW, interval="", counts=counts, share=None, tone="bad" if summary.asked else "plain")  # fmt: skip
    level = f"({show_percent(CONFIDENCE, 0)})"
    if summary.pairs is not None:
        value, interval = show_percent(figure.value), f"{show_percent_range(figure.low, figure.high)} {level}"
        counts = f"A wins {show_count(_won(summary.pairs))} of {show_count(figure.n)}, ties count half"
        return Gauge(kind="headline", label=judge_name(summary), value=value, interval=interval, counts=counts, share=figure.value, low=figure.low, high=figure.high)  # fmt: skip
    passed = f"{show_count(summary.passed or 0)} of {show_count(figure.n)} passed"
    if is_pass_or_fail(summary):
        value = show_percent(figure.value)
        interval = f"{show_percent_range(figure.low, figure.high)} {level}"
        share, low, high = figure.value, figure.low, figure.high
        return Gauge(kind="headline", label=judge_name(summary), value=value, interval=interval, counts=passed, share=share, low=low, high=high)  # fmt: skip
    interval = f"{show_number(figure.low)}–{show_number(figure.high)} {level}"
    scale, rate = summary.scale, summary.pass_rate
    parts = [
        f"of {scale.low:g}–{scale.high:g}" if scale else "",
        f"{show_count(figure.n)} scored" if rate is None else f"{show_percent(rate.value, 0)} pass",
    ]
    at = [_on_scale(each, scale) for each in (figure.value, figure.low, figure.high)]
    return Gauge(kind="headline", label=judge_name(summary), value=show_number(figure.value), interval=interval, counts=", ".join(filter(None, parts)), share=at[0], low=at[1], high=at[2])  # fmt: skip


def _unscored_gauge(summary: Summary) -> Gauge:
    """Of a judge without a score: the most frequent of its first labels."""
    shares = next((each for each in summary.fields if each.labels), None)
    if shares is None:
        counts = f"{show_count(summary.judged)} of {show_count(summary.asked)} judged, no score"
        return Gauge(kind="headline", label=judge_name(summary), value=NOTHING_TO_SHOW, interval="", counts=counts, share=None)  # fmt: skip
    most = max(shares.labels, key=lambda each: each.share.value)
    share = most.share
    given = f"{show_count(round(share.value * share.n))} of {show_count(share.n)}"
    interval = f"{show_percent_range(share.low, share.high)} ({show_percent(CONFIDENCE, 0)})"
    counts = f"{visible(f'{shares.name} {most.label}')}: {given}, no score"
    return Gauge(kind="headline", label=judge_name(summary), value=show_percent(share.value), interval=interval, counts=counts, share=share.value, low=share.low, high=share.high)  # fmt: skip


def _won(pairs: PairFigures) -> int:
    return pairs.wins + pairs.wins_by_rule


def _on_scale(value: float, scale: Scale | None) -> float | None:
    if scale is None or scale.high <= scale.low or not isfinite(value):
        return None
    return min(max((value - scale.low) / (scale.high - scale.low), 0.0), 1.0)
