"""What is shown while and after judging: stdout carries data, stderr carries progress."""

import os
import sys
import time
from collections import Counter
from contextlib import suppress
from decimal import Decimal
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TextIO

import click
import orjson

from adjudge.documents.document import Document
from adjudge.documents.numbers import show_duration, show_money
from adjudge.documents.records_json import records_json
from adjudge.text import escape_unseen, visible

if TYPE_CHECKING:
    from adjudge.records import Judgement


def use_colour(stream: object) -> bool:
    is_terminal = getattr(stream, "isatty", lambda: False)()
    plain_wanted = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return bool(is_terminal) and not plain_wanted


def plain(text: str) -> str:
    """Text that may hold other people's words, for a terminal: lines stay, nothing else moves the cursor."""
    return "\n".join(visible(line) for line in text.split("\n"))


def print_json(value: object) -> None:
    """Indented, on stdout; nothing in it is obeyed by a terminal, and no number in it is too large for its readers."""
    click.echo(escape_unseen(orjson.dumps(records_json(value), option=orjson.OPT_INDENT_2)))


def tell(message: str) -> None:
    """One line on stderr, whatever text is in it. A run does not fail because nobody can read how far it is."""
    with suppress(OSError):
        click.echo(plain(message), err=True)


class Watched(Protocol):
    """What a progress line tells of a run beside what was counted."""

    @property
    def in_flight(self) -> int: ...

    @property
    def resumed(self) -> int: ...

    @property
    def spent(self) -> Decimal: ...


class Progress:
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
        self._shown_at = self.started
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
        if now - self._shown_at >= (
            self.SECONDS_BETWEEN_REDRAWS if self._redraws else self.SECONDS_BETWEEN_LINES
        ):
            self._shown_at = now
            self._show(self.line(now - self.started))

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
            tell(line)
            return
        with suppress(OSError):
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
        self._width = max(self._width, len(line))


def print_document(document: Document, *, file: TextIO | None = None, verbose: bool = False) -> None:
    """For a terminal of its own width, or as plain text."""
    # rich is slow to load, and only printing needs it
    from adjudge.documents.terminal import print_terminal

    stream = sys.stdout if file is None else file
    print_terminal(document, file=stream, colour=use_colour(stream), verbose=verbose)
