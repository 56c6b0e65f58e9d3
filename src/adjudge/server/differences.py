"""Two texts -> pieces that both have and pieces that only one has, word by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAX_MARKED_CHARS = 30_000
"""Characters of two texts together whose words are compared; of longer ones only the same beginning and end are found."""
MAX_CHANGES = 700
"""Words taken away or put in until two texts count as different throughout: bounds the work, whatever is written in them."""

# scripts without spaces between words are taken letter by letter
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+|\s+|[^\w\s\u3040-\u30ff\u3400-\u9fff]"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TextPiece:
    """A stretch of text, and whether the other side has it too."""

    text: str
    same: bool


class Marked(NamedTuple):
    """Joined up, each side's pieces are its text."""

    a: tuple[TextPiece, ...]
    b: tuple[TextPiece, ...]


class _WordStep(NamedTuple):
    """The next words of both sides: the same, or different (of which one may be none)."""

    same: bool
    a: str
    b: str


def mark_differences(a: str, b: str) -> Marked:
    steps = list(_without_specks(list(_joined(_steps(a, b)))))
    return Marked(*(_pieces([(getattr(step, side), step.same) for step in steps]) for side in ("a", "b")))


def _pieces(texts: Sequence[tuple[str, bool]]) -> tuple[TextPiece, ...]:
    pieces: list[TextPiece] = []
    for text, same in texts:
        if text and pieces and pieces[-1].same == same:
            pieces[-1] = TextPiece(text=pieces[-1].text + text, same=same)
        elif text:
            pieces.append(TextPiece(text=text, same=same))
    return tuple(pieces)


def _steps(a: str, b: str) -> Iterator[_WordStep]:
    words_a, words_b = _WORD.findall(a), _WORD.findall(b)
    shorter = min(len(words_a), len(words_b))
    start = 0
    while start < shorter and words_a[start] == words_b[start]:
        start += 1
    end = 0
    while end < shorter - start and words_a[-1 - end] == words_b[-1 - end]:
        end += 1
    same = "".join(words_a[:start])
    yield _WordStep(True, same, same)
    middle_a, middle_b = words_a[start : len(words_a) - end], words_b[start : len(words_b) - end]
    found = None if len(a) + len(b) > MAX_MARKED_CHARS else _shared(middle_a, middle_b)
    at_a = at_b = 0
    for word_a, word_b in found or []:
        yield _WordStep(False, "".join(middle_a[at_a:word_a]), "".join(middle_b[at_b:word_b]))
        yield _WordStep(True, middle_a[word_a], middle_b[word_b])
        at_a, at_b = word_a + 1, word_b + 1
    yield _WordStep(False, "".join(middle_a[at_a:]), "".join(middle_b[at_b:]))
    same = "".join(words_a[len(words_a) - end :])
    yield _WordStep(True, same, same)


def _shared(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]] | None:
    """Places of the words that both have, in order, by Myers' O(ND) algorithm; None when that takes too many changes."""
    reached = {1: 0}
    """Diagonal (place in a less place in b) -> the furthest place in a that so many changes lead to."""
    rounds: list[list[int]] = []
    for changes in range(min(len(a) + len(b), MAX_CHANGES) + 1):
        for diagonal in range(-changes, changes + 1, 2):
            down = diagonal == -changes or (
                diagonal != changes and reached[diagonal - 1] < reached[diagonal + 1]
            )
            at = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            while at < len(a) and at - diagonal < len(b) and a[at] == b[at - diagonal]:
                at += 1
            reached[diagonal] = at
            if at >= len(a) and at - diagonal >= len(b):
                return _walk_back(rounds, len(a), len(b))
        rounds.append([reached[diagonal] for diagonal in range(-changes, changes + 1, 2)])
    return None


def _walk_back(rounds: Sequence[Sequence[int]], at_a: int, at_b: int) -> list[tuple[int, int]]:
    shared: list[tuple[int, int]] = []
    for changes in range(len(rounds), 0, -1):
        before = rounds[changes - 1]
        diagonal = at_a - at_b
        # `before` holds the diagonals -(changes - 1), -(changes - 3) …
        above = (diagonal + 1 + changes - 1) // 2
        down = diagonal == -changes or (diagonal != changes and before[above - 1] < before[above])
        came_a = before[above] if down else before[above - 1]
        came_b = came_a - (diagonal + 1 if down else diagonal - 1)
        while at_a > came_a + (not down) and at_b > came_b + down:
            at_a, at_b = at_a - 1, at_b - 1
            shared.append((at_a, at_b))
        at_a, at_b = came_a, came_b
    shared += [(at, at) for at in range(at_a - 1, -1, -1)]
    return shared[::-1]


def _joined(steps: Iterator[_WordStep]) -> Iterator[_WordStep]:
    pending: _WordStep | None = None
    for step in steps:
        if not step.a and not step.b:
            continue
        if pending is not None and pending.same == step.same:
            pending = _WordStep(step.same, pending.a + step.a, pending.b + step.b)
            continue
        if pending is not None:
            yield pending
        pending = step
    if pending is not None:
        yield pending


def _without_specks(steps: list[_WordStep]) -> Iterator[_WordStep]:
    """A space or a comma that both happen to have between two changes is no likeness."""
    for at, step in enumerate(steps):
        between = 0 < at < len(steps) - 1
        speck = between and step.same and not any(letter.isalnum() for letter in step.a)
        yield _WordStep(step.same and not speck, step.a, step.b)
