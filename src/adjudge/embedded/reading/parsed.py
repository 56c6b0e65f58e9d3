"""A sentence with its tokens, its brackets and the words in it that look like verbs."""

from bisect import bisect_left
from dataclasses import dataclass

from adjudge.embedded.reading.words import (
    BASE_VERBS,
    Words,
    is_finite_verb,
    opens_object,
    tokenize,
    verb_form,
)

OPENING_MARKS, CLOSING_MARKS = "([{“«", ")]}”»"


@dataclass(frozen=True, kw_only=True, slots=True)
class Parsed:
    sentence: str
    tokens: Words
    depths: list[int]
    """How deep in brackets and quotation marks each token stands; nothing is split inside them."""
    verbs: list[int]
    """Places of the verbs, outside brackets."""
    bare: frozenset[int]
    """Verbs without a subject: `Keep the top …`, `To keep …`."""
    gerunds: frozenset[int]
    """`By keeping …`."""

    def text(self, start: int, end: int) -> str:
        return self.sentence[self.tokens[start].start : self.tokens[end - 1].end]

    def first_verb(self, start: int, end: int) -> int | None:
        at = bisect_left(self.verbs, start)
        return self.verbs[at] if at < len(self.verbs) and self.verbs[at] < end else None

    def last_verb(self, start: int, end: int) -> int:
        """The last verb there, or the place before the start."""
        at = bisect_left(self.verbs, end) - 1
        return self.verbs[at] if at >= 0 and self.verbs[at] >= start else start - 1


def parse(sentence: str, *, most: int) -> Parsed | None:
    """None for a text without tokens, and for one with more than anybody puts in a sentence."""
    tokens = tokenize(sentence)
    if not tokens or len(tokens) > most:
        return None
    depths = quoted_depths(tokens)
    finite = {at for at in range(len(tokens)) if not depths[at] and is_finite_verb(tokens, at)}
    bare, gerunds = subjectless(tokens, has_verb=bool(finite))
    return Parsed(
        sentence=sentence,
        tokens=tokens,
        depths=depths,
        verbs=sorted(finite | bare | gerunds),
        bare=bare,
        gerunds=gerunds,
    )


def quoted_depths(tokens: Words) -> list[int]:
    depths: list[int] = []
    depth, quoted = 0, False
    for token in tokens:
        if token.text in CLOSING_MARKS:
            depth = max(0, depth - 1)
        depths.append(depth + quoted)
        if token.text in OPENING_MARKS:
            depth += 1
        elif token.text == '"':
            quoted = not quoted
    # An opening mark that is never closed would hide the rest of the sentence.
    return depths if depth == 0 and not quoted else [0] * len(tokens)


def subjectless(tokens: Words, *, has_verb: bool) -> tuple[frozenset[int], frozenset[int]]:
    """A sentence that answers `how` or `what for` often begins with its verb.

    `By reading and writing, children learn` has a verb of its own: there the beginning only tells how.
    """
    none = frozenset[int]()
    if len(tokens) < 3:
        return none, none
    first, second = tokens[0].lower, tokens[1].lower
    if first == "to" and second in BASE_VERBS:
        return (none if has_verb else frozenset({1})), none
    if first in {"by", "through"} and verb_form(second) == "ing":
        return none, (none if has_verb else frozenset({1}))
    return (frozenset({0}) if first in BASE_VERBS and opens_object(tokens[1]) else none), none
