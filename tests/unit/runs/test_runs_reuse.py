"""Equal requests at the same time are asked for once, in the task of the one who came first."""

import asyncio
from contextlib import closing

import pytest

from adjudge.errors import UnavailableError
from adjudge.records import Completion, Message, ModelClient, Prompt, Request
from adjudge.runs.batch_api.activity import Activity
from adjudge.runs.reuse import StoredClient
from adjudge.store import open_store
from adjudge.store.group import GroupCommit

REQUEST = Request(
    prompt=Prompt(messages=(Message(role="user", content="x"),)), schema=None, case_id="c", judge="j"
)


class HeldClient(ModelClient):
    """Answers when told to, or fails."""

    name = "held:m"

    def __init__(self, error=None):
        self.go = asyncio.Event()
        self.asked = asyncio.Event()
        self.calls = 0
        self.error = error

    async def complete(self, request):
        self.calls += 1
        self.asked.set()
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return Completion(text="ok")

    async def close(self):
        pass


@pytest.fixture
def run_stored(tmp_path):
    """`run_stored(work, held)`: `await work(client)` with the held client behind a store."""

    def run(work, make_held):
        async def main():
            with closing(open_store(tmp_path / "store.db")) as store:
                held = make_held()
                group = GroupCommit(store)
                client = StoredClient(held, group, room=asyncio.Semaphore(4), activity=Activity())
                found = await work(client, held)
                await group.close()
                return found, held.calls

        return asyncio.run(main())

    return run


async def _two(client, held):
    tasks = [asyncio.create_task(client.complete(REQUEST)) for _ in range(2)]
    await held.asked.wait()
    await asyncio.sleep(0)
    return tasks


def test_the_second_gets_the_words_of_the_first(run_stored):
    async def work(client, held):
        tasks = await _two(client, held)
        held.go.set()
        return await asyncio.gather(*tasks)

    (first, second), calls = run_stored(work, HeldClient)
    assert calls == 1
    assert (first.text, second.text) == ("ok", "ok")
    assert ("shared" in first.notes, "shared" in second.notes) == (False, True)


def test_when_the_first_is_cancelled_the_second_asks_itself(run_stored):
    async def work(client, held):
        first, second = await _two(client, held)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        held.go.set()
        return await second

    second, calls = run_stored(work, HeldClient)
    assert second.text == "ok"
    assert "shared" not in second.notes
    assert calls == 2


def test_a_failure_is_told_to_both_and_the_next_one_asks_again(run_stored):
    async def work(client, held):
        tasks = await _two(client, held)
        held.go.set()
        failed = await asyncio.gather(*tasks, return_exceptions=True)
        held.error = None
        return failed, await client.complete(REQUEST)

    (failed, after), calls = run_stored(work, lambda: HeldClient(UnavailableError("down")))
    assert [type(error) for error in failed] == [UnavailableError] * 2
    assert after.text == "ok"
    assert calls == 2


def test_a_reply_that_is_not_committed_yet_is_not_asked_for_again(run_stored):
    async def work(client, held):
        first = asyncio.create_task(client.complete(REQUEST))
        await held.asked.wait()
        held.go.set()
        return await first, await client.complete(REQUEST)

    (first, second), calls = run_stored(work, HeldClient)
    assert calls == 1
    assert ("shared" in first.notes, "shared" in second.notes) == (False, True)
