"""Who is at work in a run: when nobody is, all that can be asked now has been asked."""

import asyncio
from collections.abc import Callable
from types import TracebackType

QUIET_TURNS = 20
"""Turns of the event loop in which whoever was woken begins to work; passing something on takes a handful."""


class Activity:
    """Tasks say when they work (`with activity.working`) and when, inside of that, they wait for another task
    (`with activity.waiting`). Looking something up in the store is work.
    """

    def __init__(self) -> None:
        self.on_quiet: Callable[[], None] | None = None
        """Called when nobody works any more, and again after each time that somebody did."""
        self.working = _Shift(self, 1)
        self.waiting = _Shift(self, -1)
        self._busy = 0
        self._looking = False
        self._turns_left = 0

    def shift(self, by: int) -> None:
        self._busy += by
        self._turns_left = QUIET_TURNS
        if self.on_quiet is not None and not self._busy and not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        """Quiet is when nobody has worked for some turns: those who take turns with a lock are all at rest between them."""
        if self._busy or self.on_quiet is None:
            self._looking = False
        elif self._turns_left:
            self._turns_left -= 1
            asyncio.get_running_loop().call_soon(self._look)
        else:
            self._looking = False
            self.on_quiet()


class _Shift:
    """Without state of its own, so that one serves all tasks."""

    __slots__ = ("_activity", "_by")

    def __init__(self, activity: Activity, by: int) -> None:
        self._activity = activity
        self._by = by

    def __enter__(self) -> None:
        self._activity.shift(self._by)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._activity.shift(-self._by)
