"""The key terms of a reference: names, technical words and what it keeps coming back to.

A rule on form, place and frequency. The keyword extractors on the index bring networkx or spaCy with them, and some a licence
that ours cannot carry, for lists that read no better on texts of a few sentences.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adjudge.embedded.reading.words import (
    AUXILIARIES,
    PREPOSITIONS,
    TextToken,
    Words,
    is_content,
    stem,
    tokenize,
)
from adjudge.scoring.terms import is_number, is_quoted, is_term, term_key
from adjudge.text import words

MAX_TERMS = 12
WORDS_PER_TERM = 5
"""Meaning words of the reference for one term; a sentence has two or three."""
MAX_NAME_CHARS = 4
MAX_PHRASE_CHARS = 2
MAX_TERM_CHARS = 60
"""Characters; a longer word is no word."""
EVERYDAY = words(
    """able account actually amount answer area aspect back bad basic basis better big bit call case cause certain change
    click come common course current currently day days different difficult due earlier early easy effect end entire
    especially etc example examples fact factor far final find following full general generally get give given go good
    great group half hand help high higher home idea important including information instance item items job key kind
    know large largely last late later latest lead least left less level life like likely little long look lot low lower
    made main mainly make man many matter mean meaning means member members men method mid minute moment month months
    mostly name near need new news next non normally note number numbers object often old one ones order original
    particular part parts people perhaps person piece place possible present previous primarily problem process question
    rather real really reason recent recently result results right said same say second see seen set several show side
    similar simple simply single small something sort special specific start state step still strong sure take term
    terms thing things time times today together total toward towards true two type types typically use used useful
    user using usually value various version view want way ways week weeks well whole wide woman women word words work
    world wrong year years yes yet young almost amid except none not though whereas whenever since unless despite amongst
    against across among throughout outside inside until around along besides toward another others itself themselves
    already evident ability addition approach approaches method methods technique techniques anyone anything everyone everything nobody nothing someone somebody something
    greater larger smaller bigger highest lowest largest smallest best worst slight minor major former
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december"""
)
NO_TERMS = words("yes no true false correct incorrect none not")
TIMES = words(
    """monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december inc ltd llc corp"""
)
"""Capitalised, and still no topic."""
PERIOD = re.compile(r"(?:fy|q|h)\d{1,4}")
BEFORE_A_NOUN = words("a an the of this that these each in its their his her our your my any some no by and")


@dataclass(slots=True)
class Candidate:
    """A phrase seen in the text; counted while it is read."""

    text: str
    place: int
    is_name: bool
    stems: tuple[str, ...]
    count: int = 1


def key_terms(texts: Sequence[str], question: str, folded: str) -> list[str]:
    """The terms of a text given by its sentences, as they stand there, most telling first.

    Words of the question come only when there is nothing else: an answer has them whether it knows anything or not.
    """
    echoed = {stem(token.text) for token in tokenize(question) if is_content(token)}
    found: dict[str, Candidate] = {}
    place = 0
    for text in texts:
        tokens = tokenize(text)
        for candidate in candidates(text, tokens, place):
            key = term_key(candidate.text)
            if key in found:
                found[key].count += 1
                found[key].is_name |= candidate.is_name
            else:
                found[key] = candidate
        place += sum(is_content(token) for token in tokens)
    most = max(1, min(MAX_TERMS, round(place / WORDS_PER_TERM)))
    ranked = sorted(found.values(), key=lambda candidate: (-worth(candidate, place, echoed), candidate.place))
    kept: list[Candidate] = []
    for candidate in ranked:
        if len(kept) == most:
            break
        own = set(candidate.stems)
        if kept and own <= echoed:
            continue
        if any(own <= set(other.stems) or own >= set(other.stems) for other in kept):
            continue
        if is_term(candidate.text) and is_quoted(candidate.text, folded):
            kept.append(candidate)
    if not kept:
        return last_resort(texts, echoed, folded)
    return [candidate.text for candidate in sorted(kept, key=lambda candidate: candidate.place)]


def last_resort(texts: Sequence[str], echoed: set[str], folded: str) -> list[str]:
    """The longest word that can be a term at all; without one, the formula would count terms as all found."""
    found = [token.text for text in texts[:3] for token in tokenize(text[:1000]) if is_content(token)]
    fit = [
        word
        for word in found
        if word.lower() not in NO_TERMS
        and len(word) <= MAX_TERM_CHARS
        and is_term(word)
        and is_quoted(word, folded)
    ]
    return [max(fit, key=lambda word: (stem(word) not in echoed, len(word)))] if fit else []


def candidates(text: str, tokens: Words, place: int) -> Iterator[Candidate]:
    """The runs of words that can be a term: whole names, else the last two words of a noun phrase."""
    run: list[int] = []
    for at in range(len(tokens) + 1):
        if at < len(tokens) and belongs(tokens, at, run):
            run.append(at)
            continue
        if run:
            while tokens[run[-1]].lower == "of":
                run.pop()
            yield from run_candidates(text, tokens, run, place)
        run = [at] if at < len(tokens) and can_begin(tokens, at) else []


def belongs(tokens: Words, at: int, run: list[int]) -> bool:
    if not run:
        return can_begin(tokens, at)
    before, token = tokens[run[-1]], tokens[at]
    if token.start - before.end > 1:
        return False
    if token.lower == "of":  # Bank of England
        return before.text[0].isupper() and at + 1 < len(tokens) and tokens[at + 1].text[0].isupper()
    return can_begin(tokens, at) and (before.lower == "of" or is_like(before, token))


def is_like(before: TextToken, token: TextToken) -> bool:
    """A name does not run on into common words: `London police`, `Masters title` are two."""
    return before.text[0].isupper() == token.text[0].isupper() or before.start == 0


def can_begin(tokens: Words, at: int) -> bool:
    token = tokens[at]
    word = token.lower
    if (
        not is_content(token)
        or not token.text[0].isalpha()
        or is_number(word)
        or len(token.text) > MAX_TERM_CHARS
    ):
        return False
    is_capital = token.text[0].isupper() and at > 0
    if (word in EVERYDAY and not is_capital) or word in TIMES or word in PREPOSITIONS:
        return False
    if at + 1 < len(tokens) and len(word) < 3 and tokens[at + 1].text[0].isdigit():
        return False  # FY 2023, No 3
    if PERIOD.fullmatch(word):
        return False
    if len(word) < (2 if token.text.isupper() else 3) and word.isascii():
        return False
    if is_capital or token.text.isupper():
        return True
    if word.endswith(("ly", "ed", "ize", "izes")):
        return False
    if word.endswith("ing"):
        # `the building` and `building it`: a noun stands behind an article, at most one word between.
        near = [token.lower for token in tokens[max(0, at - 2) : at]]
        return bool(near) and (
            near[-1] in BEFORE_A_NOUN or (near[0] in BEFORE_A_NOUN and near[-1] not in AUXILIARIES)
        )
    return True


def run_candidates(text: str, tokens: Words, run: list[int], place: int) -> Iterator[Candidate]:
    is_name = any(tokens[at].text[0].isupper() and (at > 0 or tokens[at].text.isupper()) for at in run)
    run = run[:MAX_NAME_CHARS] if is_name else run[-MAX_PHRASE_CHARS:]
    start, end = tokens[run[0]].start, tokens[run[-1]].end
    yield Candidate(
        text=" ".join(text[start:end].split()),
        place=place + run[0],
        is_name=is_name,
        stems=tuple(stem(tokens[at].text) for at in run if tokens[at].lower != "of"),
    )


def worth(candidate: Candidate, length: int, echoed: set[str]) -> float:
    new = sum(word not in echoed for word in candidate.stems) / len(candidate.stems)
    longest = max(len(word) for word in candidate.stems)
    early = 1 - min(1.0, candidate.place / (2 * length + 1))
    return (
        2 * new
        + 0.6 * min(candidate.count - 1, 3)
        + 0.8 * candidate.is_name
        + 0.3 * (len(candidate.stems) > 1)
        + 0.05 * min(longest, 10)
        + 0.4 * early
    )
