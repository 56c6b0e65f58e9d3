"""A budget holds however many calls are in flight."""

import asyncio
from decimal import Decimal

import pytest

from adjudge.records import Completion, Message, Prompt, Request
from adjudge.runs.budget import Budget, BudgetedClient, BudgetSpentError, Price
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


def test_the_worst_case_counts_every_byte_as_a_token():
    assert PRICE.worst_case(request("é" * 500)) == Decimal("0.002")
    assert PRICE.worst_case(request(limit=None)) == Decimal("0.001") + Decimal("0.04096")


def test_what_is_in_flight_is_set_aside():
    budget = Budget(max_cost=Decimal("0.005"), price=PRICE)
    first = budget.reserve(request())
    budget.reserve(request())
    with pytest.raises(BudgetSpentError, match=r"--max-cost 0\.005 would be passed"):
        budget.reserve(request())
    budget.settle(first, Completion(text="", cost=Decimal("0.0001")))
    budget.reserve(request())
    assert budget.spent == Decimal("0.0001")


def test_an_unknown_cost_counts_as_the_worst_and_a_failed_call_as_nothing():
    budget = Budget(max_cost=Decimal(1), price=PRICE)
    budget.settle(budget.reserve(request()), Completion(text="", cost=None))
    assert budget.spent == Decimal("0.002")
    budget.settle(budget.reserve(request()), None)
    assert budget.spent == Decimal("0.002")


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
