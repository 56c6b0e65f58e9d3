"""A client that wraps a client: equal shared requests, made at the same time or recently, get one completion."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import sha256

from adjudge.models.keys import sent_parts
from adjudge.models.wrap import WrappingClient
from adjudge.records import Completion, ModelClient, Request, Usage

KEPT = 4096
SHARED_NOTE = "shared"


@dataclass(slots=True)
class Asking:
    """A request on its way, and how many wait for it."""

    task: asyncio.Task[Completion]
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
        self._kept: OrderedDict[bytes, Completion] = OrderedDict()
        self._asking: dict[bytes, Asking] = {}

    async def complete(self, request: Request) -> Completion:
        if not request.shared:
            return await self._client.complete(request)
        key = sharing_key(request)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return again(kept)
        asking = self._asking.get(key)
        if asking is None:
            asking = self._asking[key] = Asking(asyncio.create_task(self._ask(key, request)))
        completion = await self._wait(key, asking)
        if asking.delivered:
            return again(completion)
        asking.delivered = True
        return completion

    async def close(self) -> None:
        asking, self._asking = list(self._asking.values()), {}
        for each in asking:
            each.task.cancel()
        await asyncio.gather(*(each.task for each in asking), return_exceptions=True)
        await self._client.close()

    async def _wait(self, key: bytes, asking: Asking) -> Completion:
        asking.waiting += 1
        try:
            # shielded: one who stops waiting does not take the completion from the others
            return await asyncio.shield(asking.task)
        finally:
            asking.waiting -= 1
            if not asking.waiting and not asking.task.done():
                asking.task.cancel()
                if self._asking.get(key) is asking:
                    del self._asking[key]

    async def _ask(self, key: bytes, request: Request) -> Completion:
        try:
            completion = await self._client.complete(request)
        finally:
            asking = self._asking.get(key)
            if asking is not None and asking.task is asyncio.current_task():
                del self._asking[key]
        self._kept[key] = completion
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return completion


def again(completion: Completion) -> Completion:
    return replace(
        completion,
        usage=Usage(input=0, output=0, cached=0),
        cost=Decimal(0),
        latency_ms=0.0,
        attempts=0,
        notes=(*completion.notes, SHARED_NOTE),
    )


def sharing_key(request: Request) -> bytes:
    return sha256(sent_parts(request)).digest()
