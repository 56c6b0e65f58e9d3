"""Requests and tokens a minute are counted once for all processes of a run, and what one has met the others learn."""

from contextlib import closing

import pytest

from adjudge.rates import Flow, FlowLimit, FlowWish, News, Rate
from adjudge.store import Process, TellNews, open_store

ONE_A_MINUTE = FlowLimit(requests=Rate(1))
NO_LIMIT = FlowLimit()
ONE = FlowWish(Flow(1.0))
NOTHING = FlowWish(Flow())


@pytest.fixture
def other(where, store):
    """The same store in another process, as far as it can tell."""
    with closing(open_store(where)) as other:
        yield other


def test_one_bucket_for_all_processes_of_a_run(store, other):
    mine, theirs = Process("r1", "a"), Process("r1", "b")
    assert store.draw_pace(mine, ONE, ONE_A_MINUTE)[:2] == (1, 0.0)
    granted, wait, *_ = other.draw_pace(theirs, ONE, ONE_A_MINUTE)
    assert granted == 0
    assert 0 < wait <= 60
    assert other.draw_pace(Process("r2", "b"), ONE, ONE_A_MINUTE).granted == 1


def test_what_one_process_gives_back_another_may_use(store, other):
    limit = FlowLimit(tokens=Rate(60))
    assert store.draw_pace(Process("r1", "a"), FlowWish(Flow(1.0, 30.0)), limit).granted == 1
    assert other.draw_pace(Process("r1", "b"), FlowWish(Flow(1.0, 1.0)), limit).granted == 0
    returned = FlowWish(Flow(1.0, 1.0), settled=Flow(0.0, -30.0))
    assert store.draw_pace(Process("r1", "a"), returned, limit).granted == 1


def test_what_a_process_has_met_the_others_learn_once(store, other):
    told = News("openai:m", paused_seconds=1_000.0)
    store.write([TellNews(process=Process("r1", "a"), news=told)])
    drawn = other.draw_pace(Process("r1", "b"), NOTHING, NO_LIMIT)
    (news,) = drawn.news
    assert (news.model, news.broken) == ("openai:m", None)
    assert 900 < news.paused_seconds <= 1_000
    assert store.draw_pace(Process("r1", "a"), NOTHING, NO_LIMIT).news == ()
    assert other.draw_pace(Process("r1", "b", drawn.at), NOTHING, NO_LIMIT).news == ()
    assert other.draw_pace(Process("r2", "b"), NOTHING, NO_LIMIT).news == ()


def test_the_longest_pause_and_the_last_word_on_a_model_count(store, other):
    process = Process("r1", "a")
    hostile = "all calls failed\0; the last one: \ud800"
    for news in (
        News("m", paused_seconds=500.0),
        News("m", paused_seconds=1.0),
        News("n", broken=hostile),
        News("o", broken="x"),
        News("o"),
    ):
        store.write([TellNews(process=process, news=news)])
    found = {news.model: news for news in other.draw_pace(Process("r1", "b"), NOTHING, NO_LIMIT).news}
    assert found["m"].paused_seconds > 400
    assert found["n"].broken == hostile
    assert found["o"].broken is None


def test_a_removed_run_leaves_none_of_it(store):
    process = Process("r1", "a")
    store.write([TellNews(process=process, news=News("m", broken="x"))])
    store.draw_pace(process, ONE, ONE_A_MINUTE)
    store.remove_run("r1")
    drawn = store.draw_pace(Process("r1", "b"), ONE, ONE_A_MINUTE)
    assert (drawn.granted, drawn.news) == (1, ())
