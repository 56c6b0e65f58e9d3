"""Texts that make a careless pattern start over at every character, and what a pattern costs on them."""

import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

SHAPES = (
    " ", "\n", "\t", "\r\n", " \n", "\u00a0", "a", "a ", "Ab ", "A", "a\n", "é", "1", "1 ", "1,", "1.", "1-", "1/",
    "1 - ", '"', '"a', "'", "`", "`a", "<", "< ", "<a", "</ ", ">", " >", "{", "{ ", "{{", "{%", "{#", "{{ a ",
    "[", "[[ ", "[a", "(", "(a ", "*", "* ", "**a", "_", "-", "- ", "--", "#", "# ", "|", "| ", "\\", '\\"', "\\n",
    "=", ":", "a: ", "a:", ".", ". ", "...", ",", ", ", "a, ", "a-", "a.", "a/", "/", "/*", "//", "%", "%s ", "$", "${",
    "&", "~", "?", "? ", "!", "+", "or ", "and ", "not ", "the ", "score ", "score: ", '{"a":', "{score: a ", "```\n",
    "---\n", "I am ", "\ud800", "\u200b", "\x1b[", "=a", "🙂",
)  # fmt: skip


BEGINNINGS = ('"', "`", "<a", "{", "{{ a", "[", "(", "score", "score:", "1.", "- ", "**")
RUNS = (" ", "\n", "a", "1,", "-", "\\")


class TooLongError(Exception):
    """It did not come to its end in the seconds of processor time that it had."""


def repeated(shape: str, length: int) -> str:
    return (shape * (length // len(shape) + 1))[:length]


class Hostile(NamedTuple):
    """A text of any length: a run after what could be the start of something, and before something else."""

    beginning: str
    run: str
    end: str

    def text(self, length: int) -> str:
        return self.beginning + repeated(self.run, length) + self.end


HOSTILE = (
    *(Hostile("", shape, "\x01") for shape in SHAPES),
    *(Hostile("", shape, "") for shape in (" ", "\n", "a", "1", "a ")),
    *(Hostile(beginning, run, "\x01") for beginning in BEGINNINGS for run in RUNS),
)


def cpu_seconds(work: Callable[[], object], *, at_most: float = 60.0) -> float:
    """Processor time, which a busy machine does not change. `re` looks for signals while it matches."""

    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, stop)
    started = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, at_most)
    try:
        with suppress(TooLongError):
            work()
            return time.process_time() - started
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(work: Callable[[], object]) -> float:
    """Processor time of this thread, for what is short and comes to its end."""
    started = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - started) / 1e9


def find_all(pattern: re.Pattern[str], text: str) -> Callable[[], None]:
    def work() -> None:
        for _ in pattern.finditer(text):
            pass

    return work
