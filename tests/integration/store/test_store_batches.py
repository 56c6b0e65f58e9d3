"""Batches are written down before they are sent, until everything that came of them is stored."""

from contextlib import closing
from datetime import timedelta

import pytest
from msgspec.structs import replace

from adjudge.store import BatchContent, BatchRecord, CloseBatch, Spending, open_store


@pytest.fixture
def make_batch(make):
    def batch(batch_id="adjudge-1", *, run_id="r1", model="openai:m", seconds=0):
        return BatchRecord(
            batch_id=batch_id,
            run_id=run_id,
            model=model,
            content=BatchContent(
                keys=(make.key("a"), make.key("b")),
                drawn=(Spending(1, 20), Spending(1, 30)),
                adjustments={"left_out": ["temperature"], "renamed": [], "format_step": 1},
            ),
            at=make.at + timedelta(seconds=seconds),
        )

    return batch


@pytest.fixture
def reply(make):
    def completion(name, seconds=0):
        return replace(make.pair(key=make.key(name))[0], at=make.at + timedelta(seconds=seconds))

    return completion


def test_a_batch_is_read_back_in_another_process(where, store, make_batch):
    batch = make_batch()
    store.keep_batch(batch)
    with closing(open_store(where)) as other:
        assert other.batches_under_way("r1", "openai:m") == [batch]
        assert other.batches_under_way("r2", "openai:m") == []
        assert other.batches_under_way("r1", "openai:n") == []


def test_batches_come_in_the_order_in_which_they_were_made(store, make_batch):
    for number in (3, 1, 2):
        store.keep_batch(make_batch(f"adjudge-{number}", seconds=number))
    found = store.batches_under_way("r1", "openai:m")
    assert [batch.batch_id for batch in found] == ["adjudge-1", "adjudge-2", "adjudge-3"]


@pytest.mark.parametrize("provider_id", ["batch_1", "\0 '; DROP TABLE batches; -- \ud800"])
def test_the_providers_id_is_kept_whatever_it_is(store, provider_id, make_batch):
    store.keep_batch(make_batch(model="openai:\ud800'm" * 200))
    store.batch_submitted("adjudge-1", provider_id)
    (found,) = store.batches_under_way("r1", "openai:\ud800'm" * 200)
    assert found.provider_id == provider_id


def test_replies_that_came_since_are_collected_and_earlier_ones_are_not(store, make, make_batch, reply):
    store.write([reply("a", -1), reply("b")])
    store.keep_batch(make_batch())
    (found,) = store.batches_under_way("r1", "openai:m")
    assert found.collected == {make.key("b")}


def test_a_batch_ends_with_the_writes_that_it_comes_with(store, make, make_batch, reply):
    store.keep_batch(make_batch())
    store.write([reply("a"), CloseBatch(batch_id="adjudge-1")])
    assert store.batches_under_way("r1", "openai:m") == []
    assert store.find_completions([make.key("a")])


def test_a_run_that_is_removed_takes_its_batches_along(store, make, make_batch):
    store.write([make.run()])
    store.keep_batch(make_batch())
    store.keep_batch(make_batch("adjudge-2", run_id="r2"))
    store.remove_run("r1")
    assert store.batches_under_way("r1", "openai:m") == []
    assert len(store.batches_under_way("r2", "openai:m")) == 1
