"""English words as the rules see them: tokens with their places, and stems."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

import Stemmer

from adjudge.scoring.terms import STOPWORDS
from adjudge.text import words


class TextToken(NamedTuple):
    """A word or a mark, and where it stands; a tuple because a text has thousands of them."""

    text: str
    lower: str
    start: int
    end: int


TOKEN = re.compile(
    r"['’](?:s|re|ve|ll|d|m)\b"  # Rose's and, in tokenised corpora, Rose 's
    r"|n['’]t\b"
    r"|\d+(?:[.,:]\d+)*(?:%|(?![^\W_]))"
    r"|[^\W\d_]\w*(?:[-.&][^\W_]+|['’](?!(?:s|re|ve|ll|d|m)\b)[^\W_]+)*"  # runner-up, U.S, don't, AT&T
    r"|\w+"
    r"|[^\w\s]"
)

MAX_KEPT_CHARS = 1000

AUXILIARIES = words(
    """am is are was were isn't aren't wasn't weren't be been being has have had hasn't haven't hadn't do does did don't
    doesn't didn't can could can't couldn't cannot will would won't wouldn't shall should shouldn't may might must
    mustn't 's 're 've 'll 'd 'm ’s ’re ’ve ’ll ’d ’m"""
)
PREPOSITIONS = words(
    """about above across after against along among around as at before behind below beneath beside besides between beyond
    by despite down during for from in inside into like near of off on onto out outside over per since through throughout
    to toward towards under until unlike up upon via with within without than because if when while whether although"""
)
NEGATIONS = words("not no never none nothing nobody neither nor without cannot n't n’t hardly")

Words = tuple[TextToken, ...]


def tokenize(text: str) -> Words:
    return tokens_of_sentence(text) if len(text) <= MAX_KEPT_CHARS else tokens_of(text)


def tokens_of(text: str) -> Words:
    return tuple(TextToken(word := found[0], word.lower(), *found.span()) for found in TOKEN.finditer(text))


@lru_cache(maxsize=512)
def tokens_of_sentence(text: str) -> Words:
    """Kept: every rule looks at a sentence afresh."""
    return tokens_of(text)


def is_word(token: TextToken) -> bool:
    return token.text[0].isalnum()


def is_content(token: TextToken) -> bool:
    """A word that says what a text is about; numbers are."""
    return is_word(token) and token.lower not in STOPWORDS and token.lower not in AUXILIARIES


@lru_cache(maxsize=1)
def stemmer() -> Stemmer.Stemmer:
    # Its own cache is bounded; ours below also spares the call.
    return Stemmer.Stemmer("english", 0)


COUNTED = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
SMALL_NUMBERS = {word: str(value) for value, word in enumerate(COUNTED)}
DIGITS = re.compile(r"\d+(?:[.,:]\d+)*%?")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """What a word and its inflections have in common; `six` and `6`, `1,500.0` and `1500` meet as well."""
    word = word[:60].casefold().replace("’", "'").removesuffix("'s")
    if word in SMALL_NUMBERS:
        return SMALL_NUMBERS[word]
    if DIGITS.fullmatch(word):
        number = THOUSANDS.sub("", word.rstrip("%"))
        return number.rstrip("0").rstrip(".") if "." in number else number
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return str(stemmer().stemWord(word)) if word.isascii() else word
