"""So many a minute, over any stretch of time, with what was not used given back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.clients.limit import Bucket


def test_a_second_s_worth_goes_at_once_and_the_rest_at_its_pace():
    bucket = Bucket(120, now=0.0)
    gone = []
    now = 0.0
    for _ in range(6):
        now += bucket.seconds_until(1, now)
        bucket.spend(1)
        gone.append(now)
    assert gone == pytest.approx([0, 0, 0.5, 1.0, 1.5, 2.0])


def test_a_slow_pace_still_lets_one_go_at_once():
    bucket = Bucket(6, now=0.0)
    assert bucket.seconds_until(1, 0.0) == 0
    bucket.spend(1)
    assert bucket.seconds_until(1, 0.0) == pytest.approx(10)


def test_more_than_the_bucket_holds_goes_when_it_is_full_and_leaves_a_debt():
    bucket = Bucket(6000, now=0.0)
    assert bucket.seconds_until(1000, 0.0) == 0
    bucket.spend(1000)
    assert bucket.seconds_until(1, 0.0) == pytest.approx(9.01)


def test_what_was_not_used_is_given_back_and_what_was_used_on_top_is_taken():
    bucket = Bucket(6000, now=0.0)
    bucket.spend(100)
    bucket.spend(-60)
    assert bucket.seconds_until(60, 0.0) == 0
    bucket.spend(150)
    assert bucket.seconds_until(10, 0.0) == pytest.approx(1.0)


def test_an_idle_hour_does_not_save_up_a_burst():
    bucket = Bucket(60, now=0.0)
    bucket.seconds_until(1, 3600.0)
    bucket.spend(1)
    assert bucket.seconds_until(1, 3600.0) == pytest.approx(1.0)


@pytest.mark.parametrize("pace", [0, -1])
def test_nothing_a_minute_is_not_a_pace(pace):
    with pytest.raises(ValueError, match="not a rate"):
        Bucket(pace, now=0.0)


@given(st.integers(1, 10_000), st.lists(st.floats(0, 3), min_size=1, max_size=200))
def test_no_minute_ever_has_more_than_its_number_and_a_burst(per_minute, idle):
    bucket = Bucket(per_minute, now=0.0)
    now, gone = 0.0, []
    for seconds in idle:
        now += seconds
        now += bucket.seconds_until(1, now)
        bucket.spend(1)
        gone.append(now)
    burst = max(1.0, per_minute / 60)
    for start in gone[:20]:
        assert sum(start <= at < start + 60 for at in gone) <= per_minute + burst + 1
