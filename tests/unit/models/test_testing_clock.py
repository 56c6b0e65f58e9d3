"""The clock without waiting: it wakes in order of time, and time passes only when everyone sleeps."""

import asyncio

from adjudge.testing import FakeClock


def test_sleepers_wake_in_order_of_time_and_see_it():
    async def work():
        clock, woken = FakeClock(start=0.0), []

        async def sleeper(seconds):
            await clock.sleep(seconds)
            woken.append((seconds, clock.now()))

        await asyncio.gather(*(sleeper(seconds) for seconds in (3600.0, 5.0, 0.0, 60.0)))
        return woken, clock.slept

    woken, slept = asyncio.run(work())
    assert woken == [(0.0, 0.0), (5.0, 5.0), (60.0, 60.0), (3600.0, 3600.0)]
    assert slept == [3600.0, 5.0, 0.0, 60.0]


def test_time_does_not_pass_while_someone_works():
    async def work():
        clock = FakeClock(start=0.0)

        async def busy():
            for _ in range(10):
                await asyncio.sleep(0)
            return clock.now()

        return (await asyncio.gather(clock.sleep(9), busy()))[1]

    assert asyncio.run(work()) == 0.0


def test_one_who_is_cancelled_in_their_sleep_does_not_move_time():
    async def work():
        clock = FakeClock(start=0.0)
        sleeper = asyncio.create_task(clock.sleep(100))
        await asyncio.sleep(0)
        sleeper.cancel()
        await clock.sleep(1)
        clock.advance(2)
        return clock.now()

    assert asyncio.run(work()) == 3.0
