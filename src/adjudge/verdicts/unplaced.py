"""Replies whose prompt does not say where the verdict stands: its last label or number of the scale; a JSON list; all of it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from adjudge.patterns import lazy_pattern
from adjudge.records import Contract, Json
from adjudge.verdicts.decode import DECODER, too_deep
from adjudge.verdicts.labelled import LINE
from adjudge.verdicts.text_reading import TextReading, allowed_in, only_value, value_of
from adjudge.verdicts.values import DENOMINATOR, NUMBER, ValueProblem

UNPLACED = "verdict_place_guessed"
"""The note on a verdict that the prompt gave no place."""

MARKED = lazy_pattern(
    r"(?:[:：=→]|\bis|\bas|->)(?=[ \t]{0,8}(?P<after>[^\n:：=]{1,200}))"
    r"|<[A-Za-z][\w -]{0,40}>[ \t\n]{0,8}(?P<tagged>[^<>\n]{1,200})</"
    r"|\[{1,2}(?P<bracketed>[^\[\]\n]{1,60})\]{1,2}"
    r"|\*\*(?P<bold>[^*\n]{1,60})\*\*",
    re.IGNORECASE,
)
"""What sets a value off from the prose around it."""
LIST_START = re.compile(r"\[\s{0,200}(?=[{\[\]\"\d-])")
MAX_LISTS = 50


class Candidate(NamedTuple):
    start: int
    end: int
    value: Json


def read_last(text: str, contract: Contract) -> TextReading | None:
    """The last label or number of the scale that is set off from the prose around it.

    Where several differ, only one that ends the reply or is its first line stands for all of it.
    """
    if len(contract.needs) != 1:
        return None
    name = contract.needs[0]
    found = sorted(candidates(text, contract, name), key=lambda each: (each.end, -each.start))
    if not found:
        return None
    last = found[-1]
    lines = [line for line in LINE.finditer(text) if line[0].strip(" \t`*_-")]
    settled = all(each.value == last.value for each in found) or last.start >= lines[-1].start()
    first = [each for each in found if each.end <= lines[0].end()]
    if (
        not settled
        and len(first) == 1
        and not isinstance(only_value(lines[0][0], contract, name), ValueProblem)
    ):
        last, settled = first[0], True
    span = (last.start, last.end)
    if not settled:
        return TextReading(problem=f"`{name}` names two different values", spans=[span])
    return TextReading(values={name: last.value}, spans=[span], value_spans={name: span}, mark="set off")


def set_off_values(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    """Every value that a text sets off from its prose."""
    return (each.value for each in candidates(text, contract, name))


def nameless_values(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    """Those that nothing says to be of a part, as `Clarity: 3` and `<style>2</style>` are."""
    yield from (only_value(line[0], contract, name) for line in LINE.finditer(text))
    for mark in MARKED.finditer(text):
        named = text[max(0, mark.start() - 8) : mark.start()].rstrip().endswith((":", "：", "="))
        if mark.lastgroup in {"bracketed", "bold"} and not named:
            yield only_value(mark[str(mark.lastgroup)], contract, name)


def candidates(text: str, contract: Contract, name: str) -> Iterator[Candidate]:
    """On a line of its own, after a colon, in a tag, in brackets or bold, or out of the scale's maximum."""
    for line in LINE.finditer(text):
        value = only_value(line[0], contract, name)
        if not isinstance(value, ValueProblem):
            yield Candidate(*line.span(), value)
    for mark in MARKED.finditer(text):
        group = str(mark.lastgroup)
        value = only_value(mark[group].strip().rstrip(",;"), contract, name)
        if isinstance(value, ValueProblem) and group == "after":
            value = value_of(mark[group], contract, name, strict_ending=True)
        if not isinstance(value, ValueProblem):
            yield Candidate(mark.start(group), mark.end(group), value)
    for allowed in allowed_in(contract, name):
        if not allowed.is_numeric or allowed.maximum is None:
            continue
        for number in NUMBER.finditer(text):
            over = DENOMINATOR.match(text, number.end())
            if over is not None:
                value = value_of(text[number.start() : over.end()], contract, name)
                if not isinstance(value, ValueProblem):
                    yield Candidate(number.start(), over.end(), value)


class FoundList(NamedTuple):
    start: int
    end: int
    entries: list[Json]


def find_lists(text: str) -> Iterator[FoundList]:
    """The JSON lists of a text in order, the outermost where lists stand in lists; an empty one only on a line of its own."""
    position = 0
    for _ in range(MAX_LISTS):
        opening = LIST_START.search(text, position)
        if opening is None:
            break
        try:
            entries, end = DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            position = opening.start() + 1
            continue
        position = end
        if not isinstance(entries, list) or too_deep({"": entries}):
            continue
        line = text[text.rfind("\n", 0, opening.start()) + 1 : opening.start()] + text[end:].split("\n", 1)[0]
        if entries or not line.strip(" \t\r`."):
            yield FoundList(opening.start(), end, entries)
