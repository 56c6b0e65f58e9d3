"""One format for numbers, times, money and other people's text, whatever the writer."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from math import inf, isfinite

from adjudge.records import Json
from adjudge.stats.intervals import Estimate

NOTHING_TO_SHOW = "—"
_DEEPEST = 100  # JSON writers give up somewhere above 200 levels

# ---- numbers ---------------------------------------------------------------------------------------------


def show_number(value: float) -> str:
    """A score with two decimals."""
    if value in (inf, -inf):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text


def show_percent(share: float) -> str:
    return f"{share * 100:.1f}%"


def show_count(count: int) -> str:
    return f"{count:,}"


def show_mean(estimate: Estimate | None) -> str:
    """`3.42 [3.10, 3.74]`."""
    if estimate is None:
        return NOTHING_TO_SHOW
    return f"{show_number(estimate.value)} [{show_number(estimate.low)}, {show_number(estimate.high)}]"


def show_rate(estimate: Estimate | None) -> str:
    """`85.0% [70.1%, 93.2%]`."""
    if estimate is None:
        return NOTHING_TO_SHOW
    return f"{show_percent(estimate.value)} [{show_percent(estimate.low)}, {show_percent(estimate.high)}]"


def show_money(cost: Decimal | None, unknown: int = 0) -> str:
    """`$0.0123`; `cost unknown` when no price is known; both, when some are."""
    if cost is None or (unknown and not cost):
        return "cost unknown"
    known = "<$0.0001" if 0 < cost < Decimal("0.00005") else f"${cost:,.4f}"
    return f"{known} + {show_count(unknown)} unknown" if unknown else known


def show_duration(milliseconds: float | None) -> str:
    if milliseconds is None:
        return NOTHING_TO_SHOW
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    if milliseconds < 59_995.0:
        return f"{milliseconds / 1000:.2f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    return f"{minutes} min {seconds:02d} s"


def show_time(at: datetime) -> str:
    """ISO 8601, UTC, to the millisecond: `2026-01-31T09:05:00.000Z`. A time without a zone is taken as UTC."""
    moment = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def whole(value: float) -> int | float:
    """4.0 as 4, 3.5 as it is."""
    return int(value) if isfinite(value) and value == int(value) else value


# ---- other people's text ---------------------------------------------------------------------------------

# Controls, line separators, text-direction marks, invisible characters and what is no character (XML refuses it). The joiners U+200C and U+200D stay: several
# scripts and most family emoji are written with them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
_RAW_IN_JSON = re.compile(_UNSEEN.pattern.replace("\x00-\x1f", ""))
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# Build services obey what looks like a command in a log: `::` where a line begins, `##[` and `##vso[` anywhere in it.
_LOG_COMMAND = re.compile(r"#(?=#(?:\[|vso\[))|\A\s*+:(?=:)", re.IGNORECASE)


def visible(text: str) -> str:
    """Text for a terminal or a log, on one line: nothing in it moves the cursor, turns the direction or is unseen."""
    return _LOG_COMMAND.sub(r"\g<0> ", _UNSEEN.sub(_picture, text))


def without_controls(text: str) -> str:
    """Text for a file that people also print: line ends and tabs stay, other control characters become visible."""
    return _CONTROL.sub(_picture, text)


def seen(text: str) -> str:
    """Text for a page: lines and tabs stay, and whatever is unseen or turns the direction of writing becomes visible."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(_UNSEEN.sub(_picture, part) for part in line.split("\t")) for line in lines)


def escape_unseen(data: bytes) -> bytes:
    """JSON with every character escaped that it lets stand in a string and a terminal may obey, or not show."""
    if data.isascii() and b"\x7f" not in data:
        return data
    return _RAW_IN_JSON.sub(_escaped, data.decode()).encode()


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def plain_json(value: object, depth: int = 0) -> Json:
    """A value that every JSON writer takes: no NaN, no lone surrogates, no endless nesting, no outsized integers."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _encodable(value)
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return value
        return (
            str(value) if value.bit_length() < 10_000 else hex(value)
        )  # Python refuses to print longer ones
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Decimal):
        return plain_json(float(value))
    if depth >= _DEEPEST:
        return "nested too deeply to show"
    if isinstance(value, Mapping):
        return {_encodable(str(key)): plain_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(item, depth + 1) for item in value]
    return _encodable(str(value))


def _encodable(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
