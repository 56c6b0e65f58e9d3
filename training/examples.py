"""Rows -> token sequences with the places that are read and what people said there."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adjudge.embedded.model.questions import (
    HEADS,
    LOWEST,
    Question,
    TokenSequence,
    ask_correct,
    ask_helpful,
    ask_relevant,
    ask_states,
    ask_supported,
)
from adjudge.embedded.model.small_model import EVIDENCE_CHARACTERS, windows
from adjudge.embedded.model.tokens import ModelTokenizer
from adjudge.embedded.reading.evidence import nearest_sentences
from training import claims, edits
from training.claims import Claim
from training.graded import Graded, Neighbours, as_labelled, derived, figures
from training.phrases import OPENERS, REFUSALS
from training.rows import Row

CORRECT = ("evouna_nq", "evouna_tq", "nq301", "semeval13_beetle", "semeval13_scientsbank", "truthfulqa", "inject_synth",
           "masterkey", "financebench", "mohler")  # fmt: skip
RATED = {
    "feedbackqa": (1.0, 4.0),
    "medquad_liveqa": (1.0, 4.0),
    "alce_utility": (1.0, 5.0),
    "roscoe": (1.0, 5.0),
}
"""Sets rated for helpfulness, with the ends of their scales."""
GROUNDED = ("begin", "summedits", "summeval")
MEASURED_ARTICLES = frozenset({"9df8a3ddbc72", "b3c0a82140ed"})
"""Of summeval: qags, which is for measuring only, has summaries of the same ones."""
SUPPORTED = ("begin", "summedits", "qags", "faithbench")
REPEATS = {"nq301": 3, "medquad_liveqa": 2, "inject_synth": 2, "realsumm": 2}
"""Small sets are shown more often, each time varied."""
MADE_UP_FIGURES = 700


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    key: str
    """The row's id."""
    source: str
    question: Question
    asked: TokenSequence
    targets: list[list[float]]
    """For each place read, what each output should say, 0 to 1."""
    weight: float
    """Of each place read, unless `weights` tells them apart."""
    fold: int
    weights: Sequence[float] = ()


def steps(question: Question, value: float) -> list[float]:
    """A value on a scale as how far each step is reached, so that the steps' sum gives it back."""
    return [min(1.0, max(0.0, value - LOWEST[question] - step)) for step in range(HEADS[question])]


def rescaled(value: float, ends: tuple[float, float], question: Question) -> float:
    low, high = ends
    return LOWEST[question] + (value - low) / (high - low) * HEADS[question]


@dataclass(frozen=True, slots=True)
class Maker:
    """Lays rows out; knows the tokens so that nothing else has to."""

    tokens: ModelTokenizer

    def correct(self, row: Row, graded: Graded, weight: float = 1.0) -> Example:
        asked = ask_correct(
            self.tokens, question=graded.question, expected=graded.expected, response=graded.response
        )
        return self.example(row, "correct", asked, [[graded.target]], weight)

    def states(
        self, row: Row, text: str, stated: Sequence[tuple[str, float]], weight: float = 0.4
    ) -> Iterator[Example]:
        targets = [[target] for _, target in stated]
        for asked in ask_states(self.tokens, text=text, statements=[statement for statement, _ in stated]):
            yield self.example(row, "states", asked, targets[: len(asked.positions)], weight)
            targets = targets[len(asked.positions) :]

    def helpful(
        self, row: Row, question: str, response: str, target: list[float], weight: float = 1.0
    ) -> Example:
        return self.example(
            row, "helpful", ask_helpful(self.tokens, question=question, response=response), [target], weight
        )

    def relevant(self, row: Row, question: str, response: str, value: float, weight: float = 0.5) -> Example:
        asked = ask_relevant(self.tokens, question=question, response=response)
        return self.example(row, "relevant", asked, [steps("relevant", value)], weight)

    def supported(self, row: Row, context: str, asked_of: Sequence[Claim]) -> Iterator[Example]:
        """All of them behind this context; the key tells the first one's number."""
        sequences = ask_supported(self.tokens, context=context, claims=[claim.text for claim in asked_of])
        done = 0
        for asked in sequences:
            here = asked_of[done : done + len(asked.positions)]
            one = self.example(row, "supported", asked, [[claim.target] for claim in here], 1.0)
            yield replace(one, key=f"{row.row_id}#{done}", weights=[claim.weight for claim in here])
            done += len(here)

    def evidenced(self, row: Row, context: str, claim: Claim, number: int = 0) -> Iterator[Example]:
        """One claim behind the sentences that are nearest to it."""
        near = nearest_sentences(claim.text, context, EVIDENCE_CHARACTERS)
        for one in self.supported(row, near, [claim]):
            yield replace(one, key=f"{row.row_id}#{number}")

    def example(
        self, row: Row, question: Question, asked: TokenSequence, targets: list[list[float]], weight: float
    ) -> Example:
        return Example(
            key=row.row_id,
            source=row.source,
            question=question,
            asked=asked,
            targets=targets,
            weight=weight,
            fold=row.fold,
        )


def to_measure(row: Row, maker: Maker) -> Iterator[Example]:
    """The row as the judge will meet it, nothing added."""
    if row.source in CORRECT:
        label = row.label / 5 if row.source == "mohler" else row.label
        graded = Graded(question=row.question, expected=[row.reference], response=row.response, target=label)
        yield maker.correct(row, graded)
        if row.source == "mohler":
            yield from maker.states(
                row, row.response, [(part, label) for part in edits.sentences(row.reference)]
            )
    elif row.source == "realsumm":
        yield from maker.states(row, row.response, facts(row))
    elif row.source in RATED:
        yield maker.helpful(row, row.question, row.response, rating(row))
        yield maker.relevant(
            row, row.question, row.response, rescaled(row.label, RATED[row.source], "relevant")
        )
    elif row.source == "summeval":
        yield maker.relevant(
            row, summary_question(row), row.response, rescaled(row.label, (1, 5), "relevant")
        )
    elif row.source in SUPPORTED:
        for number, part in enumerate(claims.parts_of(row.response)):
            yield from maker.evidenced(row, row.context, Claim(text=part, target=row.label), number)


def to_train(
    rows: Sequence[Row], maker: Maker, rng: random.Random, *, made: bool = True
) -> Iterator[Example]:
    """One epoch: every row as labelled, some varied, and unless `made` is off what can be made from them."""
    if not made:
        for row in rows:
            yield from to_measure(row, maker)
        return
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    consistent = claims.consistent_sentences(rows)
    for source, members in by_source.items():
        near = Neighbours(members)
        for row in members:
            for _ in range(REPEATS.get(source, 1)):
                yield from varied(row, near, maker, rng)
            if source in GROUNDED and row.question_id not in MEASURED_ARTICLES:
                yield from grounded(row, members, consistent, maker, rng)
            if source == "realsumm":
                said = [Claim(text=text, target=share, weight=0.4) for text, share in facts(row)]
                yield from behind_evidence(row, row.response, rng.sample(said, min(4, len(said))), maker, rng)
    anyone = rows[0]
    for graded in figures(MADE_UP_FIGURES, rng):
        yield maker.correct(anyone, graded, 0.7)


def varied(row: Row, near: Neighbours, maker: Maker, rng: random.Random) -> Iterator[Example]:
    if row.source in CORRECT:
        yield maker.correct(row, as_labelled(row, rng))
        if row.source not in {"inject_synth", "masterkey"}:
            for graded in derived(row, near, rng):
                yield maker.correct(row, graded, 0.7)
            yield from as_statement(row, maker, rng)
            yield from answered_elsewhere(row, near, maker, rng, share=0.06)
    elif row.source == "realsumm":
        yield from summary_facts(row, near, maker, rng)
    elif row.source == "factscore_bio":
        yield from biography_facts(row, near, maker, rng)
    elif row.source in RATED:
        yield maker.helpful(row, row.question, row.response, rating(row))
        yield maker.relevant(
            row, row.question, row.response, rescaled(row.label, RATED[row.source], "relevant")
        )
        if row.source != "roscoe":
            yield from answered_elsewhere(row, near, maker, rng, share=0.15)
    elif row.source == "summeval":
        yield maker.relevant(
            row, summary_question(row), row.response, rescaled(row.label, (1, 5), "relevant")
        )
    elif row.source == "halueval_general" and row.label > 0.5 and rng.random() < 0.5:
        yield maker.relevant(row, row.question, row.response, 4.6)
        yield from answered_elsewhere(row, near, maker, rng, share=0.6)


def rating(row: Row) -> list[float]:
    """Each rater's steps, averaged: a 1 and a 4 are not two halves of a 2.5."""
    ends = RATED[row.source]
    given = row.votes if row.source == "feedbackqa" and row.votes else [row.label]
    reached = [steps("helpful", rescaled(value, ends, "helpful")) for value in given]
    return [sum(column) / len(column) for column in zip(*reached, strict=True)]


def summary_question(row: Row) -> str:
    return f"{row.question} {row.context}"


def facts(row: Row) -> list[tuple[str, float]]:
    return [(unit["text"], sum(unit["votes"]) / len(unit["votes"])) for unit in row.meta["scus"]]


def as_statement(row: Row, maker: Maker, rng: random.Random) -> Iterator[Example]:
    """A student's answer states the key or it does not: the same human label, asked as coverage asks."""
    if row.source.startswith("semeval13") and rng.random() < 0.35:
        yield from maker.states(row, row.response, [(row.reference, row.label)], 0.6)


def summary_facts(row: Row, near: Neighbours, maker: Maker, rng: random.Random) -> Iterator[Example]:
    stated = facts(row)
    extra = edited([statement for statement, share in stated if share > 0.9], rng, share=0.15)
    other = near.similar(row, rng)
    if other and rng.random() < 0.3:
        extra.append((rng.choice(other.meta["scus"])["text"], 0.0))
    text = edits.with_order(row.response, rng) if rng.random() < 0.08 else row.response
    asked = stated + extra
    rng.shuffle(asked)
    yield from maker.states(row, text, asked[: rng.choice([3, 6, 20, 20, 20])])
    if rng.random() < 0.06:
        whole = [(statement, 1.0) for statement, _ in stated]
        whole += edited([statement for statement, _ in whole], rng, share=0.5)
        rng.shuffle(whole)
        yield from maker.states(row, row.reference, whole)


def biography_facts(row: Row, near: Neighbours, maker: Maker, rng: random.Random) -> Iterator[Example]:
    """Facts people drew from this very text are stated in it; those drawn from another's mostly are not."""
    drawn = [fact["text"] for fact in row.meta["facts"]]
    own = [(text, 0.97) for text in rng.sample(drawn, min(8, len(drawn)))]
    asked = own + edited([text for text, _ in own], rng, share=0.5)
    other = near.similar(row, rng)
    if other and other.meta.get("facts"):
        foreign = [fact["text"] for fact in other.meta["facts"]]
        asked += [(text, 0.03) for text in rng.sample(foreign, min(4, len(foreign)))]
    rng.shuffle(asked)
    yield from maker.states(row, row.response, asked, 0.3)


def edited(statements: Sequence[str], rng: random.Random, share: float) -> list[tuple[str, float]]:
    """Some of the statements, made false by a changed number or an opposite."""
    changed = []
    for statement in statements:
        if rng.random() < share:
            other = edits.changed_number(statement, statement, rng) or edits.reversed_sense(statement, rng)
            if other:
                changed.append((other, 0.0))
    return changed


def answered_elsewhere(
    row: Row, near: Neighbours, maker: Maker, rng: random.Random, share: float
) -> Iterator[Example]:
    """Answers to this question that were meant for another one, broke off, say nothing or wander."""
    if rng.random() >= share:
        return
    other = near.similar(row, rng)
    kind = rng.choice(["own", "other", "other", "empty", "short", "padded", "ordered"])
    long_enough = len(row.response.split()) >= 12
    if kind == "other" and other:
        yield maker.relevant(row, row.question, other.response, 0.1)
        yield maker.helpful(row, row.question, other.response, [0.05, 0.0, 0.0], 0.5)
    elif kind == "empty":
        response, value = rng.choice(
            [(rng.choice(OPENERS), 0.0), (rng.choice(REFUSALS), 0.8), (row.question, 0.3)]
        )
        yield maker.relevant(row, row.question, response, value)
        yield maker.helpful(row, row.question, response, [0.1, 0.0, 0.0], 0.5)
    elif row.source in CORRECT or row.source == "halueval_general":
        if kind == "own" and row.label > 0.5:
            yield maker.relevant(row, row.question, row.response, 4.6)
        elif kind == "short" and long_enough and row.label > 0.5:
            yield maker.relevant(row, row.question, edits.truncated(row.response, rng), 2.0)
        elif kind == "padded" and other and row.label > 0.5:
            yield maker.relevant(row, row.question, f"{row.response} {other.response}", 2.8)
        elif kind == "ordered" and row.label > 0.5:
            yield maker.relevant(row, row.question, edits.with_order(row.response, rng), 4.0)
    elif kind == "ordered" and row.source in RATED:
        yield maker.helpful(row, row.question, edits.with_order(row.response, rng), rating(row), 0.5)


def grounded(
    row: Row, others: Sequence[Row], consistent: dict[str, set[str]], maker: Maker, rng: random.Random
) -> Iterator[Example]:
    asked_of = list(claims.labelled(row, consistent))
    if row.source != "summeval" and rng.random() < 0.3 and len(row.response.split()) < 60:
        yield from maker.states(row, row.context, [(row.response, row.label)], 0.5)
    asked_of += [
        Claim(text=wrong, target=0.0, weight=0.5)
        for claim in asked_of
        if claim.target > 0.9
        and rng.random() < 0.3
        and (wrong := claims.falsified(claim.text, row.context, rng))
    ]
    asked_of += claims.made(row, others, rng)
    yield from behind_evidence(row, row.context, asked_of, maker, rng)


def behind_evidence(
    row: Row, context: str, asked_of: Sequence[Claim], maker: Maker, rng: random.Random
) -> Iterator[Example]:
    """Most behind what is nearest to them, some together behind a whole window."""
    if rng.random() < 0.04:
        context = edits.with_order(context, rng)
    whole = windows(maker.tokens, context)
    if len(whole) == 1 and rng.random() < 0.3:
        yield from maker.supported(row, context, asked_of)
        return
    for claim in asked_of:
        yield from maker.evidenced(row, context, claim)
