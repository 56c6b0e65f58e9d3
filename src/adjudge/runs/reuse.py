"""Nothing is paid for twice: a completion is looked up before anybody is asked, and kept before anybody sees it."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256

from msgspec.structs import replace

from adjudge.models import SharedClient
from adjudge.records import Completion, ModelClient, Request, as_read
from adjudge.runs.batch_api.activity import Activity
from adjudge.store import KeepCompletion, StoredCompletion
from adjudge.store.group import GroupCommit

OLD = timedelta(days=30)
PINNED = re.compile(r"\d{4}-\d{2}-\d{2}|\d{8}|-\d{4}\b|@")
"""A model's name with a date or a version in it stays the same model; an alias may be another one next month."""


class StoredClient(SharedClient):
    """A ModelClient that answers from the store where it can; equal requests on their way at the same time share one call.

    With `fresh_since`, only what was asked since then is reused: `--fresh` asks everything again, but not twice when it is
    interrupted and goes on. With `scope`, only what was asked under the same scope is reused.

    `room` bounds the calls that were sent and whose replies are not committed: what a crash can cost.
    """

    def __init__(
        self,
        client: ModelClient,
        store: GroupCommit,
        *,
        scope: str | None = None,
        fresh_since: datetime | None = None,
        room: asyncio.Semaphore,
        activity: Activity,
    ) -> None:
        super().__init__(client)
        self._activity = activity
        self.scope = scope
        self._room = room
        self._store = store
        self._fresh_since = fresh_since

    def asking_again(self, since: datetime) -> "StoredClient":
        """The same, for requests whose stored replies were of no use (`--retry`)."""
        return StoredClient(
            self._client,
            self._store,
            scope=self.scope,
            fresh_since=since,
            room=self._room,
            activity=self._activity,
        )

    def request_key(self, request: Request) -> str:
        key = super().request_key(request)
        return key if self.scope is None else sha256(f"{self.scope}\0{key}".encode()).hexdigest()

    def sharing_key(self, request: Request) -> str:
        return self.request_key(request)

    async def find_or_ask(self, key: str, request: Request) -> Completion:
        with self._activity.working:
            stored = (await self._store.find_completions([key])).get(key)
        if stored is not None and (self._fresh_since is None or stored.at >= self._fresh_since):
            return self._reused(stored)
        await self._room.acquire()
        try:
            completion = await self._client.complete(request)
        except BaseException:
            self._room.release()
            raise
        completion = replace(completion, key=key, version=1 if stored is None else stored.version + 1)
        # not waited for: the judgement made from it is kept after it, and nothing is reported before that is committed
        self._store.keep_soon(
            KeepCompletion(
                key=key,
                version=completion.version,
                request=as_read(request, completion),
                completion=completion,
                model=self._client.name,
                base_url=self.base_url,
                at=datetime.now(UTC),
            ),
            done=partial(self._committed, key),
        )
        self._kept[key] = completion
        return completion

    def _committed(self, key: str) -> None:
        """The store has it, or never will."""
        self._kept.pop(key, None)
        self._room.release()

    def _reused(self, stored: StoredCompletion) -> Completion:
        notes = stored.completion.notes
        if datetime.now(UTC) - stored.at > OLD and not PINNED.search(self.name):
            notes = (*notes, f"reused_from:{stored.at.date().isoformat()}")
        return replace(
            stored.completion,
            from_store=True,
            cost=Decimal(0),
            key=stored.key,
            version=stored.version,
            notes=notes,
            # the store has it, and gives it to whoever looks at the case
            read=() if self.reads_fields else None,
        )
