"""The words that prompts use, from `words.toml`: as sets, and as pieces of patterns."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Any


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((files("adjudge.judges.reading") / "words.toml").read_text(encoding="utf-8"))


def vocabulary(table: str, name: str) -> frozenset[str]:
    return frozenset(_tables()[table][name].split())


def alternatives(table: str, name: str) -> str:
    """A pattern for any of the words; `*` is any ending, `_` a blank."""
    words = sorted(_tables()[table][name].split(), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\*", r"\w*").replace("_", r"\s{1,2}") for word in words)


def foreign(name: str) -> str:
    """A pattern for the words of other languages that ask for a choice; only those with letters of ours end where letters end."""
    words = sorted(vocabulary("choice", name), key=lambda word: (-len(word), word))
    spaced, others = ([word for word in words if (word[0] < "\u1100") is latin] for latin in (True, False))
    return rf"\b(?:{'|'.join(spaced)})\b|{'|'.join(others)}"


def first_letters(words: Iterable[str]) -> str:
    """A pattern that looks for how one of them begins: a text is searched in a third of the time where it comes first."""
    return f"(?=[{re.escape(''.join(sorted({word[0] for word in words})))}])"


@cache
def _translations(table: str) -> tuple[re.Pattern[str], dict[str, str]]:
    found = {word: english for english, words in _tables()[table].items() for word in words.split()}
    known = {word.replace("_", " "): english for word, english in found.items()}
    longest_first = sorted(known, key=len, reverse=True)
    latin, others = (
        [word for word in longest_first if (word[0] < "\u0370") is spaced] for spaced in (True, False)
    )
    # Latin words end where letters end; Chinese and Japanese have no blanks between words.
    words = (
        rf"{first_letters(latin)}\b(?:{'|'.join(map(re.escape, latin))})\b"
        rf"|{first_letters(others)}(?:{'|'.join(map(re.escape, others))})"
    )
    between = rf"(?:(?<=\d)|(?<=\d\s)|(?<=\))|(?<=\)\s))(?P<word>{words})(?=\s?\d)"
    pattern = between if table == "between_numbers" else rf"(?P<word>{words})"
    return re.compile(pattern, re.IGNORECASE), known


def in_english(text: str) -> str:
    """The text with the words for a scale that six languages have, and their punctuation, as English has them."""
    text = text.translate(_PUNCTUATION)
    for table in ("in_english", "between_numbers"):
        pattern, known = _translations(table)
        text = pattern.sub(partial(_translated, known), text)
    return text


def _translated(known: Mapping[str, str], match: re.Match[str]) -> str:
    return f" {known[match['word'].lower()]} "


_PUNCTUATION = str.maketrans("：，、（）【】「」～０１２３４５６７８９", ':,,()[]""~0123456789')
