"""A client that wraps a client: equal requests, made at the same time or recently, get one completion."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256

from msgspec.structs import replace

from adjudge.models.clients.wrap import WrappingClient
from adjudge.models.keys import sent_parts
from adjudge.records import Completion, ModelClient, Request, Usage

KEPT = 4096
SHARED_NOTE = "shared"


@dataclass(slots=True)
class SharedCall:
    """A request on its way, and how many wait for it."""

    outcome: asyncio.Future[Completion] | None = None
    """A task of its own, or what the task that asked leaves for those who want the same; None as long as nobody does."""
    waiting: int = 0
    delivered: bool = False
    """Someone has it, and carries its cost."""


class SharedClient(WrappingClient):
    """Asks once for what several judgements need alike (a checklist); requests not marked `shared` pass through.

    The first to get it carries usage and cost; the others get the same words with nothing to pay and the note `shared`,
    so that the rows of a run add up to its bill. A failure is everyone's who waited, and is not kept.
    """

    def __init__(self, client: ModelClient) -> None:
        super().__init__(client)
        self._kept: OrderedDict[str, Completion] = OrderedDict()
        self._calls: dict[str, SharedCall] = {}

    async def complete(self, request: Request) -> Completion:
        key = self.sharing_key(request)
        if key is None:
            return await self._client.complete(request)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return again(kept)
        call = self._calls.get(key)
        if call is None and not request.shared:
            return await self._lead(key, request)
        if call is None:
            call = self._calls[key] = SharedCall(asyncio.create_task(self._ask(key, request)))
        outcome = call.outcome = call.outcome or asyncio.get_running_loop().create_future()
        try:
            completion = await self._wait(key, call, outcome)
        except asyncio.CancelledError:
            if isinstance(outcome, asyncio.Task) or not outcome.cancelled() or _is_cancelled():
                raise
            return await self.complete(request)  # the one who asked was cancelled, and we were not
        if call.delivered:
            return again(completion)
        call.delivered = True
        return completion

    def sharing_key(self, request: Request) -> str | None:
        """Equal for requests that share a completion; None for one that shares none."""
        return sha256(sent_parts(request)).hexdigest() if request.shared else None

    async def find_or_ask(self, key: str, request: Request) -> Completion:
        completion = await self._client.complete(request)
        self._kept[key] = completion
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return completion

    async def close(self) -> None:
        calls, self._calls = list(self._calls.values()), {}
        tasks = [call.outcome for call in calls if isinstance(call.outcome, asyncio.Task)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.close()

    async def _wait(self, key: str, call: SharedCall, outcome: asyncio.Future[Completion]) -> Completion:
        call.waiting += 1
        try:
            # shielded: one who stops waiting does not take the completion from the others
            return await asyncio.shield(outcome)
        finally:
            call.waiting -= 1
            if not call.waiting and isinstance(outcome, asyncio.Task) and not outcome.done():
                outcome.cancel()
                if self._calls.get(key) is call:
                    del self._calls[key]

    async def _lead(self, key: str, request: Request) -> Completion:
        """Ask in the task of the one who wants it: a task for each request would cost more than it saves where few are
        wanted twice at the same time.
        """
        call = self._calls[key] = SharedCall(delivered=True)
        try:
            completion = await self.find_or_ask(key, request)
        except asyncio.CancelledError:
            if call.outcome is not None:
                call.outcome.cancel()
            raise
        except BaseException as error:
            if call.outcome is not None and call.waiting:
                call.outcome.set_exception(error)
            raise
        else:
            if call.outcome is not None:
                call.outcome.set_result(completion)
            return completion
        finally:
            if self._calls.get(key) is call:
                del self._calls[key]

    async def _ask(self, key: str, request: Request) -> Completion:
        try:
            return await self.find_or_ask(key, request)
        finally:
            call = self._calls.get(key)
            if call is not None and call.outcome is asyncio.current_task():
                del self._calls[key]


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def again(completion: Completion) -> Completion:
    return replace(
        completion,
        usage=Usage(input=0, output=0, cached=0),
        cost=Decimal(0),
        latency_ms=0.0,
        attempts=0,
        notes=(*completion.notes, SHARED_NOTE),
    )
