"""Where quotations stand in a text, by its own offsets: white space, case and typography aside, as the scorers look."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from adjudge.scoring.terms import POSSESSIVE, WORD, singular, term_key, without_accents
from adjudge.scoring.text import (
    AROUND_A_QUOTATION,
    SAME_CHARACTER,
    fold,
    joined,
    places,
    runs_on_after,
    runs_on_before,
)
from adjudge.server.safe_markdown import Mark

MAX_SEARCHED_CHARS = 300_000
"""Characters; passages further on are not marked."""
MAX_PLACES = 20
"""Of one quotation."""


class Wanted(NamedTuple):
    quotation: str
    title: str
    """What it is evidence of."""
    number: bool = False
    """Digits that go on are another number."""
    holds: bool | None = None
    """Whether it was found, or missed, as the scorer has it."""


class Folded(NamedTuple):
    """A text as `fold` makes it, with the place in the original that each character comes from."""

    text: str
    starts: list[int]
    ends: list[int]


class TextWord(NamedTuple):
    start: int
    end: int
    key: str


def find_passages(text: str, wanted: Iterable[Wanted]) -> list[Mark]:
    """Every place of every quotation, none inside another; where two begin together the longer one counts."""
    searched = text[:MAX_SEARCHED_CHARS]
    folded = folded_with_places(searched)
    words: list[TextWord] | None = None
    by_place: dict[tuple[int, int], list[Wanted]] = {}
    for each in wanted:
        found = list(spans_of(each, folded))
        if not found and not each.number:
            words = words_of(searched) if words is None else words
            found = list(spans_of_term(each.quotation, words))
        for span in found[:MAX_PLACES]:
            by_place.setdefault(span, []).append(each)
    marks: list[Mark] = []
    for (start, end), here in sorted(by_place.items(), key=lambda found: (found[0][0], -found[0][1])):
        titles = dict.fromkeys(each.title for each in here)
        if marks and end <= marks[-1].end:  # inside the one before: named there
            kept = marks[-1]
            marks[-1] = kept._replace(title=", ".join(dict.fromkeys([*kept.title.split(", "), *titles])))
        else:
            marks.append(Mark(start, end, ", ".join(titles), here[0].holds))
    return marks


def folded_with_places(text: str) -> Folded:
    """Character by character; sequences that only normalise together stay apart, and are then not marked."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for at, character in enumerate(text):
        if character.isspace():
            folded = " " if characters and characters[-1] != " " else ""
        elif character.isascii() and character not in "*`":
            folded = character.lower()
        else:
            same = character.translate(SAME_CHARACTER)
            folded = unicodedata.normalize("NFKC", same).translate(SAME_CHARACTER).casefold()
        for one in folded:
            characters.append(one)
            starts.append(at)
            ends.append(at + 1)
    return Folded("".join(characters), starts, ends)


def spans_of(each: Wanted, folded: Folded) -> Iterator[tuple[int, int]]:
    around = AROUND_A_QUOTATION if not each.number else " \t\n,;:!"
    wanted = fold(each.quotation).strip(around)
    if each.number:
        wanted = wanted.rstrip(".")
    if not wanted:
        return
    text = folded.text
    for at in places(wanted, text):
        end = at + len(wanted)
        if joined(text, at) or joined(text, end):
            continue
        if each.number and (
            (wanted[0].isdigit() and runs_on_before(text, at))
            or (wanted[-1].isdigit() and runs_on_after(text, end))
        ):
            continue
        yield folded.starts[at], folded.ends[end - 1]


def spans_of_term(term: str, words: Sequence[TextWord]) -> Iterator[tuple[int, int]]:
    """A term by its words: without plurals, accents, hyphens and possessives, as coverage looks terms up."""
    wanted = term_key(term).split()
    if not wanted or len(wanted) > 12:
        return
    for at in range(len(words) - len(wanted) + 1):
        if words[at].key == wanted[0] and all(
            words[at + step].key == each for step, each in enumerate(wanted)
        ):
            yield words[at].start, words[at + len(wanted) - 1].end


def words_of(text: str) -> list[TextWord]:
    found = (TextWord(word.start(), word.end(), word_key(word.group())) for word in WORD.finditer(text))
    return [word for word in found if word.key]


@lru_cache(maxsize=20_000)
def word_key(word: str) -> str:
    """Kept, because texts say the same words again."""
    return singular(POSSESSIVE.sub("", without_accents(fold(word))))
