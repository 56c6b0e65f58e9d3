"""Records -> pages: one template environment, one format for numbers and times, nothing unescaped."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge import __version__
from adjudge.documents.html import gauge_svg, plot_svg, text_html
from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    show_count,
    show_duration,
    show_money,
    show_percent,
    whole,
)
from adjudge.records import is_jury, jury_title
from adjudge.runs.find_model import EMBEDDED
from adjudge.server.keys import to_key
from adjudge.server.safe_markdown import render_markdown
from adjudge.text import seen

FOLDER = Path(__file__).with_name("templates")


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """One step of the path to a page, or one entry of a menu."""

    text: str
    href: str


def page(request: Request, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A whole page. What its script swaps in, with the header `X-Swap`, may leave out what stands outside that part."""
    template = environment().get_template(name)
    context = {
        "request": request,
        "path": request.url.path,
        "version": __version__,
        "unknown_store": request.state.service.unknown,
        **values,
    }
    return HTMLResponse(template.render(context), status_code=status, headers={"vary": "x-swap"})


@cache
def environment() -> Environment:
    jinja = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters.update(
        block_type=lambda block: type(block).__name__,
        score=lambda value: NOTHING_TO_SHOW if value is None else f"{whole(round(value, 4))}",
        percent=lambda share: NOTHING_TO_SHOW if share is None else show_percent(share),
        count=show_count,
        duration=show_duration,
        money=lambda cost, unknown=0: show_money(None if cost is None else Decimal(str(cost)), unknown),
        time=_time,
        iso=lambda at: _moment(at).isoformat(timespec="seconds"),
        ago=_ago,
        markdown=render_markdown,
        plural=lambda count, word, words="": (
            f"{show_count(count)} {word if count == 1 else words or word + 's'}"
        ),
        query=query,
        key=to_key,
        seen=seen,
        text=text_html,
        gauge=gauge_svg,
        plot=plot_svg,
        pairs=query_pairs,
        pretty=lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    )
    jinja.globals["short"] = short_model
    return jinja


def query(values: Mapping[str, Any], **changed: Any) -> str:
    """`?a=1&b=2` of these values with some changed; what is None, empty or False is left out."""
    pairs = query_pairs({**values, **changed})
    return f"?{urlencode(pairs, errors='replace')}" if pairs else "?"


def query_pairs(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (name, "1" if each is True else str(each))
        for name, value in values.items()
        for each in (value if isinstance(value, list | tuple) else [value])
        if each not in (None, "", False)
    ]


def short_model(model: str | None) -> str | None:
    """`scripted:/long/way/to/replies.jsonl` as `scripted:…/replies.jsonl`, `embedded@87eb676eaccb` as `embedded`; of
    several each, and a jury by its rule: `jury:median`.
    """
    if model is not None and is_jury(model):
        return jury_title(model)
    if model is not None and ", " in model:
        return ", ".join(short_model(each) or "" for each in model.split(", "))
    if model is not None and model.startswith(f"{EMBEDDED}@"):
        return EMBEDDED
    if model is None or len(model) <= 26:
        return model
    provider, colon, name = model.partition(":")
    folder, slash, last = (name if colon else provider).replace("\\", "/").rpartition("/")
    return f"{provider + colon if colon else ''}…/{last}" if slash and folder and last else model


def _moment(at: datetime | float) -> datetime:
    return at if isinstance(at, datetime) else datetime.fromtimestamp(at, UTC)


def _time(at: datetime | float | None) -> str:
    """`2026-01-31 09:05 UTC`."""
    return NOTHING_TO_SHOW if at is None else f"{_moment(at).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _ago(at: datetime | float) -> str:
    seconds = max(0.0, (datetime.now(UTC) - _moment(at)).total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "just now"
