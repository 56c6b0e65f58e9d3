"""Group commit: many waits, one transaction; failures reach everyone; nothing is reported before it is stored."""

import asyncio
import threading

import pytest

from adjudge.errors import InputError, StoreError
from adjudge.store.group import GroupCommit


class ScriptedStore:
    """Remembers what it is asked in which thread; `gate` holds a write up, `failure` makes it fail."""

    def __init__(self):
        self.batches = []
        self.questions = []
        self.threads = set()
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()
        self.written = threading.Event()
        self.failure = None

    def write(self, batch):
        self.threads.add(threading.current_thread().name)
        self.entered.set()
        self.gate.wait()
        if self.failure is not None:
            raise self.failure
        self.batches.append(list(batch))
        self.written.set()

    def find_completions(self, keys):
        self.questions.append(list(keys))
        if "fail" in keys:
            raise StoreError("s.db", "cannot read", "fix it")
        return {key: f"completion {key}" for key in keys if not key.startswith("absent")}

    def find_judgements(self, keys):
        self.questions.append(list(keys))
        return {key: f"judgement {key}" for key in keys}


@pytest.fixture
def store():
    return ScriptedStore()


def run(coroutine):
    return asyncio.run(coroutine)


def test_what_is_kept_in_one_turn_is_one_transaction_in_another_thread(store):
    async def main():
        group = GroupCommit(store)
        await asyncio.gather(*(group.keep(number, -number) for number in range(50)))
        await group.close()

    run(main())
    assert store.batches == [[value for number in range(50) for value in (number, -number)]]
    assert threading.current_thread().name not in store.threads
    assert len(store.threads) == 1


def test_what_comes_while_a_transaction_is_under_way_is_the_next_one(store):
    async def main():
        group = GroupCommit(store)
        store.gate.clear()
        first = asyncio.create_task(group.keep("a"))
        await asyncio.to_thread(store.entered.wait)
        rest = [asyncio.create_task(group.keep(name)) for name in "bcd"]
        await asyncio.sleep(0)
        assert not first.done()
        assert not any(task.done() for task in rest)
        store.gate.set()
        await asyncio.gather(first, *rest)
        await group.close()

    run(main())
    assert store.batches == [["a"], ["b", "c", "d"]]


def test_a_transaction_has_a_largest_size_and_never_cuts_what_is_kept_together(store):
    async def main():
        group = GroupCommit(store, most=4)
        await asyncio.gather(*(group.keep(*[name] * 3) for name in "abcde"), group.keep(*"0123456789"))
        await group.close()

    run(main())
    assert [len(batch) for batch in store.batches] == [6, 6, 13]
    assert store.batches[0] == list("aaabbb")


def test_a_failed_transaction_fails_all_who_wait_and_all_who_come_later(store):
    async def main():
        group = GroupCommit(store)
        store.failure = StoreError("s.db", "the disk is full", "make room")
        results = await asyncio.gather(*(group.keep(number) for number in range(3)), return_exceptions=True)
        store.failure = None
        with pytest.raises(StoreError, match="the disk is full"):
            await group.keep("later")
        await group.close()
        return results

    results = run(main())
    assert [(result.problem, result.hint) for result in results] == [("the disk is full", "make room")] * 3
    assert len({id(result) for result in results}) == 3
    assert store.batches == []


def test_what_was_handed_over_before_a_failure_was_known_fails_with_it(store):
    async def main():
        group = GroupCommit(store, most=1)
        store.gate.clear()
        store.failure = StoreError("s.db", "locked", "wait")
        tasks = [asyncio.create_task(group.keep(number)) for number in range(3)]
        await asyncio.to_thread(store.entered.wait)
        store.gate.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        store.failure = None
        await group.close()
        return results

    assert [result.problem for result in run(main())] == ["locked"] * 3
    assert store.batches == []


def test_other_errors_reach_those_who_wait_as_they_are(store):
    async def main():
        group = GroupCommit(store)
        store.failure = InputError("--name", "is too long", "shorten it")
        with pytest.raises(InputError, match="is too long"):
            await group.keep("x")
        await group.close()

    run(main())


def test_keys_asked_for_in_one_turn_are_one_question_and_each_gets_its_own(store):
    async def main():
        group = GroupCommit(store)
        found = await asyncio.gather(
            *(group.find_completions([f"k{number}", "shared", f"absent{number}"]) for number in range(30))
        )
        judgements = await group.find_judgements(["j"])
        await group.close()
        return found, judgements

    found, judgements = run(main())
    assert len(store.questions) == 2
    assert len(store.questions[0]) == 61
    assert found[7] == {"k7": "completion k7", "shared": "completion shared"}
    assert judgements == {"j": "judgement j"}


def test_looking_up_does_not_wait_for_a_transaction(store):
    async def main():
        group = GroupCommit(store)
        store.gate.clear()
        keeping = asyncio.create_task(group.keep("a"))
        assert await group.find_completions(["k"]) == {"k": "completion k"}
        assert not keeping.done()
        store.gate.set()
        await keeping
        await group.close()

    run(main())


def test_a_lookup_that_fails_is_that_lookups_failure(store):
    async def main():
        group = GroupCommit(store)
        with pytest.raises(StoreError, match="cannot read"):
            await group.find_completions(["fail"])
        found = await group.find_completions(["k"])
        await group.keep("a")
        await group.close()
        return found

    assert run(main()) == {"k": "completion k"}
    assert store.batches == [["a"]]


def test_nothing_to_keep_or_find_takes_no_thread(store):
    async def main():
        group = GroupCommit(store)
        await group.keep()
        assert await group.find_completions([]) == {}
        await group.close()

    run(main())
    assert store.batches == []
    assert store.questions == []


def test_one_who_stops_waiting_does_not_take_the_writes_back(store):
    async def main():
        group = GroupCommit(store)
        store.gate.clear()
        tasks = [asyncio.create_task(group.keep(name)) for name in "ab"]
        await asyncio.to_thread(store.entered.wait)
        tasks[0].cancel()
        await asyncio.gather(tasks[0], return_exceptions=True)
        store.gate.set()
        await tasks[1]
        await group.close()

    run(main())
    assert store.batches == [["a", "b"]]


def test_closing_waits_for_what_was_just_kept_and_ends_the_thread(store):
    async def main():
        group = GroupCommit(store)
        task = asyncio.create_task(group.keep("a"))
        await asyncio.sleep(0)
        await group.close()
        await group.close()
        assert store.batches == [["a"]]
        await task
        with pytest.raises(StoreError, match="being closed"):
            await group.keep("b")
        return group._writer._thread

    assert not run(main()).is_alive()


def test_a_loop_that_ended_without_closing_does_not_trouble_the_thread(store):
    store.gate.clear()

    async def main():
        task = asyncio.create_task(GroupCommit(store).keep("a"))
        await asyncio.to_thread(store.entered.wait)
        task.cancel()

    asyncio.run(main())
    store.gate.set()
    store.written.wait()
    assert store.batches == [["a"]]


def test_what_is_kept_soon_is_committed_with_or_before_what_is_kept_after_it(store):
    finished = []

    async def main():
        group = GroupCommit(store)
        group.keep_soon("completion", done=lambda: finished.append("completion"))
        await group.keep("judgement")
        assert store.batches == [["completion", "judgement"]]
        group.keep_soon("last", done=lambda: finished.append("last"))
        await group.close()

    run(main())
    assert store.batches == [["completion", "judgement"], ["last"]]
    assert finished == ["completion", "last"]


def test_a_failure_of_what_nobody_waited_for_is_raised_by_the_next_or_by_closing(store):
    store.failure = StoreError("s.db", "the disk is full", "make room")

    async def told_by_the_next():
        group = GroupCommit(store)
        group.keep_soon("a", done=lambda: None)
        with pytest.raises(StoreError, match="disk is full"):
            await group.keep("b")
        await group.close()

    async def told_by_closing():
        group = GroupCommit(store)
        group.keep_soon("a", done=lambda: None)
        with pytest.raises(StoreError, match="disk is full"):
            await group.close()

    run(told_by_the_next())
    run(told_by_closing())
    assert store.batches == []
