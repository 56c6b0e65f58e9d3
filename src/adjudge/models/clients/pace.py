"""What goes a minute, for all models and processes of a run: portions are drawn from one account, and used soon."""

from collections.abc import Callable
from typing import Protocol

from adjudge.models.clients.clock import SYSTEM_CLOCK, Clock
from adjudge.rates import HOLD_SECONDS, Flow, FlowLimit, FlowWish, FullAt, News, PaceDraw, Rate, draw_flow

NEWS_SECONDS = 1.0
"""How old what another process has met may be when nothing limits the pace, so that no portion is drawn for it."""
MAX_WAITING = 1_000


class PaceAccount(Protocol):
    """Where it is counted what goes."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes work on the same run, so that there may be news."""

    async def draw_pace(self, wish: FlowWish, limit: FlowLimit) -> PaceDraw:
        """For as many of the requests as may go now."""

    def tell(self, news: News) -> None:
        """Let the other processes know."""


class LocalPace:
    """Of a run with one process."""

    is_shared = False

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._full_at = FullAt()

    async def draw_pace(self, wish: FlowWish, limit: FlowLimit) -> PaceDraw:
        # one at a time: nothing is saved by drawing more than is used at once
        granted, wait, self._full_at = draw_flow(
            self._full_at, self._clock.now(), wish._replace(most=1), limit
        )
        return PaceDraw(granted, wait)

    def tell(self, news: News) -> None:
        del news


class Pace:
    def __init__(
        self, *, rpm: int | None = None, tpm: int | None = None, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self.account: PaceAccount = LocalPace(clock)
        self.limit = FlowLimit(
            requests=None if rpm is None else Rate(rpm), tokens=None if tpm is None else Rate(tpm)
        )
        self._has_limit = self.limit != FlowLimit()
        self._clock = clock
        self._held = Flow()
        """Drawn, and not used yet."""
        self._until = 0.0
        """When it goes back."""
        self._settled = Flow()
        """Has gone without having been drawn; the next draw counts it."""
        self._heed: dict[str, Callable[[News], None]] = {}

    @property
    def is_limited(self) -> bool:
        """Whether anybody has to ask before a request is sent."""
        return self._has_limit or self.account.is_shared

    async def take(self, tokens: int, waiting: int) -> float:
        """0.0: the request may go, and is counted; else the seconds until it may be worth asking again.

        `waiting` like it come right behind.
        """
        now = self._clock.now()
        if not self._has_limit:
            if now >= self._until:
                self._until = now + NEWS_SECONDS
                await self._draw(FlowWish(Flow()))
            return 0.0
        each = Flow(1.0, float(tokens) if self.limit.tokens is not None else 0.0)
        if now >= self._until or not self._held.covers(each):
            unused, self._held = self._held, Flow()
            settled, self._settled = self._settled.plus(unused, -1), Flow()
            drawn = await self._draw(FlowWish(each, min(1 + waiting, MAX_WAITING), settled))
            if not drawn.granted:
                return drawn.wait
            self._held = self._held.plus(each, drawn.granted)
            self._until = now + HOLD_SECONDS
        self._held = self._held.plus(each, -1)
        return 0.0

    async def _draw(self, wish: FlowWish) -> PaceDraw:
        try:
            drawn = await self.account.draw_pace(wish, self.limit)
        except BaseException:
            self._settled = self._settled.plus(wish.settled)
            raise
        for news in drawn.news:
            if news.model in self._heed:
                self._heed[news.model](news)
        return drawn

    def spend(self, more: Flow) -> None:
        """What has gone beyond what was taken for it; less than nothing gives back."""
        self._settled = self._settled.plus(more)

    def heed(self, model: str, take_notice: Callable[[News], None]) -> None:
        """Whom to tell what other processes have met at this model."""
        self._heed[model] = take_notice

    def tell(self, news: News) -> None:
        if self.account.is_shared:
            self.account.tell(news)
