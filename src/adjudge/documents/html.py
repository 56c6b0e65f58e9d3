"""A document as one HTML file that opens offline: no script, nothing fetched, other people's text escaped everywhere."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from adjudge.documents.document import Document, Gauge, Plot, Quote, Text, plain, spans
from adjudge.documents.svg import draw, draw_gauge
from adjudge.text import seen, shorten, visible

MAX_CHARS = 600
"""Characters of a case's text; the store has the rest."""


def render_html(document: Document) -> str:
    style = _part("document.css")
    return _template().render(
        document=document,
        title=visible(plain(document.title)),
        style=Markup(style),  # noqa: S704 - a file of ours; its hash is what the page's policy lets through
        style_hash=f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}",
        main=[block for block in document.blocks if not block.detail],
        details=[block for block in document.blocks if block.detail],
    )


def text_html(text: Text) -> Markup:
    """Our words as they are, other people's marked as such, commands as code."""
    return Markup("").join(
        escape(span)
        if isinstance(span, str)
        else Markup("<q>{}</q>").format(visible(span.text))
        if isinstance(span, Quote)
        else Markup("<code>{}</code>").format(visible(span.text))
        for span in spans(text)
    )


def excerpt(text: str) -> str:
    """A case's text on a page: its lines stay, what does not show becomes visible."""
    return seen(shorten(text, MAX_CHARS))


def plot_svg(plot: Plot) -> Markup:
    return Markup(draw(plot))  # noqa: S704 - made of numbers and escaped names


def gauge_svg(gauge: Gauge) -> Markup:
    return Markup(draw_gauge(gauge))  # noqa: S704 - likewise


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        text=text_html, excerpt=excerpt, plot=plot_svg, gauge=gauge_svg, visible=visible, plain=plain
    )
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment.from_string(_part("document.html.jinja"))


def _part(name: str) -> str:
    return (files("adjudge.documents") / "page" / name).read_text(encoding="utf-8")
