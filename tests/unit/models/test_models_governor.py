"""Who may be in flight: never more than the limit, in order, none while a pause lasts, and nobody lost."""

import asyncio
import random

import pytest

from adjudge.errors import RateLimitedError, UnavailableError
from adjudge.models import Governor
from adjudge.models.clients.pace import Pace
from adjudge.records import Completion, Usage
from adjudge.testing import FakeClock

OK = Completion(text="ok", usage=Usage(input=10, output=5))
LIMITED = RateLimitedError("slow down", status=429)


def governor(*, rpm=None, tpm=None, **options):
    clock = FakeClock()
    pace = Pace(rpm=rpm, tpm=tpm, clock=clock)
    return Governor(**{"jobs": 8} | options, pace=pace, clock=clock), clock


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def refuse(governor, *, error=LIMITED):
    """One call that is sent now and refused."""

    async def work():
        async with governor.slot() as slot:
            governor.failed(slot, error)

    asyncio.run(work())


def answer(governor, times=1):
    async def work():
        for _ in range(times):
            async with governor.slot() as slot:
                governor.succeeded(slot, OK)

    asyncio.run(work())


def test_never_more_than_the_limit_is_in_flight_and_all_get_their_turn_in_order():
    async def work():
        governed, clock = governor(jobs=3)
        seen, order = [], []

        async def call(number):
            async with governed.slot():
                order.append(number)
                seen.append(governed.in_flight)
                await clock.sleep(1)

        await asyncio.gather(*(call(n) for n in range(20)))
        return seen, order, governed.in_flight

    seen, order, left = asyncio.run(work())
    assert max(seen) == 3
    assert order == list(range(20))
    assert left == 0


def test_a_free_slot_costs_neither_task_nor_future_nor_a_look_at_the_clock():
    class NoClock(FakeClock):
        looks = 0

        def now(self):
            self.looks += 1
            return 0.0

    async def work():
        clock = NoClock()
        governed = Governor(jobs=2, clock=clock)
        looks, tasks = clock.looks, len(asyncio.all_tasks())
        entering = governed.slot().__aenter__()
        with pytest.raises(StopIteration):  # it never waits for the loop
            entering.send(None)
        return clock.looks - looks, len(asyncio.all_tasks()) - tasks, governed.in_flight

    assert asyncio.run(work()) == (0, 0, 1)


def test_being_told_to_slow_down_halves_the_limit_once_per_second_and_never_below_one():
    governed, clock = governor(jobs=8)
    limits = []
    for _ in range(6):
        refuse(governed)
        refuse(governed)  # the same moment: no news
        limits.append(governed.limit)
        clock.advance(1.0)
    assert limits == [4, 2, 1, 1, 1, 1]
    assert governed.errors == {"rate_limited": 12}


def test_a_refusal_of_a_call_sent_before_the_last_cut_is_no_news():
    async def work():
        governed, clock = governor(jobs=8)
        async with governed.slot() as early, governed.slot() as late:
            governed.failed(early, LIMITED)
            clock.advance(30)
            governed.failed(late, LIMITED)
            return governed.limit

    assert asyncio.run(work()) == 4


def test_other_failures_are_counted_by_kind_and_do_not_cut():
    governed, _ = governor()
    refuse(governed, error=UnavailableError("down", status=500))
    assert governed.limit == 8
    assert governed.errors == {"unavailable": 1}


def test_the_limit_recovers_by_one_for_every_window_of_successes_up_to_jobs():
    governed, clock = governor(jobs=8)
    refuse(governed)
    clock.advance(1)
    refuse(governed)
    assert governed.limit == 2
    answer(governed, 2)
    assert governed.limit == 3
    answer(governed, 2)
    assert governed.limit == 3
    answer(governed, 1)
    assert governed.limit == 4
    answer(governed, 4 + 5 + 6 + 7 + 100)
    assert governed.limit == 8
    assert governed.successes == 5 + 122


def test_successes_of_calls_sent_before_a_cut_do_not_count_as_recovery():
    async def work():
        governed, _ = governor(jobs=2)
        async with governed.slot() as refused, governed.slot() as other:
            governed.failed(refused, LIMITED)
            governed.succeeded(other, OK)
            return governed.limit

    assert asyncio.run(work()) == 1


def test_two_thousand_jobs_recover_in_as_many_windows_as_sixty_four():
    def windows(jobs):
        governed, _ = governor(jobs=jobs)
        refuse(governed)
        windows = 0
        while governed.limit < jobs:
            answer(governed, governed.limit)
            windows += 1
        return windows

    assert windows(64) == 32
    assert windows(2000) == 33


def test_a_pause_holds_everyone_back_at_once_until_it_ends():
    async def work():
        governed, clock = governor(jobs=4)
        sent = []

        async def call():
            async with governed.slot() as slot:
                sent.append(clock.now())
                if len(sent) == 1:
                    governed.failed(slot, RateLimitedError("later", status=429, retry_after_seconds=30.0))

        await call()
        assert governed.paused_seconds == 30.0
        await asyncio.gather(*(call() for _ in range(10)))
        return sent, governed

    sent, governed = asyncio.run(work())
    assert sent == [1000.0] + [1030.0] * 10
    assert governed.paused_seconds == 0.0


def test_a_shorter_pause_does_not_end_a_longer_one_and_a_longer_one_extends_it():
    async def work():
        governed, clock = governor()
        governed.pause(10)
        governed.pause(5)
        assert governed.paused_seconds == 10.0

        async def longer():
            await clock.sleep(3)
            governed.pause(60)

        async def call():
            async with governed.slot():
                return clock.now()

        return (await asyncio.gather(call(), longer()))[0]

    assert asyncio.run(work()) == 1063.0


def test_resuming_lets_those_who_wait_go_within_a_second():
    async def work():
        governed, clock = governor()
        governed.pause(3600)

        async def call():
            async with governed.slot():
                return clock.now()

        async def change():
            await clock.sleep(5.5)
            governed.resume()

        return (await asyncio.gather(call(), call(), change()))[:2]

    assert all(at <= 1006.5 for at in asyncio.run(work()))


def test_requests_a_minute_are_spread_out():
    async def work():
        governed, clock = governor(jobs=50, rpm=60)
        sent = []

        async def call():
            async with governed.slot():
                sent.append(clock.now() - 1000)

        await asyncio.gather(*(call() for _ in range(5)))
        return sent

    assert asyncio.run(work()) == pytest.approx([0, 1, 2, 3, 4])


def test_requests_made_inside_a_call_count_for_requests_a_minute():
    async def work():
        governed, clock = governor(rpm=60)
        async with governed.slot() as slot:
            governed.succeeded(slot, Completion(text="", attempts=3))
        async with governed.slot():
            return clock.now() - 1000

    assert asyncio.run(work()) == pytest.approx(3)


@pytest.mark.parametrize(
    ("usage", "waited"),
    [
        (Usage(input=900, output=100), 0),
        (Usage(input=1900, output=100), 1),
        (Usage(input=4900, output=100), 4),
        (Usage(), 1),
    ],
)
def test_tokens_a_minute_are_reserved_by_estimate_and_settled_by_use(usage, waited):
    async def work():
        governed, clock = governor(tpm=60_000)
        async with governed.slot(2000) as slot:
            governed.succeeded(slot, Completion(text="", usage=usage))
        async with governed.slot(0):
            return clock.now() - 1000

    assert asyncio.run(work()) == pytest.approx(waited, rel=0.03)


def test_tokens_that_come_back_are_noticed_by_the_one_who_waits_for_them():
    async def work():
        governed, clock = governor(tpm=60_000)

        async def first():
            async with governed.slot(61_000) as slot:
                await clock.sleep(2)
                governed.succeeded(slot, OK)

        async def second():
            await asyncio.sleep(0)
            async with governed.slot(1000):
                return clock.now() - 1000

        return (await asyncio.gather(first(), second()))[1]

    assert asyncio.run(work()) <= 3


def test_whoever_is_cancelled_leaves_the_queue_wherever_they_stood():
    async def work(seed):
        chance = random.Random(seed)
        governed, clock = governor(jobs=2, rpm=600 if seed % 2 else None)
        done = []

        async def call(number):
            async with governed.slot():
                await clock.sleep(chance.random())
            done.append(number)

        async def cancel():
            for _ in range(15):
                await clock.sleep(chance.random())
                chance.choice(tasks).cancel()
                if chance.random() < 0.3:
                    governed.pause(chance.random())

        tasks = [asyncio.create_task(call(number)) for number in range(30)]
        await asyncio.gather(cancel(), *tasks, return_exceptions=True)
        await call("afterwards")
        return done, sum(task.cancelled() for task in tasks), governed.in_flight

    for seed in range(20):
        done, cancelled, in_flight = asyncio.run(asyncio.wait_for(work(seed), 30))
        assert in_flight == 0
        assert done[-1] == "afterwards"
        assert len(done) == 31 - cancelled
        assert cancelled > 0


def test_one_who_is_cancelled_just_as_their_turn_comes_passes_it_on():
    async def work():
        governed, _ = governor(jobs=1)
        await governed.enter()

        async def call():
            async with governed.slot():
                return "went"

        head, second, third = (asyncio.create_task(call()) for _ in range(3))
        await settle()
        governed.leave()  # head may go: hands on to the second when it has run
        await asyncio.sleep(0)
        second.cancel()
        return await asyncio.gather(head, second, third, return_exceptions=True)

    head, second, third = asyncio.run(asyncio.wait_for(work(), 30))
    assert (head, third) == ("went", "went")
    assert isinstance(second, asyncio.CancelledError)


def test_no_calls_at_once_is_refused():
    with pytest.raises(ValueError, match="concurrent calls are too few"):
        Governor(jobs=0)


def test_it_says_what_it_is_doing():
    governed, _ = governor()
    assert repr(governed) == "<Governor 0 in flight of 8, 8 at most>"
    assert not governed.counts_tokens
    assert Governor(jobs=1, pace=Pace(tpm=1)).counts_tokens
