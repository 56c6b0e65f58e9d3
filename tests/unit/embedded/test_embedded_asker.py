"""The model behind its questions: windows over long texts, steps that never rise, and a tiny real model end to end."""

import asyncio

import pytest
from tiny_judge import write_tiny_judge

from adjudge.embedded.model.adapter import read_adapter
from adjudge.embedded.model.engine import Engine
from adjudge.embedded.model.files import CacheError
from adjudge.embedded.model.merge import merge
from adjudge.embedded.model.small_model import WINDOW_TOKENS, ModelAnswer, SmallModel, descending, windows
from adjudge.embedded.ready import find_merged


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    base, adapter = write_tiny_judge(folder)
    merged = merge(base, adapter, environ={"ADJUDGE_CACHE": str(folder / "cache")})
    opened = SmallModel(Engine.open(merged, workers=1), read_adapter(adapter))
    yield opened
    opened.close()


def test_every_question_is_answered_in_probabilities(model):
    async def ask():
        return (
            await model.correct(question="q", expected=["a", "b"], response="r"),
            await model.states(text="One. Two.", statements=["One.", "Three."]),
            await model.relevant(question="q", response="r"),
            await model.helpful(question="q", response="r"),
        )

    said = asyncio.run(ask())
    assert [len(one.probabilities) for one in said] == [1, 2, 5, 3]
    assert all(0 <= probability <= 1 for one in said for probability in one.probabilities)
    assert all(one.tokens > 0 for one in said)


def test_a_statement_counts_where_any_window_of_a_long_text_states_it(model):
    sentence = "The harbour is forty miles from the depot by the coastal road. "
    text = sentence * 40
    pieces = windows(model._engine.tokens, text)
    assert len(pieces) > 1
    assert all(len(model._engine.tokens.encode(piece)) <= WINDOW_TOKENS for piece in pieces)
    whole = asyncio.run(model.states(text=text, statements=["a", "b"]))
    parts = [asyncio.run(model.states(text=piece, statements=["a", "b"])) for piece in pieces]
    for place in range(2):
        assert whole.probabilities[place] == pytest.approx(
            max(part.probabilities[place] for part in parts), abs=1e-4
        )


def test_no_statements_need_no_reading(model):
    assert asyncio.run(model.states(text="anything", statements=[])).probabilities == []


def test_steps_never_rise():
    assert descending(ModelAnswer([0.9, 0.4, 0.6], 1)).probabilities == [0.9, 0.4, 0.4]


def test_a_model_that_is_not_there_is_named_with_what_to_type(tmp_path):
    with pytest.raises(CacheError, match="models pull"):
        find_merged({"ADJUDGE_CACHE": str(tmp_path)})
