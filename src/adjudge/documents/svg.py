"""Plots as SVG that fits a page's policy: no style, no script, colours by class, other people's names as text."""

from collections.abc import Iterator
from math import floor, isfinite, log10
from xml.sax.saxutils import escape, quoteattr

from adjudge.documents.document import Gauge, Histogram, Intervals, Plot
from adjudge.text import one_line

WIDTH = 560
_NAME = 150
"""Room for the names of rows."""
_ROW = 26
_TALLEST = 90


def draw(plot: Plot) -> str:
    match plot.figure:
        case Histogram():
            height, parts = _TALLEST + 40, list(_histogram(plot.figure))
        case Intervals():
            height = _row_height(plot.figure) * len(plot.figure.rows) + (46 if plot.figure.zero_label else 30)
            parts = list(_intervals(plot.figure))
    return _svg(WIDTH, height, plot.caption, parts)


def draw_gauge(gauge: Gauge, width: int = WIDTH, height: int = 24) -> str:
    """A bar from the scale's bottom to the value, the interval upon it, and a mark where a gate wants it."""
    middle, share = height / 2, gauge.share or 0.0
    parts = [
        _rect(0, middle - 4, width, 8, "track", rounded=4),
        _rect(0, middle - 4, width * share, 8, "mark", rounded=4),
    ]
    if gauge.low is not None and gauge.high is not None:
        parts += _whisker(width * gauge.low, width * gauge.high, middle)
    if gauge.needed is not None:
        x = width * gauge.needed
        parts.append(_line(x, middle - 10, x, middle + 10, "needed"))
    words = ", ".join(part for part in (gauge.value, gauge.interval, gauge.counts) if part)
    return _svg(width, height, words, parts)


def _histogram(figure: Histogram) -> Iterator[str]:
    most = max(figure.counts.values(), default=0) or 1
    step = WIDTH / max(len(figure.counts), 1)
    for number, (name, count) in enumerate(figure.counts.items()):
        x, height = number * step, _TALLEST * count / most
        yield _rect(x + 1, 16 + _TALLEST - height, max(step - 2, 1), height, "mark", rounded=2)
        yield _label(x + step / 2, 12 + _TALLEST - height, f"{count:,}", "middle")
        yield _label(x + step / 2, _TALLEST + 32, one_line(name, max(int(step / 7), 3)), "middle")


def _intervals(figure: Intervals) -> Iterator[str]:
    ends = [end for row in figure.rows for end in (row.low, row.high, *(row.outer or ())) if isfinite(end)]
    low, high = figure.axis or (min(ends, default=0.0), max(ends, default=1.0))
    if figure.zero is not None and figure.axis is None:
        low, high = min(low, figure.zero), max(high, figure.zero)
    span = (high - low) or 1.0
    left, height = _NAME if any(row.name for row in figure.rows) else 12, _row_height(figure)

    def at(value: float) -> float:
        return left + (WIDTH - left - 12) * (min(max(value, low), high) - low) / span

    bottom = height * len(figure.rows) + 4
    if figure.zero is not None:
        yield _line(at(figure.zero), 0, at(figure.zero), bottom, "zero")
        yield _label(at(figure.zero), bottom + 34, figure.zero_label, "middle") if figure.zero_label else ""
    for number, row in enumerate(figure.rows):
        middle = height * (number + 1) - _ROW / 2
        yield _label(left - 10, middle + 4, one_line(row.name, 14), "end") if row.name else ""
        yield _label(at(row.value), middle - 10, row.label, "middle") if row.label else ""
        if row.outer is not None:
            yield _rect(
                at(row.outer[0]), middle - 5, at(row.outer[1]) - at(row.outer[0]), 10, "soft", rounded=2
            )
        yield from _whisker(at(row.low), at(row.high), middle)
        yield f'<circle cx="{at(row.value):.1f}" cy="{middle:.1f}" r="4" class="mark"/>'
    yield _line(left, bottom, WIDTH - 12, bottom, "axis")
    for tick in _ticks(low, high):
        yield _line(at(tick), bottom, at(tick), bottom + 4, "axis")
        yield _label(at(tick), bottom + 18, f"{tick:g}".replace("-", "−"), "middle")


def _row_height(figure: Intervals) -> int:
    return _ROW + 14 if any(row.label for row in figure.rows) else _ROW


def _ticks(low: float, high: float) -> Iterator[float]:
    """About five round numbers."""
    if high <= low:
        yield low
        return
    rough = (high - low) / 6
    power = 10 ** floor(log10(rough))
    step = next((factor * power for factor in (1, 2, 5) if factor * power >= rough), 10 * power)
    count = int((high - low) / step) + 2
    first = -(-low // step)
    for number in range(count):
        tick = (first + number) * step
        if tick <= high + step * 1e-9:
            yield round(tick, 12)


def _svg(width: float, height: float, words: str, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f"aria-label={quoteattr(words)}>{''.join(parts)}</svg>"
    )


def _whisker(low: float, high: float, middle: float) -> list[str]:
    return [
        _line(low, middle, high, middle, "whisker"),
        *(_line(end, middle - 6, end, middle + 6, "whisker") for end in (low, high)),
    ]


def _rect(x: float, y: float, width: float, height: float, name: str, *, rounded: int) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" rx="{rounded}" class="{name}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, name: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{name}"/>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
