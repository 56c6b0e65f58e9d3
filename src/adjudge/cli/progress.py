"""How far a run is, on stderr."""

import sys
import time
from collections import Counter
from contextlib import suppress
from decimal import Decimal
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from adjudge.cli.console import print_message, use_colour
from adjudge.documents.numbers import show_duration, show_money

if TYPE_CHECKING:
    from adjudge.records import Judgement


class Watched(Protocol):
    """What a progress line tells of a run beside what was counted."""

    @property
    def in_flight(self) -> int: ...

    @property
    def resumed(self) -> int: ...

    @property
    def spent(self) -> Decimal: ...


class ProgressLine:
    """How far it is: one line rewritten on a terminal, a line every few seconds elsewhere."""

    SECONDS_BETWEEN_LINES = 5.0
    SECONDS_BETWEEN_REDRAWS = 0.1

    def __init__(self, total: int | None = None) -> None:
        """`total` None: what comes through a pipe is not counted beforehand."""
        self.total = total
        self.watched: Watched | None = None
        self.done = 0
        self.asked = 0
        """Of those done: with a new call behind them. How long the rest takes is told from these alone."""
        self.failed: Counter[str] = Counter()
        self.started = time.monotonic()
        self._redraws = use_colour(sys.stderr)
        self._drawn_at = self.started
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            with suppress(OSError):
                sys.stderr.write("\r" + " " * self._width + "\r")
                sys.stderr.flush()

    def count(self, judgement: "Judgement") -> None:
        self.done += 1
        self.asked += judgement.outcome.kind == "call_failed" or any(
            not call.completion.from_store for call in judgement.calls
        )
        if judgement.score is None:
            self.failed[judgement.outcome.kind] += 1
        now = time.monotonic()
        if now - self._drawn_at >= (
            self.SECONDS_BETWEEN_REDRAWS if self._redraws else self.SECONDS_BETWEEN_LINES
        ):
            self._drawn_at = now
            self._show(self.line(now - self.started))

    def tell(self, text: str) -> None:
        """News between two judgements."""
        self._show(text)

    def line(self, seconds: float) -> str:
        """`120/500 done, 12.3/s, 64 in flight, 2 call_failed, $0.0123 spent, 31 s left`."""
        rate = self.asked / seconds if seconds > 0 else 0.0
        done = self.done + (0 if self.watched is None else self.watched.resumed)
        parts = [f"{done}{'' if self.total is None else f'/{self.total}'} done", f"{rate:.1f}/s"]
        if self.watched is not None:
            parts.append(f"{self.watched.in_flight} in flight")
        parts += [f"{count} {kind}" for kind, count in sorted(self.failed.items())]
        if self.watched is not None and self.watched.spent:
            parts.append(f"{show_money(self.watched.spent)} spent")
        if self.total is not None and rate > 0:
            parts.append(f"{show_duration(max(0, self.total - done) / rate * 1000)} left")
        return ", ".join(parts)

    def _show(self, line: str) -> None:
        if not self._redraws:
            print_message(line)
            return
        with suppress(OSError):
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
        self._width = max(self._width, len(line))
