"""One format for numbers, intervals, times and money, whatever the form."""

from datetime import UTC, datetime
from decimal import Decimal
from math import inf, isfinite
from typing import Protocol

NOTHING_TO_SHOW = "—"


class Interval(Protocol):
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


def show_number(value: float) -> str:
    """A score with two decimals."""
    if value in (inf, -inf):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text


def show_percent(share: float, digits: int = 1) -> str:
    """`71.3 %`."""
    return f"{share * 100:z.{digits}f} %"


def show_percent_range(low: float, high: float) -> str:
    """`63.6–78.0`, without the sign, which stands after what it belongs to."""
    return f"{low * 100:z.1f}–{high * 100:z.1f}"


def show_count(count: int) -> str:
    return f"{count:,}"


def counted(count: int, noun: str) -> str:
    """`1 case`, `2,500 cases`."""
    return f"{show_count(count)} {noun}{'' if count == 1 else 's'}"


def show_mean(estimate: Interval | None) -> str:
    """`3.42 [3.10, 3.74]`."""
    if estimate is None:
        return NOTHING_TO_SHOW
    return f"{show_number(estimate.value)} [{show_number(estimate.low)}, {show_number(estimate.high)}]"


def show_rate(estimate: Interval | None) -> str:
    """`85.0 % [70.1, 93.2]`."""
    if estimate is None:
        return NOTHING_TO_SHOW
    return f"{show_percent(estimate.value)} [{estimate.low * 100:z.1f}, {estimate.high * 100:z.1f}]"


def show_error(estimate: Interval | None) -> str:
    """`off by 0.42 [0.31, 0.53]`."""
    return NOTHING_TO_SHOW if estimate is None else f"off by {show_mean(estimate)}"


def show_money(cost: Decimal | None, unknown: int = 0) -> str:
    """`$0.0123`; `cost unknown` when no price is known; both, when some are."""
    if cost is None or (unknown and not cost):
        return "cost unknown"
    if not cost and not unknown:
        return "$0"
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
