"""What is shown while and after judging: stdout carries data, stderr carries progress."""

import os
import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

import click

from adjudge.records import Failed, Judgement
from adjudge.reports.format import visible


def use_colour(stream: object) -> bool:
    is_terminal = getattr(stream, "isatty", lambda: False)()
    plain_wanted = os.environ.get("NO_COLOR") or os.environ.get("CI") or os.environ.get("TERM") == "dumb"
    return bool(is_terminal) and not plain_wanted


def plain(text: str) -> str:
    """Text that may hold other people's words, for a terminal: lines stay, nothing else moves the cursor."""
    return "\n".join(visible(line) for line in text.split("\n"))


def tell(message: str) -> None:
    """One line on stderr, whatever text is in it. A run does not fail because nobody can read how far it is."""
    with suppress(OSError):
        click.echo(plain(message), err=True)


class Progress:
    """How far it is: one line rewritten on a terminal, a line every few seconds elsewhere."""

    SECONDS_BETWEEN_LINES = 5.0
    SECONDS_BETWEEN_REDRAWS = 0.1

    def __init__(self) -> None:
        self.done = 0
        self.failed = 0
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
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()

    def count(self, judgement: Judgement) -> None:
        self.done += 1
        self.failed += isinstance(judgement.outcome, Failed)
        now = time.monotonic()
        if now - self._shown_at >= (
            self.SECONDS_BETWEEN_REDRAWS if self._redraws else self.SECONDS_BETWEEN_LINES
        ):
            self._shown_at = now
            self._show(now)

    def _show(self, now: float) -> None:
        seconds = now - self.started
        line = f"{self.done} done, {self.failed} not judged, {self.done / seconds:.1f}/s"
        if self._redraws:
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
            self._width = max(self._width, len(line))
        else:
            tell(line)
