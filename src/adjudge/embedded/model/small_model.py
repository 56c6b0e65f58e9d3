"""The small model, open: texts in, calibrated probabilities out."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, Self

from adjudge.embedded.model.adapter import Adapter, read_adapter
from adjudge.embedded.model.engine import Engine
from adjudge.embedded.model.questions import (
    Question,
    TokenSequence,
    ask_correct,
    ask_helpful,
    ask_relevant,
    ask_states,
    ask_supported,
)
from adjudge.embedded.model.tokens import ModelTokenizer
from adjudge.embedded.reading.evidence import nearest_sentences
from adjudge.embedded.reading.legible import seen
from adjudge.embedded.reading.sentences import split_sentences
from adjudge.embedded.ready import ADAPTER, find_merged

WINDOW_TOKENS = 480
"""Of a text that is longer than the model was trained on; each window begins with the last sentence of the one before."""

EVIDENCE_CHARACTERS = 900
"""Of a context that a claim is read behind: the sentences nearest to it."""


class ModelAnswer(NamedTuple):
    """The probabilities that were asked for, and what was read to know them."""

    probabilities: list[float]
    tokens: int
    read: tuple[str, ...] = ()
    """Each sequence as the model saw it: cleaned, and cut to what it takes."""


class TextModel(Protocol):
    """What the judges need of the model."""

    async def correct(self, *, question: str, expected: Sequence[str], response: str) -> ModelAnswer:
        """One probability: that the response agrees with the expected answer."""

    async def states(self, *, text: str, statements: Sequence[str]) -> ModelAnswer:
        """One for each statement: that the text states it."""

    async def relevant(self, *, question: str, response: str) -> ModelAnswer:
        """One for each step of the scale: that the response is at least so relevant."""

    async def helpful(self, *, question: str, response: str) -> ModelAnswer:
        """One for each step of the scale: that the response is at least so helpful."""

    async def supported(self, *, context: str, claims: Sequence[str]) -> ModelAnswer:
        """One for each claim: that the context supports it."""


class SmallModel:
    """A `TextModel` on this machine's processor."""

    def __init__(self, engine: Engine, adapter: Adapter) -> None:
        self._engine = engine
        self._calibration = adapter.calibration

    @classmethod
    def open(cls, environ: Mapping[str, str] = os.environ, *, workers: int | None = None) -> Self:
        """Open what `adjudge models pull` made; a `CacheError` says what to do when it is not there, or not whole."""
        return cls(Engine.open(find_merged(environ), workers=workers), read_adapter(ADAPTER))

    def close(self) -> None:
        self._engine.close()

    async def correct(self, *, question: str, expected: Sequence[str], response: str) -> ModelAnswer:
        asked = ask_correct(self._engine.tokens, question=question, expected=expected, response=response)
        return await self._ask("correct", [asked])

    async def states(self, *, text: str, statements: Sequence[str]) -> ModelAnswer:
        tokens = self._engine.tokens
        answers = await asyncio.gather(
            *(
                self._ask("states", ask_states(tokens, text=window, statements=statements))
                for window in windows(tokens, seen(text))
            )
        )
        best = [max(each) for each in zip(*(answer.probabilities for answer in answers), strict=True)]
        return ModelAnswer(
            best,
            sum(answer.tokens for answer in answers),
            tuple(text for answer in answers for text in answer.read),
        )

    async def relevant(self, *, question: str, response: str) -> ModelAnswer:
        asked = ask_relevant(self._engine.tokens, question=question, response=response)
        return descending(await self._ask("relevant", [asked]))

    async def helpful(self, *, question: str, response: str) -> ModelAnswer:
        asked = ask_helpful(self._engine.tokens, question=question, response=response)
        return descending(await self._ask("helpful", [asked]))

    async def supported(self, *, context: str, claims: Sequence[str]) -> ModelAnswer:
        """Each behind the sentences nearest to it: a small model overlooks one of many."""
        asked = [
            sequence
            for claim in claims
            for sequence in ask_supported(
                self._engine.tokens,
                context=nearest_sentences(claim, context, EVIDENCE_CHARACTERS),
                claims=[claim],
            )
        ]
        return await self._ask("supported", asked)

    async def _ask(self, question: Question, asked: Sequence[TokenSequence]) -> ModelAnswer:
        found = await self._engine.logits(question, asked)
        probabilities = [
            calibration.probability(output)
            for sequence in found
            for outputs in sequence
            for calibration, output in zip(self._calibration[question], outputs, strict=True)
        ]
        read = tuple(self._engine.tokens.lines(sequence.tokens) for sequence in asked)
        return ModelAnswer(probabilities, sum(len(sequence.tokens) for sequence in asked), read)


def descending(answer: ModelAnswer) -> ModelAnswer:
    """To be at least a 3 is never likelier than to be at least a 2; the steps were calibrated one by one."""
    kept: list[float] = []
    for probability in answer.probabilities:
        kept.append(min(probability, kept[-1]) if kept else probability)
    return answer._replace(probabilities=kept)


def windows(tokens: ModelTokenizer, text: str) -> list[str]:
    """The text in pieces that the model can read whole, cut between sentences."""
    if len(tokens.encode(text)) <= WINDOW_TOKENS:
        return [text]
    pieces: list[list[str]] = [[]]
    used = 0
    for sentence in (each.text for each in split_sentences(text)):
        size = len(tokens.encode(sentence))
        if pieces[-1] and used + size > WINDOW_TOKENS:
            last = pieces[-1][-1]
            pieces.append([last])
            used = len(tokens.encode(last))
        pieces[-1].append(sentence)
        used += size
    return [" ".join(piece) for piece in pieces]
