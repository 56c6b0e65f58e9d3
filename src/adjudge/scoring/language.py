"""Whether a reason is in English, as far as a small honest look can tell."""

import re

WORD = re.compile(r"[^\W\d_]+")
FUNCTION_WORDS = frozenset(
    {
        "the",
        "and",
        "of",
        "is",
        "are",
        "was",
        "were",
        "that",
        "this",
        "it",
        "to",
        "both",
        "with",
        "not",
        "does",
        "has",
    }
    | {
        "as",
        "by",
        "but",
        "which",
        "from",
        "for",
        "an",
        "be",
        "or",
        "its",
        "no",
        "while",
        "because",
        "only",
        "have",
    }
)
"""Common English words, most of which are no common words in other languages written with Latin letters."""
LOOKED_AT = 2000
SHORTEST = 8


def looks_english(text: str) -> bool:
    """False when most letters are not Latin, or a sentence of eight words or more has no common English word."""
    head = text[:LOOKED_AT]
    letters = [] if head.isascii() else [character for character in head if character.isalpha()]
    if letters and 2 * sum(is_latin(character) for character in letters) < len(letters):
        return False
    words = WORD.findall(head.casefold())
    return len(words) < SHORTEST or not FUNCTION_WORDS.isdisjoint(words)


def is_latin(character: str) -> bool:
    return character < "\u0250" or "\u1e00" <= character <= "\u1eff"
