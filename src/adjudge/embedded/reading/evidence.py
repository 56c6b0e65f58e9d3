"""Where a text says what a statement says, by the words they share; nothing here knows synonyms."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from adjudge.embedded.reading.clauses import split_clauses
from adjudge.embedded.reading.keyterms import candidates
from adjudge.embedded.reading.sentences import Sentence, split_sentences
from adjudge.embedded.reading.words import NEGATIONS, is_content, stem, tokenize
from adjudge.scoring.terms import is_quoted
from adjudge.scoring.text import fold
from adjudge.text import words

WEIGHT_OF_NUMBER = 2.0
WEIGHT_OF_NAME = 1.5
WEIGHT_OF_LIKENESS = 0.6
"""What a word counts that is not in the text while one with the same beginning is: `abstration`, `reuse`."""
PREFIX = 5
ENOUGH = 0.85
"""A shorter passage is preferred while it has this share of what the best one has."""
MAX_PASSAGES = 400
MAX_TEXT_CHARS = 100_000
INNER_NUMBER = re.compile(r"(?<=[^\W\d_])\d{2,}|(?<!\d)\d{2,}+(?=[^\W\d_])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    text: str
    start: int
    stems: frozenset[str]
    prefixes: frozenset[str]


class SearchedText:
    """A text made ready to be searched for many statements."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        sentences = split_sentences(text)
        self.sentences = len(sentences)
        self.passages = list(passages(sentences))
        self.stems = frozenset[str]().union(*(passage.stems for passage in self.passages))
        self.prefixes = frozenset(word[:PREFIX] for word in self.stems if len(word) >= PREFIX)


@lru_cache(maxsize=8)
def searched(text: str) -> SearchedText:
    """One response is searched for every item of a checklist."""
    return SearchedText(text)


def passages(sentences: Sequence[Sentence]) -> Iterator[Passage]:
    """Clauses, and behind the clauses of each sentence the sentence itself."""
    count = 0
    for sentence in sentences:
        clauses = split_clauses(sentence.text)
        pieces = [(clause.text, sentence.start + clause.start) for clause in clauses]
        if len(pieces) > 1:
            pieces.append((sentence.text, sentence.start))
        for piece, start in pieces:
            stems = frozenset(weigh(piece))
            prefixes = frozenset(word[:PREFIX] for word in stems if len(word) >= PREFIX)
            yield Passage(text=piece, start=start, stems=stems, prefixes=prefixes)
            count += 1
            if count >= MAX_PASSAGES:
                return


@lru_cache(maxsize=512)
def weights(text: str) -> Mapping[str, float]:
    """Of a statement; one checklist is asked of many responses."""
    return weigh(text)


def weigh(text: str) -> dict[str, float]:
    """The stems of the words that carry meaning, with what each weighs; a negation carries meaning."""
    found: dict[str, float] = {}
    for place, token in enumerate(tokenize(text[:MAX_TEXT_CHARS])):
        if token.text[0].isdigit():
            weight = WEIGHT_OF_NUMBER
        elif not is_content(token) and token.lower not in NEGATIONS:
            continue
        elif place and token.text[0].isupper():
            weight = WEIGHT_OF_NAME
        else:
            weight = 1.0
        key = stem(token.text)
        found[key] = max(found.get(key, 0.0), weight)
        if not token.text.isalpha():
            # `FY2018` is at home where 2018 is
            found.update(
                (number, weight) for number in INNER_NUMBER.findall(token.text) if number not in found
            )
    return found


def shared(wanted: Mapping[str, float], stems: frozenset[str], prefixes: frozenset[str]) -> float:
    total = 0.0
    for word, weight in wanted.items():
        if word in stems:
            total += weight
        elif len(word) < PREFIX or word[0].isdigit():
            continue
        elif word[:PREFIX] in prefixes or word[: PREFIX - 1] in stems:
            total += WEIGHT_OF_LIKENESS * weight
    return total


def overlap(statement: str, text: str) -> float:
    """The share of the statement's meaning words, by weight, that stand anywhere in the text; 0 when it has none."""
    wanted = weights(statement)
    found = searched(text)
    return shared(wanted, found.stems, found.prefixes) / sum(wanted.values()) if wanted else 0.0


def find_evidence(statement: str, text: str) -> str | None:
    """The passage of the text nearest to the statement, literally; None when they share no word that means anything.

    A text of one sentence is its own evidence: what it says in other words, it says there.
    """
    place = find_passage(statement, text)
    return place.text if place else None


def find_passage(statement: str, text: str) -> Passage | None:
    """The shortest of the passages that share most with the statement, with its place."""
    wanted = weights(statement)
    found = searched(text)
    scored = [(shared(wanted, passage.stems, passage.prefixes), passage) for passage in found.passages]
    best = max((score for score, _ in scored), default=0.0)
    if best == 0:
        near = found.passages[-1:] if found.sentences == 1 else []
    else:
        near = [passage for score, passage in scored if score >= ENOUGH * best]
    near.sort(key=lambda passage: len(passage.text))
    return next((passage for passage in near if is_quoted(passage.text, found.folded)), None)


@lru_cache(maxsize=8)
def read_sentences(text: str) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    """Every sentence with its stems and their beginnings; one context is searched for every claim."""
    found = []
    for sentence in split_sentences(text):
        stems = frozenset(weigh(sentence.text))
        found.append(
            (sentence.text, stems, frozenset(word[:PREFIX] for word in stems if len(word) >= PREFIX))
        )
    return found


def nearest_sentences(statement: str, text: str, room: int) -> str:
    """The sentences of a text that share most with the statement, in their order, up to that many characters; at least one.

    A word that many sentences have tells little. The sentence before the nearest one goes along: it names whom a pronoun means.
    """
    if len(text) <= room:
        return text
    sentences = read_sentences(text)
    if len(sentences) <= 1:
        return text
    wanted = weights(statement)
    spread = {word: sum(word in stems for _, stems, _ in sentences) for word in wanted}
    telling = {word: weight / (1 + math.log1p(spread[word])) for word, weight in wanted.items()}
    scored = [shared(telling, stems, prefixes) for _, stems, prefixes in sentences]
    order = sorted(range(len(sentences)), key=lambda at: (-scored[at], at))
    order[1:1] = [order[0] - 1] if order[0] else []
    kept: set[int] = set()
    for at in order:
        if kept and sum(len(sentences[one][0]) + 1 for one in kept | {at}) > room:
            break
        kept.add(at)
    return " ".join(sentences[at][0] for at in sorted(kept))


def in_order(places: Sequence[int]) -> bool:
    """Whether a response takes its points in much the order of the reference.

    The places are those of the matched items in the response, listed in the order of the reference. More pairs have to stand
    in order than out of it; with three or fewer, only a full reversal of three says anything.
    """
    pairs = [(a, b) for i, a in enumerate(places) for b in places[i + 1 :] if a != b]
    ordered = sum(a < b for a, b in pairs)
    if len(set(places)) < 3:
        return True
    if len(set(places)) == 3:
        return ordered > 0
    return 2 * ordered >= len(pairs)


MAX_UNANSWERED = 3
MAX_PART_CHARS = 100
LONG_ENOUGH = 25
"""Meaning words from which on a response to a question can be expected to take up one of its words."""
SUBQUESTION = re.compile(
    r"(?:,\s*+|(?<!\s)\s++)(?:and|or|also|but)\s++(?=(?:what|how|why|when|where|who|whom|which|whose|is|are|was|were|does|do|did|can|should)\s)",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"\A\W*(?:what|how|why|when|where|who|whom|which|whose|is|are|does|do|did|can|could|should|explain|describe|compare|list|"
    r"name|give|tell|write|please|kindly|discuss|summari[sz]e|identify|define)\b",
    re.IGNORECASE,
)
MOSTLY = 0.5
ASKS_NUMBER = re.compile(
    r"\A\W*(?:when|how\s+(?:many|much|long|old|far|often|big|tall)|what\s+(?:year|date|time|percentage))\b",
    re.IGNORECASE,
)
ASKS_NAME = re.compile(r"\A\W*(?:who|whom|whose|where|which)\b", re.IGNORECASE)
ASKS_YES_OR_NO = re.compile(
    r"\A\W*(?:is|are|was|were|does|do|did|can|could|should|would|will|has|have|had)\b", re.IGNORECASE
)
TIME_OR_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|billion|half|none|never|always|"
    r"today|yesterday|century|decade|year|month|week|day|hour|minute|many|few|several)s?\b",
    re.IGNORECASE,
)
INNER_NAME = re.compile(r"(?<=[\w,;:] )[A-Z]\w+")
YES_OR_NO = re.compile(r"\A\W*(?:yes|no|not)\b", re.IGNORECASE)
GENERAL_STEMS = frozenset(
    stem(word)
    for word in words(
        """answer question give explain describe please state tell provide discuss list name write show find following briefly
        detail details effect effects example examples reason reasons response sentence sentences use using based difference main
        mean know think happen get need want make many much long old often most best"""
    )
)
"""What a question says about asking, not about its subject."""


def unanswered(question: str, response: str) -> list[str]:
    """The parts of a question that the response nowhere touches, as they stand in the question, three at most.

    Where the words cannot tell, a part counts as touched: `Paris` answers "What is the capital of France?" without any of
    its words.
    """
    parts = question_parts(question[:MAX_TEXT_CHARS])
    found = searched(response)
    is_long = len(found.stems) >= LONG_ENOUGH
    if len(parts) > 1:
        wanted = [set(weights(part)) - GENERAL_STEMS for part in parts]
        missing = [
            part
            for number, part in enumerate(parts)
            if not is_touched(part, own_words(wanted, number), found, is_long=is_long)
        ]
        return [shortened(part) for part in missing[:MAX_UNANSWERED]]
    if not parts or not is_long or mostly_taken_up(parts[0], found):
        return []
    return missing_phrases(parts[0], found)


def shortened(part: str) -> str:
    return part if len(part) <= MAX_PART_CHARS else part[:MAX_PART_CHARS].rsplit(None, 1)[0].rstrip(" ,;")


def question_parts(question: str) -> list[str]:
    """The sentences that ask, taken apart where one asks twice; when none does, the longest is the request."""
    sentences = [sentence.text for sentence in split_sentences(question) if sentence.kind != "heading"]
    asking = [sentence for sentence in sentences if sentence.endswith("?") or ASKING.match(sentence)]
    parts = [part for sentence in asking for part in SUBQUESTION.split(sentence) if weights(part)]
    return parts or sorted(sentences, key=len)[-1:]


def own_words(wanted: Sequence[set[str]], number: int) -> set[str]:
    """The words that tell this part from the others; all of its words when none does."""
    others = set[str]().union(*(each for at, each in enumerate(wanted) if at != number))
    return wanted[number] - others or wanted[number]


def is_touched(part: str, own: set[str], found: SearchedText, *, is_long: bool) -> bool:
    if shared(dict.fromkeys(own, 1.0), found.stems, found.prefixes) > 0 or not own:
        return True
    if mostly_taken_up(part, found):
        return True
    if ASKS_NUMBER.match(part):
        return TIME_OR_NUMBER.search(found.text) is not None
    if ASKS_NAME.match(part) and INNER_NAME.search(found.text):
        return True
    if ASKS_YES_OR_NO.match(part) and YES_OR_NO.match(found.text):
        return True
    return not is_long


def mostly_taken_up(part: str, found: SearchedText) -> bool:
    wanted = {word: weight for word, weight in weights(part).items() if word not in GENERAL_STEMS}
    return shared(wanted, found.stems, found.prefixes) >= MOSTLY * sum(wanted.values())


def missing_phrases(part: str, found: SearchedText) -> list[str]:
    """The phrases of a question that a long response leaves out; of a single one, only when nothing else is taken up."""
    phrases = list(dict.fromkeys(candidate.text for candidate in candidates(part, tokenize(part), 0)))
    missing = [
        phrase
        for phrase in phrases
        if (wanted := set(weights(phrase)) - GENERAL_STEMS)
        and shared(dict.fromkeys(wanted, 1.0), found.stems, found.prefixes) == 0
    ]
    return missing[:MAX_UNANSWERED]
