"""Lists inside a sentence: `It sells phones, tablets and watches` as three things that it sells."""

from adjudge.embedded.reading.parsed import CLOSING_MARKS, Parsed
from adjudge.embedded.reading.words import (
    CONJUNCTIONS,
    FINITE_AUXILIARIES,
    IRREGULAR_PASTS,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    is_content,
    is_word,
    opens_object,
)
from adjudge.text import words

LIST_OPENERS = words(
    """include includes included including are is was were with for by from into in has have had contains contain as
    like need needs requires require both"""
)
BEFORE_OF = words(
    "consist consists consisting composed made types kinds examples list set combination mixture"
)
"""`consists of a, b and c` opens a list; `sales of a, b and c` may be sales, b and c."""
NO_ELEMENT = (
    PREPOSITIONS
    | CONJUNCTIONS
    | SUBJECT_PRONOUNS
    | words("including such especially particularly again whereas where whose")
)
LONGEST_ELEMENT = 8
FEWEST_ELEMENTS = 3


def find_elements(parsed: Parsed, start: int, end: int) -> list[tuple[int, int]]:
    """The elements of the list that ends these tokens, as (first token, token behind the last); empty without a list.

    Three elements at least, short, without a verb of their own, the last one joined by `and` unless a colon opens the list.
    `or` names alternatives, which are one statement.
    """
    tokens = parsed.tokens
    while end > start and not is_word(tokens[end - 1]) and tokens[end - 1].text not in CLOSING_MARKS:
        end -= 1
    if any(tokens[at].lower in {"or", "but"} and not parsed.depths[at] for at in range(start, end)):
        return []
    colon = next(
        (at for at in range(end - 1, start, -1) if tokens[at].text == ":" and not parsed.depths[at]), None
    )
    begin = start if colon is None else colon + 1
    cuts = [at for at in range(begin, end) if tokens[at].text == "," and not parsed.depths[at]]
    if not cuts:
        return []
    joined = next((at for at in range(cuts[-1], end) if tokens[at].lower in {"and", "&", "plus"}), None)
    if joined is None and colon is None:
        return []
    elements: list[tuple[int, int]] = []
    stop = end
    for cut in reversed([*cuts, joined] if joined is not None else cuts):
        if cut == stop - 1 and tokens[cut].text == ",":
            stop = cut  # the comma before `and`
            continue
        if stop == end and parsed.first_verb(cut + 1, stop) is not None:
            return []  # `Goals from Stewart, McPake and Heffernen secured it`
        if not is_element(parsed, cut + 1, stop):
            return opened(parsed, start, cut + 1, stop, elements) if elements else []
        elements.insert(0, (cut + 1, stop))
        stop = cut
    return opened(parsed, start, begin, stop, elements)


def opened(
    parsed: Parsed, start: int, begin: int, stop: int, elements: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The list with its first element, which stands behind what opens the list: a colon, a verb, a preposition."""
    tokens = parsed.tokens
    first: int | None = begin
    behind_colon = begin > 0 and tokens[begin - 1].text == ":"
    if not behind_colon:
        first = next(
            (at + 1 for at in range(stop - 1, begin - 1, -1) if opens_list(parsed, at)),
            begin if begin == start else None,
        )
        last = elements[-1] if elements else (stop, stop)
        qualified = any(token.lower in PREPOSITIONS - {"of"} for token in tokens[last[0] : last[1]])
        if first == begin and qualified:
            return []  # `Johnson, Toure and Vlaar at the back`: what all of them do stands behind the last
    if first is None or not is_element(parsed, first, stop):
        return []
    if first > start and not behind_colon:
        if parsed.first_verb(start, first) is None:
            return []  # `In London, Paris and Rome people walk`
        if any(token.lower in {"to", "that", "and"} for token in tokens[first:stop]):
            return []  # `a tool to analyse a, b and c`: one tool, three things
    if sum(token.text == "," for token in tokens[:first]) > 1:
        return []  # the end of a longer list, not the whole of a short one
    found = [(first, stop), *elements]
    return found if len(found) >= FEWEST_ELEMENTS else []


def opens_list(parsed: Parsed, at: int) -> bool:
    word = parsed.tokens[at].lower
    if word == "of":
        return at > 0 and parsed.tokens[at - 1].lower in BEFORE_OF
    return word == ":" or parsed.tokens[at].text in LIST_OPENERS or at in parsed.verbs


def is_element(parsed: Parsed, start: int, end: int) -> bool:
    tokens = parsed.tokens
    return (
        0 < end - start <= LONGEST_ELEMENT
        and any(is_content(token) for token in tokens[start:end])
        and tokens[start].lower not in NO_ELEMENT
        and not any(is_clear_verb(parsed, at) for at in range(start, end))
        and not (tokens[start].lower.endswith(("ing", "ed")) and end - start > 2)
    )


def is_clear_verb(parsed: Parsed, at: int) -> bool:
    """`cameras` and `embedded` may be verbs elsewhere; in an element only what cannot be anything else counts."""
    if at not in parsed.verbs:
        return False
    word = parsed.tokens[at].lower
    after = parsed.tokens[at + 1] if at + 1 < len(parsed.tokens) else None
    if word in FINITE_AUXILIARIES or word in IRREGULAR_PASTS:
        return True
    return after is not None and is_word(after) and opens_object(after) and after.lower not in CONJUNCTIONS
