"""The circuit opens when everything fails, soon when it is hopeless, and never for what is no sign of that."""

import pytest

from adjudge.errors import (
    AccountExhaustedError,
    RateLimitedError,
    RejectedError,
    TooLongError,
    UnauthorizedError,
    UnavailableError,
)
from adjudge.models import Circuit, CircuitOpenError
from adjudge.testing import FakeClock

DOWN = UnavailableError("could not connect to 127.0.0.1:1")
KEY = UnauthorizedError("openai:m answered 401: wrong key; check the key in OPENAI_API_KEY", status=401)


def circuit(jobs=4):
    clock = FakeClock()
    return Circuit(jobs=jobs, clock=clock), clock


def fail(circuit, error, calls=1, attempts=1):
    for _ in range(calls):
        for _ in range(attempts):
            circuit.attempt_failed(error)
        circuit.call_failed(error)


@pytest.mark.parametrize(
    "error",
    [
        KEY,
        UnauthorizedError("no", status=403),
        RejectedError("no such model", status=404),
    ],
)
def test_three_hopeless_calls_open_it_while_nothing_has_succeeded(error):
    watched, _ = circuit(jobs=64)
    fail(watched, error, 2)
    assert not watched.open
    fail(watched, error)
    assert watched.open
    assert watched.why == f"all 3 calls so far failed; the last one: {error.message}"


@pytest.mark.parametrize("proven", [False, True])
def test_an_account_that_is_used_up_opens_it_at_once(proven):
    watched, _ = circuit(jobs=64)
    if proven:
        watched.succeeded()
    fail(watched, AccountExhaustedError("insufficient quota", status=429))
    assert watched.why == "the account is used up; the last one: insufficient quota"


def test_the_error_of_an_open_circuit_says_why_and_is_not_worth_another_try():
    watched, _ = circuit()
    fail(watched, KEY, 3)
    error = watched.error()
    assert isinstance(error, CircuitOpenError)
    assert error.kind == "circuit_open"
    assert not error.retryable
    assert error.message.startswith("not sent: all 3 calls so far failed")
    assert "OPENAI_API_KEY" in error.message
    assert "OPENAI_API_KEY" in repr(watched)


@pytest.mark.parametrize(("jobs", "calls"), [(1, 10), (4, 10), (64, 128)])
@pytest.mark.parametrize("error", [DOWN, RejectedError("bad request", status=400), RateLimitedError("slow")])
def test_other_failures_take_as_many_given_up_calls_as_are_in_flight_twice(jobs, calls, error):
    watched, _ = circuit(jobs)
    fail(watched, error, calls - 1)
    assert not watched.open
    fail(watched, error)
    assert watched.open


def test_ten_seconds_of_nothing_but_failed_attempts_open_it():
    watched, clock = circuit(jobs=4)
    for _ in range(4):
        watched.attempt_failed(DOWN)
    assert not watched.open
    clock.advance(9.9)
    watched.attempt_failed(DOWN)
    assert not watched.open
    clock.advance(0.1)
    watched.attempt_failed(DOWN)
    assert watched.open
    assert watched.why.startswith("for 10 seconds every attempt failed (6 of them)")


def test_a_few_failures_among_many_slow_calls_do_not_open_it():
    watched, clock = circuit(jobs=64)
    for _ in range(63):
        watched.attempt_failed(DOWN)
        clock.advance(10)
    assert not watched.open


def test_being_told_to_slow_down_for_long_is_no_sign_of_a_dead_service():
    watched, clock = circuit(jobs=1)
    for _ in range(100):
        watched.attempt_failed(RateLimitedError("slow down"))
        clock.advance(10)
    assert not watched.open


def test_prompts_that_are_too_long_say_nothing_about_the_service():
    watched, _ = circuit()
    fail(watched, TooLongError("too long"), 100)
    assert not watched.open


def test_calls_it_refused_itself_do_not_count():
    watched, _ = circuit()
    fail(watched, CircuitOpenError("not sent"), 100)
    assert not watched.open


def test_a_success_starts_the_count_again():
    watched, _ = circuit(jobs=4)
    for _ in range(10):
        fail(watched, KEY, 2)
        fail(watched, DOWN, 7)
        watched.succeeded()
    assert not watched.open


def test_a_service_that_has_answered_is_given_half_a_minute():
    watched, clock = circuit(jobs=4)
    watched.succeeded()
    fail(watched, DOWN, 100, attempts=6)
    assert not watched.open
    clock.advance(29)
    fail(watched, DOWN)
    assert not watched.open
    clock.advance(1)
    fail(watched, DOWN)
    assert watched.open
    assert watched.why.startswith("the last 102 calls all failed")


def test_half_a_minute_of_silence_and_one_failure_do_not_open_it():
    watched, clock = circuit(jobs=4)
    watched.succeeded()
    fail(watched, DOWN)
    clock.advance(3600)
    fail(watched, DOWN)
    assert not watched.open


def test_a_key_that_is_withdrawn_in_the_middle_opens_it_without_waiting():
    watched, _ = circuit(jobs=4)
    watched.succeeded()
    fail(watched, KEY, 9)
    assert not watched.open
    fail(watched, KEY)
    assert watched.open


def test_a_call_that_was_on_its_way_and_succeeds_closes_it():
    watched, _ = circuit()
    fail(watched, KEY, 3)
    watched.succeeded()
    assert not watched.open
    assert watched.why == ""
    assert watched.proven


def test_what_opened_it_stays_the_reason():
    watched, _ = circuit()
    fail(watched, KEY, 3)
    fail(watched, DOWN, 100)
    assert watched.why.endswith(KEY.message)
