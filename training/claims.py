"""Rows with a context -> claims that it supports or does not, as people labelled them and as made from it."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from adjudge.embedded.reading.clauses import split_clauses
from adjudge.embedded.reading.sentences import split_sentences
from training import edits
from training.rows import Row

NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")
CONSISTENT, INCONSISTENT = 4.99, 3.7
"""Mean consistency of a summary, from which on every sentence is taken to be supported, and up to which the whole is not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    text: str
    target: float
    weight: float = 1.0


@lru_cache(maxsize=20_000)
def parts_of(response: str) -> Sequence[str]:
    """The claims that the judge will ask about."""
    return tuple(sentence.text for sentence in split_sentences(response)) or (response,)


def consistent_sentences(rows: Iterable[Row]) -> dict[str, set[str]]:
    """By document: the sentences of its summaries that people call consistent."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.source == "summedits" and row.label > 0.5:
            found.setdefault(row.question_id, set()).update(parts_of(row.response))
    return found


def labelled(row: Row, consistent: dict[str, set[str]]) -> list[Claim]:
    """A supported response has supported sentences; of another one only the sentence that must be the fault is known."""
    parts = parts_of(row.response)
    if row.source == "summeval":
        score = row.meta["scores"]["consistency"]
        if score >= CONSISTENT:
            return [Claim(text=part, target=0.97, weight=0.5) for part in parts]
        return [Claim(text=row.response, target=0.05)] if score <= INCONSISTENT else []
    if row.label > 0.5:
        return [Claim(text=part, target=1.0) for part in parts]
    known = consistent.get(row.question_id, set())
    new = [part for part in parts if part not in known]
    if len(new) == 1:
        return [Claim(text=part, target=float(part not in new)) for part in parts]
    return [Claim(text=row.response, target=0.0)]


def made(row: Row, others: Sequence[Row], rng: random.Random) -> Iterator[Claim]:
    """Sentences of the context, whole or in part, and the same made false; and what another context says."""
    sentences = [part for part in parts_of(row.context) if 5 <= len(part.split()) <= 60]
    if not sentences:
        return
    said = rng.choice(sentences)
    if rng.random() < 0.5:
        said = rng.choice(split_clauses(said)).text
    if rng.random() < 0.5:
        yield Claim(text=said, target=1.0, weight=0.4)
    if rng.random() < 0.7 and (wrong := falsified(said, row.context, rng)):
        yield Claim(text=wrong, target=0.0, weight=0.4)
    if rng.random() < 0.2:
        other = rng.choice(others)
        foreign = parts_of(other.context if rng.random() < 0.5 else other.response)
        if other.question_id != row.question_id:
            yield Claim(text=rng.choice(foreign), target=0.0, weight=0.4)
    if rng.random() < 0.04:
        yield Claim(text=edits.an_order(rng), target=0.0, weight=0.4)


def falsified(claim: str, context: str, rng: random.Random) -> str | None:
    """The claim with a number, a name or the sense of a word changed, or its end taken from elsewhere."""
    ways = [
        lambda: edits.changed_number(claim, claim, rng),
        lambda: edits.reversed_sense(claim, rng),
        lambda: other_name(claim, context, rng),
        lambda: other_number(claim, context, rng),
        lambda: other_end(claim, context, rng),
    ]
    rng.shuffle(ways)
    return next((changed for way in ways if (changed := way()) and changed != claim), None)


def other_name(claim: str, context: str, rng: random.Random) -> str | None:
    names = NAME.findall(claim)
    if not names:
        return None
    before = rng.choice(names)
    words = set(edits.words(before))
    after = [name for name in NAME.findall(context) if not words & set(edits.words(name))]
    return claim.replace(before, rng.choice(after)) if after else None


def other_number(claim: str, context: str, rng: random.Random) -> str | None:
    numbers = edits.NUMBER.findall(claim)
    others = [number for number in edits.NUMBER.findall(context) if number not in numbers]
    return claim.replace(rng.choice(numbers), rng.choice(others), 1) if numbers and others else None


def other_end(claim: str, context: str, rng: random.Random) -> str | None:
    """Half of this and half of another sentence: each word is in the context, what they say together is not."""
    words = claim.split()
    ends = [part.split() for part in parts_of(context) if part not in claim and claim not in part]
    ends = [part for part in ends if len(part) >= 6]
    if len(words) < 6 or not ends or rng.random() < 0.5:
        return None
    end = rng.choice(ends)
    return " ".join(words[: len(words) // 2] + end[len(end) // 2 :])
