"""Topic words: which ones count as terms, and whether a text has them."""

import unicodedata
from functools import lru_cache

from adjudge.patterns import lazy_pattern
from adjudge.scoring.text import LETTERS_WITHOUT_SPACES, fold, occurs
from adjudge.text import words

STOPWORDS = words(
    """a about above after again all also although am an and any are as at be because been before being below between
    both but by can could did do does doing down during each either etc few for from further had has have having he her
    here hers him his how however i if in into is it its itself just may me might more most much must my of off on once
    only onto or other our out over own per same shall she should so some such than that the their them then there
    therefore these they this those through thus to too under until up upon us very via was we were what when where
    whether which while who whom whose why will with within without would you your"""
)
EMPTY_WORDS = words("a an and are as at be by for from in is it its of on or that the this to was were with")
"""What stands in every text and so is evidence of nothing."""

FORMATTING_WORDS = words(
    """bullet bullets bulleted point points heading headings header headers footer footers subheading subheadings
    subtitle title titles bold italic italics underline underlined markdown list lists numbered unnumbered table tables
    column columns row rows paragraph paragraphs section sections line lines newline indent indentation format formats
    formatted formatting footnote footnotes caption layout"""
)

NUMBER_WORDS = words(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million
    millions billion billions trillion trillions lakh lakhs crore crores dozen dozens half first second third fourth
    fifth sixth seventh eighth ninth tenth percent per cent pct percentage bn mn"""
)
MEASURES = words(
    """km m cm mm mi mile miles metre metres meter meters foot feet ft inch inches kg g mg lb lbs pound pounds ton tons
    tonne tonnes second seconds s min minute minutes h hr hour hours day days week weeks month months year years usd eur
    gbp dollar dollars euro euros °c °f degree degrees kb mb gb tb k l ml litre litres liter liters st nd rd th"""
)
"""What is only a measure when a number stands with it: `5 km` is a number, `year` alone may be a topic."""
NUMERIC = lazy_pattern(r"[0-9]+(?:st|nd|rd|th|s|k|m|bn|x)?")
WORD = lazy_pattern(r"[^\W_]+")
POSSESSIVE = lazy_pattern(r"(?<=\w)'s?\b")


def is_term(term: str) -> bool:
    """Whether something is left when numbers, stopwords and formatting words are taken away."""
    found = WORD.findall(fold(term))
    numbers = any(is_number(word) for word in found)
    dropped = STOPWORDS | FORMATTING_WORDS | (MEASURES if numbers else frozenset())
    return any(not is_number(word) and word not in dropped for word in found)


def is_number(word: str) -> bool:
    return word in NUMBER_WORDS or word.isnumeric() or NUMERIC.fullmatch(word) is not None


def is_quoted(quotation: str, folded_text: str) -> bool:
    """Whether a quotation stands in the text and is more than `the` or `.`, which stand in every text."""
    return any(word not in EMPTY_WORDS for word in WORD.findall(fold(quotation))) and occurs(
        quotation, folded_text
    )


def without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def singular(word: str) -> str:
    """The word without a regular English plural; the same rule on both sides, so odd results still meet."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def term_key(text: str) -> str:
    """The words of a text, one space around each: without case, accents, hyphens, possessives and plurals."""
    plain = POSSESSIVE.sub("", without_accents(fold(text)))
    return " ".join(["", *(singular(word) for word in WORD.findall(plain)), ""])


class TermText:
    """A text in which terms are looked up."""

    def __init__(self, text: str) -> None:
        self.key = term_key(text)
        self.folded = fold(text)

    def has(self, term: str) -> bool:
        if LETTERS_WITHOUT_SPACES.search(term):
            return bool(fold(term)) and fold(term) in self.folded
        key = term_key(term)
        return bool(key.strip()) and key in self.key


@lru_cache(maxsize=8)
def term_text(text: str) -> TermText:
    """The same output is looked through twice in a row: for what to ask, and for the score."""
    return TermText(text)
