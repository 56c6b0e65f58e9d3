"""The questions the model was trained on, how each is laid out in tokens and what the outputs mean; training and judging share it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from adjudge.embedded.model.tokens import ModelTokenizer
from adjudge.embedded.reading.legible import legible, seen

Question = Literal["correct", "states", "relevant", "helpful", "supported"]
QUESTIONS: tuple[Question, ...] = get_args(Question)

HEADS: dict[Question, int] = {"correct": 1, "states": 1, "relevant": 5, "helpful": 3, "supported": 1}
"""Outputs read for each: one for a yes or no; for a scale, one per step ("at least 1", "at least 2" …)."""
LOWEST: dict[Question, int] = {"relevant": 0, "helpful": 1}
"""Where a scale begins; its expected value is this plus the sum of the steps' probabilities."""

ASKED: dict[Question, str] = {
    "correct": "Is the response correct?",
    "states": "Does the text state this?",
    "relevant": "Is the response relevant?",
    "helpful": "Is the response helpful?",
    "supported": "Does the context support this?",
}
MAX_CHARS = 1024
"""Tokens of a whole sequence; training saw none longer."""
EXPECTED = 192
"""Tokens of the expected answers; of more alternatives than fit, those most like the response are shown."""
CLAIM = 160
"""Tokens of one claim of a response."""
BETWEEN = " / "


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenSequence:
    tokens: list[int]
    positions: list[int]
    """Where the model's outputs are read; one place for each statement, else the last token."""


def ask_correct(
    tokens: ModelTokenizer, *, question: str, expected: Sequence[str], response: str
) -> TokenSequence:
    response = legible(response, [question, *expected])
    answers = fitting(tokens, expected, response)
    fields = [
        ("Question", question, 128),
        ("Expected answer", answers, EXPECTED),
        ("Response", response, 320),
    ]
    return ask("correct", tokens, fields)


def fitting(tokens: ModelTokenizer, expected: Sequence[str], response: str) -> str:
    """The alternatives in their order, without the least alike where there are too many to show."""
    answers = BETWEEN.join(expected)
    if len(tokens.encode(answers)) < EXPECTED:
        return answers
    alternatives = answers.split(BETWEEN)
    words = set(response.lower().split())
    alike = [len(words & set(text.lower().split())) / (len(text.split()) or 1) for text in alternatives]
    kept: list[int] = []
    room = EXPECTED - 1
    for number in sorted(range(len(alternatives)), key=lambda at: -alike[at]):
        room -= len(tokens.encode(BETWEEN + alternatives[number]))
        if room < 0:
            break
        kept.append(number)
    return BETWEEN.join(alternatives[number] for number in sorted(kept)) if kept else answers


def ask_relevant(tokens: ModelTokenizer, *, question: str, response: str) -> TokenSequence:
    readable = legible(response, [question])
    return ask("relevant", tokens, [("Question", question, 256), ("Response", readable, 512)])


def ask_helpful(tokens: ModelTokenizer, *, question: str, response: str) -> TokenSequence:
    readable = legible(response, [question])
    return ask("helpful", tokens, [("Question", question, 256), ("Response", readable, 512)])


def ask_supported(tokens: ModelTokenizer, *, context: str, claims: Sequence[str]) -> list[TokenSequence]:
    """Every claim behind one reading of the context, as `ask_states` does it."""
    opening = opened("supported", tokens) + field(tokens, "Context", context, 512)
    return behind(opening, [field(tokens, "Claim", claim, CLAIM) for claim in claims])


def ask_states(tokens: ModelTokenizer, *, text: str, statements: Sequence[str]) -> list[TokenSequence]:
    """Every statement behind one reading of the text; a second sequence begins only when the first is full.

    The positions, sequence after sequence, are those of the statements in their order.
    """
    opening = opened("states", tokens) + field(tokens, "Text", text, 512)
    return behind(opening, [field(tokens, "Statement", statement, 96) for statement in statements])


def behind(opening: Sequence[int], fields: Sequence[Sequence[int]]) -> list[TokenSequence]:
    sequences: list[TokenSequence] = []
    for added in fields:
        if not sequences or len(sequences[-1].tokens) + len(added) > MAX_CHARS:
            sequences.append(TokenSequence(tokens=list(opening), positions=[]))
        sequence = sequences[-1]
        sequence.tokens.extend(added)
        sequence.positions.append(len(sequence.tokens) - 1)
    return sequences


def ask(question: Question, tokens: ModelTokenizer, fields: Sequence[tuple[str, str, int]]) -> TokenSequence:
    ids = opened(question, tokens)
    for name, text, most in fields:
        ids += field(tokens, name, text, most)
    return TokenSequence(tokens=ids, positions=[len(ids) - 1])


def opened(question: Question, tokens: ModelTokenizer) -> list[int]:
    """What is asked comes first: it never changes, and the fields are read in its light."""
    return [tokens.start, *tokens.encode(ASKED[question]), tokens.end]


def field(tokens: ModelTokenizer, name: str, text: str, most: int) -> list[int]:
    """A named field closed by a token that its text cannot contain; runs of white space count as one.

    What does not show is not shown: hidden characters, a few tokens each, would be most of what the model reads.
    """
    return [*tokens.encode(f"{name}:"), *tokens.cut(" " + " ".join(seen(text).split()), most), tokens.end]


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A logistic curve over one output, fitted on held-back questions."""

    slope: float = 1.0
    intercept: float = 0.0

    def probability(self, output: float) -> float:
        return 0.5 * (1.0 + math.tanh(0.5 * (self.intercept + self.slope * output)))


def expected_value(question: Question, probabilities: Sequence[float]) -> float:
    """The mean of a scale whose steps are reached with these probabilities."""
    return LOWEST[question] + sum(probabilities)
