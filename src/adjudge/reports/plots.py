"""Plots of a report, drawn by matplotlib, as SVG that stands in the page: its colours are classes of the page's style."""

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, nullcontext
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from adjudge.documents.numbers import show_count, show_mean
from adjudge.errors import MissingExtraError
from adjudge.records import Scale
from adjudge.reports.sample import Bounds
from adjudge.reports.slices import SliceColumn
from adjudge.reports.summary import Summary
from adjudge.stats.intervals import Estimate
from adjudge.text import shorten, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXTRA = "html"
_WIDTH = 5.0  # inches, 360 units of the SVG: as wide as a telephone, so that letters keep their size there
_LONGEST_LABEL = 24
_INK, _MARK, _SOFT = "#000001", "#000002", "#000003"
"""Not colours to be seen: each becomes a class, for the page to colour in light and dark."""
_CLASSES = {"#000000": "ink", _INK: "ink", _MARK: "mark", _SOFT: "soft"}
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "adjudge",  # the same figures make the same file
    "text.parse_math": False,  # a dollar sign in somebody's data is a dollar sign
    "font.family": "sans-serif",
    "font.size": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_SVG = "http://www.w3.org/2000/svg"
_REFERENCE = re.compile(r"#([\w.-]+)")


def need_plots() -> None:
    """Import matplotlib, or raise MissingExtraError.

    While it is imported it reads `matplotlibrc` in the current folder: somebody else's file may not break our page or
    name code for it to load, so the folder is left for that moment, for one with no Python files.
    """
    with chdir(Path(__file__).parent / "page") if Path("matplotlibrc").exists() else nullcontext():
        try:
            import matplotlib as mpl  # noqa: F401, PLC0415 - an optional package
        except ImportError:
            raise MissingExtraError("plots", EXTRA) from None


def plot_mean(summary: Summary, name: str) -> str | None:
    """The mean on its scale, with its interval and with what the rows that were not judged could have made of it."""
    mean, scale, bounds = summary.mean, summary.scale, summary.bounds
    if mean is None or scale is None or not _is_finite(mean):
        return None

    def draw(axes: "Axes") -> None:
        if bounds is not None and summary.not_judged:
            axes.barh([0], [bounds.high - bounds.low], left=[bounds.low], height=0.9, color=_SOFT)
        axes.plot([mean.low, mean.high], [0, 0], color=_MARK, linewidth=5, solid_capstyle="butt")
        axes.plot([mean.value], [0], "o", color=_INK, markersize=8)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_ylim(-1, 1)
        _on_scale(axes, scale)

    said = f"Mean {show_mean(mean)} on a scale of {scale.low:g} to {scale.high:g}"
    return _svg(draw, height=0.75, said=said + _rest(bounds, summary.not_judged), name=name)


def plot_distribution(counts: Mapping[str, int], name: str) -> str:
    def draw(axes: "Axes") -> None:
        bars = axes.barh(range(len(counts)), list(counts.values()), color=_MARK, height=0.7)
        axes.bar_label(bars, labels=[show_count(count) for count in counts.values()], padding=3)
        axes.set_yticks(range(len(counts)), labels=list(counts))
        axes.tick_params(axis="y", length=0)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.set_xlim(0, max(counts.values()) * 1.15)

    said = "Rows by score: " + ", ".join(f"{score}: {show_count(count)}" for score, count in counts.items())
    return _svg(draw, height=0.3 + 0.3 * len(counts), said=said, name=name)


def plot_slices(column: SliceColumn, summary: Summary, name: str) -> str | None:
    """Each slice's mean with its interval, beside the mean of all."""
    shown = [(part.value, part.mean) for part in column.slices if part.mean and _is_finite(part.mean)]
    if not shown:
        return None
    labels = [shorten(visible(value), _LONGEST_LABEL) for value, _ in shown]
    means = [mean for _, mean in shown]

    def draw(axes: "Axes") -> None:
        places = range(len(means) - 1, -1, -1)  # the first on top
        for place, mean in zip(places, means, strict=True):
            axes.plot([mean.low, mean.high], [place, place], color=_MARK, linewidth=4, solid_capstyle="butt")
        axes.plot([mean.value for mean in means], places, "o", color=_INK, markersize=6)
        if summary.mean is not None:
            axes.axvline(summary.mean.value, color=_INK, linewidth=1, linestyle="--")
        axes.set_yticks(places, labels=labels)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-0.6, len(means) - 0.4)
        axes.set_xlim(*_window(means, summary.scale))

    said = f"Mean of each slice by {visible(column.column)}, with its interval; the dashed line is the mean of all rows"
    return _svg(draw, height=0.5 + 0.3 * len(means), said=said, name=name)


def _on_scale(axes: "Axes", scale: Scale) -> None:
    margin = (scale.high - scale.low) * 0.02
    axes.set_xlim(scale.low - margin, scale.high + margin)


def _window(means: Sequence[Estimate], scale: Scale | None) -> tuple[float, float]:
    """The part of the scale that the intervals take up, no less than a fifth of it, and a little more."""
    low, high = min(mean.low for mean in means), max(mean.high for mean in means)
    least = (scale.high - scale.low) / 5 if scale else 0.0
    margin = max((high - low) * 0.08, (least - (high - low)) / 2, 1e-6)
    return low - margin, high + margin


def _is_finite(estimate: Estimate) -> bool:
    return isfinite(estimate.low) and isfinite(estimate.high)


def _rest(bounds: Bounds | None, not_judged: int) -> str:
    if bounds is None or not not_judged:
        return ""
    return (
        f"; {bounds.low:.2f} to {bounds.high:.2f} if the rows that were not judged had been lowest or highest"
    )


# ---- matplotlib's file -> a part of the page ----


def _svg(draw: Callable[["Axes"], None], *, height: float, said: str, name: str) -> str:
    """`name` is unique in the page: what the drawing refers to inside itself is called after it."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow, and an optional package

    written = io.BytesIO()
    with _drawing():
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        draw(figure.add_subplot())
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(written, format="svg", transparent=True, metadata=nothing)
    root = ET.fromstring(written.getvalue())  # noqa: S314 - written by the line above
    return _for_the_page(root, said, name)


@contextmanager
def _drawing() -> Iterator[None]:
    """Our settings; what it has to say about fonts it lacks and caches it builds is of no use to anybody here."""
    import matplotlib as mpl  # noqa: PLC0415 - an optional package

    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with mpl.rc_context(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mpl.rcdefaults()  # whatever style the person likes elsewhere
            mpl.rcParams.update(_SETTINGS)
            yield
    finally:
        logger.setLevel(level)


def _for_the_page(root: ET.Element, said: str, name: str) -> str:
    """No style of its own, which the page's policy forbids, no size, and no name that another plot also has."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in {f"{{{_SVG}}}style", f"{{{_SVG}}}metadata"}:
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        attributes = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
        classes = _style_to_attributes(attributes)
        if element.tag in {"path", "clipPath"} and "id" in attributes:
            attributes["id"] = f"{name}-{attributes['id']}"
        elif "id" in attributes:
            del attributes["id"]
        for key in ("href", "clip-path"):
            if key in attributes:
                attributes[key] = _REFERENCE.sub(rf"#{name}-\1", attributes[key])
        if classes:
            attributes["class"] = " ".join(classes)
        element.attrib.clear()
        element.attrib.update(attributes)
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib.update({"role": "img", "aria-label": said})
    return ET.tostring(root, encoding="unicode")


def _style_to_attributes(attributes: dict[str, str]) -> Sequence[str]:
    """The style's parts become attributes of their own, our three colours the classes returned."""
    classes = []
    for part in attributes.pop("style", "").split(";"):
        key, _, value = (word.strip() for word in part.partition(":"))
        if key in {"fill", "stroke"} and value in _CLASSES:
            classes.append(f"{key}-{_CLASSES[value]}")
        elif key and not key.startswith("font"):
            attributes[key] = value
    return classes
