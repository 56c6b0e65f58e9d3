"""Records -> pages: one template environment, one format for numbers and times, nothing unescaped."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from adjudge import __version__
from adjudge.reports.format import (
    NOTHING_TO_SHOW,
    seen,
    show_count,
    show_duration,
    show_number,
    show_percent,
    whole,
)
from adjudge.server.keys import to_key
from adjudge.server.safe_markdown import render_markdown

FOLDER = Path(__file__).with_name("templates")


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """One step of the path to a page, or one entry of a menu."""

    text: str
    href: str


def page(request: Request, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A whole page, or with the header `X-Swap` the part that its script asked for: templates name it `part`."""
    template = environment().get_template(name)
    part = request.headers.get("x-swap", "")
    shown = {"request": request, "path": request.url.path, "version": __version__, "part": part, **values}
    return HTMLResponse(template.render(shown), status_code=status, headers={"vary": "x-swap"})


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        number=_number,
        score=lambda value: NOTHING_TO_SHOW if value is None else f"{whole(round(value, 4))}",
        percent=lambda share: NOTHING_TO_SHOW if share is None else show_percent(share),
        count=show_count,
        duration=show_duration,
        estimate=_estimate,
        rate=_rate,
        money=_money,
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
        pretty=lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    )
    return made


def query(values: Mapping[str, Any], **changed: Any) -> str:
    """`?a=1&b=2` of these values with some changed; what is None, empty or False is left out."""
    pairs = [
        (name, "1" if each is True else str(each))
        for name, value in {**values, **changed}.items()
        for each in (value if isinstance(value, list | tuple) else [value])
        if each not in (None, "", False)
    ]
    return f"?{urlencode(pairs, errors='replace')}" if pairs else "?"


def _number(value: float | None) -> str:
    return NOTHING_TO_SHOW if value is None else show_number(value)


def _estimate(figure: Mapping[str, Any] | None) -> str:
    """`3.42 [3.10, 3.74]`, from a report's JSON, in which an unbounded end is null."""
    if figure is None or "value" not in figure:
        return NOTHING_TO_SHOW
    low, high = ("∞" if figure[end] is None else show_number(figure[end]) for end in ("low", "high"))
    return f"{show_number(figure['value'])} [{'-' if figure['low'] is None else ''}{low}, {high}]"


def _rate(figure: Mapping[str, Any] | None) -> str:
    if figure is None or "value" not in figure:
        return NOTHING_TO_SHOW
    return f"{show_percent(figure['value'])} [{show_percent(figure['low'])}, {show_percent(figure['high'])}]"


def _money(cost: float | None, unknown: int = 0) -> str:
    if cost is None:
        return "unknown"
    known = "<$0.0001" if 0 < cost < 0.00005 else f"${cost:,.4f}"
    return f"{known} + {show_count(unknown)} unknown" if unknown else known


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
