"""So many a minute, over any stretch of time, with what was not used given back; and one bucket for all processes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.rates import PORTION, Flow, FlowLimit, FlowWish, FullAt, Rate, draw_flow

ONE = Flow(1.0)


class Bucket:
    """Requests alone."""

    def __init__(self, per_minute):
        self.limit = FlowLimit(requests=Rate(per_minute))
        self.full_at = FullAt()

    def draw(self, amount, now, *, most=1, settled=0.0):
        wish = FlowWish(Flow(amount), most, Flow(settled))
        granted, wait, self.full_at = draw_flow(self.full_at, now, wish, self.limit)
        return granted, wait


def test_a_second_s_worth_goes_at_once_and_the_rest_at_its_pace():
    bucket = Bucket(120)
    gone = []
    now = 0.0
    for _ in range(6):
        granted, wait = bucket.draw(1, now)
        if not granted:
            now += wait
            assert bucket.draw(1, now) == (1, 0)
        gone.append(now)
    assert gone == pytest.approx([0, 0, 0.5, 1.0, 1.5, 2.0], abs=0.1)


def test_a_slow_pace_still_lets_one_go_at_once():
    bucket = Bucket(6)
    assert bucket.draw(1, 0.0) == (1, 0)
    assert bucket.draw(1, 0.0) == (0, pytest.approx(10))


def test_more_than_the_bucket_holds_goes_when_it_is_full_and_leaves_a_debt():
    bucket = Bucket(6000)
    assert bucket.draw(1000, 0.0) == (1, 0)
    assert bucket.draw(1, 0.0) == (0, pytest.approx(9.01, rel=0.03))


def test_a_request_of_more_than_ten_minutes_worth_is_waited_for_too():
    bucket = Bucket(60)
    assert bucket.draw(1000, 0.0) == (1, 0)
    assert bucket.draw(1000, 1.0) == (0, pytest.approx(999))
    assert bucket.draw(1000, 2.0, settled=-990) == (0, pytest.approx(8))
    assert bucket.draw(1000, 10.0) == (1, 0)


def test_what_another_clock_wrote_is_forgotten():
    bucket = Bucket(60)
    bucket.draw(1, 10_000.0)
    assert bucket.draw(1, 0.0) == (1, 0)


def test_what_was_not_used_is_given_back_and_what_was_used_on_top_is_taken():
    bucket = Bucket(6000)
    bucket.draw(100, 0.0)
    assert bucket.draw(60, 0.0, settled=-60) == (1, 0)
    granted, wait = bucket.draw(10, 0.0, settled=90)
    assert (granted, wait) == (0, pytest.approx(1.0, rel=0.03))


def test_an_idle_hour_does_not_save_up_a_burst_nor_does_what_is_given_back():
    bucket = Bucket(60)
    assert bucket.draw(1, 3600.0, settled=-50)[0] == 1
    assert bucket.draw(1, 3600.0)[1] == pytest.approx(1.0)


def test_one_process_draws_at_most_a_part_of_what_may_go_at_once():
    bucket = Bucket(6000)
    assert bucket.draw(1, 0.0, most=1000)[0] == 100 * PORTION
    assert bucket.draw(1, 0.0, most=3)[0] == 3
    left = [bucket.draw(1, 0.0, most=1000)[0] for _ in range(4)]
    assert left == [25, 25, 22, 0]


def test_requests_and_tokens_go_together_or_not_at_all():
    limit = FlowLimit(requests=Rate(6000), tokens=Rate(60_000))
    each = Flow(1.0, 600.0)
    granted, wait, full_at = draw_flow(FullAt(), 0.0, FlowWish(each, 10), limit)
    assert (granted, wait) == (1, 0)
    granted, wait, again = draw_flow(full_at, 0.0, FlowWish(each, 10), limit)
    assert granted == 0
    assert wait == pytest.approx(0.2, rel=0.03)
    assert again == full_at


@pytest.mark.parametrize("pace", [0, -1])
def test_nothing_a_minute_is_not_a_pace(pace):
    with pytest.raises(ValueError, match="not a rate"):
        Rate(pace)


@given(
    st.integers(1, 5_000),
    st.lists(st.tuples(st.floats(0, 3), st.integers(1, 50)), min_size=1, max_size=200),
)
def test_no_minute_ever_has_more_than_its_number(per_minute, asked):
    bucket = Bucket(per_minute)
    now, gone = 0.0, []
    for seconds, most in asked:
        now += seconds
        granted, wait = bucket.draw(1, now, most=most)
        if not granted:
            now += wait + 1e-6
            granted, _ = bucket.draw(1, now, most=most)
        gone += [now] * granted
    for start in gone[:20]:
        assert sum(start <= at < start + 60 for at in gone) <= per_minute
