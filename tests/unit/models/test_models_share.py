"""Equal shared requests get one completion, paid once; nobody loses it because another stopped waiting."""

import asyncio
from decimal import Decimal
from types import MappingProxyType

import pytest

from adjudge.errors import UnavailableError
from adjudge.models import SharedClient
from adjudge.models.clients.share import KEPT
from adjudge.records import Completion, ModelClient, Usage
from adjudge.testing import ScriptedClient

PAID = Completion(text="list", usage=Usage(input=9, output=3), cost=Decimal("0.5"), latency_ms=8.0)


class SlowClient(ModelClient):
    """Answers when told to."""

    name = "slow:m"

    def __init__(self):
        self.go = asyncio.Event()
        self.asked = asyncio.Event()
        self.calls = 0
        self.cancelled = 0

    async def complete(self, request):
        self.calls += 1
        self.asked.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return PAID

    async def close(self):
        pass


def test_requests_at_the_same_time_and_later_share_one_completion_and_one_bill(make_request):
    async def work():
        inner = SlowClient()
        client = SharedClient(inner)
        asked = [
            asyncio.create_task(client.complete(make_request(case_id=f"c{n}", shared=True))) for n in range(5)
        ]
        await asyncio.sleep(0)
        inner.go.set()
        found = await asyncio.gather(*asked)
        found.append(await client.complete(make_request(case_id="later", repeat=2, shared=True)))
        return inner, found

    inner, found = asyncio.run(work())
    assert inner.calls == 1
    assert {completion.text for completion in found} == {"list"}
    assert sum(completion.cost for completion in found) == Decimal("0.5")
    assert sum(completion.usage.input for completion in found) == 9
    assert sum(completion.attempts for completion in found) == 1
    assert sum("shared" in completion.notes for completion in found) == 5


def test_requests_not_marked_shared_pass_through(make_request):
    inner = ScriptedClient("a", "b")
    client = SharedClient(inner)

    async def work():
        return [(await client.complete(make_request())).text for _ in range(2)]

    assert asyncio.run(work()) == ["a", "b"]
    assert client.name == inner.name


def test_one_who_stops_waiting_does_not_take_it_from_the_others(make_request):
    async def work():
        inner = SlowClient()
        client = SharedClient(inner)
        first, second = (asyncio.create_task(client.complete(make_request(shared=True))) for _ in range(2))
        await inner.asked.wait()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        inner.go.set()
        return inner, await second

    inner, completion = asyncio.run(work())
    assert (inner.calls, inner.cancelled) == (1, 0)
    assert completion.cost == Decimal("0.5")


def test_when_all_stop_waiting_the_call_is_stopped_and_can_be_made_again(make_request):
    async def work():
        inner = SlowClient()
        client = SharedClient(inner)
        waiting = [asyncio.create_task(client.complete(make_request(shared=True))) for _ in range(2)]
        await inner.asked.wait()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        inner.go.set()
        return inner, await client.complete(make_request(shared=True))

    inner, completion = asyncio.run(work())
    assert (inner.calls, inner.cancelled) == (2, 1)
    assert completion.text == "list"


def test_a_failure_is_told_to_all_who_waited_and_not_kept(make_request):
    async def work():
        client = SharedClient(ScriptedClient(UnavailableError("down"), "up"))
        found = await asyncio.gather(
            *(client.complete(make_request(shared=True)) for _ in range(3)), return_exceptions=True
        )
        return found, await client.complete(make_request(shared=True))

    found, after = asyncio.run(work())
    assert [type(error) for error in found] == [UnavailableError] * 3
    assert after.text == "up"


@pytest.mark.parametrize(
    "other",
    [
        {"text": "another"},
        {"temperature": 1.0},
        {"max_output_tokens": 5},
        {"parameters": {"seed": 1}},
        {"schema": {"type": "object"}},
        {"schema": {"properties": {"b": {}, "a": {}}}},
    ],
)
def test_all_that_is_sent_is_part_of_the_key(make_request, other):
    sharing_key = SharedClient(ScriptedClient()).sharing_key
    base = {"schema": {"properties": {"a": {}, "b": {}}}}
    assert sharing_key(make_request(**base, shared=True)) != sharing_key(
        make_request(**(base | other), shared=True)
    )


def test_what_is_not_sent_is_no_part_of_the_key(make_request):
    sharing_key = SharedClient(ScriptedClient()).sharing_key
    one = make_request(
        "\ud800", shared=True, case_id="a", repeat=1, step="x", parameters=MappingProxyType({"a": 1, "b": 2})
    )
    two = make_request("\ud800", shared=True, case_id="b", judge="other", parameters={"b": 2, "a": 1})
    assert sharing_key(one) == sharing_key(two)


def test_what_is_kept_is_bounded(make_request):
    async def work():
        client = SharedClient(ScriptedClient(*["x"] * (KEPT + 10)))
        for number in range(KEPT + 10):
            await client.complete(make_request(str(number), shared=True))
        return len(client._kept)

    assert asyncio.run(work()) == KEPT


def test_closing_stops_what_is_on_its_way_and_closes_the_inner_client(make_request):
    async def work():
        inner = ScriptedClient()
        await SharedClient(inner).close()
        slow = SlowClient()
        client = SharedClient(slow)
        waiting = asyncio.create_task(client.complete(make_request(shared=True)))
        await slow.asked.wait()
        await client.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return inner.closed, slow.cancelled

    assert asyncio.run(work()) == (True, 1)
