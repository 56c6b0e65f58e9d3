"""Correctness rows -> graded answers, as people labelled them and as edited where the label is known by construction."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from training import edits
from training.phrases import COMPANIES, DENIALS, LEADS, METRICS, OPENERS, RATIOS, REFUSALS
from training.rows import Row


@dataclass(frozen=True, kw_only=True, slots=True)
class Graded:
    question: str
    expected: list[str]
    response: str
    target: float


class Neighbours:
    """Finds a row that asks about something similar: one that shares a rare word of the question."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.by_word: dict[str, list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            for word in set(edits.words(row.question)) - edits.COMMON:
                self.by_word[word].append(number)

    def similar(self, row: Row, rng: random.Random) -> Row | None:
        shared = [
            word for word in set(edits.words(row.question)) - edits.COMMON if len(self.by_word[word]) > 1
        ]
        shared.sort(key=lambda word: (len(self.by_word[word]), word))
        for word in rng.sample(shared[:3], min(2, len(shared))):
            other = self.rows[rng.choice(self.by_word[word])]
            if other.question_id != row.question_id:
                return other
        other = rng.choice(self.rows)
        return other if other.question_id != row.question_id else None


def as_labelled(row: Row, rng: random.Random) -> Graded:
    """The row itself, its accepted answers varied: as given, shuffled, or some of those it does not need left out."""
    # Half the adjudicated label, half the votes: a split vote is a weak label, not an even one.
    target = (row.label + sum(row.votes) / len(row.votes)) / 2 if row.votes else row.label
    expected = [row.reference]
    needed = [one for one in row.references if edits.contains(row.response, one)]
    spare = [one for one in row.references if one not in needed]
    if spare and rng.random() < 0.6 and (needed or row.label < 0.5):
        expected = needed + rng.sample(spare, rng.randint(0 if needed else 1, len(spare)))
        rng.shuffle(expected)
    elif len(row.references) > 1 and rng.random() < 0.3:
        expected = list(row.references)
        rng.shuffle(expected)
    response = row.response
    if rng.random() < 0.06:
        response = edits.recased(response, rng)
    elif rng.random() < 0.06:
        response = edits.padded(response, rng)
    elif rng.random() < 0.12 and len(response.split()) <= 6:
        response = rng.choice(LEADS).format(response.rstrip("."))
    if rng.random() < 0.05:
        expected = [edits.recased(one, rng) for one in expected]
    return Graded(question=row.question, expected=expected, response=response, target=target)


def derived(row: Row, near: Neighbours, rng: random.Random) -> Iterator[Graded]:
    """Answers made from this row whose label follows from how they were made; at most one of each kind, each rarely."""
    plain = Graded(question=row.question, expected=[row.reference], response=row.response, target=row.label)
    if rng.random() < 0.10:
        yield replace(plain, response=edits.with_order(row.response, rng))
    if rng.random() < 0.08:
        other = near.similar(row, rng)
        if other and not any(edits.contains(other.response, one) for one in row.references):
            yield replace(plain, response=rng.choice([other.response, other.references[0]]), target=0.0)
    if rng.random() < 0.03:
        empty = [rng.choice(OPENERS), rng.choice(OPENERS), row.question]
        yield replace(plain, response=rng.choice(empty), target=0.0)
    if rng.random() < 0.04:
        refusal = rng.choice(REFUSALS)
        response = refusal if rng.random() < 0.6 else f"{refusal} {edits.padded(row.question, rng)}"
        yield replace(plain, response=response, target=0.0)
    if rng.random() < 0.05:
        said = rng.choice(row.references).rstrip(".")
        yield replace(
            plain, response=rng.choice(LEADS).format(said) if rng.random() < 0.7 else said, target=1.0
        )
    if row.label > 0.5:
        yield from spoilt(row, plain, rng)


def spoilt(row: Row, plain: Graded, rng: random.Random) -> Iterator[Graded]:
    """Right answers made wrong."""
    everything = " ".join(row.references)
    if rng.random() < 0.5 and (response := edits.changed_number(row.response, everything, rng)):
        yield replace(plain, response=response, target=0.0)
    if rng.random() < 0.5 and (flipped := edits.flipped_answer(row.response)):
        yield replace(plain, response=flipped, target=0.0)
    elif rng.random() < 0.12 and (turned := edits.reversed_sense(row.response, rng, row.reference)):
        yield replace(plain, response=turned, target=0.0)
    if rng.random() < 0.03 and len(row.reference.split()) <= 5:
        yield replace(plain, response=rng.choice(DENIALS).format(row.references[0].rstrip(".")), target=0.0)
    if rng.random() < 0.06 and any(edits.contains(row.response, one) for one in row.references):
        short = edits.truncated(row.response, rng)
        shared = set(edits.words(short)) & set(edits.words(everything)) - set(edits.words(row.question))
        if not shared - edits.COMMON:
            yield replace(plain, response=short, target=0.0)


def figures(count: int, rng: random.Random) -> Iterator[Graded]:
    """Invented questions about companies' figures: the right one in many notations, a wrong one, or none."""
    for _ in range(count):
        year = rng.randint(2010, 2024)
        company = rng.choice(COMPANIES)
        if rng.random() < 0.6:
            yield about_amount(company, year, rng)
        else:
            yield about_ratio(company, year, rng)


def about_amount(company: str, year: int, rng: random.Random) -> Graded:
    metric = rng.choice(METRICS)
    value = round(10 ** rng.uniform(1.3, 4.8), rng.choice([0, 0, 1, 2]))
    question = rng.choice(
        [
            f"What is the FY{year} {metric} (in USD millions) for {company}?",
            f"How much was {company}'s {metric} at the end of FY{year}? Answer in USD millions.",
            f"Using the statements in the annual report, what was {company}'s {metric} in {year}?",
        ]
    )
    right = rng.random() < 0.5
    other = value if right else float(edits.moved(f"{value:.2f}", rng))
    shown = rng.choice(
        [f"${other:,.2f} million", f"${other:,.0f} million", f"{other:.1f}", f"${other / 1000:,.3f} billion"]
    )
    if right and abs(float(f"{other:.0f}") - value) > 0.03 * value:
        shown = f"{other:.2f}"
    aside = (
        f" In FY{year - 1} it was ${value * rng.uniform(0.5, 1.6):,.0f} million."
        if rng.random() < 0.4
        else ""
    )
    response = rng.choice(
        [
            f"{shown}",
            f"According to the annual report, {company}'s {metric} for FY{year} was {shown}.{aside}",
            f"The {metric} was {shown}.{aside}",
            f"{aside.strip()} To answer the question, we look at the statements of FY{year}: {metric} = {shown}.",
        ]
    )
    return finished(
        question, rng.choice([f"{value:g}", f"${value:,.2f}", f"${value:,.1f} million"]), response, right, rng
    )


def about_ratio(company: str, year: int, rng: random.Random) -> Graded:
    metric = rng.choice(RATIOS)
    now, then = (round(rng.uniform(1, 60), 1) for _ in range(2))
    grew = now > then
    right = rng.random() < 0.5
    question = f"Did {company}'s {metric} improve between FY{year - 1} and FY{year}?"
    expected = (
        f"{'Yes' if grew else 'No'}. The {metric} went from {then}% in FY{year - 1} to {now}% in FY{year}."
    )
    said = grew == right
    verb = (
        rng.choice(["improved", "increased", "rose"])
        if said
        else rng.choice(["declined", "decreased", "fell"])
    )
    numbers = f" from {then}% to {now}%" if right else f" from {now}% to {then}%"
    lead = rng.choice(["Yes, the", "The"]) if said else rng.choice(["No, the", "The"])
    response = f"{lead} {metric} of {company} {verb}{numbers if rng.random() < 0.7 else ''} in FY{year}."
    return finished(question, expected, response, right, rng)


def finished(question: str, expected: str, response: str, right: bool, rng: random.Random) -> Graded:  # noqa: FBT001
    """Now and then a refusal, or the right approach without its result, stands in for the answer."""
    if rng.random() < 0.12:
        return Graded(question=question, expected=[expected], response=rng.choice(REFUSALS), target=0.0)
    if rng.random() < 0.05:
        method = "To find this, take the figures from the statements for both years and compare them."
        response, right = f"{rng.choice(REFUSALS)} {method}", False
    return Graded(question=question, expected=[expected], response=response, target=float(right))
