"""The engine reads what the merged model says, at the places asked for, whoever else is asking."""

import asyncio
import itertools

import numpy as np
import pytest
from plain_llama import plain_outputs
from tiny_judge import write_tiny_judge

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.base import read_base
from adjudge.embedded.model.engine import BATCH_TOKENS, WORKED, Engine, Waiting, take_batch, usable_cores
from adjudge.embedded.model.files import CacheError
from adjudge.embedded.model.merge import WEIGHTS, add, build, merge
from adjudge.embedded.model.questions import HEADS, TokenSequence


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    base, adapter = write_tiny_judge(folder)
    return merge(base, adapter, environ={"ADJUDGE_CACHE": str(folder / "cache")}), base, adapter


@pytest.fixture
def engine(files):
    opened = Engine.open(files[0], workers=2)
    yield opened
    opened.close()


def sequence(length, *positions):
    tokens = [(7 * place + length) % 250 + 3 for place in range(length)]
    return TokenSequence(tokens=tokens, positions=list(positions) or [length - 1])


def test_the_outputs_are_those_of_the_plain_model(files, tmp_path):
    """In floats; what int8 changes depends on the processor, and is measured on the trained model."""
    build(files[1], files[2], tmp_path, made_from=("base", "adapter"), quantization=None)
    engine = Engine.open(tmp_path, workers=1)
    base, adapter = read_base(files[1]), read_adapter(files[2])
    weights = dict(base.weights)
    add(adapter, weights)
    asked = [sequence(length) for length in (3, 9, 30, 31)]
    for question in HEADS:
        found = asyncio.run(engine.logits(question, asked))
        for one, outputs in zip(asked, found, strict=True):
            wanted = plain_outputs(weights, base.config, one.tokens, adapter.heads[question])[-1]
            assert outputs[0] == pytest.approx(wanted.tolist(), abs=1e-3)
    engine.close()


def test_unequal_lengths_in_one_batch_change_nothing(engine):
    asked = [sequence(length) for length in (2, 60, 7, 33, 34, 1, 150)]
    together = asyncio.run(engine.logits("helpful", asked))
    alone = [asyncio.run(engine.logits("helpful", [one]))[0] for one in asked]
    assert np.allclose(np.array(together), np.array(alone), atol=1e-4)


def test_many_places_are_read_from_one_pass(engine):
    places = [4, 11, 19]
    (found,) = asyncio.run(engine.logits("states", [sequence(20, *places)]))
    tokens = sequence(20).tokens
    alone = [TokenSequence(tokens=tokens[: place + 1], positions=[place]) for place in places]
    assert np.allclose(
        np.array(found), np.array(asyncio.run(engine.logits("states", alone)))[:, 0], atol=1e-4
    )


def test_each_question_has_its_own_outputs(engine):
    for question, count in HEADS.items():
        assert len(asyncio.run(engine.logits(question, [sequence(5)]))[0][0]) == count


def test_tasks_that_ask_at_the_same_time_each_get_their_own_answer(engine):
    async def ask(length):
        return await engine.logits("correct", [sequence(length)])

    async def all_at_once():
        return await asyncio.gather(*(ask(length) for length in range(1, 40)))

    together = asyncio.run(all_at_once())
    alone = [asyncio.run(ask(length)) for length in range(1, 40)]
    assert np.allclose(np.array(together), np.array(alone), atol=1e-4)


def test_waiting_for_a_free_core_is_no_work(files):
    opened = Engine.open(files[0], workers=1)
    opened._clock = itertools.count().__next__  # a second passes between any two looks

    async def ask():
        worked = []
        WORKED.set(worked)
        await opened.logits("correct", [sequence(BATCH_TOKENS)])
        return worked

    async def all_at_once():
        return await asyncio.gather(*(ask() for _ in range(5)))

    assert asyncio.run(all_at_once()) == [[1]] * 5
    opened.close()


def test_whoever_gives_up_does_not_hold_up_the_others(engine):
    async def some_give_up():
        tasks = [asyncio.create_task(engine.logits("correct", [sequence(120)])) for _ in range(30)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = asyncio.run(some_give_up())
    assert all(isinstance(one, asyncio.CancelledError) for one in found[::2])
    assert all(one == found[1] for one in found[1::2])


def test_a_failure_reaches_the_one_who_asked_and_the_engine_resumes(engine):
    with pytest.raises(IndexError):
        asyncio.run(engine.logits("correct", [sequence(5, 99)]))
    assert asyncio.run(engine.logits("correct", [sequence(5)]))


def test_asking_nothing_gives_nothing(engine):
    assert asyncio.run(engine.logits("states", [])) == []


def test_a_batch_begins_with_the_oldest_and_takes_what_is_near_in_length():
    waiting = [Waiting(sequence(length), slice(0, 1)) for length in (50, 5, 49, 400, 52, 51)]
    first = take_batch(waiting)
    assert sorted(len(one.asked.tokens) for one in first) == [49, 50, 51]
    assert len(first) * 51 <= BATCH_TOKENS
    assert [len(one.asked.tokens) for one in waiting] == [5, 400, 52]


def test_a_sequence_longer_than_a_batch_goes_alone():
    waiting = [Waiting(sequence(length), slice(0, 1)) for length in (400, 399)]
    assert [len(one.asked.tokens) for one in take_batch(waiting)] == [400]
    assert take_batch([]) == []


def test_the_tokens_come_with_the_model(engine):
    assert engine.tokens.encode("yes") == [engine.tokens.vocabulary.index("yes")]


def test_a_damaged_model_is_not_opened(files, tmp_path):
    copied = tmp_path / "copied"
    copied.mkdir()
    for path in files[0].iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    Engine.open(copied, workers=1).close()
    (copied / WEIGHTS).write_bytes(b"nothing of the kind")
    with pytest.raises(CacheError, match="adjudge models pull"):
        Engine.open(copied)


def test_no_workers_is_refused(files):
    with pytest.raises(ValueError, match="0 workers"):
        Engine.open(files[0], workers=0)


def test_there_is_at_least_one_core():
    assert usable_cores() >= 1
