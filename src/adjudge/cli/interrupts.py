"""What ends a command early: Ctrl-C, once and twice, and a limit in seconds on reading a judge."""

import _thread
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from adjudge.cli.console import print_message
from adjudge.cli.main import EXIT_INTERRUPTED
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.options import RunOptions
    from adjudge.runs.plan import Plan

SECONDS_TO_READ = 30.0
"""For loading, checking and rendering one judge; an ordinary one takes some hundredths."""
SECONDS_TO_FINISH = 5.0
SECONDS_TO_END = 3.0


def end_at_second_interrupt() -> None:
    """The first Ctrl-C raises KeyboardInterrupt as ever; the next one ends the process, whatever it is doing."""
    _handle(_interrupt_once)


def _interrupt_once(_signal: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


def _handle(handler: Callable[[int, FrameType | None], None] | Any) -> Any:
    """Set what SIGINT does and return what it did; None where only the main thread may set it."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGINT, handler)


@contextmanager
def reading_limit(where: str, seconds: float = SECONDS_TO_READ) -> Iterator[None]:
    """End what takes longer with an InputError. Ctrl-C by a timer, because that works in every Python code everywhere."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    lock = threading.Lock()
    state = "reading"

    def end() -> None:
        nonlocal state
        with lock:
            if state == "reading":
                state = "too long"
                _thread.interrupt_main()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if state == "too long":
            raise KeyboardInterrupt
        if callable(before):
            before(number, frame)
        elif before != signal.SIG_IGN:
            _interrupt_once(number, frame)

    # of our own: where nothing in Python handles SIGINT (under nohup it is ignored), the timer would not be heard
    before = signal.signal(signal.SIGINT, on_signal)
    timer = threading.Timer(seconds, end)
    timer.daemon = True
    try:
        timer.start()  # on a busy machine it may be heard before this returns
        yield
        with lock:
            if state == "reading":
                state = "done"
    except KeyboardInterrupt:
        if state != "too long":
            raise
        raise InputError(
            where,
            f"could not be read within {seconds:g} seconds",
            "take parts out of it: fewer tags, loops, fields and inputs",
        ) from None
    finally:
        timer.cancel()
        if signal.getsignal(signal.SIGINT) is on_signal:  # else an interrupt has changed it for good
            signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def plan_judges(judges: Sequence[str], options: "RunOptions") -> "Plan":
    """What every command that judges begins with: the judges are read, within the limit."""
    from adjudge.runs.plan import make_plan

    with reading_limit("--judge"):
        return make_plan(judges, options)


class Stoppable(Protocol):
    @property
    def leaves_at_once(self) -> bool:
        """Nothing is to be finished after `stop`."""

    def stop(self, why: str) -> None: ...

    def cancel(self) -> None: ...


class Interrupts:
    """The first Ctrl-C takes no further work and lets what is in flight finish; the second gives that up.

    A handler of Python's own, not of the event loop, which would hear nothing while something keeps it busy. Where the
    loop does not hear of an interrupt, or there is a third, KeyboardInterrupt goes up through whatever it is doing.
    """

    def __init__(self, session: Stoppable) -> None:
        import asyncio  # slow to load, and every command loads this module

        self._session = session
        self._loop = asyncio.get_running_loop()
        self._before: Any = None
        self._finishing: asyncio.Handle | None = None
        self._stopped = False
        self._cancelled = False
        self._interrupts = 0

    @property
    def seen(self) -> bool:
        return self._interrupts > 0

    def __enter__(self) -> Self:
        self._before = _handle(self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None and not isinstance(error, KeyboardInterrupt):
            _handle(self._before)

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        self._interrupts += 1
        if self._interrupts == 1:
            self._finishing = self._loop.call_soon_threadsafe(self._finish)
        elif self._interrupts == 2 and self._stopped:
            self._loop.call_soon_threadsafe(self._cancel)
            _later(self._end_if_busy)
        else:
            if self._finishing is not None:
                self._finishing.cancel()
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            _later(os._exit, EXIT_INTERRUPTED)  # a thread or a task that goes on would hold the process
            raise KeyboardInterrupt

    def _finish(self) -> None:
        self._stopped = True
        self._session.stop("interrupted")
        if self._session.leaves_at_once:
            return
        print_message("finishing requests in flight; press Ctrl-C again to stop now")
        self._loop.call_later(SECONDS_TO_FINISH, self._cancel)

    def _cancel(self) -> None:
        """What is judged is still written, in order: it may have waited for a case that is given up now."""
        self._cancelled = True
        self._session.cancel()

    def _end_if_busy(self) -> None:
        if not self._cancelled:
            _thread.interrupt_main()


def _later(function: Callable[..., object], *arguments: object) -> None:
    timer = threading.Timer(SECONDS_TO_END, function, arguments)
    timer.daemon = True
    timer.start()
