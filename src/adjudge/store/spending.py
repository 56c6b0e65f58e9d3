"""What a run has spent, and how fast, over all its processes: counters in the store, from which each draws a portion at
a time.

A portion counts as spent from when it is drawn; what a process does not use it gives back at its end. So a portion held
by a process that died stays spent: the calls it was drawn for may have been billed.
"""

from collections.abc import Iterator
from typing import NamedTuple

from adjudge.rates import FlowLimit, FlowWish, FullAt, News, PaceDraw, draw_flow
from adjudge.store.packing import MODEL_CHARS, from_column, to_column, to_name
from adjudge.store.records import Process, Spending, TellNews
from adjudge.store.sql import SqlSession

SHARE = 20
"""A portion is at most this part of what is left, where that is more than a call needs: little is lost with a process."""
MAX_STORED = 2**62
MICRO = 1_000_000
OLD_SECONDS = 60.0
"""What was met so long ago is no news to a process that begins."""


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


def draw_pace(session: SqlSession, process: Process, wish: FlowWish, limit: FlowLimit) -> PaceDraw:
    """As `rates.draw_flow`, of the buckets that all processes of the run share; with what others have told."""
    add(session, process.run_id, Spending())
    run, now = to_name(process.run_id), session.now()
    sql = "SELECT requests_full_at, tokens_full_at FROM spending WHERE run_id = ?"
    ((requests, tokens),) = session.query(sql, [run])
    full_at = FullAt(requests / MICRO, tokens / MICRO)
    drawn = draw_flow(full_at, now, wish, limit)
    if drawn.full_at != full_at:
        session.change(
            "UPDATE spending SET requests_full_at = ?, tokens_full_at = ? WHERE run_id = ?",
            [*(round(at * MICRO) for at in drawn.full_at), run],
        )
    return PaceDraw(drawn.granted, drawn.wait, tuple(_news(session, process, now)), at=now)


def _news(session: SqlSession, process: Process, now: float) -> Iterator[News]:
    sql = "SELECT model, paused_until, broken, at FROM news WHERE run_id = ? AND teller <> ? AND at > ?"
    since = round(max(process.asked_at, now - OLD_SECONDS) * MICRO)
    for model, paused_until, broken, at in session.query(
        sql, [to_name(process.run_id), process.token, since]
    ):
        yield News(
            model=from_column(model),
            paused_seconds=max(0.0, min(paused_until / MICRO - now, (paused_until - at) / MICRO)),
            broken=None if broken is None else from_column(broken),
        )


def tell(session: SqlSession, write: TellNews) -> None:
    news, now = write.news, session.now()
    session.change(
        "INSERT INTO news (run_id, teller, model, paused_until, broken, at) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (run_id, teller, model) DO UPDATE SET broken = excluded.broken, at = excluded.at,"
        " paused_until = CASE WHEN excluded.paused_until > news.paused_until THEN excluded.paused_until"
        " ELSE news.paused_until END",
        [
            to_name(write.process.run_id),
            write.process.token,
            to_name(news.model, MODEL_CHARS),
            round((now + news.paused_seconds) * MICRO),
            None if news.broken is None else to_column(news.broken),
            round(now * MICRO),
        ],
    )


def add(session: SqlSession, run_id: str, spent: Spending) -> None:
    session.change(
        "INSERT INTO spending (run_id, calls, nanodollars) VALUES (?, ?, ?) ON CONFLICT (run_id) DO UPDATE"
        " SET calls = spending.calls + excluded.calls, nanodollars = spending.nanodollars + excluded.nanodollars",
        [to_name(run_id), spent.calls, max(-MAX_STORED, min(MAX_STORED, spent.nanodollars))],
    )


def spending(session: SqlSession, run_id: str) -> Spending:
    found = session.query("SELECT calls, nanodollars FROM spending WHERE run_id = ?", [to_name(run_id)])
    return Spending(calls=found[0][0], nanodollars=found[0][1]) if found else Spending()


def _share(left: int | None, least: int, most: int) -> int:
    return least if left is None else max(least, min(most, left // SHARE))
