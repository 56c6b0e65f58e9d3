"""What a run has spent, over all its processes: counters in the store, from which each draws a portion at a time.

A portion counts as spent from when it is drawn; what a process does not use it gives back at its end. So a portion held
by a process that died stays spent: the calls it was drawn for may have been billed.
"""

from typing import NamedTuple

from adjudge.store.packing import to_name
from adjudge.store.records import Spending
from adjudge.store.sql import SqlSession

SHARE = 20
"""A portion is at most this part of what is left, where that is more than a call needs: little is lost with a process."""
MOST_STORED = 2**62


class SpendingLimit(NamedTuple):
    """None: not limited."""

    calls: int | None = None
    nanodollars: int | None = None

    def left(self, spent: Spending) -> "SpendingLimit":
        return SpendingLimit(
            calls=None if self.calls is None else self.calls - spent.calls,
            nanodollars=None if self.nanodollars is None else self.nanodollars - spent.nanodollars,
        )

    def allows(self, wanted: Spending) -> bool:
        return (self.calls is None or wanted.calls <= self.calls) and (
            self.nanodollars is None or wanted.nanodollars <= self.nanodollars
        )


class SpendingDraw(NamedTuple):
    portion: Spending | None
    """None: not even the least is left."""
    left: SpendingLimit
    """For others, and for the next portion."""


def take_portion(spent: Spending, least: Spending, most: Spending, limit: SpendingLimit) -> SpendingDraw:
    left = limit.left(spent)
    if not left.allows(least):
        return SpendingDraw(None, left)
    portion = Spending(
        calls=_share(left.calls, least.calls, most.calls),
        nanodollars=_share(left.nanodollars, least.nanodollars, most.nanodollars),
    )
    return SpendingDraw(portion, left.left(portion))


def draw(
    session: SqlSession, run_id: str, least: Spending, most: Spending, limit: SpendingLimit
) -> SpendingDraw:
    add(
        session, run_id, Spending()
    )  # makes the row, and keeps other processes from it until the transaction ends
    drawn = take_portion(spending(session, run_id), least, most, limit)
    if drawn.portion is not None:
        add(session, run_id, drawn.portion)
    return drawn


def add(session: SqlSession, run_id: str, spent: Spending) -> None:
    session.change(
        "INSERT INTO spending (run_id, calls, nanodollars) VALUES (?, ?, ?) ON CONFLICT (run_id) DO UPDATE"
        " SET calls = spending.calls + excluded.calls, nanodollars = spending.nanodollars + excluded.nanodollars",
        [to_name(run_id), spent.calls, max(-MOST_STORED, min(MOST_STORED, spent.nanodollars))],
    )


def spending(session: SqlSession, run_id: str) -> Spending:
    found = session.query("SELECT calls, nanodollars FROM spending WHERE run_id = ?", [to_name(run_id)])
    return Spending(calls=found[0][0], nanodollars=found[0][1]) if found else Spending()


def _share(left: int | None, least: int, most: int) -> int:
    return least if left is None else max(least, min(most, left // SHARE))
