"""The run's place in the store: what is done, what may be taken over from earlier runs, and what is kept."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from hashlib import sha256

from adjudge.procedures.procedure import RequestSettings
from adjudge.prompts.fill import Filled
from adjudge.records import BadRow, Case, Judge, Judgement, ModelClient
from adjudge.runs.identity import ChosenRun
from adjudge.runs.reuse import StoredClient
from adjudge.store import JudgementKey, KeepJudgement, PlaceJudgement, Write
from adjudge.store.group import GroupCommit
from adjudge.store.packing import dump_json
from adjudge.store.records import UNPLACED

TAKEN_OVER = frozenset({"scored", "judged", "forced", "abstained", "unreadable", "refused", "truncated"})
"""Outcomes that the same question to the same stored replies gives again. What is missing is told by the case's own
columns, and costs nothing to find out."""
TRIED_AGAIN = frozenset({"call_failed", "not_asked", "too_long"})
"""Outcomes of which a run that goes on makes another try: no reply was stored for them."""


class RunStore:
    keeps = True

    def __init__(
        self,
        store: GroupCommit,
        chosen: ChosenRun,
        clients: Iterable[StoredClient],
        *,
        fresh: bool = False,
        retry: frozenset[str] = frozenset(),
    ) -> None:
        self._store = store
        self.run_id = chosen.record.run_id
        self.resumes = chosen.resumes
        self._shard = chosen.shard
        self._replaces = TRIED_AGAIN | retry if chosen.in_batches else None
        self._started = chosen.record.started_at
        self._clients = {client.name: client for client in clients}
        self._takes_over = not fresh and not chosen.is_first
        self._retry = retry

    async def write(self, *writes: Write) -> None:
        """Committed on return."""
        await self._store.keep(*writes)

    async def case(self, case_id: str) -> Case:
        """One that was judged in this run."""
        found = await self._store.case(self.run_id, case_id)
        assert found is not None
        return found

    async def done(self, case_ids: Sequence[str]) -> Mapping[JudgementKey, int]:
        """What this run has judged already and need not judge again -> its position."""
        return await self._store.done_among(self.run_id, case_ids) if self.resumes else {}

    async def place(self, moved: Mapping[JudgementKey, int]) -> None:
        """Committed on return: what was judged before stands at these positions of the rows as they come now."""
        writes = [
            PlaceJudgement(run_id=self.run_id, key=key, position=position) for key, position in moved.items()
        ]
        await self._store.keep(*writes)

    async def between(self, first: int, until: int) -> list[tuple[int, Judgement]]:
        """What is kept from one position to another, in order, as much as is read at a time; none when that is all."""
        while found := await self._store.judgements_between(self.run_id, first, until):
            here = [
                (position, judgement)
                for position, judgement in found
                if self._shard is None or self._shard.holds(judgement.case_id)
            ]
            if here:
                return here
            first = found[-1][0] + 1
        return []

    def reuse_key(
        self, model: str, judge: Judge, case: Case, filled: Filled, settings: RequestSettings, *, repeat: int
    ) -> str:
        """The hash of everything a judgement depends on but the model's mood."""
        client = self._clients[model]
        parts = [
            case.case_id if client.answers_by_case else None,
            judge.hash,
            client.name,
            client.base_url,
            settings.temperature,
            dict(settings.parameters),
            repeat,
            filled.values,
            [missing.name for missing in filled.missing],
            *([] if client.scope is None else [client.scope]),
        ]
        return sha256(dump_json(parts, sort_keys=True)).hexdigest()

    async def find_earlier(self, reuse_key: str | None) -> Judgement | None:
        """An earlier judgement of the same question, unless it is to be asked again."""
        if reuse_key is None or not self._takes_over:
            return None
        earlier = (await self._store.find_judgements([reuse_key])).get(reuse_key)
        takes_over = earlier is not None and earlier.outcome.kind in TAKEN_OVER - self._retry
        return earlier if takes_over else None

    async def client_for(self, key: str | None, client: ModelClient) -> ModelClient:
        """The client as it is, or one that asks again where the stored replies were of a kind that `--retry` names."""
        if not self._retry or key is None:
            return client
        found = (await self._store.find_judgements([key])).get(key)
        again = found is not None and found.outcome.kind in self._retry
        return self._clients[client.name].asking_again(self._started) if again else client

    async def keep(
        self, judgement: Judgement, row: Case | BadRow, reuse_key: str | None, position: int
    ) -> None:
        """Committed on return: only then is it reported."""
        await self._store.keep(
            KeepJudgement(
                run_id=self.run_id,
                judgement=judgement,
                case=row,
                calls=_references(judgement),
                reuse_key=reuse_key,
                position=position if self._replaces is None else UNPLACED,
                replaces=self._replaces,
            )
        )


class NullRunStore:
    """Nothing is kept and nothing is found."""

    resumes = False
    keeps = False

    async def case(self, case_id: str) -> Case:
        raise LookupError(case_id)

    async def done(self, case_ids: Sequence[str]) -> Mapping[JudgementKey, int]:
        del case_ids
        return {}

    async def place(self, moved: Mapping[JudgementKey, int]) -> None:
        del moved

    def reuse_key(
        self, model: str, judge: Judge, case: Case, filled: Filled, settings: RequestSettings, *, repeat: int
    ) -> str | None:
        del model, judge, case, filled, settings, repeat
        return None

    async def between(self, first: int, until: int) -> list[tuple[int, Judgement]]:
        del first, until
        return []

    async def find_earlier(self, reuse_key: str | None) -> Judgement | None:
        del reuse_key
        return None

    async def client_for(self, key: str | None, client: ModelClient) -> ModelClient:
        del key
        return client

    async def keep(
        self, judgement: Judgement, row: Case | BadRow, reuse_key: str | None, position: int
    ) -> None:
        del judgement, row, reuse_key, position


def _references(judgement: Judgement) -> tuple[tuple[str, int], ...]:
    return tuple(
        (call.completion.key, call.completion.version)
        for call in judgement.calls
        if call.completion.key is not None
    )


async def all_between(
    run_store: RunStore | NullRunStore, first: int, until: int
) -> AsyncGenerator[tuple[int, Judgement], None]:
    """All that is kept from one position to another, in order."""
    while first < until and (found := await run_store.between(first, until)):
        for each in found:
            yield each
        first = found[-1][0] + 1
