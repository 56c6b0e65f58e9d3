"""What a process draws of a run's pace, and what it does when another process has met a refusal or a dead service."""

import asyncio

import pytest

from adjudge.errors import RateLimitedError, UnauthorizedError
from adjudge.models import CircuitOpenError, Governor, RetryingClient
from adjudge.models.clients.pace import Pace
from adjudge.rates import Flow, FlowLimit, FlowWish, News, PaceDraw
from adjudge.records import Completion, Message, Prompt, Request
from adjudge.testing import FakeClock, ScriptedClient

REQUEST = Request(
    prompt=Prompt(messages=(Message(role="user", content="x"),)), case_id="1", judge="j", schema=None
)
OK = Completion(text="ok")
NAME = ScriptedClient.name


class Account:
    """Grants what the test says, and remembers what it was asked and told."""

    is_shared = True

    def __init__(self, *grants):
        self.grants = list(grants)
        self.wishes = []
        self.told = []

    async def draw_pace(self, wish, limit):
        del limit
        self.wishes.append(wish)
        await asyncio.sleep(0)
        granted = self.grants.pop(0) if self.grants else 1
        return granted if isinstance(granted, PaceDraw) else PaceDraw(granted, 0.0 if granted else 1.0)

    def tell(self, news):
        self.told.append(news)


def scene(*grants, answers=(), rpm=None, tpm=None):
    clock = FakeClock()
    pace = Pace(rpm=rpm, tpm=tpm, clock=clock)
    pace.account = Account(*grants)
    client = RetryingClient(
        ScriptedClient(*answers, *[OK] * 200), governor=Governor(jobs=8, pace=pace, clock=clock), clock=clock
    )
    return client, pace.account, clock


def ask(client, times=1):
    async def work():
        return [await client.complete(REQUEST) for _ in range(times)]

    return asyncio.run(work())


def test_a_portion_is_used_up_before_the_next_is_drawn():
    client, account, _ = scene(3, 3, rpm=600)
    ask(client, times=4)
    assert [wish.each for wish in account.wishes] == [Flow(1.0)] * 2


def test_those_who_wait_are_drawn_for_together():
    async def work():
        await asyncio.gather(*(client.complete(REQUEST) for _ in range(6)))

    client, account, _ = scene(1, 5, rpm=600)
    asyncio.run(work())
    assert [wish.most for wish in account.wishes] == [1, 5]


def test_what_is_left_of_a_portion_goes_back_when_it_is_old():
    client, account, clock = scene(5, 1, rpm=600)
    ask(client, times=2)
    clock.advance(0.3)
    ask(client)
    assert account.wishes[1] == FlowWish(Flow(1.0), 1, Flow(-3.0))


def test_tokens_are_settled_by_use_with_the_next_draw():
    client, account, clock = scene(1, 1, rpm=None, tpm=60_000)
    ask(client)
    (wish,) = account.wishes
    clock.advance(1)
    client.governor.pace.spend(Flow(2.0, 40.0))
    ask(client)
    assert account.wishes[1].settled == Flow(2.0, 40.0)
    assert wish.settled == Flow()


def test_without_limits_the_others_are_asked_about_once_a_second():
    client, account, clock = scene()
    ask(client, times=50)
    assert len(account.wishes) == 1
    clock.advance(1.5)
    ask(client, times=50)
    assert len(account.wishes) == 2


def test_a_pause_another_process_was_asked_for_is_kept_here_too():
    client, _, clock = scene(PaceDraw(1, 0.0, (News(NAME, paused_seconds=30.0), News("other", 99.0))))
    ask(client)
    assert 30 <= clock.now() - 1000 < 32
    assert client.governor.limit == 4


def test_a_request_that_was_counted_and_then_has_to_wait_is_given_back():
    client, account, _ = scene(PaceDraw(1, 0.0, (News(NAME, paused_seconds=30.0),)), rpm=600)
    ask(client)
    assert account.wishes[1].settled == Flow(-1.0)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (RateLimitedError("slow down", status=429, retry_after_seconds=7.0), News(NAME, paused_seconds=7.0)),
        (RateLimitedError("slow down", status=429), News(NAME)),
    ],
)
def test_a_refusal_is_told_to_the_others(error, told):
    client, account, _ = scene(answers=[OK, error])
    ask(client, times=2)
    assert account.told == [told]


def test_a_process_alone_tells_nobody():
    client, account, _ = scene(answers=[OK, RateLimitedError("slow down", status=429)])
    account.is_shared = False
    ask(client, times=2)
    assert account.told == []
    assert account.wishes == []


def test_an_open_circuit_is_told_and_opens_those_that_were_never_answered():
    wrong_key = [UnauthorizedError("wrong key", status=401) for _ in range(3)]
    client, account, _ = scene(answers=wrong_key)
    for _ in range(3):
        with pytest.raises(UnauthorizedError):
            ask(client)
    (news,) = account.told
    assert "wrong key" in news.broken

    fresh, _, _ = scene(PaceDraw(1, 0.0, (news,)))
    with pytest.raises(CircuitOpenError, match="wrong key"):
        ask(fresh)


def test_one_that_was_answered_goes_by_its_own_calls():
    client, _, clock = scene(1, PaceDraw(1, 0.0, (News(NAME, broken="all calls failed"),)))
    ask(client)
    clock.advance(2)
    assert ask(client) == [OK]


def test_limits_without_a_store_are_this_process_s_own():
    pace = Pace(rpm=60)
    assert not pace.account.is_shared
    assert pace.limit != FlowLimit()
