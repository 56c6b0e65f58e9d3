"""Nobody is at work when every task waits for another."""

import asyncio

from adjudge.runs.batch_api.activity import Activity


async def turns(number):
    for _ in range(number):
        await asyncio.sleep(0)


def test_quiet_comes_when_all_wait_and_again_after_work():
    async def run():
        activity, woken = Activity(), asyncio.Event()
        quiet = []
        activity.on_quiet = lambda: quiet.append(len(quiet))

        async def work():
            with activity.working:
                await asyncio.sleep(0)
                assert quiet == []
                with activity.waiting:
                    await woken.wait()
                assert quiet == [0]

        tasks = [asyncio.create_task(work()) for _ in range(3)]
        await turns(100)
        woken.set()
        await asyncio.gather(*tasks)
        await turns(100)
        return quiet

    assert asyncio.run(run()) == [0, 1]


def test_a_task_that_was_woken_and_has_not_begun_is_not_quiet():
    """Passing something on takes some turns of the loop in which nobody is counted."""

    async def run():
        activity = Activity()
        quiet = []
        activity.on_quiet = lambda: quiet.append("quiet")

        async def hand_on(number):
            await turns(number)
            with activity.working:
                assert quiet == []
                await turns(50)
                assert quiet == []

        with activity.working:
            handed = asyncio.create_task(hand_on(5))
        await handed
        await turns(100)
        assert quiet == ["quiet"]

    asyncio.run(run())


def test_without_a_listener_nothing_is_looked_for():
    activity = Activity()
    with activity.working, activity.waiting:
        pass


def test_tasks_that_follow_each_other_through_a_lock_are_at_work_until_the_last():
    """Each is counted for a part of one turn, and nobody is between two of them."""

    async def run():
        activity, lock = Activity(), asyncio.Lock()
        quiet, done = [], []
        activity.on_quiet = lambda: quiet.append(len(done))

        async def follow(number):
            with activity.working:
                with activity.waiting:
                    async with lock:
                        pass
                done.append(number)

        await lock.acquire()
        tasks = [asyncio.create_task(follow(number)) for number in range(90)]
        await turns(3)
        lock.release()
        await asyncio.gather(*tasks)
        await turns(100)
        return quiet

    assert asyncio.run(run()) == [90]
