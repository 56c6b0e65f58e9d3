"""A budget holds however many calls are in flight."""

import asyncio
from decimal import Decimal

import pytest
from msgspec.structs import replace

from adjudge.errors import BudgetSpentError, ModelCallError, RateLimitedError, UnavailableError
from adjudge.options import Price
from adjudge.records import Completion, Message, ModelClient, Prompt, Request
from adjudge.runs.budget import Budget, BudgetedClient, worst_case
from adjudge.testing import ScriptedClient

PRICE = Price(input=Decimal(1), output=Decimal(10))


def request(text="x" * 1000, limit=100):
    return Request(
        prompt=Prompt(messages=(Message(role="user", content=text),)),
        schema=None,
        case_id="c",
        judge="j",
        max_output_tokens=limit,
    )


def test_the_worst_case_counts_every_byte_as_a_token_and_the_schema_too():
    plain = worst_case(PRICE, request("é" * 500))
    assert plain == Decimal("0.002") + Decimal("0.000016")
    assert worst_case(PRICE, request("é" * 500, limit=None)) == plain + Decimal("0.03996")
    assert worst_case(PRICE, replace(request("é" * 500), schema={"type": "object"})) == plain + Decimal(
        "0.000018"
    )


class Client(ModelClient):
    """Answers when it is told to."""

    name = "test:client"

    def __init__(self):
        self.waiting = []

    async def complete(self, request):
        self.waiting.append(asyncio.get_running_loop().create_future())
        return await self.waiting[-1]

    async def close(self):
        pass


async def turns():
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_request_waits_for_what_is_set_aside_for_others_and_is_refused_when_nothing_comes_free():
    async def ask():
        client = Client()
        budget = Budget(max_cost=Decimal("0.005"))
        budgeted = BudgetedClient(client, budget, price=PRICE)
        asked = [asyncio.create_task(budgeted.complete(request())) for _ in range(3)]
        await turns()
        assert len(client.waiting) == 2  # the third would pass the limit if both cost what they may cost
        client.waiting[0].set_result(Completion(text="", cost=Decimal("0.0001")))
        await turns()
        assert len(client.waiting) == 3
        client.waiting[1].set_result(Completion(text="", cost=Decimal("0.002")))
        client.waiting[2].set_result(Completion(text="", cost=Decimal("0.002")))
        await asyncio.gather(*asked)
        assert budget.spent == Decimal("0.0041")
        with pytest.raises(
            BudgetSpentError, match=r"this call could exceed --max-cost 0\.005: this run has \$0\.0009"
        ):
            await budgeted.complete(request())

    asyncio.run(ask())


def test_an_unknown_cost_counts_as_the_worst_and_a_refused_request_as_nothing():
    async def ask():
        budget = Budget(max_cost=Decimal(1))
        failures = [RateLimitedError("slow down", status=429), UnavailableError("overloaded", status=503)]
        client = BudgetedClient(ScriptedClient(*failures, "no usage"), budget, price=PRICE)
        for _ in failures:
            with pytest.raises(ModelCallError):
                await client.complete(request())
        assert budget.spent == 0
        await client.complete(request())
        return budget.spent

    assert asyncio.run(ask()) == worst_case(PRICE, request())


def test_calls_are_counted_too():
    async def ask_three_times():
        client = BudgetedClient(ScriptedClient("a", "b", "c"), Budget(max_calls=2))
        outcomes = []
        for _ in range(3):
            try:
                outcomes.append((await client.complete(request())).text)
            except BudgetSpentError as error:
                outcomes.append(error.kind)
        return outcomes

    assert asyncio.run(ask_three_times()) == ["a", "b", "budget"]
