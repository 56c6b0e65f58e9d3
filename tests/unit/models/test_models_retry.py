"""What may go through later is asked again, no faster than it should be; what will not is not."""

import asyncio
import random

import pytest

from adjudge.errors import (
    ModelCallError,
    RateLimitedError,
    RejectedError,
    TooLongError,
    UnauthorizedError,
    UnavailableError,
)
from adjudge.models import (
    CallDeadlineError,
    Circuit,
    CircuitOpenError,
    Governor,
    RetryingClient,
    RetryPolicy,
    SharedClient,
)
from adjudge.models.clients.pace import Pace
from adjudge.records import Completion, ModelClient, Usage
from adjudge.testing import FakeClock, ScriptedClient

DOWN = UnavailableError("down", status=500)
LIMITED = RateLimitedError("slow down", status=429)


class Longest(random.Random):
    """Always draws the longest wait."""

    def uniform(self, low, high):
        assert low == 0.0
        return high


class Scene:
    """A retrying client over scripted answers, on a clock that does not wait."""

    def __init__(self, *answers, client=None, jobs=4, proven=True, chance=None, **policy):
        self.clock = FakeClock()
        self.inner = client or ScriptedClient(*answers)
        self.governor = Governor(jobs=jobs, clock=self.clock)
        self.client = RetryingClient(
            self.inner,
            governor=self.governor,
            policy=RetryPolicy(**policy),
            circuit=Circuit(jobs=jobs, clock=self.clock),
            clock=self.clock,
            chance=chance or Longest(),
        )
        if proven:
            self.client.circuit.succeeded()

    def ask(self, request):
        return asyncio.run(self.client.complete(request))

    def ask_all(self, requests):
        """What came of each."""

        async def work():
            asked = (self.client.complete(request) for request in requests)
            return await asyncio.gather(*asked, return_exceptions=True)

        return asyncio.run(work())

    def ask_by_workers(self, requests, workers):
        """As a run does it: so many at a time, each taking the next request when it is free."""
        left, found = iter(requests), []

        async def worker():
            for request in left:
                try:
                    found.append(await self.client.complete(request))
                except ModelCallError as error:
                    found.append(error)

        async def work():
            await asyncio.gather(*(worker() for _ in range(workers)))

        asyncio.run(work())
        return found


def test_a_call_that_goes_well_is_passed_on_as_it_is(make_request):
    scene = Scene(Completion(text="ok"))
    request = make_request()
    completion = scene.ask(request)
    assert completion == Completion(text="ok")
    assert scene.inner.requests == [request]
    assert scene.clock.slept == []
    assert scene.governor.in_flight == 0


@pytest.mark.parametrize("error", [DOWN, LIMITED])
def test_what_is_retryable_is_asked_again_after_waits_that_double(make_request, error):
    scene = Scene(*[error] * 5, "ok")
    completion = scene.ask(make_request())
    assert completion.text == "ok"
    assert completion.attempts == 6
    assert scene.clock.slept == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert scene.governor.errors == {error.kind: 5}


@pytest.mark.parametrize(("error", "proven"), [(DOWN, True), (LIMITED, False)])
def test_the_last_attempt_s_error_is_the_call_s(make_request, error, proven):
    scene = Scene(*[error] * 10, proven=proven)
    with pytest.raises(type(error)) as caught:
        scene.ask(make_request())
    assert caught.value is error
    assert caught.value.attempts == 6
    assert len(scene.inner.requests) == 6
    assert scene.governor.in_flight == 0


@pytest.mark.parametrize(
    "error",
    [
        RejectedError("no", status=400),
        UnauthorizedError("no", status=401),
        UnauthorizedError("no", status=403),
        RejectedError("no", status=404),
        TooLongError("no", status=400),
    ],
)
def test_what_will_not_go_through_is_asked_once(make_request, error):
    scene = Scene(error, "never")
    with pytest.raises(type(error)):
        scene.ask(make_request())
    assert len(scene.inner.requests) == 1
    assert scene.clock.slept == []


def test_waits_are_drawn_from_nothing_to_the_longest(make_request):
    chance = random.Random(7)
    scene = Scene(*[DOWN] * 9, "ok", chance=random.Random(7), most_attempts=10, longest_seconds=3.0)
    scene.ask(make_request())
    longest = [0.5, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    assert scene.clock.slept == [chance.uniform(0.0, high) for high in longest]


def test_attempts_are_all_http_requests_those_with_refused_parameters_too(make_request):
    class Adjusting(ScriptedClient):
        async def complete(self, request):
            try:
                return await super().complete(request)
            except UnavailableError as error:
                error.attempts = 3
                raise

    scene = Scene(client=Adjusting(DOWN, Completion(text="ok", attempts=2)))
    assert scene.ask(make_request()).attempts == 5


def test_an_answer_that_was_lost_on_the_way_and_may_be_billed_is_not_forgotten(make_request):
    lost = UnavailableError("broke off", maybe_billed=True)
    scene = Scene(lost, Completion(text="ok", notes=("left_out:seed",)))
    assert scene.ask(make_request()).notes == ("left_out:seed", "answer_lost")
    scene = Scene(lost, RejectedError("no", status=400))
    with pytest.raises(RejectedError) as caught:
        scene.ask(make_request())
    assert caught.value.maybe_billed
    assert caught.value.attempts == 2
    scene = Scene(DOWN, "ok")
    assert scene.ask(make_request()).notes == ()


def test_while_nothing_has_succeeded_retries_are_few_and_quick(make_request):
    scene = Scene(*[DOWN] * 10, proven=False)
    with pytest.raises(UnavailableError):
        scene.ask(make_request())
    assert scene.clock.slept == [0.5, 1.0, 1.0]


def test_a_rate_limit_is_waited_for_even_when_nothing_has_succeeded_yet(make_request):
    scene = Scene(*[LIMITED] * 5, "ok", proven=False)
    assert scene.ask(make_request()).attempts == 6


def test_retry_after_takes_the_place_of_our_own_wait_and_holds_for_all(make_request):
    told = RateLimitedError("later", status=429, retry_after_seconds=20.0)
    sent = []

    class Client(ScriptedClient):
        async def complete(self, request):
            sent.append(scene.clock.now() - 1000)
            return await super().complete(request)

    scene = Scene(client=Client(told, *["ok"] * 8), jobs=1)
    found = scene.ask_all([make_request() for _ in range(8)])
    assert [completion.text for completion in found] == ["ok"] * 8
    assert sent == [0.0] + [20.0] * 8


def test_a_retry_after_of_next_to_nothing_does_not_make_a_storm(make_request):
    told = RateLimitedError("later", status=429, retry_after_seconds=0.001)
    scene = Scene(*[told] * 5, "ok")
    scene.ask(make_request())
    assert [seconds for seconds in scene.clock.slept if seconds > 0.01] == [0.5, 1.0, 2.0, 4.0, 8.0]


def test_a_service_that_takes_so_many_a_second_gets_its_fill_and_no_call_is_lost(make_request):
    """Refusals while others get through are no reason to give a call up."""

    class Limited(ModelClient):
        name = "limited:m"
        taken = None

        async def complete(self, request):
            now = scene.clock.now()
            self.taken = [at for at in self.taken or [] if at > now - 1.0]
            if len(self.taken) >= 5:
                raise RateLimitedError("slow down", status=429)
            self.taken.append(now)
            await scene.clock.sleep(0.2)
            return Completion(text="ok")

        async def close(self):
            pass

    scene = Scene(client=Limited(), jobs=64, proven=False, chance=random.Random(1))
    found = scene.ask_by_workers([make_request() for _ in range(300)], 64)
    assert [getattr(each, "text", each) for each in found] == ["ok"] * 300
    assert scene.governor.limit < 64
    assert scene.clock.now() - 1000 < 2 * 300 / 5


def test_a_service_that_counts_by_the_minute_and_does_not_say_so_is_waited_for(make_request):
    scene = Scene(*[LIMITED] * 8, "ok")
    assert scene.ask(make_request()).attempts == 9
    assert scene.clock.slept == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0]


def test_and_it_is_given_up_after_a_minute_and_a_half_of_nothing_else(make_request):
    scene = Scene(*[LIMITED] * 99)
    with pytest.raises(RateLimitedError) as caught:
        scene.ask(make_request())
    assert caught.value.attempts == 9


@pytest.mark.parametrize("error", [DOWN, LIMITED])
def test_one_attempt_is_one_attempt(make_request, error):
    scene = Scene(error, "never", most_attempts=1)
    with pytest.raises(type(error)):
        scene.ask(make_request())
    assert len(scene.inner.requests) == 1


def test_a_refusal_that_never_ends_does(make_request):
    """A request the service never takes, while it takes all others."""

    class Picky(ModelClient):
        name = "picky:m"

        async def complete(self, request):
            await scene.clock.sleep(0.5)
            if request.case_id == "big":
                raise RateLimitedError("never", status=429)
            return Completion(text="ok")

        async def close(self):
            pass

    scene = Scene(client=Picky(), jobs=2)
    small = (make_request(case_id="small") for _ in range(10**9))

    async def work():
        async def others():
            for request in small:
                await scene.client.complete(request)

        other = asyncio.create_task(others())
        try:
            await scene.client.complete(make_request(case_id="big"))
        finally:
            other.cancel()

    with pytest.raises(RateLimitedError) as caught:
        asyncio.run(work())
    assert caught.value.attempts == 30


def test_no_slot_is_held_while_a_call_waits_for_its_next_attempt(make_request):
    scene = Scene(DOWN, "ok", "ok", jobs=1)
    first, second = scene.ask_all([make_request(case_id="a"), make_request(case_id="b")])
    assert (first.attempts, second.attempts) == (2, 1)
    assert [request.case_id for request in scene.inner.requests] == ["a", "b", "a"]


def test_a_cancelled_call_leaves_its_slot_and_is_no_failure(make_request):
    class Silent(ScriptedClient):
        async def complete(self, request):
            await asyncio.get_running_loop().create_future()

    async def work():
        scene = Scene(client=Silent(), jobs=2, proven=False)
        calls = [asyncio.create_task(scene.client.complete(make_request())) for _ in range(50)]
        for _ in range(5):
            await asyncio.sleep(0)
        assert scene.governor.in_flight == 2
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        return scene

    scene = asyncio.run(work())
    assert scene.governor.in_flight == 0
    assert scene.governor.errors == {}
    assert not scene.client.circuit.open


def test_a_bug_in_a_client_is_not_retried_and_frees_its_slot(make_request):
    scene = Scene(ZeroDivisionError("bug"), "ok")
    with pytest.raises(ZeroDivisionError):
        scene.ask(make_request())
    assert scene.governor.in_flight == 0
    assert scene.ask(make_request()).text == "ok"


# ---- everything fails ----------------------------------------------------------------------------------


def test_a_wrong_key_ends_a_long_run_after_three_calls(make_request):
    scene = Scene(*[UnauthorizedError("401: set OPENAI_API_KEY", status=401)] * 9, proven=False, jobs=1)
    found = scene.ask_by_workers([make_request() for _ in range(1000)], 1)
    kinds = [error.kind for error in found]
    assert kinds == ["unauthorized"] * 3 + ["circuit_open"] * 997
    assert len(scene.inner.requests) == 3
    assert scene.client.circuit.open
    assert found[-1].message == ("not sent: all 3 calls so far failed; the last one: 401: set OPENAI_API_KEY")


@pytest.mark.parametrize("jobs", [1, 8, 64])
def test_a_dead_server_ends_a_long_run_in_seconds(make_request, jobs):
    scene = Scene(*[DOWN] * 10_000, jobs=jobs, proven=False)
    found = scene.ask_by_workers([make_request() for _ in range(5000)], jobs)
    assert len(found) == 5000
    assert isinstance(found[-1], CircuitOpenError)
    assert len(scene.inner.requests) <= 10 * max(10, jobs)
    assert scene.clock.now() - 1000 <= 15


def test_a_server_that_dies_in_the_middle_ends_the_run_in_a_minute(make_request):
    scene = Scene(*["ok"] * 100, *[DOWN] * 10_000, jobs=8)
    found = scene.ask_by_workers([make_request() for _ in range(5000)], 8)
    assert sum(isinstance(each, Completion) for each in found) == 100
    assert isinstance(found[-1], CircuitOpenError)
    assert scene.clock.now() - 1000 <= 70


def test_those_who_wait_for_a_pause_to_end_are_told_when_the_circuit_opens(make_request):
    scene = Scene(*[UnauthorizedError("no", status=401)] * 3, proven=False, jobs=3)

    async def work():
        calls = [asyncio.create_task(scene.client.complete(make_request())) for _ in range(3)]
        await asyncio.sleep(0)
        scene.governor.pause(3600)
        waiting = asyncio.create_task(scene.client.complete(make_request()))
        return await asyncio.gather(*calls, waiting, return_exceptions=True)

    found = asyncio.run(work())
    assert {type(error) for error in found} <= {UnauthorizedError, CircuitOpenError}
    assert scene.clock.now() - 1000 <= 1


def test_attempts_made_before_the_circuit_opened_are_not_forgotten(make_request):
    scene = Scene(DOWN, "never")

    async def work():
        call = asyncio.create_task(scene.client.complete(make_request()))
        await asyncio.sleep(0)
        for _ in range(10):
            scene.client.circuit.call_failed(UnauthorizedError("no", status=401))
        await call

    with pytest.raises(CircuitOpenError) as caught:
        asyncio.run(work())
    assert caught.value.attempts == 1


# ---- the deadline --------------------------------------------------------------------------------------


def test_a_call_that_hangs_is_cut_at_its_deadline_in_flight(make_request):
    class Silent(ScriptedClient):
        async def complete(self, request):
            await asyncio.get_running_loop().create_future()

    scene = Scene(client=Silent(), call_deadline_seconds=0.02)
    with pytest.raises(CallDeadlineError) as caught:
        scene.ask(make_request())
    assert caught.value.message == "no answer within the 0.02 seconds a call may take"
    assert caught.value.kind == "deadline"
    assert caught.value.maybe_billed
    assert caught.value.attempts == 1
    assert scene.governor.in_flight == 0
    assert scene.governor.errors == {"deadline": 1}


def test_a_wait_that_would_end_after_the_deadline_ends_the_call(make_request):
    scene = Scene(*[DOWN] * 9, call_deadline_seconds=3.0)
    with pytest.raises(CallDeadlineError) as caught:
        scene.ask(make_request())
    assert scene.clock.slept == [0.5, 1.0]
    assert caught.value.message == (
        "no answer within the 3 seconds a call may take; failed attempts: 3; the last error: down"
    )
    assert caught.value.attempts == 3


def test_a_pause_longer_than_a_call_may_take_is_not_waited_for(make_request):
    told = RateLimitedError("tomorrow", status=429, retry_after_seconds=40_000.0)
    scene = Scene(told, "never", call_deadline_seconds=60.0)
    first = scene.ask_all([make_request()])[0]
    second = scene.ask_all([make_request()])[0]
    assert isinstance(first, CallDeadlineError)
    assert "scripted:test asks for 40000 seconds more" in first.message
    assert isinstance(second, CallDeadlineError)
    assert len(scene.inner.requests) == 1
    assert scene.clock.now() == 1000


def test_the_time_in_our_own_queue_is_not_the_call_s(make_request):
    scene = Scene(*["ok"] * 10, jobs=10, call_deadline_seconds=5.0)
    scene.governor = scene.client.governor = Governor(
        jobs=10, pace=Pace(rpm=1, clock=scene.clock), clock=scene.clock
    )
    found = scene.ask_all([make_request() for _ in range(10)])
    assert [completion.text for completion in found] == ["ok"] * 10
    assert scene.clock.now() - 1000 == pytest.approx(9 * 60)


def test_a_timeout_of_the_client_s_own_is_left_alone(make_request):
    scene = Scene(TimeoutError("its own"), call_deadline_seconds=60.0)
    with pytest.raises(TimeoutError, match="its own"):
        scene.ask(make_request())


@pytest.mark.parametrize("options", [{"most_attempts": 0}, {"call_deadline_seconds": 0}])
def test_a_policy_that_cannot_be_followed_is_refused(options):
    with pytest.raises(ValueError):
        RetryPolicy(**options)


# ---- as a client ---------------------------------------------------------------------------------------


def test_tokens_are_estimated_only_for_a_governor_that_counts_them(make_request):
    scene = Scene(Completion(text="ok", usage=Usage(input=100, output=10)), "ok")
    scene.client.governor = Governor(jobs=1, pace=Pace(tpm=60, clock=scene.clock), clock=scene.clock)
    scene.ask(make_request("x" * 400, max_output_tokens=20))
    scene.ask(make_request("x" * 400, max_output_tokens=20))
    assert scene.clock.now() - 1000 == pytest.approx(110)


def test_it_is_the_client_inside_by_name_and_closes_it():
    scene = Scene()
    asyncio.run(scene.client.close())
    assert scene.inner.closed
    assert scene.client.name == "scripted:test"
    assert scene.client.base_url == scene.inner.base_url
    assert repr(scene.client).startswith("RetryingClient(")


def test_wrappers_go_around_each_other(make_request):
    scene = Scene(DOWN, Completion(text="list", attempts=2))
    shared = SharedClient(scene.client)

    async def work():
        return await asyncio.gather(*(shared.complete(make_request(shared=True)) for _ in range(3)))

    found = asyncio.run(work())
    assert sorted(completion.attempts for completion in found) == [0, 0, 3]


def test_without_more_said_it_has_a_circuit_of_its_own():
    client = RetryingClient(ScriptedClient(), governor=Governor(jobs=2))
    assert not client.circuit.open
    assert client.policy == RetryPolicy()
